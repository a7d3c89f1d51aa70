package judge

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// Numbers are arguments that the judge has drawn.
type Numbers struct {
	Args map[string]*tensor.Tensor
	// Drawn says whether any argument is not the caller's own.
	Drawn bool

	memory []*tensor.Tensor // of arguments with strides
}

// Close frees the drawn arguments.
func (n *Numbers) Close() error {
	var errs []error
	for _, t := range n.memory {
		errs = append(errs, t.Close())
	}
	return errors.Join(errs...)
}

// Draw makes arguments with the shapes and strides of a call on which as many results as possible
// are exact. Integers, and what subscripts follow from, keep the caller's values.
func Draw(ctx context.Context, f *ein.Func, sizes map[string]int64, args map[string]*tensor.Tensor, o Options) (*Numbers, error) {
	r := rolesOf(f, sizes)
	best, err := chooseStep(ctx, f, sizes, args, r, o)
	if err != nil {
		return nil, err
	}
	n := &Numbers{Args: map[string]*tensor.Tensor{}}
	for _, t := range append(f.Inputs(), f.ByRole(ein.InOut)...) {
		if !r.drawn(t) {
			n.Args[t.Name] = args[t.Name]
			continue
		}
		n.Drawn = true
		if n.Args[t.Name], err = n.like(args[t.Name]); err != nil {
			return nil, errors.Join(err, n.Close())
		}
		fill(n.Args[t.Name], newGenerator(t, r, best, o.Seed))
	}
	return n, nil
}

// chooseStep evaluates a few elements for each step. A program whose elements cannot be evaluated
// on their own gets the first one.
func chooseStep(ctx context.Context, f *ein.Func, sizes map[string]int64, args map[string]*tensor.Tensor, r *roles, o Options) (step, error) {
	best, most := steps[0], -1.0
	for _, s := range steps {
		if s.scaled > 0 && r.odd == 1 {
			continue
		}
		score, err := tryStep(ctx, f, sizes, args, r, s, o)
		if err != nil {
			return best, err
		}
		if score > most {
			best, most = s, score
		}
		if score >= 1 {
			break
		}
	}
	return best, nil
}

// probed is how many elements of an output decide about a step.
const probed = 24

// tryStep says how well a step does: 1 where all results are exact, and not all of them 0.
func tryStep(ctx context.Context, f *ein.Func, sizes map[string]int64, args map[string]*tensor.Tensor, r *roles, s step, o Options) (float64, error) {
	elements := readers(args)
	for _, t := range append(f.Inputs(), f.ByRole(ein.InOut)...) {
		if r.drawn(t) {
			g := newGenerator(t, r, s, o.Seed)
			elements[t.Name] = func(at int64) ein.Number { return ein.Number{Float: g.at(at)} }
		}
	}
	sampler, err := ein.NewSampler(f, elements, ein.EvalOptions{Sizes: sizes, Context: ctx})
	if err != nil || sampler.Sliceable() != nil {
		return 0, err
	}
	shapes, err := f.Shapes(sizes)
	if err != nil {
		return 0, err
	}
	outputs, score := f.Outputs(), 1.0
	for _, t := range outputs {
		shape := make([]int, len(shapes[t.Name]))
		for d, n := range shapes[t.Name] {
			shape[d] = int(n)
		}
		positions := sample(shape, o.Seed+1)
		positions = positions[:min(len(positions), probed)]
		want, bounds, done, err := sampler.Elements(t, positions, o.points()/8/int64(len(outputs)))
		if err == nil && done == 0 && len(positions) > 0 { // a single one is dear
			want, bounds, done, err = sampler.Elements(t, positions[:1], o.points())
		}
		if err != nil && ctx.Err() == nil {
			return -1, nil // an error of the program for these numbers, which is no argument for them
		}
		if err != nil {
			return 0, err
		}
		score = min(score, scoreOf(want, bounds, done))
	}
	return score, nil
}

// scoreOf is 1 where all elements are exact and most are not 0, otherwise the part that is exact,
// with nearly as much for those that are off by little, and half for zeros. Elements that are no
// numbers tell nothing.
func scoreOf(want, bounds *tensor.Tensor, done int) float64 {
	if done == 0 {
		return 0
	}
	exact, zeros, near := 0.0, 0.0, 0.0
	for k := range done {
		v, e := math.Abs(want.FloatAt(k)), bounds.FloatAt(k)
		switch {
		case v != v || math.IsInf(v, 0) || math.IsInf(e, 0):
		case e <= 0x1p-1074 && v == 0:
			zeros++
		case e <= 0x1p-1074:
			exact++
		default:
			near += 0.98 / (1 + math.Log2(1+e/(v+e)*0x1p24)/40)
		}
	}
	switch {
	case exact+zeros == float64(done) && exact >= zeros:
		return 1
	case exact+near == 0:
		return zeros / 100 / float64(done)
	}
	return (exact + zeros/2 + near) / float64(done)
}

// like allocates a tensor of the same shape and strides.
func (n *Numbers) like(t *tensor.Tensor) (*tensor.Tensor, error) {
	if t.IsContiguous() {
		dense, err := tensor.New(t.DType(), t.Shape()...)
		if err == nil {
			n.memory = append(n.memory, dense)
		}
		return dense, err
	}
	low, high := 0, 1
	for d, extent := range t.Shape() {
		if reach := (extent - 1) * t.Stride(d); reach < 0 {
			low -= reach
		} else {
			high += reach
		}
	}
	memory, err := tensor.New(t.DType(), low+high)
	if err != nil {
		return nil, err
	}
	n.memory = append(n.memory, memory)
	return tensor.FromPointer(t.DType(), unsafe.Add(memory.Pointer(), low*t.DType().Size()), t.Shape(), t.Strides())
}

// fill writes the numbers of a generator.
func fill(t *tensor.Tensor, g generator) {
	shape := t.Shape()
	total := int64(t.Len())
	if !t.IsContiguous() { // elements may share memory: the last one counts
		for at := range total {
			t.SetFloatAt(t.Offset(indexOf(at, shape)...), g.at(at))
		}
		return
	}
	workers := int64(runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for at := total * w / workers; at < total*(w+1)/workers; at++ {
				t.SetFloatAt(int(at), g.at(at))
			}
		})
	}
	group.Wait()
}
