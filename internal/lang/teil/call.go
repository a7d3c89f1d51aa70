package teil

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How calls work
//
// The paper has no functions and proposes programs with marked inputs and outputs as
// such (its Section 6). A call (x, y) = f(A, B) becomes the statements of f: its
// inputs are the arguments, its outputs and locals new locals of the caller, from
// which the targets are assigned in the end; so a target may also be an argument, as
// in any statement. The typing of f holds for all its sizes, so only the shapes of
// the arguments and f's conditions on sizes are left to be shown.

// maxStatements bounds a program with its calls written out: programs that call another
// one twice, which does so as well, grow exponentially.
const maxStatements = 1000

// isCall reports whether an application is the call of a program.
func (p *program) isCall(a *syntax.Apply) bool {
	v, ok := a.Head.(*syntax.Var)
	return ok && p.out.Alloc(v.Name) == nil
}

// call adds the statements of a callee.
func (p *program) call(s *syntax.Statement, a *syntax.Apply) {
	if p.isForeign(a) {
		p.callForeign(s, a, p.table.Lookup(a.Head.(*syntax.Var).Name))
		return
	}
	callee := p.resolve(a)
	if callee == nil {
		return
	}
	in, out := marked(callee.Program, syntax.In, syntax.InOut), marked(callee.Program, syntax.Out, syntax.InOut)
	if len(in) != len(a.Args) {
		p.errorf(source.CodeTeILCall, a.Pos, "%s takes %d arguments, not %d", callee.Name, len(in), len(a.Args)).
			WithNote(callee.Source.Pos, "%s", signature(callee)).WithHelp("arguments are the tensors marked in and inout, in their order")
		return
	}
	if len(out) != len(s.Targets) {
		p.errorf(source.CodeTeILCall, s.Pos, "%s gives %d tensors, not %d", callee.Name, len(out), len(s.Targets)).
			WithNote(callee.Source.Pos, "%s", signature(callee)).WithHelp("results are the tensors marked out and inout, in their order")
		return
	}
	if len(p.out.Statements)+len(callee.Program.Statements) > maxStatements {
		p.errorf(source.CodeTeILCall, a.Pos, "with this call %s has more than %d statements", p.name, maxStatements).
			WithHelp("calls are written out; call %s from the host as often as it is needed", callee.Name)
		return
	}
	p.calls++
	c := &inlining{program: p, callee: callee, call: a, names: map[string]string{}, sizes: map[string]affine.Expr{}}
	if c.arguments(in) && c.results(s, out) && c.conditions() {
		c.body(s, in, out)
	}
}

// resolve finds and checks the callee.
func (p *program) resolve(a *syntax.Apply) *Typing {
	name := a.Head.(*syntax.Var).Name
	callee := p.programs[name]
	if callee == nil {
		names := slices.Concat(slices.Sorted(maps.Keys(p.programs)), p.allocated(), p.table.Names())
		d := p.errorf(source.CodeTeILName, a.Head.Span(), "there is no operation, program or operator %s", name)
		if near := syntax.SuggestOperation(name, names...); near != "" {
			d.WithHelp("did you mean %s?", near)
		} else {
			d.WithHelp("define it: def %s", name)
		}
		p.table.Explain(name, d)
		return nil
	}
	if n := slices.Index(p.active, name); n >= 0 {
		p.errorf(source.CodeTeILCall, a.Pos, "programs cannot call themselves: %s", strings.Join(append(slices.Clone(p.active[n:]), name), " calls ")).
			WithHelp("there is no end to such a call; write the statements out")
		return nil
	}
	t := callee.check()
	if t == nil {
		p.errors++ // reported there
	}
	return t
}

func (p *program) allocated() []string {
	var names []string
	for _, a := range p.out.Allocs {
		names = append(names, a.Name.Name)
	}
	return names
}

func marked(p *syntax.Program, marks ...syntax.Mark) []*syntax.Alloc {
	var list []*syntax.Alloc
	for _, a := range p.Allocs {
		if slices.Contains(marks, a.Mark) {
			list = append(list, a)
		}
	}
	return list
}

