package teml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/callee"
	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How defs of imported files are called
//
// Y = softmax(X) assigns what the def computes. Each of its statements is an assignment of the
// program, so that build makes loops of it like of others: build(Y) of the last one that writes Y,
// build(softmax$1_m) of one that writes a temporary of the def. Loops that are not listed are put
// before those that need them, in the order of the program. What the statements are, package
// callee says.
//
// A script is run again when a schedule is made, from its text alone; so the functions that are
// called stand in front of it, in the text form of ein (writeCalled).

// An importedCall is the call of an imported def.
type importedCall struct {
	call    *callee.Call
	args    []*real
	results []*real
	temps   map[string]*real // by the names that package callee gives them
}

// A part is one statement of a call.
type part struct {
	of     *importedCall
	number int
	reads  []*real
	writes []*real
}

// isImported reports whether a call is that of an imported def: of no function of the language or program.
func (in *interpreter) isImported(e *syntax.Call) bool {
	if c := in.current(); c != nil && c.function.standard {
		return false
	}
	return in.imports.Lookup(e.Name.Name) != nil && !in.isFunction(e.Name.Name)
}

// isFunction reports whether the language or the program has a function of a name.
func (in *interpreter) isFunction(name string) bool {
	_, isTransformation := transform.Lookup(name)
	return in.functions[name] != nil || in.builtins[name] != nil || isTransformation || name == "init"
}

// warnHidden warns of a function of the language that is called where a def has its name.
func (in *interpreter) warnHidden(e *syntax.Call) {
	if c := in.current(); c != nil && c.function.standard || !in.isFunction(e.Name.Name) {
		return
	}
	if group := in.imports.Lookup(e.Name.Name); group != nil {
		d := (&source.Diagnostics{}).Warnf(source.CodeRedefined, e.Name.Pos, "%s is the function of the language here, not the def", e.Name.Name).
			WithNote(group.Defs[0].Pos, "the def %s is here", e.Name.Name).
			WithHelp("give the def another name, or the function where it is meant")
		if !d.IsAmong(in.diagnostics.List) {
			in.diagnostics.List = append(in.diagnostics.List, d)
		}
	}
}

// nestedCall is the value of a call inside of an expression, whose result has no name.
func (in *interpreter) nestedCall(e *syntax.Call) value {
	return leaf(in.callDef(e, []syntax.Name{{Pos: e.Pos}})[0], in.at(e.Pos))
}

// assignCall runs a statement whose value is a call.
func (in *interpreter) assignCall(s *syntax.Assign, e *syntax.Call, target syntax.Name) {
	names := append([]syntax.Name{target}, s.More...)
	for _, n := range names[1:] {
		if in.sizes[n.Name] != nil && in.current() == nil {
			in.fail(source.CodeTeMLName, n.Pos, "%s is a size in a shape above", n.Name).help("take another name for the result")
		}
	}
	results := in.callDef(e, names)
	names[0] = s.Target
	for n, r := range results {
		in.set(names[n].Name, leaf(r, in.at(names[n].Pos)), s.Pos)
	}
}

