package c

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// The levels of C's operators that the printer uses; a higher one binds tighter.
const (
	levelConditional = iota + 3
	levelOr
	levelAnd
	levelBitOr
	levelBitXor
	levelBitAnd
	levelEqual
	levelCompare
	levelShift
	levelAdd
	levelMul
	levelUnary
	levelPrimary
)

// code is the text of a C expression and the level of its outermost operator.
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

// operandLevels are the least levels of operands that compilers read without
// suggesting parentheses, for the operators of which they doubt that people know
// how tightly they bind.
var operandLevels = map[int]int{
	levelOr: levelBitOr, levelAnd: levelBitOr, levelBitOr: levelUnary, levelBitXor: levelUnary, levelBitAnd: levelUnary,
	levelEqual: levelShift, levelCompare: levelShift, levelShift: levelMul,
}

// binary joins two operands with a left-associative operator.
func binary(x code, op string, y code, level int) code {
	left, right := level, level+1
	if least := operandLevels[level]; least > 0 {
		right = least
		if x.level != level || level == levelEqual || level == levelCompare {
			left = least
		}
	}
	return code{x.at(left) + " " + op + " " + y.at(right), level}
}

func conditional(cond, yes, no code) code {
	return code{cond.at(levelOr) + " ? " + yes.at(levelOr) + " : " + no.at(levelConditional), levelConditional}
}

// castTo converts a scalar, or reinterprets a vector.
func castTo(typ string, x code) code { return code{"(" + typ + ")" + x.at(levelUnary), levelUnary} }

func isMask(t loop.Type) bool { return t.Elem == tensor.Bool && t.Lanes > 1 }

// expr prints a value; a mask has its natural width.
func (k *kernel) expr(e loop.Expr) code {
	t := e.Type()
	if isMask(t) {
		return k.mask(e, k.maskWidth(e))
	}
	switch e := e.(type) {
	case *loop.Const:
		return constant(e)
	case *loop.VarRef:
		return primary("%s", k.scope.name(e.Var, "variable "+e.Var.Name))
	case *loop.Load:
		return k.load(e)
	case *loop.Unary:
		return k.unary(e)
	case *loop.Binary:
		return k.binary(e)
	case *loop.MulAdd:
		if c, ok := k.productSum(e.X, e.Y, e.Z); ok {
			return c
		}
		if c, ok := k.addShared(e); ok {
			return c
		}
		product := k.infix("*", levelMul, e.X, e.Y)
		sum := binary(product, "+", k.operand(e.Z, !isSplat(e.X) || !isSplat(e.Y)), levelAdd)
		return k.narrow(t, sum)
	case *loop.Dot:
		return k.dot(e)
	case *loop.Distances:
		return k.distances(e)
	case *loop.Call:
		return k.call(e)
	case *loop.Select:
		return k.selection(e)
	case *loop.Cast:
		return k.cast(e)
	case *loop.Broadcast:
		return k.splat(t, k.expr(e.X))
	case *loop.Ramp:
		return k.ramp(k.expr(e.Base), e.Stride, e.Lanes, "i64")
	case *loop.Fold:
		return k.fold(e)
	case *loop.Shift:
		return primary("%s(%s, %s)", k.unit.helper(shiftName(e.By), e.Type()), k.text(e.X), k.text(e.Fill))
	case *loop.Hold:
		return primary("%s(%s)", k.unit.helper("held", t), k.text(e.X))
	case *loop.Lead:
		return k.lead(e)
	case *loop.Lane:
		return primary("%s(%s, %d)", k.unit.helper("lane", e.X.Type()), k.text(e.X), e.Number)
	}
	fail("no C for %T", e)
	return code{}
}

// text prints a value for a place that takes any expression.
func (k *kernel) text(e loop.Expr) string { return k.expr(e).text }

func isSplat(e loop.Expr) bool {
	b, ok := e.(*loop.Broadcast)
	return ok && b.X.Type().Elem != tensor.Bool
}

// operand prints an operand of an infix operator. Beside a vector, C accepts a
// scalar in place of its broadcast.
func (k *kernel) operand(e loop.Expr, besideVector bool) code {
	if besideVector && isSplat(e) {
		return k.expr(e.(*loop.Broadcast).X)
	}
	return k.expr(e)
}

// infix prints x op y; of two broadcasts one stays a vector.
func (k *kernel) infix(op string, level int, x, y loop.Expr) code {
	return binary(k.operand(x, !isSplat(y)), op, k.operand(y, true), level)
}

// narrow wraps the value of scalar integer arithmetic, which C does in int, to its type.
func (k *kernel) narrow(t loop.Type, c code) code {
	if t.Lanes == 1 && t.Elem.IsInteger() && t.Elem.Size() < 4 {
		return castTo(storedName(t.Elem), c)
	}
	return c
}