// signature is the head of a program for people.
func signature(t *Typing) string {
	describe := func(list []*syntax.Alloc) string {
		var words []string
		for _, a := range list {
			words = append(words, a.Name.Name+" : "+t.Context.Shapes[a.Name.Name].String())
		}
		return "(" + strings.Join(words, ", ") + ")"
	}
	return describe(marked(t.Program, syntax.Out, syntax.InOut)) + " = " + t.Name + describe(marked(t.Program, syntax.In, syntax.InOut))
}

// An inlining is one call.
type inlining struct {
	*program
	callee *Typing
	call   *syntax.Apply
	names  map[string]string      // of the callee's tensors in the caller
	sizes  map[string]affine.Expr // of the callee
	args   []syntax.Expr
}

func (c *inlining) fail(pos source.Span, format string, args ...any) bool {
	return c.failWith("arguments have the shapes of the tensors for which they stand", pos, format, args...)
}

func (c *inlining) failWith(help string, pos source.Span, format string, args ...any) bool {
	c.errorf(source.CodeTeILCall, pos, format, args...).WithNote(c.callee.Source.Pos, "%s", signature(c.callee)).WithHelp("%s", help)
	return false
}

// arguments checks the arguments and binds the callee's sizes.
func (c *inlining) arguments(in []*syntax.Alloc) bool {
	var shapes []Shape
	for n, a := range in {
		e, ok := c.elaborate(c.call.Args[n])
		if !ok {
			return false
		}
		shape, refusal := c.typing.Context.Type(e)
		if refusal != nil {
			c.refused(refusal)
			return false
		}
		if v, ok := e.(*syntax.Var); ok && c.typing.Elements[v.Name] != c.callee.Elements[a.Name.Name] {
			return c.fail(v.Pos, "%s has elements of type %s, and %s of %s %s", v.Name, c.typing.Elements[v.Name], a.Name.Name, c.callee.Name, c.callee.Elements[a.Name.Name])
		}
		c.args = append(c.args, e)
		shapes = append(shapes, shape)
	}
	if !c.bindScalars(in) {
		return false
	}
	for n, a := range in {
		if !c.bind(a, shapes[n], c.call.Args[n].Span()) {
			return false
		}
	}
	for n, a := range in {
		if !c.fits(a, shapes[n], c.call.Args[n].Span()) {
			return false
		}
	}
	return true
}

// bind gives the sizes that are dimensions their values.
func (c *inlining) bind(a *syntax.Alloc, shape Shape, pos source.Span) bool {
	if len(shape) != len(a.Dims) {
		return c.fail(pos, "%s of %s has the shape %s, not %s", a.Name.Name, c.callee.Name, c.callee.Context.Shapes[a.Name.Name], shape)
	}
	for k, d := range a.Dims {
		if name, symbol := d.Value.IsSymbol(); symbol {
			if _, bound := c.sizes[name]; !bound {
				c.sizes[name] = shape[k]
			}
		}
	}
	return true
}

// fits checks a shape against that of the callee's tensor, whose sizes are bound.
func (c *inlining) fits(a *syntax.Alloc, shape Shape, pos source.Span) bool {
	for k, d := range a.Dims {
		if want := d.Value.Subst(c.sizes); !c.typing.Context.equal(want, shape[k]) {
			return c.fail(pos, "dimension %d of %s is %s in this call of %s, not %s", k+1, a.Name.Name, want, c.callee.Name, shape[k])
		}
	}
	return true
}

