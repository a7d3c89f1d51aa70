package strand

import (
	"errors"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// A place is what statements of a block may do.
type place uint8

const (
	inWorld      place = 1 << iota // sees no strand, and assigns globals
	inStrand                       // sees and assigns states
	inStep                         // others can be asked
	ends                           // creates strands and exits
	assignsConst                   // constants, too
	seesAll                        // sets of strands
)

type namedBlock struct {
	name  string
	place place
	block Block
}

// Verify checks what the documentation of the types in this package promises. It runs after a
// front end and after each pass: a violation is a bug of what ran before.
func Verify(p *Program) (err error) {
	defer source.RecoverInternal("strand verify", &err)
	v := &verifier{p: p, owner: map[*ein.Local]*Variable{}, declared: map[*Variable]bool{}}
	v.declarations()
	v.rules()
	for _, b := range p.blocks() {
		v.named(b)
	}
	v.creation()
	return errors.Join(v.problems...)
}

// knownValues are what has a value, in the order in which it got one: what a branch has added is taken back behind it, whatever
// the program has besides.
type knownValues struct {
	known map[any]bool
	order []any
}

func newKnownValues() *knownValues { return &knownValues{known: map[any]bool{}} }

func (v *knownValues) has(key any) bool { return v.known[key] }

func (v *knownValues) add(key any) {
	if !v.known[key] {
		v.known[key] = true
		v.order = append(v.order, key)
	}
}

// mark is the present state, to which back returns.
func (v *knownValues) mark() int { return len(v.order) }

// back forgets what was added since a mark, and returns it.
func (v *knownValues) back(mark int) []any {
	gone := slices.Clone(v.order[mark:])
	for _, key := range gone {
		delete(v.known, key)
	}
	v.order = v.order[:mark]
	return gone
}

type verifier struct {
	p        *Program
	owner    map[*ein.Local]*Variable // nil for the numbers of images
	declared map[*Variable]bool
	problems []error

	block    namedBlock
	assigned *knownValues // locals and dynamic sequences
	ended    bool         // an exit has run
	loops    int
	folds    int
}

func (v *verifier) check(ok bool, pos source.Span, format string, args ...any) bool {
	if !ok {
		v.problems = append(v.problems, source.Internalf("strand verify", pos, v.p.Name+": "+format, args...))
	}
	return ok
}

func (v *verifier) declarations() {
	names := map[string]bool{}
	declare := func(name string, pos source.Span) {
		v.check(ein.ValidName(name), pos, "%q is no name", name)
		v.check(!names[name], pos, "the name %s is declared twice", name)
		names[name] = true
	}
	for _, x := range v.p.Variables {
		if len(x.Parts) != 1 || x.Parts[0].Name != x.Name {
			declare(x.Name, x.Pos)
		}
		v.declared[x] = true
		for _, l := range x.Parts {
			declare(l.Name, x.Pos)
			v.owner[l] = x
			v.check(l.DType == v.p.DType(x.Type.Elem), x.Pos, "the part %s of a %s is a %s", l.Name, x.Type, l.DType)
		}
		v.variable(x)
	}
	for _, i := range v.p.Images {
		declare(i.Name, i.Pos)
		v.check(i.Dim >= 1 && i.Dim <= 3, i.Pos, "the image %s has %d axes", i.Name, i.Dim)
		for _, l := range i.Locals() {
			declare(l.Name, i.Pos)
			v.owner[l] = nil
		}
		if i.Made != nil {
			v.made(i)
		}
	}
	for _, k := range v.p.Kernels {
		v.check(k.Support > 0 && len(k.Pieces) == 2*k.Support, v.p.Pos, "the kernel %s of support %d has %d pieces", k.Name, k.Support, len(k.Pieces))
	}
}

// made checks how an image is computed.
func (v *verifier) made(i *Image) {
	m := i.Made
	inputs := m.Func.Inputs()
	v.check(!i.Input && i.File == "" && len(m.Steps) == i.Dim && len(m.Func.Outputs()) == 1, i.Pos, "the image %s is computed, and given", i.Name)
	if !v.check(len(m.Args) == len(inputs), i.Pos, "the image %s is made of %d values, and its function takes %d", i.Name, len(m.Args), len(inputs)) {
		return
	}
	before := v.p.Images[:slices.Index(v.p.Images, i)]
	for n, a := range m.Args {
		isImage := len(inputs[n].Dims) > 0
		v.check(isImage == (a.Image != nil) && (a.Image == nil || slices.Contains(before, a.Image)), i.Pos, "the image %s is made of what stands behind it, or does not fit", i.Name)
		v.check(isImage || a.Number != nil && a.Number.DType == inputs[n].Type, i.Pos, "the image %s is made of a number of another type", i.Name)
	}
}

// variable checks one declaration.
func (v *verifier) variable(x *Variable) {
	width := x.Type.Width()
	v.check(width > 0, x.Pos, "%s has no parts", x.Name)
	want := width
	if x.Type.Dynamic {
		want = 0
	}
	v.check(len(x.Parts) == want, x.Pos, "%s of type %s has %d parts", x.Name, x.Type, len(x.Parts))
	v.check(x.Type.Elem != Ref || x.Role == Temporary, x.Pos, "%s keeps a strand", x.Name)
	v.check(x.Role != Parameter || !x.Type.Dynamic, x.Pos, "the parameter %s is a dynamic sequence", x.Name)
	v.check(!x.Output || x.Role == State, x.Pos, "the output %s is no state", x.Name)
	v.check(!x.Output || x.Type.Elem != String, x.Pos, "the output %s is a string", x.Name)
	v.check(x.File == "" || (x.Role == Input || x.Role == Loaded) && x.Default == nil && x.Type.IsSequence(), x.Pos, "%s is read from a file", x.Name)
	v.check(x.Role != Loaded || x.File != "", x.Pos, "%s is loaded from nowhere", x.Name)
	v.check(x.Default == nil || x.Type.Dynamic && len(x.Default)%width == 0 || len(x.Default) == width, x.Pos, "the default of %s has %d parts", x.Name, len(x.Default))
	for _, c := range x.Default {
		v.check(c.DType == v.p.DType(x.Type.Elem), x.Pos, "the default of %s has a %s", x.Name, c.DType)
		v.text(x.Type, c, x.Pos)
	}
}

// text checks that a literal of a string is one of the table.
func (v *verifier) text(t Type, e ein.Expr, pos source.Span) {
	if c, ok := e.(*ein.Const); ok && t.Elem == String {
		v.check(c.Int() >= 0 && c.Int() < int64(len(v.p.Strings)), pos, "there is no string %d", c.Int())
	}
}

// rules checks what concerns the whole program.
func (v *verifier) rules() {
	p := v.p
	v.check(len(p.Outputs()) > 0, p.Pos, "no state is an output")
	v.check(len(p.Update) > 0, p.Pos, "there is no update")
	if u := p.Uses(); !p.Create.Collection {
		v.check(!u.Creates && !u.Dies, p.Pos, "strands of an array are created or die")
	}
	v.check(!p.Create.Collection || len(p.Create.Iterators) > 0, p.Pos, "a collection has no iterator")
}

// named checks a block: what has a value at its beginning, and at its end.
func (v *verifier) named(b namedBlock) {
	v.enter(b)
	v.stmts(b.block)
	switch b.name {
	case "initialize":
		v.demand(Const, Global)
	case "begin":
		v.demand(State)
	}
}

// enter begins a block, in which what others have assigned has a value.
func (v *verifier) enter(b namedBlock) {
	v.block, v.assigned, v.ended = b, newKnownValues(), false
	for l, x := range v.owner {
		if x == nil {
			v.assigned.add(l)
		}
	}
	known := []Role{Input, Loaded}
	if b.name != "initialize" {
		known = append(known, Const, Global)
	}
	if b.place&inStrand != 0 {
		known = append(known, Parameter)
	}
	if b.place&inStep != 0 {
		known = append(known, State)
	}
	for _, x := range v.p.Variables {
		if slices.Contains(known, x.Role) {
			v.assign(x)
		}
	}
}

// assign notes that a variable has a value.
func (v *verifier) assign(x *Variable) {
	for _, l := range x.Parts {
		v.assigned.add(l)
	}
	if x.Type.Dynamic {
		v.assigned.add(x)
	}
}

// has reports whether all of a variable has a value.
func (v *verifier) has(x *Variable) bool {
	for _, l := range x.Parts {
		if !v.assigned.has(l) {
			return v.ended
		}
	}
	return !x.Type.Dynamic || v.assigned.has(x) || v.ended
}

func (v *verifier) demand(roles ...Role) {
	for _, role := range roles {
		for _, x := range v.p.ByRole(role) {
			v.check(v.has(x), x.Pos, "%s has no value after %s", x.Name, v.block.name)
		}
	}
}

// creation checks the ranges and arguments of the first strands.
func (v *verifier) creation() {
	c := v.p.Create
	v.enter(namedBlock{"create", inWorld, nil})
	v.stmts(c.Before)
	for _, i := range c.Iterators {
		v.expr(i.Low, v.p.DType(Int), v.p.Pos)
		v.expr(i.High, v.p.DType(Int), v.p.Pos)
		v.target(i.Variable, Type{Elem: Int}, v.p.Pos)
	}
	v.stmts(c.Body)
	v.arguments(c.Arguments, v.p.Pos)
}

// arguments checks what a strand is created from.
func (v *verifier) arguments(list []ein.Expr, pos source.Span) {
	var parts []*ein.Local
	for _, x := range v.p.ByRole(Parameter) {
		parts = append(parts, x.Parts...)
	}
	if v.check(len(list) == len(parts), pos, "a strand is created from %d values, expected %d", len(list), len(parts)) {
		for k, e := range list {
			v.expr(e, parts[k].DType, pos)
		}
	}
}
