package ein

import (
	"github.com/ricci-lang/ricci/internal/source"
)

// How a nest works
//
// The result of the indices from d on is a block: for every output, one number
// per point of the Concat and Scan indices among them. fill(d) computes it from
// the blocks of the indices from d+1 on, one for each value of index d: Concat
// places them side by side; Reduce folds them, element by element, from the
// first to the last; Scan does the same and keeps every intermediate result.
// That is the recursion of the definition. The leading Concat indices need no
// block of their own: stream walks them and collects the inner blocks one after
// the other, which is the row-major order of the kept indices.

// A nest evaluates one comprehension.
type nest struct {
	ev         *evaluator
	of         *Comprehension
	machine    *machine
	ranges     []indexRange
	values     []code
	writes     []write
	accumulate *combiner

	leading int      // how many Concat indices come first
	inner   []int64  // inner[d] is the number of points of a block of the indices from d on
	blocks  [][]cell // blocks[d] holds the block of the indices from d on, output by output
	old     []cell   // one old value for every output
	staged  []*array // the results, for every output, in the order of the kept indices
	done    int64    // how many points are staged
	points  int      // how many points were evaluated
}

type indexRange struct {
	of          *Index
	kind        CombineKind // that of the index, or Reduce for a scan of which one result is asked
	min, extent int64
	combine     *combiner
}

type write struct {
	of         *Write
	array      *array
	subscripts []code
	convert    func(value) value // to the type of storage
}

// compile prepares a comprehension.
func (ev *evaluator) compile(c *Comprehension) (*nest, error) {
	n := &nest{ev: ev, of: c, machine: &machine{index: make([]int64, len(c.Indices))}}
	k := &compiler{ev: ev, of: c, indices: map[*Index]int{}, locals: map[*Local]int{}}
	if len(c.Values) != len(c.Writes) {
		return nil, source.Internalf("evaluator", c.Pos, "%d values for %d outputs", len(c.Values), len(c.Writes))
	}
	for slot, index := range c.Indices {
		k.indices[index] = slot
		r, err := ev.indexRange(index)
		if err != nil {
			return nil, err
		}
		r.combine = k.combiner(index.Combine.Op, len(c.Values))
		n.ranges = append(n.ranges, r)
	}
	n.values = k.list(c.Values)
	n.accumulate = k.combiner(c.Accumulate, len(c.Values))
	for i, w := range c.Writes {
		n.writes = append(n.writes, write{
			of: w, array: ev.arrays[w.Tensor], subscripts: k.list(w.Subscripts),
			convert: ev.arithmetic.cast(w.Tensor.Type, c.Values[i].Type()),
		})
	}
	n.machine.local = make([]value, len(k.locals))
	if k.err != nil {
		return nil, k.err
	}
	return n, nil
}

func (ev *evaluator) indexRange(index *Index) (indexRange, error) {
	low, err := ev.size(index.Min, index.Pos)
	if err != nil {
		return indexRange{}, err
	}
	extent, err := ev.size(index.Extent, index.Pos)
	if err != nil {
		return indexRange{}, err
	}
	if extent <= 0 && !index.MayBeEmpty {
		var problems source.Diagnostics
		problems.Errorf(source.EmptyRange, index.Pos, "the range of %s is empty: it starts at %d and has %s = %d elements", index.Name, low, index.Extent, extent).
			WithHelp("%s", ev.f.largerHelp(index))
		return indexRange{}, problems.Err()
	}
	return indexRange{of: index, kind: index.Combine.Kind, min: low, extent: max(extent, 0)}, nil
}

// plan allocates the blocks, and room for the results.
func (n *nest) plan() {
	depth := len(n.ranges)
	n.inner, n.blocks = make([]int64, depth+1), make([][]cell, depth+1)
	n.inner[depth] = 1
	for d := depth - 1; d >= 0; d-- {
		n.inner[d] = n.inner[d+1]
		if n.ranges[d].kind != Reduce {
			n.inner[d] *= n.ranges[d].extent
		}
	}
	for d := n.leading; d <= depth; d++ {
		n.blocks[d] = make([]cell, n.inner[d]*int64(len(n.values)))
	}
	n.old = make([]cell, len(n.values))
	for _, v := range n.of.Values {
		a := &array{dtype: v.Type()}
		if a.dtype.IsFloat() {
			a.floats = make([]float64, n.inner[0])
		} else {
			a.ints = make([]int64, n.inner[0])
		}
		if n.ev.arithmetic.bounds() {
			a.errors = make([]float64, n.inner[0])
		}
		n.staged = append(n.staged, a)
	}
	n.summings()
}

// run computes everything, then writes.
func (n *nest) run() error {
	for n.leading < len(n.ranges) && n.ranges[n.leading].kind == Concat {
		n.leading++
	}
	n.plan()
	n.stream(0)
	if n.machine.err != nil {
		return n.machine.err
	}
	at := int64(0)
	n.eachKept(0, func() {
		for k := range n.writes {
			w := &n.writes[k]
			if position, ok := n.position(w); ok {
				w.array.store(position, w.convert(n.staged[k].load(at)))
			}
		}
		at++
	})
	return n.machine.err
}

func (n *nest) stream(d int) {
	if d < n.leading {
		n.each(d, func(int64) { n.stream(d + 1) })
		return
	}
	n.fill(d)
	n.collect()
}

