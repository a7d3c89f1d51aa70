package check

import (
	"math"
	"math/big"

	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// A folder evaluates constant expressions. Ints wrap as they do when the program runs; reals are exact as long as they
// are made of exact ones by operations that keep them so, and otherwise of 64 bits.
type folder struct {
	longInt bool
	store   *field.Store
	known   map[typed.Expr]*typed.Value // what was evaluated before; nil is what is not constant
}

// constant evaluates what must be constant, and reports what in it is not.
func (c *checker) constant(e typed.Expr, what string) *typed.Value {
	v := c.folder.fold(e)
	if v == nil {
		inner := c.folder.culprit(e)
		c.errorf(source.CodeDiderotConstant, inner.Span(), "%s is constant, but %s", what, notConstant(inner)).
			WithHelp("what is constant is made of numbers, texts, consts, operators and functions of the language")
	}
	return v
}

// culprit is the innermost expression that has no constant value.
func (f *folder) culprit(e typed.Expr) typed.Expr {
	for _, x := range typed.Operands(e) {
		if f.fold(x) == nil {
			return f.culprit(x)
		}
	}
	return e
}

func notConstant(e typed.Expr) string {
	switch e := e.(type) {
	case *typed.Ref:
		return "the " + e.Variable.Role.String() + " " + e.Variable.Name + " is not"
	case *typed.Call:
		return "the function " + e.Function.Name + " of the program is called"
	case *typed.Apply:
		if e.Row.Means == typed.Scalar && (e.Row.With == "/" || e.Row.With == "%") {
			return "this divides by zero"
		}
		return e.Row.Name + " is not"
	case *typed.Load:
		return "a file is read"
	}
	return "this is not"
}

// fold evaluates an expression, or returns nil.
func (f *folder) fold(e typed.Expr) *typed.Value {
	v, known := f.known[e]
	if !known {
		v = f.evaluate(e)
		f.known[e] = v
	}
	return v
}

func (f *folder) evaluate(e typed.Expr) *typed.Value {
	switch e := e.(type) {
	case *typed.Literal:
		return e.Value
	case *typed.Ref:
		if e.Variable.Role == typed.Const {
			return e.Variable.Constant
		}
	case *typed.Coerce:
		return f.coerced(e)
	case *typed.Apply:
		return f.apply(e)
	case *typed.Construct:
		return f.elements(e.Elements)
	case *typed.Sequenced:
		return f.elements(e.Elements)
	case *typed.NaN:
		return filled(e.T.Shape, math.NaN())
	case *typed.Slice:
		if x := f.fold(e.X); x != nil && e.T.Kind == typed.Tensor {
			return sliced(x, e.At)
		}
	case *typed.Subscript:
		x, at := f.fold(e.X), f.fold(e.At)
		if x != nil && at != nil && at.Int >= 0 && at.Int < int64(len(x.Elements)) {
			return x.Elements[at.Int]
		}
	case *typed.Range:
		return f.numbers(e)
	case *typed.Conditional:
		cond := f.fold(e.Cond)
		switch {
		case cond == nil:
			return nil
		case cond.Bool:
			return f.fold(e.Then)
		}
		return f.fold(e.Else)
	}
	return nil
}

func (f *folder) coerced(e *typed.Coerce) *typed.Value {
	x := f.fold(e.X)
	if x == nil {
		return nil
	}
	switch e.How {
	case typed.ToReal:
		return ofInt(x.Int)
	case typed.EachElement:
		return mapped(x, e.X.Type().Element, e.T.Element)
	case typed.ToSmoothness:
		return nil
	}
	return x
}

// mapped coerces the elements of a sequence, all the way down.
func mapped(x *typed.Value, from, to *typed.Type) *typed.Value {
	if from.Kind == typed.Int && to.IsReal() {
		v := &typed.Value{}
		for _, e := range x.Elements {
			v.Elements = append(v.Elements, ofInt(e.Int))
		}
		return v
	}
	v := &typed.Value{}
	for _, e := range x.Elements {
		v.Elements = append(v.Elements, mapped(e, from.Element, to.Element))
	}
	return v
}

func ofInt(n int64) *typed.Value { return &typed.Value{Real: float64(n), Exact: big.NewRat(n, 1)} }

func (f *folder) elements(list []typed.Expr) *typed.Value {
	v := &typed.Value{Elements: make([]*typed.Value, len(list))}
	for n, x := range list {
		if v.Elements[n] = f.fold(x); v.Elements[n] == nil {
			return nil
		}
	}
	return v
}

func filled(shape []int, x float64) *typed.Value {
	if len(shape) == 0 {
		return &typed.Value{Real: x}
	}
	v := &typed.Value{}
	for range shape[0] {
		v.Elements = append(v.Elements, filled(shape[1:], x))
	}
	return v
}

func sliced(x *typed.Value, at []int) *typed.Value {
	switch {
	case len(at) == 0:
		return x
	case at[0] >= 0:
		return sliced(x.Elements[at[0]], at[1:])
	}
	v := &typed.Value{}
	for _, e := range x.Elements {
		v.Elements = append(v.Elements, sliced(e, at[1:]))
	}
	return v
}

func (f *folder) numbers(e *typed.Range) *typed.Value {
	low, high := f.fold(e.Low), f.fold(e.High)
	if low == nil || high == nil || high.Int-low.Int >= longestSequence || high.Int > low.Int && high.Int-low.Int < 0 {
		return nil
	}
	v := &typed.Value{}
	for n := low.Int; n <= high.Int; n++ {
		v.Elements = append(v.Elements, &typed.Value{Int: n})
		if n == math.MaxInt64 {
			break
		}
	}
	return v
}
