package diderot

import (
	"errors"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lift"
	"github.com/ricci-lang/ricci/internal/strand/passes"
)

// How fields and functions become defs
//
// Every field of a program that has a name, and every function of values, is a def over a list of points, too: it is lowered
// as a statement of a strand that probes the field, or calls the function, and lifted (package lift). The program's inputs that
// it depends on are inputs of the def, as are its images; what the program computes of them before the first strand is
// computed in the def.

// Defs are the fields and functions of a program as defs: F(image, image_directions, image_origin, …, p[N,d]) gives
// value[N,σ] and inside[N], which says where the field can be probed; f(…, a[N,…], b[N,…]) gives value[N,σ]. Functions that
// take more than expressions, conditionals and probes have none.
func Defs(program *typed.Program, numbers Numbers) ([]*lang.Def, error) {
	var list []*lang.Def
	add := func(name string, pos source.Span, of *needs, body func(l *lowering, p *lift.Points)) error {
		d, err := pointDef(of, numbers, name, pos, body)
		if d != nil {
			list = append(list, d)
		}
		return err
	}
	for _, v := range program.Variables {
		if v.Type.Kind == typed.Field {
			of := newNeeds(program)
			of.variable(v)
			if err := add(v.Name, v.Pos, of, func(l *lowering, p *lift.Points) { l.fieldPoint(p, v) }); err != nil {
				return list, err
			}
		}
	}
	for _, f := range program.Functions {
		if !slices.ContainsFunc(f.Params, func(v *typed.Variable) bool { return isSymbol(v.Type) }) && !isSymbol(f.Result) && len(f.Params) > 0 {
			of := newNeeds(program)
			of.function(f)
			if err := add(f.Name, f.Pos, of, func(l *lowering, p *lift.Points) { l.functionPoint(p, f) }); err != nil {
				return list, err
			}
		}
	}
	return list, nil
}

// pointDef lowers one computation of a point, with what it needs of the program, and lifts it. There is none if it is not pure.
func pointDef(of *needs, numbers Numbers, name string, pos source.Span, body func(*lowering, *lift.Points)) (_ *lang.Def, err error) {
	defer source.RecoverInternal("diderot", &err)
	l := newLowering(of.program, numbers)
	l.globals(of.program, of)
	p := &lift.Points{Pos: pos, Name: name, Real: l.p.Real, Int: l.p.Int}
	point := l.into(func() { body(l, p) })
	// To a point all that is computed before is a temporary, of which what it does not need is left out.
	l.p.Update = slices.Concat(silent(l.p.Initialize), point)
	l.p.Initialize, l.p.GlobalStart, l.p.GlobalUpdate = nil, nil, nil
	for _, v := range l.p.Variables {
		if v.Role == strand.Global || v.Role == strand.Const {
			v.Role = strand.Temporary
		}
	}
	passes.Run(l.p)
	p.Body = l.p.Update
	p.Common, p.Images = inputsOf(l.p)
	f, err := lift.Func(p)
	if not := (*lift.NotPure)(nil); errors.As(err, &not) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d := &lang.Def{Name: name, Pos: pos, Func: f, Tensors: slices.Concat(f.Inputs(), f.Outputs())}
	if params, value, ok := lift.Scalar(p); ok {
		d.Scalar = &lang.Scalar{Params: params, Value: value}
	}
	for _, i := range p.Images {
		d.Images = append(d.Images, lang.Image{Samples: f.Tensor(i.Name), Directions: f.Tensor(i.Name + "_directions"), Origin: f.Tensor(i.Name + "_origin"), Dim: i.Dim})
	}
	return d, nil
}

// silent is a block without what it prints.
func silent(b strand.Block) strand.Block {
	return slices.DeleteFunc(slices.Clone(b), func(s strand.Stmt) bool {
		if i, ok := s.(*strand.If); ok {
			i.Then, i.Else = silent(i.Then), silent(i.Else)
		}
		_, prints := s.(*strand.Message)
		return prints
	})
}

// inputsOf are the inputs and the images that the update of a program needs.
func inputsOf(p *strand.Program) (inputs []*strand.Variable, images []*strand.Image) {
	read := map[*ein.Local]bool{}
	sampled := map[*strand.Image]bool{}
	expr := func(e ein.Expr) {
		ein.Walk(e, func(e ein.Expr) bool {
			if r, ok := e.(*ein.LocalRef); ok {
				read[r.Local] = true
			}
			return true
		})
	}
	strand.Walk(p.Update, func(s strand.Stmt) {
		switch s := s.(type) {
		case *strand.Assign:
			expr(s.Value)
		case *strand.If:
			expr(s.Cond)
		case *strand.Eigen:
			for _, e := range s.Of {
				expr(e)
			}
		case *strand.Sample:
			sampled[s.Image] = true
			for _, l := range s.Reads() {
				read[l] = true
			}
		}
	})
	isRead := func(l *ein.Local) bool { return read[l] }
	for _, v := range p.ByRole(strand.Input) {
		if slices.ContainsFunc(v.Parts, isRead) {
			inputs = append(inputs, v)
		}
	}
	for _, i := range p.Images {
		if sampled[i] || slices.ContainsFunc(i.Locals(), isRead) {
			images = append(images, i)
		}
	}
	return inputs, images
}

// given declares what a point is given.
func (l *lowering) given(p *lift.Points, v *typed.Variable) typed.Expr {
	p.Given = append(p.Given, l.declare(v, strand.Parameter))
	return &typed.Ref{Node: typed.Node{Pos: v.Pos, T: v.Type}, Variable: v}
}

// give declares a result of a point.
func (l *lowering) give(p *lift.Points, name string, x value) {
	v := l.p.Declare(p.Pos, strand.State, l.unique(name), x.typ)
	v.Output = true
	l.set(p.Pos, v, x)
	p.Results = append(p.Results, v)
}

// fieldPoint probes a field at a position.
func (l *lowering) fieldPoint(p *lift.Points, f *typed.Variable) {
	at := &typed.Variable{Pos: f.Pos, Name: "p", Role: typed.Argument, Type: typed.Real()}
	if f.Type.Dim > 1 {
		at.Type = typed.TensorOf(f.Type.Dim)
	}
	position := l.given(p, at)
	node := typed.Node{Pos: f.Pos, T: typed.TensorOf(f.Type.Shape...)}
	field := &typed.Ref{Node: typed.Node{Pos: f.Pos, T: f.Type}, Variable: f}
	l.give(p, "value", l.expr(&typed.Probe{Node: node, Field: field, At: position}))
	l.give(p, "inside", l.inside(f.Pos, l.expr(position), l.values[f]))
}

// functionPoint calls a function.
func (l *lowering) functionPoint(p *lift.Points, f *typed.Function) {
	call := &typed.Call{Node: typed.Node{Pos: f.Pos, T: f.Result}, Function: f}
	for _, v := range f.Params {
		of := *v // that of the call is bound to this one
		of.Assigned = false
		call.Args = append(call.Args, l.given(p, &of))
	}
	l.give(p, "value", l.expr(call))
}
