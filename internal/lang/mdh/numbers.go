package mdh

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/callee"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How numbers are given to a step
//
// An input without dimensions takes a number as well as a buffer: y := f(x, 2 * N + 1). Where a def of
// another notation subscripts by such an input, or ranges to it, the number is one of its sizes, and has to
// be known when the program is called: an expression of sizes, or an input of the composition, which
// becomes a size of the composition then. For others the number is computed into a buffer of its own.

// isNumber reports whether an argument is a number and no buffer.
func (c *instance) isNumber(a *syntax.Argument) bool {
	switch {
	case a.Number != nil:
		return true
	case a.Apply != nil:
		return c.types[a.Apply.Name.Name] != tensor.Invalid // which converts
	}
	name := a.Name.Name
	return c.chain.held[name] == nil && (c.sizes[name] != nil || c.constants[name] != nil)
}

// asExpression is an argument as an expression.
func asExpression(a *syntax.Argument) syntax.Expr {
	switch {
	case a.Number != nil:
		return a.Number
	case a.Apply != nil:
		call := &syntax.Call{Pos: a.Apply.Pos, Name: a.Apply.Name}
		for _, b := range a.Apply.Buffers {
			call.Args = append(call.Args, asExpression(b))
		}
		return call
	}
	return &syntax.Ref{Pos: a.Name.Pos, Name: a.Name.Name}
}

// numbers makes buffers and sizes of the numbers among the arguments of an application.
func (u *use) numbers(a *syntax.Apply) {
	for n, arg := range a.Buffers {
		in := u.callee.inputs[n]
		switch z := u.sizeOf(in); {
		case u.args[n] == nil:
			u.args[n] = u.number(arg, in, z)
		case z != nil:
			u.env[z.Name] = u.known(u.args[n], u.places[n], in)
		}
	}
}

// sizeOf returns the size of the callee that an input is, or nil.
func (u *use) sizeOf(in *buffer) *ein.Size {
	for _, z := range u.callee.def.Func.Sizes {
		if z.Tensor == in.tensors[0] && z.Dim == ein.ScalarValue {
			return z
		}
	}
	return nil
}

// number gives an input a number, which is a size of the callee where there is one.
func (u *use) number(a *syntax.Argument, in *buffer, size *ein.Size) *held {
	e := asExpression(a)
	if in.element.record != nil || len(in.extents) > 0 {
		stop(u.errorf(source.CodeMDHType, e.Span(), "%s is a number, and %s of %s is no single one", shortText(e.Span()), in.name(), u.what).
			WithNote(in.place(), "the input %s", in.name()).WithHelp("give a buffer of %s with %s", in.element, plural(len(in.extents), "dimension")))
	}
	syntax.Walk(e, func(part syntax.Expr) {
		if ref, ok := part.(*syntax.Ref); ok && u.chain.held[ref.Name] != nil {
			b := u.find(syntax.Name{Pos: ref.Pos, Name: ref.Name})
			if size == nil && !b.isKnown() {
				stop(u.errorf(source.CodeMDHType, ref.Pos, "%s is a buffer, and a number is made of numbers, sizes and inputs that are one whole number", ref.Name).
					WithNote(b.pos, "%s", b.made).WithHelp("compute it in a step before, and give the buffer that this makes"))
			}
			u.known(b, ref.Pos, in)
		}
	})
	b := &held{name: shortText(e.Span()), pos: e.Span(), made: "it is a number", element: in.element, extents: []affine.Expr{}}
	var value ein.Expr
	if size == nil {
		value = u.as(u.eval(e, u.ownScope()), in.element.scalar.Compute(), e.Span(), "the number")
	} else {
		x, ok := u.static(e, nil)
		if !ok {
			stop(nil)
		}
		u.env[size.Name] = x
		if !callee.Reads(u.callee.def, in.tensors[0]) { // it is a size and nothing else
			b.tensors = in.tensors
			return b
		}
		value = u.sizeValue(x, in, e.Span())
	}
	t := u.newTensor(e.Span(), u.named(in.name()), in.tensors[0], nil, ein.Temp)
	b.tensors = []*ein.Tensor{t}
	u.fn.Body = append(u.fn.Body, &ein.Comprehension{Pos: e.Span(), Writes: []*ein.Write{{Pos: e.Span(), Tensor: t}}, Values: []ein.Expr{value}})
	return b
}

// sizeValue is a size as the value of an input, whose type has it.
func (u *use) sizeValue(x affine.Expr, in *buffer, at source.Span) ein.Expr {
	var value ein.Expr = &ein.SizeRef{Pos: at, Size: x}
	t := in.element.scalar
	if t == tensor.Int64 {
		return value
	}
	low, high := ein.IntegersOf(t)
	reason := fmt.Sprintf("the number for %s of %s is of type %s", in.name(), u.what, t)
	u.needs(x.AddConst(-low), at, reason, source.Span{})
	u.needs(affine.Const(high-1).Sub(x), at, reason, source.Span{})
	return &ein.Cast{Pos: at, To: t, X: value}
}

// isKnown reports whether a buffer is one whole number that the caller gives.
func (b *held) isKnown() bool {
	return b.isInput && !b.isUpdated && len(b.extents) == 0 && b.element.record == nil && b.element.scalar.IsInteger()
}

// known makes a size of an input of the composition that is one whole number.
func (u *use) known(b *held, at source.Span, in *buffer) affine.Expr {
	if !b.isKnown() {
		u.notKnown(b, at, in)
	}
	if !affine.IsWord(b.name) || predeclared(b.name) != "" {
		stop(u.errorf(source.CodeMDHTwice, b.pos, "%s is used as a size, and means something else", b.name).WithHelp("give the input another name"))
	}
	if u.sizes[b.name] == nil {
		z := &ein.Size{Pos: b.pos, Name: b.name, Tensor: b.tensors[0], Dim: ein.ScalarValue}
		u.sizes[z.Name], u.used[z.Name] = z, true
		u.fn.Sizes = append(u.fn.Sizes, z)
		u.renameIndices()
	}
	return affine.Symbol(b.name)
}

// renameIndices gives indices other names than sizes have, and than others of their statement.
func (u *use) renameIndices() {
	for _, k := range u.fn.Body {
		for _, i := range k.Indices {
			for u.sizes[i.Name] != nil || slices.ContainsFunc(k.Indices, func(o *ein.Index) bool { return o != i && o.Name == i.Name }) {
				i.Name += "_"
			}
		}
	}
}

// notKnown reports a size of the callee that is not known when the program is called.
func (u *use) notKnown(b *held, at source.Span, in *buffer) {
	stop(u.errorf(source.CodeCallArguments, at, "%s of %s is used in subscripts or ranges there, so it must be known when the caller is called, and %s is not", in.name(), u.what, b.name).
		WithNote(in.place(), "%s is declared here", in.name()).WithNote(b.pos, "%s", b.made).
		WithHelp("give a number, an expression of sizes, or an input of the composition that is one whole number and is not updated: (k: int64, …) -> …"))
}
