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
// A ratio of the machine (machine.Ratios) is one of times of two loops on the same data, in
// loops/ratios.c: on small data, but for what is asked for ahead, which depends on where that is. They are run in turns, so that a neighbour on the machine, or a change of the clock, hits both, and
// the median of the quotients counts: a burst that was interrupted is at the end of the order. All pairs are gone through
// some times, and the median of these medians counts, since a machine may be busy for longer than a pair takes. What
// differs from 1 by less than two runs of one loop may is 1, or rules would follow noise.

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
	memoryNoise   = 0.1     // the same where main memory is gone through, which neighbours share
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
	medians := make([][]float64, len(pairs))
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
			list, err := quotients(ctx, probes, m.burst)
			if err != nil {
				return r, err
			}
			medians[k] = append(medians[k], median(list))
		}
	}
	for k, p := range pairs {
		if len(medians[k]) > 0 {
			r.Set(p.ratio, ratioOf(medians[k], p.data))
		}
	}
	return r, nil
}

// quotients are times of the first of two probes by those of the second.
func quotients(ctx context.Context, probes [2]*probe, burst time.Duration) (list []float64, err error) {
	for begun := time.Now(); len(list) < ratioSamples && (len(list) == 0 || time.Since(begun) < mostRatioTime*burst); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, p := range probes {
			p.sample(burst)
		}
		usual, other := probes[0].samples, probes[1].samples
		list = append(list, other[len(other)-1]/usual[len(usual)-1]) // of rounds per second
	}
	return list, nil
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// ratioOf is the ratio that the medians of some passes say of data at a place.
func ratioOf(medians []float64, data place) float64 {
	v, noise := median(medians), ratioNoise
	if data == mainMemory {
		noise = memoryNoise
	}
	if math.Abs(v-1) < noise {
		return 1
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64) // more digits would be noise
	return v
}
