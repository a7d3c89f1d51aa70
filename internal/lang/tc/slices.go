package tc

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/callee"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How slices are passed, and calls of calls
//
// An argument A(m) with fewer subscripts than A has dimensions is a part of A: the
// subscripts are put before those of the callee. A subscript is a size expression,
// or an index of the left side, as in Y(b) = g(X(b)): then the callee is computed for
// each of its values. Every copied statement gets the index, and so do the results and
// the temporaries of the callee. A call among the arguments becomes a statement of its
// own before the call, with a temporary that is named as the call is written.

// An overIndex is an index of the left side of a call.
type overIndex struct {
	name string
	pos  source.Span
	dim  *ein.Dim // its range, nil until an argument gives it
	from source.Span
}

// overIndices notes the indices of the left side.
func (in *inlining) overIndices() {
	for _, i := range in.statement.syntax.Targets[0].Indices {
		in.over = append(in.over, &overIndex{name: i.Name, pos: i.Pos})
	}
}

// overDims are the ranges of the indices of the left side.
func (in *inlining) overDims() []ein.Dim {
	dims := make([]ein.Dim, len(in.over))
	for n, o := range in.over {
		dims[n] = *o.dim
	}
	return dims
}

// requireOver demands that every index of the left side is a subscript of an argument.
func (in *inlining) requireOver() {
	s := in.statement
	for _, o := range in.over {
		if o.dim == nil && !s.failed {
			s.errorf(source.CodeCallForm, s.syntax.Targets[0].Pos, "the result of %s is a whole tensor, and no argument is a part for each %s", s.callee.Name, o.name).
				WithHelp("write %s = %s, or give %s parts: %s(X(%s))", s.targets[0].Name, inLine(s.apply.Pos.Text()), s.callee.Name, s.callee.Name, o.name)
		}
		if o.dim != nil {
			in.Over = append(in.Over, callee.Over{Pos: o.pos, Name: o.name, Dim: *o.dim, MayBeEmpty: !in.p.facts.Proves(o.dim.Extent.AddConst(-1))})
		}
	}
}

// isSlice reports whether an argument is written as a tensor with subscripts.
func (in *inlining) isSlice(arg syntax.Expr) (*syntax.Apply, *symbol) {
	apply, ok := arg.(*syntax.Apply)
	if !ok || apply.Old {
		return nil, nil
	}
	return apply, in.statement.def.symbols[apply.Func.Name]
}

// usesOver reports whether an index of the left side is among the names of e.
func (in *inlining) usesOver(e syntax.Expr) bool {
	found := false
	eachName(e, func(name string, _ source.Span, apply bool) {
		for _, o := range in.over {
			found = found || !apply && name == o.name
		}
	})
	return found
}

// lead reads the subscripts of a slice.
func (in *inlining) lead(e *syntax.Apply, of *symbol) []callee.Coordinate {
	s := in.statement
	if len(e.Args) > len(of.Dims) {
		s.errorf(source.CodeRank, e.Pos, "%s has %s but is read with %s", of.Name, count(len(of.Dims), "dimension"), count(len(e.Args), "subscript")).
			WithNote(of.Pos, "%s is declared here", of.Name)
		return nil
	}
	var lead []callee.Coordinate
	for k, sub := range e.Args {
		c := callee.Coordinate{Over: in.overNumber(sub)}
		if c.Over >= 0 {
			in.overRange(in.over[c.Over], of, k, sub)
		} else {
			c.Size = in.sizeCoordinate(e, of, k)
		}
		if s.failed {
			return nil
		}
		lead = append(lead, c)
	}
	return lead
}

func (in *inlining) overNumber(sub syntax.Expr) int {
	name, ok := nameOf(sub)
	for n, o := range in.over {
		if ok && o.name == name {
			return n
		}
	}
	return -1
}

// overRange gives an index the range of the dimension that it reads, or requires
// that it is the one that it has.
func (in *inlining) overRange(o *overIndex, of *symbol, k int, sub syntax.Expr) {
	s, dim := in.statement, of.Dims[k]
	if o.dim == nil {
		o.dim, o.from = &dim, sub.Span()
		return
	}
	reason := fmt.Sprintf("%s runs over dimension %d of %s in the call of %s", o.name, k, of.Name, s.callee.Name)
	if in.p.requireEqual(dim.Min, o.dim.Min, sub.Span(), reason) == affine.Never || in.p.requireEqual(dim.Extent, o.dim.Extent, sub.Span(), reason) == affine.Never {
		s.errorf(source.CodeCallShapes, sub.Span(), "%s runs over %s, but dimension %d of %s is %s", o.name, rangeOf(*o.dim), k, of.Name, rangeOf(dim)).
			WithNote(o.from, "%s gets its range here", o.name)
	}
}

func rangeOf(dim ein.Dim) string { return dim.Min.String() + ":" + dim.Min.Add(dim.Extent).String() }

