package diderot

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// expr lowers an expression: statements that it needs are written, and its value is returned.
func (l *lowering) expr(e typed.Expr) value {
	switch e := e.(type) {
	case *typed.Literal:
		return l.constant(e.T, e.Value)
	case *typed.Ref:
		return l.variable(e)
	case *typed.Coerce:
		return l.coerce(e)
	case *typed.Apply:
		return l.apply(e)
	case *typed.Call:
		return l.call(e)
	case *typed.Construct:
		return l.construct(e)
	case *typed.Slice:
		return l.slice(e)
	case *typed.Conditional:
		return l.conditional(e)
	case *typed.StateOf:
		return l.stateOf(e)
	case *typed.NaN:
		t := typeOf(e.T)
		return value{typ: t, parts: repeat(l.real(math.NaN()), t.Width())}
	case *typed.KernelRef, *typed.Probe, *typed.ClosedForm, *typed.Load, *typed.Made:
		return l.symbol(e)
	}
	return l.sequenceExpr(e)
}

// sequenceExpr lowers what makes sequences, or reads them.
func (l *lowering) sequenceExpr(e typed.Expr) value {
	switch e := e.(type) {
	case *typed.Subscript:
		x := l.expr(e.X)
		return l.subscript(e.Pos, x, l.expr(e.At).parts[0])
	case *typed.Sequenced:
		if len(e.Elements) == 0 { // of any type
			return dynamic(&list{items: []strand.Item{}})
		}
		x := value{typ: typeOf(e.T)}
		for _, element := range e.Elements {
			x.parts = append(x.parts, l.expr(element).parts...)
		}
		return x
	case *typed.Range:
		low := l.bind(e.Low.Span(), "low", l.expr(e.Low))
		high := l.bind(e.High.Span(), "high", l.expr(e.High))
		return dynamic(&list{element: strand.Type{Elem: strand.Int}, low: low.parts[0], high: high.parts[0]})
	case *typed.Comprehension:
		return dynamic(l.comprehension(typeOf(e.T.Element), e.Each, e.Body))
	case *typed.Reduce:
		t := typeOf(e.T)
		return l.reduce(e.Pos, e.Row.With, t.Elem, l.comprehension(t, e.Each, e.Body))
	case *typed.SetOf:
		set := map[typed.StrandSet]strand.Set{typed.Active: strand.Active, typed.Stable: strand.Stable, typed.All: strand.All}[e.Set]
		return dynamic(&list{element: strand.Type{Elem: strand.Ref}, set: &set})
	}
	panic(source.Internalf("diderot", e.Span(), "an expression is a %T", e))
}

// comprehension is the list of what a body makes of the elements of a sequence.
func (l *lowering) comprehension(t strand.Type, each *typed.Each, body typed.Expr) *list {
	return &list{element: t, domain: l.listOf(l.expr(each.In)), name: each.Variable.Name, body: func(element value) value {
		l.values[each.Variable] = l.as(each.Pos, each.Variable.Type, element)
		return l.expr(body)
	}}
}

// as turns an int into a real where the type wants one.
func (l *lowering) as(pos source.Span, t *typed.Type, x value) value {
	if t.Kind == typed.Tensor {
		return l.toReal(pos, x)
	}
	return x
}

// variable is the value of a variable.
func (l *lowering) variable(e *typed.Ref) value {
	x, ok := l.values[e.Variable]
	if !ok {
		panic(source.Internalf("diderot", e.Pos, "%s has no value", e.Variable.Name))
	}
	return x
}

// constant is a value that is known.
func (l *lowering) constant(t *typed.Type, v *typed.Value) value {
	switch t.Kind {
	case typed.Bool:
		b := int64(0)
		if v.Bool {
			b = 1
		}
		return scalar(strand.Bool, ein.IntConst(tensor.Bool, b))
	case typed.Int:
		return scalar(strand.Int, l.integer(v.Int))
	case typed.String:
		return scalar(strand.String, l.p.StringConst(v.Text))
	case typed.Tensor:
		if len(t.Shape) > 0 {
			break
		}
		if v.Exact != nil {
			x := scalar(strand.Real, l.number(v.Exact))
			x.constant = l.rational(v.Exact)
			return x
		}
		return scalar(strand.Real, l.real(v.Real))
	}
	return l.constants(t, v)
}

