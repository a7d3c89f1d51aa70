package items

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/tensor"
)

// helper defines a function that is called after a name and a type, and returns what it is called.
func (u *unit) helper(name string, of, result loop.Type, params, body string) string {
	return u.function(fmt.Sprintf("r_%s_%s", name, u.vector(nameOf(of.Elem), of.Lanes)), u.value(result), params, body)
}

// function defines a function of any type, unless it is there.
func (u *unit) function(name, result, params, body string) string {
	if u.once(name) {
		fmt.Fprintf(&u.helpers, "\n%s %s %s(%s) {\n%s\n}\n", u.dialect.Function, result, name, params, strings.Trim(body, "\n"))
	}
	return name
}

var argumentNames = []string{"x", "y", "z", "w"}

// each defines a helper that makes a vector of an expression for each lane.
func (u *unit) each(name string, of, result loop.Type, params []loop.Type, lane func(lane int) string) string {
	list, lanes := make([]string, len(params)), make([]string, result.Lanes)
	for i, p := range params {
		list[i] = u.value(p) + " " + argumentNames[i]
	}
	for l := range lanes {
		lanes[l] = lane(l)
	}
	return u.helper(name, of, result, strings.Join(list, ", "), u.returned(u.value(result), lanes))
}

// laneByLane defines a helper that applies an operation to each lane.
func (u *unit) laneByLane(name string, of, result loop.Type, params []loop.Type, operation scalar) string {
	return u.each(name, of, result, params, func(lane int) string {
		operands := make([]code, len(params))
		for i, p := range params {
			operands[i] = primary("%s", u.lane(argumentNames[i], p.Lanes, lane))
		}
		return operation(operands).text
	})
}

// operatorNames are those of helpers.
var operatorNames = map[ein.BinaryOp]string{
	ein.Add: "add", ein.Sub: "subtract", ein.Mul: "multiply", ein.Div: "divide", ein.Mod: "mod", ein.Min: "min", ein.Max: "max",
	ein.Lt: "less", ein.Le: "less_equal", ein.Gt: "greater", ein.Ge: "greater_equal", ein.Eq: "equal", ein.Ne: "not_equal",
	ein.And: "and", ein.Or: "or", ein.BitAnd: "bit_and", ein.BitOr: "bit_or", ein.BitXor: "bit_xor", ein.Shl: "shift_left", ein.Shr: "shift_right",
}

// operator is a binary operator on scalars of a type.
func (u *unit) operator(op ein.BinaryOp, d tensor.DType) scalar {
	switch {
	case d == tensor.Bool && op == ein.Min:
		op = ein.And
	case d == tensor.Bool && op == ein.Max:
		op = ein.Or
	}
	if isInfix(op, d) {
		sign := signs[op]
		return func(x []code) code { return infix(x[0], sign.text, x[1], sign.level) }
	}
	return func(x []code) code { return primary("%s(%s)", u.operatorHelper(op, d), commas(x)) }
}

// operatorHelper defines what the language has no operator for.
func (u *unit) operatorHelper(op ein.BinaryOp, d tensor.DType) string {
	body := ""
	switch row := bodies[op]; {
	case d.IsFloat():
		if body = row.float; u.options.Numerics == numerics.Strict && row.strict != "" {
			body = row.strict
		}
	case d.Kind() == tensor.KindInt:
		body = row.signed
	default:
		body = row.unsigned
	}
	if body == "" {
		fail("no operator %d on %s", op, d)
	}
	t := loop.Scalar(d)
	typ := u.value(t)
	return u.helper(operatorNames[op], t, t, typ+" x, "+typ+" y", u.expand(body, d))
}

// A body is that of a helper of a binary operator, for each kind of elements. $S is the type, $U that without a sign, $W
// one without a sign of 32 bits at least, $BITS how many bits there are; $name(…) is a builtin function of the language, or of Ricci's.
type body struct{ float, strict, signed, unsigned string }

