package mdh

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// A compiled instance is what others apply: a function over its own sizes, and the
// buffers that its tensors make up.
type compiled struct {
	syntax          *syntax.Computation
	def             *lang.Def
	inputs, outputs []*buffer
	bottoms         []int // the statements of its function that write cells without a value
}

// An instanceKey is a computation with a choice of its types and functions, as texts.
type instanceKey struct {
	computation      *syntax.Computation
	types, functions string
}

// choice compiles an instance, once; the result is nil when it has errors.
func (c *compiler) choice(k *syntax.Computation, types []syntax.Name, functions []*argument) *compiled {
	name := nameWithTypes(k, types)
	key := instanceKey{k, name, argumentsText(functions)}
	if done, tried := c.compiled[key]; tried {
		return done
	}
	first := choices(k)[0]
	isFirst := slices.EqualFunc(types, first, func(a, b syntax.Name) bool { return a.Name == b.Name })
	if !isFirst && functions == nil && c.choice(k, first, nil) == nil {
		return nil
	}
	alias := ""
	if isFirst {
		name, alias = k.Name.Name, name
	}
	c.open = append(c.open, key)
	said := len(c.diagnostics.List)
	one := c.instance(k, name, types, functions)
	c.open = c.open[:len(c.open)-1]
	c.compiled[key] = one
	if one == nil {
		return nil
	}
	one.def.Alias = alias
	if functions == nil && len(choices(k)) > 1 {
		one.def.Generic = k.Name.Name
	}
	if !isFirst {
		c.forgetRepeated(said)
	}
	return one
}

// forgetRepeated drops the warnings behind a place in the list that stand before it:
// those of the first choice of types come again with the others.
func (c *compiler) forgetRepeated(from int) {
	more := slices.Clone(c.diagnostics.List[from:])
	c.diagnostics.List = c.diagnostics.List[:from]
	for _, d := range more {
		if !d.IsAmong(c.diagnostics.List) {
			c.diagnostics.List = append(c.diagnostics.List, d)
		}
	}
}

// callee compiles what an application names, for the types of the buffers where it
// does not say them.
func (c *instance) callee(a *syntax.Apply, args []*held) *compiled {
	if one := c.imported(a, args); one != nil {
		return one
	}
	k, types := c.computation(a.Name)
	if types == nil {
		types = c.chosen(a, k, args)
	}
	functions := c.functionArguments(a, k)
	if key := (instanceKey{k, nameWithTypes(k, types), argumentsText(functions)}); slices.Contains(c.open, key) {
		stop(c.errorf(source.CodeMDHName, a.Name.Pos, "%s is defined by itself", k.Name.Name).WithHelp("apply the computation again from the host, or write the steps one after the other"))
	}
	said := len(c.diagnostics.List)
	one := c.choice(k, types, functions)
	if functions != nil {
		for _, d := range c.diagnostics.List[said:] {
			d.WithNote(a.Pos, "of %s, which is applied here", shortText(a.Pos))
		}
	}
	if one == nil {
		stop(nil) // it was reported
	}
	return one
}

// computation looks up a computation, or an instance of one by its name with types; of
// others there are no types.
func (c *instance) computation(name syntax.Name) (*syntax.Computation, []syntax.Name) {
	if k := c.computations[name.Name]; k != nil {
		if len(k.Types) == 0 {
			return k, []syntax.Name{}
		}
		return k, nil
	}
	var known []string
	for base, k := range c.computations {
		for _, choice := range choices(k) {
			if nameWithTypes(k, choice) == name.Name {
				return k, choice
			}
		}
		known = append(known, base)
	}
	known = append(known, c.table.Names()...)
	d := c.errorf(source.CodeMDHName, name.Pos, "there is no computation %s", name.Name)
	switch near := source.Suggest(name.Name, known); {
	case c.functions[name.Name] != nil:
		d.WithNote(c.functions[name.Name].Pos, "%s is a function of scalars", name.Name).
			WithHelp("apply it to the elements of a buffer: out_view<…>(y: (i) -> (i)) o md_hom<N>(%s, (++)) o inp_view<…>(x: (i) -> (i))", name.Name)
	case near != "":
		d.WithHelp("did you mean %s?", near)
	default:
		d.WithHelp("a step applies a computation of the file: %s<…> := out_view<…>(…) o md_hom<…>(…) o inp_view<…>(…)", name.Name)
	}
	c.table.Explain(name.Name, d)
	stop(d)
	return nil, nil
}

