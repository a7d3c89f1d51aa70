package mdh

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How subscripts under conditions are proved
//
// An element of an input is read where the scalar function uses it. What an index function gives at other
// points does not matter: with if i > 0 then x[2] else x[1], the second index function may be (i) -> (i - 1). So
// what is not proved of all points waits until the scalar function is written out. If every use of the
// access stands under conditions from which it follows, it is settled; otherwise it is refused, or a condition
// of the call, as if there were no conditions.

// An obligation is that a subscript of an input is not negative, or below a declared extent.
type obligation struct {
	buffer    *buffer
	access    int // of the buffer
	dim       int
	least     affine.Expr // must not be negative
	otherwise func() bool // reports, or makes a condition
}

// settle proves the obligations by the conditions of the scalar function.
func (c *instance) settle() {
	reads, good := c.reads(), true
	for _, o := range c.waiting {
		if !c.isProved(o, reads) {
			good = o.otherwise() && good
		}
	}
	if !good {
		stop(nil)
	}
}

// isProved reports whether something reads the element, and only where that is in bounds.
func (c *instance) isProved(o *obligation, reads []read) bool {
	used := false
	for _, r := range reads {
		if !slices.Contains(o.buffer.tensors, r.access.Tensor) {
			continue
		}
		if at, ok := ein.AffineOf(r.access.Subscripts[o.dim]); !ok || !at.Equal(c.inLoops(o.buffer.accesses[o.access][o.dim])) {
			continue
		}
		used = true
		if slices.ContainsFunc(r.where, func(facts []affine.Expr) bool {
			return !c.facts.ProvesWhere(c.inLoops(o.least), append(c.insideBlocks(), facts...), c.box())
		}) {
			return false
		}
	}
	return used
}

// A read is an access with what the conditions around it say.
type read struct {
	access *ein.Access
	where  ein.Alternatives
}

// reads lists the accesses of the results.
func (c *instance) reads() (list []read) {
	for _, r := range c.outcome {
		list = append(list, readsOf(r.values)...)
	}
	return list
}

// readsOf lists the accesses of expressions.
func readsOf(values []ein.Expr) (list []read) {
	locals := map[*ein.Local]ein.Expr{}
	var visit func(e ein.Expr, where ein.Alternatives)
	visit = func(e ein.Expr, where ein.Alternatives) {
		switch e := e.(type) {
		case *ein.Access:
			if len(e.Subscripts) > 0 {
				list = append(list, read{e, where})
			}
		case *ein.Let:
			locals[e.Var] = e.Value
		case *ein.Select:
			visit(e.Cond, where)
			visit(e.Then, where.And(ein.Says(e.Cond, true, ein.AffineOf, locals)))
			visit(e.Else, where.And(ein.Says(e.Cond, false, ein.AffineOf, locals)))
			return
		}
		for _, child := range ein.Children(e) {
			visit(child, where)
		}
	}
	for _, v := range values {
		visit(v, ein.Alternatives{nil})
	}
	return list
}

// protected returns a && b or a || b whose second operand is evaluated only where the first does not
// decide, where that keeps what it reads in bounds; nil elsewhere.
func protected(op ein.BinaryOp, a, b ein.Expr) ein.Expr {
	isAccess := func(e ein.Expr) bool { _, ok := e.(*ein.Access); return ok }
	if op != ein.And && op != ein.Or || !ein.Contains(b, isAccess) || !ein.Says(a, op == ein.And, ein.AffineOf, nil).Known() {
		return nil
	}
	s := &ein.Select{Pos: b.Span(), Cond: a, Then: b, Else: ein.IntConst(tensor.Bool, 0)}
	if op == ein.Or {
		s.Then, s.Else = ein.IntConst(tensor.Bool, 1), b
	}
	return s
}
