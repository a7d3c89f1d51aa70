package measure

import (
	"context"
	_ "embed" // for the C text
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

// How ratios are measured
//
// A ratio of the machine (machine.Ratios) is one of times of two loops on the same data, in loops/ratios.c: on small data,
// but for what depends on where the data come from. They are run in turns, so that a neighbour on the machine, or a change
// of the clock, hits both, and the median of the quotients counts: a burst that was interrupted is at the end of the order.
// All pairs are gone through some times, and the median of these medians counts, since a machine may be busy for longer than
// a pair takes. What comes from further away is slower for as long as others use the last cache or the memory, and seldom by
// the same part for both loops: there the fastest bursts count. What differs from 1 by less than two runs of one loop may is
// 1, or rules would follow noise.

//go:embed loops/ratios.c
var ratioLoops string

// A pair is two loops of loops/ratios.c.
type pair struct {
	ratio        string // its name in the text of machines
	usual, other string // functions: the time of the first is divided by that of the second
	data         place
}

// A place is where the data of a pair are.
type place uint8

// The places: the nearest cache, the last one where it is far larger than those before it, and the memory behind all.
const (
	nearest place = iota
	lastCache
	mainMemory
)

// pairs are measured in this order.
var pairs = []pair{
	{"folded-loads", "folded_loads", "held_loads", nearest},
	{"masked-stores", "masked_stores", "single_stores", nearest},
	{"gathers", "gathers", "inserts", nearest},
	{"byte-casts", "byte_casts", "word_casts", nearest},
	{"asked-sums", "asked_sums", "plain_sums", mainMemory},
	{"asked-near-sums", "asked_sums", "plain_sums", lastCache},
	{"asked-rows", "asked_rows", "plain_rows", mainMemory},
	{"shared-sets", "crowded_sums", "spread_sums", lastCache},
}

const (
	ratioPasses   = 3
	ratioSamples  = 9       // quotients of a pass
	ratioBytes    = 1 << 15 // that loops read, and as many that they write
	ratioNoise    = 0.04    // by which quotients of the same loop may differ from 1
	sharedNoise   = 0.1     // the same of what comes through caches and a memory that others share
	mostRatioTime = 100     // bursts that one pass of a pair takes; what there is by then counts
)

// A region is a piece of memory.
type region struct {
	from  uintptr
	bytes int
}

// halves are the addresses of what loops read and of what they write, with the bytes of each.
func (r region) halves() (from, to uintptr, bytes int) {
	bytes = r.bytes / 2 / alignment * alignment
	return r.from, r.from + uintptr(bytes), bytes
}

// regionOf is the memory of the loops of a pair; false where this machine has no such place.
func (m *Meter) regionOf(p pair, small region) (region, bool) {
	switch l2, l3 := int(m.machine.L2), int(m.machine.L3); p.data {
	case mainMemory:
		return m.far, m.far.bytes > 0
	case lastCache:
		return region{m.far.from, min(8*l2, l3)}, l3 > 4*l2 && m.far.bytes >= l3 // half of it is read
	}
	return small, true
}

// ways loads the loops of pairs.
func (m *Meter) ways(ctx context.Context) (*host.Library, region, error) {
	text := fmt.Sprintf("#define REGISTERS %d\n%s", m.machine.VectorRegisters, ratioLoops)
	library, err := m.load(ctx, text)
	if err != nil {
		return nil, region{}, fmt.Errorf("measuring ways to compute: %w", err)
	}
	buffer, err := tensor.New(tensor.Uint8, 2*ratioBytes+alignment)
	if err != nil {
		return nil, region{}, err
	}
	m.buffers = append(m.buffers, buffer)
	from := (uintptr(buffer.Pointer()) + alignment - 1) / alignment * alignment
	return library, region{from, 2 * ratioBytes}, nil
}

// ratios measures all pairs; told is called before each.
func (m *Meter) ratios(ctx context.Context, told func()) (r machine.Ratios, err error) {
	library, small, err := m.ways(ctx)
	if err != nil {
		return r, err
	}
	passes := make([][]pass, len(pairs))
	for range ratioPasses {
		for k, p := range pairs {
			told()
			place, isThere := m.regionOf(p, small)
			if !isThere {
				continue
			}
			from, to, bytes := place.halves()
			var probes [2]*probe
			for w, name := range []string{p.usual, p.other} {
				f, err := library.Function(name)
				if err != nil {
					return r, err
				}
				probes[w] = &probe{threads: 1, amount: 1}
				probes[w].on(f, m.pool, from, to, bytes)
			}
			if probes[0].call(1) != 0 {
				continue // the machine has no such instruction
			}
			one, err := measured(ctx, probes, m.burst)
			if err != nil {
				return r, err
			}
			passes[k] = append(passes[k], one)
		}
	}
	for k, p := range pairs {
		if len(passes[k]) > 0 {
			r.Set(p.ratio, ratioOf(passes[k], p.data))
		}
	}
	return r, nil
}

// A pass has the rounds per second of the two loops of a pair, in turns.
type pass struct{ usual, other []float64 }

// measured runs a pass.
func measured(ctx context.Context, probes [2]*probe, burst time.Duration) (pass, error) {
	for begun := time.Now(); len(probes[1].samples) < ratioSamples && (len(probes[1].samples) == 0 || time.Since(begun) < mostRatioTime*burst); {
		for _, p := range probes {
			if err := ctx.Err(); err != nil {
				return pass{}, err
			}
			p.sample(burst)
		}
	}
	return pass{probes[0].samples, probes[1].samples}, nil
}

// quotients are times of the first loop by those of the second.
func (p pass) quotients() (list []float64) {
	for n := range p.other {
		list = append(list, p.other[n]/p.usual[n])
	}
	return list
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// ratioOf is the ratio that some passes say of data at a place.
func ratioOf(passes []pass, data place) float64 {
	var medians []float64
	var best pass
	for _, p := range passes {
		medians = append(medians, median(p.quotients()))
		best.usual, best.other = append(best.usual, p.usual...), append(best.other, p.other...)
	}
	v, noise := median(medians), ratioNoise
	if data != nearest {
		v, noise = slices.Max(best.other)/slices.Max(best.usual), sharedNoise
	}
	if math.Abs(v-1) < noise {
		return 1
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64) // more digits would be noise
	return v
}
