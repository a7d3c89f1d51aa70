package mdh

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How a plan is executed
//
// Evaluate follows the low-level expression of Figure 19, phase by phase and without
// any cleverness. It is the judge of what configurations mean, as package ein is of
// functions. De-composition copies every input through its chain of regions, in their
// layouts; buffers have their full size, as the paper's Listing 15 has it. The scalar
// function is applied to every point, reading the last buffer of the chains. The
// re-composition walks the levels in the order of R1: the parts of a level are combined
// one after the other by the operator of its dimension, where an operator is what
// Definition 2 says, a function on arrays over index sets. The first part is not
// combined with anything. Last, the result goes through the chain of output buffers.

// stage names the evaluator in internal errors.
const stage = "mdh"

// Evaluate runs a plan for a function whose sizes are constants. The result is that of
// ein.Evaluate, except that floats are rounded in another order.
func Evaluate(f *ein.Func, p *Plan, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	state := map[string]*tensor.Tensor{}
	for _, t := range f.Tensors {
		if t.Role == ein.Input {
			state[t.Name] = args[t.Name]
			continue
		}
		shape := make([]int, len(t.Dims))
		for d, dim := range t.Dims {
			n, ok := dim.Extent.IsConst()
			if !ok {
				return nil, source.Internalf(stage, t.Pos, "the size %s of %s is not known", dim.Extent, t.Name)
			}
			shape[d] = int(n)
		}
		x, err := tensor.New(t.Type, shape...)
		if err != nil {
			return nil, err
		}
		if t.Role == ein.InOut {
			if err := x.CopyFrom(args[t.Name]); err != nil {
				return nil, err
			}
		}
		state[t.Name] = x
	}
	for _, g := range p.Groups {
		for _, m := range g.Members {
			e := &execution{f: f, s: m.Statement, c: ComputationOf(f, m.Statement), k: m.Configuration, state: state}
			if err := e.run(); err != nil {
				return nil, err
			}
		}
	}
	outputs := map[string]*tensor.Tensor{}
	for _, t := range f.Outputs() {
		outputs[t.Name] = state[t.Name]
	}
	return outputs, nil
}

// An execution runs one statement.
type execution struct {
	f      *ein.Func
	s      int
	c      *Computation
	k      *Configuration
	state  map[string]*tensor.Tensor
	points [][]ein.Number // the scalar function at every point, by component
	folds  map[*ein.Operator]*fold
	// empty is the first reduced dimension without points, or the number of dimensions.
	// Its identity stands for the result of the dimensions from it on.
	empty int
}

func (e *execution) run() error {
	values, err := e.scalars()
	if err != nil {
		return err
	}
	total := int64(1)
	for _, d := range e.c.Dims {
		total *= d.N
	}
	e.points = make([][]ein.Number, len(values))
	for k, v := range values {
		e.points[k] = numbers(v, int(total))
	}
	e.empty = slices.IndexFunc(e.c.Dims, func(d Dim) bool { return d.N == 0 && d.Index.Combine.Kind == ein.Reduce })
	if e.empty < 0 {
		e.empty = len(e.c.Dims)
	} else if e.points, err = e.identity(e.c.Dims[e.empty].Index.Combine.Op); err != nil {
		return err
	}
	result, err := e.recompose(e.k.Ordered(Recompose), make([]int64, len(e.k.Rows)))
	if err != nil {
		return err
	}
	return e.deliver(result)
}

// identity returns the identity of an operator, as the only point.
func (e *execution) identity(o *ein.Operator) ([][]ein.Number, error) {
	g := &ein.Func{Name: "identity"}
	c := &ein.Comprehension{Values: o.Identity}
	var names []string
	for k, t := range o.Types() {
		x := &ein.Tensor{Name: fmt.Sprintf("i%d", k), Type: t, Role: ein.Output}
		g.Tensors, names = append(g.Tensors, x), append(names, x.Name)
		c.Writes = append(c.Writes, &ein.Write{Tensor: x})
	}
	g.Body = append(g.Body, c)
	list, err := e.evaluate(g, names)
	var points [][]ein.Number
	for _, x := range list {
		if err == nil {
			points = append(points, numbers(x, 1))
		}
	}
	return points, err
}

