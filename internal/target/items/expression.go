package items

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// The levels of operators that the printer uses; a higher one binds tighter.
const (
	levelConditional = iota
	levelOr
	levelAnd
	levelBits
	levelCompare
	levelAdd
	levelMul
	levelUnary
	levelPrimary
)

// code is the text of an expression and the level of its outermost operator.
type code struct {
	text  string
	level int
}

// at returns the text, in parentheses when it binds less tightly than level.
func (c code) at(level int) string {
	if c.level < level {
		return "(" + c.text + ")"
	}
	return c.text
}

func primary(format string, args ...any) code {
	return code{fmt.Sprintf(format, args...), levelPrimary}
}

// infix joins two operands. Compilers suggest parentheses around operands of most operators; sums and products have none.
func infix(x code, op string, y code, level int) code {
	left, right := level, level+1
	if level < levelAdd {
		left, right = levelAdd, levelAdd
	}
	return code{x.at(left) + " " + op + " " + y.at(right), level}
}

func conditional(cond, yes, no code) code {
	return code{cond.at(levelOr) + " ? " + yes.at(levelOr) + " : " + no.at(levelConditional), levelConditional}
}

func castTo(typ string, x code) code { return code{"(" + typ + ")" + x.at(levelUnary), levelUnary} }

// expr prints a value.
func (k *kernel) expr(e loop.Expr) code {
	t := e.Type()
	switch e := e.(type) {
	case *loop.Const:
		return k.unit.constant(e)
	case *loop.VarRef:
		return primary("%s", k.scope.name(e.Var, "variable "+e.Var.Name))
	case *loop.Load:
		return k.load(e)
	case *loop.Unary:
		return k.lanes(unaryNames[e.Op], e.X.Type(), t, k.unit.unary(e.Op, e.X.Type().Elem), e.X)
	case *loop.Binary:
		return k.binary(e)
	case *loop.MulAdd:
		return k.mulAdd(e)
	case *loop.Dot:
		return k.dot(e)
	case *loop.Distances:
		return k.distances(e)
	case *loop.Call:
		return k.lanes(e.Func.Name, t, t, k.unit.call(e.Func, t.Elem), e.Args...)
	case *loop.Select:
		return k.selection(e)
	case *loop.Cast:
		from := e.X.Type()
		if from.Elem == e.To {
			return k.expr(e.X)
		}
		return k.lanes("to_"+e.To.String()+"_from", from, t, k.unit.cast(from.Elem, e.To), e.X)
	case *loop.Broadcast:
		return k.splat(t, k.expr(e.X))
	case *loop.Ramp:
		return k.ramp(e)
	case *loop.Fold:
		return k.fold(e)
	case *loop.Shift:
		return k.shift(e)
	case *loop.Lane:
		return primary("%s", k.unit.lane(k.expr(e.X).at(levelPrimary), e.X.Type().Lanes, e.Number))
	case *loop.Hold:
		return k.expr(e.X)
	case *loop.Swizzle:
		return k.swizzle(e)
	case *loop.Lead:
		return primary("0") // nothing but time depends on it
	}
	fail("no text for %T", e)
	return code{}
}

// text prints a value for a place that takes any expression.
func (k *kernel) text(e loop.Expr) string { return k.expr(e).text }

// A scalar makes the expression of a lane of those of its operands.
type scalar func(operands []code) code

// lanes prints an operation on scalars, or on vectors by a helper that does it for each lane; of is the type that the helper is called
// after.
func (k *kernel) lanes(name string, of, result loop.Type, operation scalar, operands ...loop.Expr) code {
	list := make([]code, len(operands))
	types := make([]loop.Type, len(operands))
	for i, o := range operands {
		list[i], types[i] = k.expr(o), o.Type()
	}
	if result.Lanes == 1 {
		return operation(list)
	}
	return primary("%s(%s)", k.unit.laneByLane(name, of, result, types, operation), commas(list))
}

func commas(list []code) string {
	text := ""
	for i, c := range list {
		if i > 0 {
			text += ", "
		}
		text += c.text
	}
	return text
}

// isPlain reports whether an int64 is made of counters, sizes and constants alone.
func (k *kernel) isPlain(e loop.Expr) bool {
	switch e := e.(type) {
	case *loop.Const:
		return true
	case *loop.VarRef:
		return k.plain[e.Var]
	case *loop.Unary, *loop.Binary, *loop.MulAdd:
		return !slices.ContainsFunc(loop.Children(e), func(c loop.Expr) bool { return !k.isPlain(c) })
	}
	return false
}

