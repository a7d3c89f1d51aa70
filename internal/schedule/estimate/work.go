package estimate

import (
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// work is what a subtree takes of a core, in cycles. Bodies is their time; the
// fields after it are the bounds among which it is the largest, and the rest is
// added.
type work struct {
	bodies                                float64
	arithmetic, load, store, front, chain float64
	control, accumulators, packing, fork  float64
	spills                                float64 // of accumulators out of registers, besides the loads and stores
	operations                            float64 // vector or scalar instructions of arithmetic
	loads                                 float64
}

func (w *work) fields() [12]*float64 {
	return [12]*float64{&w.bodies, &w.arithmetic, &w.load, &w.store, &w.front, &w.chain, &w.control, &w.accumulators, &w.packing, &w.fork, &w.spills, &w.operations}
}

func (w *work) add(o *work, times float64) {
	from := o.fields()
	for i, f := range w.fields() {
		*f += times * *from[i]
	}
	w.loads += times * o.loads
}

// divide scales everything: threads share it.
func (w *work) divide(share float64) {
	for _, f := range w.fields() {
		*f *= share
	}
	w.loads *= share
}

// cycles is the time on one core.
func (w *work) cycles() float64 {
	return w.bodies + w.spills + w.control + w.accumulators + w.packing + w.fork
}

// bounds lists what the cycles are made of: the bounds of the bodies, and the rest.
func (w *work) bounds() []struct {
	name   string
	cycles float64
} {
	return []struct {
		name   string
		cycles float64
	}{
		{"arithmetic", w.arithmetic}, {"loads", w.load}, {"stores", w.store}, {"decoding", w.front}, {"waiting for sums", w.chain}, {"spilled accumulators", w.spills},
		{"loops", w.control}, {"accumulators", w.accumulators}, {"packing", w.packing}, {"threads", w.fork},
	}
}

// perLoop is what a loop costs beside its iterations, in cycles: instructions before and behind it.
const perLoop = 3.0

// loop adds the control of a loop.
func (w *work) loop(m *schedule.Member, trips float64, p *machine.Processor) {
	if m.Unroll || trips <= 1 {
		return
	}
	w.control += p.Value(machine.Iteration)*trips + perLoop
	if trips > p.Value(machine.Foreseen) { // its end is not
		w.control += p.Value(machine.Mispredict)
	}
}
