package syntax

import (
	"fmt"
	"slices"
	"strings"
)

// Print returns the text of a tree, in the standard layout. Parse reads the same
// tree back; comments are not in it.
func Print(f *File) string {
	p := &printer{}
	for _, i := range f.Imports {
		p.writef("import %q\n", i.Path)
	}
	for _, r := range f.Records {
		p.declaration(func() {
			p.writef("record %s { ", r.Name.Name)
			list(p, r.Fields, func(f *Field) { p.writef("%s: %s", f.Name.Name, f.Type.Name) })
			p.writef(" }")
		})
	}
	for _, c := range f.Constants {
		p.declaration(func() {
			p.writef("const %s%s = ", c.Name.Name, typeText(c.Type))
			p.expr(c.Value, loose)
		})
	}
	for _, fn := range f.Functions {
		p.declaration(func() {
			p.writef("fun %s%s(", fn.Name.Name, typesText(fn.Types))
			p.params(fn)
			p.writef(" = ")
			p.expr(fn.Body, loose)
		})
	}
	for _, o := range f.Operators {
		p.declaration(func() { p.operator(o) })
	}
	for _, c := range f.Computations {
		p.declaration(func() { p.computation(c) })
	}
	return p.out.String()
}

type printer struct{ out strings.Builder }

func (p *printer) writef(format string, args ...any) { fmt.Fprintf(&p.out, format, args...) }

func (p *printer) declaration(write func()) {
	if p.out.Len() > 0 {
		p.writef("\n")
	}
	write()
	p.writef("\n")
}

// list writes items with commas between them.
func list[T any](p *printer, items []T, write func(T)) {
	for n, item := range items {
		if n > 0 {
			p.writef(", ")
		}
		write(item)
	}
}

func (p *printer) names(names []Name) {
	list(p, names, func(n Name) { p.writef("%s", n.Name) })
}

func typeText(t *Name) string {
	if t == nil {
		return ""
	}
	return ": " + t.Name
}

func typesText(types []Name) string {
	if len(types) == 0 {
		return ""
	}
	p := &printer{}
	p.names(types)
	return "<" + p.out.String() + ">"
}

// params writes the parameters with the closing parenthesis.
func (p *printer) params(f *Function) {
	list(p, f.Params, p.param)
	if len(f.Indices) > 0 {
		if len(f.Params) > 0 {
			p.writef(" ")
		}
		p.writef("| ")
		p.names(f.Indices)
	}
	p.writef(")")
}

func (p *printer) param(one *Param) {
	p.pattern(one.Pattern)
	p.writef("%s", typeText(one.Type))
}

func (p *printer) pattern(one *Pattern) {
	if one.Parts == nil {
		p.writef("%s", one.Name)
		return
	}
	p.writef("(")
	list(p, one.Parts, p.pattern)
	p.writef(")")
}

func (p *printer) operator(o *Operator) {
	p.writef("op %s%s(", o.Name.Name, typesText(o.Types))
	list(p, []*Param{o.Left, o.Right}, p.param)
	p.writef(") = ")
	p.expr(o.Body, loose)
	if o.Identity != nil {
		p.writef(" identity ")
		p.expr(o.Identity, loose)
	}
	p.laws(" ", o.Assumed, o.Ordered)
}

func (p *printer) laws(before string, assumed []Name, ordered *Name) {
	if len(assumed) > 0 {
		p.writef("%sassume ", before)
		p.names(assumed)
		before = " "
	}
	if ordered != nil {
		p.writef("%sordered", before)
	}
}

func (p *printer) computation(c *Computation) {
	p.writef("%s", c.Name.Name)
	if len(c.Types)+len(c.Sizes) > 0 {
		p.writef("<")
		list(p, c.Types, func(t *TypeParam) {
			if t.Any {
				p.writef("%s in TYPE", t.Name.Name)
				return
			}
			p.writef("%s in {", t.Name.Name)
			p.names(t.Choices)
			p.writef("}")
		})
		if len(c.Types) > 0 && len(c.Sizes) > 0 {
			p.writef(" | ")
		}
		p.names(c.Sizes)
		p.writef(">")
	}
	if len(c.Functions) > 0 {
		p.writef("(")
		p.names(c.Functions)
		p.writef(")")
	}
	p.writef(" :=\n  ")
	if c.Composition != nil {
		p.composition(c.Composition)
		return
	}
	p.views(c, "  ")
}