// chosen finds the types that an application says, or that its buffers have.
func (c *instance) chosen(a *syntax.Apply, k *syntax.Computation, args []*held) []syntax.Name {
	types := c.statedTypes(a, k)
	if types == nil {
		types = c.typesOf(a, k, args)
	}
	if types == nil {
		return c.onlyChoice(a, k, args)
	}
	list := make([]syntax.Name, len(types))
	for n, t := range types {
		p := k.Types[n]
		if !p.Any && !slices.ContainsFunc(p.Choices, func(x syntax.Name) bool { return x.Name == t }) {
			stop(c.errorf(source.CodeMDHType, a.Name.Pos, "%s is not there for %s", k.Name.Name, t).WithNote(p.Name.Pos, "the types that it can have").
				WithHelp("add the type there: %s in {…, %s}", p.Name.Name, t))
		}
		list[n] = syntax.Name{Pos: a.Name.Pos, Name: t}
	}
	return list
}

// onlyChoice finds the types for which a computation has inputs like the buffers, where
// these do not say them one by one.
func (c *instance) onlyChoice(a *syntax.Apply, k *syntax.Computation, args []*held) []syntax.Name {
	functions := c.functionArguments(a, k)
	var fitting [][]syntax.Name
	for _, types := range choices(k) {
		if slices.Contains(c.open, instanceKey{k, nameWithTypes(k, types), argumentsText(functions)}) {
			return types // which is reported
		}
		one := c.choice(k, types, functions)
		if one == nil {
			stop(nil)
		}
		differs := len(args) == 0 || len(one.inputs) < len(args)
		for n, b := range args {
			differs = differs || b != nil && one.inputs[n].element != b.element // a number is of any type
		}
		if !differs {
			fitting = append(fitting, types)
		}
	}
	if len(fitting) != 1 {
		stop(c.errorf(source.CodeMDHType, a.Pos, "the types of %s do not follow from its inputs", k.Name.Name).WithNote(k.Name.Pos, "its parameters").
			WithHelp("say them: %s<%s | …>", k.Name.Name, joinNames(choices(k)[0])))
	}
	return fitting[0]
}

// statedTypes lists the types between the angle brackets; nil when there are none. Without
// a bar they are the first ones that name types.
func (c *instance) statedTypes(a *syntax.Apply, k *syntax.Computation) []string {
	if a.Types == nil {
		for len(a.Types) < len(k.Types) && len(a.Types) < len(a.Sizes) {
			r, ok := a.Sizes[len(a.Types)].(*syntax.Ref)
			if !ok || !c.isType(r.Name) {
				break
			}
			a.Types = append(a.Types, syntax.Name{Pos: r.Pos, Name: r.Name})
		}
		a.Sizes = a.Sizes[len(a.Types):]
	}
	if a.Types == nil {
		return nil
	}
	if len(a.Types) != len(k.Types) {
		stop(c.errorf(source.CodeMDHCount, a.Pos, "%s has %s, %d are given", k.Name.Name, plural(len(k.Types), "type parameter"), len(a.Types)).
			WithNote(k.Name.Pos, "its parameters").WithHelp("give all of them, or none: then they are those of the buffers"))
	}
	var list []string
	for _, t := range a.Types {
		element, ok := c.elementType(t)
		if !ok {
			stop(nil)
		}
		list = append(list, element.String())
	}
	return list
}

func (c *instance) isType(name string) bool {
	_, isScalar := scalarType(name)
	return isScalar || c.isParameter(name) || c.records[name] != nil
}

// typesOf finds the type parameters of a computation by the buffers to which it is
// applied; nil when these do not say all of them.
func (c *instance) typesOf(a *syntax.Apply, k *syntax.Computation, args []*held) []string {
	list := make([]string, len(k.Types))
	for p, parameter := range k.Types {
		var from *held
		for n, t := range inputTypes(k) {
			if t.Name.Name != parameter.Name.Name || n >= len(args) || args[n] == nil {
				continue
			}
			if from != nil && from.element != args[n].element {
				stop(c.errorf(source.CodeMDHType, a.Buffers[n].Span(), "%s is %s and %s is %s, and %s has one type %s for both", from.name, from.element, args[n].name, args[n].element, k.Name.Name, parameter.Name.Name).
					WithNote(t.Pos, "the type of the input").WithHelp("convert one of them in a step before"))
			}
			from, list[p] = args[n], args[n].element.String()
		}
		switch {
		case from == nil && len(parameter.Choices) == 1:
			list[p] = parameter.Choices[0].Name
		case from == nil:
			return nil
		}
	}
	return list
}

// inputTypes lists the types of the inputs of a computation as they are written.
func inputTypes(k *syntax.Computation) []*syntax.BufferType {
	if k.Composition == nil {
		return k.Inp.Types
	}
	var list []*syntax.BufferType
	for _, i := range k.Composition.Inputs {
		list = append(list, i.Type)
	}
	return list
}
