package mdh

import (
	"slices"
	"strconv"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/callee"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// call writes out a call of a function, a builtin, a type or a record.
func (c *instance) call(e *syntax.Call, s *scope) value {
	args := make([]value, len(e.Args))
	for n, a := range e.Args {
		args[n] = c.eval(a, s)
	}
	if given := s.functions[e.Name.Name]; given != nil {
		return c.callGiven(given, args, e)
	}
	return c.callNamed(e, args, s)
}

// callNamed writes out a call of what the file or the language declares.
func (c *instance) callNamed(e *syntax.Call, args []value, s *scope) value {
	name := e.Name.Name
	_, ownType := s.types[name]
	_, isType := scalarType(name)
	builtin, isBuiltin := ein.LookupFunction(name)
	switch {
	case ownType || isType:
		return c.convert(e, args, s)
	case name == "min" || name == "max":
		c.arity(e, 2)
		return c.infix(name, args[0], args[1], e.Args[0].Span(), e.Args[1].Span(), e.Pos)
	case c.functions[name] != nil:
		return c.apply(c.functions[name], args, e)
	case c.records[name] != nil:
		return c.construct(c.records[name], args, e)
	case isBuiltin:
		c.arity(e, builtin.Arity)
		return c.builtin(builtin, args, e)
	}
	if name == ein.AbsoluteName {
		c.arity(e, 1)
		return c.absolute(args[0], e)
	}
	if op, ok := ein.BitFunctions()[name]; ok {
		c.arity(e, 1)
		x := c.scalarOf(args[0], e.Args[0].Span())
		c.integer(name, x.Type(), e.Pos)
		return scalar{&ein.Unary{Pos: e.Pos, Op: op, X: x}}
	}
	if group := c.table.Lookup(name); group != nil && group.Defs[0].Scalar != nil {
		return c.foreign(group.Defs[0].Scalar, args, e)
	}
	c.unknownFunction(e)
	return nil
}

// foreign is a function of numbers of another notation.
func (c *instance) foreign(f *lang.Scalar, args []value, e *syntax.Call) value {
	c.arity(e, len(f.Params))
	exprs := make([]ein.Expr, len(args))
	for n, a := range args {
		t := f.Params[n].DType
		if u, ok := a.(untyped); ok && (t.IsFloat() || !u.isFloat) {
			exprs[n] = u.build(t)
		} else {
			exprs[n] = c.scalarOf(a, e.Args[n].Span())
		}
		if is := exprs[n].Type(); is != t {
			stop(c.errorf(source.CodeMDHType, e.Args[n].Span(), "%s of %s is %s, expected %s", f.Params[n].Name, e.Name.Name, is, t).
				WithHelp("convert the argument: %s(…)", t))
		}
	}
	return scalar{f.Of(exprs, e.Pos)}
}

// absolute is |x| of any number.
func (c *instance) absolute(x value, e *syntax.Call) value {
	number := c.scalarOf(x, e.Args[0].Span())
	if number.Type() == tensor.Bool {
		stop(c.errorf(source.CodeMDHType, e.Pos, "abs is applied to bool, expected a number").WithHelp("convert the argument: abs(int32(…))"))
	}
	return scalar{ein.Absolute(number, e.Pos)}
}

func (c *instance) arity(e *syntax.Call, n int) {
	if len(e.Args) != n && syntax.IsSign(e.Name.Name) {
		stop(c.errorf(source.CodeMDHCount, e.Pos, "%s has %s, expected %d", e.Name.Name, plural(len(e.Args), "operand"), n).
			WithHelp("a sign takes what two accesses of inp_view read; write others in place: (x, y, z) -> x * y * z"))
	}
	if len(e.Args) != n {
		stop(c.errorf(source.CodeMDHCount, e.Pos, "%s has %s, expected %d", e.Name.Name, plural(len(e.Args), "argument"), n).WithHelp("pass exactly %s", plural(n, "argument")))
	}
}

func (c *instance) unknownFunction(e *syntax.Call) {
	known := []string{"min", "max", ein.AbsoluteName, "popcount", "clz"}
	for name := range c.functions {
		known = append(known, name)
	}
	for name := range c.records {
		known = append(known, name)
	}
	for _, b := range ein.Builtins() {
		known = append(known, b.Name)
	}
	if o := c.compiler.operators[e.Name.Name]; o != nil {
		stop(c.errorf(source.CodeMDHName, e.Name.Pos, "%s is an operator, expected a function", o.Name.Name).
			WithNote(o.Name.Pos, "it is declared here").
			WithHelp("an operator combines the results of a dimension: pw(%s); what it shares with a scalar function is declared with fun", o.Name.Name))
	}
	if group := c.table.Lookup(e.Name.Name); group != nil {
		stop(c.errorf(source.CodeMDHName, e.Name.Pos, "%s is a def of whole buffers, expected a function of scalars", e.Name.Name).
			WithNote(group.Defs[0].Pos, "%s", callee.Signature(group.Defs[0])).
			WithHelp("apply it in a step of a composition: y := %s(x)", e.Name.Name))
	}
	d := c.errorf(source.CodeMDHName, e.Name.Pos, "there is no function %s", e.Name.Name)
	if near := source.Suggest(e.Name.Name, known); near != "" {
		d.WithHelp("did you mean %s?", near)
	} else {
		d.WithHelp("declare it: fun %s(x) = …; docs/builtins.md lists the builtin functions", e.Name.Name)
	}
	stop(d)
}

// convert is a type that is applied to a value.
func (c *instance) convert(e *syntax.Call, args []value, s *scope) value {
	c.arity(e, 1)
	t := c.scalarNamed(e.Name, s)
	if u, ok := args[0].(untyped); ok && (t.IsFloat() || !u.isFloat && t != tensor.Bool) {
		return scalar{u.build(t)}
	}
	x := c.scalarOf(args[0], e.Args[0].Span())
	if x.Type() == t {
		return scalar{x}
	}
	return scalar{&ein.Cast{Pos: e.Pos, To: t, X: x}}
}

func (c *instance) builtin(b *ein.Builtin, args []value, e *syntax.Call) value {
	t := tensor.Float64
	for _, a := range args {
		if x, ok := a.(scalar); ok {
			t = x.Type()
			break
		}
	}
	if !t.IsFloat() {
		stop(c.errorf(source.CodeMDHType, e.Pos, "%s is applied to %s, expected float32 or float64", b.Name, t).WithHelp("convert the argument: %s(float32(…))", b.Name))
	}
	call := &ein.Call{Pos: e.Pos, Func: b}
	for n, a := range args {
		call.Args = append(call.Args, c.as(a, t, e.Args[n].Span(), "the argument"))
	}
	return scalar{call}
}

// construct makes a record of its fields in the order of declaration.
func (c *instance) construct(r *recordType, args []value, e *syntax.Call) value {
	if len(args) != len(r.fields) {
		stop(c.errorf(source.CodeMDHCount, e.Pos, "the record %s is made of %s, expected %d", r.name, plural(len(args), "value"), len(r.fields)).
			WithHelp("give the fields in this order: %s(%s)", r.name, joinWords(r.fields)))
	}
	v := recordValue{of: r}
	for n, a := range args {
		v.fields = append(v.fields, scalar{c.as(a, r.types[n].Compute(), e.Args[n].Span(), "the field "+r.fields[n])})
	}
	return v
}

// apply writes out a function for its arguments.
func (c *instance) apply(f *syntax.Function, args []value, e *syntax.Call) value {
	if len(f.Indices) > 0 {
		stop(c.errorf(source.CodeMDHCount, e.Pos, "%s names indices and cannot be called", f.Name.Name).WithNote(f.Pos, "the function").
			WithHelp("pass the index as an ordinary argument"))
	}
	defer c.enter(f.Name.Name, e.Pos)()
	return c.applyIn(f, args, e, newScope())
}

// applyIn writes out the value of a function in a scope.
func (c *instance) applyIn(f *syntax.Function, args []value, e *syntax.Call, s *scope) value {
	c.arity(e, len(f.Params))
	c.distinct(f.Params, f.Indices)
	for n, p := range f.Params {
		c.bindParam(p, f.Types, args[n], s, e.Args[n].Span())
	}
	return c.eval(f.Body, s)
}

// distinct reports parameters of one name.
func (c *instance) distinct(params []*syntax.Param, indices []syntax.Name) {
	seen := map[string]source.Span{"_": {}}
	note := func(n syntax.Name) {
		if first, twice := seen[n.Name]; twice && n.Name != "_" {
			stop(c.errorf(source.CodeMDHTwice, n.Pos, "the parameter %s is named twice", n.Name).WithNote(first, "the first one").
				WithHelp("give one of them another name; _ stands for a value that is ignored"))
		}
		seen[n.Name] = n.Pos
	}
	var walk func(p *syntax.Pattern)
	walk = func(p *syntax.Pattern) {
		if p.Parts == nil {
			note(syntax.Name{Pos: p.Pos, Name: p.Name})
		}
		for _, part := range p.Parts {
			walk(part)
		}
	}
	for _, p := range params {
		walk(p.Pattern)
	}
	for _, i := range indices {
		note(i)
	}
}

// expects reports whether a parameter has a type, and which, that a value has not: one that no text
// gives, so that none can be converted where it stands.
func (c *instance) expects(p *syntax.Param, types []syntax.Name, v value) (string, bool) {
	if p.Type == nil || slices.ContainsFunc(types, func(t syntax.Name) bool { return t.Name == p.Type.Name }) {
		return "", false
	}
	if r := c.records[p.Type.Name]; r != nil {
		got, ok := v.(recordValue)
		return r.name, !ok || got.of != r
	}
	x, isScalar := v.(scalar)
	t, isType := scalarType(p.Type.Name)
	return t.String(), isType && (!isScalar || x.Type() != t.Compute())
}

// bindParam gives a parameter its value. A type parameter of the function takes the
// type of the first argument that has it.
func (c *instance) bindParam(p *syntax.Param, types []syntax.Name, v value, s *scope, span source.Span) {
	if p.Type != nil {
		for _, t := range types {
			if _, bound := s.types[t.Name]; t.Name == p.Type.Name && !bound {
				v = typed(v)
				s.types[t.Name] = c.scalarOf(v, span).Type()
			}
		}
		v = c.annotated(v, *p.Type, s, span)
	}
	c.bindPattern(p.Pattern, v, s)
}

// bindPattern gives names to a value or its parts.
func (c *instance) bindPattern(p *syntax.Pattern, v value, s *scope) {
	if p.Parts == nil {
		s.values[p.Name] = c.named(p.Name, v)
		return
	}
	t, ok := v.(tuple)
	if !ok || len(t) != len(p.Parts) {
		stop(c.errorf(source.CodeMDHType, p.Pos, "the value is %s, expected a tuple of %d", v.describe(), len(p.Parts)).WithHelp("name the whole value, or as many parts as it has"))
	}
	for n, part := range p.Parts {
		c.bindPattern(part, t[n], s)
	}
}

// named returns a value that is computed once.
func (c *instance) named(name string, v value) value {
	switch v := v.(type) {
	case scalar:
		return scalar{c.binder.bind(name, v.Expr)}
	case recordValue, tuple:
		list := leaves(v)
		for n, leaf := range list {
			list[n] = c.named(name, leaf)
		}
		return rebuild(v, &list)
	}
	return v
}

// choose is an if: the alternatives are of one shape.
func (c *instance) choose(e *syntax.If, s *scope) value {
	cond := c.scalarOf(c.eval(e.Cond, s), e.Cond.Span())
	if cond.Type() != tensor.Bool {
		stop(c.errorf(source.CodeMDHType, e.Cond.Span(), "the condition is %s, expected bool", cond.Type()).WithHelp("compare it: %s != 0", shortText(e.Cond.Span())))
	}
	x, y := c.eval(e.Then, s), c.eval(e.Else, s)
	if len(leaves(x)) > 1 {
		cond = c.binder.bind("c", cond)
	}
	return c.merge(cond, x, y, e)
}

func (c *instance) merge(cond ein.Expr, x, y value, e *syntax.If) value {
	ux, okX := x.(untyped)
	uy, okY := y.(untyped)
	if okX && okY {
		return untyped{ux.isFloat || uy.isFloat, func(t tensor.DType) ein.Expr {
			c.tick(e.Pos)
			return &ein.Select{Pos: e.Pos, Cond: cond, Then: ux.build(t), Else: uy.build(t)}
		}}
	}
	switch v := x.(type) {
	case recordValue:
		if w, ok := y.(recordValue); ok && w.of == v.of {
			r := recordValue{of: v.of}
			for n := range v.fields {
				r.fields = append(r.fields, c.merge(cond, v.fields[n], w.fields[n], e))
			}
			return r
		}
	case tuple:
		if w, ok := y.(tuple); ok && len(w) == len(v) {
			t := make(tuple, len(v))
			for n := range v {
				t[n] = c.merge(cond, v[n], w[n], e)
			}
			return t
		}
	case scalar:
		if _, ok := y.(scalar); ok || okY {
			return scalar{&ein.Select{Pos: e.Pos, Cond: cond, Then: v.Expr, Else: c.as(y, v.Type(), e.Else.Span(), "the second alternative")}}
		}
	case untyped:
		if w, ok := y.(scalar); ok {
			return scalar{&ein.Select{Pos: e.Pos, Cond: cond, Then: v.build(w.Type()), Else: w.Expr}}
		}
	}
	stop(c.errorf(source.CodeMDHType, e.Pos, "the alternatives are %s and %s", x.describe(), y.describe()).WithHelp("both alternatives are of one type"))
	return nil
}

// maxSteps bounds an iteration, which is written out.
const maxSteps = 4096

// iterate writes out the steps of an iteration. After the condition has failed once
// the state stays, so it fails for ever.
func (c *instance) iterate(e *syntax.Iterate, s *scope) value {
	steps := c.steps(e)
	state := make(tuple, len(e.Vars))
	for n, v := range e.Vars {
		state[n] = c.eval(v.Value, s)
		if v.Type != nil {
			state[n] = c.annotated(state[n], *v.Type, s, v.Value.Span())
		}
		if _, open := state[n].(untyped); open {
			stop(c.errorf(source.CodeMDHType, v.Value.Span(), "%s has no type", v.Name.Name).WithHelp("say which: %s: float32 = %s", v.Name.Name, shortText(v.Value.Span())))
		}
		state[n] = c.named(v.Name.Name, state[n])
	}
	for range steps {
		inner := s.with()
		for n, v := range e.Vars {
			inner.values[v.Name.Name] = state[n]
		}
		next := c.nextState(e, inner, len(state))
		if e.While != nil {
			cond := c.scalarOf(c.eval(e.While, inner), e.While.Span())
			if cond.Type() != tensor.Bool {
				stop(c.errorf(source.CodeMDHType, e.While.Span(), "the condition is %s, expected bool", cond.Type()).WithHelp("compare it: %s != 0", shortText(e.While.Span())))
			}
			cond = c.binder.bind("go", cond)
			pair := &syntax.If{Pos: e.Pos, Then: e.Next, Else: e.Next}
			next = c.merge(cond, next, state, pair).(tuple)
		}
		for n, v := range e.Vars {
			state[n] = c.named(v.Name.Name, c.stateValue(next[n], state[n], e))
		}
	}
	if len(state) == 1 {
		return state[0]
	}
	return state
}

func (c *instance) nextState(e *syntax.Iterate, s *scope, n int) tuple {
	next := c.eval(e.Next, s)
	if n == 1 {
		return tuple{next}
	}
	t, ok := next.(tuple)
	if !ok || len(t) != n {
		stop(c.errorf(source.CodeMDHCount, e.Next.Span(), "the next state is %s, expected %d values", next.describe(), n).WithHelp("give the next values of all variables, in their order"))
	}
	return t
}

// stateValue checks that a variable keeps its type.
func (c *instance) stateValue(next, before value, e *syntax.Iterate) value {
	switch old := before.(type) {
	case scalar:
		return scalar{c.as(next, old.Type(), e.Next.Span(), "the next value")}
	case recordValue:
		return recordValue{old.of, scalars(c.element(next, elementType{record: old.of}, e.Next.Span(), "the next value"))}
	}
	stop(c.errorf(source.CodeMDHType, e.Next.Span(), "a variable is %s", before.describe()).WithHelp("the variables of an iteration are scalars and records"))
	return nil
}

func scalars(list []ein.Expr) []value {
	values := make([]value, len(list))
	for n, e := range list {
		values[n] = scalar{e}
	}
	return values
}

func (c *instance) steps(e *syntax.Iterate) int {
	count := e.Count
	if r, ok := count.(*syntax.Ref); ok && c.constants[r.Name] != nil {
		count = c.constants[r.Name].Value
	}
	if k, ok := count.(*syntax.Number); ok {
		if n, err := strconv.Atoi(k.Text); err == nil && n <= maxSteps {
			return n
		}
	}
	stop(c.errorf(source.CodeMDHIterate, e.Count.Span(), "the number of steps is %s, expected a number up to %d", shortText(e.Count.Span()), maxSteps).
		WithHelp("the steps are written out; longer ones are a reduction over an index of its own by an ordered operator"))
	return 0
}
