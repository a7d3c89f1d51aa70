package native

import (
	"unsafe"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/tensor"
)

// bind makes the arrays and the block of arguments, where there is memory for those of all strands.
func (w *World) bind(room int) error {
	w.call.Block = make([]int64, loop.HeaderWords+len(w.kernel.Arguments))
	w.capacity = max(1, w.outline.Count)
	w.rooms = make([]int, len(w.kernel.Lists))
	for k := range w.rooms {
		if w.rooms[k] = room; room == 0 {
			w.rooms[k] = firstRoom
		}
	}
	if err := w.outline.Fits(w.bytes()); err != nil {
		return err
	}
	w.held = make([]held, len(w.kernel.Arguments))
	for k, a := range w.kernel.Arguments {
		w.places[a.Kind] = append(w.places[a.Kind], k)
		if a.IsNumber() {
			continue
		}
		array, err := w.newArray(a, nil)
		if err != nil {
			return err
		}
		w.held[k].argument, w.call.Arguments = len(w.call.Arguments), append(w.call.Arguments, nil)
		w.put(k, array)
	}
	w.sizeLists()
	w.code.Prepare(&w.call)
	status := data[uint8](w.only(lower.Status))
	for n := range status {
		status[n] = lower.Waiting
	}
	return nil
}

// number gives an argument its value.
func (w *World) number(k, value int) { w.call.Block[loop.HeaderWords+k] = int64(value) }

// newArray makes the array of an argument, with what is the same for all strands, or what an older one has of them.
func (w *World) newArray(a lower.Argument, old *tensor.Tensor) (*tensor.Tensor, error) {
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
	case lower.CellPlaces, lower.CellCounts, lower.CellFirst:
		return tensor.New(a.Type, 8)
	case lower.Column:
		return w.column(a, old, w.rooms[a.List])
	}
	t, err := tensor.New(a.Type, w.capacity+1)
	if err == nil && old != nil {
		copy(raw(t), raw(old))
	}
	return t, err
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

// raw are the bytes of an array of the world's own.
func raw(t *tensor.Tensor) []byte {
	if t.Len() == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(t.Pointer()), t.Len()*t.DType().Size())
}

// reader reads elements.
func reader(t *tensor.Tensor) func(n int) ein.Number {
	if t.DType().IsFloat() {
		return func(n int) ein.Number { return ein.Number{Float: t.FloatAt(n)} }
	}
	return func(n int) ein.Number { return ein.Number{Int: t.IntAt(n)} }
}

// data are the elements of an array of the world's own.
func data[T tensor.Element](t *tensor.Tensor) []T {
	list, err := tensor.Data[T](t)
	if err != nil {
		panic(source.Internalf("strand/native", source.Span{}, "%w", err))
	}
	return list
}
