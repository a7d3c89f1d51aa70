package ricci

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/call"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/tensor"
)

// A Def is one function of a program.
type Def struct {
	program *Program
	info    *lang.Def
	source  *compile.Def // what is compiled: info, with the text that it is from
	calls   *call.Def    // the same, as it is called
}

// A Param describes an argument of a def.
type Param struct {
	Name  string       `json:"name"`
	DType tensor.DType `json:"-"`
	Type  string       `json:"dtype"`
	// Dims are the extents, size expressions such as "N" or "H - KH + 1"; a
	// scalar has none.
	Dims []string `json:"dims"`
	// Mins are the coordinates of the first elements, "0" unless the ranges of
	// the program say otherwise. Element 0 of the array has that coordinate.
	Mins []string `json:"mins"`
	// InOut is set for an output whose old value is read.
	InOut bool `json:"in_out,omitempty"`
	// Size is set for an integer scalar whose value decides about ranges or
	// subscripts: a kernel is compiled for one value of it.
	Size bool `json:"size,omitempty"`

	ranges []string // the dimensions for people
}

// String writes the parameter as a declaration, such as "float32(M, K) A". A
// dimension whose first element does not have the coordinate 0 is written as a
// range: in "float32(1:N - 1) B" element 0 of the array is B(1).
func (p Param) String() string {
	if len(p.Dims) == 0 {
		return p.Type + " " + p.Name
	}
	shown := p.Dims
	if len(p.ranges) == len(p.Dims) {
		shown = p.ranges
	}
	return p.Type + "(" + strings.Join(shown, ", ") + ") " + p.Name
}

// A Size is a number that the arguments of a call fix.
type Size struct {
	Name string `json:"name"`
	// Origin says where the value comes from, such as "dimension 0 of A"; empty
	// when no input determines it and the call must.
	Origin string `json:"origin,omitempty"`
	// MayBeZero is set when the program allows the empty case.
	MayBeZero bool `json:"may_be_zero,omitempty"`
}

// A Condition is something that the program assumes about the sizes of a call,
// because it could not be proved for all. Every call tests it.
type Condition struct {
	Text   string `json:"text"`            // for people, such as "H >= KH"
	Expr   string `json:"expr"`            // is at least zero, such as "H - KH"
	Equal  bool   `json:"equal,omitempty"` // Expr is zero
	Reason string `json:"reason"`          // who needs it
	Span   Span   `json:"-"`
}

// Name returns the name of the def.
func (d *Def) Name() string { return d.info.Name }

// Span returns the place of the def in the text.
func (d *Def) Span() Span { return d.info.Pos }

// Inputs returns the arguments that are only read, in the order of declaration.
func (d *Def) Inputs() []Param { return d.params(d.info.Func.Inputs()) }

// Outputs returns the results, in the order of declaration, those included whose
// old value is read.
func (d *Def) Outputs() []Param { return d.params(d.info.Func.Outputs()) }

// An ImageInput is an input that is an image over a space of Dim dimensions, with the names of the inputs that say where its
// samples are: Directions has a row for each spatial axis, the fastest first, as tensor.Image has, and Origin is the place of the
// first sample. All have the type DType.
type ImageInput struct {
	Samples, Directions, Origin string
	Dim                         int
	DType                       tensor.DType
}

// Images returns the inputs that are images.
func (d *Def) Images() []ImageInput {
	var list []ImageInput
	for _, i := range d.info.Images {
		list = append(list, ImageInput{i.Samples.Name, i.Directions.Name, i.Origin.Name, i.Dim, i.Samples.Type})
	}
	return list
}

func (d *Def) params(tensors []*ein.Tensor) []Param {
	list := make([]Param, len(tensors))
	for i, t := range tensors {
		p := Param{Name: t.Name, DType: t.Type, Type: t.Type.String(), InOut: t.Role == ein.InOut, Size: d.info.Func.IsSize(t), Dims: []string{}, Mins: []string{}}
		for _, dim := range t.Dims {
			p.Dims = append(p.Dims, dim.Extent.String())
			p.Mins = append(p.Mins, dim.Min.String())
			p.ranges = append(p.ranges, rangeText(dim))
		}
		list[i] = p
	}
	return list
}

// rangeText is the extent of a dimension, or its range when that does not begin at 0.
func rangeText(dim ein.Dim) string {
	if first, isConst := dim.Min.IsConst(); isConst && first == 0 {
		return dim.Extent.String()
	}
	return dim.Min.String() + ":" + dim.Min.Add(dim.Extent).String()
}

// Sizes returns the sizes that occur in the def.
func (d *Def) Sizes() []Size {
	list := make([]Size, len(d.info.Func.Sizes))
	for i, s := range d.info.Func.Sizes {
		list[i] = Size{Name: s.Name, MayBeZero: s.MayBeZero}
		switch {
		case s.Tensor == nil || s.Tensor.Role == ein.Output:
		case s.Dim == ein.ScalarValue:
			list[i].Origin = "the value of " + s.Tensor.Name
		default:
			list[i].Origin = fmt.Sprintf("dimension %d of %s", s.Dim, s.Tensor.Name)
			if extent := s.Tensor.Dims[s.Dim].Extent; !extent.Equal(affine.Symbol(s.Name)) {
				list[i].Origin += ", which is " + extent.String()
			}
		}
	}
	return list
}

// Conditions returns what the def assumes about the sizes of a call.
func (d *Def) Conditions() []Condition { return d.conditions(d.info.Func.Requires) }

// conditions describes some of the function's conditions, an equation once.
func (d *Def) conditions(some []*ein.Condition) []Condition {
	list := []Condition{}
	for _, r := range some {
		text, _ := d.info.Func.Relation(r)
		if !slices.ContainsFunc(list, func(c Condition) bool { return c.Text == text }) {
			list = append(list, Condition{Text: text, Expr: r.Expr.String(), Equal: text == affine.Equation(r.Expr), Reason: r.Reason, Span: r.Pos})
		}
	}
	return list
}

// String writes the signature: "mm(float32(M, K) A, …) -> (float32(M, N) C)", in the order of
// declaration. An output
// whose old value is read is among the arguments, too: "inout float32(M, N) C".
func (d *Def) String() string {
	var arguments, results []string
	for _, p := range d.params(d.info.Func.Tensors) {
		switch d.info.Func.Tensor(p.Name).Role {
		case ein.Input:
			arguments = append(arguments, p.String())
		case ein.InOut:
			arguments, results = append(arguments, "inout "+p.String()), append(results, p.String())
		case ein.Output:
			results = append(results, p.String())
		}
	}
	return d.Name() + "(" + strings.Join(arguments, ", ") + ") -> (" + strings.Join(results, ", ") + ")"
}

// OutputShapes computes the shapes of the results for the shapes of the inputs.
// Sizes gives sizes that no input determines and the values of integer scalars
// that are sizes; it may be nil.
func (d *Def) OutputShapes(shapes map[string][]int, sizes map[string]int64) (map[string][]int, error) {
	bound, err := d.bind(Signature{Shapes: shapes, Sizes: sizes})
	if err != nil {
		return nil, err
	}
	all, err := d.info.Func.Shapes(bound)
	if err != nil {
		return nil, err
	}
	outputs := map[string][]int{}
	for _, t := range d.info.Func.Outputs() {
		outputs[t.Name] = compile.Ints(all[t.Name])
	}
	return outputs, nil
}