func numbers(t *tensor.Tensor, n int) []ein.Number {
	list := make([]ein.Number, 0, n)
	for offset := range t.Offsets() {
		switch t.DType().Kind() {
		case tensor.KindFloat:
			list = append(list, ein.Number{Float: t.FloatAt(offset)})
		case tensor.KindUint:
			list = append(list, ein.Number{Int: int64(t.UintAt(offset))})
		default:
			list = append(list, ein.Number{Int: t.IntAt(offset)})
		}
	}
	return list
}

// scalars copies the inputs through their chains and applies the scalar function to
// every point.
func (e *execution) scalars() ([]*tensor.Tensor, error) {
	g := e.f.Clone()
	c := g.Body[e.s]
	g.Body = nil
	last := map[*ein.Tensor]buffer{}
	for b, input := range e.c.Inputs {
		t := g.Tensor(input.Name())
		var places []Place
		for _, l := range e.k.Ordered(Decompose) {
			places = append(places, e.k.Row(l).In[b])
		}
		buffers := e.chain(g, t, append(places, e.k.ScalarInputs[b]))
		last[t] = buffers[len(buffers)-1]
	}
	for _, a := range c.Accesses() {
		from := last[a.Tensor]
		a.Tensor, a.Subscripts = from.tensor, permuted(a.Subscripts, from.layout)
	}
	for _, i := range c.Indices {
		i.Combine = ein.Combine{}
	}
	c.Accumulate = nil
	var names []string
	for k, v := range c.Values {
		t := &ein.Tensor{Name: fmt.Sprintf("f%d", k), Type: v.Type(), Role: ein.Output}
		w := &ein.Write{Tensor: t}
		for _, i := range c.Indices {
			t.Dims = append(t.Dims, ein.Dim{Min: i.Min, Extent: i.Extent})
			w.Subscripts = append(w.Subscripts, &ein.IndexRef{Index: i})
		}
		c.Writes[k] = w
		g.Tensors = append(g.Tensors, t)
		names = append(names, t.Name)
	}
	g.Body = append(g.Body, c)
	for _, t := range g.Tensors {
		if e.state[t.Name] != nil {
			t.Role = ein.Input
		}
	}
	return e.evaluate(g, names)
}

// evaluate runs a function on the present state.
func (e *execution) evaluate(g *ein.Func, names []string) ([]*tensor.Tensor, error) {
	outputs, err := ein.Evaluate(g, e.state, ein.EvalOptions{})
	list := make([]*tensor.Tensor, len(names))
	for k, name := range names {
		list[k] = outputs[name]
	}
	return list, err
}

// A buffer is a tensor in a layout.
type buffer struct {
	tensor *ein.Tensor
	layout []int
}

// permuted lists what belongs to the dimensions of a buffer in the order of a layout.
func permuted[T any](list []T, layout []int) []T {
	result := make([]T, len(list))
	for k, d := range layout {
		result[k] = list[d-1]
	}
	return result
}

// chain adds copies of a tensor to a function, one for each change of the place, and
// returns its buffers, the tensor itself first.
func (e *execution) chain(g *ein.Func, t *ein.Tensor, places []Place) []buffer {
	buffers, at := []buffer{{t, rowMajor(len(t.Dims))}}, Place{1, rowMajor(len(t.Dims))}
	for _, p := range places {
		if p.same(at) {
			continue
		}
		next := buffer{&ein.Tensor{Name: fmt.Sprintf("%s_%d", t.Name, len(g.Tensors)), Type: t.Type, Role: ein.Temp, Dims: permuted(t.Dims, p.Layout)}, p.Layout}
		g.Tensors = append(g.Tensors, next.tensor)
		g.Body = append(g.Body, copyOf(t, buffers[len(buffers)-1], next))
		buffers, at = append(buffers, next), p
	}
	return buffers
}

