package check

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// findDef looks for a def of an imported file.
func (c *checker) findDef(name string) *lang.Def {
	n := slices.IndexFunc(c.options.Defs, func(d *lang.Def) bool { return d.Name == name })
	if n < 0 {
		return nil
	}
	return c.options.Defs[n]
}

// made is an image that a def of another notation computes of images and numbers.
func (c *checker) made(e *syntax.Apply, name *syntax.Ref, d *lang.Def, want *typed.Type) typed.Expr {
	wrong := func(pos source.Span, format string, args ...any) *source.Diagnostic {
		return c.errorf(source.CodeDiderotCall, pos, format, args...).WithNote(d.Pos, "%s is declared here", d.Name)
	}
	if want == nil || want.Kind != typed.Image {
		wrong(e.Pos, "%s is a def of another notation, whose result is an image", d.Name).WithHelp("declare it: image(2)[] g = %s(…)", d.Name)
		return nothing(e.Pos)
	}
	inputs, outputs := d.Func.Inputs(), d.Func.Outputs()
	if rank := want.Dim + len(want.Shape); len(outputs) != 1 || outputs[0].Role != ein.Output || len(outputs[0].Dims) != rank {
		wrong(e.Pos, "%s does not make %v", d.Name, want).WithHelp("the def has one output, with %d dimensions: those of space, the slowest axis first, then those of a value", rank)
		return nothing(e.Pos)
	}
	if len(e.Args) != len(inputs) {
		wrong(e.Pos, "%s has %d inputs, and %d are given", d.Name, len(inputs), len(e.Args)).WithHelp("give one argument for each, in their order")
		return nothing(e.Pos)
	}
	m := &typed.Made{Node: typed.Node{Pos: e.Pos, T: want}, Def: d}
	for n, input := range inputs {
		arg, ok := c.madeArg(e.Args[n], d, input, want.Dim)
		if !ok {
			return nothing(e.Pos)
		}
		if arg.Image != nil && m.Steps == nil {
			if m.Steps = steps(d.Func, input, outputs[0], want.Dim); m.Steps == nil || arg.Image.Type().Dim != want.Dim {
				wrong(e.Args[n].Span(), "it cannot be seen where the elements of %s lie in %s", outputs[0].Name, input.Name).
					WithHelp("the first image says where the result is in space: an element (i, j) of it is computed from elements about (a*i, b*j), with a and b that are numbers")
				return nothing(e.Pos)
			}
		}
		m.Args = append(m.Args, arg)
	}
	if m.Steps == nil {
		wrong(e.Pos, "%s is given no image", d.Name).WithHelp("the first image says where the result is in space")
		return nothing(e.Pos)
	}
	return m
}

// madeArg is an argument for an input of a def.
func (c *checker) madeArg(e syntax.Expr, d *lang.Def, input *ein.Tensor, dim int) (typed.MadeArg, bool) {
	if len(input.Dims) == 0 {
		t := typed.Real()
		if input.Type.IsInteger() {
			t = &typed.Type{Kind: typed.Int}
		}
		x := c.value(e, t, "the argument "+input.Name+" of "+d.Name)
		if x.Type().Kind == typed.Nothing {
			return typed.MadeArg{}, false
		}
		v := c.constant(x, "the argument "+input.Name+" of "+d.Name)
		return typed.MadeArg{Number: v}, v != nil
	}
	want := &typed.Type{Kind: typed.Image, Dim: min(dim, len(input.Dims))}
	for _, size := range input.Dims[want.Dim:] {
		n, ok := size.Extent.IsConst()
		if !ok || n < 2 {
			want = nil // of a variable only
			break
		}
		want.Shape = append(want.Shape, int(n))
	}
	x := c.expr(e, want)
	t := x.Type()
	if t.Kind == typed.Nothing {
		return typed.MadeArg{}, false
	}
	switch x.(type) {
	case *typed.Ref, *typed.Load, *typed.Made:
		if t.Kind == typed.Image && t.Dim+len(t.Shape) == len(input.Dims) {
			return typed.MadeArg{Image: x}, true
		}
	}
	c.errorf(source.CodeDiderotCall, e.Span(), "the argument %s of %s is an image with %d dimensions, those of values included", input.Name, d.Name, len(input.Dims)).
		WithNote(d.Pos, "%s is declared here", d.Name).WithHelp("give a variable, or load_image, without a border")
	return typed.MadeArg{}, false
}