// callDef records the assignments of a call.
func (in *interpreter) callDef(e *syntax.Call, targets []syntax.Name) []*real {
	if in.loops.external() {
		in.fail(source.CodeTeMLCodegen, e.Pos, "a script for another program assigns no tensors").help("build(C) makes the loops of the statement that assigns C there")
	}
	at := in.at(e.Pos)
	report := func(code source.Code, pos source.Span, format string, args ...any) *source.Diagnostic {
		return in.diagnostics.Errorf(code, pos, format, args...)
	}
	trees := make([]*Tree, len(e.Args))
	types := make([]tensor.DType, len(e.Args))
	for n, arg := range e.Args {
		t := in.operand(arg, nil)
		switch {
		case t.constant != nil:
		case t.isLeaf() && t.real != nil:
			types[n] = t.real.dtype
		default:
			in.fail(source.CodeCallArguments, arg.Span(), "%s takes tensors, and this is an expression that is not stored", e.Name.Name).
				help("assign it first: t = eq(…), and pass t")
		}
		trees[n] = t
	}
	def := in.imports.Lookup(e.Name.Name).Pick(types, at, report)
	if def == nil {
		panic(bailout{})
	}
	c := &importedCall{call: callee.New(def, at, len(in.calledSoFar())+1), temps: map[string]*real{}}
	r := &ranges{in: in, facts: affine.NewFacts(), of: map[string]affine.Range{}}
	for name := range in.sizes {
		r.facts.AtLeast(name, 1)
	}
	c.call.Report, c.call.Prover = report, callee.Conditional(r.demandFact)
	args := in.callArguments(c, e, trees)
	if !c.call.Whole(args, in.callTargets(c, targets)) {
		panic(bailout{})
	}
	in.introduceResults(c, targets)
	if !slices.Contains(in.called, def) {
		in.called = append(in.called, def)
	}
	in.recordCall(c, r, at)
	return c.results
}

// calledSoFar counts the calls of the program.
func (in *interpreter) calledSoFar() (calls []*importedCall) {
	for _, a := range in.assignments {
		if a.part != nil && !slices.Contains(calls, a.part.of) {
			calls = append(calls, a.part.of)
		}
	}
	return calls
}

// demandFact shows e ≥ 0, or makes it a condition.
func (r *ranges) demandFact(e affine.Expr, at source.Span, reason string) bool {
	switch r.facts.Sign(e) {
	case affine.Never:
		return false
	case affine.Always:
		return true
	}
	r.conditions = append(r.conditions, &ein.Condition{Pos: at, Expr: e, Reason: reason})
	r.facts.Assume(e)
	return true
}

// callArguments makes tensors of the arguments; a number for a scalar gets one.
func (in *interpreter) callArguments(c *importedCall, e *syntax.Call, trees []*Tree) (args []callee.Whole) {
	parameters := c.call.Parameters()
	for n, t := range trees {
		w := callee.Whole{At: in.at(e.Args[n].Span())}
		r := t.real
		if t.constant != nil {
			r = &real{pos: w.At, name: in.freshReal(c.call.Prefix + "_argument"), dtype: tensor.Float64, shape: []affine.Expr{}, declared: true, hidden: true}
			if n < len(parameters) {
				r.dtype, r.name = parameters[n].Type, in.freshReal(c.call.Prefix+"_"+parameters[n].Name)
			}
			if size, ok := t.constant.value.(number); ok {
				w.Size = &size.Expr
			}
			if !t.constant.fits(r.dtype) {
				in.fail(source.CodeCallArguments, e.Args[n].Span(), "%s is no value of type %s, the type of %s of %s", t.label(), r.dtype, parameters[n].Name, c.call.Name()).help("give a whole number")
			}
			in.reals[r.name] = r
			a := &assignment{pos: w.At, real: r, whole: true, fill: &fill{value: t.constant.value}, ranges: &ranges{in: in, facts: affine.NewFacts(), of: map[string]affine.Range{}}}
			in.assignments = append(in.assignments, a)
			in.loops.assigned(a)
		}
		w.Tensor = r.described()
		c.args, args = append(c.args, r), append(args, w)
	}
	return args
}

// described is a tensor to package callee.
func (r *real) described() *ein.Tensor {
	t := &ein.Tensor{Pos: r.pos, Name: r.name, Type: r.dtype}
	for _, e := range r.shape {
		t.Dims = append(t.Dims, ein.Dim{Extent: e})
	}
	return t
}

// targetOf is the tensor that a result is assigned to, where there is one already.
func (in *interpreter) targetOf(n syntax.Name) *real {
	if c := in.current(); c != nil {
		if local, ok := c.locals[n.Name].(*Tree); ok && local.isLeaf() && local.real != nil {
			return local.real
		}
		return nil
	}
	return in.reals[n.Name]
}

