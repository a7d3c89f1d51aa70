package teil

import (
	"fmt"
	"strconv"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/callee"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A Typing is a well-typed program.
type Typing struct {
	Name     string
	Source   *syntax.Program // as it was written
	Program  *syntax.Program // without params, operators and calls; every allocation has its mark, and nothing is read before it is assigned
	Context  *Context
	Sizes    []syntax.Name // the symbolic ones, in the order of the text
	Elements map[string]tensor.DType

	folds map[*syntax.Fold]*fold
	calls map[*syntax.Callee]*callee.Call // of defs in other notations
	// warnings are those of the defs in other notations that are called.
	warnings []*source.Diagnostic
}

// Check checks the programs of a file (OK-Prog) and returns the typings of those
// without errors, in the order of the text.
func Check(file *syntax.File) ([]*Typing, *source.Diagnostics) {
	typings, diagnostics := check([]*syntax.File{file}, &callee.Table{})
	diagnostics.Sort()
	return typings, diagnostics
}

// check checks the programs of files that import each other, which may call what a table has.
func check(files []*syntax.File, table *callee.Table) ([]*Typing, *source.Diagnostics) {
	c := &checker{diagnostics: &source.Diagnostics{}, programs: map[string]*program{}, table: table}
	var order []*program
	for _, file := range files {
		for _, p := range file.Programs {
			name := programName(p, file.Source)
			if other := c.programs[name]; other != nil {
				c.diagnostics.Errorf(source.CodeTeILTwice, p.Name.Pos, "%s is defined already", name).WithNote(other.source.Name.Pos, "the first %s", name).
					WithHelp("give one of them another name")
				continue
			}
			made := &program{checker: c, file: file, name: name, source: p}
			c.programs[name], order = made, append(order, made)
		}
	}
	var typings []*Typing
	for _, p := range order {
		if t := p.check(); t != nil {
			typings = append(typings, t)
		}
	}
	return typings, c.diagnostics
}

// CheckProgram checks one program that calls no others.
func CheckProgram(p *syntax.Program) (*Typing, *source.Diagnostics) {
	typings, diagnostics := Check(&syntax.File{Source: p.Pos.File, Programs: []*syntax.Program{p}})
	if len(typings) == 0 {
		return nil, diagnostics
	}
	return typings[0], diagnostics
}

// A checker is the state of one Check.
type checker struct {
	diagnostics *source.Diagnostics
	programs    map[string]*program
	active      []string // the programs that are being checked
	table       *callee.Table
}

// A program is one that is being checked.
type program struct {
	*checker
	file   *syntax.File
	name   string
	source *syntax.Program
	done   bool
	typing *Typing // nil when there are errors

	params map[string]affine.Expr
	sizes  map[string]source.Span
	// scalars are the allocations whose values may be sizes.
	scalars map[string]bool
	out     *syntax.Program // becomes Typing.Program
	calls   int
	errors  int
}

// check checks a program, once.
func (p *program) check() *Typing {
	if p.done {
		return p.typing
	}
	p.done = true
	p.active = append(p.active, p.name)
	defer func() { p.active = p.active[:len(p.active)-1] }()
	p.out = &syntax.Program{Pos: p.source.Pos, Name: syntax.Name{Pos: p.source.Name.Pos, Name: p.name}, Direct: p.source.Direct}
	t := &Typing{Name: p.name, Source: p.source, Program: p.out, Context: NewContext(), Elements: map[string]tensor.DType{}, folds: map[*syntax.Fold]*fold{}, calls: map[*syntax.Callee]*callee.Call{}}
	p.typing = t
	p.declare()
	p.declareFolds()
	if p.errors == 0 {
		for _, s := range p.source.Statements {
			p.statement(s)
		}
	}
	if p.errors == 0 {
		p.roles()
	}
	if p.errors > 0 {
		p.typing = nil
	}
	return p.typing
}

func (p *program) errorf(code source.Code, pos source.Span, format string, args ...any) *source.Diagnostic {
	p.errors++
	return p.diagnostics.Errorf(code, pos, format, args...)
}

// refused reports what breaks a rule.
func (p *program) refused(r *Refusal) {
	pos := r.Expr.Span()
	if !pos.IsValid() {
		pos = p.source.Pos
	}
	d := p.errorf(r.Code, pos, "%s", r.Error())
	if r.Help != "" {
		d.WithHelp("%s", r.Help)
	}
}

// statement checks x = e (OK-Stmt) and adds it to the program.
func (p *program) statement(s *syntax.Statement) {
	for _, t := range s.Targets {
		if p.out.Alloc(t.Name) == nil {
			p.errorf(source.CodeTeILName, t.Pos, "OK-Stmt: no tensor %s is allocated", t.Name).WithHelp("%s", p.typing.Context.suggest(t.Name))
			return
		}
	}
	value := syntax.Substitute(s.Value, p.params)
	if !p.knownSizes(value) {
		return
	}
	if call, ok := value.(*syntax.Apply); ok && p.isCall(call) {
		p.call(s, call)
		return
	}
	if len(s.Targets) > 1 {
		p.errorf(source.CodeTeILCall, s.Pos, "only a call assigns %d tensors", len(s.Targets)).WithHelp("write a statement for each of them")
		return
	}
	e, ok := p.elaborate(value)
	if ok {
		p.assign(s.Targets[0], e, s.Pos)
	}
}

// assign adds the statement x = e of plain expressions.
func (p *program) assign(x syntax.Name, e syntax.Expr, pos source.Span) {
	shape, refusal := p.typing.Context.Type(e)
	if refusal != nil {
		p.refused(refusal)
		return
	}
	declared := p.typing.Context.Shapes[x.Name]
	if !p.typing.Context.sameShape(declared, shape) {
		p.errorf(source.CodeTeILShape, pos, "OK-Stmt: %s has the shape %s, the expression %s", x.Name, declared, shape).
			WithNote(p.out.Alloc(x.Name).Pos, "%s is allocated here", x.Name).WithHelp("%s", shapeHelp(declared, shape))
		return
	}
	if p.elements(e, x.Name) {
		p.out.Statements = append(p.out.Statements, &syntax.Statement{Pos: pos, Targets: []syntax.Name{x}, Value: e})
	}
}

// shapeHelp says how an expression may get the shape that is wanted.
func shapeHelp(want, got Shape) string {
	if len(want) > len(got) {
		return "expa repeats a tensor along a new dimension"
	}
	if len(want) < len(got) {
		return "red+ sums over a dimension, proj takes a slice of one"
	}
	left := append(Shape{}, got...)
	for _, n := range want {
		for k, m := range left {
			if n.Equal(m) {
				left = append(left[:k:k], left[k+1:]...)
				break
			}
		}
	}
	if len(left) == 0 {
		return "transp exchanges dimensions"
	}
	return "the allocation and the expression must have the same sizes"
}

// knownSizes checks that the sizes of an expression are those of dimensions.
func (p *program) knownSizes(e syntax.Expr) bool {
	before := p.errors
	check := func(s syntax.Size) {
		for _, name := range symbolsOf(s.Value) {
			if !p.useSize(name, s.Pos, false) {
				p.errorf(source.CodeTeILName, s.Pos, "there is no size %s", name).
					WithHelp("sizes are params, the names in the dimensions of allocations, and integer scalars that are inputs")
			}
		}
	}
	syntax.Walk(e, func(e syntax.Expr) {
		switch e := e.(type) {
		case *syntax.Operation:
			for _, a := range e.Args {
				check(a)
			}
		case *syntax.Identity:
			check(e.Size)
		}
	})
	return p.errors == before
}

// numberOf reads a literal of an element type; those of 16-bit floats are float32.
func numberOf(text string, t tensor.DType) (*ein.Const, error) {
	if t.IsFloat() {
		v, err := strconv.ParseFloat(text, 64)
		return ein.FloatConst(t.Compute(), v), err
	}
	bits := t.Size() * 8
	switch t.Kind() {
	case tensor.KindBool:
		if text == "0" || text == "1" {
			return ein.IntConst(t, int64(text[0]-'0')), nil
		}
		return nil, fmt.Errorf("%s is neither 0 nor 1", text)
	case tensor.KindUint:
		n, err := strconv.ParseUint(text, 10, bits)
		return &ein.Const{DType: t, Bits: n}, err
	}
	n, err := strconv.ParseInt(text, 10, bits)
	return ein.IntConst(t, n), err
}

// elementType reads the element type of an allocation; without one it is double.
func elementType(n *syntax.Name) (tensor.DType, bool) {
	if n == nil {
		return tensor.Float64, true
	}
	switch n.Name {
	case "double":
		return tensor.Float64, true
	case "float":
		return tensor.Float32, true
	}
	t, err := tensor.ParseDType(n.Name)
	return t, err == nil
}
