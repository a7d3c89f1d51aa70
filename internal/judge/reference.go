package judge

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A Reference is what the evaluator says about the results for some arguments, all of them or
// drawn ones.
type Reference struct {
	f       *ein.Func
	shapes  map[string][]int
	outputs map[string]*expected
	sampler *ein.Sampler // of a drawn sample
	points  int64
}

// expected are elements of an output.
type expected struct {
	positions    []int64 // nil where it is all of them
	want, bounds *tensor.Tensor
}

// Refer evaluates a program. It returns a TooLargeError for one of which neither all nor some
// elements can be evaluated.
func Refer(ctx context.Context, f *ein.Func, sizes map[string]int64, args map[string]*tensor.Tensor, o Options) (*Reference, error) {
	r := &Reference{f: f, shapes: map[string][]int{}, outputs: map[string]*expected{}, points: o.points()}
	shapes, err := f.Shapes(sizes)
	if err != nil {
		return nil, err
	}
	for _, t := range f.Outputs() {
		for _, n := range shapes[t.Name] {
			r.shapes[t.Name] = append(r.shapes[t.Name], int(n))
		}
	}
	options := ein.EvalOptions{Sizes: sizes, Context: ctx, Exact: o.equal(f)}
	if !o.All && f.Points(sizes) > o.points() {
		return r, r.draw(args, options, o)
	}
	var want, bounds map[string]*tensor.Tensor
	if options.Exact {
		want, err = ein.Evaluate(f, args, options)
	} else {
		want, bounds, err = ein.EvaluateWithBounds(f, args, options)
	}
	for name := range want {
		r.outputs[name] = &expected{nil, want[name], bounds[name]}
	}
	return r, err
}

// draw evaluates a sample of the elements.
func (r *Reference) draw(args map[string]*tensor.Tensor, options ein.EvalOptions, o Options) (err error) {
	if r.sampler, err = ein.NewSampler(r.f, readers(args), options); err != nil {
		return err
	}
	outputs := r.f.Outputs()
	for _, t := range outputs {
		if err := r.sampler.Sliceable(); err != nil {
			return &TooLargeError{t.Name, err.Error()}
		}
		if err := r.drawOf(t, r.points/int64(len(outputs)), o.Seed); err != nil {
			return err
		}
	}
	return nil
}

// drawOf evaluates a sample of an output: anywhere, or where elements are dear along a line, whose elements
// often share what they hang on.
func (r *Reference) drawOf(t *ein.Tensor, points int64, seed uint64) error {
	shape := r.shapes[t.Name]
	for d := -1; d < len(shape); d++ {
		positions := sample(shape, seed)
		if d >= 0 {
			positions = line(shape, len(shape)-1-d, seed)
		}
		want, bounds, done, err := r.sampler.Elements(t, positions, points)
		if err != nil {
			return err
		}
		if r.outputs[t.Name] = (&expected{positions[:done], want, bounds}); done >= min(leastElements, len(sample(shape, seed))) {
			return nil
		}
	}
	done := len(r.outputs[t.Name].positions)
	return &TooLargeError{t.Name, fmt.Sprintf("%d of them take more than %d points", done+1, points)}
}

// Judge compares the outputs of a call with the reference.
func (r *Reference) Judge(outputs map[string]*tensor.Tensor) (Findings, error) {
	findings := Findings{}
	for _, t := range r.f.Outputs() {
		got, e := outputs[t.Name], r.outputs[t.Name]
		if got == nil || got.DType() != t.Type || !slices.Equal(got.Shape(), r.shapes[t.Name]) {
			return nil, source.Internalf("judge", t.Pos, "%s is not an output of type %s and shape %v", t.Name, t.Type, r.shapes[t.Name])
		}
		f := Finding{Of: got.Len()}
		var err error
		if e.positions == nil {
			f.Comparison, err = ein.Compare(got, e.want, e.bounds)
		} else {
			f, err = compareAt(got, e.positions, e.want, e.bounds)
		}
		if err != nil {
			return nil, err
		}
		findings[t.Name] = f
	}
	return findings, nil
}

// Whole reports whether all elements are in the reference.
func (r *Reference) Whole() bool { return r.sampler == nil }

// At compares the elements of an output at some positions, which need not be among those that were
// drawn; as many as a run of the judge may evaluate.
func (r *Reference) At(name string, got *tensor.Tensor, positions []int64) (Finding, error) {
	want, bounds, done, err := r.sampler.Elements(r.f.Tensor(name), positions, r.points)
	if err != nil {
		return Finding{}, err
	}
	return compareAt(got, positions[:done], want, bounds)
}

// Values compares the outputs of a call with the evaluator.
func Values(ctx context.Context, c Case, o Options) (Findings, error) {
	r, err := Refer(ctx, c.Func, c.Sizes, c.Args, o)
	if err != nil {
		return nil, err
	}
	return r.Judge(c.Outputs)
}

// compareAt compares the elements at some positions of an output.
func compareAt(got *tensor.Tensor, positions []int64, want, bounds *tensor.Tensor) (Finding, error) {
	picked, err := tensor.New(got.DType(), len(positions))
	if err != nil {
		return Finding{}, err
	}
	for k, at := range positions {
		picked.SetBitsAt(k, got.BitsAt(got.Offset(indexOf(at, got.Shape())...)))
	}
	f := Finding{Of: got.Len()}
	if f.Comparison, err = ein.Compare(picked, want, bounds); err == nil && f.Worst != nil {
		f.Worst.Index = indexOf(positions[f.Worst.Index[0]], got.Shape())
	}
	return f, err
}

// likely fills in what chance would leave, of a few elements.
func (c Case) likely(ctx context.Context, findings Findings, o Options) error {
	sampler, err := ein.NewSampler(c.Func, readers(c.Args), ein.EvalOptions{Sizes: c.Sizes, Context: ctx, Likely: true})
	if err != nil || sampler.Sliceable() != nil {
		return err
	}
	for _, t := range c.Func.Outputs() {
		f := findings[t.Name]
		got := c.Outputs[t.Name]
		if f.Compared() == 0 || f.Sharpness == 0 {
			continue
		}
		positions := sample(got.Shape(), o.Seed)
		positions = positions[:min(len(positions), likelyElements)]
		want, bounds, done, err := sampler.Elements(t, positions, o.points()/8/int64(len(findings)))
		if err != nil {
			return err
		}
		few, err := compareAt(got, positions[:done], want, bounds)
		if err != nil {
			return err
		}
		f.Unlikely, f.Likely = few.Mismatches, few.Sharpness
		if math.IsInf(f.Likely, 0) {
			f.Likely = 0
		}
		findings[t.Name] = f
	}
	return nil
}

// likelyElements is how many elements are also compared with the bounds of chance.
const likelyElements = 256