// results binds the sizes that only results have, and checks the targets.
func (c *inlining) results(s *syntax.Statement, out []*syntax.Alloc) bool {
	shapes := c.typing.Context.Shapes
	for n, a := range out {
		if !c.bind(a, shapes[s.Targets[n].Name], s.Targets[n].Pos) {
			return false
		}
	}
	for _, z := range c.callee.Sizes {
		if _, bound := c.sizes[z.Name]; !bound {
			return c.fail(c.call.Pos, "the size %s of %s is no dimension of an argument or result", z.Name, c.callee.Name)
		}
	}
	for n, a := range out {
		x := s.Targets[n]
		if !c.fits(a, shapes[x.Name], x.Pos) {
			return false
		}
		if c.typing.Elements[x.Name] != c.callee.Elements[a.Name.Name] {
			return c.fail(x.Pos, "%s has elements of type %s, and %s of %s %s", x.Name, c.typing.Elements[x.Name], a.Name.Name, c.callee.Name, c.callee.Elements[a.Name.Name])
		}
		if slices.ContainsFunc(s.Targets[:n], func(y syntax.Name) bool { return y.Name == x.Name }) {
			return c.failWith("each result has a target of its own", x.Pos, "%s is assigned twice", x.Name)
		}
	}
	return true
}

// conditions demands what the callee needs of its sizes.
func (c *inlining) conditions() bool {
	for _, z := range c.callee.Sizes {
		n := c.sizes[z.Name]
		if c.callee.isScalarSize(z.Name) {
			continue
		}
		if !c.typing.Context.require(n.AddConst(-1), c.call.Pos, fmt.Sprintf("the size %s of %s is at least 1", z.Name, c.callee.Name)) {
			return c.fail(c.call.Pos, "the size %s of %s is %s in this call", z.Name, c.callee.Name, n)
		}
	}
	for _, r := range c.callee.Context.Conditions {
		if !c.typing.Context.require(r.Expr.Subst(c.sizes), c.call.Pos, r.Reason+", in "+c.callee.Name) {
			return c.fail(c.call.Pos, "a condition of %s fails in this call: %s", c.callee.Name, r.Reason)
		}
	}
	return true
}

// body adds the statements.
func (c *inlining) body(s *syntax.Statement, in, out []*syntax.Alloc) {
	for n, a := range in {
		if c.isOnlySize(a) {
			continue
		}
		if v, ok := c.args[n].(*syntax.Var); ok && a.Mark == syntax.In {
			c.names[a.Name.Name] = v.Name
			continue
		}
		c.assign(c.local(a), c.args[n], c.args[n].Span())
	}
	for _, a := range c.callee.Program.Allocs {
		if _, done := c.names[a.Name.Name]; !done && !c.isOnlySize(a) {
			c.local(a)
		}
	}
	folds := c.folds()
	for _, statement := range c.callee.Program.Statements {
		value := syntax.Map(syntax.Substitute(statement.Value, c.sizes), func(e syntax.Expr) syntax.Expr {
			switch e := e.(type) {
			case *syntax.Var:
				return &syntax.Var{Pos: e.Pos, Name: c.names[e.Name]}
			case *syntax.Operation:
				if isFold(e) {
					own, renamed := folds[e.Op.Fold], *e
					renamed.Op = own.Operation(own.Names[e.Op.Component].Name, e.Op.Component)
					return &renamed
				}
			}
			return e
		})
		if call, ok := value.(*syntax.Apply); ok {
			c.callAgain(statement, call)
			continue
		}
		c.assign(c.renamed(statement.Targets[0]), value, statement.Pos)
	}
	for n, a := range out {
		c.assign(s.Targets[n], &syntax.Var{Pos: s.Targets[n].Pos, Name: c.names[a.Name.Name]}, s.Pos)
	}
}

// renamed is the name in the caller of a tensor of the callee.
func (c *inlining) renamed(x syntax.Name) syntax.Name {
	return syntax.Name{Pos: x.Pos, Name: c.names[x.Name]}
}

// local makes a local of the caller for a tensor of the callee.
func (c *inlining) local(a *syntax.Alloc) syntax.Name {
	var shape Shape
	for _, d := range a.Dims {
		shape = append(shape, d.Value.Subst(c.sizes))
	}
	var element tensor.DType = c.callee.Elements[a.Name.Name]
	n := c.typing.newLocal(fmt.Sprintf("%s_%d_%s", c.callee.Name, c.calls, a.Name.Name), shape, element, a.Pos)
	c.names[a.Name.Name] = n.Name
	return n
}