// splat repeats a scalar. Subtracting zero keeps -0.0, adding it does not.
func (k *kernel) splat(t loop.Type, x code) code {
	vector := k.unit.vector(storedName(t.Elem), t.Lanes)
	switch x.text {
	case "0", "0.0", "0.0f":
		return code{"(" + vector + "){}", levelUnary}
	}
	if t.Elem.IsFloat() {
		return code{x.at(levelAdd) + " - (" + vector + "){}", levelAdd}
	}
	return code{x.at(levelAdd) + " + (" + vector + "){}", levelAdd}
}

// ramp prints base, base+stride, … as a vector of an integer type.
func (k *kernel) ramp(base code, stride int64, lanes int, elem string) code {
	steps := make([]string, lanes)
	for i := range steps {
		steps[i] = fmt.Sprint(int64(i) * stride)
	}
	constant := fmt.Sprintf("(%s){%s}", k.unit.vector(elem, lanes), strings.Join(steps, ", "))
	if base.text == "0" {
		return code{constant, levelUnary}
	}
	return code{base.at(levelAdd) + " + " + constant, levelAdd}
}

func (k *kernel) unary(e *loop.Unary) code {
	t := e.Type()
	x := k.expr(e.X)
	switch e.Op {
	case ein.Not:
		return code{"!" + x.at(levelUnary), levelUnary}
	case ein.Popcount, ein.Clz:
		return primary("%s(%s)", k.unit.helper(e.Op.String(), t), x.text)
	}
	return k.narrow(t, code{"-" + x.at(levelPrimary), levelUnary})
}

// infixOperators are the operators that C has too, on all types or on floats.
var infixOperators = map[ein.BinaryOp]struct {
	text  string
	level int
}{
	ein.Add: {"+", levelAdd}, ein.Sub: {"-", levelAdd}, ein.Mul: {"*", levelMul}, ein.Div: {"/", levelMul},
	ein.Lt: {"<", levelCompare}, ein.Le: {"<=", levelCompare}, ein.Gt: {">", levelCompare}, ein.Ge: {">=", levelCompare},
	ein.Eq: {"==", levelEqual}, ein.Ne: {"!=", levelEqual}, ein.And: {"&&", levelAnd}, ein.Or: {"||", levelOr},
}

// helperOperators are the operators that need a function, on all types or on integers.
var helperOperators = map[ein.BinaryOp]string{ein.Div: "div", ein.Mod: "mod", ein.Min: "min", ein.Max: "max"}

// binary prints an infix operator whose value is not a mask.
func (k *kernel) binary(e *loop.Binary) code {
	t := e.X.Type()
	if e.Op.IsBitwise() {
		return k.bitwise(e)
	}
	integerDivision := (e.Op == ein.Div || e.Op == ein.Mod) && !t.Elem.IsFloat()
	if integerDivision {
		if c, ok := k.divideByConstant(e); ok {
			return c
		}
	}
	if c, ok := k.indexOperation(e); ok {
		return c
	}
	if c, ok := k.dividedByScalar(e); ok {
		return c
	}
	if c, ok := k.sumOfProduct(e); ok {
		return c
	}
	if e.Op == ein.Mul {
		if c, ok := k.product(e.X, e.Y); ok {
			return c
		}
	}
	if op, ok := infixOperators[e.Op]; ok && !integerDivision {
		c := k.infix(op.text, op.level, e.X, e.Y)
		if e.Op.IsComparison() || e.Op == ein.And || e.Op == ein.Or {
			return c
		}
		return k.narrow(t, c)
	}
	helper, ok := helperOperators[e.Op]
	if t.Elem == tensor.Bool {
		return k.infix(boolOperators[e.Op].text, boolOperators[e.Op].level, e.X, e.Y)
	}
	if !ok {
		fail("no C for binary operator %d", e.Op)
	}
	return primary("%s(%s, %s)", k.unit.helper(helper, t), k.text(e.X), k.text(e.Y))
}

// boolOperators are the operators on scalar bools that are not C's own.
var boolOperators = map[ein.BinaryOp]struct {
	text  string
	level int
}{ein.Min: {"&&", levelAnd}, ein.Max: {"||", levelOr}}

// constantOf returns the integer that an expression, or each of its lanes, is.
func constantOf(e loop.Expr) (int64, bool) {
	switch e := e.(type) {
	case *loop.Const:
		return int64(e.Bits), e.Elem.IsInteger() && !(e.Elem == tensor.Uint64 && int64(e.Bits) < 0)
	case *loop.Broadcast:
		return constantOf(e.X)
	}
	return 0, false
}

