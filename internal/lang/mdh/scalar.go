package mdh

import (
	"maps"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// A result is one element that a scalar function gives: that of one access of an
// output buffer.
type result struct {
	buffer *buffer
	access int
	values []ein.Expr // one for each scalar of the element
}

// scalarFunction returns the function of md_hom, nil for an operator sign or a
// builtin.
func (c *instance) scalarFunction() *syntax.Function {
	if f := c.syntax.Hom.Function; f != nil {
		return f
	}
	return c.functions[c.syntax.Hom.Name.Name]
}

// scalarResults evaluates the scalar function at a point of md_hom.
func (c *instance) scalarResults() []*result {
	f := c.scalarFunction()
	span := c.syntax.Hom.Name.Pos
	if f != nil {
		span = f.Body.Span()
	}
	var values []value
	c.eachChoice(false, func() {
		args := c.arguments(len(values))
		if f != nil {
			values = append(values, c.applyToPoint(f, args))
		} else {
			values = append(values, c.applyName(c.syntax.Hom.Name, args))
		}
	})
	var list []*result
	for n, v := range c.combineChoices(values, span) {
		list = append(list, c.results(c.elements(v, span), n)...)
	}
	return list
}

// arguments are the elements that a point reads, one for each input buffer, for one of
// the choices of the indices that are written out.
func (c *instance) arguments(choice int) []value {
	args := make([]value, len(c.inputs))
	for n, b := range c.inputs {
		var items []value
		accesses := len(b.syntax.Accesses)
		for _, results := range b.accesses[choice*accesses:][:accesses] {
			items = append(items, c.differences(b, results))
		}
		args[n] = items[0]
		if len(items) > 1 {
			args[n] = accessList{b.syntax.Name.Name, items}
		}
	}
	return args
}

func (c *instance) read(b *buffer, results []affine.Expr) value {
	var fields []value
	pos := b.syntax.Pos
	for _, t := range b.tensors {
		access := &ein.Access{Pos: pos, Tensor: t}
		for _, r := range results {
			access.Subscripts = append(access.Subscripts, c.subscript(r, pos))
		}
		if t.Type.IsHalf() {
			fields = append(fields, scalar{&ein.Cast{Pos: pos, To: t.Type.Compute(), X: access}})
		} else {
			fields = append(fields, scalar{access})
		}
	}
	if b.element.record != nil {
		return recordValue{b.element.record, fields}
	}
	return fields[0]
}

// flattened returns the elements of all accesses where the function has a parameter for
// each of them.
func (c *instance) flattened(f *syntax.Function, args []value) []value {
	var all []value
	for _, a := range args {
		if list, ok := a.(accessList); ok {
			all = append(all, list.items...)
		} else {
			all = append(all, a)
		}
	}
	if len(f.Params) == len(all) {
		return all
	}
	return args
}

// sourceOf names the buffer from which an argument of the scalar function comes.
func (c *instance) sourceOf(n, args int) string {
	for _, b := range c.inputs {
		accesses := 1
		if args > len(c.inputs) {
			accesses = len(b.accesses)
		}
		if n -= accesses; n < 0 {
			return b.name()
		}
	}
	return "inp_view"
}

// applyToPoint writes out the function of md_hom. One that is written in place sees
// the types and sizes of the computation as well.
func (c *instance) applyToPoint(f *syntax.Function, args []value) value {
	h := c.syntax.Hom
	args = c.flattened(f, args)
	if len(f.Params) != len(args) {
		stop(c.errorf(source.CodeMDHCount, f.Pos, "the scalar function has %s, inp_view has %s", plural(len(f.Params), "parameter"), plural(len(args), "buffer")).
			WithNote(c.syntax.Inp.Pos, "inp_view").WithHelp("a parameter stands for a buffer; with several index functions its accesses are x[1], x[2], …"))
	}
	if len(f.Indices) > 0 && len(f.Indices) != len(c.dims) {
		stop(c.errorf(source.CodeMDHCount, f.Pos, "the scalar function names %s, md_hom has %s", indexCount(len(f.Indices)), plural(len(c.dims), "dimension")).
			WithHelp("name all indices of md_hom behind the bar, or none"))
	}
	c.distinct(f.Params, f.Indices)
	s := newScope()
	if given := c.givenFunction(f); given != nil {
		maps.Copy(s.types, given.types)
		s.functions = given.params
	} else if f == h.Function {
		s = c.ownScope()
		s.functions = c.params
	} else {
		defer c.enter(f.Name.Name, f.Pos)()
	}
	for n, p := range f.Params {
		span := p.Pattern.Pos
		if t, ok := c.expects(p, f.Types, args[n]); ok && f != h.Function {
			stop(c.errorf(source.CodeMDHType, h.Name.Pos, "%s takes %s, the elements of %s are %s", f.Name.Name, t, c.sourceOf(n, len(args)), args[n].describe()).
				WithNote(p.Type.Pos, "the type of the parameter").
				WithHelp("leave the types out, or write fun %[1]s<T>(x: T) = … for any; or convert in place: (x) -> %[1]s(%[2]s(x))", f.Name.Name, t))
		}
		c.bindParam(p, f.Types, args[n], s, span)
	}
	for n, i := range f.Indices {
		s.values[i.Name] = scalar{c.subscript(c.dims[n].point(), i.Pos)}
	}
	return c.eval(f.Body, s)
}

// ownScope has the types and sizes of the computation.
func (c *instance) ownScope() *scope {
	s := newScope()
	maps.Copy(s.types, c.types)
	for name, size := range c.sizes {
		s.values[name] = scalar{&ein.SizeRef{Pos: size.Pos, Size: affine.Symbol(name)}}
	}
	return s
}

// applyName applies an operator sign, id or a builtin to the elements.
func (c *instance) applyName(n syntax.Name, args []value) value {
	switch {
	case n.Name == "id" && len(args) == 1:
		return args[0]
	case n.Name == "id":
		stop(c.errorf(source.CodeMDHCount, n.Pos, "id takes one buffer, inp_view has %d", len(args)).WithHelp("write a scalar function: (x, y) -> …"))
	}
	_, isSign := binaryOps[n.Name]
	b, isBuiltin := ein.LookupFunction(n.Name)
	call := &syntax.Call{Pos: n.Pos, Name: n}
	for range args {
		call.Args = append(call.Args, &syntax.Ref{Pos: n.Pos, Name: n.Name})
	}
	switch {
	case isSign:
		c.arity(call, 2)
		return c.infix(n.Name, args[0], args[1], n.Pos, n.Pos, n.Pos)
	case isBuiltin:
		c.arity(call, b.Arity)
		return c.builtin(b, args, call)
	case n.Name == ein.AbsoluteName:
		c.arity(call, 1)
		return c.absolute(args[0], call)
	}
	c.unknownFunction(call)
	return nil
}

// elements divides the value of the scalar function among the index functions of the
// outputs.
func (c *instance) elements(v value, span source.Span) [][]ein.Expr {
	var of []*buffer
	for _, b := range c.output {
		for range b.syntax.Accesses {
			of = append(of, b)
		}
	}
	parts, isTuple := v.(tuple)
	if len(of) == 1 && !isTuple {
		parts = tuple{v}
	}
	gives := plural(len(parts), "result")
	switch {
	case !isTuple:
		gives = "1 result"
	case len(parts) == 0:
		gives = "no result"
	}
	if len(parts) != len(of) {
		stop(c.errorf(source.CodeMDHCount, span, "the scalar function gives %s, out_view has %s", gives, plural(len(of), "index function")).
			WithNote(c.syntax.Out.Pos, "out_view").WithHelp("give a tuple with one element for each index function of the outputs"))
	}
	list := make([][]ein.Expr, len(of))
	for n, b := range of {
		list[n] = c.element(parts[n], b.element, span, "the result for "+b.name())
	}
	return list
}

// results are the elements as what the outputs get, for one of the choices of the indices
// that are written out.
func (c *instance) results(elements [][]ein.Expr, choice int) []*result {
	var list []*result
	for _, b := range c.output {
		for n := range b.syntax.Accesses {
			r := &result{buffer: b, access: choice*len(b.syntax.Accesses) + n}
			for _, e := range elements[len(list)] {
				r.values = append(r.values, c.binder.wrap(e))
			}
			list = append(list, r)
		}
	}
	return list
}

// valueOf is the value of which these are the elements.
func (c *instance) valueOf(elements [][]ein.Expr) value {
	var t tuple
	for _, b := range c.output {
		for range b.syntax.Accesses {
			values := scalars(elements[len(t)])
			if b.element.record != nil {
				t = append(t, recordValue{b.element.record, values})
			} else {
				t = append(t, values[0])
			}
		}
	}
	if len(t) == 1 {
		return t[0]
	}
	return t
}
