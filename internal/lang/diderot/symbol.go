package diderot

import (
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// How fields are lowered
//
// Fields, images and kernels are no values of a program of strands: they exist while lowering, as
// operators of package field. A field is an operator whose parameters are images, kernels, and the
// tensors that it was made with; what a parameter stands for is noted here. An operation on fields
// applies its generic operator, which fuses the operators of its operands. Where the operator
// depends on a variable that may change, a field that gets a name keeps a copy of it.
//
// A probe applies one more operator, that of probing at the position, brings the whole into normal
// form, and expands it to samples and scalar definitions, which become statements.

// symbols says what the parameters of operators stand for.
type symbols struct {
	tensors map[*field.Param][]ein.Expr
	grids   map[*field.Param]*field.Grid
	images  map[*field.Grid]*image
	kernels map[*field.Param]*field.Kernel
}

func newSymbols() symbols {
	return symbols{tensors: map[*field.Param][]ein.Expr{}, grids: map[*field.Param]*field.Grid{}, images: map[*field.Grid]*image{},
		kernels: map[*field.Param]*field.Kernel{}}
}

// An image is one of the program with a border, and the parameter that stands for both.
type image struct {
	image   *strand.Image
	border  strand.Border
	outside []ein.Expr // of the border Constant
	param   *field.Param
}

// symbol lowers an expression that only fields, images and kernels have.
func (l *lowering) symbol(e typed.Expr) value {
	switch e := e.(type) {
	case *typed.KernelRef:
		return l.kernel(e.Kernel, e.T.Continuity)
	case *typed.Load:
		return l.load(e)
	case *typed.Made:
		return l.made(e, e.Def.Name)
	case *typed.ClosedForm:
		return l.closedForm(e)
	case *typed.Probe:
		return l.probe(e)
	}
	panic(source.Internalf("diderot", e.Span(), "an expression is a %T", e))
}

func (l *lowering) kernel(k *field.Kernel, continuity int) value {
	p := l.store.Param(k.Name, field.KernelOf(continuity))
	l.symbols.kernels[p] = k
	return value{kernel: p}
}

// load reads a file: what stands in an expression is read once, before anything else.
func (l *lowering) load(e *typed.Load) value {
	name := strings.TrimSuffix(e.Path[strings.LastIndex(e.Path, "/")+1:], ".nrrd")
	if e.T.Kind == typed.Image {
		return l.declareImage(e.Pos, l.unique(name), e.T, e.Path, false, "")
	}
	v := l.p.Declare(e.Pos, strand.Loaded, l.unique(name), typeOf(e.T))
	v.File = e.Path
	return of(v)
}

// declareImage adds an image to the program.
func (l *lowering) declareImage(pos source.Span, name string, t *typed.Type, path string, isInput bool, doc string) value {
	i := l.p.DeclareImage(pos, name, t.Dim, t.Shape)
	i.File, i.Input, i.Doc = path, isInput, doc
	return l.bordered(i, strand.NoBorder, nil)
}

// made adds an image to the program that a def computes.
func (l *lowering) made(e *typed.Made, name string) value {
	m := &strand.Made{Func: e.Def.Func, Steps: e.Steps}
	inputs := e.Def.Func.Inputs()
	for n, a := range e.Args {
		switch t := inputs[n].Type; {
		case a.Image != nil:
			m.Args = append(m.Args, strand.MadeArg{Image: l.expr(a.Image).image.image})
		case t.IsInteger():
			m.Args = append(m.Args, strand.MadeArg{Number: ein.IntConst(t, a.Number.Int)})
		default:
			m.Args = append(m.Args, strand.MadeArg{Number: ein.FloatConst(t, a.Number.Real)})
		}
	}
	made := l.declareImage(e.Pos, l.unique(name), e.T, "", false, "")
	made.image.image.Made = m
	return made
}

// bordered is an image that is read beyond its border in a way; outside is what stands there, if that is one value: literals
// and locals.
func (l *lowering) bordered(i *strand.Image, border strand.Border, outside []ein.Expr) value {
	name := i.Name
	if border != strand.NoBorder {
		for _, e := range outside {
			name += ", " + ein.PrintExpr(e)
		}
		name = border.String() + "(" + name + ")"
	}
	p := l.store.Param(name, field.ImageOf(i.Dim, i.Shape...))
	if l.symbols.grids[p] == nil {
		g := &field.Grid{Image: i, Matrix: references(i.Matrix), Shift: references(i.Shift), Sizes: references(i.Sizes)}
		l.symbols.grids[p], l.symbols.images[g] = g, &image{i, border, outside, p}
	}
	return value{image: l.symbols.images[l.symbols.grids[p]]}
}

func references(locals []*ein.Local) []ein.Expr {
	list := make([]ein.Expr, len(locals))
	for k, l := range locals {
		list[k] = &ein.LocalRef{Local: l}
	}
	return list
}

// applySymbol lowers operators of images and fields that have a meaning of their own.
func (l *lowering) applySymbol(e *typed.Apply, args []value) value {
	switch e.Row.Means {
	case typed.Convolve:
		return l.fieldOperation(e.Pos, "conv", nil, args...)
	case typed.Compose:
		return l.compose(e.Pos, args[0], args[1])
	case typed.Sizes:
		i := args[0].image.image
		return value{typ: typeOf(e.T), parts: references(i.Sizes)}
	case typed.Border:
		border := map[string]strand.Border{"clamp": strand.Clamp, "mirror": strand.Mirror, "wrap": strand.Wrap, "constant": strand.Constant}[e.Row.With]
		var outside []ein.Expr
		if border == strand.Constant {
			pos := e.Args[1].Span()
			outside = l.bind(pos, "outside", l.toReal(pos, args[1])).parts
		}
		return l.bordered(args[0].image.image, border, outside)
	}
	return l.inside(e.Pos, args[0], args[1])
}

// fieldOperation applies a generic operator to operands of which one is a field, or to an image and a kernel.
func (l *lowering) fieldOperation(pos source.Span, name string, numbers []int, args ...value) value {
	operators, types, space := make([]*field.Operator, len(args)), make([]field.Type, len(args)), 0
	for k, a := range args {
		operators[k] = l.operator(pos, a)
		t, err := field.Verify(operators[k])
		l.must(pos, err)
		if t.Kind == field.FieldParam && t.Dim == 0 {
			t.Dim = a.space
		}
		types[k], space = t, max(space, t.Dim)
	}
	onLine := types[0].Kind == field.FieldParam && types[0].Dim == 1
	if onLine && name == "∇•" { // a vector of one component is a number
		name = "∇"
		if len(types[0].Shape) > 0 {
			name = "∇⊗"
		}
	}
	outer, err := l.store.Generic(name, types, numbers...)
	l.must(pos, err)
	fused, err := l.store.Apply(outer, operators...)
	l.must(pos, err)
	if onLine && name == "∇⊗" {
		at := slices.Repeat([]int{-1}, len(fused.Shape))
		at[len(at)-1] = 0
		return l.fieldOperation(pos, "slice", at, value{field: fused, space: space})
	}
	return value{field: fused, space: space}
}

func (l *lowering) must(pos source.Span, err error) {
	if err != nil {
		panic(source.Internalf("diderot", pos, "%v", err))
	}
}

// operator is a value as an operator: of a field itself, of anything else that of a parameter.
func (l *lowering) operator(pos source.Span, x value) *field.Operator {
	switch {
	case x.field != nil:
		return x.field
	case x.image != nil:
		return l.store.Variable(x.image.param)
	case x.kernel != nil:
		return l.store.Variable(x.kernel)
	case x.constant != nil:
		return x.constant
	}
	x = l.bind(pos, "factor", x)
	return l.store.Variable(l.tensorParam(x))
}

// tensorParam is the parameter that stands for scalars.
func (l *lowering) tensorParam(x value) *field.Param {
	texts := make([]string, len(x.parts))
	for k, e := range x.parts {
		texts[k] = ein.PrintExpr(e)
	}
	name := strings.Join(texts, " ")
	if x.from != nil {
		name = x.from.Name
	}
	p := l.store.Param(name, field.TensorOf(x.typ.Shape...))
	l.symbols.tensors[p] = x.parts
	return p
}

// closedForm is a field that is given by a formula of the position.
func (l *lowering) closedForm(e *typed.ClosedForm) value {
	dim := e.T.Dim
	position := l.store.Operator(nil, l.store.Position(1, field.At(0)))
	if dim > 1 {
		position = l.store.Operator([]int{dim}, l.store.Position(dim, field.Axis(0, dim)))
	}
	l.values[e.Position] = value{field: position, space: dim}
	x := l.toReal(e.Pos, l.expr(e.Body))
	if x.field != nil {
		return x
	}
	constant := l.operator(e.Pos, x)
	return value{field: l.store.Operator(constant.Shape, l.store.Unary(field.Lift, constant.Body)), space: dim}
}

// captured is a field that gets a name: what it depends on stays as it is.
func (l *lowering) captured(pos source.Span, x value) value {
	if x.image != nil {
		return value{image: l.keptImage(pos, x.image)}
	}
	if x.field == nil {
		return x
	}
	operators := make([]*field.Operator, len(x.field.Params))
	for k, p := range x.field.Params {
		if p.Kind == field.TensorParam && !p.Fixed && !l.isKept(l.symbols.tensors[p]) {
			p = l.tensorParam(of(l.kept(pos, p.Shape, l.symbols.tensors[p])))
		}
		if p.Kind == field.ImageParam {
			p = l.keptImage(pos, l.symbols.images[l.symbols.grids[p]]).param
		}
		operators[k] = l.store.Variable(p)
	}
	again, err := l.store.Apply(x.field, operators...)
	l.must(pos, err)
	return value{field: again, space: x.space}
}

// kept is a variable that keeps what scalars are now.
func (l *lowering) kept(pos source.Span, shape []int, parts []ein.Expr) *strand.Variable {
	v := l.p.Declare(pos, l.home, l.unique("kept"), strand.Type{Elem: strand.Real, Shape: shape})
	l.set(pos, v, value{typ: v.Type, parts: parts})
	return v
}

// keptImage is an image of which what stands outside stays as it is.
func (l *lowering) keptImage(pos source.Span, i *image) *image {
	if l.isKept(i.outside) {
		return i
	}
	return l.bordered(i.image, i.border, of(l.kept(pos, i.image.Shape, i.outside)).parts).image
}

// isKept reports whether scalars can be read later, where the field is used.
func (l *lowering) isKept(parts []ein.Expr) bool {
	return !slices.ContainsFunc(parts, func(e ein.Expr) bool {
		r, ok := e.(*ein.LocalRef)
		return ok && (l.changing[r.Local] || l.home != strand.Temporary && l.isTemporary(r.Local))
	})
}

func (l *lowering) isTemporary(local *ein.Local) bool {
	return slices.ContainsFunc(l.p.Variables, func(v *strand.Variable) bool {
		return v.Role == strand.Temporary && slices.Contains(v.Parts, local)
	})
}
