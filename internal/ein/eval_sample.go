package ein

import (
	"errors"
	"math"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How single elements are evaluated
//
// The last statement that writes an element is found by solving the subscripts of its writes for
// the indices of the comprehension; then the nest of that statement runs over the reductions alone,
// with one value for each of the other indices. A scan is a reduction up to that value. Elements
// of temporaries, of outputs that are read again, and old values are asked for in the same way,
// as the statements before had left them, and remembered. What cannot be solved, a subscript that
// is not affine, is errNotAffine; what takes more points than there are left is errTooMuch.

var (
	errTooMuch   = errors.New("it takes too many points")
	errNotAffine = errors.New("where it is written is no affine function of the indices")
)

// A Sampler evaluates single elements of the outputs of a function, with bounds.
type Sampler struct {
	f          *Func
	statements []*sampled
	arguments  map[*Tensor]Elements
	known      map[elementKey]value
	left       int64
	err        error
}

// An elementKey names an element as a statement left it.
type elementKey struct {
	statement int
	tensor    *Tensor
	at        int64
}

// sampled is a statement of which single results are asked for.
type sampled struct {
	nest   *nest
	full   []indexRange
	places []solver // one per write
}

// Elements reads an argument: the elements by their row-major positions.
type Elements func(at int64) Number

// ElementsOf reads a tensor.
func ElementsOf(t *tensor.Tensor) Elements {
	if t.IsContiguous() {
		return func(at int64) Number {
			v := numberAt(t, int(at))
			return Number{v.i, v.f}
		}
	}
	return func(at int64) Number {
		v := numberAt(t, offsetOf(t, at))
		return Number{v.i, v.f}
	}
}

// NewSampler prepares the evaluation of elements. args holds the inputs and the in-outs, of the
// shapes that Bind has accepted.
func NewSampler(f *Func, args map[string]Elements, options EvalOptions) (_ *Sampler, err error) {
	defer source.RecoverInternal("evaluator", &err)
	s := &Sampler{f: f, arguments: map[*Tensor]Elements{}, known: map[elementKey]value{}}
	ev := &evaluator{f: f, options: options, arithmetic: bounded{}, left: &s.left}
	if options.Exact {
		ev.arithmetic = exact{}
	}
	for _, t := range append(f.Inputs(), f.ByRole(InOut)...) {
		if args[t.Name] == nil {
			return nil, source.Internalf("evaluator", t.Pos, "the argument %s is missing", t.Name)
		}
		s.arguments[t] = args[t.Name]
	}
	for number, c := range f.Body {
		one, err := s.statement(*ev, number, c)
		if err != nil {
			return nil, err
		}
		s.statements = append(s.statements, one)
	}
	return s, nil
}

// statement compiles a comprehension that reads what the ones before it left.
func (s *Sampler) statement(ev evaluator, number int, c *Comprehension) (*sampled, error) {
	ev.arrays = map[*Tensor]*array{}
	for _, t := range s.f.Tensors {
		a, shape, err := ev.declare(t)
		if err != nil {
			return nil, err
		}
		if _, err := a.measure(shape); err != nil {
			return nil, source.Internalf("evaluator", t.Pos, "%s: %w", t.Name, err)
		}
		a.demand = func(at int64) value { return s.element(t, number, at) }
		ev.arrays[t] = a
	}
	n, err := ev.compile(c)
	if err != nil {
		return nil, err
	}
	one := &sampled{nest: n, full: append([]indexRange(nil), n.ranges...)}
	for d := range n.ranges {
		if r := &n.ranges[d]; r.kind != Reduce {
			r.extent = 1
			if r.kind == Scan {
				r.kind = Reduce
			}
		}
	}
	n.plan()
	for _, w := range c.Writes {
		one.places = append(one.places, newSolver(w, one.full, ev.options.Sizes))
	}
	return one, nil
}

// mostKnown is how many elements are remembered from one call of Elements to the next.
const mostKnown = 1 << 20

// Elements evaluates elements of an output, by their row-major positions, until this would take
// more than so many points: done says how many. The tensors have a rank of 1.
func (s *Sampler) Elements(output *Tensor, positions []int64, points int64) (want, bounds *tensor.Tensor, done int, err error) {
	defer source.RecoverInternal("evaluator", &err)
	s.left = points
	if len(s.known) > mostKnown {
		clear(s.known)
	}
	var values []value
	for _, at := range positions {
		v := s.element(output, len(s.statements), at)
		if errors.Is(s.err, errTooMuch) {
			s.err = nil
			break
		}
		if s.err != nil {
			return nil, nil, 0, s.err
		}
		values = append(values, v)
	}
	if want, err = tensor.New(output.Type, len(values)); err != nil {
		return nil, nil, 0, err
	}
	if bounds, err = tensor.New(tensor.Float64, len(values)); err != nil {
		return nil, nil, 0, err
	}
	for k, v := range values {
		if v.e != v.e {
			v.e = unbounded
		}
		setNumber(want, k, v)
		bounds.SetFloatAt(k, v.e)
	}
	return want, bounds, len(values), nil
}

// Left says how many points the last call of Elements did not use.
func (s *Sampler) Left() int64 { return max(s.left, 0) }

// Points counts the points of all statements of a function: what Evaluate walks.
func (f *Func) Points(sizes map[string]int64) int64 {
	total := int64(0)
	for _, c := range f.Body {
		points := int64(1)
		for _, i := range c.Indices {
			n, err := i.Extent.Eval(sizes)
			if err != nil {
				return math.MaxInt64
			}
			points = affine.MultiplySaturating(points, max(n, 0))
		}
		total = affine.AddSaturating(total, points)
	}
	return total
}

// Sliceable reports whether single elements can be asked for, and if not, why.
func (s *Sampler) Sliceable() error {
	for _, one := range s.statements {
		for k := range one.places {
			if one.places[k].err != nil {
				return one.places[k].err
			}
		}
	}
	return nil
}

// element is the value of an element as the first statements leave it.
func (s *Sampler) element(t *Tensor, statements int, at int64) value {
	for number := statements - 1; number >= 0 && s.err == nil; number-- {
		one := s.statements[number]
		for k := len(one.places) - 1; k >= 0; k-- {
			if one.nest.of.Writes[k].Tensor != t {
				continue
			}
			key := elementKey{number, t, at}
			if v, ok := s.known[key]; ok {
				return v
			}
			kept, ok, err := one.places[k].solve(one.nest.ev.arrays[t], at)
			if err != nil {
				s.err = err
				return value{}
			}
			if !ok {
				continue
			}
			v, err := one.evaluate(k, kept)
			if s.err == nil {
				s.err = err
			}
			if s.err == nil {
				s.known[key] = v
			}
			return v
		}
	}
	if argument := s.arguments[t]; argument != nil && s.err == nil {
		number := argument(at)
		return value{i: number.Int, f: number.Float}
	}
	return value{}
}

// offsetOf is the offset of the element at a row-major position.
func offsetOf(t *tensor.Tensor, at int64) int {
	offset := 0
	for d := t.Rank() - 1; d >= 0; d-- {
		n := int64(t.Dim(d))
		offset += int(at%n) * t.Stride(d)
		at /= n
	}
	return offset
}

// evaluate computes the result k at a point of the indices that are kept.
func (one *sampled) evaluate(k int, kept []int64) (value, error) {
	n := one.nest
	for d := range n.ranges {
		full, r := &one.full[d], &n.ranges[d]
		switch full.kind {
		case Concat:
			r.min = kept[d]
		case Scan:
			r.extent = kept[d] - full.min + 1
		}
	}
	n.machine.err, n.done = nil, 0
	n.fill(0)
	if n.machine.err == nil {
		for d := range n.ranges { // an empty reduction has left the scans alone
			if one.full[d].kind == Scan {
				n.machine.index[d] = kept[d]
			}
		}
		n.collect()
	}
	if n.machine.err != nil {
		return value{}, n.machine.err
	}
	return n.writes[k].convert(n.staged[k].load(0)), nil
}
