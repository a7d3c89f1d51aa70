package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How rows of tables are placed
//
// A subscript may read another tensor, an index array, as in T[I[b, l], d]. How far the block of T reaches along such a dimension is not known,
// so that a place has all of it: a small table, whole. With "gathered" the block has an element for each point of the indices that
// the subscript has, here for the b and l of the block: that to which the index array leads there (Vasilache et al., section 5.5). The items
// test the subscripts of the block first, each of them once, and copy the rows then, so that all loads are on their way together; what is inside
// of the place knows where its element lies without the index array, and tests nothing. What the points have in common is not seen: two that
// lead to one row have two copies of it, which is why nothing may write to it, nor to the index array.

// A Gathering is a dimension of a tensor whose subscript reads an index array.
type Gathering struct {
	Statement int
	Access    *ein.Access
	Dim       int
	Indices   []*ein.Index // of the subscript
}

// Subscript is what reads the index array.
func (g *Gathering) Subscript() ein.Expr { return g.Access.Subscripts[g.Dim] }

// Through lists the index arrays.
func (g *Gathering) Through() (list []*ein.Tensor) {
	ein.Walk(g.Subscript(), func(e ein.Expr) bool {
		if a, ok := e.(*ein.Access); ok && !slices.Contains(list, a.Tensor) {
			list = append(list, a.Tensor)
		}
		return true
	})
	return list
}

// Gatherings returns the dimensions along which a tensor is read through index arrays, by one statement and in one way; where that is not so it
// says why.
func Gatherings(f *ein.Func, t *ein.Tensor, statements []int) (list []*Gathering, why string) {
	var uses []*Gathering
	for _, s := range statements {
		for _, a := range f.Body[s].Accesses() {
			if a.Tensor == t {
				uses = append(uses, &Gathering{Statement: s, Access: a})
			}
		}
	}
	for d := range t.Dims {
		if !slices.ContainsFunc(uses, func(u *Gathering) bool { return u.isIndirect(d) }) {
			continue
		}
		g := &Gathering{Statement: uses[0].Statement, Access: uses[0].Access, Dim: d}
		for _, u := range uses {
			if u.Statement != g.Statement || !u.isIndirect(d) || !ein.SameExpr(u.Access.Subscripts[d], g.Subscript()) {
				return nil, "its reads have several subscripts, not all of them by the same index array"
			}
			if !isEverywhere(f.Body[u.Statement], u.Access) {
				return nil, "it is read under a condition"
			}
		}
		if ein.Contains(g.Subscript(), func(e ein.Expr) bool { _, named := e.(*ein.LocalRef); return named }) {
			return nil, "its subscript is computed for something else, too"
		}
		if slices.ContainsFunc(g.Through(), func(o *ein.Tensor) bool { return o == t || !OnlyRead(f, o, statements) }) {
			return nil, "what its subscript reads is written here"
		}
		for _, i := range f.Body[g.Statement].Indices {
			if ein.DependsOn(g.Subscript(), i) {
				g.Indices = append(g.Indices, i)
			}
		}
		list = append(list, g)
	}
	if len(list) == 0 {
		return nil, "no subscript of it reads an index array"
	}
	return list, ""
}

// isIndirect reports whether a subscript of the access reads an index array.
func (g *Gathering) isIndirect(d int) bool {
	return ein.Contains(g.Access.Subscripts[d], func(e ein.Expr) bool { _, reads := e.(*ein.Access); return reads })
}

// isEverywhere reports whether an access is evaluated at all points of its statement.
func isEverywhere(c *ein.Comprehension, a *ein.Access) bool {
	found := false
	for _, v := range c.Values {
		ein.Walk(v, func(e ein.Expr) bool {
			switch e := e.(type) {
			case *ein.Access:
				found = found || e == a
			case *ein.Select:
				found = found || ein.Contains(e.Cond, func(e ein.Expr) bool { return e == ein.Expr(a) })
				return false
			case *ein.Binary:
				return e.Op != ein.And && e.Op != ein.Or
			}
			return true
		})
	}
	return found
}

// gatheredAsked checks a place of rows that are read through index arrays.
func (c *checker) gatheredAsked(n *Place, t *ein.Tensor, st state) {
	if !n.Gathered {
		return
	}
	if n.Region != Local {
		c.misfit(n, "rows of a table are gathered in local memory, by all items of a group; leave out 'gathered', or place %s in local", n.Tensor)
		return
	}
	_, why := Gatherings(c.f, t, st.active)
	if slices.Contains(st.placed, n.Tensor) || placesTensor(n.Child, n.Tensor) {
		why = "it is placed further out, or further in, as well"
	}
	if why != "" {
		c.misfit(n, "the block of %s is not gathered: %s", n.Tensor, why).advise("leave out 'gathered': along a dimension whose subscript is not known the block has all of %s", n.Tensor)
		return
	}
	if HasFragments(n) {
		c.misfit(n, "%s is read by a matrix unit, which reads whole blocks, and gathered blocks have what there is: leave out 'gathered'", n.Tensor)
	}
}

// gatheredBytes is 0, or unknownBytes where the blocks of the indices have no known size.
func (c *checker) gatheredBytes(t *ein.Tensor, st state) int64 {
	list, _ := Gatherings(c.f, t, st.active)
	for _, g := range list {
		for _, i := range g.Indices {
			if _, size := c.blocks(st)(g.Statement, i); KnownSize(size) == unknownBytes {
				return unknownBytes
			}
		}
	}
	return 0
}

// placesTensor reports whether a tensor is placed in a subtree.
func placesTensor(n Node, tensor string) bool {
	p, ok := n.(*Place)
	return ok && p.Tensor == tensor || slices.ContainsFunc(Children(n), func(child Node) bool { return placesTensor(child, tensor) })
}
