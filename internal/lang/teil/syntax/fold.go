package syntax

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// A Fold declares reductions of tuples,
//
//	fold least, place (v, i : int64) (w, j) = min v w, select (lt w v) j i
//
// one operation for each component of the result: "least 2 A B" is the first component of the
// pairs of elements of A and B, combined along dimension 2. Bodies say how two tuples are
// combined, From with which tuple the reduction begins; without it that is the first one.
type Fold struct {
	Pos    source.Span
	Names  []Name // of the operations
	Left   []Scalar
	Right  []Name
	Bodies []Expr
	From   []Expr // empty if there is none
}

// A Scalar is a parameter of a fold, a number; Type is nil when there is none.
type Scalar struct {
	Name Name
	Type *Name
}

// Operations returns the operations that the fold declares, one for each of its names.
func (o *Fold) Operations() []*Op {
	list := make([]*Op, len(o.Names))
	for k, n := range o.Names {
		list[k] = o.Operation(n.Name, k)
	}
	return list
}

// Operation returns the operation of a name that gives component k.
func (o *Fold) Operation(name string, k int) *Op {
	return &Op{
		Name: name, Class: Folding, Parameters: parameters("i"), Operands: len(o.Left), Rule: "T-Fold", Coq: "reduce",
		Summary: "a component of tuples that are combined over dimension i", Fold: o, Component: k,
	}
}

// Fold returns the fold that declares an operation, or nil.
func (p *Program) Fold(name string) *Fold {
	for _, o := range p.Folds {
		for _, n := range o.Names {
			if n.Name == name {
				return o
			}
		}
	}
	return nil
}

const foldForm = "a fold is written fold least, place (v, i : int64) (w, j) = min v w, select (lt w v) j i"

func (p *parser) fold() {
	program := p.current()
	start := p.Take().Start
	o := &Fold{}
	p.Commas(func() { o.Names = append(o.Names, p.Name("the name of an operation")) })
	p.Expect("(", "and the parameters for the first tuple; "+foldForm)
	p.Commas(func() {
		s := Scalar{Name: p.Name("the name of a parameter")}
		if p.Accept(":") {
			n := p.typeName()
			s.Type = &n
		}
		o.Left = append(o.Left, s)
	})
	p.Expect(")", "after the parameters")
	p.Expect("(", "and the parameters for the second tuple; "+foldForm)
	p.Commas(func() { o.Right = append(o.Right, p.Name("the name of a parameter")) })
	p.Expect(")", "after the parameters")
	p.Expect("=", "and an expression for each component")
	p.Commas(func() { o.Bodies = append(o.Bodies, p.expr()) })
	if p.Is("from") {
		p.Take()
		p.Commas(func() { o.From = append(o.From, p.expr()) })
	}
	if t := p.Peek(); t.Kind != token.End && !p.begins() && !p.sameLineBegins() {
		p.Fail(p.surplus(), "the end of the fold")
	}
	o.Pos = p.From(start)
	if len(program.Statements) > 0 {
		p.Report(o.Pos, "move it up", "a fold stands behind a statement, expected all folds before the statements")
	}
	program.Folds = append(program.Folds, o)
	for _, op := range o.Operations() {
		if p.declared == nil || p.declaredIn != program {
			p.declared, p.declaredIn = map[string]*Op{}, program
		}
		if _, twice := p.declared[op.Name]; !twice && program.Alloc(op.Name) == nil {
			p.declared[op.Name] = op
		}
	}
}

// typeName reads the name of an element type.
func (p *parser) typeName() Name {
	t := p.Peek()
	if t.Kind != token.Word {
		p.Fail("", "an element type")
	}
	p.Take()
	return Name{Pos: p.SpanOf(t), Name: t.Text}
}

// lookup finds an operation, also one that the program has declared.
func (p *parser) lookup(name string) (*Op, bool) {
	if op, ok := Lookup(name); ok {
		return op, true
	}
	if p.declaredIn != p.program {
		return nil, false
	}
	op, ok := p.declared[name]
	return op, ok
}

// PrintFold writes the declaration of a fold.
func PrintFold(o *Fold) string {
	join := func(n int, word func(k int) string) string {
		words := make([]string, n)
		for k := range words {
			words[k] = word(k)
		}
		return strings.Join(words, ", ")
	}
	text := "fold " + join(len(o.Names), func(k int) string { return o.Names[k].Name }) + " (" + join(len(o.Left), func(k int) string {
		if s := o.Left[k]; s.Type != nil {
			return s.Name.Name + " : " + s.Type.Name
		}
		return o.Left[k].Name.Name
	}) + ") (" + join(len(o.Right), func(k int) string { return o.Right[k].Name }) + ") = " +
		join(len(o.Bodies), func(k int) string { return PrintExpr(o.Bodies[k]) })
	if len(o.From) > 0 {
		text += " from " + join(len(o.From), func(k int) string { return PrintExpr(o.From[k]) })
	}
	return text
}