// constants are those of a tensor or sequence.
func (l *lowering) constants(t *typed.Type, v *typed.Value) value {
	inner := t.Element
	if t.Kind == typed.Tensor {
		inner = typed.TensorOf(t.Shape[1:]...)
	}
	x := value{typ: typeOf(t)}
	var elements []value
	for _, element := range v.Elements {
		e := l.constant(inner, element)
		x.parts = append(x.parts, e.parts...)
		elements = append(elements, e)
	}
	if t.Kind == typed.Tensor {
		x.constant = l.known("construct", nil, elements...)
	}
	if t.IsDynamic() {
		whole := value{typ: typeOf(typed.SequenceOf(inner, len(v.Elements))), parts: x.parts}
		return dynamic(l.listOf(whole))
	}
	return x
}

func repeat(e ein.Expr, n int) []ein.Expr {
	list := make([]ein.Expr, n)
	for k := range list {
		list[k] = e
	}
	return list
}

// coerce makes a value one of another type.
func (l *lowering) coerce(e *typed.Coerce) value {
	x := l.expr(e.X)
	switch e.How {
	case typed.ToReal:
		return l.toReal(e.Pos, x)
	case typed.ToDynamic:
		s := *l.listOf(x)
		s.element = typeOf(e.T.Element)
		return dynamic(&s)
	case typed.EachElement:
		if x.list == nil {
			x = l.toReal(e.Pos, x)
			x.typ = typeOf(e.T)
			return x
		}
		body := func(element value) value { return l.toReal(e.Pos, element) }
		return dynamic(&list{element: typeOf(e.T.Element), domain: x.list, name: "element", body: body})
	}
	return x
}

// construct makes a tensor, or a field, of components.
func (l *lowering) construct(e *typed.Construct) value {
	var elements []value
	isField := false
	for _, element := range e.Elements {
		x := l.toReal(e.Pos, l.expr(element))
		elements = append(elements, x)
		isField = isField || x.field != nil
	}
	if isField {
		return l.fieldOperation(e.Pos, "construct", nil, elements...)
	}
	x := value{typ: strand.Type{Elem: strand.Real, Shape: append([]int{len(elements)}, elements[0].typ.Shape...)}}
	for _, element := range elements {
		x.parts = append(x.parts, element.parts...)
	}
	x.constant = l.known("construct", nil, elements...)
	return x
}

// slice takes components of a tensor or field.
func (l *lowering) slice(e *typed.Slice) value {
	x := l.expr(e.X)
	if x.field != nil {
		return l.fieldOperation(e.Pos, "slice", e.At, x)
	}
	y := value{typ: strand.Type{Elem: strand.Real}, constant: l.known("slice", e.At, x)}
	places := []int{0}
	for axis, at := range e.At {
		size := x.typ.Shape[axis]
		if at < 0 {
			y.typ.Shape = append(y.typ.Shape, size)
		}
		var next []int
		for _, p := range places {
			for k := range size {
				if at < 0 || at == k {
					next = append(next, p*size+k)
				}
			}
		}
		places = next
	}
	for _, p := range places {
		y.parts = append(y.parts, x.parts[p])
	}
	return y
}

// conditional evaluates one of two expressions.
func (l *lowering) conditional(e *typed.Conditional) value {
	cond := l.expr(e.Cond)
	var yes, no value
	left := l.into(func() { yes = l.expr(e.Then) })
	right := l.into(func() { no = l.expr(e.Else) })
	t := typeOf(e.T)
	if len(left)+len(right) == 0 && !t.Dynamic {
		cond = l.bindMany(e.Pos, "cond", cond, len(yes.parts))
		x := value{typ: t}
		for k := range yes.parts {
			x.parts = append(x.parts, fold(&ein.Select{Pos: e.Pos, Cond: cond.parts[0], Then: yes.parts[k], Else: no.parts[k]}))
		}
		return x
	}
	v := l.temp(e.Pos, "chosen", t)
	left = append(left, l.into(func() { l.set(e.Pos, v, yes) })...)
	right = append(right, l.into(func() { l.set(e.Pos, v, no) })...)
	l.choice(e.Pos, cond.parts[0], left, right)
	return of(v)
}

// bindMany gives scalars names if they are read more than once.
func (l *lowering) bindMany(pos source.Span, name string, x value, times int) value {
	if times > 1 {
		return l.bind(pos, name, x)
	}
	return x
}

// stateOf reads a state of another strand.
func (l *lowering) stateOf(e *typed.StateOf) value {
	who := l.expr(e.Strand)
	if who.from == nil {
		who.from, _ = l.keep(e.Pos, "who", who)
	}
	v := l.temp(e.Pos, e.State.Name+"'", typeOf(e.T))
	l.emit(&strand.Get{Pos: e.Pos, To: v, Strand: who.from, State: l.variables[e.State]})
	return of(v)
}