// callTargets describes the tensors that get the results.
func (in *interpreter) callTargets(c *importedCall, targets []syntax.Name) (list []callee.Whole) {
	for n, x := range targets {
		w := callee.Whole{At: in.at(x.Pos)}
		r := in.targetOf(x)
		switch {
		case r != nil && slices.Contains(c.args, r):
			in.fail(source.CodeCallArguments, x.Pos, "%s is an argument and the result of the same call", x.Name).help("give the result another name")
		case slices.ContainsFunc(targets[:n], func(y syntax.Name) bool { return y.Name == x.Name }):
			in.fail(source.CodeCallResults, x.Pos, "%s stands twice on the left", x.Name).help("give each result a name of its own")
		case r != nil:
			w.Tensor = r.described()
		case in.strict && x.Name != "":
			in.fail(source.CodeTeMLUndeclared, x.Pos, "%s was not introduced with tensor", x.Name).help("write %s = tensor(…) above, or leave out option strict", x.Name)
		}
		list = append(list, w)
	}
	return list
}

// introduceResults makes the tensors of results that have none.
func (in *interpreter) introduceResults(c *importedCall, targets []syntax.Name) {
	for n, t := range c.call.Results() {
		r := in.targetOf(targets[n])
		if r == nil {
			r = &real{pos: in.at(targets[n].Pos), name: targets[n].Name, dtype: t.Type, shape: []affine.Expr{}}
			switch {
			case r.name == "":
				r.name, r.local = in.freshReal(c.call.Prefix+"_"+t.Name), in.current() != nil
				r.hidden = !r.local
			case in.current() != nil:
				r.name, r.local = in.freshReal(r.name), true
			}
			for _, dim := range t.Dims {
				r.shape = append(r.shape, dim.Extent)
			}
			in.reals[r.name] = r
		}
		r.initialised = false
		c.results = append(c.results, r)
	}
}

// recordCall makes an assignment of each statement.
func (in *interpreter) recordCall(c *importedCall, r *ranges, at source.Span) {
	l := &lowering{tensors: map[*real]*ein.Tensor{}, sizes: in.sizes}
	body := c.lower(l, func(t *ein.Tensor) *real {
		temp := &real{pos: at, name: in.freshReal(t.Name), dtype: t.Type, shape: []affine.Expr{}, declared: true, hidden: true}
		for _, dim := range t.Dims {
			temp.shape = append(temp.shape, dim.Extent)
		}
		in.reals[temp.name] = temp
		return temp
	})
	if len(in.assignments)+len(body) > maxStatement {
		in.fail(source.CodeTeMLDepth, at, "the program has more than %d assignments", maxStatement).help("does every recursion come to an end?")
	}
	of := map[*ein.Tensor]*real{}
	for r, t := range l.tensors {
		of[t] = r
	}
	for n, s := range body {
		p := &part{of: c, number: n}
		for _, w := range s.Writes {
			p.writes = append(p.writes, of[w.Tensor])
		}
		if s.Accumulate != nil {
			p.reads = append(p.reads, p.writes...)
		}
		for _, access := range s.Accesses() {
			if r := of[access.Tensor]; !slices.Contains(p.reads, r) {
				p.reads = append(p.reads, r)
			}
		}
		a := &assignment{pos: at, real: p.writes[0], part: p, whole: true, ranges: r, meant: true}
		for _, i := range s.Indices {
			a.order = append(a.order, i.Name)
		}
		a.tree = &Tree{pos: at, op: assignOp, children: []*Tree{leaf(a.real, at), leaf(a.real, at)}, assignment: a}
		in.assignments = append(in.assignments, a)
		in.loops.assigned(a)
	}
}