// views writes the three functions on lines of their own.
func (p *printer) views(c *Computation, indent string) {
	p.writef("out_view")
	p.view(c.Out)
	p.writef(" ∘\n%smd_hom", indent)
	p.hom(c.Hom)
	p.writef(" ∘\n%sinp_view", indent)
	p.view(c.Inp)
}

func (p *printer) composition(c *Composition) {
	if c.IsChain {
		for n, s := range slices.Backward(c.Steps) {
			p.step(s, "  ")
			if n > 0 {
				p.writef(" ∘\n  ")
			}
		}
		return
	}
	p.writef("(")
	list(p, c.Inputs, func(i *Input) {
		p.writef("%s: ", i.Name.Name)
		p.bufferType(i.Type)
	})
	p.writef(") -> (")
	p.names(c.Outputs)
	p.writef(") where")
	for n, s := range c.Steps {
		if n > 0 {
			p.writef(";")
		}
		p.writef("\n    ")
		p.step(s, "    ")
	}
}

func (p *printer) step(s *Step, indent string) {
	switch {
	case s.InPlace != nil:
		p.views(s.InPlace, indent)
		return
	case s.Results == nil: // of a chain
		p.apply(s.Apply)
		return
	case len(s.Results) == 1:
		p.writef("%s", s.Results[0].Name)
	default:
		p.writef("(")
		p.names(s.Results)
		p.writef(")")
	}
	p.writef(" := ")
	p.apply(s.Apply)
}

func (p *printer) apply(a *Apply) {
	p.writef("%s", a.Name.Name)
	if a.HasArguments {
		p.writef("<")
		p.names(a.Types)
		if len(a.Types) > 0 {
			p.writef(" | ")
		}
		list(p, a.Sizes, func(e Expr) { p.expr(e, additive) })
		p.writef(">")
	}
	if a.Functions != nil {
		p.writef("(")
		list(p, a.Functions, p.functionArgument)
		p.writef(")")
	}
	if a.Buffers == nil {
		return
	}
	p.writef("(")
	list(p, a.Buffers, func(b *Argument) {
		switch {
		case b.Apply != nil:
			p.apply(b.Apply)
		case b.Number != nil:
			p.expr(b.Number, additive)
		default:
			p.writef("%s", b.Name.Name)
		}
	})
	p.writef(")")
}

func (p *printer) functionArgument(f *FunctionArgument) {
	switch {
	case f.Function != nil:
		p.functionInPlace(f.Function)
	case f.Combine != nil:
		p.combine(f.Combine)
	default:
		p.operatorRef(f.Operator, false)
	}
}

func (p *printer) functionInPlace(f *Function) {
	p.writef("(")
	p.params(f)
	p.writef(" -> ")
	p.expr(f.Body, loose)
}

func (p *printer) bufferType(t *BufferType) {
	p.writef("%s", t.Name.Name)
	if t.HasExtents {
		p.writef("[")
		p.exprs(t.Extents)
		p.writef("]")
	}
}

func (p *printer) view(v *View) {
	p.writef("<")
	list(p, v.Types, p.bufferType)
	p.writef(">(")
	list(p, v.Buffers, p.buffer)
	p.writef(")")
}

// exprs writes expressions of sizes and indices.
func (p *printer) exprs(items []Expr) {
	list(p, items, func(e Expr) { p.expr(e, additive) })
}

func (p *printer) buffer(b *Buffer) {
	p.writef("%s: ", b.Name.Name)
	list(p, b.Accesses, p.indexFunction)
	if b.Fill != nil {
		p.writef(" fill ")
		p.expr(b.Fill, additive)
	}
	if b.Bottom != nil {
		p.writef(" fill ⊥")
	}
	if b.Injective != nil {
		p.writef(" injective")
	}
}

func (p *printer) indexFunction(f *IndexFunction) {
	p.writef("(")
	p.names(f.Params)
	p.writef(") -> (")
	p.exprs(f.Results)
	p.writef(")")
}

func (p *printer) combine(c *Combine) {
	if c.Bare {
		p.operatorRef(c.Op, false)
		return
	}
	p.writef("%s", c.Kind)
	if c.Image != nil {
		p.writef("<")
		p.indexFunction(c.Image)
		p.writef(">")
	}
	if c.Op != nil {
		p.writef("(")
		p.operatorRef(c.Op, true)
		p.writef(")")
	}
}

