package session

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// Value is an array as the value of a variable: its dimensions are those of the type, those of
// sequences first, or one for all numbers of an element. Numbers of other types are converted where
// none of them changes by more than rounding.
func Value(v *strand.Variable, t *tensor.Tensor) (strand.Value, error) {
	if v.Type.Elem == strand.String {
		return strand.Value{}, problem(source.StrandValue, v.Pos, "the input %s is a text, found an array", v.Name)
	}
	if !fits(v.Type, t.Shape()) {
		return strand.Value{}, problem(source.StrandValue, v.Pos, "the input %s is %s, found an array of shape %v", v.Name, v.Type, t.Shape()).
			WithHelp("its shape is %s", shapeText(v.Type))
	}
	host, err := t.ToHost()
	if err != nil {
		return strand.Value{}, err
	}
	value := strand.Value{Numbers: make([]ein.Number, 0, host.Len())}
	for offset := range host.Offsets() {
		n, ok := number(v.Type.Elem, host, offset)
		if !ok {
			return strand.Value{}, problem(source.StrandValue, v.Pos, "the input %s is %s, found %v", v.Name, v.Type, host.FloatAt(offset))
		}
		value.Numbers = append(value.Numbers, n)
	}
	return value, host.Close()
}

// number converts one.
func number(e strand.Elem, t *tensor.Tensor, offset int) (ein.Number, bool) {
	if e == strand.Real {
		return ein.Number{Float: t.FloatAt(offset)}, true
	}
	if t.DType().IsFloat() {
		f := t.FloatAt(offset)
		i := int64(f)
		return ein.Number{Int: i}, float64(i) == f && (e != strand.Bool || i == 0 || i == 1)
	}
	i := t.IntAt(offset)
	return ein.Number{Int: i}, e != strand.Bool || i == 0 || i == 1
}

// extents are the dimensions of a value, or of an element of a dynamic sequence.
func extents(t strand.Type) []int {
	list := slices.Clone(t.Fixed)
	slices.Reverse(list)
	return append(list, t.Shape...)
}

// Shape is the shape of the array of a value; count elements of a dynamic sequence.
func Shape(t strand.Type, count int) []int {
	if t.Dynamic {
		return append([]int{count}, extents(t)...)
	}
	return extents(t)
}

func fits(t strand.Type, shape []int) bool {
	if t.Dynamic {
		if len(shape) == 0 {
			return false
		}
		shape = shape[1:]
	}
	want := extents(t)
	flat := []int{t.Width()}
	return slices.Equal(shape, want) || slices.Equal(shape, flat) || !t.Dynamic && t.Width() == 1 && len(shape) == 0
}

func shapeText(t strand.Type) string {
	text := fmt.Sprint(extents(t))
	if t.Dynamic {
		text = "[n " + text[1:]
		if len(extents(t)) == 0 {
			text = "[n]"
		}
	}
	return text
}
