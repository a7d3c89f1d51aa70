package schedule

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
)

// How a statement has one iteration of a loop
//
// A member may be shared by a statement that has one iteration of it only: "S1.j S0.1" runs
// j of S1, and S0 in the first iteration. The coordinate 1 is that of an index that no tensor
// is subscripted by and whose only value is 0. So it meets the value 0 of the other
// coordinates, less shifts, as any range does that a loop shares with a longer one (frame.go);
// inside of larger blocks of the others it meets the first value of each block. A statement
// that has several of them calls them 1, 1' and so on

// SingleName names the coordinates of one value of a statement, counted from 0.
func SingleName(k int) string { return "1" + strings.Repeat("'", k) }

// IsSingle reports whether a name is that of a coordinate of one value.
func IsSingle(index string) bool { return strings.HasPrefix(index, SingleName(0)) }

// SingleIndex is the index of a coordinate of one value.
func SingleIndex(name string) *ein.Index { return &ein.Index{Name: name, Extent: affine.Const(1)} }

// WithSingles returns a function with an index for each coordinate of one value that a tree
// speaks of; the function itself where there is none.
func WithSingles(f *ein.Func, t *Tree) *ein.Func {
	g := f
	for _, l := range singlesOf(t) {
		if l.Statement < 0 || l.Statement >= len(f.Body) || indexNamed(g, l.Statement, l.Index) != nil {
			continue
		}
		if g == f {
			g = &ein.Func{}
			*g = *f
			g.Body = slices.Clone(f.Body)
		}
		c := *g.Body[l.Statement]
		c.Indices = append(slices.Clip(c.Indices), SingleIndex(l.Index))
		g.Body[l.Statement] = &c
	}
	return g
}

// singlesOf lists the loops of a tree over coordinates of one value.
func singlesOf(t *Tree) (loops []Loop) {
	eachMember(t.Root, func(m *Member) {
		for _, l := range m.Loops {
			if IsSingle(l.Index) {
				loops = append(loops, l)
			}
		}
	})
	return loops
}

// eachMember visits the members of a subtree.
func eachMember(n Node, visit func(m *Member)) {
	if b, ok := n.(*Band); ok {
		for _, m := range b.Members {
			visit(m)
		}
	}
	for _, child := range Children(n) {
		eachMember(child, visit)
	}
}

// companion is a loop of a member that is over an index of its statement; ok is false where
// all have one value.
func (m *Member) companion() (l Loop, ok bool) {
	k := slices.IndexFunc(m.Loops, func(l Loop) bool { return !IsSingle(l.Index) })
	if k < 0 {
		return l, false
	}
	return m.Loops[k], true
}

// coarsest is the member over an index that has the largest blocks.
func (v Levels) coarsest(l Loop) *Member {
	return slices.MaxFunc(v.members[place{l.Statement, l.Index}], func(m, o *Member) int { return cmp.Compare(m.Tile, o.Tile) })
}

// inBlock is the range of a coordinate of one value that counts within blocks of another one: that
// of such a block; ok is false for any other coordinate.
func (v Levels) inBlock(l Loop) (frame Frame, ok bool) {
	if !IsSingle(l.Index) || len(l.By) > 0 {
		return frame, false
	}
	m := v.coarsest(l)
	other, ok := m.companion()
	if !ok {
		return frame, false
	}
	around := v.Around(m, other)
	if around == nil {
		return frame, false
	}
	return Frame{Extent: affine.Const(around.Tile), Guarded: true}, true
}

// beside decides the frames of coordinates of one value where those of the others of a member are
// decided: they have the same range, if their value is in it.
func (f Frames) beside(fn *ein.Func, m *Member, loops []Loop) {
	other, ok := m.companion()
	if !ok || !f.has(other) {
		return
	}
	of := f.by[place{other.Statement, other.Index}]
	first := of.Min.AddConst(other.Shift)
	for _, l := range loops {
		low, high, known := hull(fn, []Loop{other, l}, []Frame{of, {Extent: affine.Const(1)}})
		if IsSingle(l.Index) && !f.has(l) && known && low.Equal(first) && high.Equal(first.Add(of.Extent)) {
			f.by[place{l.Statement, l.Index}] = Frame{Min: first.AddConst(-l.Shift), Extent: of.Extent, Guarded: true}
		}
	}
}
