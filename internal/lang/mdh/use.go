package mdh

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/callee"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// A use is one application of a compiled computation to buffers of a composition. Package callee
// solves for the sizes and copies; what a buffer is, and where it may be changed, is known here.
type use struct {
	*instance
	callee *compiled
	call   *callee.Call
	pos    source.Span
	what   string // names it in messages
	args   []*held
	places []source.Span          // of the arguments
	env    map[string]affine.Expr // the values of the sizes of the callee
}

// newUse begins an application. Without a prefix the temporaries keep their names.
func (c *instance) newUse(of *compiled, pos source.Span, what string) *use {
	for _, w := range callee.Warnings(of.def, pos) {
		if !w.IsAmong(c.warnings) {
			c.warnings = append(c.warnings, w)
		}
	}
	call := callee.New(of.def, pos, 0)
	call.Prefix = ""
	return &use{instance: c, callee: of, call: call, pos: pos, what: what, env: call.Sizes()}
}

// count compares the numbers of arguments and results; nil results are those of an
// application within another.
func (u *use) count(results []syntax.Name) {
	if len(u.args) != len(u.callee.inputs) {
		stop(u.errorf(source.CodeMDHCount, u.pos, "%s reads %s, not %d", u.what, plural(len(u.callee.inputs), "buffer"), len(u.args)).
			WithNote(u.callee.syntax.Name.Pos, "its inputs are %s", bufferNames(u.callee.inputs)).WithHelp("give one buffer for each input, in their order"))
	}
	if results != nil && len(results) != len(u.callee.outputs) {
		stop(u.errorf(source.CodeMDHCount, results[0].Pos, "%s makes %s, not %d", u.what, plural(len(u.callee.outputs), "buffer"), len(results)).
			WithNote(u.callee.syntax.Name.Pos, "its outputs are %s", bufferNames(u.callee.outputs)).WithHelp("name all of them: (x, y) := %s", shortText(u.pos)))
	}
}

func bufferNames(list []*buffer) string {
	names := make([]string, len(list))
	for n, b := range list {
		names[n] = b.name()
	}
	return joinWords(names)
}

// stated gives the sizes the values between angle brackets.
func (u *use) stated(a *syntax.Apply) {
	declared := u.stateable()
	if len(a.Sizes) == 0 {
		return
	}
	if len(a.Sizes) != len(declared) {
		stop(u.errorf(source.CodeMDHCount, a.Pos, "%s has %s, %d are given", u.what, plural(len(declared), "size"), len(a.Sizes)).
			WithNote(u.callee.syntax.Name.Pos, "its parameters").WithHelp("give all of them, or none: then they are those of the buffers"))
	}
	for n, e := range a.Sizes {
		x, ok := u.static(e, nil)
		if !ok {
			stop(nil)
		}
		u.env[declared[n].Name] = x
	}
}

// stateable lists the sizes of the callee that are no numbers among its inputs.
func (u *use) stateable() []*ein.Size {
	return slices.DeleteFunc(slices.Clone(u.callee.def.Func.Sizes), func(z *ein.Size) bool { return z.Dim == ein.ScalarValue })
}

// join checks the buffers, copies the function of the callee, and returns its results.
func (u *use) join(results []syntax.Name) []*held {
	u.bind()
	for n, in := range u.callee.inputs {
		u.fits(in, u.args[n], u.places[n])
	}
	for _, z := range u.stateable() {
		u.needs(u.env[z.Name].AddConst(-1), u.pos, fmt.Sprintf("the size %s of %s is at least 1", z.Name, u.what), source.Span{})
	}
	copied := u.call.Copied()
	for _, r := range copied.Requires {
		u.needs(r.Expr, u.pos, fmt.Sprintf("%s (in %s)", r.Reason, u.what), r.Pos)
	}
	for n, in := range u.callee.inputs {
		u.bindTensors(in, u.args[n])
	}
	var made []*held
	for n, out := range u.callee.outputs {
		var name *syntax.Name
		if results != nil {
			name = &results[n]
		}
		b := u.result(out, name)
		u.bindTensors(out, b)
		made = append(made, b)
	}
	u.call.Temporaries(copied, func(t *ein.Tensor) *ein.Tensor {
		t.Name = u.fresh(t.Name)
		u.fn.Tensors = append(u.fn.Tensors, t)
		return t
	})
	u.fn.Direct = u.fn.Direct || copied.Direct
	for n, k := range u.call.Body(copied, func(name string) bool { return u.sizes[name] != nil }) {
		u.checkDefined(k)
		if slices.Contains(u.callee.bottoms, n) {
			u.chain.bottoms = append(u.chain.bottoms, k)
		}
		u.fn.Body = append(u.fn.Body, k)
	}
	return made
}

