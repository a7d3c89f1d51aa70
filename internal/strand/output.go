package strand

import (
	"errors"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// An Output is an array that a file is written from. Kinds has one word for each dimension of
// Data: what NRRD calls the axis, from the slowest on, as dimensions are.
type Output struct {
	Name  string
	Data  *tensor.Tensor
	Kinds []string
}

// ErrNoneStable says that no strand was stable at the end.
var ErrNoneStable = errors.New("no stable strands at termination, so no output")

// Outputs returns the results: of an array all strands, of a collection those that are stable.
func (w *World) Outputs() ([]*Output, error) {
	if w.ended != nil {
		return nil, w.Ended()
	}
	if w.Count(Stable) == 0 {
		return nil, ErrNoneStable
	}
	if w.program.Create.Collection {
		return w.collect(Stable)
	}
	return w.collect(All)
}

// Snapshot returns the states of all strands that are alive.
func (w *World) Snapshot() ([]*Output, error) {
	if w.ended != nil {
		return nil, w.Ended()
	}
	return w.collect(All)
}

func (w *World) collect(set Set) ([]*Output, error) {
	var chosen []*strand
	for _, s := range w.strands {
		if s.has(set) {
			chosen = append(chosen, s)
		}
	}
	a := w.strandAxes(len(chosen))
	shape, kinds := a.extents, a.kinds
	var outputs []*Output
	for _, v := range w.program.Outputs() {
		var list []*Output
		var err error
		if v.Type.Dynamic {
			list, err = w.sequenceOutputs(v, w.sequencesOf(v, chosen), a)
		} else {
			list, err = w.fixedOutput(v, chosen, shape, kinds)
		}
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, list...)
	}
	return outputs, nil
}

// fixedOutput is the array of a state that has as many scalars in all strands.
func (w *World) fixedOutput(v *Variable, chosen []*strand, shape []int, kinds []string) ([]*Output, error) {
	first := w.placeOf(v)
	var numbers []ein.Number
	for _, s := range chosen {
		numbers = append(numbers, s.in.scalars[first:first+len(v.Parts)]...)
	}
	o, err := w.output(v.Name, v.Type, numbers, shape, kinds)
	return []*Output{o}, err
}

// placeOf is where the scalars of a state begin in what a strand keeps.
func (w *World) placeOf(v *Variable) int {
	place := 0
	for _, role := range []Role{Parameter, State} {
		for _, other := range w.program.ByRole(role) {
			if other == v {
				return place
			}
			place += len(other.Parts)
		}
	}
	return place
}

// sequenceOutputs are the places and lengths of dynamic sequences, and all their elements.
func (w *World) sequenceOutputs(v *Variable, lists [][]ein.Number, a axes) ([]*Output, error) {
	width := v.Type.Width()
	var places, numbers []ein.Number
	total := 0
	for _, list := range lists {
		count := len(list) / width
		places = append(places, ein.Number{Int: int64(total)}, ein.Number{Int: int64(count)})
		total += count
		numbers = append(numbers, list...)
	}
	lengths, err := fill(tensor.Int32, places, append(append([]int{}, a.extents...), 2))
	if err != nil {
		return nil, err
	}
	kinds := append(append([]string{}, a.kinds...), "2-vector")
	if total == 0 { // there is no second file then, and the original does not say what the axes of the first are
		kinds = make([]string, len(kinds))
	}
	outputs := []*Output{{v.Name + "-len", lengths, kinds}}
	data, err := w.output(v.Name+"-data", v.Type.Element(), numbers, []int{total}, []string{"list"})
	return append(outputs, data), err
}

// sequencesOf has the scalars of a dynamic sequence of strands.
func (w *World) sequencesOf(v *Variable, chosen []*strand) [][]ein.Number {
	place, lists := slices.Index(w.run.kept, v), make([][]ein.Number, len(chosen))
	for k, s := range chosen {
		lists[k] = s.in.sequences[place]
	}
	return lists
}

// output lays values out behind the axes of strands; scalars have no axis of their own.
func (w *World) output(name string, t Type, numbers []ein.Number, shape []int, kinds []string) (*Output, error) {
	stored, shape, kinds := w.layout(t, axes{shape, kinds})
	data, err := fill(stored, numbers, shape)
	return &Output{name, data, kinds}, err
}

// kindOf is the word for the axis of values of a type.
func kindOf(t Type) string {
	is := func(shape ...int) bool {
		same := len(t.Fixed) == 0 && len(shape) == len(t.Shape)
		for k := 0; same && k < len(shape); k++ {
			same = shape[k] == t.Shape[k]
		}
		return same
	}
	switch {
	case is(2):
		return "2-vector"
	case is(3):
		return "3-vector"
	case is(4):
		return "4-vector"
	case is(2, 2):
		return "2D-matrix"
	case is(3, 3):
		return "3D-matrix"
	}
	return "list"
}

// fill makes a tensor of numbers.
func fill(t tensor.DType, numbers []ein.Number, shape []int) (*tensor.Tensor, error) {
	switch t {
	case tensor.Float32:
		return tensor.FromSlice(convert(numbers, func(n ein.Number) float32 { return float32(n.Float) }), shape...)
	case tensor.Float64:
		return tensor.FromSlice(convert(numbers, func(n ein.Number) float64 { return n.Float }), shape...)
	case tensor.Int32:
		return tensor.FromSlice(convert(numbers, func(n ein.Number) int32 { return int32(n.Int) }), shape...)
	case tensor.Uint8:
		return tensor.FromSlice(convert(numbers, func(n ein.Number) uint8 { return uint8(n.Int) }), shape...)
	}
	return tensor.FromSlice(convert(numbers, func(n ein.Number) int64 { return n.Int }), shape...)
}

func convert[T any](numbers []ein.Number, of func(ein.Number) T) []T {
	list := make([]T, len(numbers))
	for k, n := range numbers {
		list[k] = of(n)
	}
	return list
}