// divideByConstant prints floor division and modulo by a positive constant
// without the tests for zero and for the smallest integer.
func (k *kernel) divideByConstant(e *loop.Binary) (code, bool) {
	t := e.X.Type()
	d, ok := constantOf(e.Y)
	if !ok || d <= 0 {
		return code{}, false
	}
	x := k.expr(e.X)
	if t.Lanes == 1 && d&(d-1) != 0 || t.Elem.Kind() == tensor.KindUint && t.Lanes == 1 {
		if t.Elem.Kind() == tensor.KindUint {
			op := map[ein.BinaryOp]string{ein.Div: "/", ein.Mod: "%"}[e.Op]
			return k.narrow(t, binary(x, op, k.expr(e.Y), levelMul)), true
		}
		return primary("%s(%s, %s)", k.unit.helper(helperOperators[e.Op]+"_positive", t), x.text, k.text(e.Y)), true
	}
	if d&(d-1) != 0 {
		if !dividesVectors(t) {
			return code{}, false
		}
		return k.divideVector(t, x, d, e.Op == ein.Mod), true
	}
	shift := 0
	for d>>shift != 1 {
		shift++
	}
	op, level, literal := "&", levelBitAnd, d-1
	if e.Op == ein.Div {
		op, level, literal = ">>", levelShift, int64(shift)
	}
	return k.narrow(t, binary(x, op, constant(&loop.Const{Elem: t.Elem, Bits: uint64(literal)}), level)), true
}

// selection prints a Select whose value is not a mask.
func (k *kernel) selection(e *loop.Select) code {
	t := e.Type()
	if e.Cond.Type().Lanes == 1 {
		yes, no := k.typed(e.Then), k.expr(e.Else)
		if t.Lanes > 1 { // what is read through a pointer has another alignment, which ?: refuses
			yes, no = castTo(k.unit.value(t), yes), castTo(k.unit.value(t), no)
		}
		return k.narrow(t, conditional(k.expr(e.Cond), yes, no))
	}
	e = withZeroLast(e)
	helper := k.unit.helper("select", t)
	return primary("%s(%s, %s, %s)", helper, k.mask(e.Cond, t.Elem.Size()).text, k.text(e.Then), k.text(e.Else))
}

// oppositeOf has the comparisons that hold where others do not, of integers; of floats, too, where these are == and !=.
var oppositeOf = map[ein.BinaryOp]ein.BinaryOp{
	ein.Lt: ein.Ge, ein.Ge: ein.Lt, ein.Le: ein.Gt, ein.Gt: ein.Le, ein.Eq: ein.Ne, ein.Ne: ein.Eq,
}

// withZeroLast turns a choice round that chooses zeros where a comparison holds. Of lanes that are set to zero where it holds
// gcc 12 computes the last operation twice, and one division is the time of many others: where it does not hold it
// takes an instruction that sets the other lanes to zero.
func withZeroLast(e *loop.Select) *loop.Select {
	cond, ok := e.Cond.(*loop.Binary)
	_, known := literalOf(e.Else)
	if zero, isConst := literalOf(e.Then); !ok || !isConst || zero.Bits != 0 || known || isMask(cond.X.Type()) {
		return e
	}
	op, ok := oppositeOf[cond.Op]
	if _, first := rampLimit(cond); first || !ok || cond.X.Type().Elem.IsFloat() && cond.Op != ein.Eq && cond.Op != ein.Ne {
		return e
	}
	return &loop.Select{Cond: &loop.Binary{Op: op, X: cond.X, Y: cond.Y}, Then: e.Else, Else: e.Then}
}

// foldNames are the operators of Fold on numbers.
var foldNames = map[ein.BinaryOp]string{ein.Add: "add", ein.Mul: "mul", ein.Min: "min", ein.Max: "max",
	ein.BitAnd: "and", ein.BitOr: "or", ein.BitXor: "xor"}

func (k *kernel) fold(e *loop.Fold) code {
	t := e.X.Type()
	if t.Lanes == 1 {
		return k.expr(e.X)
	}
	if isMask(t) {
		return k.foldMask(e)
	}
	name, ok := foldNames[e.Op]
	if !ok {
		fail("no C for a fold by operator %d", e.Op)
	}
	return primary("%s(%s)", k.unit.helper("fold_"+name, t), k.text(e.X))
}

// literalOf returns the constant that a value is, perhaps in all lanes.
func literalOf(e loop.Expr) (*loop.Const, bool) {
	if b, ok := e.(*loop.Broadcast); ok {
		e = b.X
	}
	c, ok := e.(*loop.Const)
	return c, ok
}
