package teml

import (
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
)

// How transformations are applied
//
// Those of the core are functions of package transform. The others are compositions, in
// std.teml, and evaluated like any function of a program; what they ask for is checked
// before, so that an error speaks of the call. Go applies them by Apply, which evaluates the
// same text: there is one definition of each.

// Apply applies a transformation to nests, as Go asks for it. The error is a
// source.ErrorList.
func Apply(t *transform.Transformation, nests []*transform.Nest, args []transform.Argument, by transform.Call) (n *transform.Nest, err error) {
	if !t.Composed {
		return t.Apply(nests, args, by)
	}
	if err := t.Check(nests, args, by); err != nil {
		return nil, err
	}
	diagnostics := &source.Diagnostics{}
	in := newInterpreter(nil, diagnostics)
	in.by = &transform.Call{Pos: by.Pos, Text: (&transform.Step{Transformation: t, Arguments: args}).String()}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bailout); !ok {
				panic(r)
			}
			for _, d := range diagnostics.List {
				d.Span, d.Notes = by.Pos, nil // not in std.teml
			}
			err = diagnostics.Err()
		}
	}()
	v := in.enter(standardLibrary()[t.Name], call{pos: by.Pos}, append([]value{loop{nest: nests[0]}}, numbers(args)...))
	return t.Step(as[loop](in, v, by.Pos).nest, nests, args, by), nil
}

func numbers(args []transform.Argument) []value {
	list := make([]value, len(args))
	for k, a := range args {
		list[k] = number{affine.Const(a.Int)}
	}
	return list
}

// operands are the evaluated arguments of a call of a transformation.
type operands struct {
	loops []loop
	nests []*transform.Nest // of the loops, and those that are pending
	args  []transform.Argument
}

// waits reports whether a loop is one that the run with the sizes will know.
func (o *operands) waits() bool {
	return slices.ContainsFunc(o.loops, func(l loop) bool { return l.waiting != "" })
}

// operands evaluates the arguments. Levels may be given one by one or as a list.
func (in *interpreter) operands(t *transform.Transformation, e *syntax.Call) *operands {
	o := &operands{}
	var add func(v value, pos source.Span)
	add = func(v value, pos source.Span) {
		switch v := v.(type) {
		case loop:
			o.loops = append(o.loops, v)
			o.nests = append(append(o.nests, v.nest), v.pending...)
		case list:
			for _, item := range v {
				add(item, pos)
			}
		case number:
			if name, ok := v.IsSymbol(); ok && len(o.nests) > 0 {
				in.checkArgument(t, o.nests[0], len(o.args), name, pos)
				o.args = append(o.args, transform.Argument{Name: name})
				return
			}
			if len(o.nests) == 0 {
				in.wrongKind(v, "a loop", pos)
			}
			o.args = append(o.args, transform.Int(in.asInt(v, pos)))
		case *Tree:
			if t := v; t.isLeaf() && t.real != nil && len(o.nests) > 0 {
				o.args = append(o.args, transform.Argument{Name: t.real.name})
				return
			} else if t.isAssignment() && len(o.nests) > 0 {
				o.args = append(o.args, transform.Argument{Name: t.assignment.real.name})
				return
			}
			in.wrongKind(v, "a loop", pos)
		case literal:
			in.wrongKind(v, "a whole number", pos)
		default:
			in.wrongKind(v, "a loop, or a number", pos)
		}
	}
	for _, arg := range e.Args {
		v := in.eval(arg, nil)
		if _, isLoop := v.(loop); isLoop && o.wantTensor(t, arg.Span().Text()) {
			o.args = append(o.args, transform.Argument{Name: arg.Span().Text()})
			continue
		}
		add(v, arg.Span())
	}
	return o
}

// wantTensor reports whether the next argument has to be a tensor, and the def has one of that
// name: what a loop is called, too, after a = build(a).
func (o *operands) wantTensor(t *transform.Transformation, name string) bool {
	return len(o.nests) >= t.Nests && len(o.args) < len(t.Parameters) && t.Parameters[len(o.args)].Kind == transform.Name && o.nests[0].Func().Tensor(name) != nil
}

// transform is E_l of a transformation, Equations (20) to (25), those that std.teml
// composes, and those that the paper has not.
func (in *interpreter) transform(t *transform.Transformation, e *syntax.Call) value {
	o := in.operands(t, e)
	by := in.caller(e)
	if t.Composed {
		nests := o.nests
		if o.waits() { // what is pending has another place
			nests = nests[:t.Nests]
		}
		if err := t.Check(nests, o.args, by); err != nil {
			return in.misfit(o, err, by, e.Pos)
		}
		values := numbers(o.args)
		for k := range o.loops {
			values = slices.Insert(values, k, value(o.loops[k]))
		}
		made := as[loop](in, in.enter(standardLibrary()[t.Name], call{pos: in.at(e.Pos)}, values), e.Pos)
		if made.waiting == "" {
			made.nest = t.Step(made.nest, o.nests, o.args, by)
		}
		return made
	}
	nest, err := t.Apply(o.nests, o.args, by)
	switch {
	case err != nil:
		return in.misfit(o, err, by, e.Pos)
	case o.waits():
		return loop{nest: nest, waiting: flat(by.Text)}
	}
	return loop{nest: nest}
}

// caller is the call of a transformation as the program writes it, or Go.
func (in *interpreter) caller(e *syntax.Call) transform.Call {
	if in.by != nil {
		return *in.by
	}
	at := in.at(e.Pos)
	return transform.Call{Pos: at, Text: at.Text()}
}

// flat is a text in one line.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// misfit reports a transformation that does not fit; while functions are looked for, the
// run that builds the loops of each decides.
func (in *interpreter) misfit(o *operands, err error, by transform.Call, pos source.Span) value {
	// The nests of other functions do not matter to the one that is scheduled.
	if slices.ContainsFunc(o.nests, func(n *transform.Nest) bool { return n.Func() == in.loops.all }) {
		in.loops.failed = append(in.loops.failed, err)
		return loop{o.nests[0], o.nests[1:], flat(by.Text)}
	}
	in.report(err, pos)
	return nil
}
