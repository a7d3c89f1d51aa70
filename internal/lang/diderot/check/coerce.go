package check

import (
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// How coercions work
//
// A value is coerced where a type is known that it should have: int to real, T[n] to T[] and {} to any of these, the
// elements of a sequence of fixed length, a field or kernel to one of which less continuity is asked. Nothing else is.

// coercible reports whether values of a type can be made values of another one, or are that already.
func coercible(from, to *typed.Type) bool {
	switch {
	case from.Equal(to) || from.Kind == typed.Nothing || to.Kind == typed.Nothing:
		return true
	case from.Kind == typed.Int:
		return to.IsReal()
	case from.Kind == typed.Sequence && to.Kind == typed.Sequence:
		return coercibleSequence(from, to)
	case from.Kind == typed.Field && to.Kind == typed.Field, from.Kind == typed.Kernel && to.Kind == typed.Kernel:
		return from.Continuity >= to.Continuity && withContinuity(from, to.Continuity).Equal(to)
	}
	return false
}

func coercibleSequence(from, to *typed.Type) bool {
	switch {
	case from.Length == typed.Dynamic:
		return to.Length == typed.Dynamic && from.Element.Equal(to.Element)
	case to.Length != typed.Dynamic && from.Length != to.Length:
		return false
	}
	return from.Length == 0 && from.Element.Kind == typed.Nothing || coercible(from.Element, to.Element)
}

func withContinuity(t *typed.Type, k int) *typed.Type {
	changed := *t
	changed.Continuity = k
	return &changed
}

// coerce makes an expression one of a type to which it is coercible.
func coerce(e typed.Expr, to *typed.Type) typed.Expr {
	from := e.Type()
	if from.Equal(to) || from.Kind == typed.Nothing || to.Kind == typed.Nothing {
		return e
	}
	wrap := func(how typed.Coercion, x typed.Expr, t *typed.Type) typed.Expr {
		return &typed.Coerce{Node: typed.Node{Pos: e.Span(), T: t}, How: how, X: x}
	}
	switch from.Kind {
	case typed.Int:
		return wrap(typed.ToReal, e, to)
	case typed.Sequence:
		if from.Element.Kind == typed.Nothing {
			if to.Length == typed.Dynamic {
				return wrap(typed.ToDynamic, e, to)
			}
			return &typed.Sequenced{Node: typed.Node{Pos: e.Span(), T: to}}
		}
		if !from.Element.Equal(to.Element) {
			e = eachElement(e, to.Element, wrap)
		}
		if to.Length == typed.Dynamic && from.Length != typed.Dynamic {
			return wrap(typed.ToDynamic, e, to)
		}
		return e
	}
	return wrap(typed.ToSmoothness, e, to)
}

// eachElement coerces the elements of {a, b} where they are written, and of other sequences as a whole.
func eachElement(e typed.Expr, element *typed.Type, wrap func(typed.Coercion, typed.Expr, *typed.Type) typed.Expr) typed.Expr {
	t := typed.SequenceOf(element, e.Type().Length)
	if s, ok := e.(*typed.Sequenced); ok {
		elements := make([]typed.Expr, len(s.Elements))
		for n, x := range s.Elements {
			elements[n] = coerce(x, element)
		}
		return &typed.Sequenced{Node: typed.Node{Pos: s.Pos, T: t}, Elements: elements}
	}
	return wrap(typed.EachElement, e, t)
}

// join is the type that values of both types have, or can be coerced to; nil if there is none.
func join(a, b *typed.Type) *typed.Type {
	switch {
	case a.Kind == typed.Nothing:
		return b
	case b.Kind == typed.Nothing:
		return a
	case coercible(a, b):
		return b
	case coercible(b, a):
		return a
	case a.Kind == typed.Sequence && b.Kind == typed.Sequence:
		element := join(a.Element, b.Element)
		if element == nil {
			return nil
		}
		length := a.Length
		if a.Length != b.Length {
			length = typed.Dynamic
		}
		t := typed.SequenceOf(element, length)
		if coercible(a, t) && coercible(b, t) {
			return t
		}
	case a.Kind == typed.Field && b.Kind == typed.Field || a.Kind == typed.Kernel && b.Kind == typed.Kernel:
		least := withContinuity(a, min(a.Continuity, b.Continuity))
		if least.Equal(withContinuity(b, least.Continuity)) {
			return least
		}
	}
	return nil
}

// isElement reports whether values of a type can be elements of sequences.
func isElement(t *typed.Type) bool {
	switch t.Kind {
	case typed.Bool, typed.Int, typed.String, typed.Tensor, typed.Reference:
		return true
	case typed.Sequence:
		return t.Length != typed.Dynamic && isElement(t.Element)
	}
	return false
}

// nothing is an expression that was not understood: no further errors come of it.
func nothing(pos source.Span) typed.Expr {
	return &typed.Ref{Node: typed.Node{Pos: pos, T: &typed.Type{}}, Variable: &typed.Variable{Pos: pos, Type: &typed.Type{}}}
}
