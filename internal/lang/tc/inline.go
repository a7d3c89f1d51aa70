package tc

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/callee"
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
	bound := &callee.Actual{Tensor: target.Tensor, Shift: make([]affine.Expr, len(out.Dims)), Lead: in.ForAll()}
	in.Bind(out, bound)
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
			bound.Shift[own] = target.Dims[k].Min.Sub(dim.Min)
		} else if reason := fmt.Sprintf("%s begins at %s", what, target.Dims[k].Min); in.p.requireEqual(target.Dims[k].Min, dim.Min, pos, reason) == affine.Never {
			s.errorf(source.CodeShapesDisagree, pos, "%s, but %s runs over %s", reason, in.over[k].name, rangeOf(dim)).
				WithNote(target.shapedAt, "%s gets its shape here", target.Name)
		}
	}
}

// declare adds a temporary of the call to the caller.
func (in *inlining) declare(t *ein.Tensor) *ein.Tensor {
	d := in.statement.def
	t.Name = d.freshName(t.Name)
	d.addTemporary(&symbol{Tensor: t, shaped: true, used: true, written: true})
	return t
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
