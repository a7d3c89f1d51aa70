package diderot_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
)

// A drawer draws checked programs.
type drawer struct {
	t         *rapid.T
	scope     []*typed.Variable
	functions []*typed.Function
	place     place
	names     int
	loops     int
	noFields  bool // nothing is probed
}

// A place is where a statement stands.
type place int

const (
	inProgram place = iota
	inBegin
	inStep
	inFunction
	afterStep
)

var (
	boolean = &typed.Type{Kind: typed.Bool}
	integer = &typed.Type{Kind: typed.Int}
	text    = &typed.Type{Kind: typed.String}
	real    = typed.Real()
	vec2    = typed.TensorOf(2)
	mat2    = typed.TensorOf(2, 2)
	ints    = typed.SequenceOf(integer, typed.Dynamic)
	reals   = typed.SequenceOf(real, 3)
	points  = typed.SequenceOf(vec2, typed.Dynamic)
	scalarF = typed.FieldOf(2, 2)
	vectorF = typed.FieldOf(1, 2, 2)
	smoothF = typed.FieldOf(2, 2, 2)
	types   = []*typed.Type{boolean, integer, text, real, vec2, mat2, ints, reals, points}
	picture = &typed.Type{Kind: typed.Image, Dim: 2}
)

func (d *drawer) below(n int) int { return rapid.IntRange(0, n-1).Draw(d.t, "n") }

func pick[T any](d *drawer, list ...T) T { return list[d.below(len(list))] }

// row finds an operator by its name and how its signature begins.
func row(name, signature string) *typed.Row {
	for _, r := range typed.Rows() {
		if r.Name == name && strings.HasPrefix(r.Signature, signature) {
			return r
		}
	}
	panic("no row " + name + " " + signature)
}

func apply(t *typed.Type, name, signature string, args ...typed.Expr) typed.Expr {
	return &typed.Apply{Node: typed.Node{T: t}, Row: row(name, signature), Args: args}
}

func ref(v *typed.Variable) typed.Expr {
	return &typed.Ref{Node: typed.Node{T: v.Type}, Variable: v}
}

func whole(n int64) typed.Expr {
	return &typed.Literal{Node: typed.Node{T: integer}, Value: &typed.Value{Int: n}}
}

func decimal(n int64) typed.Expr {
	r := big.NewRat(n, 4)
	f, _ := r.Float64()
	return &typed.Literal{Node: typed.Node{T: real}, Value: &typed.Value{Real: f, Exact: r}}
}

// declare makes a variable with a value, which may see what is in scope.
func (d *drawer) declare(role typed.Role, t *typed.Type) *typed.Variable {
	v := &typed.Variable{Name: d.name(), Role: role, Type: t, Value: d.expr(t, 3)}
	d.scope = append(d.scope, v)
	return v
}

func (d *drawer) name() string {
	d.names++
	return pick(d, "x", "y", "θ", "z'") + fmt.Sprint(d.names%7) // names are used again
}

// within draws something in a scope of its own.
func (d *drawer) within(draw func()) {
	outer := len(d.scope)
	draw()
	d.scope = d.scope[:outer]
}

// some returns variables in scope of a type, for which a property holds.
func (d *drawer) some(t *typed.Type, property func(*typed.Variable) bool) []*typed.Variable {
	var list []*typed.Variable
	for _, v := range d.scope {
		if v.Type.Equal(t) && property(v) {
			list = append(list, v)
		}
	}
	return list
}

// expr draws an expression of a type.
func (d *drawer) expr(t *typed.Type, depth int) typed.Expr {
	if list := d.some(t, func(*typed.Variable) bool { return true }); len(list) > 0 && (depth <= 0 || d.below(3) == 0) {
		return ref(pick(d, list...))
	}
	if depth > 0 && t.IsValue() && t.Kind != typed.Sequence {
		if e := d.general(t, depth-1); e != nil {
			return e
		}
	}
	choices := slices.Clone(makers[t.String()])
	if d.noFields {
		choices = choices[:len(choices)-probes[t.String()]]
	}
	if depth <= 0 {
		choices = choices[:1]
	}
	return pick(d, choices...)(d, depth-1)
}

// general draws what values of all types can be made by, or nothing.
func (d *drawer) general(t *typed.Type, depth int) typed.Expr {
	switch d.below(8) {
	case 0:
		return &typed.Conditional{Node: typed.Node{T: t}, Cond: d.expr(boolean, depth), Then: d.expr(t, depth), Else: d.expr(t, depth)}
	case 1:
		for _, f := range d.functions {
			if f.Result.Equal(t) {
				c := &typed.Call{Node: typed.Node{T: t}, Function: f}
				for _, p := range f.Params {
					c.Args = append(c.Args, d.expr(p.Type, depth))
				}
				return c
			}
		}
	case 2:
		if t.Equal(real) {
			sequence := d.expr(reals, depth)
			at := apply(integer, "%", "int", apply(integer, "||", "int", d.expr(integer, depth)), whole(3))
			return &typed.Subscript{Node: typed.Node{T: t}, X: sequence, At: at}
		}
	}
	return nil
}

