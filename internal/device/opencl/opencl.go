// Package opencl is the devices of OpenCL: cards, processors and others that a driver makes devices of.
package opencl

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

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
// The library that finds the drivers (interface.go) is opened when somebody asks for a device, never linked. Devices are numbered
// through all drivers, in the order in which these tell of them: opencl:0, opencl:1.
//
// A session is a context with a queue: a driver of package card, which has the rest. Code is what the driver's compiler makes of OpenCL C, or the text itself where a driver gives no
// binaries; both are kept in the cache by the names of device and driver. A launch waits for its end; streams run launches on
// goroutines.
//
// Memory has no addresses in OpenCL 1.2: an argument is a buffer and where in it element 0 is (target items).

// row is the first word of the names of devices, and the target.
const row = "opencl"

// Driver is the row of these devices.
func Driver() *device.Driver { return numbered(0, row) }

// Unit is the row of one of them.
func Unit(number int) *device.Driver { return numbered(number, fmt.Sprintf("%s:%d", row, number)) }

func numbered(number int, name string) *device.Driver {
	d := &device.Driver{Name: name, Target: "opencl", About: "devices of OpenCL by their drivers: opencl:0, opencl:1, …", Within: true, Unit: Unit, Inspect: inspect}
	d.Open = func(ctx context.Context, s device.Settings) (device.Device, error) { return open(ctx, d, number, s) }
	d.Machine = func(context.Context, device.Settings) (*machine.Machine, error) { return describe(number), nil }
	return d
}

// describe is the machine that schedules are made for: that of the standard where there is no device.
func describe(number int) *machine.Machine {
	list, err := find()
	if err != nil || number >= len(list) {
		return card.Describe(row, card.Limit{})
	}
	f, model := list[number], row
	if f.kind&typeProcessor != 0 {
		model = "opencl-processor"
	}
	return card.Describe(model, card.Limit{Region: "LM", Bytes: f.local, Items: f.groupSize, Along: f.along, Cores: f.units})
}

// open finds the device of a number.
func open(ctx context.Context, d *device.Driver, number int, s device.Settings) (device.Device, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.Beside != nil {
		if beside, is := s.Beside.(*Device); is {
			return &Device{row: d, session: beside.session, card: beside.card}, nil
		}
		return nil, source.Internalf("opencl", source.Span{}, "a device beside one of another row")
	}
	list, err := find()
	if err != nil {
		return nil, err
	}
	if number >= len(list) {
		return nil, fmt.Errorf("there is no %s:%d: drivers tell of %d, from %s:0 on", row, number, len(list), row)
	}
	return openFound(d, list[number])
}

// openFound makes a device ready.
func openFound(d *device.Driver, f *found) (device.Device, error) {
	switch {
	case !f.ready:
		return nil, fmt.Errorf("%s is not available: its driver says so", f)
	case !f.compiles:
		return nil, fmt.Errorf("the driver of %s has no compiler", f)
	}
	session, err := newSession(f)
	if err != nil {
		return nil, err
	}
	return &Device{row: d, session: session, card: &card.Session{Driver: session, Name: session.name(), Most: f.largest, Beside: f.kind&typeProcessor == 0}}, nil
}

// A Device is an opened device.
type Device struct {
	row     *device.Driver
	session *session
	card    *card.Session
}

// Driver returns the row.
func (d *Device) Driver() *device.Driver { return d.row }

// Identity is over the device, its driver and the flags of the compiler.
func (d *Device) Identity() string {
	f := d.session.found
	return strings.Join([]string{row, f.name, f.version, f.driver, d.flags()}, "\x00")
}

// Maker names the driver, whose compiler makes the code.
func (d *Device) Maker() string { return d.session.found.String() + " " + d.flags() }

// flags are those of the compiler: it warns of nothing, since nobody reads that. Without the last one divisions and square roots of float32 may be wrong in some bits.
func (d *Device) flags() string {
	flags := "-cl-std=CL1.2 -w"
	if d.session.found.exact {
		flags += " -cl-fp32-correctly-rounded-divide-sqrt"
	}
	return flags
}

// Works reports that the device does: it was asked when it was opened.
func (d *Device) Works(context.Context) error { return nil }

// Compile has the driver compile a kernel.
func (d *Device) Compile(ctx context.Context, m *target.Module, o device.CompileOptions) ([]byte, error) {
	if o.Assembly {
		return nil, fmt.Errorf("what %s compiles to has no text; --stage code is what it compiles", d.row.Name)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f := d.session.found
	if strings.Contains(m.Code, "cl_khr_fp64") && !f.double {
		return nil, device.Lacks(d.row.Name, "arithmetic on float64, which the kernel has: a value of the program, or a function that is computed so (docs/numerics.md)")
	}
	return d.session.compile(m, d.flags(), o)
}

// Load makes kernels of an object.
func (d *Device) Load(_ context.Context, object []byte, p *plan.Plan) (device.Code, error) {
	program := uintptr(0)
	err := d.card.Do(func() (err error) {
		program, err = d.session.load(object, d.flags(), p)
		return err
	})
	if err != nil {
		return nil, err
	}
	return d.card.Load(program, p)
}

// Allocator gives memory of the device.
func (d *Device) Allocator() device.Allocator { return d.card.Allocator(d.row.Name) }

// Wait waits for all calls that are queued.
func (d *Device) Wait(ctx context.Context) error { return cmp.Or(ctx.Err(), d.card.Wait()) }

// Transferred counts copies between the host and the device.
func (d *Device) Transferred() device.Transferred { return d.card.Transferred() }

// ComputesBeside reports whether the device is no processor.
func (d *Device) ComputesBeside() bool { return d.session.kind&typeProcessor == 0 }

// NewStream makes a queue.
func (d *Device) NewStream() device.Stream { return device.NewQueue() }

// Close does nothing: memory and code keep what they need.
func (d *Device) Close() error { return nil }

// inspect lists the devices of all drivers.
func inspect(context.Context, device.Settings) device.Report {
	d := Driver()
	r := device.Report{Name: d.Name, Target: d.Target, About: d.About}
	list, err := find()
	if err != nil {
		r.Missing = append(r.Missing, err.Error())
		return r
	}
	r.Usable = true
	r.Parts = append(r.Parts, device.Part{Kind: "library", Name: "OpenCL", Path: list[0].api.path})
	r.Parts = append(r.Parts, drivers(list[0].api)...)
	for _, f := range list {
		name := row + ":" + strconv.Itoa(f.number)
		use := fmt.Sprintf("%s; %s of memory, %d compute units; a group has up to %d items and %s of local memory", f.name, units.Bytes(f.global), f.units, f.groupSize, units.Bytes(f.local))
		for _, lack := range []struct {
			is   bool
			what string
		}{{!f.ready, "is not available"}, {!f.compiles, "has no compiler"}, {!f.double, "has no float64"}, {!f.exact, "may round divisions of float32 otherwise"}} {
			if lack.is {
				use += "; " + lack.what
			}
		}
		r.Parts = append(r.Parts, device.Part{Kind: "device", Name: name, Version: f.version + ", driver " + f.driver, Use: use})
	}
	return r
}
