package diderot

import (
	"math/big"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// generic applies a generic operator of tensors: its components are scalar expressions of those of
// the operands. Where a component is read more than once, it is computed before.
func (l *lowering) generic(pos source.Span, name string, numbers []int, args ...value) value {
	types := make([]field.Type, len(args))
	for k, a := range args {
		types[k] = field.TensorOf(a.typ.Shape...)
	}
	op, err := l.store.Generic(name, types, numbers...)
	if err != nil {
		panic(source.Internalf("diderot", pos, "%v", err))
	}
	e := &expander{l: l, pos: pos, op: op, args: args, read: map[component]int{}}
	e.components() // counts
	for k := range args {
		parts := slices.Clone(args[k].parts)
		for n := range parts {
			if e.read[component{k, n}] > 1 {
				parts[n] = l.name(pos, name, args[k].typ, parts[n])
			}
		}
		e.args[k].parts = parts
	}
	return value{typ: strand.Type{Elem: strand.Real, Shape: op.Shape}, parts: e.components()}
}

// A component is one of those of an operand.
type component struct{ operand, part int }

// An expander writes the components of an operator of tensors: δ, ε and Σ of values as package field does (expand.go) those of fields,
// which are real numbers and are rearranged; here is the arithmetic of the program, in its order.
type expander struct {
	l    *lowering
	pos  source.Span
	op   *field.Operator
	args []value
	read map[component]int
}

// environment gives indices their values.
type environment map[field.Index]int

func (e environment) at(i field.Index) int {
	if i.Class == field.Constant {
		return i.Number
	}
	return e[i]
}

func (e *expander) components() []ein.Expr {
	var parts []ein.Expr
	eachIndex(field.Axes(0, e.op.Shape), environment{}, func(at environment) {
		parts = append(parts, e.term(e.op.Body, at))
	})
	return parts
}

// eachIndex gives indices all values, the last one being the fastest.
func eachIndex(indices []field.Index, at environment, visit func(environment)) {
	if len(indices) == 0 {
		visit(at)
		return
	}
	for n := range indices[0].Range {
		at[indices[0]] = n
		eachIndex(indices[1:], at, visit)
	}
	delete(at, indices[0])
}

// functions are the names in ein of functions of one number.
var functions = map[field.Op]string{field.Abs: "fabs", field.Sqrt: "sqrt", field.Exp: "exp", field.Sin: "sin", field.Cos: "cos", field.Tan: "tan",
	field.Asin: "asin", field.Acos: "acos", field.Atan: "atan"}

func (e *expander) term(t *field.Term, at environment) ein.Expr {
	switch t.Op {
	case field.Rational:
		return e.l.number(t.Value)
	case field.Delta:
		return e.l.real(float64(delta(at.at(t.Indices[0]), at.at(t.Indices[1]))))
	case field.Epsilon:
		return e.l.real(float64(epsilon(t.Indices, at)))
	case field.Tensor:
		return e.leaf(t, at)
	case field.Neg:
		return e.minus(e.term(t.Args[0], at))
	case field.Power:
		return e.l.power(e.pos, scalar(strand.Real, e.term(t.Args[0], at)), int64(t.Power)).parts[0]
	case field.Min, field.Max, field.Div:
		op := map[field.Op]ein.BinaryOp{field.Min: ein.Min, field.Max: ein.Max, field.Div: ein.Div}[t.Op]
		return binary(e.pos, op, e.term(t.Args[0], at), e.term(t.Args[1], at))
	case field.Mul:
		return e.product(t.Args, at)
	case field.Add:
		var total ein.Expr = e.l.real(0)
		for _, a := range t.Args {
			total = e.plus(total, a, at)
		}
		return total
	case field.Sum:
		var total ein.Expr = e.l.real(0)
		eachIndex(t.Indices, at, func(at environment) { total = e.plus(total, t.Args[0], at) })
		return total
	}
	if name, ok := functions[t.Op]; ok {
		return call(e.pos, name, e.term(t.Args[0], at))
	}
	panic(source.Internalf("diderot", e.pos, "%s is no operator of tensors", t.Op))
}

func delta(i, j int) int {
	if i == j {
		return 1
	}
	return 0
}

// epsilon is the sign of a permutation, 0 of what is none.
func epsilon(indices []field.Index, at environment) int {
	sign := 1
	for k := range indices {
		for j := range k {
			switch a, b := at.at(indices[j]), at.at(indices[k]); {
			case a == b:
				return 0
			case a > b:
				sign = -sign
			}
		}
	}
	return sign
}

// leaf reads a component of an operand.
func (e *expander) leaf(t *field.Term, at environment) ein.Expr {
	operand, part := slices.Index(e.op.Params, t.Param), 0
	for k, i := range t.Indices {
		part = part*t.Param.Shape[k] + at.at(i)
	}
	e.read[component{operand, part}]++
	return e.args[operand].parts[part]
}

func isNumber(x ein.Expr, n float64) bool {
	c, ok := x.(*ein.Const)
	return ok && c.Float() == n
}

// product leaves out what ε and δ say: what they make 0 does not occur in the operator.
func (e *expander) product(factors []*field.Term, at environment) ein.Expr {
	sign, result := 1, ein.Expr(nil)
	for _, f := range factors {
		switch f.Op {
		case field.Epsilon:
			sign *= epsilon(f.Indices, at)
		case field.Delta:
			sign *= delta(at.at(f.Indices[0]), at.at(f.Indices[1]))
		}
	}
	if sign == 0 {
		return e.l.real(0)
	}
	for _, f := range factors {
		switch {
		case f.Op == field.Epsilon || f.Op == field.Delta || f.Op == field.Rational && f.Value.Cmp(big.NewRat(1, 1)) == 0:
		case result == nil:
			result = e.term(f, at)
		default:
			result = binary(e.pos, ein.Mul, result, e.term(f, at))
		}
	}
	switch {
	case result == nil:
		return e.l.real(float64(sign))
	case sign < 0:
		return e.minus(result)
	}
	return result
}

func (e *expander) minus(x ein.Expr) ein.Expr {
	if isNumber(x, 0) {
		return x
	}
	return negative(e.pos, x)
}

// plus adds a summand.
func (e *expander) plus(total ein.Expr, t *field.Term, at environment) ein.Expr {
	x := e.term(t, at)
	switch n, isNegative := x.(*ein.Unary); {
	case isNumber(x, 0):
		return total
	case isNumber(total, 0):
		return x
	case isNegative && n.Op == ein.Neg:
		return binary(e.pos, ein.Sub, total, n.X)
	}
	return binary(e.pos, ein.Add, total, x)
}
