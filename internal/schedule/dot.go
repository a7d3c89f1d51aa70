package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How sums of products of narrow numbers are scheduled
//
// "group 4" at the loop over a reduced index makes one operation of 4 of its points: the
// dot product of groups of narrow integers, which processors have as instructions. One
// operand runs along the vector of the results; it is placed, so that the copy puts the
// members of a group side by side. The other one has a group for all lanes.
//
// Processors multiply bytes of which one has a sign, and two that both have one, or none,
// take a second multiplication. With "group 4 flip" the operand that all lanes share has
// its sign bits flipped, which makes the other kind of it and adds ±128: what that adds to
// a result does not depend on the row, and is taken away from all rows of a tile.

// DotOperands returns the operands of a statement whose points are computed by groups
// along one index and by vectors along another: the one along the vector, and the one
// that is the same for all lanes. Why says what is in the way.
func DotOperands(c *ein.Comprehension, group, vector *ein.Index, size int) (along, shared *ein.Access, why string) {
	x, y, n := ein.MatrixOf(c)
	switch {
	case n == 0:
		return nil, nil, "its value is no product of two numbers that is summed in 32 bits: of narrow integers converted to int32, of bfloat16, or of float32"
	case n != size:
		return nil, nil, "groups fill 32 bits: 4 elements of 8 bits, 2 of 16, or one of float32"
	case vector == nil || vector.Combine.Kind != ein.Concat:
		return nil, nil, "the results are no vector"
	}
	along, shared = x, y
	if !ein.AnyDependsOn(x.Subscripts, vector) {
		along, shared = y, x
	}
	switch {
	case !ein.AnyDependsOn(along.Subscripts, vector) || ein.AnyDependsOn(shared.Subscripts, vector) || along.Tensor == shared.Tensor && size > 1:
		return nil, nil, "exactly one operand must run along the vector"
	case !ein.AnyDependsOn(along.Subscripts, group) || !ein.AnyDependsOn(shared.Subscripts, group):
		return nil, nil, "both operands must run along the group"
	}
	if size == 1 {
		return along, shared, notLinear(c, along, shared)
	}
	if dimensionsOf(along, vector) != 1 || dimensionsOf(along, group) != 1 {
		return nil, nil, "the operand along the vector has the vector, or the group, in several subscripts"
	}
	for d, sub := range along.Subscripts {
		_, _, plain := IndexPlusConstant(c, sub)
		if _, _, window := Window(c, sub); !plain && (!window || ein.DependsOn(sub, group) || !ein.InBounds(c, along, d)) {
			return nil, nil, "the operand along the vector has a subscript that is neither an index nor a window, or has windows along the group"
		}
	}
	for _, sub := range shared.Subscripts {
		if a, ok := ein.AffineOf(sub); !ok {
			return nil, nil, "an operand has a subscript that is not affine"
		} else if _, _, linear := a.Linear(group.Name); !linear {
			return nil, nil, "an operand has a subscript that is not affine"
		}
	}
	return along, shared, ""
}

// notLinear says that a subscript has no distance between neighbours, or nothing.
func notLinear(c *ein.Comprehension, operands ...*ein.Access) string {
	for _, o := range operands {
		for _, sub := range o.Subscripts {
			a, ok := ein.AffineOf(sub)
			for _, i := range c.Indices {
				if ok {
					_, _, ok = a.Linear(i.Name)
				}
			}
			if !ok {
				return "an operand has a subscript that is not affine"
			}
		}
	}
	return ""
}

// dimensionsOf counts the subscripts that use an index.
func dimensionsOf(a *ein.Access, i *ein.Index) (n int) {
	for _, sub := range a.Subscripts {
		if ein.DependsOn(sub, i) {
			n++
		}
	}
	return n
}

// FlippedBelow reports whether groups along an index of a statement in a subtree are flipped.
func FlippedBelow(statement int, index string, n Node) bool {
	return markBelow(statement, index, n, func(m *Member) int {
		if m.Flip {
			return m.Group
		}
		return 0
	}) > 0
}

// GroupBelow returns the size of the groups along an index of a statement in a subtree, or
// 0.
func GroupBelow(statement int, index string, n Node) int {
	return markBelow(statement, index, n, func(m *Member) int { return m.Group })
}

// group checks a loop over groups.
func (c *checker) group(b *Band, m *Member, l Loop, index *ein.Index, st *state) {
	switch {
	case m.Tile != 1 || m.Vector > 0 || m.concurrent() != "" || m.Reverse || m.Coincident || len(m.Loops) > 1:
		c.misfit(on(b, m, "group"), "a loop over groups is over one reduced index, and has no tile, lanes, threads or direction")
	case index.Combine.Kind != ein.Reduce:
		c.misfit(on(b, m, "group"), "groups are summed, and %s is not reduced", c.words.Index(l.Statement, l.Index))
	case st.groups[l.Statement] != nil:
		c.misfit(on(b, m, "group"), "%s has two loops over groups", c.words.Statement(l.Statement))
	case c.frames.Guarded(l.Statement, c.f.Body[l.Statement]):
		c.misfit(on(b, m, "group"), "loops of %s are skewed, or fused with other ranges: it has no groups", c.words.Statement(l.Statement))
	}
	st.groups[l.Statement] = &grouped{index, m.Group, m.Flip, m.Matrix, b}
}

// grouped is a loop over groups.
type grouped struct {
	index  *ein.Index
	size   int
	flip   bool
	matrix bool
	band   *Band
}

const bytesInWord = 4

// groupLeaf checks a statement that is computed by groups.
func (c *checker) groupLeaf(s int, st state) {
	g := st.groups[s]
	if g == nil {
		return
	}
	if g.matrix && c.grids {
		c.fragmentLeaf(s, g, st)
		return
	}
	along, shared, why := DotOperands(c.f.Body[s], g.index, st.vectors[s], g.size)
	if why == "" && g.flip && along.Tensor.Type != shared.Tensor.Type {
		why = "flipped, which is for two operands of the same type"
	}
	if why == "" && g.flip && g.size != bytesInWord {
		why = "flipped, which is for bytes"
	}
	if why == "" && g.matrix {
		why = c.matrixNest(s, along.Tensor.Type, st)
	} else if why == "" && along.Tensor.Type.IsFloat() {
		why = "those of floats are for the matrix unit"
	}
	if why != "" {
		c.misfit(g.band, "%s cannot be computed by groups of %d: %s", c.words.Statement(s), g.size, why)
		return
	}
	if g.size == 1 {
		return
	}
	places := 0
	for _, name := range append(slices.Clone(st.placed), st.packed...) {
		if name == along.Tensor.Name {
			places++
		}
	}
	if places != 1 || !OnlyRead(c.f, along.Tensor, st.active) || slices.Contains(st.arranged, along.Tensor.Name) {
		c.misfit(g.band, "%s is read by groups of %d: it must be only read there, and placed once, without a layout", along.Tensor.Name, g.size)
	}
}

// HasWindows reports whether an access has a subscript with both an index of the results and a reduced one.
func HasWindows(c *ein.Comprehension, a *ein.Access) bool {
	uses := func(sub ein.Expr, kind []*ein.Index) bool {
		return slices.ContainsFunc(kind, func(i *ein.Index) bool { return ein.DependsOn(sub, i) })
	}
	return slices.ContainsFunc(a.Subscripts, func(sub ein.Expr) bool { return uses(sub, c.ByKind(ein.Concat)) && uses(sub, ein.Reduced(c)) })
}
