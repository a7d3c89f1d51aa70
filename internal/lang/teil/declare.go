package teil

import (
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// symbolsOf lists the names in a size, sorted.
func symbolsOf(e affine.Expr) []string {
	set := map[string]bool{}
	e.Symbols(set)
	return slices.Sorted(maps.Keys(set))
}

// declare notes the params, sizes and allocations of a program.
func (p *program) declare() {
	p.params, p.sizes = map[string]affine.Expr{}, map[string]source.Span{}
	p.scalars = scalarSizes(p.source)
	declared := map[string]source.Span{}
	for _, d := range slices.Concat(p.file.Params, p.source.Params) {
		if first, twice := declared[d.Name.Name]; twice {
			p.twice(d.Name, first)
			continue
		}
		declared[d.Name.Name] = d.Name.Pos
		p.params[d.Name.Name] = d.Value.Value.Subst(p.params)
	}
	for _, a := range p.source.Allocs {
		if first, twice := declared[a.Name.Name]; twice {
			p.twice(a.Name, first)
			continue
		}
		declared[a.Name.Name] = a.Name.Pos
		p.allocate(a)
	}
	for _, a := range p.out.Allocs {
		if first, ok := p.sizes[a.Name.Name]; ok && !p.scalars[a.Name.Name] {
			p.twice(a.Name, first)
		}
	}
	p.positiveSizes()
}

func (p *program) twice(n syntax.Name, first source.Span) {
	p.errorf(source.CodeTeILTwice, n.Pos, "%s is declared already", n.Name).WithNote(first, "the first %s", n.Name).WithHelp("give one of them another name")
}

// allocate notes an allocation with the params put in.
func (p *program) allocate(a *syntax.Alloc) {
	element, ok := elementType(a.Type)
	if !ok {
		var names []string
		for _, t := range tensor.DTypes() {
			names = append(names, t.String())
		}
		d := p.errorf(source.CodeTeILElement, a.Type.Pos, "%s is no element type", a.Type.Name).WithHelp("element types are float, double, int32, int64 and the other numbers")
		if near := source.Suggest(a.Type.Name, append(names, "float", "double")); near != "" {
			d.WithHelp("did you mean %s?", near)
		}
	}
	c := *a
	c.Dims = nil
	var shape Shape
	for _, d := range a.Dims {
		n := d.Value.Subst(p.params)
		c.Dims = append(c.Dims, syntax.Size{Pos: d.Pos, Value: n})
		shape = append(shape, n)
		if !n.Fits() {
			p.errorf(source.CodeTeILSize, d.Pos, "the size %s does not fit in 64 bits", d.Pos.Text()).WithHelp("a dimension has at most 2^63 - 1 places")
			continue
		}
		for _, name := range symbolsOf(n) {
			p.useSize(name, d.Pos, true)
		}
	}
	p.out.Allocs = append(p.out.Allocs, &c)
	p.typing.Context.Shapes[a.Name.Name] = shape
	p.typing.Elements[a.Name.Name] = element
}

// positiveSizes checks that no dimension is empty. What is not known becomes a
// condition, and a fact for what comes after.
func (p *program) positiveSizes() {
	for _, a := range p.out.Allocs {
		for _, d := range a.Dims {
			e := d.Value.AddConst(-1)
			if !d.Value.Fits() {
				continue // reported
			}
			if !p.typing.Context.require(e, d.Pos, "the size "+d.Value.String()+" of "+a.Name.Name+" is at least 1") {
				p.errorf(source.CodeTeILSize, d.Pos, "a dimension of %s has the size %s", a.Name.Name, d.Value).WithHelp("sizes are at least 1; a scalar has the shape []")
				continue
			}
		}
	}
}

// zero returns an expression of a shape whose elements are 0.
func zero(s Shape, pos source.Span) syntax.Expr {
	return repeated(&syntax.Number{Pos: pos, Text: "0"}, s, pos)
}

// repeated returns an expression of a shape whose elements are the scalar e.
func repeated(e syntax.Expr, s Shape, pos source.Span) syntax.Expr {
	for k, n := range s {
		e = operate(pos, "expa", []syntax.Size{position(k + 1), {Pos: pos, Value: n}}, e)
	}
	return e
}

func position(i int) syntax.Size { return syntax.Literal(i) }

// operate makes an operation that stands for the text at pos.
func operate(pos source.Span, name string, args []syntax.Size, operands ...syntax.Expr) *syntax.Operation {
	op, _ := syntax.Lookup(name)
	return &syntax.Operation{Pos: pos, Op: op, Args: args, Operands: operands}
}

// freshName returns a name that nothing has.
func freshName(p *syntax.Program, sizes []syntax.Name, base string) string {
	name := base
	taken := func() bool {
		return p.Alloc(name) != nil || p.Fold(name) != nil || syntax.IsReserved(name) || slices.ContainsFunc(sizes, func(s syntax.Name) bool { return s.Name == name })
	}
	for taken() {
		name += "_"
	}
	return name
}

// newLocal allocates a local of the program.
func (t *Typing) newLocal(base string, shape Shape, element tensor.DType, pos source.Span) syntax.Name {
	n := syntax.Name{Pos: pos, Name: freshName(t.Program, t.Sizes, base)}
	a := &syntax.Alloc{Pos: pos, Name: n}
	if element != tensor.Float64 {
		a.Type = &syntax.Name{Pos: pos, Name: element.String()}
	}
	for _, d := range shape {
		a.Dims = append(a.Dims, syntax.Size{Pos: pos, Value: d})
	}
	t.Program.Allocs = append(t.Program.Allocs, a)
	t.Context.Shapes[n.Name], t.Elements[n.Name] = shape, element
	return n
}
