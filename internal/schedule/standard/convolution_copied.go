package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How many elements of an input are copied into a panel, and of which inputs.

// panelElements returns how many elements the panel of an input has; ok is false
// where it cannot be copied.
func (mk *maker) panelElements(c *ein.Comprehension, a *ein.Access) (n int64, ok bool) {
	if !mk.isFinished(a.Tensor) {
		return 0, false
	}
	if otherwise := func(other schedule.Access) bool { return !slices.Equal(other.Subscripts, a.Subscripts) }; mk.readsNow(a.Tensor, otherwise) > 0 {
		return 0, false
	} else if mk.reductionSteps(c) <= briefReduction && mk.reads(a.Tensor, nil, otherwise) > 0 {
		return 0, false // pieces of a depthwise layer: the border takes 1.06 to 1.13 of the time with panels
	}
	n = 1
	for dim, sub := range a.Subscripts {
		number, known := a.Tensor.Dims[dim].Extent.IsConst()
		if reach := reachOf(c, sub); reach > 0 {
			number = min(number, reach)
		} else if !(inPhases(c, sub) && mk.hasShortRows(c, a)) { // 1 - a + 2·u
			return 0, false
		}
		if !known || !ein.InBounds(c, a, dim) {
			return 0, false
		}
		n = schedule.MultiplySizes(n, max(1, number))
	}
	return n, n < 1<<40
}

// hasShortRows reports whether no index of the results fills more than a vector along which an operand beside
// an access has neighbours. Only then are filters of transposed convolutions copied: 4 x 4 with
// steps of 2 and 512 channels at 8 x 8 take 0.3 of the time, 256 at 16 x 16 0.8, and 128 channels at 32 x 32 would take 1.1.
func (mk *maker) hasShortRows(c *ein.Comprehension, a *ein.Access) bool {
	return !slices.ContainsFunc(c.ByKind(ein.Concat), func(i *ein.Index) bool {
		return estimate(i.Extent) > int64(mk.lanesOf(c)) && !ein.AnyDependsOn(a.Subscripts, i) && slices.ContainsFunc(c.Accesses(), func(o *ein.Access) bool {
			return mk.along(c, o.Tensor, o.Subscripts, i) == unit
		})
	})
}

// inPhases reports whether a subscript is a reduced index with a step beside an index of the results
// with fewer values than that: filters of transposed convolutions are read so.
func inPhases(c *ein.Comprehension, sub ein.Expr) bool {
	e, ok := ein.AffineOf(sub)
	if !ok {
		return false
	}
	step, phases := int64(0), int64(0)
	for _, i := range c.Indices {
		n, rest, linear := e.Linear(i.Name)
		extent, known := i.Extent.IsConst()
		switch {
		case !linear || n != 0 && !known:
			return false
		case n == 0:
			continue
		case i.Combine.Kind == ein.Reduce && step == 0:
			step = max(n, -n)
		case i.Combine.Kind == ein.Concat && phases == 0 && (n == 1 || n == -1):
			phases = extent
		default:
			return false
		}
		e = rest
	}
	_, known := e.IsConst()
	return known && phases > 0 && phases <= step
}

// reachOf returns how many elements lie from the first to the last of a subscript that is an index and a
// number, or a number; where the index is reduced, a multiple of it: gradients read filters
// backwards, and those with steps every other row of them (rewrite/residues.go), and all rows from the
// first to the last are in a panel. It is 0 for other subscripts.
func reachOf(c *ein.Comprehension, sub ein.Expr) int64 {
	e, ok := ein.AffineOf(sub)
	if !ok {
		return 0
	}
	reach := int64(1)
	for _, i := range c.Indices {
		step, rest, linear := e.Linear(i.Name)
		n, known := i.Extent.IsConst()
		if !linear || step != 0 && (!known || step != 1 && i.Combine.Kind == ein.Concat) {
			return 0
		}
		if step != 0 {
			reach, e = schedule.MultiplySizes(max(step, -step), max(0, n-1))+1, rest
			break
		}
	}
	if _, known := e.IsConst(); !known {
		return 0
	}
	return reach
}
