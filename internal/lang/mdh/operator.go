package mdh

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// An operator combines two values of the shape that the scalar function gives.
type operator struct {
	syntax *syntax.OperatorRef
	key    string // equal for equal operators
	laws   laws
	kinds  []ein.OperatorKind // of each scalar that is combined on its own
	ein    *ein.Operator
}

// laws says what is known or stated about an operator.
type laws struct{ associative, commutative, ordered bool }

// builtinKinds are the operators of the language on one value.
var builtinKinds = map[string]ein.OperatorKind{
	"+": ein.SumOp, "*": ein.ProductOp, "min": ein.MinOp, "max": ein.MaxOp, "&&": ein.AndOp, "||": ein.OrOp,
	"&": ein.BitAndOp, "|": ein.BitOrOp, "^": ein.BitXorOp,
	"argmin": ein.ArgMinOp, "argmax": ein.ArgMaxOp,
}

// resolveOperators makes the operators of pw and ps, each once.
func (c *instance) resolveOperators() {
	made := map[string]*operator{}
	for _, m := range c.dims {
		if m.syntax.Op == nil {
			continue
		}
		key := refText(m.syntax.Op)
		if made[key] == nil {
			made[key] = c.operator(m.syntax.Op, key)
		}
		m.op = made[key]
		m.index.Combine.Op = m.op.ein
		if m.blocks != nil {
			m.blocks.rest.op = m.op
		}
		c.requireLaws(m)
	}
}

