package tc

import (
	"fmt"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/tensor"
)

// How arithmetic is written with more room
//
// In a(i)*b(i) + c(i)*d(i) a conversion of a(i) gives the first product room, and the sum, but not the second product: operands
// are converted where arithmetic begins. What a help writes must mend all of the expression at once, as each
// conversion that is left out is another warning, or none.

// longestHelp bounds program text in a help; beyond it the rule is told, as a text that is cut cannot be followed.
const longestHelp = 120

// widen writes whole with a part of it computed in a type that has room.
func (s *statement) widen(whole, part syntax.Expr, room tensor.DType) string {
	span := whole.Span()
	text := span.Text()
	list := s.unconverted(part, room, nil)
	slices.SortFunc(list, func(a, b syntax.Expr) int { return b.Span().Start - a.Span().Start })
	for _, x := range list {
		at := x.Span()
		text = text[:at.Start-span.Start] + castAround(x, room) + text[at.End-span.Start:]
	}
	return inLine(text)
}

// widenHelp says how a part of a value is written with room, before being what stands in front of the part in the help.
func (s *statement) widenHelp(before string, part syntax.Expr, room tensor.DType) string {
	written := before + s.widen(part, part, room)
	also := ""
	switch t := s.targets[0]; {
	case !s.narrows(part, room):
	case s.needs(s.syntax.Value) > math.Ldexp(1, places(t.Type)) || t.Type.Kind() == tensor.KindUint && subtracts(s.syntax.Value):
		also = fmt.Sprintf(" in a %s of type %s", t.Name, room) // a conversion back would wrap after all
	default:
		written = fmt.Sprintf("%s%s %s %s(%s)", s.targetText(0), s.scanText(), s.syntax.Assign, t.Type, s.widen(s.syntax.Value, part, room))
	}
	if list := s.unconverted(part, room, nil); len(written) > longestHelp && len(list) > 0 {
		return fmt.Sprintf("convert each operand in it, as %s,%s", castAround(list[0], room), also)
	}
	return "write " + written + also
}

// places are the bits of a type's greatest value.
func places(t tensor.DType) int {
	if t.Kind() == tensor.KindInt {
		return t.Size()*8 - 1
	}
	return t.Size() * 8
}

// narrows reports whether the target does not take what a part of the value is computed in, which something brings back to its size.
func (s *statement) narrows(part syntax.Expr, room tensor.DType) bool {
	t, value := s.targets[0], s.syntax.Value
	return t.typed && t.Type.IsInteger() && !storable(of(room), t.Type) && withoutParens(value) != withoutParens(part) && givesType(value, part)
}

// unconverted lists the operands with which the arithmetic of an expression begins, as far as they need a conversion.
func (s *statement) unconverted(e syntax.Expr, room tensor.DType, list []syntax.Expr) []syntax.Expr {
	switch inner := withoutParens(e).(type) {
	case *syntax.Unary:
		if inner.Op != "!" {
			return s.unconverted(inner.X, room, list)
		}
	case *syntax.Binary:
		switch {
		case inner.Op == "<<" || inner.Op == ">>":
			return s.unconverted(inner.X, room, list)
		case !isCondition(inner.Op):
			return s.unconvertedOf(operands(inner), room, list)
		}
	case *syntax.Conditional:
		return s.unconvertedOf([]syntax.Expr{inner.Then, inner.Else}, room, list)
	case *syntax.Apply:
		_, moves := boundaryFunctions[inner.Func.Name]
		if s.def.symbols[inner.Func.Name] == nil && (moves || slices.Contains(keepingFunctions, inner.Func.Name)) {
			return s.unconvertedOf(inner.Args, room, list)
		}
	}
	return append(list, e)
}

// unconvertedOf lists those of operands that meet: the first that is no literal, and what is arithmetic itself.
func (s *statement) unconvertedOf(meet []syntax.Expr, room tensor.DType, list []syntax.Expr) []syntax.Expr {
	before := len(list)
	for _, x := range meet {
		own := s.types[x]
		if !own.constant && (len(list) == before || own.dtype == tensor.Uint64 || s.mayNeedRoom(x)) { // uint64 meets no signed integer
			list = s.unconverted(x, room, list)
		}
	}
	return list
}

