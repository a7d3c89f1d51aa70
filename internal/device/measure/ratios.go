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
// A ratio of the machine (machine.Ratios) is one of times of two loops on the same small data, in
// loops/ratios.c. They are run in turns, so that a neighbour on the machine, or a change of the clock, hits both, and
// the median of the quotients counts: a burst that was interrupted is at the end of the order. All pairs are gone through
// some times, and the median of these medians counts, since a machine may be busy for longer than a pair takes. What
// differs from 1 by less than two runs of one loop do is 1, or rules would follow noise.

//go:embed loops/ratios.c
var ratioLoops string

// A pair is two loops of loops/ratios.c.
type pair struct {
	ratio        string // its name in the text of machines
	usual, other string // functions: the time of the first is divided by that of the second
}

// pairs are measured in this order.
var pairs = []pair{
	{"folded-loads", "folded_loads", "held_loads"},
	{"masked-stores", "masked_stores", "single_stores"},
	{"gathers", "gathers", "inserts"},
	{"byte-casts", "byte_casts", "word_casts"},
}

const (
	ratioPasses   = 3
	ratioSamples  = 9                      // quotients of a pass
	ratioBytes    = 1 << 15                // that loops read, and as many that they write
	ratioNoise    = 0.04                   // by which quotients of the same loop may differ from 1
	mostRatioTime = 200 * time.Millisecond // of one pass of a pair; what there is by then counts
)

// waysBuffer has what the loops of pairs read, and what they write.
type waysBuffer struct{ from, to uintptr }

// ways loads the loops of pairs.
func (m *Meter) ways(ctx context.Context) (*host.Library, waysBuffer, error) {
	text := fmt.Sprintf("#define REGISTERS %d\n%s", m.machine.VectorRegisters, ratioLoops)
	library, err := m.load(ctx, text)
	if err != nil {
		return nil, waysBuffer{}, fmt.Errorf("measuring ways to compute: %w", err)
	}
	buffer, err := tensor.New(tensor.Uint8, 2*ratioBytes+alignment)
	if err != nil {
		return nil, waysBuffer{}, err
	}
	m.buffers = append(m.buffers, buffer)
	from := (uintptr(buffer.Pointer()) + alignment - 1) / alignment * alignment
	return library, waysBuffer{from, from + ratioBytes}, nil
}

// ratios measures all pairs; told is called before each.
func (m *Meter) ratios(ctx context.Context, told func()) (r machine.Ratios, err error) {
	library, buffer, err := m.ways(ctx)
	if err != nil {
		return r, err
	}
	medians := make([][]float64, len(pairs))
	for range ratioPasses {
		for k, p := range pairs {
			told()
			var probes [2]*probe
			for w, name := range []string{p.usual, p.other} {
				f, err := library.Function(name)
				if err != nil {
					return r, err
				}
				probes[w] = &probe{threads: 1, amount: 1}
				probes[w].on(f, m.pool, buffer.from, buffer.to, ratioBytes)
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
			r.Set(p.ratio, ratioOf(medians[k]))
		}
	}
	return r, nil
}

// quotients are times of the first of two probes by those of the second.
func quotients(ctx context.Context, probes [2]*probe, burst time.Duration) (list []float64, err error) {
	for begun := time.Now(); len(list) < ratioSamples && (len(list) == 0 || time.Since(begun) < mostRatioTime); {
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

// ratioOf is the ratio that the medians of some passes say.
func ratioOf(medians []float64) float64 {
	v := median(medians)
	if math.Abs(v-1) < ratioNoise {
		return 1
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64) // more digits would be noise
	return v
}
