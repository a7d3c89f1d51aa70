package measure

import (
	"context"
	_ "embed" // for the C texts
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

//go:embed loops/prelude.c
var prelude string

//go:embed loops/memory.c
var memory string

// alignment of the parts of threads: no two of them share a page.
const alignment = 4096

// apart keeps the target of a copy from the places of its source in a page:
// processors compare the low bits of addresses first, and a load would wait for
// the store before it.
const apart = alignment/2 + 64

// Traffic is a set of directions in which bytes move.
type Traffic uint8

// The directions.
const (
	Read Traffic = 1 << iota
	Write
	Copy
)

// Main is the direction in which most of the bytes go when as many as are written are
// copied, and the rest is read (machine.Memory.Seconds).
func Main(read, written int64) Traffic {
	both := 2 * min(read, written)
	switch {
	case both >= read-written && both >= written-read:
		return Copy
	case read > written:
		return Read
	}
	return Write
}

// ways are the ways of moving bytes: a function of loops/memory.c, the bytes that it
// moves for each byte of its part, and where the result goes. Of several ways with one
// result the fastest counts: what a kernel must move it may move in any of them.
var ways = []struct {
	function string
	traffic  Traffic
	moved    float64
	of       func(*machine.Memory) *machine.Speed
}{
	{"traffic_read", Read, 1, func(l *machine.Memory) *machine.Speed { return &l.Read }},
	{"traffic_read_four", Read, 1, func(l *machine.Memory) *machine.Speed { return &l.Read }},
	{"traffic_read_ahead", Read, 1, func(l *machine.Memory) *machine.Speed { return &l.Read }},
	{"traffic_read_four_ahead", Read, 1, func(l *machine.Memory) *machine.Speed { return &l.Read }},
	{"traffic_write_ahead", Write, 1, func(l *machine.Memory) *machine.Speed { return &l.Write }},
	{"traffic_copy_ahead", Copy, 2, func(l *machine.Memory) *machine.Speed { return &l.Copy }},
	{"traffic_write", Write, 1, func(l *machine.Memory) *machine.Speed { return &l.Write }},
	{"traffic_write_half", Write, 1, func(l *machine.Memory) *machine.Speed { return &l.Write }},
	{"traffic_copy", Copy, 2, func(l *machine.Memory) *machine.Speed { return &l.Copy }},
	{"traffic_copy_half", Copy, 2, func(l *machine.Memory) *machine.Speed { return &l.Copy }},
	{"traffic_stream", Write, 1, func(l *machine.Memory) *machine.Speed { return &l.Stream }},
	{"traffic_stream_half", Write, 1, func(l *machine.Memory) *machine.Speed { return &l.Stream }},
	{"traffic_stream_copy", Copy, 2, func(l *machine.Memory) *machine.Speed { return &l.StreamCopy }},
	{"traffic_stream_copy_ahead", Copy, 2, func(l *machine.Memory) *machine.Speed { return &l.StreamCopy }},
	{"traffic_stream_copy_half", Copy, 2, func(l *machine.Memory) *machine.Speed { return &l.StreamCopy }},
}

// addUnits adds the arithmetic units of this processor.
func (m *Meter) addUnits(ctx context.Context) error {
	list := present()
	library, err := m.loadUnits(ctx, list)
	refused := (*device.RefusedError)(nil)
	if !errors.As(err, &refused) {
		return m.addRates(library, list, err)
	}
	// An assembler or compiler may be older than the processor: those units that it
	// knows are measured.
	for _, u := range list {
		library, err := m.loadUnits(ctx, []unit{u})
		if errors.As(err, &refused) && u.features != nil {
			continue
		}
		if err := m.addRates(library, []unit{u}, err); err != nil {
			return err
		}
	}
	return nil
}

// loadUnits compiles the loops of units: functions rate0, rate1, ….
func (m *Meter) loadUnits(ctx context.Context, list []unit) (*host.Library, error) {
	var b strings.Builder
	for i, u := range list {
		fmt.Fprintf(&b, "static int work%d(char *from, char *to, long bytes, long rounds)\n{%s\n  return 0;\n}\nint rate%[1]d(const int64 *args) { return spread(args, work%[1]d); }\n", i, u.body)
	}
	return m.load(ctx, b.String())
}

// addRates adds the probes of units whose loops are loaded, unless that failed.
func (m *Meter) addRates(library *host.Library, list []unit, err error) error {
	if err != nil {
		return fmt.Errorf("measuring arithmetic: %w", err)
	}
	for i, u := range list {
		f, err := library.Function(fmt.Sprintf("rate%d", i))
		if err != nil {
			return err
		}
		once := [...]int64{m.pool, 1, 1, 0, 0, 0}
		if f.Call(&once[0]) != 0 {
			continue // the operating system does not give the unit away
		}
		rate := &machine.Rate{Type: u.dtype, Unit: u.name}
		m.rates = append(m.rates, rate)
		amount := float64(u.count * u.operations(m.machine.VectorBytes))
		m.add(f, &probe{dtype: u.dtype, amount: amount, threads: 1, result: &rate.One}, 0, 0, 0)
		if m.threads > 1 {
			m.add(f, &probe{dtype: u.dtype, amount: amount * float64(m.threads), threads: m.threads, result: &rate.All}, 0, 0, 0)
		}
	}
	return nil
}

// addLayers adds the layers of memory.
func (m *Meter) addLayers(ctx context.Context, memoryBytes int64) error {
	library, err := m.load(ctx, memory)
	if err != nil {
		return fmt.Errorf("measuring memory: %w", err)
	}
	memoryBytes = m.memoryBytes(memoryBytes)
	buffer, err := tensor.New(tensor.Uint8, int(memoryBytes)+2*alignment)
	if err != nil {
		return err
	}
	m.buffers = append(m.buffers, buffer)
	bytes, err := tensor.Data[uint8](buffer)
	if err != nil {
		return err
	}
	for i := 0; i < len(bytes); i += alignment {
		bytes[i] = 1 // a page that was never written is not there
	}
	from := (uintptr(buffer.Pointer()) + alignment - 1) / alignment * alignment
	m.far = region{from, int(memoryBytes)}
	read, err := library.Function("traffic_read")
	if err != nil {
		return err
	}
	last := m.reach(m.machine.L3, memoryBytes, func(bytes int64) float64 { return m.readSpeed(read, from, bytes) })
	for _, p := range m.pieces(last, memoryBytes) {
		m.layers = append(m.layers, &p.layer)
		for _, way := range ways {
			f, err := library.Function(way.function)
			if err != nil {
				return err
			}
			m.addTraffic(f, way.of(&p.layer), way.moved, way.traffic, from, p, int(memoryBytes))
		}
	}
	return nil
}

// A piece is what a layer is measured on: the bytes of one thread alone, and of
// all together.
type piece struct {
	layer    machine.Memory
	one, all int
}

// memoryBytes is how much of main memory is gone through: as the options say, or several
// times the largest cache. All pieces have room in it.
func (m *Meter) memoryBytes(given int64) int64 {
	last := max(m.machine.L3, m.machine.L2*int64(m.threads))
	if given == 0 {
		given = min(max(4*last, 128<<20), max(2*last, 1<<30))
	}
	return max(given, last)
}

// reach returns how much of a shared cache one machine gets: where it has neighbours, or is
// a virtual one, that may be a small part of what the processor says. It is the largest of
// some sizes whose speed is nearer to that of the smallest than to that of memory.
func (m *Meter) reach(whole, memory int64, speed func(bytes int64) float64) int64 {
	least := 4 * m.machine.L2 * int64(m.threads)
	if whole <= 2*least {
		return whole
	}
	near, far := speed(least), speed(memory)
	const differ = 1.2
	if near < differ*far {
		return whole
	}
	last := least
	for bytes := 2 * least; bytes <= whole && speed(bytes) > math.Sqrt(near*far); bytes *= 2 {
		last = bytes
	}
	if 2*last > whole {
		return whole
	}
	return last
}

// readSpeed is the best of some passes of one thread over so many bytes, after one that
// brings them near.
func (m *Meter) readSpeed(read host.Function, from uintptr, bytes int64) float64 {
	args := [...]int64{m.pool, 1, 1, int64(from), int64(from), bytes}
	best := math.Inf(1)
	for pass := range 4 {
		start := time.Now()
		read.Call(&args[0])
		if took := time.Since(start).Seconds(); pass > 0 {
			best = min(best, took)
		}
	}
	return float64(bytes) / best
}

// pieces lists the layers that differ in size.
func (m *Meter) pieces(l3, memory int64) []*piece {
	l1, l2 := m.machine.L1, m.machine.L2
	list := []*piece{
		{machine.Memory{Name: "L1", Bytes: l1}, int(l1 / 2), int(l1/2) * m.threads},
		{machine.Memory{Name: "L2", Bytes: l2}, int(l2 / 2), int(l2/2) * m.threads},
	}
	if l3 > 2*l2*int64(m.threads) {
		list = append(list, &piece{machine.Memory{Name: "L3", Bytes: l3, Shared: true}, int(l3 / 2), int(l3 / 2)})
	}
	return append(list, &piece{machine.Memory{Name: "memory", Shared: true}, int(memory), int(memory)})
}

// addTraffic adds the probes of a way on a piece of the memory from an address on, of which there
// are so many bytes.
func (m *Meter) addTraffic(f host.Function, speed *machine.Speed, moved float64, traffic Traffic, from uintptr, piece *piece, all int) {
	for i, threads := range []int{1, m.threads} {
		if i == 1 && threads == 1 {
			return
		}
		first, result := piece.one, &speed.One
		if i == 1 {
			first, result = piece.all, &speed.All
		}
		p := &probe{layer: piece.layer.Name, traffic: traffic, threads: threads, result: result}
		resize := func(bytes int64) {
			total, to := first, from
			if bytes > 0 {
				total = min(int(bytes), all)
			}
			if traffic == Copy {
				total /= 2
				to += uintptr(total/alignment)*alignment + apart
			}
			part := max(total/threads/alignment, 1) * alignment
			p.amount = moved * float64(part*threads)
			p.on(f, m.pool, from, to, part)
		}
		if resize(0); piece.layer.Shared {
			p.resize = resize
		}
		m.probes = append(m.probes, p)
	}
}
