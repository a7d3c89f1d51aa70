package mdh

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How functions are given to computations
//
// reduce(⊕) := … md_hom<N>(id, (⊕)) … is no computation yet: its operator comes with an
// application, sum := reduce(+). Each such instance is compiled by itself, with its own
// trials of the laws, once for equal functions. What stands for a parameter is put into
// the tree before the instance is checked, where it names an operator or the scalar
// function; calls of it in a function that is written in place are found by its scope. A
// function that is given in place sees the types of the computation that gives it.

// An argument is a function or operator that is given.
type argument struct {
	pos      source.Span
	operator *syntax.OperatorRef // names of the file and signs only
	function *syntax.Function    // in place; nil for the others
	combine  *syntax.Combine     // a whole combine operator; nil for the others
	types    map[string]tensor.DType
	params   map[string]*argument
}

func (a *argument) text() string {
	switch {
	case a.combine != nil && a.combine.Op != nil:
		return a.combine.Pos.Text() + " of " + refText(a.combine.Op)
	case a.combine != nil:
		return a.combine.Pos.Text()
	case a.function == nil:
		return refText(a.operator)
	}
	var types []string
	for _, name := range slices.Sorted(maps.Keys(a.types)) {
		types = append(types, name+" = "+a.types[name].String())
	}
	return fmt.Sprintf("%p %s", a.function, joinWords(types))
}

func argumentsText(list []*argument) string {
	words := make([]string, len(list))
	for n, a := range list {
		words[n] = a.text()
	}
	return strings.Join(words, "; ")
}

// functionArguments reads the functions of an application; nil for a computation that
// takes none.
func (c *instance) functionArguments(a *syntax.Apply, k *syntax.Computation) []*argument {
	if len(a.Functions) != len(k.Functions) {
		d := c.errorf(source.CodeMDHCount, a.Pos, "%s takes %s, %d are given", k.Name.Name, plural(len(k.Functions), "function"), len(a.Functions)).
			WithNote(k.Name.Pos, "its parameters")
		if len(k.Functions) == 0 {
			stop(d.WithHelp("leave them out"))
		}
		stop(d.WithHelp("give functions and operators before the buffers: %s(%s)", k.Name.Name, joinNames(k.Functions)))
	}
	var list []*argument
	for _, f := range a.Functions {
		list = append(list, c.argument(f))
	}
	return list
}

func joinNames(list []syntax.Name) string {
	words := make([]string, len(list))
	for n, name := range list {
		words[n] = name.Name
	}
	return joinWords(words)
}

// argument resolves what is given: a parameter of the computation itself is what that
// stands for.
func (c *instance) argument(f *syntax.FunctionArgument) *argument {
	if f.Function != nil {
		return &argument{pos: f.Pos, function: f.Function, types: c.types, params: c.params}
	}
	if f.Combine != nil {
		return &argument{pos: f.Pos, combine: c.combineWithout(f.Combine)}
	}
	if given := c.params[f.Operator.Name]; given != nil {
		return given
	}
	return &argument{pos: f.Pos, operator: c.withoutParameters(f.Operator)}
}

// withoutParameters replaces the parameters in an operator by what they stand for.
func (c *instance) withoutParameters(o *syntax.OperatorRef) *syntax.OperatorRef {
	if given := c.params[o.Name]; given != nil {
		if given.combine != nil {
			stop(c.errorf(source.CodeMDHType, given.pos, "a combine operator is given for %s", o.Name).WithNote(o.Pos, "%s stands for an operator on two values here", o.Name).
				WithHelp("give the operator alone, as + for pw(+)"))
		}
		if given.function != nil {
			stop(c.errorf(source.CodeMDHType, given.pos, "a function in place is given for the operator %s", o.Name).WithNote(o.Pos, "%s combines results here", o.Name).
				WithHelp("declare an operator and give its name: op NAME(l, r) = …"))
		}
		return given.operator
	}
	if o.Parts == nil {
		return o
	}
	copied := &syntax.OperatorRef{Pos: o.Pos, Parts: []*syntax.OperatorRef{}}
	for _, p := range o.Parts {
		copied.Parts = append(copied.Parts, c.withoutParameters(p))
	}
	return copied
}

// combineWithout does so in a combine operator, which may be a parameter itself.
func (c *instance) combineWithout(m *syntax.Combine) *syntax.Combine {
	if m.Op == nil {
		return m
	}
	if given := c.params[m.Op.Name]; m.Bare && given != nil && given.combine != nil {
		return given.combine
	}
	return &syntax.Combine{Pos: m.Pos, Kind: m.Kind, Image: m.Image, Op: c.withoutParameters(m.Op)}
}

// giveFunctions notes what stands for the parameters.
func (c *instance) giveFunctions(list []*argument) {
	c.params = map[string]*argument{}
	for n, a := range list {
		name := c.syntax.Functions[n]
		if c.params[name.Name] != nil {
			stop(c.errorf(source.CodeMDHTwice, name.Pos, "the function %s is declared twice", name.Name).WithHelp("give one of them another name"))
		}
		c.params[name.Name] = a
	}
	c.substituteFunctions()
}

