package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
)

// How scans along rows whose operator has no vectors are computed
//
// Vectors across the rows gather a lane of each row and scatter its results, which takes about so
// many cycles a point as it has lines to load, and twice those to store. One row after the other waits for
// the operator. Products of 2 x 2 matrices of doubles (301 rows of 1003) take 1.15 ms by vectors
// and 0.71 row by row, of quaternions 1.05 and 1.23, of complex numbers 0.76 and 2.40, the best of
// paths through two states 1.01 and 1.74, affine maps in doubles 0.56 and 0.69.

// waitsLess reports whether a scan is faster row by row than by vectors along an index: all that it reads
// and writes is gathered and scattered along it, which takes longer than to wait for the operator.
func (mk *maker) waitsLess(c *ein.Comprehension, index *ein.Index) bool {
	wait := 0.0
	for _, i := range c.Indices {
		if i.Combine.Kind == ein.Scan {
			wait = mk.addLatency() * chain(i.Combine.Op, mk.m.Value(machine.Choice))
		}
	}
	if wait == 0 || index.Combine.Kind != ein.Concat {
		return false
	}
	cost := 0.0
	for _, a := range c.Accesses() {
		if !mk.isGathered(c, a, index) {
			return false
		}
		cost += mk.m.Value(machine.LaneIn) / mk.units()
	}
	for _, w := range c.Writes {
		if mk.along(c, w.Tensor, w.Subscripts, index) != far {
			return false
		}
		cost += 1.1 * mk.m.Value(machine.LaneOut) / mk.units()
	}
	return wait < cost
}

// chain is the length of the longest path from what an operator has on the left to its results, in additions, of which a
// minimum or a choice takes the time of so many.
func chain(op *ein.Operator, choice float64) float64 {
	longest := 0.0
	for _, e := range op.Body {
		longest = max(longest, latency(e, op, choice))
	}
	return longest
}

// latency is how long an expression waits for the left side of an operator; -1 where it does not.
func latency(e ein.Expr, op *ein.Operator, choice float64) float64 {
	if ref, ok := e.(*ein.LocalRef); ok && slices.Contains(op.Left, ref.Local) {
		return 0
	}
	if let, ok := e.(*ein.Let); ok { // taken for a path through both
		value, body := latency(let.Value, op, choice), latency(let.Body, op, choice)
		if value < 0 {
			return body
		}
		return value + max(0, body)
	}
	longest, own := -1.0, 1.0
	for _, child := range ein.Children(e) {
		longest = max(longest, latency(child, op, choice))
	}
	if longest < 0 {
		return -1
	}
	switch e := e.(type) {
	case *ein.Binary:
		if e.Op == ein.Min || e.Op == ein.Max {
			own = choice
		}
	case *ein.Select:
		own = choice
	case *ein.Call:
		own = 2 * choice
	}
	return longest + own
}
