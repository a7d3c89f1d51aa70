package mdh

import (
	"math"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A scope holds the names that an expression can use, besides constants.
type scope struct {
	values    map[string]value
	types     map[string]tensor.DType
	functions map[string]*argument // that are given to the computation
}

func newScope() *scope { return &scope{values: map[string]value{}, types: map[string]tensor.DType{}} }

// with returns a copy for more names.
func (s *scope) with() *scope {
	copied := newScope()
	copied.functions = s.functions
	for name, v := range s.values {
		copied.values[name] = v
	}
	for name, t := range s.types {
		copied.types[name] = t
	}
	return copied
}

// maxNodes bounds the size of a scalar function that is written out.
const maxNodes = 50_000

func (c *instance) tick(span source.Span) {
	if c.nodes++; c.nodes > maxNodes {
		stop(c.errorf(source.CodeMDHTooLarge, span, "the scalar function has more than %d operations when it is written out", maxNodes).
			WithHelp("use fewer steps, or a reduction over an index of its own instead of an iteration"))
	}
}

// eval writes an expression out.
func (c *instance) eval(e syntax.Expr, s *scope) value {
	c.tick(e.Span())
	switch e := e.(type) {
	case *syntax.Number:
		return c.number(e)
	case *syntax.Ref:
		return c.ref(e, s)
	case *syntax.Unary:
		return c.unary(e, s)
	case *syntax.Binary:
		x, y := c.eval(e.X, s), c.eval(e.Y, s)
		return c.infix(e.Op, x, y, e.X.Span(), e.Y.Span(), e.Pos)
	case *syntax.Call:
		return c.call(e, s)
	case *syntax.Tuple:
		t := make(tuple, len(e.Parts))
		for n, p := range e.Parts {
			t[n] = c.eval(p, s)
		}
		return t
	case *syntax.Select:
		return c.field(e, s)
	case *syntax.Numbered:
		return c.numbered(e, s)
	case *syntax.If:
		return c.choose(e, s)
	case *syntax.Let:
		inner := s.with()
		v := c.eval(e.Value, s)
		if e.Type != nil {
			v = c.annotated(v, *e.Type, s, e.Value.Span())
		}
		c.bindPattern(e.Pattern, v, inner)
		return c.eval(e.Body, inner)
	case *syntax.Iterate:
		return c.iterate(e, s)
	}
	panic(source.Internalf("mdh", e.Span(), "an expression is a %T", e))
}

func (c *instance) number(e *syntax.Number) value {
	if n, err := strconv.ParseInt(e.Text, 0, 64); err == nil {
		return untyped{build: func(t tensor.DType) ein.Expr { return c.integerLiteral(n, t, e) }}
	}
	f, err := strconv.ParseFloat(e.Text, 64)
	if err != nil || math.IsInf(f, 0) || strings.HasPrefix(e.Text, "0x") {
		stop(c.errorf(source.CodeMDHType, e.Pos, "%s is no number that fits in 64 bits", e.Text).WithHelp("numbers are written 12, 0x1F, 0.5 or 1e-3"))
	}
	return c.float(f, e.Text, e.Pos)
}

// float is a float of the type that it meets.
func (c *instance) float(f float64, text string, at source.Span) value {
	return untyped{isFloat: true, build: func(t tensor.DType) ein.Expr {
		if !t.IsFloat() {
			stop(c.errorf(source.CodeMDHType, at, "%s is no %s", text, t).WithHelp("convert the other operand to a float, float32(x) or float64(x), or write a whole number"))
		}
		k := ein.FloatConst(t, f)
		k.Pos = at
		return k
	}}
}

func (c *instance) integerLiteral(n int64, t tensor.DType, e *syntax.Number) ein.Expr {
	if t.IsFloat() {
		k := ein.FloatConst(t, float64(n))
		k.Pos = e.Pos
		return k
	}
	bits := uint(t.Size() * 8)
	fits := t.Kind() == tensor.KindInt && n<<(64-bits)>>(64-bits) == n || t.Kind() == tensor.KindUint && (bits == 64 || n>>bits == 0)
	if !fits {
		stop(c.errorf(source.CodeMDHType, e.Pos, "%s is no %s", e.Text, t).WithHelp("convert to a type that holds it, or write true or false for a bool"))
	}
	return &ein.Const{Pos: e.Pos, DType: t, Bits: uint64(n)}
}

func (c *instance) ref(e *syntax.Ref, s *scope) value {
	if v, ok := s.values[e.Name]; ok {
		if x, isScalar := v.(scalar); isScalar {
			if r, isSize := x.Expr.(*ein.SizeRef); isSize {
				c.markUsed(r)
			}
		}
		return v
	}
	switch e.Name {
	case "true", "false":
		return scalar{&ein.Const{Pos: e.Pos, DType: tensor.Bool, Bits: map[bool]uint64{true: 1}[e.Name == "true"]}}
	}
	if k := c.constants[e.Name]; k != nil {
		return c.constant(k, e.Pos)
	}
	switch e.Name { // unless something is called so
	case "inf":
		return c.float(math.Inf(1), e.Name, e.Pos)
	case "nan":
		return c.float(math.NaN(), e.Name, e.Pos)
	}
	var known []string
	for name := range s.values {
		known = append(known, name)
	}
	for name := range c.constants {
		known = append(known, name)
	}
	d := c.errorf(source.CodeMDHName, e.Pos, "%s is not known here", e.Name)
	if near := source.Suggest(e.Name, known); near != "" {
		d.WithHelp("did you mean %s?", near)
	} else {
		d.WithHelp("a function sees its parameters and the constants of the file; indices stand behind a bar: (x | %s) -> …", e.Name)
	}
	stop(d)
	return nil
}

func (c *instance) markUsed(r *ein.SizeRef) {
	names := map[string]bool{}
	r.Size.Symbols(names)
	for name := range names {
		c.used[name] = true
	}
}

// constant evaluates a constant of the file.
func (c *instance) constant(k *syntax.Constant, at source.Span) value {
	if _, ok := k.Value.(*syntax.Table); ok {
		stop(c.errorf(source.CodeMDHType, at, "%s is a table", k.Name.Name).WithNote(k.Pos, "it is declared here").WithHelp("take one of its numbers: %s[k]", k.Name.Name))
	}
	defer c.enter(k.Name.Name, at)()
	s := newScope()
	v := c.eval(k.Value, s)
	if k.Type != nil {
		v = c.annotated(v, *k.Type, s, k.Value.Span())
	}
	return v
}

// enter notes that a name is being written out; a name inside of itself would
// never end.
func (c *instance) enter(name string, at source.Span) (leave func()) {
	for _, other := range c.active {
		if other == name {
			stop(c.errorf(source.CodeMDHName, at, "%s is defined by itself", name).WithHelp("repeat a bounded number of times with iterate"))
		}
	}
	c.active = append(c.active, name)
	return func() { c.active = c.active[:len(c.active)-1] }
}

// scalarNamed looks up a scalar type in a scope. Half floats compute in float32.
func (c *instance) scalarNamed(n syntax.Name, s *scope) tensor.DType {
	if t, ok := s.types[n.Name]; ok {
		return t.Compute()
	}
	t, ok := scalarType(n.Name)
	if !ok {
		stop(c.errorf(source.CodeMDHName, n.Pos, "%s is no scalar type", n.Name).
			WithHelp("%s; a function declares type parameters: fun f<%s>(x: %s) = …", typeHelp(n.Name), n.Name, n.Name))
	}
	return t.Compute()
}

// annotated checks a value against a written type.
func (c *instance) annotated(v value, n syntax.Name, s *scope, span source.Span) value {
	if r := c.records[n.Name]; r != nil {
		if got, ok := v.(recordValue); !ok || got.of != r {
			stop(c.errorf(source.CodeMDHType, span, "this is %s, expected the record %s", v.describe(), r.name).WithHelp("make one: %s(%s)", r.name, joinWords(r.fields)))
		}
		return v
	}
	return scalar{c.as(v, c.scalarNamed(n, s), span, "this")}
}

func (c *instance) unary(e *syntax.Unary, s *scope) value {
	v := c.eval(e.X, s)
	if n, ok := e.X.(*syntax.Number); ok && e.Op == "-" {
		return c.negative(n, v.(untyped), e)
	}
	if u, ok := v.(untyped); ok && e.Op == "-" {
		return untyped{u.isFloat, func(t tensor.DType) ein.Expr { return c.negate(u.build(t), e) }}
	}
	if u, ok := v.(untyped); ok && e.Op == "~" {
		return untyped{u.isFloat, func(t tensor.DType) ein.Expr {
			c.integer(e.Op, t, e.Pos)
			return ein.Complement(u.build(t), e.Pos)
		}}
	}
	x := c.scalarOf(v, e.X.Span())
	if e.Op == "~" {
		c.integer(e.Op, x.Type(), e.Pos)
		return scalar{ein.Complement(x, e.Pos)}
	}
	if e.Op == "!" {
		if x.Type() != tensor.Bool {
			stop(c.errorf(source.CodeMDHType, e.X.Span(), "this is %s, expected bool", x.Type()).WithHelp("compare it: %s == 0", shortText(e.X.Span())))
		}
		return scalar{&ein.Unary{Pos: e.Pos, Op: ein.Not, X: x}}
	}
	return scalar{c.negate(x, e)}
}

// negative is a number with a sign: the smallest integer of a type has no positive.
func (c *instance) negative(n *syntax.Number, u untyped, e *syntax.Unary) value {
	signed, err := strconv.ParseInt("-"+n.Text, 0, 64)
	isInteger := err == nil
	return untyped{u.isFloat && !isInteger, func(t tensor.DType) ein.Expr {
		if isInteger && t.Kind() == tensor.KindInt {
			return c.integerLiteral(signed, t, &syntax.Number{Pos: e.Pos, Text: "-" + n.Text})
		}
		return c.negate(u.build(t), e)
	}}
}

// negate folds the sign into a literal.
func (c *instance) negate(x ein.Expr, e *syntax.Unary) ein.Expr {
	if x.Type() == tensor.Bool {
		stop(c.errorf(source.CodeMDHType, e.X.Span(), "this is bool and has no negative").WithHelp("the logical not is !"))
	}
	k, ok := x.(*ein.Const)
	switch {
	case ok && k.DType.IsFloat():
		n := ein.FloatConst(k.DType, -k.Float())
		n.Pos = e.Pos
		return n
	case ok && k.DType.Kind() == tensor.KindInt && k.Int() != math.MinInt64>>(64-8*uint(k.DType.Size())):
		return &ein.Const{Pos: e.Pos, DType: k.DType, Bits: uint64(-k.Int())}
	}
	return &ein.Unary{Pos: e.Pos, Op: ein.Neg, X: x}
}

var binaryOps = map[string]ein.BinaryOp{
	"+": ein.Add, "-": ein.Sub, "*": ein.Mul, "/": ein.Div, "%": ein.Mod, "min": ein.Min, "max": ein.Max,
	"<": ein.Lt, "<=": ein.Le, ">": ein.Gt, ">=": ein.Ge, "==": ein.Eq, "!=": ein.Ne, "&&": ein.And, "||": ein.Or,
	"&": ein.BitAnd, "|": ein.BitOr, "^": ein.BitXor, "<<": ein.Shl, ">>": ein.Shr,
}

// infix applies an operator of two scalars.
func (c *instance) infix(sign string, x, y value, xSpan, ySpan, pos source.Span) value {
	op := binaryOps[sign]
	ux, okX := x.(untyped)
	uy, okY := y.(untyped)
	if okX && okY && (op <= ein.Max || op.IsBitwise()) {
		return untyped{ux.isFloat || uy.isFloat, func(t tensor.DType) ein.Expr {
			c.tick(pos)
			return c.binary(op, sign, ux.build(t), uy.build(t), pos)
		}}
	}
	var a, b ein.Expr
	switch {
	case (op == ein.Shl || op == ein.Shr) && !okY:
		return c.shift(op, sign, x, c.scalarOf(y, ySpan), xSpan, ySpan, pos)
	case okX && okY && (ux.isFloat || uy.isFloat):
		a, b = ux.build(tensor.Float64), uy.build(tensor.Float64)
	case okX:
		b = c.scalarOf(y, ySpan)
		a = ux.build(b.Type())
	default:
		a = c.scalarOf(x, xSpan)
		if okY {
			b = uy.build(a.Type())
		} else {
			b = c.scalarOf(y, ySpan)
		}
	}
	if a.Type() != b.Type() {
		to, from, narrow := a.Type(), ySpan, b
		if b.Type().IsFloat() && !to.IsFloat() {
			to, from, narrow = b.Type(), xSpan, a // integers become floats, not the other way round
		}
		operand := shortText(from)
		if operand == sign { // which stands for a function of two parameters
			operand = "…"
		}
		stop(c.errorf(source.CodeMDHType, pos, "%s is applied to %s and %s", sign, a.Type(), b.Type()).
			WithHelp("%s", conversion(to, narrow, "convert one operand", operand)))
	}
	return scalar{c.binary(op, sign, a, b, pos)}
}

// shift shifts by a count of any integer type. A literal that is shifted has the type of what it meets.
func (c *instance) shift(op ein.BinaryOp, sign string, x value, count ein.Expr, xSpan, ySpan, pos source.Span) value {
	if !count.Type().IsInteger() {
		stop(c.errorf(source.CodeMDHType, ySpan, "%s shifts by %s, expected an integer", sign, count.Type()).WithHelp("convert it: int32(%s)", shortText(ySpan)))
	}
	shifted := func(a ein.Expr) ein.Expr {
		if !a.Type().IsInteger() {
			return c.binary(op, sign, a, a, pos) // reports it
		}
		return c.binary(op, sign, a, ein.Places(count, a.Type()), pos)
	}
	if u, ok := x.(untyped); ok {
		return untyped{u.isFloat, func(t tensor.DType) ein.Expr { return shifted(u.build(t)) }}
	}
	return scalar{shifted(c.scalarOf(x, xSpan))}
}

func (c *instance) binary(op ein.BinaryOp, sign string, a, b ein.Expr, pos source.Span) ein.Expr {
	if op.IsBitwise() {
		c.integer(sign, a.Type(), pos)
		return &ein.Binary{Pos: pos, Op: op, X: a, Y: b}
	}
	isBool := a.Type() == tensor.Bool
	if logical := op == ein.And || op == ein.Or; isBool != logical && op != ein.Eq && op != ein.Ne {
		d := c.errorf(source.CodeMDHType, pos, "%s is applied to %s", sign, a.Type())
		if logical {
			d.WithHelp("%s joins conditions, such as a < b", sign)
		} else {
			d.WithHelp("convert the condition: int32(…)")
		}
		stop(d)
	}
	if s := protected(op, a, b); s != nil {
		return s
	}
	return &ein.Binary{Pos: pos, Op: op, X: a, Y: b}
}

// integer requires a type that has bits to work on.
func (c *instance) integer(sign string, t tensor.DType, pos source.Span) {
	if t.IsInteger() {
		return
	}
	d := c.errorf(source.CodeMDHType, pos, "%s is applied to %s", sign, t)
	switch {
	case t == tensor.Bool:
		d.WithHelp("conditions are joined by && and ||, compared by !=, and negated by !")
	case sign == "^":
		d.WithHelp("a power is pow(x, y) of floats, or a product: x * x; ^ is the exclusive or of the bits of integers")
	default:
		d.WithHelp("it works on the bits of integers: int32(…)")
	}
	stop(d)
}

func (c *instance) field(e *syntax.Select, s *scope) value {
	v := c.eval(e.X, s)
	r, ok := v.(recordValue)
	if !ok {
		d := c.errorf(source.CodeMDHType, e.X.Span(), "this is %s and has no fields", v.describe())
		if a, several := v.(accessList); several {
			d.WithHelp("say which access: %s[1].%s is of the first index function of %s", shortText(e.X.Span()), e.Field.Name, a.name)
		} else {
			d.WithHelp("records have fields: record R { %s: float32 }, and R for the type of the buffer; a tuple is taken apart by a pattern, let (a, b) = %s; …", e.Field.Name, shortText(e.X.Span()))
		}
		stop(d)
	}
	for n, name := range r.of.fields {
		if name == e.Field.Name {
			return r.fields[n]
		}
	}
	d := c.errorf(source.CodeMDHName, e.Field.Pos, "the record %s has no field %s", r.of.name, e.Field.Name)
	if near := source.Suggest(e.Field.Name, r.of.fields); near != "" {
		d.WithHelp("did you mean %s?", near)
	} else {
		d.WithHelp("its fields are %s", joinWords(r.of.fields))
	}
	stop(d)
	return nil
}

func (c *instance) numbered(e *syntax.Numbered, s *scope) value {
	if v := c.tableItem(e, s); v != nil {
		return v
	}
	v := c.eval(e.X, s)
	a, ok := v.(accessList)
	if !ok {
		stop(c.errorf(source.CodeMDHType, e.X.Span(), "this is %s and has no numbered accesses", v.describe()).
			WithHelp("x[2] is the second access of a buffer with several index functions; a buffer with one is just x"))
	}
	k, isNumber := e.Number.(*syntax.Number)
	if isNumber {
		if n, err := strconv.Atoi(k.Text); err == nil && n >= 1 && n <= len(a.items) {
			return a.items[n-1]
		}
	}
	stop(c.errorf(source.CodeMDHCount, e.Number.Span(), "%s has the accesses 1 to %d", a.name, len(a.items)).
		WithHelp("accesses are numbered in the order of the index functions; the number is a literal"))
	return nil
}