type maker = func(d *drawer, depth int) typed.Expr

// of makes operations.
func operation(t *typed.Type, name, signature string, operands ...*typed.Type) maker {
	return func(d *drawer, depth int) typed.Expr {
		var args []typed.Expr
		for _, o := range operands {
			args = append(args, d.expr(o, depth))
		}
		return apply(t, name, signature, args...)
	}
}

// fold makes a reduction over a sequence of ints.
func fold(t *typed.Type, name string) maker {
	return func(d *drawer, depth int) (e typed.Expr) {
		d.within(func() {
			each := d.each(depth)
			d.scope = append(d.scope, each.Variable)
			e = &typed.Reduce{Node: typed.Node{T: t}, Row: row(name, t.String()), Body: d.expr(t, depth), Each: each}
		})
		return e
	}
}

// each draws an iterator of ints.
func (d *drawer) each(depth int) *typed.Each {
	v := &typed.Variable{Name: d.name(), Role: typed.Iterator, Type: integer}
	return &typed.Each{Variable: v, In: d.expr(ints, depth)}
}

// makers are the ways in which values of a type are made, by its name; the first needs nothing. The last of some probe fields, or
// ask for eigenvectors.
var makers map[string][]maker

var probes = map[string]int{"bool": 1, "real": 1, "vec2": 2}

