package tc

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Operators on bits: their types, what may be misread in them, and their lowering. A shift has the
// type of what is shifted; its count is an integer of any type.

// instead says what is written for an operator on bits where there are none.
var instead = map[string]struct{ conditions, floats string }{
	"&": {"of conditions, and is &&", ""}, "|": {"of conditions, or is ||", ""}, "~": {"the negation of a condition is !", ""},
	"^": {"of conditions, one or the other is !=: (a) != (b)", "a power is pow(x, y), a square x*x; "},
}

// shiftOfFloat says what a shift of a float is written as.
func (t *typer) shiftOfFloat(e *syntax.Binary) string {
	if e.Op != "<<" && e.Op != ">>" {
		return ""
	}
	op, x := map[string]string{"<<": "*", ">>": "/"}[e.Op], t.statement.written(e.X, true)
	if _, factor, ok := asArithmetic(e); ok {
		return fmt.Sprintf("write %s%s%d, or for the bits ", x, op, factor)
	}
	return fmt.Sprintf("write %s%spow(2, %s), or for the bits ", x, op, inLine(e.Y.Span().Text()))
}

// bitOperand requires an integer.
func (t *typer) bitOperand(of, e syntax.Expr, op string, v valueType) bool {
	if !v.known() || v.isInteger() {
		return v.known()
	}
	diag := t.errorf(source.CodeBitType, e.Span(), "%s works on the bits of integers, and %s is %s", op, oneLine(e.Span().Text()), article(v.describe()))
	if v.dtype == tensor.Bool && instead[op].conditions != "" {
		diag.WithHelp("%s", instead[op].conditions)
	} else {
		said := instead[op].floats
		if b, ok := of.(*syntax.Binary); ok && b.X == e && v.dtype != tensor.Bool {
			said += t.shiftOfFloat(b)
		}
		diag.WithHelp("%sconvert it: %s", said, castAround(e, tensor.Int32))
	}
	return false
}

// bitReduction reports a reduction by an operator on bits of what has none.
func (s *statement) bitReduction() {
	t, op := s.targets[0], s.syntax.Assign.String()
	diag := s.errorf(source.CodeBitType, s.syntax.AssignPos, "%s combines the bits of integers, and %s is %s", op, t.Name, article(t.Type.String()))
	if t.Type == tensor.Bool {
		diag.WithHelp("of conditions, max= is or, min= is and")
	} else {
		diag.WithHelp("convert the value: %s %s int32(%s)", s.targetText(0), op, inLine(s.syntax.Value.Span().Text()))
	}
}

// article puts one before the name of a type.
func article(what string) string {
	switch what[0] {
	case 'a':
		return what
	case 'i':
		return "an " + what
	}
	return "a " + what
}

// bits is the type of an operator on the bits of two integers.
func (t *typer) bits(e *syntax.Binary, x, y valueType) valueType {
	okX, okY := t.bitOperand(e, e.X, e.Op, x), t.bitOperand(e, e.Y, e.Op, y)
	if !okX || !okY {
		return valueType{}
	}
	t.power(e, x, y)
	if x.constant && y.constant && x.weak != strong && y.weak != strong {
		if v, ok := foldBits(e.Op, x.integer, y.integer); ok {
			return literalInt(v)
		}
	}
	if e.Op != "<<" && e.Op != ">>" {
		return settle(t.bitMeeting(e, x, y))
	}
	t.shiftedOut(e, x, y)
	if x.weak != strong {
		return valueType{weak: weakInt, shifted: true} // 1 << n has the type of what it meets, (1 << n) - 1 too
	}
	return x
}

// bitMeeting is meeting, but for negative literals, which stand for their bits in unsigned types, too.
func (t *typer) bitMeeting(e *syntax.Binary, x, y valueType) valueType {
	for _, sides := range [][2]*valueType{{&x, &y}, {&y, &x}} {
		literal, other := sides[0], sides[1]
		if literal.constant && literal.weak == weakInt && literal.integer < 0 && other.weak == strong && other.dtype.Kind() == tensor.KindUint && literal.integer >= -1<<(8*other.dtype.Size()-1) {
			return *other
		}
	}
	return t.meeting(e, "the operands of "+e.Op, operand{e.X, x}, operand{e.Y, y})
}

// foldBits computes exactly; ok is false where int64 does not have the result, or the type decides.
func foldBits(op string, x, y int64) (v int64, ok bool) {
	switch op {
	case "&":
		return x & y, true
	case "|":
		return x | y, true
	case "^":
		return x ^ y, true
	case ">>":
		return x >> uint64(y), y >= 0
	}
	if y < 0 || y > 62 || x<<y>>y != x {
		return 0, false
	}
	return x << y, true
}

// complement is the type of ~x.
func (t *typer) complement(e *syntax.Unary, x valueType) valueType {
	switch {
	case !t.bitOperand(e, e.X, e.Op, x):
		return valueType{}
	case x.constant && x.weak == weakInt:
		return literalInt(^x.integer)
	}
	return settle(x)
}

// bitFunction is the type of popcount(x) and clz(x), that of x.
func (t *typer) bitFunction(e *syntax.Apply, args []valueType) valueType {
	if len(args) != 1 {
		t.errorf(source.CodeArguments, e.Pos, "%s takes 1 argument, not %d", e.Func.Name, len(args)).
			WithHelp("popcount(x) is how many bits of an integer are 1, clz(x) how many are 0 above the highest that is 1")
		return valueType{}
	}
	if !t.bitOperand(e, e.Args[0], e.Func.Name, args[0]) {
		return valueType{}
	}
	return settle(args[0])
}