func (u *use) bindTensors(of *buffer, to *held) {
	for k, t := range of.tensors {
		u.call.Bind(t, &callee.Actual{Tensor: to.tensors[k]})
	}
}

// result makes the buffer for an output of the callee; without a name it is between two
// applications. A step that updates one of its inputs changes the buffer where the result
// has its name, and a copy of it elsewhere.
func (u *use) result(out *buffer, name *syntax.Name) *held {
	b := &held{element: out.element, made: u.what + " makes it"}
	for _, e := range out.extents {
		b.extents = append(b.extents, e.Subst(u.env))
	}
	at := -1 // of the input that is updated
	if out.tensors[0].Role == ein.InOut {
		at = slices.IndexFunc(u.callee.inputs, func(in *buffer) bool { return in.tensors[0] == out.tensors[0] })
	}
	if at >= 0 && name != nil && name.Name == u.args[at].name {
		updated := u.args[at]
		updated.isUpdated = true
		if u.sizes[updated.name] != nil {
			stop(u.errorf(source.CodeMDHTwice, name.Pos, "%s is a size of what a step before applies, so no step changes it", updated.name).
				WithNote(updated.pos, "the input").WithHelp("give the result another name"))
		}
		for n, other := range u.args { // they read what it had before
			if n != at && other == updated && u.callee.inputs[n].tensors[0] != out.tensors[0] {
				u.bindTensors(u.callee.inputs[n], u.copied(updated, nil, u.callee.inputs[n]))
			}
		}
		return updated
	}
	if at >= 0 {
		return u.copied(u.args[at], name, out)
	}
	u.place(b, name, out)
	return b
}

// place declares a buffer with the tensors that it has in the callee.
func (u *use) place(b *held, name *syntax.Name, like *buffer) {
	if name != nil {
		b.name, b.pos = name.Name, name.Pos
		u.hold(b, *name, ein.Temp)
		return
	}
	b.name, b.pos = shortText(u.pos), u.pos
	for _, t := range like.tensors {
		b.tensors = append(b.tensors, u.newTensor(u.pos, u.named(t.Name), t, b.extents, ein.Temp))
	}
}

// copied makes a copy of a buffer.
func (u *use) copied(from *held, name *syntax.Name, like *buffer) *held {
	b := &held{element: from.element, extents: from.extents, made: u.what + " makes it"}
	u.place(b, name, like)
	for n, t := range b.tensors {
		k := &ein.Comprehension{Pos: u.pos}
		read, w := &ein.Access{Pos: u.pos, Tensor: from.tensors[n]}, &ein.Write{Pos: u.pos, Tensor: t}
		for d, e := range b.extents {
			i := &ein.Index{Pos: u.pos, Name: fmt.Sprintf("x%d", d+1), Extent: e}
			for u.sizes[i.Name] != nil {
				i.Name += "_"
			}
			k.Indices = append(k.Indices, i)
			read.Subscripts = append(read.Subscripts, &ein.IndexRef{Pos: u.pos, Index: i})
			w.Subscripts = append(w.Subscripts, &ein.IndexRef{Pos: u.pos, Index: i})
		}
		var value ein.Expr = read
		if t.Type.IsHalf() {
			value = &ein.Cast{Pos: u.pos, To: t.Type.Compute(), X: read}
		}
		k.Writes, k.Values = []*ein.Write{w}, []ein.Expr{value}
		u.checkDefined(k)
		u.fn.Body = append(u.fn.Body, k)
	}
	return b
}

// named is the name of what the callee calls so.
func (u *use) named(name string) string {
	if u.call.Prefix != "" {
		name = u.call.Prefix + "_" + name
	}
	return u.fresh(name)
}