// signs are the operators that the language has.
var signs = map[ein.BinaryOp]struct {
	text  string
	level int
}{
	ein.Add: {"+", levelAdd}, ein.Sub: {"-", levelAdd}, ein.Mul: {"*", levelMul}, ein.Div: {"/", levelMul},
	ein.Lt: {"<", levelCompare}, ein.Le: {"<=", levelCompare}, ein.Gt: {">", levelCompare}, ein.Ge: {">=", levelCompare},
	ein.Eq: {"==", levelCompare}, ein.Ne: {"!=", levelCompare}, ein.And: {"&&", levelAnd}, ein.Or: {"||", levelOr},
	ein.BitAnd: {"&", levelBits}, ein.BitOr: {"|", levelBits}, ein.BitXor: {"^", levelBits},
}

// isInfix reports whether an operator is that of the language for scalars of a type.
func isInfix(op ein.BinaryOp, d tensor.DType) bool {
	_, has := signs[op]
	arithmetic := op == ein.Add || op == ein.Sub || op == ein.Mul
	switch {
	case arithmetic:
		return d.IsFloat() || d == tensor.Uint32 || d == tensor.Uint64
	case op == ein.Div:
		return d.IsFloat()
	}
	return has
}

// isArithmetic reports whether an operator of floats is one of vectors of the language.
func (k *kernel) isArithmetic(op ein.BinaryOp, t loop.Type) bool {
	return k.unit.native(t.Lanes) && t.Elem.IsFloat() && (op == ein.Add || op == ein.Sub || op == ein.Mul || op == ein.Div)
}

func (k *kernel) binary(e *loop.Binary) code {
	t := e.X.Type()
	sign := signs[e.Op]
	plain := t == loop.Scalar(tensor.Int64) && (e.Op == ein.Add || e.Op == ein.Sub || e.Op == ein.Mul) && k.isPlain(e)
	if plain || k.isArithmetic(e.Op, t) {
		return infix(k.expr(e.X), sign.text, k.expr(e.Y), sign.level)
	}
	return k.lanes(operatorNames[e.Op], t, e.Type(), k.unit.operator(e.Op, t.Elem), e.X, e.Y)
}

func (k *kernel) mulAdd(e *loop.MulAdd) code {
	t := e.Type()
	if k.isArithmetic(ein.Add, t) || t == loop.Scalar(tensor.Int64) && k.isPlain(e) {
		return infix(infix(k.expr(e.X), "*", k.expr(e.Y), levelMul), "+", k.expr(e.Z), levelAdd)
	}
	multiply, add := k.unit.operator(ein.Mul, t.Elem), k.unit.operator(ein.Add, t.Elem)
	return k.lanes("multiply_add", t, t, func(x []code) code { return add([]code{multiply(x[:2]), x[2]}) }, e.X, e.Y, e.Z)
}

func (k *kernel) selection(e *loop.Select) code {
	if e.Cond.Type().Lanes == 1 {
		return conditional(k.expr(e.Cond), k.expr(e.Then), k.expr(e.Else))
	}
	return k.lanes("select", e.Type(), e.Type(), func(x []code) code { return conditional(x[0], x[1], x[2]) }, e.Cond, e.Then, e.Else)
}

// splat repeats a scalar.
func (k *kernel) splat(t loop.Type, x code) code {
	if k.unit.native(t.Lanes) {
		return code{fmt.Sprintf("(%s)(%s)", k.unit.value(t), x.text), levelPrimary}
	}
	return primary("%s(%s)", k.unit.each("splat", t, t, []loop.Type{loop.Scalar(t.Elem)}, func(int) string { return "x" }), x.text)
}

func (k *kernel) ramp(e *loop.Ramp) code {
	name, t := fmt.Sprintf("ramp_%s", identifier(fmt.Sprint(e.Stride))), e.Type()
	return primary("%s(%s)", k.unit.each(name, t, t, []loop.Type{loop.Scalar(tensor.Int64)}, func(lane int) string {
		return fmt.Sprintf("x + %s", k.unit.constant(loop.Int(int64(lane)*e.Stride)).at(levelPrimary))
	}), k.text(e.Base))
}