// substituteFunctions puts what is given for the operators and the scalar function of
// md_hom into a copy of the tree.
func (c *instance) substituteFunctions() {
	if c.syntax.Hom == nil || len(c.params) == 0 {
		return
	}
	k, h := *c.syntax, *c.syntax.Hom
	k.Hom, c.syntax = &h, &k
	h.Combine, h.Down = slices.Clone(h.Combine), slices.Clone(h.Down)
	for _, list := range [][]*syntax.Combine{h.Combine, h.Down} {
		for n, m := range list {
			list[n] = c.combineWithout(m)
		}
	}
	given := c.params[h.Name.Name]
	switch {
	case given == nil || h.Function != nil:
	case given.function != nil:
		h.Function = given.function
	case given.combine != nil:
		stop(c.errorf(source.CodeMDHType, given.pos, "a combine operator is given for the function %s", h.Name.Name).WithNote(h.Name.Pos, "%s is the scalar function", h.Name.Name).
			WithHelp("give the name of a function, a sign, or a function in place: (x) -> 2 * x"))
	case given.operator.Parts != nil:
		stop(c.errorf(source.CodeMDHType, given.pos, "a tuple of operators is given for the function %s", h.Name.Name).WithNote(h.Name.Pos, "%s is the scalar function", h.Name.Name).
			WithHelp("give the name of a function, a sign, or a function in place: (x) -> 2 * x"))
	default:
		h.Name = syntax.Name{Pos: given.pos, Name: given.operator.Name}
	}
}

// givenFunction returns the argument that a function in place is.
func (c *instance) givenFunction(f *syntax.Function) *argument {
	for _, a := range c.params {
		if a.function == f {
			return a
		}
	}
	return nil
}

// callGiven writes out a call of a parameter.
func (c *instance) callGiven(a *argument, args []value, e *syntax.Call) value {
	if a.combine != nil || a.function == nil && a.operator.Parts != nil {
		stop(c.errorf(source.CodeMDHType, a.pos, "%s is given for the function %s", shortText(a.pos), e.Name.Name).WithNote(e.Pos, "it is called here").
			WithHelp("give the name of a function, a sign, or a function in place: (x) -> 2 * x"))
	}
	if a.function != nil {
		s := newScope()
		maps.Copy(s.types, a.types)
		s.functions = a.params
		return c.applyIn(a.function, args, e, s)
	}
	name := syntax.Name{Pos: e.Name.Pos, Name: a.operator.Name}
	if _, isSign := binaryOps[name.Name]; isSign || name.Name == "id" {
		return c.applyName(name, args)
	}
	return c.callNamed(&syntax.Call{Pos: e.Pos, Name: name, Args: e.Args}, args, newScope())
}

// checkFunctions reports parameters that a computation does not use: nothing else about
// it is checked before it is applied.
func (c *compiler) checkFunctions(k *syntax.Computation) {
	used := map[string]bool{}
	usesOf(k, used)
	for _, f := range k.Functions {
		if !used[f.Name] {
			c.diagnostics.Errorf(source.CodeMDHName, f.Pos, "%s takes the function %s and does not use it", k.Name.Name, f.Name).
				WithHelp("functions and operators stand between parentheses, types and sizes between angle brackets: %s<%s>", k.Name.Name, f.Name)
		}
	}
}

// usesOf collects the names that stand where a function or operator can.
func usesOf(k *syntax.Computation, used map[string]bool) {
	if k.Hom != nil {
		used[k.Hom.Name.Name] = true
		for _, m := range slices.Concat(k.Hom.Combine, k.Hom.Down) {
			if m.Op != nil {
				usesOfOperator(m.Op, used)
			}
		}
		if k.Hom.Function != nil {
			usesOfFunction(k.Hom.Function, used)
		}
		return
	}
	for _, s := range k.Composition.Steps {
		if s.InPlace != nil {
			usesOf(s.InPlace, used)
		} else {
			usesOfApply(s.Apply, used)
		}
	}
}

func usesOfApply(a *syntax.Apply, used map[string]bool) {
	for _, f := range a.Functions {
		switch {
		case f.Function != nil:
			usesOfFunction(f.Function, used)
		case f.Combine != nil && f.Combine.Op != nil:
			usesOfOperator(f.Combine.Op, used)
		case f.Operator != nil:
			usesOfOperator(f.Operator, used)
		}
	}
	for _, b := range a.Buffers {
		if b.Apply != nil {
			usesOfApply(b.Apply, used)
		}
	}
}

func usesOfOperator(o *syntax.OperatorRef, used map[string]bool) {
	used[o.Name] = true
	for _, p := range o.Parts {
		usesOfOperator(p, used)
	}
}

func usesOfFunction(f *syntax.Function, used map[string]bool) {
	syntax.Walk(f.Body, func(e syntax.Expr) {
		if call, ok := e.(*syntax.Call); ok {
			used[call.Name.Name] = true
		}
	})
}