// mayNeedRoom reports whether an operand has arithmetic of its own that leaves its type.
func (s *statement) mayNeedRoom(e syntax.Expr) bool {
	e = withoutParens(e)
	own := s.types[e]
	if apply, ok := e.(*syntax.Apply); ok && s.def.symbols[apply.Func.Name] != nil {
		return false // subscripts are wide
	}
	if b, ok := e.(*syntax.Binary); ok && (carriesOn(b.Op) || b.Op == "<<") && (own.dtype.Size() >= 4 || !s.fitsSmall(b, own.dtype)) {
		return true
	}
	if u, ok := e.(*syntax.Unary); ok && u.Op == "-" {
		return true
	}
	_, converted := e.(*syntax.CastExpr)
	return !converted && slices.ContainsFunc(operands(e), s.mayNeedRoom)
}

// roomFor is a type in which an expression does not wrap, of those that become one of type to.
func (s *statement) roomFor(e syntax.Expr, own, to tensor.DType) tensor.DType {
	switch wide := to.IsInteger() && to.Size() > own.Size() && to.Size() >= 4; {
	case wide && (to.Kind() == tensor.KindInt || !subtracts(e)):
		return to
	case own.Size() >= 4 || s.needs(e) > math.Ldexp(1, 31):
		return tensor.Int64
	}
	return tensor.Int32
}

// subtracts reports whether an expression may be below zero, though all that it reads is not.
func subtracts(e syntax.Expr) bool {
	switch x := e.(type) {
	case *syntax.Binary:
		if x.Op == "-" {
			return true
		}
	case *syntax.Unary:
		if x.Op == "-" {
			return true
		}
	}
	return slices.ContainsFunc(operands(e), subtracts)
}

// needs is the greatest distance from 0 that arithmetic would reach if it did not wrap.
func (s *statement) needs(e syntax.Expr) float64 {
	e = withoutParens(e)
	if own := s.types[e]; own.constant {
		return math.Abs(float64(own.integer))
	}
	switch e := e.(type) {
	case *syntax.Unary:
		return s.needs(e.X)
	case *syntax.Conditional:
		return max(s.needs(e.Then), s.needs(e.Else))
	case *syntax.Name:
		if found := s.lets[e.Name]; found != nil {
			return s.reach(e)
		}
	case *syntax.Apply:
		_, moves := boundaryFunctions[e.Func.Name]
		if s.def.symbols[e.Func.Name] == nil && (moves || slices.Contains(keepingFunctions, e.Func.Name)) && len(e.Args) > 0 {
			return s.needsOf(e)
		}
	case *syntax.Binary:
		y := s.types[e.Y]
		switch x := s.needs(e.X); e.Op {
		case "/":
			if y.constant && y.integer > 0 {
				return x / float64(y.integer)
			}
			return x
		case ">>":
			if y.constant && y.integer >= 0 {
				return math.Ldexp(x, -int(min(y.integer, 64)))
			}
			return x
		case "+", "-", "|", "^":
			return x + s.needs(e.Y)
		case "*":
			return x * s.needs(e.Y)
		case "<<":
			return x * math.Exp2(s.most(e.Y))
		}
	}
	if own := s.types[e]; own.weak == strong && own.dtype.IsInteger() {
		return min(s.reach(e), math.Ldexp(1, places(own.dtype)))
	}
	return s.reach(e)
}

// needsOf is that of the arguments of a function that gives one of them. The lesser of two numbers that are not negative
// reaches no further than either.
func (s *statement) needsOf(e *syntax.Apply) float64 {
	all := s.needs(e.Args[0])
	for _, x := range e.Args[1:] {
		if y := s.needs(x); e.Func.Name == "min" && isUnsigned(s.types[e]) && !subtracts(e) {
			all = min(all, y)
		} else {
			all = max(all, y)
		}
	}
	return all
}