// bitGrouping warns where C and Python put other parentheses.
func (t *typer) bitGrouping(e *syntax.Binary) {
	if !t.report {
		return
	}
	warn := func(g token.Grouping, inner *syntax.Binary, operands ...syntax.Expr) {
		for k, x := range operands {
			g.Operands[k] = oneLine(x.Span().Text())
		}
		if g.IsMisread() {
			here, there := g.Texts()
			t.statement.def.diags.Warnf(source.CodeBitGrouping, inner.Pos.Join(e.Pos), "%s here, and %s in C and Python", here, there).
				WithHelp("write the parentheses: %s or %s", here, there)
		}
	}
	if x, ok := e.X.(*syntax.Binary); ok {
		warn(token.Grouping{Outer: e.Op, Inner: x.Op, OnLeft: true}, x, x.X, x.Y, e.Y)
	}
	if y, ok := e.Y.(*syntax.Binary); ok {
		warn(token.Grouping{Outer: e.Op, Inner: y.Op}, y, e.X, y.X, y.Y)
	}
}

// power warns of x^2, 2^x and 10^x: they are powers elsewhere.
func (t *typer) power(e *syntax.Binary, x, y valueType) {
	decimal := func(e syntax.Expr, v valueType, numbers ...int64) bool {
		n, ok := e.(*syntax.Number)
		for _, number := range numbers {
			if ok && v.constant && v.integer == number && (len(n.Text) < 2 || n.Text[1] != 'x' && n.Text[1] != 'X') {
				return true
			}
		}
		return false
	}
	if _, compound := e.X.(*syntax.Binary); compound || e.Op != "^" || !t.report {
		return
	}
	left, right := oneLine(e.X.Span().Text()), oneLine(e.Y.Span().Text())
	switch {
	case decimal(e.X, x, 2):
		t.statement.def.diags.Warnf(source.CodeBitPower, e.Pos, "%s changes bits: ^ is the exclusive or, not a power", oneLine(e.Pos.Text())).
			WithHelp("write 1 << %s for the power of two, or 0x2 ^ %s for the bits", right, right)
	case decimal(e.X, x, 10):
		t.statement.def.diags.Warnf(source.CodeBitPower, e.Pos, "%s changes bits: ^ is the exclusive or, not a power", oneLine(e.Pos.Text())).
			WithHelp("write pow(10.0, %s) for the power, or 0xA ^ %s for the bits", right, right)
	case decimal(e.Y, y, 2, 3):
		t.statement.def.diags.Warnf(source.CodeBitPower, e.Pos, "%s changes bits: ^ is the exclusive or, not a power", oneLine(e.Pos.Text())).
			WithHelp("write %s*%s for the square, or %s ^ 0x%s for the bits", left, left, left, right)
	}
}

// shiftedOut warns of literal counts by which nothing is left.
func (t *typer) shiftedOut(e *syntax.Binary, x, y valueType) {
	bits := int64(8 * x.settled().Size())
	if !t.report || !y.constant || y.weak == strong || x.weak != strong || y.integer >= 0 && y.integer < bits {
		return
	}
	left := "0"
	if e.Op == ">>" && x.dtype.Kind() == tensor.KindInt {
		left = "0 or -1"
	}
	diag := t.statement.def.diags.Warnf(source.CodeShiftedOut, e.Pos, "%s leaves no bit of %s: it is %s", oneLine(e.Pos.Text()), article(x.describe()), left)
	switch {
	case y.integer < 0:
		diag.WithHelp("a negative count does not shift the other way")
	case e.Op == "<<" && y.integer < 32:
		diag.WithHelp("make room before the shift: uint32(%s) << %d", inLine(e.X.Span().Text()), y.integer)
	case e.Op == "<<" && y.integer < 64:
		diag.WithHelp("make room before the shift: uint64(%s) << %d", inLine(e.X.Span().Text()), y.integer)
	default:
		diag.WithHelp("%s has %d bits", article(x.describe()), bits)
	}
}

// places lowers the count of a shift to the type of what is shifted. What is no place of a bit stays none.
func (l *lowering) places(e syntax.Expr, to tensor.DType) ein.Expr {
	bits := int64(8 * to.Size())
	v := l.types[e]
	if v.constant && v.weak == weakInt {
		n := v.integer
		if n < 0 || n > bits {
			n = bits
		}
		return &ein.Const{Pos: e.Span(), DType: to, Bits: uint64(n)}
	}
	return ein.Places(l.value(e, v.settled()), to)
}

// asArithmetic says which product, quotient or remainder by a power of two an operator on bits of whole numbers is.
func asArithmetic(e *syntax.Binary) (op ein.BinaryOp, factor int64, ok bool) {
	n, isNumber := withoutParens(e.Y).(*syntax.Number)
	if !isNumber {
		return 0, 0, false
	}
	v, _ := parseNumber(n.Text)
	if !v.constant || v.weak != weakInt {
		return 0, 0, false
	}
	switch places := v.integer; {
	case e.Op == "&":
		return ein.Mod, places + 1, places < 1<<62 && places&(places+1) == 0
	case places > 61:
		return 0, 0, false
	case e.Op == "<<":
		return ein.Mul, 1 << places, true
	default:
		return ein.Div, 1 << places, e.Op == ">>"
	}
}

func withoutParens(e syntax.Expr) syntax.Expr {
	for {
		p, ok := e.(*syntax.Paren)
		if !ok {
			return e
		}
		e = p.X
	}
}
