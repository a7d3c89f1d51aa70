package native

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/tensor"
)

// bind makes the arrays and the block of arguments.
func (w *World) bind() error {
	w.call.Block = make([]int64, loop.HeaderWords+len(w.kernel.Arguments))
	for k, a := range w.kernel.Arguments {
		if a.IsNumber() {
			w.places[a.Kind] = loop.HeaderWords + k
			continue
		}
		array, err := w.array(a)
		if err != nil {
			return err
		}
		w.arrays[a.Kind] = append(w.arrays[a.Kind], array)
		w.call.Arguments = append(w.call.Arguments, array)
		w.call.Block[loop.HeaderWords+k] = int64(uintptr(array.Pointer()))
	}
	w.code.Prepare(&w.call)
	return nil
}

// array makes the array of an argument, with what is the same for all strands.
func (w *World) array(a lower.Argument) (*tensor.Tensor, error) {
	switch a.Kind {
	case lower.Reals, lower.Integers:
		return w.numbers(a, w.behind(a.Kind))
	case lower.Taps:
		var table []ein.Number
		for _, c := range a.Table {
			table = append(table, ein.Number{Float: c})
		}
		return w.numbers(a, append(table, ein.Number{})[:max(1, len(table))])
	case lower.Elements:
		list := w.outline.Sequence(a.Sequence)
		if len(list) == 0 {
			list = make([]ein.Number, 1)
		}
		return w.numbers(a, list)
	case lower.Pixels:
		return pixels(a.Type, w.outline.Image(a.Image))
	}
	return tensor.New(a.Type, max(1, w.outline.Count))
}

// behind is what follows the values of locals.
func (w *World) behind(kind lower.Kind) (list []ein.Number) {
	if kind == lower.Reals {
		return nil
	}
	for k, n := range w.outline.Grid {
		list = append(list, ein.Number{Int: w.outline.Low[k]}, ein.Number{Int: int64(n)})
	}
	for _, set := range lower.Sets(w.program) {
		list = append(list, ein.Number{Int: int64(w.Count(set))})
	}
	return list
}

// numbers is the array of the values of locals, and of others behind them.
func (w *World) numbers(a lower.Argument, more []ein.Number) (*tensor.Tensor, error) {
	t, err := tensor.New(a.Type, len(a.Locals)+len(more))
	if err != nil {
		return nil, err
	}
	w.fill(t, a, more)
	return t, nil
}

func (w *World) fill(t *tensor.Tensor, a lower.Argument, more []ein.Number) {
	for k, l := range a.Locals {
		set(t, k, w.outline.Value(l))
	}
	for k, n := range more {
		set(t, len(a.Locals)+k, n)
	}
}

// set writes an element.
func set(t *tensor.Tensor, k int, n ein.Number) {
	switch {
	case t.DType().IsFloat():
		t.SetFloat(n.Float, k)
	case t.DType() == tensor.Bool:
		data[bool](t)[k] = n.Int != 0
	default:
		t.SetInt(n.Int, k)
	}
}

// pixels prepares an image: one component of all voxels behind the other.
func pixels(d tensor.DType, image *strand.ImageData) (*tensor.Tensor, error) {
	t, err := tensor.New(d, len(image.Samples)+lower.Tail)
	if err != nil {
		return nil, err
	}
	voxels := len(image.Samples) / image.Components
	if d == tensor.Float32 {
		planes(data[float32](t), image, voxels)
	} else {
		planes(data[float64](t), image, voxels)
	}
	return t, nil
}

func planes[T float32 | float64](to []T, image *strand.ImageData, voxels int) {
	for c := range image.Components {
		for n := range voxels {
			to[c*voxels+n] = T(image.Samples[n*image.Components+c])
		}
	}
	clear(to[len(image.Samples):])
}

// data are the elements of an array of the world's own.
func data[T tensor.Element](t *tensor.Tensor) []T {
	list, err := tensor.Data[T](t)
	if err != nil {
		panic(source.Internalf("strand/native", source.Span{}, "%w", err))
	}
	return list
}
