package lower

import (
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How blocks are swizzled
//
// All of lowering counts the elements of a block as they follow each other. Where an access is made, its subscript becomes the place of the
// element: of several side by side that of the first one, if they are in one unit wherever they begin, and else those of all.

// swizzleOf is how the elements of a block with rows of some elements are exchanged; nil: they are not.
func swizzleOf(n *schedule.Place, row int64) *loop.Swizzle {
	if n.Swizzle.Units == 0 || row == 0 { // of an empty block nothing is asked
		return nil
	}
	return &loop.Swizzle{Unit: n.Swizzle.Unit, Units: n.Swizzle.Units, Every: n.Swizzle.Rows * row}
}

// swizzled is where the elements of an access of some lanes lie: from one on, or one for each lane.
func (st *storage) swizzled(index loop.Expr, lanes int) loop.Expr {
	if st.swizzle == nil {
		return index
	}
	s := *st.swizzle
	if s.X = index; index.Type().Lanes == 1 && lanes > 1 && (int64(lanes) > s.Unit || !loop.IsMultiple(index, int64(lanes))) {
		s.X = &loop.Ramp{Base: index, Stride: 1, Lanes: lanes}
	}
	return &s
}

// load reads elements that lie side by side.
func (st *storage) load(index loop.Expr, lanes int) *loop.Load {
	return &loop.Load{Buffer: st.buffer, Index: st.swizzled(index, lanes), Lanes: lanes}
}
