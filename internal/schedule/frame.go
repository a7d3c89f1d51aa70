package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
)

// How loops are skewed and shifted
//
// A member enumerates a coordinate of its statement: an index, or an index plus
// multiples of indices (skewing), as in a wavefront. "S0.j+2*i" is the coordinate
// j + 2·i; the index i may be enumerated by a coordinate too, also by one with j
// (unimodular.go). A member of several statements adds a shift to each, so that their
// iterations meet: "S0.y S1.y+2" runs y of S1 together with y + 2 of S0. The
// coordinates of its statements need not have the same range: the member enumerates
// the smallest range that has all of them.
//
// So not every value of a coordinate is a point. The frame of an index is what is
// enumerated; where it may be more than the points, it is guarded: the lowering tightens
// the loops where it can, and tests before the statement runs. Check and the
// dependences see the values of the coordinates, counted from the frame's first.

// A Frame is the range of the coordinate by which an index is enumerated.
type Frame struct {
	Min, Extent affine.Expr // shifts left out: in values of the index plus those of By
	By          []Part      // of the coordinate beside the index, which may be one of them; none where it is the index
	Guarded     bool        // not every value is a point
}

// A Part is a multiple of an index.
type Part struct {
	Index  *ein.Index
	Factor int64
}

// IsBy reports whether the coordinate has a multiple of an index.
func (f Frame) IsBy(i *ein.Index) bool {
	return slices.ContainsFunc(f.By, func(p Part) bool { return p.Index == i })
}

// ByReduced returns an index that is folded or scanned and has a part in the coordinate.
func (f Frame) ByReduced() *ein.Index {
	for _, p := range f.By {
		if p.Index.Combine.Kind != ein.Concat {
			return p.Index
		}
	}
	return nil
}

// Frames are those of the indices of all statements.
type Frames struct{ by map[place]Frame }

// Of returns the frame of an index.
func (f Frames) Of(statement int, i *ein.Index) Frame {
	if frame, ok := f.by[place{statement, i.Name}]; ok {
		return frame
	}
	return Frame{Min: i.Min, Extent: i.Extent}
}

// Guarded reports whether some values of the coordinates of a statement are no points.
func (f Frames) Guarded(statement int, c *ein.Comprehension) bool {
	return slices.ContainsFunc(c.Indices, func(i *ein.Index) bool { return f.Of(statement, i).Guarded })
}

// Involved reports whether the loops over an index enumerate values that are no points,
// or decide which values of another coordinate are.
func (f Frames) Involved(statement int, c *ein.Comprehension, i *ein.Index) bool {
	return f.Of(statement, i).Guarded || slices.ContainsFunc(c.Indices, func(o *ein.Index) bool { return f.Of(statement, o).IsBy(i) })
}

// varies lists the indices of which the values differ along a coordinate.
func (f Frames) varies(statement int, c *ein.Comprehension, along *ein.Index) []*ein.Index {
	values, _ := f.Values(statement, c, All)
	return slices.DeleteFunc(slices.Clone(c.Indices), func(i *ein.Index) bool {
		return !slices.ContainsFunc(values[i].Coordinates, func(p Part) bool { return p.Index == along })
	})
}

// FramesOf returns the frames of a tree: the first member over an index decides, or that over its
// blocks where the first one shares only single values with others.
func FramesOf(f *ein.Func, t *Tree) Frames {
	frames, levels := Frames{map[place]Frame{}}, Levels{}
	if len(singlesOf(t)) > 0 {
		f, levels = WithSingles(f, t), LevelsOf(t)
	}
	eachMember(t.Root, func(m *Member) { frames.member(f, m, levels) })
	return frames
}

// member computes the frames of the loops of a member that are the first over their
// indices. Ranges that differ by what is not known, or are empty, are left as they are:
// Check refuses to fuse them.
func (f Frames) member(fn *ein.Func, m *Member, v Levels) {
	var own []Frame
	var loops []Loop
	equal := true
	for _, l := range m.Loops {
		frame, ok := natural(fn, l)
		if !ok {
			return
		}
		if inside, ok := v.inBlock(l); ok {
			f.by[place{l.Statement, l.Index}] = inside
			continue
		}
		own, loops = append(own, frame), append(loops, l)
		equal = equal && frame.Extent.Equal(own[0].Extent) && frame.Min.AddConst(l.Shift).Equal(own[0].Min.AddConst(loops[0].Shift))
	}
	if len(loops) == 1 && len(m.Loops) > 1 && v.coarsest(loops[0]) != m {
		return // beside coordinates that count in its blocks; the loop over these, further in, decides
	}
	if slices.ContainsFunc(loops, f.has) {
		f.beside(fn, m, loops)
		return
	}
	low, high, known := hull(fn, loops, own)
	for k, l := range loops {
		if !equal && known {
			min, extent := low.AddConst(-l.Shift), high.Sub(low)
			own[k].Guarded = own[k].Guarded || !own[k].Min.Equal(min) || !own[k].Extent.Equal(extent)
			own[k].Min, own[k].Extent = min, extent
		}
		f.by[place{l.Statement, l.Index}] = own[k]
	}
}

