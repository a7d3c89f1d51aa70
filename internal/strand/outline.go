package strand

import (
	"context"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// An Outline is a world whose strands others run: what is the same for all of them, and where they are.
type Outline struct {
	w *World
	// Grid has how many values each iterator takes, Low the first ones.
	Grid  []int
	Low   []int64
	Count int // of strands, to which others may add new ones

	kept  []*strand // that were alive when a block of the world has looked at them
	known int       // how many it has looked at
}

// NewOutline checks a program, gives it its inputs and images, and initialises globals, which may print. No strands are
// created.
func NewOutline(ctx context.Context, p *Program, given Given, options Options) (*Outline, error) {
	w, err := prepare(ctx, p, given, options)
	if err != nil {
		return nil, err
	}
	low, total, err := w.ranges()
	if err != nil {
		return nil, err
	}
	return &Outline{w: w, Grid: w.grid, Low: low, Count: total}, nil
}

// Value is that of a scalar of the world: of constants, inputs, globals, images, and what the ranges were computed from.
func (o *Outline) Value(l *ein.Local) ein.Number { return o.w.run.scalar.Get(o.w.run.scalar.Slot(l)) }

// Sequence has the scalars of a sequence of the world whose length is open. They are not to be changed.
func (o *Outline) Sequence(v *Variable) []ein.Number { return o.w.run.sequences[v] }

// Image is what an image was given.
func (o *Outline) Image(i *Image) *ImageData { return o.w.images[i] }

// Replay runs one of the first strands alone, of a program whose strands do not see each other, and returns the fault
// with which it ends, if it does up to a step.
func (o *Outline) Replay(ctx context.Context, n, step int) error {
	w := *o.w
	w.strands, w.lowest, w.run.w, w.run.ctx, w.options.Print = nil, n, &w, ctx, nil
	defer func() { w.run.fault, w.run.w, w.run.self = nil, o.w, nil }()
	if err := w.first(o.Low, n); err != nil {
		return err
	}
	if w.active = 1; step == 0 {
		return nil
	}
	return w.complete(ctx, step)
}

// ProbeFault is the fault of a strand that probes an image outside, at a place in index space.
func (o *Outline) ProbeFault(s *Sample, n, step int, index []float64) *Fault {
	f := NewFault(source.StrandProbe, s.Pos, n, o.w.gridPlace(n), step, "%s", s.outside(o.w.images[s.Image], index))
	f.help(probeHelp)
	return f
}

// ElementFault is the fault of a strand that reads an element of a sequence outside.
func (o *Outline) ElementFault(s *Element, n, step int, at, count int64) *Fault {
	f := NewFault(source.StrandElement, s.Pos, n, o.w.gridPlace(n), step, elementOutside, at, s.Sequence.Name, count)
	f.help(elementHelp)
	return f
}

// Ended is the error of a world that takes no more steps since an error has ended it.
func (o *Outline) Ended(step int, cause error) error {
	w := *o.w
	w.step, w.ended = step, cause
	return w.Ended()
}

// Layout is the array of an output over some strands: of a collection as many as count says.
func (o *Outline) Layout(v *Variable, count int) (t tensor.DType, shape []int, kinds []string) {
	return o.w.layout(v.Type, o.w.strandAxes(count))
}

// SequenceOutputs are the arrays of an output that is a sequence of any length, over the lists of some strands.
func (o *Outline) SequenceOutputs(v *Variable, lists [][]ein.Number) ([]*Output, error) {
	return o.w.sequenceOutputs(v, lists, o.w.strandAxes(len(lists)))
}

// Message is the text of what a strand prints; read gives the values of variables, in their order.
func (o *Outline) Message(s *Message, read func(*Variable) []ein.Number) []byte {
	return o.w.message(s, read)
}

// Write writes a text to where the program prints.
func (o *Outline) Write(text []byte) { o.w.write(text) }

// An axes is the extents and the kinds of some axes of an array.
type axes struct {
	extents []int
	kinds   []string
}

// strandAxes are those of strands.
func (w *World) strandAxes(count int) axes {
	if w.program.Create.Collection || w.options.Only != nil {
		return axes{[]int{count}, []string{"list"}}
	}
	a := axes{extents: w.grid, kinds: make([]string, len(w.grid))}
	for k := range a.kinds {
		a.kinds[k] = "space"
	}
	return a
}

// layout puts the axis of values behind others; scalars have none.
func (w *World) layout(t Type, a axes) (stored tensor.DType, shape []int, kinds []string) {
	shape, kinds = append([]int{}, a.extents...), append([]string{}, a.kinds...)
	if !t.IsScalar() {
		shape, kinds = append(shape, t.Width()), append(kinds, kindOf(t))
	}
	if stored = w.program.DType(t.Elem); t.Elem == Bool {
		stored = tensor.Uint8
	}
	return stored, shape, kinds
}
