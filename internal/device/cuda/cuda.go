// Package cuda is the devices of NVIDIA: cards, by the driver's interface and the run-time compiler.
package cuda

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/card"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/units"
)

// How it works
//
// The driver and NVRTC are opened when somebody asks for a device, never linked (interface.go). A session is the primary context of a
// card, which is made current on the thread of every call, as another thread may make the next one. NVRTC makes code for the card, or PTX where it does not know
// the card yet; both are kept in the cache by the names of the card, the driver and the compiler. The rest is package card's.
//
// No machine on which this was written had a card: the order of calls is tested against a driver that is written in C for the tests
// (testdata/driver.c), and the code that is printed by package target/cuda's tests.

// row is the first word of the names of devices, and the target.
const row = "cuda"

// model is the machine of MDH's paper that a card is like.
const model = "cuda+wrp"

// Driver is the row of these devices.
func Driver() *device.Driver { return numbered(system, 0, row) }

// Unit is the row of one of them.
func Unit(number int) *device.Driver {
	return numbered(system, number, fmt.Sprintf("%s:%d", row, number))
}

func numbered(l libraries, number int, name string) *device.Driver {
	d := &device.Driver{Name: name, Target: "cuda", About: "NVIDIA's cards by their driver: cuda:0, cuda:1, …", Within: true, Unit: Unit}
	d.Open = func(ctx context.Context, s device.Settings) (device.Device, error) { return open(ctx, l, d, number, s) }
	d.Assemble = func(ctx context.Context, s device.Settings, m *target.Module, on *machine.Processor) (string, error) {
		return assemble(ctx, l, s, m, on)
	}
	d.Image = func(ctx context.Context, module *target.Module, m *machine.Processor, o device.ImageOptions) (*device.Image, error) {
		return image(ctx, l, module, m, o)
	}
	d.Inspect = func(context.Context, device.Settings) device.Report { return inspect(l, d) }
	d.Machine = func(context.Context, device.Settings) (*machine.Machine, error) {
		list, err := find(l)
		if err != nil || number >= len(list) || list[number].refused != nil {
			return card.Describe(model, card.Limit{}), nil // that of the standard, so that code can be shown
		}
		return card.Describe(model, list[number].limit), nil
	}
	return d
}

// A found is a card that the driver tells of.
type found struct {
	api          *api
	id           int32
	number       int
	name         string
	major, minor int32
	driver       int32 // its version, as 12040
	bytes        uint64
	limit        card.Limit
	registers    int64 // of a block
	processors   int32
	refused      error // what the driver does not say
}

// String names the card.
func (f *found) String() string {
	return fmt.Sprintf("%s (sm_%d%d, driver for CUDA %d.%d)", f.name, f.major, f.minor, f.driver/1000, f.driver%1000/10)
}

// number is that of the newest CUDA that the driver knows, as 12040, and version its text.
func (a *api) number() (int32, error) {
	n := new(int32)
	err := check("its version", a.DriverGetVersion.Call(uintptr(unsafe.Pointer(n))))
	return *n, err
}

func (a *api) version() string {
	n, err := a.number()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("for CUDA %d.%d", n/1000, n%1000/10)
}

// find lists the cards.
func find(l libraries) (list []*found, err error) {
	a, err := l.driver()
	if err != nil {
		return nil, err
	}
	version, err := a.number()
	if err != nil {
		return nil, err
	}
	count := new(int32)
	if err := check("counting devices", a.DeviceGetCount.Call(uintptr(unsafe.Pointer(count)))); err != nil {
		return nil, err
	}
	for i := range *count {
		f, id, name, size := &found{api: a, number: int(i), driver: version}, new(int32), make([]byte, 256), new(uint64)
		if err := check("a device", a.DeviceGet.Call(uintptr(unsafe.Pointer(id)), uintptr(i))); err != nil {
			return nil, err
		}
		f.id = *id
		f.asked("its name", a.DeviceGetName.Call(uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), uintptr(f.id)))
		f.asked("its memory", a.DeviceTotalMem_v2.Call(uintptr(unsafe.Pointer(size)), uintptr(f.id)))
		name, _, _ = bytes.Cut(name, []byte{0})
		f.name, f.bytes, f.major, f.minor = string(name), *size, f.attribute(attributeMajor), f.attribute(attributeMinor)
		f.describe()
		list = append(list, f)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("the driver %s has no card", a.path)
	}
	return list, nil
}

func (f *found) attribute(number uintptr) int32 {
	value := new(int32)
	f.asked(fmt.Sprintf("attribute %d", number), f.api.DeviceGetAttribute.Call(uintptr(unsafe.Pointer(value)), number, uintptr(f.id)))
	return *value
}

// asked notes the first question that the driver has refused to answer.
func (f *found) asked(what string, code uintptr) {
	if err := check(what, code); f.refused == nil {
		f.refused = err
	}
}