// has reports whether a member further out has decided the frame of a loop.
func (f Frames) has(l Loop) bool {
	_, ok := f.by[place{l.Statement, l.Index}]
	return ok
}

// natural is the frame of a loop on its own.
func natural(fn *ein.Func, l Loop) (Frame, bool) {
	i := indexNamed(fn, l.Statement, l.Index)
	if i == nil && IsSingle(l.Index) {
		i = SingleIndex(l.Index)
	}
	if i == nil {
		return Frame{}, false
	}
	frame := Frame{Min: i.Min, Extent: i.Extent}
	sum := []Part{{i, 1}}
	for _, t := range l.By {
		by := indexNamed(fn, l.Statement, t.Index)
		if by == nil {
			return Frame{}, false
		}
		frame.By, frame.Guarded = append(frame.By, Part{by, t.Factor}), true
		if by == i {
			sum[0].Factor += t.Factor
		} else {
			sum = append(sum, Part{by, t.Factor})
		}
	}
	if !frame.Guarded {
		return frame, true
	}
	frame.Min, frame.Extent = affine.Expr{}, affine.Const(1)
	for _, p := range sum {
		least := p.Index.Min
		if p.Factor < 0 {
			least = p.Index.Min.Add(p.Index.Extent).AddConst(-1)
		}
		frame.Min = frame.Min.Add(least.Scale(p.Factor))
		frame.Extent = frame.Extent.Add(p.Index.Extent.AddConst(-1).Scale(abs(p.Factor)))
	}
	if slices.ContainsFunc(sum, func(p Part) bool { return isEmpty(p.Index.Extent) }) {
		frame.Extent = affine.Const(0)
	}
	return frame, true
}

// hull is the range [low, high) of the shifted coordinates of the loops of a member; known says
// which of their ends are the outermost, for all sizes.
func hull(fn *ein.Func, loops []Loop, frames []Frame) (low, high affine.Expr, known bool) {
	var facts *affine.Facts
	least := func(x, y affine.Expr) (affine.Expr, bool) {
		if d, ok := x.Sub(y).IsConst(); ok {
			if d > 0 {
				x = y
			}
			return x, true
		}
		if facts == nil {
			facts = FactsOf(fn)
		}
		if facts.Proves(y.Sub(x)) {
			return x, true
		}
		return y, facts.Proves(x.Sub(y))
	}
	for k, l := range loops {
		first := frames[k].Min.AddConst(l.Shift)
		end := first.Add(frames[k].Extent)
		if isEmpty(frames[k].Extent) {
			return low, high, false
		}
		if k == 0 {
			low, high = first, end
			continue
		}
		below, ok := least(low, first)
		above, ok2 := least(high.Scale(-1), end.Scale(-1))
		if !ok || !ok2 {
			return low, high, false
		}
		low, high = below, above.Scale(-1)
	}
	return low, high, true
}

// HaveUnion reports whether it is known in which range the coordinates of two loops are.
func HaveUnion(fn *ein.Func, a, b Loop) bool {
	x, ok := natural(fn, a)
	y, ok2 := natural(fn, b)
	if !ok || !ok2 {
		return false
	}
	_, _, known := hull(fn, []Loop{a, b}, []Frame{x, y})
	return known
}

func isEmpty(extent affine.Expr) bool {
	n, known := extent.IsConst()
	return known && n < 1
}

// MayBeNone reports whether the range of an index is empty, or may be.
func MayBeNone(i *ein.Index) bool {
	_, known := i.Extent.IsConst()
	return i.MayBeEmpty && !known || isEmpty(i.Extent)
}

func indexNamed(f *ein.Func, statement int, name string) *ein.Index {
	if statement < 0 || statement >= len(f.Body) {
		return nil
	}
	for _, i := range f.Body[statement].Indices {
		if i.Name == name {
			return i
		}
	}
	return nil
}