// each walks the range of an index until something fails.
func (n *nest) each(d int, visit func(j int64)) {
	r := &n.ranges[d]
	for j := int64(0); j < r.extent && n.machine.err == nil; j++ {
		n.machine.index[d] = r.min + j
		visit(j)
	}
}

// eachKept walks the Concat and Scan indices from d on, in row-major order.
func (n *nest) eachKept(d int, visit func()) {
	switch {
	case d == len(n.ranges):
		visit()
	case n.ranges[d].kind == Reduce:
		n.eachKept(d+1, visit)
	default:
		n.each(d, func(int64) { n.eachKept(d+1, visit) })
	}
}

// A view is a part of a block: the cell of output k at a point is
// cells[start + k·step + point].
type view struct {
	cells       []cell
	start, step int64
}

// part returns the j-th part of the block from d on that index d makes.
func (n *nest) part(d int, j int64) view {
	v := view{cells: n.blocks[d], step: n.inner[d]}
	if n.ranges[d].kind != Reduce {
		v.start = j * n.inner[d+1]
	}
	return v
}

// fill computes the block of the indices from d on.
func (n *nest) fill(d int) {
	if d == len(n.ranges) {
		n.point()
		return
	}
	r, points := &n.ranges[d], n.inner[d+1]
	kind, next := r.kind, view{cells: n.blocks[d+1], step: points}
	if kind == Reduce && r.extent == 0 {
		n.empty(d)
		return
	}
	n.each(d, func(j int64) {
		n.fill(d + 1)
		target := n.part(d, j)
		if kind == Concat || j == 0 {
			for k := range int64(len(n.values)) {
				copy(target.cells[target.start+k*target.step:][:points], next.cells[k*points:][:points])
			}
			if kind != Concat && r.combine.fromIdentity {
				r.combine.begin(n.machine, points, target)
			}
			return
		}
		previous := target
		if kind == Scan {
			previous = n.part(d, j-1)
		}
		r.combine.apply(n.machine, points, previous, next, target)
	})
}

// begin combines the first values of a fold with the identity where there is a NaN or a zero
// among them; elsewhere that changes nothing.
func (b *combiner) begin(m *machine, points int64, first view) {
	none := view{cells: make([]cell, len(b.identity)), step: 1}
	for p := range points {
		value, missing := at(first, p), false
		for k := range b.identity {
			v := value.cells[value.start+int64(k)*value.step].closed()
			missing = missing || v.f != v.f || v.f == 0
		}
		if !missing {
			continue
		}
		for k, identity := range b.identity {
			none.cells[k] = cell{value: identity(m)}
		}
		b.apply(m, 1, none, value, value)
	}
}

// empty fills a block with the identity, the result of an empty reduction.
func (n *nest) empty(d int) {
	r := &n.ranges[d]
	if r.combine.of.Identity == nil {
		if n.inner[d] > 0 {
			var problems source.Diagnostics
			problems.Errorf(source.EmptyReduction, r.of.Pos, "the range of %s is empty and the operator %s has no identity, so the reduction has no value", r.of.Name, r.combine.of.Name).
				WithHelp("pass larger arguments, or give %s an identity", r.combine.of.Name)
			n.machine.err = problems.Err()
		}
		return
	}
	for k, identity := range r.combine.identity {
		c := cell{value: identity(n.machine)}
		for p := range n.inner[d] {
			n.blocks[d][int64(k)*n.inner[d]+p] = c
		}
	}
}

// point evaluates the values at the current point.
func (n *nest) point() {
	if left := n.ev.left; left != nil {
		if *left--; *left < 0 {
			n.machine.err = errTooMuch
			return
		}
	}
	if n.points++; n.points&0xfff == 0 && n.ev.options.Context != nil {
		if err := n.ev.options.Context.Err(); err != nil {
			n.machine.err = err
			return
		}
	}
	block := n.blocks[len(n.ranges)]
	for k, v := range n.values {
		block[k] = cell{value: v(n.machine)}
	}
}

// collect joins the finished block with the old values, where they count, and
// appends it to the staging arrays.
func (n *nest) collect() {
	block := view{cells: n.blocks[n.leading], step: n.inner[n.leading]}
	old := view{cells: n.old, step: 1}
	n.eachKept(n.leading, func() {
		if n.accumulate != nil {
			for k := range n.writes {
				w := &n.writes[k]
				position, ok := n.position(w)
				if !ok {
					return
				}
				old.cells[k] = cell{value: w.array.load(position)}
			}
			n.accumulate.apply(n.machine, 1, old, block, block)
		}
		for k := range n.staged {
			c := &block.cells[block.start+int64(k)*block.step]
			n.staged[k].store(n.done, c.closed())
		}
		block.start++
		n.done++
	})
}

// position is the offset of the element that a write has at the current point;
// ok is false, and the error noted, where there is none.
func (n *nest) position(w *write) (at int64, ok bool) {
	for d, subscript := range w.subscripts {
		v := subscript(n.machine).i
		k := v - w.array.min[d]
		if uint64(k) >= uint64(w.array.extent[d]) {
			if n.machine.err == nil {
				n.machine.err = source.Internalf("evaluator", w.of.Pos, "%s is written at %d in dimension %d, outside its range", w.of.Tensor.Name, v, d)
			}
			return 0, false
		}
		at += k * w.array.stride[d]
	}
	return at, n.machine.err == nil
}
