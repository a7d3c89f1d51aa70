package check

import (
	"math"
	"math/big"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
)

func (f *folder) apply(e *typed.Apply) *typed.Value {
	args := make([]*typed.Value, len(e.Args))
	for n, a := range e.Args {
		if e.Row.Means == typed.Short && n == 1 && args[0].Bool == (e.Row.With == "||") {
			return args[0]
		}
		if args[n] = f.fold(a); args[n] == nil {
			return nil
		}
	}
	switch e.Row.Means {
	case typed.Short:
		return args[1]
	case typed.Scalar:
		return f.scalar(e, args)
	case typed.Length:
		return &typed.Value{Int: int64(len(args[0].Elements))}
	case typed.Generic:
		if e.T.Kind == typed.Tensor {
			return f.generic(e, args)
		}
	}
	return nil
}

func (f *folder) scalar(e *typed.Apply, args []*typed.Value) *typed.Value {
	switch e.Args[0].Type().Kind {
	case typed.Bool:
		return boolOf(e.Row.With, args)
	case typed.String:
		return &typed.Value{Bool: (args[0].Text == args[1].Text) == (e.Row.With == "==")}
	case typed.Int:
		return f.ints(e.Row.With, args)
	}
	return reals(e, args)
}

func boolOf(with string, args []*typed.Value) *typed.Value {
	if with == "!" {
		return &typed.Value{Bool: !args[0].Bool}
	}
	return &typed.Value{Bool: (args[0].Bool == args[1].Bool) == (with == "==")}
}

func compared[N int64 | float64](with string, x, y N) (holds, ok bool) {
	switch with {
	case "<":
		return x < y, true
	case "<=":
		return x <= y, true
	case ">":
		return x > y, true
	case ">=":
		return x >= y, true
	case "==":
		return x == y, true
	case "!=":
		return x != y, true
	}
	return false, false
}

// wrap is an int of the program.
func (f *folder) wrap(n int64) *typed.Value {
	if !f.longInt {
		n = int64(int32(n))
	}
	return &typed.Value{Int: n}
}

func (f *folder) ints(with string, args []*typed.Value) *typed.Value {
	x := args[0].Int
	switch with {
	case "real":
		return ofInt(x)
	case "neg":
		return f.wrap(-x)
	case "abs":
		return f.wrap(max(x, -x))
	}
	y := args[1].Int
	if holds, ok := compared(with, x, y); ok {
		return &typed.Value{Bool: holds}
	}
	switch with {
	case "+":
		return f.wrap(x + y)
	case "-":
		return f.wrap(x - y)
	case "*":
		return f.wrap(x * y)
	case "min":
		return f.wrap(min(x, y))
	case "max":
		return f.wrap(max(x, y))
	case "/", "%":
		if y == 0 {
			return nil
		}
		if with == "/" {
			return f.wrap(x / y)
		}
		return f.wrap(x % y)
	}
	return nil
}

func reals(e *typed.Apply, args []*typed.Value) *typed.Value {
	x := args[0].Real
	if e.Row.With == "power" {
		return &typed.Value{Real: math.Pow(x, float64(args[1].Int))}
	}
	if len(args) == 2 {
		y := args[1].Real
		if holds, ok := compared(e.Row.With, x, y); ok {
			return &typed.Value{Bool: holds}
		}
		if e.Row.With == "min" || e.Row.With == "max" {
			if (x < y) == (e.Row.With == "min") {
				return args[0]
			}
			return args[1]
		}
	}
	if b, ok := ein.LookupBuiltin(e.Row.With); ok {
		var numbers []float64
		for _, a := range args {
			numbers = append(numbers, a.Real)
		}
		return &typed.Value{Real: b.Eval64(numbers)}
	}
	return nil
}

// generic evaluates an operator on tensors, component by component: exactly if that works.
func (f *folder) generic(e *typed.Apply, args []*typed.Value) *typed.Value {
	var types []field.Type
	for _, a := range e.Args {
		types = append(types, field.TensorOf(a.Type().Shape...))
	}
	if e.Row.Swap {
		types[0], types[1] = types[1], types[0]
		args = []*typed.Value{args[1], args[0]}
	}
	o, err := f.store.Generic(e.Row.With, types, e.Numbers...)
	if err != nil {
		return nil
	}
	given := map[*field.Param]*typed.Value{}
	for n, p := range o.Params {
		given[p] = args[n]
	}
	return components(o, given, e.T.Shape, nil)
}

func components(o *field.Operator, given map[*field.Param]*typed.Value, shape, at []int) *typed.Value {
	if len(shape) == 0 {
		return component(o, given, at)
	}
	v := &typed.Value{Elements: make([]*typed.Value, shape[0])}
	for n := range v.Elements {
		if v.Elements[n] = components(o, given, shape[1:], append(at[:len(at):len(at)], n)); v.Elements[n] == nil {
			return nil
		}
	}
	return v
}

// mostBits is how long a number that is kept exactly may be.
const mostBits = 4096

func component(o *field.Operator, given map[*field.Param]*typed.Value, at []int) *typed.Value {
	r, err := field.Evaluate(field.Exact{}, exactly(given), o, at...)
	if err == nil && r.Num().BitLen() < mostBits && r.Denom().BitLen() < mostBits {
		v := &typed.Value{Exact: r}
		v.Real, _ = r.Float64()
		return v
	}
	x, err := field.Evaluate(field.Floats{}, roughly(given), o, at...)
	if err != nil {
		return nil
	}
	return &typed.Value{Real: x}
}

// The values of parameters, as exact numbers and as floats.
type (
	exactly map[*field.Param]*typed.Value
	roughly map[*field.Param]*typed.Value
)

func at(v *typed.Value, alpha []int) *typed.Value {
	for _, n := range alpha {
		v = v.Elements[n]
	}
	return v
}

// Tensor is a component of a tensor, if it is exact.
func (g exactly) Tensor(p *field.Param, alpha []int) (*big.Rat, error) {
	if v := at(g[p], alpha); v.Exact != nil {
		return v.Exact, nil
	}
	return nil, field.ErrInexact
}

// Field is never asked: there are only tensors.
func (g exactly) Field(*field.Param, *field.Param, []int, []int, []*big.Rat) (*big.Rat, error) {
	return nil, field.ErrInexact
}

// Tensor is a component of a tensor.
func (g roughly) Tensor(p *field.Param, alpha []int) (float64, error) {
	return at(g[p], alpha).Real, nil
}

// Field is never asked: there are only tensors.
func (g roughly) Field(*field.Param, *field.Param, []int, []int, []float64) (float64, error) {
	return 0, field.ErrInexact
}