// lower copies the statements of the callee over tensors of one function. Temporaries are made
// once, by temporary.
func (c *importedCall) lower(l *lowering, temporary func(*ein.Tensor) *real) []*ein.Comprehension {
	list := func(reals []*real) (tensors []*ein.Tensor) {
		for _, r := range reals {
			tensors = append(tensors, l.tensor(r))
		}
		return tensors
	}
	return c.call.WholeBody(list(c.args), list(c.results), func(t *ein.Tensor) *ein.Tensor {
		if c.temps[t.Name] == nil {
			c.temps[t.Name] = temporary(t)
		}
		return l.tensor(c.temps[t.Name])
	}, func(name string) bool { return l.sizes[name] != nil })
}

// part lowers one statement of a call.
func (l *lowering) part(p *part) *ein.Comprehension {
	if l.calls == nil {
		l.calls = map[*importedCall][]*ein.Comprehension{}
	}
	if l.calls[p.of] == nil {
		l.calls[p.of] = p.of.lower(l, nil)
	}
	return l.calls[p.of][p.number]
}

// targets are the tensors that an assignment writes.
func (a *assignment) targets() []*real {
	if a.part != nil {
		return a.part.writes
	}
	return []*real{a.real}
}

// writes reports whether an assignment writes a tensor.
func (a *assignment) writes(r *real) bool { return slices.Contains(a.targets(), r) }

// uses reports whether the values of an assignment read a tensor.
func (a *assignment) uses(r *real) bool {
	return a.value != nil && a.value.reads(r) || a.part != nil && slices.Contains(a.part.reads, r)
}

// isInside reports whether a statement of a call reads what the call makes.
func (a *assignment) isInside(r *real) bool {
	return a.part != nil && !slices.Contains(a.part.of.args, r)
}

// needsPart reports whether an assignment needs a statement of a call: another one of its own call, or
// one that makes what has no name in the program.
func (a *assignment) needsPart(b *assignment) bool {
	if b.part == nil {
		return false
	}
	inside := a.part != nil && a.part.of == b.part.of
	return slices.ContainsFunc(b.part.writes, func(r *real) bool {
		return inside && a.writes(r) || (inside || r.hidden) && a.uses(r)
	})
}

// warningsOfCalls are those of the defs that a function calls.
func (in *interpreter) warningsOfCalls(c *codegen) (list []*source.Diagnostic) {
	seen := map[*importedCall]bool{}
	for _, ordinal := range c.ordinals {
		if p := in.assignments[ordinal].part; p != nil && !seen[p.of] {
			seen[p.of] = true
			list = append(list, callee.Warnings(p.of.call.Def, p.of.call.At)...)
		}
	}
	return list
}

// calledMark begins the lines of a script that have the functions that it calls.
const calledMark = "| "

// writeCalled writes functions in front of a script.
func writeCalled(list []*lang.Def) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%sdef %s %s\n", calledMark, d.Name, d.Generic)
		for line := range strings.Lines(ein.Print(d.Func)) {
			b.WriteString(calledMark + line)
		}
	}
	return b.String()
}

// readCalled reads what writeCalled has written, and returns the rest of the text.
func readCalled(text string) (*callee.Table, string, error) {
	var defs []*lang.Def
	var texts []string
	for strings.HasPrefix(text, calledMark) {
		line, rest, _ := strings.Cut(text, "\n")
		text, line = rest, strings.TrimPrefix(line, calledMark)
		if head, ok := strings.CutPrefix(line, "def "); ok {
			name, generic, _ := strings.Cut(head, " ")
			defs, texts = append(defs, &lang.Def{Name: name, Generic: generic}), append(texts, "")
		} else if len(texts) > 0 {
			texts[len(texts)-1] += line + "\n"
		}
	}
	for n, d := range defs {
		f, err := ein.ParseFunc(d.Name, texts[n])
		if err != nil {
			return nil, "", err
		}
		d.Func = f
	}
	return callee.TableOf(defs), text, nil
}
