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
	for _, list := range mk.accesses {
		for _, other := range list {
			if other.Tensor == a.Tensor && !other.Writes && !slices.Equal(other.Subscripts, a.Subscripts) {
				return 0, false
			}
		}
	}
	n = 1
	for dim, sub := range a.Subscripts {
		index, _, plain := schedule.IndexPlusConstant(c, sub)
		if !plain {
			index = turnedIndex(c, sub)
		}
		extent := a.Tensor.Dims[dim].Extent // phases: 1 - a + 2·u
		if index != nil {
			extent = index.Extent
		}
		number, known := extent.IsConst()
		if index == nil && !(inPhases(c, sub) && mk.hasShortRows(c, a)) || !schedule.InBounds(c, a, dim) || !known {
			return 0, false
		}
		n = schedule.Times(n, max(1, number))
	}
	return n, n < 1<<40
}

// hasShortRows reports whether no index of the results fills a vector along which an operand beside
// an access has neighbours. Only then are filters of transposed convolutions copied: 4 x 4 with
// steps of 2 and 512 channels at 8 x 8 take 0.3 of the time, and 128 channels at 32 x 32 would take 1.1.
func (mk *maker) hasShortRows(c *ein.Comprehension, a *ein.Access) bool {
	return !slices.ContainsFunc(c.ByKind(ein.Concat), func(i *ein.Index) bool {
		return estimate(i.Extent) >= int64(mk.lanesOf(c)) && !schedule.AnyDependsOn(a.Subscripts, i) && slices.ContainsFunc(c.Accesses(), func(o *ein.Access) bool {
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

// turnedIndex returns the reduced index of a subscript that is a number less that index, or nil:
// gradients read filters backwards. All of it is in a panel.
func turnedIndex(c *ein.Comprehension, sub ein.Expr) *ein.Index {
	e, ok := ein.AffineOf(sub)
	if !ok {
		return nil
	}
	for _, i := range schedule.Reduced(c) {
		if step, rest, linear := e.Linear(i.Name); linear && step == -1 {
			if _, known := rest.IsConst(); known {
				return i
			}
		}
	}
	return nil
}