func (k *kernel) shift(e *loop.Shift) code {
	name, t := fmt.Sprintf("shift_%s", identifier(fmt.Sprint(e.By))), e.Type()
	return primary("%s(%s, %s)", k.unit.each(name, t, t, []loop.Type{t, loop.Scalar(t.Elem)}, func(lane int) string {
		if from := lane - e.By; from >= 0 && from < t.Lanes {
			return k.unit.lane("x", t.Lanes, from)
		}
		return "y"
	}), k.text(e.X), k.text(e.Fill))
}

// swizzle is a function of the element, which is not negative: shifts and masks where the numbers are powers of two.
func (k *kernel) swizzle(e *loop.Swizzle) code {
	row := fmt.Sprintf("x / %d", e.Every)
	if e.Every&(e.Every-1) == 0 {
		row = fmt.Sprintf("x >> %d", bits.TrailingZeros64(uint64(e.Every)))
	}
	t, name := e.Type(), fmt.Sprintf("swizzle_%d_%d_%d", e.Unit, e.Units, e.Every)
	place := func(x string) string {
		return strings.ReplaceAll(fmt.Sprintf("x ^ (((%s) & %d) * %d)", row, e.Units-1, e.Unit), "x", x)
	}
	if t.Lanes == 1 {
		name = k.unit.helper(name, t, t, k.unit.value(t)+" x", "  return "+place("x")+";")
	} else {
		name = k.unit.each(name, t, t, []loop.Type{t}, func(lane int) string { return place(k.unit.lane("x", t.Lanes, lane)) })
	}
	return primary("%s(%s)", name, k.text(e.X))
}

// fold combines the lanes by halves, which is the order of the evaluator, too.
func (k *kernel) fold(e *loop.Fold) code {
	t := e.X.Type()
	if t.Lanes == 1 {
		return k.expr(e.X)
	}
	operation := k.unit.operator(e.Op, t.Elem)
	list := make([]code, t.Lanes)
	for l := range list {
		list[l] = primary("%s", k.unit.lane("x", t.Lanes, l))
	}
	for len(list) > 1 {
		half := len(list) / 2
		for l := range half {
			list[l] = operation([]code{list[l], list[half+l]})
		}
		list = list[:half]
	}
	name := k.unit.helper("fold_"+operatorNames[e.Op], t, e.Type(), k.unit.value(t)+" x", "  return "+list[0].text+";")
	return primary("%s(%s)", name, k.text(e.X))
}

func (k *kernel) dot(e *loop.Dot) code {
	x, y, t := e.X.Type(), e.Y.Type(), e.Type()
	group := ein.DotGroup(x.Elem)
	add, multiply := k.unit.operator(ein.Add, tensor.Int32), k.unit.operator(ein.Mul, tensor.Int32)
	name := k.unit.each("dot_"+k.unit.value(x)+"_"+k.unit.value(y), t, t, []loop.Type{x, y, t}, func(lane int) string {
		sum := primary("%s", k.unit.lane("z", t.Lanes, lane))
		for q := range group {
			at := lane*group + q
			left, right := primary("%s", k.unit.lane("x", x.Lanes, at%x.Lanes)), primary("%s", k.unit.lane("y", y.Lanes, at%y.Lanes))
			sum = add([]code{sum, multiply([]code{left, right})})
		}
		return sum.text
	})
	return primary("%s(%s)", name, commas([]code{k.expr(e.X), k.expr(e.Y), k.expr(e.Z)}))
}

func (k *kernel) distances(e *loop.Distances) code {
	x, t := e.X.Type(), e.Type()
	add := k.unit.operator(ein.Add, tensor.Int32)
	name := k.unit.each("distances", t, t, []loop.Type{x, x, t}, func(lane int) string {
		sum := primary("%s", k.unit.lane("z", t.Lanes, lane))
		for q := range 8 {
			if lane%2 == 1 {
				break
			}
			left, right := k.unit.lane("x", x.Lanes, lane*4+q), k.unit.lane("y", x.Lanes, lane*4+q)
			distance := primary("(%[1]s > %[2]s ? %[1]s - %[2]s : %[2]s - %[1]s)", left, right)
			sum = add([]code{sum, distance})
		}
		return sum.text
	})
	return primary("%s(%s)", name, commas([]code{k.expr(e.X), k.expr(e.Y), k.expr(e.Z)}))
}