func (p *printer) hom(h *Hom) {
	p.writef("<")
	p.exprs(h.Sizes)
	p.writef(">(")
	if h.Down != nil {
		p.writef("(")
		list(p, h.Down, p.combine)
		p.writef("), ")
	}
	if h.Function != nil {
		p.functionInPlace(h.Function)
	} else {
		p.writef("%s", h.Name.Name)
	}
	p.writef(", (")
	list(p, h.Combine, p.combine)
	p.writef(")")
	p.laws(", ", h.Assumed, h.Ordered)
	p.writef(")")
}

// operatorRef writes a tuple without its parentheses where those of pw serve.
func (p *printer) operatorRef(o *OperatorRef, outermost bool) {
	switch {
	case o.Parts == nil:
		p.writef("%s", o.Name)
	case outermost && len(o.Parts) > 1:
		list(p, o.Parts, func(part *OperatorRef) { p.operatorRef(part, false) })
	default:
		p.writef("(")
		list(p, o.Parts, func(part *OperatorRef) { p.operatorRef(part, false) })
		p.writef(")")
	}
}

// loose is the level of if, let and iterate.
const loose = disjunction - 1

func levelOf(e Expr) int {
	switch e := e.(type) {
	case *If, *Let, *Iterate:
		return loose
	case *Binary:
		return infix[e.Op]
	case *Unary:
		return unaryLevel
	}
	return unaryLevel + 1
}

// expr writes e; level is the loosest construct that needs no parentheses here.
func (p *printer) expr(e Expr, level int) {
	if levelOf(e) < level {
		p.writef("(")
		defer p.writef(")")
	}
	switch e := e.(type) {
	case *Number:
		p.writef("%s", e.Text)
	case *Ref:
		p.writef("%s", e.Name)
	case *Unary:
		p.writef("%s", e.Op)
		p.expr(e.X, unaryLevel)
	case *Binary:
		p.binary(e)
	case *Call:
		p.writef("%s", e.Name.Name)
		p.arguments(e.Args)
	case *Tuple:
		p.arguments(e.Parts)
	case *Table:
		brackets := "[]"
		if e.IsSet {
			brackets = "{}"
		}
		p.writef("%c", brackets[0])
		list(p, e.Items, func(e Expr) { p.expr(e, loose) })
		p.writef("%c", brackets[1])
	case *Select:
		p.expr(e.X, unaryLevel+1)
		p.writef(".%s", e.Field.Name)
	case *Numbered:
		p.expr(e.X, unaryLevel+1)
		p.writef("[")
		p.expr(e.Number, additive)
		p.writef("]")
	default:
		p.statement(e)
	}
}

func (p *printer) arguments(args []Expr) {
	p.writef("(")
	list(p, args, func(e Expr) { p.expr(e, loose) })
	p.writef(")")
}

func (p *printer) binary(e *Binary) {
	level := infix[e.Op]
	left := level
	if level == comparison {
		left++
	}
	p.expr(e.X, left)
	p.writef(" %s ", e.Op)
	p.expr(e.Y, level+1)
}

// statement writes what is made of words.
func (p *printer) statement(e Expr) {
	switch e := e.(type) {
	case *If:
		p.writef("if ")
		p.expr(e.Cond, loose)
		p.writef(" then ")
		p.expr(e.Then, loose)
		p.writef(" else ")
		p.expr(e.Else, loose)
	case *Let:
		p.writef("let ")
		p.pattern(e.Pattern)
		p.writef("%s = ", typeText(e.Type))
		p.expr(e.Value, loose)
		p.writef("; ")
		p.expr(e.Body, loose)
	case *Iterate:
		p.writef("iterate ")
		p.expr(e.Count, additive)
		p.writef(" with (")
		list(p, e.Vars, func(v *Variable) {
			p.writef("%s%s = ", v.Name.Name, typeText(v.Type))
			p.expr(v.Value, loose)
		})
		p.writef(")")
		if e.While != nil {
			p.writef(" while ")
			p.expr(e.While, loose)
		}
		p.writef(" do ")
		p.expr(e.Next, loose)
	}
}
