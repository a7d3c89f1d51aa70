package mdh

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A value is what an expression is while it is written out.
type value interface{ describe() string }

type (
	// A scalar is an expression of ein.
	scalar struct{ ein.Expr }
	// An untyped value takes the type of what it meets: a literal, or something made
	// of literals. build may report that the type cannot hold it.
	untyped struct {
		isFloat bool
		build   func(tensor.DType) ein.Expr
	}
	// A recordValue has one expression for each field.
	recordValue struct {
		of     *recordType
		fields []value
	}
	// A tuple is several values.
	tuple []value
	// An accessList is a buffer with several accesses, which are numbered from 1.
	accessList struct {
		name  string
		items []value
	}
)

func (v scalar) describe() string { return v.Type().String() }
func (v untyped) describe() string {
	if v.isFloat {
		return "a decimal number"
	}
	return "a number"
}
func (v recordValue) describe() string { return v.of.name }
func (v accessList) describe() string  { return "a buffer with several accesses" }
func (v tuple) describe() string {
	parts := make([]string, len(v))
	for n, p := range v {
		parts[n] = p.describe()
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// leaves lists the scalars of a value.
func leaves(v value) []value {
	switch v := v.(type) {
	case recordValue:
		return v.fields
	case tuple:
		var list []value
		for _, p := range v {
			list = append(list, leaves(p)...)
		}
		return list
	}
	return []value{v}
}

// rebuild returns a value of the shape of v with other scalars.
func rebuild(v value, from *[]value) value {
	next := func() value {
		first := (*from)[0]
		*from = (*from)[1:]
		return first
	}
	switch v := v.(type) {
	case recordValue:
		r := recordValue{of: v.of}
		for range v.fields {
			r.fields = append(r.fields, next())
		}
		return r
	case tuple:
		t := make(tuple, len(v))
		for n, p := range v {
			t[n] = rebuild(p, from)
		}
		return t
	}
	return next()
}

// typed gives an untyped value its default type: int64, or float64.
func typed(v value) value {
	u, ok := v.(untyped)
	switch {
	case !ok:
		return v
	case u.isFloat:
		return scalar{u.build(tensor.Float64)}
	}
	return scalar{u.build(tensor.Int64)}
}

// scalarOf returns the expression of a value that must be a scalar.
func (c *instance) scalarOf(v value, span source.Span) ein.Expr {
	s, ok := typed(v).(scalar)
	if !ok {
		d := c.errorf(source.CodeMDHType, span, "this is %s, expected a scalar", v.describe())
		switch v := v.(type) {
		case accessList:
			d.WithHelp("say which access: %s[1] is the first index function of %s", shortText(span), v.name)
		case recordValue:
			d.WithHelp("name a field: %s", joinWords(v.of.fields))
		case tuple:
			d.WithHelp("take one of its values, which a pattern names: let (a, b) = %s; a", shortText(span))
		}
		stop(d)
	}
	return s.Expr
}

// as returns a value in a scalar type; only untyped values adapt.
func (c *instance) as(v value, t tensor.DType, span source.Span, what string) ein.Expr {
	if u, ok := v.(untyped); ok {
		return u.build(t)
	}
	e := c.scalarOf(v, span)
	if e.Type() != t {
		stop(c.errorf(source.CodeMDHType, span, "%s is %s, expected %s", what, e.Type(), t).WithHelp("%s", conversion(t, e, "convert it", shortText(span))))
	}
	return e
}

// conversion says how an expression becomes one of a type: what integer arithmetic has lost, as a remainder or the bits
// beyond its type, does not come back.
func conversion(to tensor.DType, e ein.Expr, lead, text string) string {
	from := e.Type()
	if from.IsInteger() && (to.IsFloat() || to.Size() > from.Size()) && computes(e) {
		return fmt.Sprintf("convert what %s is made of, before the arithmetic: %s(x)", text, to)
	}
	return fmt.Sprintf("%s: %s(%s)", lead, to, text)
}

// computes reports whether a value is made by arithmetic that may lose something; subscripts and what is converted already are not meant.
func computes(e ein.Expr) bool {
	switch e := e.(type) {
	case *ein.Access, *ein.Cast:
		return false
	case *ein.Binary:
		switch e.Op {
		case ein.Div:
			return true
		case ein.Add, ein.Sub, ein.Mul, ein.Shl:
			return e.Type().Size() < 8
		}
	case *ein.Unary:
		if e.Op == ein.Neg && e.Type().Kind() == tensor.KindUint {
			return true
		}
	}
	return slices.ContainsFunc(ein.Children(e), computes)
}

// element returns a value as an element of a buffer, in the types in which it is
// computed.
func (c *instance) element(v value, t elementType, span source.Span, what string) []ein.Expr {
	if t.record == nil {
		return []ein.Expr{c.as(v, t.scalar.Compute(), span, what)}
	}
	r, ok := v.(recordValue)
	if !ok || r.of != t.record {
		stop(c.errorf(source.CodeMDHType, span, "%s is %s, expected the record %s", what, v.describe(), t.record.name).
			WithHelp("make one: %s(%s)", t.record.name, joinWords(t.record.fields)))
	}
	list := make([]ein.Expr, len(r.fields))
	for n, f := range r.fields {
		list[n] = c.as(f, t.record.types[n].Compute(), span, "the field "+t.record.fields[n])
	}
	return list
}

// shortText is the text of an expression for a message.
func shortText(span source.Span) string {
	text := strings.Join(strings.Fields(span.Text()), " ")
	if len(text) > 40 || text == "" {
		return "…"
	}
	return text
}

// A binder holds the locals of a scalar function in the order in which their
// values are computed.
type binder struct{ list []binding }

type binding struct {
	local *ein.Local
	value ein.Expr
}

// bind names an expression, so that it is computed once; leaves need no name.
func (b *binder) bind(name string, e ein.Expr) ein.Expr {
	switch e.(type) {
	case *ein.Const, *ein.IndexRef, *ein.SizeRef, *ein.LocalRef, *ein.Access:
		return e
	}
	if name == "_" || name == "" {
		name = "t"
	}
	l := &ein.Local{Name: name, DType: e.Type()}
	b.list = append(b.list, binding{l, e})
	return &ein.LocalRef{Pos: e.Span(), Local: l}
}

// wrap returns e with the bindings that it needs. What is used once stands where
// it is used.
func (b *binder) wrap(e ein.Expr) ein.Expr {
	uses := map[*ein.Local]int{}
	count := func(e ein.Expr) {
		ein.Walk(e, func(e ein.Expr) bool {
			if ref, ok := e.(*ein.LocalRef); ok {
				uses[ref.Local]++
			}
			return true
		})
	}
	count(e)
	for n := len(b.list) - 1; n >= 0; n-- {
		if uses[b.list[n].local] > 0 {
			count(b.list[n].value)
		}
	}
	once := map[*ein.Local]ein.Expr{}
	replace := func(e ein.Expr) ein.Expr {
		return ein.Map(e, func(e ein.Expr) ein.Expr {
			if ref, ok := e.(*ein.LocalRef); ok && once[ref.Local] != nil {
				return once[ref.Local]
			}
			return e
		})
	}
	var kept []binding
	for _, one := range b.list {
		switch uses[one.local] {
		case 0:
		case 1:
			once[one.local] = replace(one.value)
		default:
			kept = append(kept, binding{one.local, replace(one.value)})
		}
	}
	e = replace(e)
	for n := len(kept) - 1; n >= 0; n-- {
		e = &ein.Let{Pos: kept[n].value.Span(), Var: kept[n].local, Value: kept[n].value, Body: e}
	}
	return e
}
