package mdh

import (
	"math"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
)

// An Expr is a symbolic value: a scalar, a record, or an expression over sizes and
// indices. The zero Expr is no value.
type Expr struct{ e syntax.Expr }

// Int is a whole number. It takes the type of what it meets.
func Int(n int64) Expr {
	if n < 0 {
		// The text has no negative literals, and -(n) would not fit for the least.
		return Expr{&syntax.Unary{Op: "-", X: &syntax.Number{Text: strings.TrimPrefix(strconv.FormatInt(n, 10), "-")}}}
	}
	return Expr{&syntax.Number{Text: strconv.FormatInt(n, 10)}}
}

// Float is a decimal number, infinite or no number. It takes the type of what it meets.
func Float(x float64) Expr {
	switch {
	case math.IsInf(x, -1):
		return Expr{&syntax.Unary{Op: "-", X: &syntax.Ref{Name: "inf"}}}
	case math.IsInf(x, 1):
		return Expr{&syntax.Ref{Name: "inf"}}
	case math.IsNaN(x):
		return Expr{&syntax.Ref{Name: "nan"}}
	}
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		return Expr{&syntax.Unary{Op: "-", X: &syntax.Number{Text: rest}}}
	}
	return Expr{&syntax.Number{Text: text}}
}

// Size is a size of the computation.
func Size(name string) Expr { return Expr{&syntax.Ref{Name: name}} }

// Sizes lists sizes by their names.
func Sizes(names ...string) []Expr {
	list := make([]Expr, len(names))
	for n, name := range names {
		list[n] = Size(name)
	}
	return list
}

func (x Expr) binary(op string, y Expr) Expr {
	return Expr{&syntax.Binary{Op: op, X: x.tree(), Y: y.tree()}}
}

// Add is x + y; both have one type, as the operands of all arithmetic do.
func (x Expr) Add(y Expr) Expr { return x.binary("+", y) }

// Sub is x - y.
func (x Expr) Sub(y Expr) Expr { return x.binary("-", y) }

// Mul is x * y.
func (x Expr) Mul(y Expr) Expr { return x.binary("*", y) }

// Div is x / y; integers divide toward minus infinity.
func (x Expr) Div(y Expr) Expr { return x.binary("/", y) }

// Mod is x % y, what the division leaves when it is rounded toward minus infinity: it has the sign of y.
func (x Expr) Mod(y Expr) Expr { return x.binary("%", y) }

// Neg is -x.
func (x Expr) Neg() Expr { return Expr{&syntax.Unary{Op: "-", X: x.tree()}} }

// Lt is x < y.
func (x Expr) Lt(y Expr) Expr { return x.binary("<", y) }

// Le is x <= y.
func (x Expr) Le(y Expr) Expr { return x.binary("<=", y) }

// Gt is x > y.
func (x Expr) Gt(y Expr) Expr { return x.binary(">", y) }

// Ge is x >= y.
func (x Expr) Ge(y Expr) Expr { return x.binary(">=", y) }

// Eq is x == y.
func (x Expr) Eq(y Expr) Expr { return x.binary("==", y) }

// Ne is x != y.
func (x Expr) Ne(y Expr) Expr { return x.binary("!=", y) }

// And is x && y, of bools.
func (x Expr) And(y Expr) Expr { return x.binary("&&", y) }

// Or is x || y, of bools.
func (x Expr) Or(y Expr) Expr { return x.binary("||", y) }

// Not is !x, of a bool.
func (x Expr) Not() Expr { return Expr{&syntax.Unary{Op: "!", X: x.tree()}} }

// BitAnd is x & y, of integers, as the other operators on bits.
func (x Expr) BitAnd(y Expr) Expr { return x.binary("&", y) }

// BitOr is x | y.
func (x Expr) BitOr(y Expr) Expr { return x.binary("|", y) }

// BitXor is x ^ y.
func (x Expr) BitXor(y Expr) Expr { return x.binary("^", y) }

// BitNot is ~x.
func (x Expr) BitNot() Expr { return Expr{&syntax.Unary{Op: "~", X: x.tree()}} }

// Shl is x << y; y is an integer of any type.
func (x Expr) Shl(y Expr) Expr { return x.binary("<<", y) }

// Shr is x >> y; the sign stays.
func (x Expr) Shr(y Expr) Expr { return x.binary(">>", y) }

// Field is a field of a record.
func (x Expr) Field(name string) Expr {
	return Expr{&syntax.Select{X: x.tree(), Field: syntax.Name{Name: name}}}
}

// Access is the element of a buffer by its n-th index function, counted from 1.
func (x Expr) Access(n int) Expr {
	return Expr{&syntax.Numbered{X: x.tree(), Number: &syntax.Number{Text: strconv.Itoa(n)}}}
}

// Call applies a builtin function of docs/builtins.md, min or max.
func Call(name string, args ...Expr) Expr {
	return Expr{&syntax.Call{Name: syntax.Name{Name: name}, Args: trees(args)}}
}

// Convert converts a value to a scalar type.
func (t Type) Convert(x Expr) Expr { return Call(string(t), x) }

// Make makes a record of its fields, in the order of their declaration.
func (r Record) Make(fields ...Expr) Expr { return Call(r.Name, fields...) }

// If is x where c holds, and y elsewhere.
func If(c, x, y Expr) Expr { return Expr{&syntax.If{Cond: c.tree(), Then: x.tree(), Else: y.tree()}} }

// Let computes a value once and uses it under a name.
func Let(name string, value Expr, body func(x Expr) Expr) Expr {
	return Expr{&syntax.Let{Pattern: &syntax.Pattern{Name: name}, Value: value.tree(), Body: body(Size(name)).tree()}}
}

// A State is a variable of Iterate.
type State struct {
	Name string
	Type Type
	From Expr
}

// Iterate takes up to steps steps while the condition holds (always, if it is nil)
// and passes the final state on. The steps are written out, so they should be few.
func Iterate(steps int, state []State, while func(s []Expr) Expr, next func(s []Expr) []Expr, body func(s []Expr) Expr) Expr {
	e := &syntax.Iterate{Count: &syntax.Number{Text: strconv.Itoa(steps)}}
	pattern := &syntax.Pattern{Parts: []*syntax.Pattern{}}
	var names []string
	for _, s := range state {
		t := syntax.Name{Name: string(s.Type)}
		e.Vars = append(e.Vars, &syntax.Variable{Name: syntax.Name{Name: s.Name}, Type: &t, Value: s.From.tree()})
		names = append(names, s.Name)
		pattern.Parts = append(pattern.Parts, &syntax.Pattern{Name: s.Name})
	}
	if len(state) == 1 {
		pattern = pattern.Parts[0]
	}
	values := Sizes(names...)
	if while != nil {
		e.While = while(values).tree()
	}
	e.Next = tupleOf(next(values))
	return Expr{&syntax.Let{Pattern: pattern, Value: e, Body: body(values).tree()}}
}

func trees(list []Expr) []syntax.Expr {
	converted := make([]syntax.Expr, len(list))
	for n, x := range list {
		converted[n] = x.tree()
	}
	return converted
}

// tree returns the tree of a value. The zero Expr becomes a name that nothing
// declares, so that the checker reports it.
func (x Expr) tree() syntax.Expr {
	if x.e == nil {
		return &syntax.Ref{Name: "missing_value"}
	}
	return x.e
}

// tupleOf is one value as it is, and several as a tuple.
func tupleOf(list []Expr) syntax.Expr {
	if len(list) == 1 {
		return list[0].tree()
	}
	return &syntax.Tuple{Parts: trees(list)}
}
