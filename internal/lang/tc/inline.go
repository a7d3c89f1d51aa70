package tc

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// result binds output number n of the callee's copy to its target.
func (in *inlining) result(out *ein.Tensor, n int) {
	s := in.statement
	target := s.targets[n]
	pos := s.syntax.Targets[n].Pos
	switch {
	case target.Type != out.Type:
		s.errorf(source.CodeCallResults, pos, "%s is %s and the result %s of %s is %s", target.Name, target.Type, out.Name, s.callee.Name, out.Type).
			WithNote(target.Pos, "%s is declared here", target.Name).
			WithHelp("assign the result to a temporary, and convert that in a statement of its own")
		return
	case target.rank >= 0 && target.rank != len(in.over)+len(out.Dims):
		s.errorf(source.CodeCallResults, pos, "%s has %s and the result %s of %s has %d", oneLine(pos.Text()), count(target.rank-len(in.over), "dimension"), out.Name, s.callee.Name, len(out.Dims)).
			WithNote(target.Pos, "%s is declared here", target.Name)
		return
	case out.Role == ein.Output && target.first != nil && target.first != s:
		s.errorf(source.CodeCallResults, pos, "%s has a value already, and a call makes new tensors", target.Name).
			WithNote(target.first.syntax.Pos, "%s is written here", target.Name).
			WithHelp("give the result another name")
		return
	}
	bound := &boundTensor{tensor: target.Tensor, shift: make([]affine.Expr, len(out.Dims)), lead: in.allOver()}
	in.tensors[out.Name] = bound
	dims := append(in.overDims(), out.Dims...)
	if !target.shaped {
		target.Dims, target.shaped, target.rank, target.shapedAt = dims, true, len(dims), pos
		return
	}
	for k, dim := range dims {
		if in.statement.def.aliasSize(target, k, dim) {
			continue
		}
		what := fmt.Sprintf("dimension %d of %s", k, target.Name)
		reason := fmt.Sprintf("%s is written by %s, whose result %s has the extent %s", what, s.callee.Name, out.Name, dim.Extent)
		if in.p.requireEqual(target.Dims[k].Extent, dim.Extent, pos, reason) == affine.Never {
			s.errorf(source.CodeShapesDisagree, pos, "%s is %s, but the result %s of %s has the extent %s", what, target.Dims[k].Extent, out.Name, s.callee.Name, dim.Extent).
				WithNote(target.shapedAt, "%s gets its shape here", target.Name)
		}
		if own := k - len(in.over); own >= 0 {
			bound.shift[own] = target.Dims[k].Min.Sub(dim.Min)
		} else if reason := fmt.Sprintf("%s begins at %s", what, target.Dims[k].Min); in.p.requireEqual(target.Dims[k].Min, dim.Min, pos, reason) == affine.Never {
			s.errorf(source.CodeShapesDisagree, pos, "%s, but %s runs over %s", reason, in.over[k].name, rangeOf(dim)).
				WithNote(target.shapedAt, "%s gets its shape here", target.Name)
		}
	}
}

// conditions requires what the callee requires.
func (in *inlining) conditions(copied *ein.Func) {
	s := in.statement
	for _, r := range copied.Requires {
		reason := r.Reason + fmt.Sprintf(" (in %s, called at %s)", s.callee.Name, s.apply.Pos)
		if in.p.require(r.Expr, r.Pos, reason) == affine.Never && !s.failed {
			s.errorf(source.CodeCallShapes, s.apply.Pos, "the arguments do not satisfy what %s needs: %s", s.callee.Name, r.Reason).
				WithNote(r.Pos, "%s is needed here, in the sizes of this call", affine.Inequality(r.Expr))
		}
	}
}

// temporaries gives every temporary of the callee a new name.
func (in *inlining) temporaries(copied *ein.Func) {
	for _, t := range copied.ByRole(ein.Temp) {
		temp := in.newTemporary(t)
		temp.Dims = append(in.overDims(), temp.Dims...)
		in.tensors[t.Name] = &boundTensor{tensor: temp, lead: in.allOver()}
	}
}

// newTemporary declares a copy of t as a temporary of the caller.
func (in *inlining) newTemporary(t *ein.Tensor) *ein.Tensor {
	d := in.statement.def
	temp := *t
	temp.Name, temp.Role = d.freshName(in.prefix+"_"+t.Name), ein.Temp
	d.addTemporary(&symbol{Tensor: &temp, shaped: true, used: true, written: true})
	return &temp
}

// body redirects the comprehensions of the copy to the tensors of the caller.
func (in *inlining) body(copied *ein.Func) []*ein.Comprehension {
	for _, c := range copied.Body {
		for _, i := range c.Indices {
			for in.statement.def.sizes[i.Name] != nil {
				i.Name += "_"
			}
		}
		over := in.addOver(c)
		for n, v := range c.Values {
			c.Values[n] = in.redirect(v, over)
		}
		for _, w := range c.Writes {
			bound := in.tensors[w.Tensor.Name]
			w.Tensor = bound.tensor
			w.Subscripts = bound.subscripts(w.Subscripts, over, w.Pos)
		}
	}
	return copied.Body
}

func (in *inlining) redirect(e ein.Expr, over []*ein.Index) ein.Expr {
	return ein.Map(e, func(e ein.Expr) ein.Expr {
		a, ok := e.(*ein.Access)
		if !ok {
			return e
		}
		bound := in.tensors[a.Tensor.Name]
		a.Tensor = bound.tensor
		a.Subscripts = bound.subscripts(a.Subscripts, over, a.Pos)
		return a
	})
}

func (b *boundTensor) shifted(subscripts []ein.Expr, pos source.Span) []ein.Expr {
	moved := append([]ein.Expr(nil), subscripts...)
	for k, shift := range b.shift {
		moved[k] = withSize(ein.Add, moved[k], shift, pos)
	}
	return moved
}

// addTemporary declares a temporary that the user did not name.
func (d *def) addTemporary(t *symbol) {
	d.symbols[t.Name] = t
	d.order = append(d.order, t)
}

// freshName returns the name, numbered when it is taken.
func (d *def) freshName(name string) string {
	fresh := name
	for n := 2; d.symbols[fresh] != nil; n++ {
		fresh = fmt.Sprintf("%s_%d", name, n)
	}
	return fresh
}
