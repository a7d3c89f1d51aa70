package diderot_test

import (
	"math"

	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
)

// apply judges operators.
func (j *judge) apply(e *typed.Apply) any {
	switch e.Row.Name {
	case "&&":
		return j.expr(e.Args[0]).(bool) && j.expr(e.Args[1]).(bool)
	case "identity":
		return []float64{1, 0, 0, 1}
	case "inside", "⊛", "∇":
		panic(errUnknown)
	case "@":
		return j.joined(e)
	}
	if e.Row.Name == "||" && e.Row.Form == typed.Infix {
		return j.expr(e.Args[0]).(bool) || j.expr(e.Args[1]).(bool)
	}
	args := make([]any, len(e.Args))
	for k, a := range e.Args {
		args[k] = j.expr(a)
	}
	switch x := args[0].(type) {
	case bool:
		return !x
	case string:
		return x == args[1].(string)
	case []any:
		return int64(len(x))
	case int64:
		if len(args) == 1 {
			if e.Row.Name == "-" {
				return j.wrap(-x)
			}
			return j.wrap(max(x, -x))
		}
		return j.whole(e.Row.Name, x, args[1].(int64))
	}
	return j.tensors(e, args)
}

func (j *judge) joined(e *typed.Apply) any {
	list := []any{}
	for _, a := range e.Args {
		if x := j.expr(a); a.Type().Equal(e.T) {
			list = append(list, x.([]any)...)
		} else {
			list = append(list, x)
		}
	}
	return list
}

func (j *judge) whole(name string, x, y int64) any {
	switch name {
	case "<":
		return x < y
	case "+":
		return j.wrap(x + y)
	case "*":
		return j.wrap(x * y)
	case "min":
		return min(x, y)
	}
	if y == 0 {
		return int64(0)
	}
	if name == "/" {
		return j.wrap(x / y)
	}
	return j.wrap(x % y)
}

// tensors judges operators on reals, vectors of two components and matrices of two rows; not inverses, in which the sign of
// a zero depends on what is known before.
func (j *judge) tensors(e *typed.Apply, args []any) any {
	x := args[0].([]float64)
	y := x
	if len(args) > 1 {
		var isTensor bool
		if y, isTensor = args[1].([]float64); !isTensor {
			panic(errUnknown) // a power is rounded in several ways
		}
	}
	each := func(f func(a, b float64) float64) any {
		list := make([]float64, max(len(x), len(y)))
		for k := range list {
			list[k] = f(x[k%len(x)], y[k%len(y)])
		}
		return list
	}
	dot := func(a, b []float64) float64 { return a[0]*b[0] + a[1]*b[1] }
	switch name := e.Row.With; name {
	case ">=":
		return x[0] >= y[0]
	case "add":
		return each(func(a, b float64) float64 { return a + b })
	case "sub":
		return each(func(a, b float64) float64 { return a - b })
	case "scale", "modulate":
		return each(func(a, b float64) float64 { return a * b })
	case "div":
		return each(func(a, b float64) float64 { return a / b })
	case "neg":
		return each(func(a, _ float64) float64 { return -a })
	case "sqrt", "floor":
		return []float64{map[string]func(float64) float64{"sqrt": math.Sqrt, "floor": math.Floor}[name](x[0])}
	case "inner":
		if len(x) == 4 {
			return []float64{dot(x[:2], y), dot(x[2:], y)}
		}
		return []float64{dot(x, y)}
	case "colon":
		return []float64{dot(x, y) + x[2]*y[2] + x[3]*y[3]}
	case "outer":
		return []float64{x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1]}
	case "cross":
		return []float64{x[0]*y[1] - x[1]*y[0]}
	case "norm":
		return []float64{math.Sqrt(dot(x, x))}
	case "normalize":
		norm := math.Sqrt(dot(x, x))
		return []float64{x[0] / norm, x[1] / norm}
	case "det":
		return []float64{x[0]*x[3] - x[1]*x[2]}
	case "trace":
		return []float64{x[0] + x[3]}
	case "transpose":
		return []float64{x[0], x[2], x[1], x[3]}
	case "lerp": // clerp
		t := args[2].([]float64)[0]
		if t < 0 {
			t = 0
		} else if t > 1 {
			t = 1
		}
		return []float64{x[0] + t*(y[0]-x[0])}
	}
	panic(errUnknown)
}