// open finds the card of a number, and its compiler.
func open(ctx context.Context, l libraries, d *device.Driver, number int, s device.Settings) (device.Device, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.Beside != nil {
		beside, is := s.Beside.(*Device)
		if !is {
			return nil, source.Internalf("cuda", source.Span{}, "a device beside one of another row")
		}
		other := *beside
		other.row, other.strict = d, s.Strict
		return &other, nil
	}
	list, err := find(l)
	if err != nil {
		return nil, err
	}
	if number >= len(list) {
		return nil, fmt.Errorf("there is no %s:%d: the driver tells of %d cards, from %s:0 on", row, number, len(list), row)
	}
	if err := list[number].refused; err != nil { // the others may work
		return nil, fmt.Errorf("the driver does not describe %s:%d: %w", row, number, err)
	}
	var instead *clang
	nvrtc, err := l.compiler()
	if err != nil {
		if instead, _ = l.clang(); instead == nil {
			return nil, err
		}
		nvrtc = nil
	}
	session, err := newSession(list[number])
	if err != nil {
		return nil, err
	}
	return &Device{row: d, session: session, compiler: nvrtc, clang: instead, strict: s.Strict, card: &card.Session{Driver: session, Name: session.name(), Groups: list[number].limit.Groups, Local: list[number].limit.Bytes, Beside: true}}, nil
}

// A Device is an opened card.
type Device struct {
	row      *device.Driver
	session  *session
	compiler *compiler // nil: clang is
	clang    *clang
	strict   bool
	card     *card.Session
}

// Driver returns the row.
func (d *Device) Driver() *device.Driver { return d.row }

// Identity is over the card, its driver and the compiler with its flags.
func (d *Device) Identity() string {
	return strings.Join([]string{row, d.session.found.String(), d.madeBy()}, "\x00")
}

// Maker names the compiler, with its flags.
func (d *Device) Maker() string {
	return d.madeBy() + ", " + d.session.found.String()
}

// madeBy is the compiler with its flags.
func (d *Device) madeBy() string {
	if d.compiler == nil {
		return "clang " + d.clang.version + " " + strings.Join(d.clang.flags(d.session.sm(), d.strict), " ")
	}
	return "NVRTC " + d.compiler.version() + " " + strings.Join(flags(d.session.architecture(), d.strict), " ")
}

// Works reports that the device does: it was asked when it was opened.
func (d *Device) Works(context.Context) error { return nil }

// Compile makes code for the card; where the compiler does not know it, PTX, of which the driver makes code.
func (d *Device) Compile(ctx context.Context, m *target.Module, o device.CompileOptions) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if d.compiler == nil {
		return d.clang.compile(ctx, d.session.sm(), d.strict, m, o)
	}
	return d.compile(m, o)
}

// Load gives an object to the driver.
func (d *Device) Load(_ context.Context, object []byte, p *plan.Plan) (device.Code, error) {
	module := uintptr(0)
	err := d.card.Do(func() (err error) {
		if module, err = d.session.load(object); err != nil {
			err = fmt.Errorf("loading the kernel %s: %w", p.Name, err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return d.card.Load(module, p)
}

// Allocator gives memory of the card.
func (d *Device) Allocator() device.Allocator { return d.card.Allocator(d.row.Name) }

// Wait waits for all calls that are queued.
func (d *Device) Wait(ctx context.Context) error { return cmp.Or(ctx.Err(), d.card.Wait()) }

// Transferred counts copies between the host and the card.
func (d *Device) Transferred() device.Transferred { return d.card.Transferred() }

// ComputesBeside reports that it does.
func (d *Device) ComputesBeside() bool { return true }

// NewStream makes a queue.
func (d *Device) NewStream() device.Stream { return device.NewQueue() }

// Close does nothing: memory and code keep what they need.
func (d *Device) Close() error { return nil }

// inspect lists the cards with what they have, and the compiler.
func inspect(l libraries, d *device.Driver) device.Report {
	r := device.Report{Name: d.Name, Target: d.Target, About: d.About}
	if a, err := l.driver(); err == nil {
		r.Parts = append(r.Parts, device.Part{Kind: "library", Name: "CUDA driver", Version: a.version(), Path: a.path})
	}
	list, err := find(l)
	if err != nil {
		r.Missing = append(r.Missing, err.Error())
	}
	for _, f := range list {
		if f.refused != nil {
			r.Parts = append(r.Parts, device.Part{Kind: "device", Name: fmt.Sprintf("%s:%d", row, f.number), Use: fmt.Sprintf("the driver does not describe it: %v", f.refused)})
			continue
		}
		has := fmt.Sprintf("%s of memory, %d multiprocessors; a group has up to %d items, %s of local memory and %d registers", units.Bytes(int64(f.bytes)), f.processors, f.limit.Items, units.Bytes(f.limit.Bytes), f.registers)
		r.Parts = append(r.Parts, device.Part{Kind: "device", Name: fmt.Sprintf("%s:%d", row, f.number), Version: f.String(), Use: has})
	}
	nvrtc, err := l.compiler()
	switch {
	case err == nil:
		r.Parts = append(r.Parts, device.Part{Kind: "library", Name: "NVRTC", Version: nvrtc.version(), Path: nvrtc.path})
	default:
		instead, other := l.clang()
		if other != nil {
			r.Missing = append(r.Missing, fmt.Sprintf("%v; %v", err, other))
			break
		}
		r.Parts = append(r.Parts, device.Part{Kind: "compiler", Name: "clang", Version: instead.version, Path: instead.path, Use: "in place of NVRTC, which is not here, without NVIDIA's functions"})
	}
	r.Usable = len(r.Missing) == 0
	return r
}