// fresh is a name that no tensor has.
func (u *use) fresh(name string) string {
	for u.fn.Tensor(name) != nil {
		name += "_"
	}
	return name
}

// bind gives the sizes of the callee that are not stated the extents of the buffers: those
// that are an extent first, then those that can be computed from one.
func (u *use) bind() {
	for n, b := range u.args {
		in := u.callee.inputs[n]
		for d := range min(len(in.extents), len(b.extents)) {
			u.call.Dimension(callee.Dimension{Declared: in.extents[d], Actual: b.extents[d]})
		}
	}
	if unknown := u.call.Solve(nil); len(unknown) > 0 {
		z := unknown[0]
		stop(u.errorf(source.CodeMDHStep, u.pos, "the size %s of %s does not follow from its inputs", z.Name, u.what).WithNote(z.Pos, "the size").
			WithHelp("say it, with the other sizes: %s", u.withSizes()))
	}
}

// withSizes writes an application with its sizes.
func (u *use) withSizes() string {
	var names []string
	for _, z := range u.stateable() {
		names = append(names, z.Name)
	}
	return u.what + "<" + joinWords(names) + ">(…)"
}

// fits checks that a buffer is what an input of the callee must be.
func (u *use) fits(in *buffer, b *held, place source.Span) {
	name := in.name()
	switch {
	case in.element != b.element:
		stop(u.errorf(source.CodeMDHType, place, "%s is %s, and %s of %s is %s", b.name, b.element, name, u.what, in.element).
			WithNote(b.pos, "%s", b.made).WithNote(in.place(), "the input %s", name).WithHelp("convert it in a step before, or let that step make %s", in.element))
	case len(in.extents) != len(b.extents):
		stop(u.errorf(source.CodeMDHStep, place, "%s has %s, and %s of %s has %d", b.name, plural(len(b.extents), "dimension"), name, u.what, len(in.extents)).
			WithNote(b.pos, "%s", b.made).WithNote(in.place(), "the input %s", name).WithHelp("the index functions of an input have one result for each dimension of the buffer"))
	}
	for d, e := range in.extents {
		expected := e.Subst(u.env)
		difference := b.extents[d].Sub(expected)
		if u.sign(difference) == affine.Never || u.sign(difference.Scale(-1)) == affine.Never {
			stop(u.errorf(source.CodeMDHStep, place, "dimension %d of %s has %s elements, and %s reads %s of %s", d, b.name, b.extents[d], u.what, expected, name).
				WithNote(b.pos, "%s, with the extents %s", b.made, extentsText(b.extents)).WithNote(in.place(), "the input %s", name).
				WithHelp("let both have the same extents; an input that is read in part says how large it is: inp_view<%s[%s]>(…)", in.element, extentsText(b.extents)))
		}
		reason := fmt.Sprintf("dimension %d of %s is what %s reads", d, b.name, u.what)
		u.needs(difference, place, reason, source.Span{})
		u.needs(difference.Scale(-1), place, reason, source.Span{})
	}
}

func extentsText(list []affine.Expr) string {
	words := make([]string, len(list))
	for n, e := range list {
		words[n] = e.String()
	}
	return joinWords(words)
}

// sign judges e ≥ 0; what is negative for all sizes from 2 on, nobody means.
func (c *instance) sign(e affine.Expr) affine.Verdict {
	verdict := c.facts.Sign(e)
	if verdict != affine.Always && c.neverBeyondOne(e) {
		return affine.Never
	}
	return verdict
}

// needs proves e ≥ 0, refuses what cannot be, and makes a condition of the rest.
func (u *use) needs(e affine.Expr, pos source.Span, reason string, from source.Span) {
	switch u.facts.Sign(e) {
	case affine.Always:
		return
	case affine.Never:
		what := affine.Inequality(e) + " cannot hold"
		if _, ok := e.IsConst(); ok {
			what = "this cannot hold"
		}
		d := u.errorf(source.CodeMDHStep, pos, "%s: %s", what, reason)
		if from.IsValid() {
			d.WithNote(from, "it is needed here")
		}
		stop(d.WithHelp("choose the sizes of the step so that it holds"))
	}
	u.require(e, pos, reason)
	u.facts.Assume(e)
}