// sizeCoordinate is a subscript made of sizes, which must be in bounds.
func (in *inlining) sizeCoordinate(e *syntax.Apply, of *symbol, k int) affine.Expr {
	s, sub := in.statement, e.Args[k]
	at, bad := in.lowering.sizeExpr(sub, in.p)
	if bad != nil {
		s.errorf(source.CodeCallArguments, bad.Span(), "the part of %s that %s takes may not depend on %s", of.Name, s.callee.Name, oneLine(bad.Span().Text())).
			WithHelp("subscripts of parts are indices of the left side, as in Y(b) = %s(%s(b)), or made of numbers, sizes, integer scalar inputs and + - * / %% min max", s.callee.Name, of.Name)
		return at
	}
	dim := of.Dims[k]
	first, last := dim.Min, dim.Min.Add(dim.Extent).AddConst(-1)
	reason := fmt.Sprintf("%s reads dimension %d of %s at %s, and it is %s", oneLine(e.Pos.Text()), k, of.Name, at, rangeOf(dim))
	if in.p.require(at.Sub(first), sub.Span(), reason) == affine.Never || in.p.require(last.Sub(at), sub.Span(), reason) == affine.Never {
		s.errorf(source.CodeOutOfBounds, sub.Span(), "%s: out of bounds for all sizes", reason).
			WithNote(of.Pos, "%s is declared here", of.Name).WithHelp("change the subscript")
	}
	return at
}

// scalarSlice binds a scalar input to an element that an index of the left side
// chooses; false where the argument is none.
func (in *inlining) scalarSlice(param *ein.Tensor, arg syntax.Expr) bool {
	s := in.statement
	e, of := in.isSlice(arg)
	if of == nil || !in.usesOver(arg) || of.Type != param.Type || !callee.Reads(s.callee, param) || in.isSize(param) {
		return false
	}
	lead := in.lead(e, of)
	if s.failed {
		return true
	}
	if len(lead) != len(of.Dims) {
		s.errorf(source.CodeCallArguments, arg.Span(), "%s of %s is a scalar, and %s is a part of %s", param.Name, s.callee.Name, oneLine(arg.Span().Text()), of.Name).
			WithNote(s.callee.Pos, "%s", callee.Signature(s.callee))
		return true
	}
	in.Bind(param, &callee.Actual{Tensor: of.Tensor, Lead: lead})
	return true
}

// isSize reports whether the callee uses a scalar input as a size.
func (in *inlining) isSize(param *ein.Tensor) bool {
	for _, z := range in.statement.callee.Func.Sizes {
		if z.Tensor == param && z.Dim == ein.ScalarValue {
			return true
		}
	}
	return false
}

// expandCall takes the calls among the arguments of a call out into statements of
// their own.
func (d *def) expandCall(stmt *syntax.Stmt) []*syntax.Stmt {
	apply, ok := stmt.Value.(*syntax.Apply)
	if !ok || !d.isCall(stmt, apply) {
		return []*syntax.Stmt{stmt}
	}
	var list []*syntax.Stmt
	outer := *apply
	outer.Args = nil
	for _, arg := range apply.Args {
		if inner, ok := arg.(*syntax.Apply); ok && d.isCall(&syntax.Stmt{}, inner) {
			made, use := d.callStatement(stmt, inner)
			list = append(list, d.expandCall(made)...)
			arg = use
		}
		outer.Args = append(outer.Args, arg)
	}
	changed := *stmt
	if len(list) > 0 {
		changed.Value = &outer
	}
	return append(list, &changed)
}

// isCall reports whether the value of a statement calls a def or concat.
func (d *def) isCall(stmt *syntax.Stmt, apply *syntax.Apply) bool {
	if d.symbols[apply.Func.Name] != nil || apply.Old {
		return false
	}
	if named := d.compiler.named(apply.Func.Name); named != nil && !d.meansFunction(stmt, apply, named) {
		return true
	}
	return apply.Func.Name == concatName
}

// callStatement assigns a call to a temporary with its text as name. Where it uses
// indices of the left side there is one result for each of their values.
func (d *def) callStatement(around *syntax.Stmt, call *syntax.Apply) (made *syntax.Stmt, use syntax.Expr) {
	text := oneLine(call.Pos.Text())
	name := syntax.Ident{Pos: call.Pos, Name: text}
	for n := 2; d.taken[name.Name]; n++ {
		name.Name = fmt.Sprintf("%s (%d)", text, n)
	}
	d.taken[name.Name] = true
	target := &syntax.Target{Pos: call.Pos, Name: name}
	var subscripts []syntax.Expr
	for _, i := range around.Targets[0].Indices {
		used := false
		eachName(call, func(name string, _ source.Span, apply bool) { used = used || !apply && name == i.Name })
		if used {
			target.Indices, target.Listed = append(target.Indices, i), true
			subscripts = append(subscripts, &syntax.Name{Pos: i.Pos, Name: i.Name})
		}
	}
	made = &syntax.Stmt{Pos: call.Pos, Targets: []*syntax.Target{target}, Assign: syntax.Assign{Initialise: true}, AssignPos: around.AssignPos, Value: call}
	if target.Listed {
		return made, &syntax.Apply{Pos: call.Pos, Func: name, Args: subscripts}
	}
	return made, &syntax.Name{Pos: call.Pos, Name: name.Name}
}