func refText(o *syntax.OperatorRef) string {
	if o.Parts == nil {
		return o.Name
	}
	parts := make([]string, len(o.Parts))
	for n, p := range o.Parts {
		parts[n] = refText(p)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// shape is a value like those that the scalar function gives.
func (c *instance) shape() value {
	var elements [][]ein.Expr
	for _, r := range c.outcome {
		elements = append(elements, r.values)
	}
	return c.valueOf(elements)
}

// locals makes an operand of the shape whose scalars are locals.
func locals(shape value, name string) ([]*ein.Local, value) {
	var list []*ein.Local
	var values []value
	for n, leaf := range leaves(shape) {
		l := &ein.Local{Name: fmt.Sprintf("%s%d", name, n), DType: leaf.(scalar).Type()}
		list = append(list, l)
		values = append(values, scalar{&ein.LocalRef{Local: l}})
	}
	return list, rebuild(shape, &values)
}

func (c *instance) operator(ref *syntax.OperatorRef, key string) *operator {
	shape := c.shape()
	o := &operator{syntax: ref, key: key, laws: laws{associative: true, commutative: true}, kinds: c.kindsOf(ref, shape)}
	left, l := locals(shape, "l")
	right, r := locals(shape, "r")
	body := c.inOwnBinder(func() value { return c.combine(ref, l, r) })
	if kind := builtinKinds[ref.Name]; kind != ein.UserDefined && (len(left) == 1 || isArg(kind)) {
		o.ein = ein.BuiltinOperator(kind, left[0].DType)
		return o
	}
	o.laws = c.lawsOf(ref, shape)
	o.ein = &ein.Operator{Name: operatorName(ref), Left: left, Right: right, Body: body, Associative: o.laws.associative, Commutative: o.laws.commutative}
	if identity, ok := c.identity(ref, shape); ok {
		o.ein.Identity = c.inOwnBinder(func() value { return identity })
	}
	return o
}

func isArg(kind ein.OperatorKind) bool { return kind == ein.ArgMinOp || kind == ein.ArgMaxOp }

// operatorName is a word, because names reach generated code.
func operatorName(ref *syntax.OperatorRef) string {
	if ref.Parts == nil && builtinKinds[ref.Name] == ein.UserDefined {
		return ref.Name
	}
	return "componentwise"
}

// inOwnBinder evaluates something apart from the scalar function and returns its
// scalars.
func (c *instance) inOwnBinder(make func() value) []ein.Expr {
	outer := c.binder
	defer func() { c.binder = outer }()
	c.binder = &binder{}
	var list []ein.Expr
	for _, leaf := range leaves(make()) {
		list = append(list, c.binder.wrap(leaf.(scalar).Expr))
	}
	return list
}

// kindsOf lists the built-in operators that combine each scalar on its own, or
// UserDefined.
func (c *instance) kindsOf(ref *syntax.OperatorRef, shape value) []ein.OperatorKind {
	kinds := make([]ein.OperatorKind, 0, len(leaves(shape)))
	if parts, ok := shape.(tuple); ok && len(ref.Parts) == len(parts) {
		for n, p := range ref.Parts {
			kinds = append(kinds, c.kindsOf(p, parts[n])...)
		}
		return kinds
	}
	kind := builtinKinds[ref.Name]
	if isArg(kind) {
		kind = ein.UserDefined
	}
	for range leaves(shape) {
		kinds = append(kinds, kind)
	}
	return kinds
}

// combine writes out an operator for two operands of one shape.
func (c *instance) combine(ref *syntax.OperatorRef, l, r value) value {
	if ref.Parts != nil {
		x, ok := l.(tuple)
		if !ok || len(x) != len(ref.Parts) {
			stop(c.errorf(source.CodeMDHCount, ref.Pos, "the operator has %s, the scalar function gives %s", plural(len(ref.Parts), "component"), l.describe()).
				WithHelp("give one operator for each result, or one that combines them all"))
		}
		y, t := r.(tuple), make(tuple, len(x))
		for n, p := range ref.Parts {
			t[n] = c.combine(p, x[n], y[n])
		}
		return t
	}
	kind := builtinKinds[ref.Name]
	switch {
	case isArg(kind):
		return c.combineArg(kind, ref, l, r)
	case kind != ein.UserDefined:
		x, y := leaves(l), leaves(r)
		list := make([]value, len(x))
		for n := range x {
			list[n] = c.infix(ref.Name, x[n], y[n], ref.Pos, ref.Pos, ref.Pos)
		}
		return rebuild(l, &list)
	}
	o := c.operators[ref.Name]
	if o == nil {
		c.unknownOperator(ref)
	}
	defer c.enter(o.Name.Name, ref.Pos)()
	c.distinct([]*syntax.Param{o.Left, o.Right}, nil)
	s := newScope()
	for n, p := range []*syntax.Param{o.Left, o.Right} {
		operand := []value{l, r}[n]
		if t, ok := c.expects(p, o.Types, operand); ok {
			stop(c.errorf(source.CodeMDHType, ref.Pos, "the operator %s combines values of %s, the scalar function gives %s", ref.Name, t, operand.describe()).
				WithNote(p.Type.Pos, "the type of an operand").
				WithHelp("leave the types out, or write op %[1]s<T>(l: T, r: T) for any; or let the scalar function give %[2]s", ref.Name, t))
		}
		c.bindParam(p, o.Types, operand, s, ref.Pos)
	}
	return c.likeShape(c.eval(o.Body, s), l, o.Body.Span(), "the result of "+o.Name.Name)
}

func (c *instance) unknownOperator(ref *syntax.OperatorRef) {
	known := []string{"min", "max", "argmin", "argmax"}
	for name := range c.operators {
		known = append(known, name)
	}
	d := c.errorf(source.CodeMDHName, ref.Pos, "there is no operator %s", ref.Name)
	if strings.EqualFold(ref.Name, "cc") || ref.Name == "concat" {
		stop(d.WithHelp("results side by side are ++, a sum over an index is +, its prefix sums are ps(+)"))
	}
	if near := source.Suggest(ref.Name, known); near != "" {
		d.WithHelp("did you mean %s?", near)
	} else {
		d.WithHelp("the operators are + * min max && || & | ^ argmin argmax; declare others: op %s(l, r) = …", operatorWord(ref.Name))
	}
	stop(d)
}

func operatorWord(name string) string {
	if syntax.IsSign(name) {
		return "name"
	}
	return name
}

// combineArg combines a value and a position.
func (c *instance) combineArg(kind ein.OperatorKind, ref *syntax.OperatorRef, l, r value) value {
	x, y := leaves(l), leaves(r)
	if len(x) != 2 || x[1].(scalar).Type() != tensor.Int64 {
		stop(c.errorf(source.CodeMDHType, ref.Pos, "%s is applied to %s, expected a value and an int64 position", ref.Name, l.describe()).
			WithHelp("let the scalar function give the index as well: (x | i) -> (x, i)"))
	}
	o := ein.BuiltinOperator(kind, x[0].(scalar).Type())
	replace := map[*ein.Local]ein.Expr{o.Left[0]: x[0].(scalar).Expr, o.Left[1]: x[1].(scalar).Expr, o.Right[0]: y[0].(scalar).Expr, o.Right[1]: y[1].(scalar).Expr}
	list := make([]value, 2)
	for n, e := range o.Body {
		list[n] = scalar{ein.Map(e, func(e ein.Expr) ein.Expr {
			if ref, ok := e.(*ein.LocalRef); ok {
				return replace[ref.Local]
			}
			return e
		})}
	}
	return rebuild(l, &list)
}

// likeShape checks that a value has a shape and its types.
func (c *instance) likeShape(v, shape value, span source.Span, what string) value {
	switch want := shape.(type) {
	case scalar:
		return scalar{c.as(v, want.Type(), span, what)}
	case recordValue:
		return recordValue{want.of, scalars(c.element(v, elementType{record: want.of}, span, what))}
	case tuple:
		got, ok := v.(tuple)
		if !ok || len(got) != len(want) {
			stop(c.errorf(source.CodeMDHType, span, "%s is %s, expected %s", what, v.describe(), shape.describe()).WithHelp("an operator gives what its operands are"))
		}
		t := make(tuple, len(want))
		for n := range want {
			t[n] = c.likeShape(got[n], want[n], span, what)
		}
		return t
	}
	panic(source.Internalf("mdh", span, "a result is %s", shape.describe()))
}

// identity returns the value that an operator leaves as it is, where one is known.
func (c *instance) identity(ref *syntax.OperatorRef, shape value) (value, bool) {
	if parts, ok := shape.(tuple); ok && ref.Parts != nil {
		t := make(tuple, len(parts))
		for n, p := range ref.Parts {
			if t[n], ok = c.identity(p, parts[n]); !ok {
				return nil, false
			}
		}
		return t, true
	}
	if kind := builtinKinds[ref.Name]; kind != ein.UserDefined {
		var list []value
		if isArg(kind) {
			list = scalars(ein.BuiltinOperator(kind, leaves(shape)[0].(scalar).Type()).Identity)
		} else {
			for _, leaf := range leaves(shape) {
				list = append(list, scalars(ein.BuiltinOperator(kind, leaf.(scalar).Type()).Identity)...)
			}
		}
		return rebuild(shape, &list), true
	}
	o := c.operators[ref.Name]
	if o == nil || o.Identity == nil {
		return nil, false
	}
	return c.likeShape(c.eval(o.Identity, newScope()), shape, o.Identity.Span(), "the identity"), true
}
