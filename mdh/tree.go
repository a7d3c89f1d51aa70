package mdh

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
)

// tree makes the syntax tree of the program.
func (p Program) tree() *syntax.File {
	f := &syntax.File{}
	for _, r := range p.Records {
		record := &syntax.Record{Name: syntax.Name{Name: r.Name}}
		for _, one := range r.Fields {
			record.Fields = append(record.Fields, &syntax.Field{Name: syntax.Name{Name: one.Name}, Type: syntax.Name{Name: string(one.Type)}})
		}
		f.Records = append(f.Records, record)
	}
	declared := map[*Operator]bool{}
	for _, c := range p.Computations {
		for _, k := range c.Hom.Combine {
			c.operators(k.op, c.results(), declared, f)
		}
		for _, k := range c.Hom.Down {
			c.operators(k.op, c.elements(), declared, f)
		}
		f.Computations = append(f.Computations, c.tree())
	}
	for _, c := range p.Compositions {
		f.Computations = append(f.Computations, c.tree())
	}
	return f
}

// results is the number of elements that the scalar function gives.
func (c Computation) results() (n int) {
	for _, b := range c.Out {
		n += len(b.Index)
	}
	return n
}

// elements is the number of elements that the scalar function takes.
func (c Computation) elements() (n int) {
	for _, b := range c.Inp {
		n += len(b.Index)
	}
	return n
}

// operators declares an operator and its parts; it combines so many elements.
func (c Computation) operators(o *Operator, elements int, declared map[*Operator]bool, f *syntax.File) {
	if o == nil || declared[o] {
		return
	}
	declared[o] = true
	for _, part := range o.parts {
		c.operators(part, 1, declared, f)
	}
	if o.sign != "" || o.parts != nil {
		return
	}
	op := &syntax.Operator{Name: syntax.Name{Name: o.Name}}
	left, l := operands("l", elements)
	right, r := operands("r", elements)
	op.Left, op.Right = left, right
	if o.Function != nil {
		op.Body = tupleOf(o.Function(l, r))
	}
	if o.Identity != nil {
		op.Identity = tupleOf(o.Identity)
	}
	for _, law := range []struct {
		assumed bool
		name    string
	}{{o.AssumeAssociative, "associative"}, {o.AssumeCommutative, "commutative"}, {o.AssumeNeutral, "neutral"}} {
		if law.assumed {
			op.Assumed = append(op.Assumed, syntax.Name{Name: law.name})
		}
	}
	if o.Ordered {
		op.Ordered = &syntax.Name{Name: "ordered"}
	}
	f.Operators = append(f.Operators, op)
}

// operands makes the parameter for one operand of so many elements.
func operands(name string, elements int) (*syntax.Param, []Expr) {
	if elements == 1 {
		return &syntax.Param{Pattern: &syntax.Pattern{Name: name}}, Sizes(name)
	}
	pattern := &syntax.Pattern{Parts: []*syntax.Pattern{}}
	var names []string
	for n := range elements {
		names = append(names, fmt.Sprintf("%s%d", name, n+1))
		pattern.Parts = append(pattern.Parts, &syntax.Pattern{Name: names[n]})
	}
	return &syntax.Param{Pattern: pattern}, Sizes(names...)
}

func (c Computation) tree() *syntax.Computation {
	k := &syntax.Computation{Name: syntax.Name{Name: c.Name}, Types: typeParams(c.Types), Sizes: words(c.Sizes)}
	indices := c.indexNames()
	k.Out, k.Inp = view(c.Out, indices), view(c.Inp, indices)
	k.Hom = c.hom(indices)
	return k
}

// indexNames returns the names of the indices: those that are given, and for the
// others names that nothing else in the computation has.
func (c Computation) indexNames() []string {
	taken := slices.Clone(c.Sizes)
	for _, b := range append(slices.Clone(c.Inp), c.Out...) {
		taken = append(taken, b.Name)
	}
	names := make([]string, len(c.Hom.Over))
	for n := range names {
		if n < len(c.Hom.Indices) {
			names[n] = c.Hom.Indices[n]
			continue
		}
		names[n] = fmt.Sprintf("i%d", n+1)
		for slices.Contains(taken, names[n]) {
			names[n] += "_"
		}
	}
	return names
}

func words(names []string) []syntax.Name {
	list := make([]syntax.Name, len(names))
	for n, name := range names {
		list[n] = syntax.Name{Name: name}
	}
	return list
}

func view(buffers []Buffer, indices []string) *syntax.View {
	v := &syntax.View{}
	for _, b := range buffers {
		v.Types = append(v.Types, bufferType(b))
		buffer := &syntax.Buffer{Name: syntax.Name{Name: b.Name}, Fill: b.Fill.e}
		if b.Undefined {
			buffer.Bottom = &syntax.Name{Name: "⊥"}
		}
		if b.Injective {
			buffer.Injective = &syntax.Name{Name: "injective"}
		}
		for _, f := range b.Index {
			buffer.Accesses = append(buffer.Accesses, &syntax.IndexFunction{Params: words(indices), Results: subscripts(f, indices)})
		}
		v.Buffers = append(v.Buffers, buffer)
	}
	return v
}

// subscripts applies an index function; a missing one has no value.
func subscripts(f IndexFunction, indices []string) []syntax.Expr {
	if f == nil {
		return trees([]Expr{{}})
	}
	return trees(f(Sizes(indices...)))
}

func (c Computation) hom(indices []string) *syntax.Hom {
	h := &syntax.Hom{Sizes: trees(c.Hom.Over), Function: &syntax.Function{Indices: words(indices)}}
	var inputs []string
	for _, b := range c.Inp {
		inputs = append(inputs, b.Name)
		h.Function.Params = append(h.Function.Params, &syntax.Param{Pattern: &syntax.Pattern{Name: b.Name}})
	}
	if c.Hom.F != nil {
		h.Function.Body = tupleOf(c.Hom.F(Sizes(inputs...), Sizes(indices...)))
	}
	h.Combine = combines(c.Hom.Combine)
	if c.Hom.Down != nil {
		h.Down = combines(c.Hom.Down)
	}
	if c.Hom.AssumeExchange {
		h.Assumed = []syntax.Name{{Name: "exchange"}}
	}
	if c.Hom.Ordered {
		h.Ordered = &syntax.Name{Name: "ordered"}
	}
	return h
}

func combines(list []Combine) (all []*syntax.Combine) {
	for _, k := range list {
		one := &syntax.Combine{Kind: k.kind}
		if k.kind != "++" {
			one.Op = reference(k.op)
		}
		if k.image != nil {
			one.Image = &syntax.IndexFunction{Params: words([]string{"i"}), Results: trees([]Expr{k.image(Sizes("i")[0])})}
		}
		all = append(all, one)
	}
	return all
}

// reference names an operator; one that is missing has no name, which is an error
// of the text.
func reference(o *Operator) *syntax.OperatorRef {
	switch {
	case o == nil:
		return &syntax.OperatorRef{}
	case o.sign != "":
		return &syntax.OperatorRef{Name: o.sign}
	case o.parts == nil:
		return &syntax.OperatorRef{Name: o.Name}
	}
	r := &syntax.OperatorRef{Parts: []*syntax.OperatorRef{}}
	for _, part := range o.parts {
		r.Parts = append(r.Parts, reference(part))
	}
	return r
}