var bodies = map[ein.BinaryOp]body{
	ein.Add: {signed: "  return ($S)(($W)x + ($W)y);", unsigned: "  return ($S)(($W)x + ($W)y);"},
	ein.Sub: {signed: "  return ($S)(($W)x - ($W)y);", unsigned: "  return ($S)(($W)x - ($W)y);"},
	ein.Mul: {signed: "  return ($S)(($W)x * ($W)y);", unsigned: "  return ($S)(($W)x * ($W)y);"},
	ein.Div: {
		signed: `
  if (y == 0) return 0;
  if (y == -1) return ($S)(0 - ($W)x);
  return ($S)(x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0));`,
		unsigned: "  return y == 0 ? 0 : x / y;",
	},
	ein.Mod: {
		float: `
  $S r = $fmod(x, y);
  return r == 0 ? $copysign(r, y) : (r < 0) != (y < 0) ? r + y : r;`,
		signed: `
  if (y == 0 || y == -1) return 0;
  $S r = x % y;
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;`,
		unsigned: "  return y == 0 ? 0 : x % y;",
	},
	ein.Min: {
		float: "  return y < x ? y : x;", strict: "  return y < x || (y == x && $signbit(y)) ? y : x;",
		signed: "  return y < x ? y : x;", unsigned: "  return y < x ? y : x;",
	},
	ein.Max: {
		float: "  return y > x ? y : x;", strict: "  return y > x || (y == x && !$signbit(y)) ? y : x;",
		signed: "  return y > x ? y : x;", unsigned: "  return y > x ? y : x;",
	},
	ein.Shl: {
		signed:   "  return ($U)y < $BITS ? ($S)(($W)x << ($U)y) : 0;",
		unsigned: "  return y < $BITS ? ($S)(($W)x << y) : 0;",
	},
	ein.Shr: {
		signed:   "  return ($S)(x >> (($U)y < $BITS ? y : $BITS - 1));",
		unsigned: "  return y < $BITS ? ($S)(x >> y) : 0;",
	},
}

var unaryNames = map[ein.UnaryOp]string{ein.Neg: "negate", ein.Not: "not", ein.Popcount: "popcount", ein.Clz: "clz"}

// unary is a unary operator on scalars of a type.
func (u *unit) unary(op ein.UnaryOp, d tensor.DType) scalar {
	switch {
	case op == ein.Not:
		return func(x []code) code { return code{"!" + x[0].at(levelUnary), levelUnary} }
	case op == ein.Popcount || op == ein.Clz:
		return func(x []code) code { return primary("%s(%s)", u.counter(op, d), x[0].text) }
	case d.IsFloat():
		return func(x []code) code { return code{"-" + x[0].at(levelPrimary), levelUnary} }
	}
	return func(x []code) code {
		t := loop.Scalar(d)
		return primary("%s(%s)", u.helper("negate", t, t, u.value(t)+" x", u.expand("  return ($S)(0 - ($W)x);", d)), x[0].text)
	}
}

// counter counts bits: in pairs, then in fours, and so on (Warren, Hacker's Delight, section 5-1).
func (u *unit) counter(op ein.UnaryOp, d tensor.DType) string {
	word := "u64 v"
	count := u.function("r_popcount", "i32", word, u.expand(`
  v = v - ((v >> 1) & 0x5555555555555555U$L);
  v = (v & 0x3333333333333333U$L) + ((v >> 2) & 0x3333333333333333U$L);
  v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fU$L;
  return (i32)((v * 0x0101010101010101U$L) >> 56);`, d))
	t := loop.Scalar(d)
	if op == ein.Popcount {
		return u.helper("popcount", t, t, u.value(t)+" x", u.expand("  return ($S)"+count+"(($U)x);", d))
	}
	return u.helper("clz", t, t, u.value(t)+" x", u.expand(`
  u64 v = ($U)x;
  for (i32 shift = 1; shift < $BITS; shift *= 2) v |= v >> shift;
  return ($S)($BITS - `+count+`(v));`, d))
}

// cast is a conversion of scalars.
func (u *unit) cast(from, to tensor.DType) scalar {
	switch {
	case to == tensor.Bool:
		return func(x []code) code { return infix(x[0], "!=", primary("0"), levelCompare) }
	case from.IsFloat() && to.IsInteger():
		return func(x []code) code { return primary("%s(%s)", u.saturate(from, to), x[0].text) }
	}
	return func(x []code) code { return castTo(nameOf(to), x[0]) }
}

// saturate truncates, clamps to the range of an integer type, and makes 0 of a NaN.
func (u *unit) saturate(from, to tensor.DType) string {
	bits, suffix := 8*to.Size(), ""
	if from == tensor.Float32 {
		suffix = "f"
	}
	high, low := fmt.Sprintf("0x1p%d%s", bits, suffix), "0.0"+suffix
	largest, smallest := fmt.Sprintf("(%s)0x%xU%s", nameOf(to), ^uint64(0)>>(64-bits), u.dialect.Long), "0"
	if to.Kind() == tensor.KindInt {
		high, low = fmt.Sprintf("0x1p%d%s", bits-1, suffix), fmt.Sprintf("-0x1p%d%s", bits-1, suffix)
		largest = fmt.Sprintf("(%s)0x%xU%s", nameOf(to), ^uint64(0)>>(65-bits), u.dialect.Long)
		smallest = fmt.Sprintf("(%s)0x%xU%s", nameOf(to), uint64(1)<<(bits-1), u.dialect.Long)
	}
	body := fmt.Sprintf("  return x != x ? 0 : x >= %s ? %s : x < %s ? %s : (%s)x;", high, largest, low, smallest, nameOf(to))
	return u.helper("to_"+nameOf(to), loop.Scalar(from), loop.Scalar(to), nameOf(from)+" x", body)
}
