package native

import (
	"context"

	"github.com/ricci-lang/ricci/internal/ein"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/tensor"
)

// Outputs returns the results: of an array all strands, of a collection those that are stable.
func (w *World) Outputs() ([]*strand.Output, error) {
	if w.ended != nil {
		return nil, w.Ended()
	}
	if w.counts[lower.Stabilized] == 0 {
		return nil, strand.ErrNoneStable
	}
	if w.program.Create.Collection {
		return w.collect(strand.Stable)
	}
	return w.collect(strand.All)
}

// Snapshot returns the states of all strands that are alive.
func (w *World) Snapshot() ([]*strand.Output, error) {
	if w.ended != nil {
		return nil, w.Ended()
	}
	return w.collect(strand.All)
}

func (w *World) collect(set strand.Set) ([]*strand.Output, error) {
	var chosen []int
	for n, s := range data[uint8](w.only(lower.Status))[:w.outline.Count] {
		if s == lower.Stabilized || s == lower.Running && set == strand.All {
			chosen = append(chosen, n)
		}
	}
	var list []*strand.Output
	for _, v := range w.program.Outputs() {
		if v.Type.Dynamic {
			outputs, err := w.sequences(v, chosen)
			if err != nil {
				return nil, err
			}
			list = append(list, outputs...)
			continue
		}
		d, shape, kinds := w.outline.Layout(v, len(chosen))
		t, err := tensor.New(d, shape...)
		if err != nil {
			return nil, err
		}
		for k, part := range w.arraysOf(v) {
			if err := spread(t, part, chosen, k, len(v.Parts)); err != nil {
				return nil, err
			}
		}
		list = append(list, &strand.Output{Name: v.Name, Data: t, Kinds: kinds})
	}
	return list, w.lost
}

// sequences are the outputs of a sequence of any length.
func (w *World) sequences(v *strand.Variable, chosen []int) ([]*strand.Output, error) {
	read, lists := w.sequence(w.listOf(v, false)), make([][]ein.Number, len(chosen))
	for k, n := range chosen {
		lists[k] = read(n)
	}
	return w.outline.SequenceOutputs(v, lists)
}

// spread writes component k of values of some components.
func spread(to, from *tensor.Tensor, chosen []int, k, components int) error {
	switch from.DType() {
	case tensor.Float32:
		spreadOf(data[float32](to), data[float32](from), chosen, k, components)
	case tensor.Float64:
		spreadOf(data[float64](to), data[float64](from), chosen, k, components)
	case tensor.Int32:
		spreadOf(data[int32](to), data[int32](from), chosen, k, components)
	case tensor.Int64:
		spreadOf(data[int64](to), data[int64](from), chosen, k, components)
	case tensor.Bool:
		bits, bools := data[uint8](to), data[bool](from)
		for n, at := range chosen {
			if bits[n*components+k] = 0; bools[at] {
				bits[n*components+k] = 1
			}
		}
	default:
		return source.Internalf("strand/native", source.Span{}, "an output of %s", from.DType())
	}
	return nil
}

func spreadOf[T tensor.Element](to, from []T, chosen []int, k, components int) {
	for n, at := range chosen {
		to[n*components+k] = from[at]
	}
}

// fault finds out what was wrong with a strand in a step, or while another created it.
func (w *World) fault(ctx context.Context, n, who, step int) error {
	if !w.steps || step == 0 { // else globals are no longer what they were
		if err := w.outline.Replay(ctx, n, step); err != nil {
			return err
		}
	}
	// Samples of the kernel are rounded otherwise, so that it may stand elsewhere.
	which := data[int32](w.only(lower.Which))[n]
	var at []float64
	for _, axis := range w.of(lower.Position) {
		at = append(at, axis.Float(n))
	}
	switch s := w.kernel.Faults[which].(type) {
	case *strand.Sample:
		return w.outline.ProbeFault(s, who, step, at[:s.Image.Dim])
	case *strand.Element:
		numbers := w.of(lower.Noted)
		return w.outline.ElementFault(s, who, step, numbers[0].IntAt(n), numbers[1].IntAt(n))
	}
	return source.Internalf("strand/native", source.Span{}, "strand %d fails at statement %d", n, which)
}