// copyOf makes the statement that copies a buffer of t into another.
func copyOf(t *ein.Tensor, from, to buffer) *ein.Comprehension {
	c := &ein.Comprehension{}
	var subscripts []ein.Expr
	for d, dim := range t.Dims {
		i := &ein.Index{Name: fmt.Sprintf("c%d", d), Min: dim.Min, Extent: dim.Extent, MayBeEmpty: true}
		c.Indices = append(c.Indices, i)
		subscripts = append(subscripts, &ein.IndexRef{Index: i})
	}
	var value ein.Expr = &ein.Access{Tensor: from.tensor, Subscripts: permuted(subscripts, from.layout)}
	if t.Type.IsHalf() { // 16-bit floats are converted when they are loaded
		value = &ein.Cast{To: t.Type.Compute(), X: value}
	}
	c.Values = []ein.Expr{value}
	c.Writes = []*ein.Write{{Tensor: to.tensor, Subscripts: permuted(subscripts, to.layout)}}
	return c
}

// recompose combines the parts of the levels from the first of the list on; chosen
// has the parts of the others. An array without points is nil: the rest of a partial
// tile.
func (e *execution) recompose(levels []Level, chosen []int64) (*array, error) {
	if len(levels) == 0 {
		return e.point(chosen), nil
	}
	l := levels[0]
	var all *array
	for p := range e.k.Row(l).Parts {
		chosen[(l.Layer-1)*e.k.Dims+l.Dim-1] = p
		part, err := e.recompose(levels[1:], chosen)
		if err != nil {
			return nil, err
		}
		if err := e.begin(l.Dim-1, part); err != nil {
			return nil, err
		}
		if all, err = e.combine(l.Dim-1, all, part); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// begin lets the folds and scans along a dimension start from the identity where that makes
// a difference.
func (e *execution) begin(d int, part *array) error {
	c := e.c.Dims[d].Index.Combine
	if part == nil || d > e.empty || c.Kind == ein.Concat || !c.Op.LosesNaN() {
		return nil
	}
	f, err := e.fold(c.Op)
	if err == nil {
		none := &array{sets: part.sets, values: slices.Repeat([][]ein.Number{f.identity}, len(part.values))}
		part.values = pointwise(f.apply, none, part).values
	}
	return err
}

// A fold is an operator that is ready to be applied.
type fold struct {
	apply    func(x, y, result []ein.Number)
	identity []ein.Number // nil for none
}

func (e *execution) fold(o *ein.Operator) (f *fold, err error) {
	if f = e.folds[o]; f != nil {
		return f, nil
	}
	f = &fold{}
	if f.apply, err = ein.CompileOperator(o); err != nil {
		return nil, err
	}
	if o.Identity != nil {
		points, err := e.identity(o)
		if err != nil {
			return nil, err
		}
		for _, component := range points {
			f.identity = append(f.identity, component[0])
		}
	}
	if e.folds == nil {
		e.folds = map[*ein.Operator]*fold{}
	}
	e.folds[o] = f
	return f, nil
}

// point returns the singleton at the chosen parts.
func (e *execution) point(chosen []int64) *array {
	a := &array{}
	at := int64(0)
	for d, dim := range e.c.Dims {
		i := int64(0)
		for layer := e.k.Layers; layer >= 1; layer-- {
			tile := e.k.Tile(Level{layer, d + 1})
			if i >= tile { // the rest of a partial tile
				return nil
			}
			i += chosen[(layer-1)*e.k.Dims+d] * tile
		}
		folded := d >= e.empty && dim.Index.Combine.Kind == ein.Reduce
		if i >= dim.N && !folded || folded && i > 0 {
			return nil
		}
		if e.empty == len(e.c.Dims) {
			at = at*dim.N + i
		}
		if dim.Index.Combine.Kind == ein.Reduce {
			i = 0
		}
		a.sets = append(a.sets, []int64{i})
	}
	value := make([]ein.Number, len(e.points))
	for k := range e.points {
		value[k] = e.points[k][at]
	}
	a.values = [][]ein.Number{value}
	return a
}

// combine applies the operator of dimension d to neighbouring parts.
func (e *execution) combine(d int, a, b *array) (*array, error) {
	if a == nil || b == nil {
		if a == nil {
			a = b
		}
		return a, nil
	}
	for other := range a.sets {
		if other != d && !slices.Equal(a.sets[other], b.sets[other]) {
			return nil, source.Internalf(stage, e.f.Pos, "%s: parts with different index sets in dimension %d", e.c.Name, other+1)
		}
	}
	index := e.c.Dims[d].Index
	if d > e.empty || index.Combine.Kind == ein.Concat {
		return a.concatenate(d, b), nil
	}
	f, err := e.fold(index.Combine.Op)
	if err != nil {
		return nil, err
	}
	switch index.Combine.Kind {
	case ein.Reduce:
		return pointwise(f.apply, a, b), nil
	case ein.Scan:
		last := a.sets[d][len(a.sets[d])-1]
		if last >= b.sets[d][0] {
			return nil, source.Internalf(stage, e.f.Pos, "%s: the parts of the scan over %s are not neighbours in order", e.c.Name, index.Name)
		}
		b = pointwise(f.apply, a.spread(d, b.sets[d]), b)
	}
	return a.concatenate(d, b), nil
}

// deliver writes a result to the outputs: through the chain of their buffers, and
// joined with the old values where the statement accumulates.
func (e *execution) deliver(result *array) error {
	g := e.f.Clone()
	c := g.Body[e.s]
	g.Body = nil
	state := map[string]*tensor.Tensor{}
	for name, t := range e.state {
		state[name] = t
	}
	var kept []*ein.Index
	for _, i := range c.Indices {
		if i.Combine.Kind != ein.Reduce {
			kept = append(kept, i)
		}
		i.Combine = ein.Combine{}
	}
	c.Indices = kept
	for k := range c.Values {
		t := &ein.Tensor{Name: fmt.Sprintf("r%d", k), Type: c.Values[k].Type(), Role: ein.Input}
		a := &ein.Access{Tensor: t}
		shape := make([]int, len(kept))
		for d, i := range kept {
			t.Dims = append(t.Dims, ein.Dim{Min: i.Min, Extent: i.Extent})
			a.Subscripts = append(a.Subscripts, &ein.IndexRef{Index: i})
			n, _ := i.Extent.IsConst()
			shape[d] = int(n)
		}
		c.Values[k] = a
		g.Tensors = append(g.Tensors, t)
		x, err := tensor.New(t.Type, shape...)
		if err != nil {
			return err
		}
		if result != nil {
			fill(x, result, k)
		}
		state[t.Name] = x
	}
	back := e.outputs(g, c)
	g.Body = append(g.Body, c)
	g.Body = append(g.Body, back...)
	var names []string
	for _, t := range g.Tensors {
		if e.state[t.Name] != nil {
			t.Role = ein.Input
		}
	}
	for _, output := range e.c.Outputs {
		g.Tensor(output.Name()).Role = ein.InOut
		names = append(names, output.Name())
	}
	e2 := &execution{state: state}
	list, err := e2.evaluate(g, names)
	for k, name := range names {
		if err == nil {
			e.state[name] = list[k]
		}
	}
	return err
}

// outputs lets a statement write the innermost of the chains of output buffers, which
// start as copies of the outputs, and returns the statements that bring them back.
func (e *execution) outputs(g *ein.Func, c *ein.Comprehension) []*ein.Comprehension {
	var back []*ein.Comprehension
	for b, output := range e.c.Outputs {
		t := g.Tensor(output.Name())
		var places []Place
		for _, l := range e.k.Ordered(Recompose) {
			places = append(places, e.k.Row(l).Out[b])
		}
		buffers := e.chain(g, t, append(places, e.k.ScalarOutputs[b]))
		for k := len(buffers) - 1; k > 0; k-- {
			back = append(back, copyOf(t, buffers[k], buffers[k-1]))
		}
		inner := buffers[len(buffers)-1]
		for _, w := range c.Writes {
			if w.Tensor == t {
				w.Tensor, w.Subscripts = inner.tensor, permuted(w.Subscripts, inner.layout)
			}
		}
	}
	return back
}