func init() {
	makers = map[string][]maker{
		"bool": {
			func(d *drawer, _ int) typed.Expr {
				return &typed.Literal{Node: typed.Node{T: boolean}, Value: &typed.Value{Bool: d.below(2) == 0}}
			},
			operation(boolean, "<", "int", integer, integer), operation(boolean, ">=", "real", real, real), operation(boolean, "==", "string", text, text),
			operation(boolean, "&&", "bool", boolean, boolean), operation(boolean, "||", "bool", boolean, boolean), operation(boolean, "!", "bool", boolean),
			fold(boolean, "all"), fold(boolean, "exists"),
			operation(boolean, "inside", "tensor", vec2, scalarF),
		},
		"int": {
			func(d *drawer, _ int) typed.Expr { return whole(int64(d.below(9)) - 3) },
			operation(integer, "+", "int", integer, integer), operation(integer, "*", "int", integer, integer), operation(integer, "/", "int", integer, integer),
			operation(integer, "%", "int", integer, integer), operation(integer, "min", "int", integer, integer), operation(integer, "-", "int ->", integer),
			operation(integer, "length", "T[]", ints), fold(integer, "sum"), fold(integer, "max"),
		},
		"string": {
			func(d *drawer, _ int) typed.Expr {
				return &typed.Literal{Node: typed.Node{T: text}, Value: &typed.Value{Text: pick(d, "", "a", "b\n")}}
			},
		},
		"real": {
			func(d *drawer, _ int) typed.Expr { return decimal(int64(d.below(40) - 8)) },
			func(d *drawer, depth int) typed.Expr {
				return &typed.Coerce{Node: typed.Node{T: real}, How: typed.ToReal, X: d.expr(integer, depth)}
			},
			operation(real, "+", "tensor", real, real), operation(real, "-", "tensor[σ] ->", real), operation(real, "*", "real, tensor", real, real),
			operation(real, "/", "tensor", real, real), operation(real, "•", "tensor", vec2, vec2), operation(real, "×", "tensor[2]", vec2, vec2),
			operation(real, "||", "tensor", vec2), operation(real, "det", "tensor[2,2]", mat2), operation(real, "trace", "tensor", mat2),
			operation(real, "sqrt", "real", real), operation(real, "floor", "real", real), operation(real, "^", "real, int", real, integer),
			operation(real, "clerp", "tensor[σ], tensor[σ], real ->", real, real, real), operation(real, ":", "tensor", mat2, mat2),
			fold(real, "mean"), fold(real, "product"),
			func(d *drawer, depth int) typed.Expr {
				return &typed.Slice{Node: typed.Node{T: real}, X: d.expr(vec2, depth), At: []int{d.below(2)}}
			},
			func(d *drawer, depth int) typed.Expr {
				return &typed.Probe{Node: typed.Node{T: real}, Field: d.expr(scalarF, depth), At: d.expr(vec2, depth)}
			},
		},
		"vec2": {
			func(d *drawer, depth int) typed.Expr {
				return &typed.Construct{Node: typed.Node{T: vec2}, Elements: []typed.Expr{d.expr(real, depth), d.expr(real, depth)}}
			},
			operation(vec2, "-", "tensor[σ], tensor", vec2, vec2), operation(vec2, "*", "tensor[σ], real", vec2, real), operation(vec2, "•", "tensor", mat2, vec2),
			operation(vec2, "normalize", "tensor", vec2), operation(vec2, "modulate", "tensor", vec2, vec2),
			func(d *drawer, depth int) typed.Expr {
				return &typed.Slice{Node: typed.Node{T: vec2}, X: d.expr(mat2, depth), At: []int{-1, d.below(2)}}
			},
			func(d *drawer, depth int) typed.Expr {
				return &typed.Probe{Node: typed.Node{T: vec2}, Field: d.expr(vectorF, depth), At: d.expr(vec2, depth)}
			},
			func(d *drawer, depth int) typed.Expr {
				vectors := apply(typed.SequenceOf(vec2, 2), "evecs", "tensor[2,2]", d.expr(mat2, depth))
				return &typed.Subscript{Node: typed.Node{T: vec2}, X: vectors, At: whole(int64(d.below(2)))}
			},
		},
		"mat2": {
			func(d *drawer, depth int) typed.Expr {
				return &typed.Construct{Node: typed.Node{T: mat2}, Elements: []typed.Expr{d.expr(vec2, depth), d.expr(vec2, depth)}}
			},
			operation(mat2, "⊗", "tensor", vec2, vec2), operation(mat2, "transpose", "tensor", mat2), operation(mat2, "inv", "tensor[2,2]", mat2),
			operation(mat2, "+", "tensor", mat2, mat2),
			func(*drawer, int) typed.Expr {
				return &typed.Apply{Node: typed.Node{T: mat2}, Row: row("identity", ""), Numbers: []int{2}}
			},
			func(*drawer, int) typed.Expr { return &typed.NaN{Node: typed.Node{T: mat2}} },
		},
		"int[]": {
			func(d *drawer, _ int) typed.Expr {
				return &typed.Range{Node: typed.Node{T: ints}, Low: whole(int64(d.below(3))), High: whole(int64(d.below(5)))}
			},
			operation(ints, "@", "T[], T ->", ints, integer), operation(ints, "@", "T, T[]", integer, ints), operation(ints, "@", "T[], T[]", ints, ints),
			func(d *drawer, depth int) (e typed.Expr) {
				d.within(func() {
					each := d.each(depth)
					d.scope = append(d.scope, each.Variable)
					e = &typed.Comprehension{Node: typed.Node{T: ints}, Body: d.expr(integer, depth), Each: each}
				})
				return e
			},
		},
		"real[3]": {
			func(d *drawer, depth int) typed.Expr {
				return &typed.Sequenced{Node: typed.Node{T: reals}, Elements: []typed.Expr{d.expr(real, depth), d.expr(real, depth), d.expr(real, depth)}}
			},
		},
		"vec2[]": {
			func(*drawer, int) typed.Expr {
				empty := &typed.Sequenced{Node: typed.Node{T: typed.SequenceOf(&typed.Type{}, 0)}}
				return &typed.Coerce{Node: typed.Node{T: points}, How: typed.ToDynamic, X: empty}
			},
			operation(points, "@", "T[], T ->", points, vec2),
		},
		scalarF.String(): {
			func(d *drawer, depth int) typed.Expr {
				return apply(scalarF, "⊛", "image", d.image(), &typed.KernelRef{Node: typed.Node{T: &typed.Type{Kind: typed.Kernel, Continuity: 2}}, Kernel: field.LookupKernel("bspln3")})
			},
			operation(scalarF, "+", "tensor", scalarF, scalarF), operation(scalarF, "*", "real, tensor", real, scalarF), operation(scalarF, "*", "real, tensor", scalarF, scalarF),
			operation(scalarF, "sin", "real", scalarF), operation(scalarF, "/", "tensor", scalarF, real), operation(scalarF, "∘", "field", scalarF, smoothF),
		},
		smoothF.String(): {
			func(d *drawer, depth int) typed.Expr {
				at := &typed.Variable{Name: d.name(), Role: typed.Position, Type: vec2}
				body := apply(vec2, "*", "tensor[σ], real", ref(at), d.expr(real, depth))
				return &typed.ClosedForm{Node: typed.Node{T: smoothF}, Position: at, Body: body}
			},
			func(d *drawer, depth int) typed.Expr {
				return &typed.Construct{Node: typed.Node{T: smoothF}, Elements: []typed.Expr{d.expr(scalarF, depth), d.expr(scalarF, depth)}}
			},
		},
		vectorF.String(): {
			func(d *drawer, depth int) typed.Expr {
				return apply(vectorF, "∇", "field", d.expr(scalarF, depth))
			},
			operation(vectorF, "-", "tensor[σ], tensor", vectorF, vec2), operation(vectorF, "*", "real, tensor", scalarF, vectorF),
		},
	}
}

// image draws an image of what is there, with a border.
func (d *drawer) image() typed.Expr {
	image := ref(d.some(picture, func(*typed.Variable) bool { return true })[0])
	if d.below(4) == 0 {
		return apply(picture, "border", "image", image, decimal(int64(d.below(9))))
	}
	return apply(picture, pick(d, "clamp", "mirror", "wrap"), "image", image)
}
