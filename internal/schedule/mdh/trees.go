package mdh

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// expressible returns what no tree says of a configuration that its model allows.
func expressible(c *Computation, k *Configuration) []Violation {
	v := &validator{c: c, k: k}
	v.trees(machine.Constraint{})
	return v.found
}

// trees checks what a schedule tree cannot express for the computation at hand.
func (v *validator) trees(machine.Constraint) {
	n := newNest(v.c, v.k)
	v.treeCopies()
	v.treeVectors()
	v.found = append(v.found, n.order.refused...)
	switch {
	case len(v.found) > 0:
	case v.c.Ordered && v.c.scan == nil:
		v.treeOrdered(n)
	case v.c.scan != nil:
		v.treeScan(n)
	case v.c.Op != nil:
		v.treeResults(n)
	}
	if !v.c.writesOnce() {
		v.treeOverlap(n)
	}
	if len(v.found) == 0 && v.k.onGrid() {
		v.gridTests(n.order)
		v.groupRoom(n.order)
	}
	if len(v.found) == 0 {
		v.treeRoom(n.order)
	}
}

// treeCopies checks which buffers are copied.
func (v *validator) treeCopies() {
	for b, input := range v.c.Inputs {
		for _, l := range v.k.Active(Decompose) {
			if !v.k.Model.Layer(v.k.Row(l).In[b].Region).Copied {
				continue
			}
			why := v.c.copyable(input)
			if v.k.onGrid() {
				why = v.c.copyableHere(input)
			}
			if why != "" {
				v.add("D3", l, "%s is copied, but %s", input.Name(), why)
				return
			}
		}
	}
}

// treeVectors checks that a dimension may have lanes.
func (v *validator) treeVectors() {
	for _, l := range v.active(v.on(Scalar, []string{machine.LaneLayer})) {
		dim := v.c.Dims[l.Dim-1]
		if why := schedule.Vectorisable(v.c.of, dim.Index); why != "" {
			v.add("S2", l, "%s cannot be on SIMD: %s", dim.Name(), why)
			return
		}
		if dim.Reduced() && v.c.Op != nil && !schedule.Foldable(v.c.Op) {
			v.add("S2", l, "%s cannot be on SIMD: lanes are not folded with the operator %s", dim.Name(), v.c.Op.Name)
			return
		}
	}
}

// treeOrdered checks a reduction in a fixed order: one thread combines its dimensions, and
// has a register for the result if the loops over concatenated ones are outside.
func (v *validator) treeOrdered(n *nest) {
	last, begun := 0, map[int]bool{} // dimensions
	for _, l := range n.order.loops {
		n.live = max(n.live, n.order.starts[l])
		again := v.reduced(l) && l.Dim != last && begun[l.Dim]
		if v.reduced(l) {
			last, begun[l.Dim] = l.Dim, true
		}
		switch {
		case again:
			v.add("R1", l, "the levels of %s are together where %s is combined in order: what is carried along it has one place", v.c.Dims[l.Dim-1].Name(), v.c.Name)
		case v.reduced(l) && (n.order.isParallel(l) || v.k.kind(l) == lanesLoop):
			v.add("S2", l, "the reduced dimensions of %s are combined in order, by one thread", v.c.Name)
		case n.live == inPrivate:
			v.add("R3", l, "the result of %s, which is combined in order, is in registers or in main memory", v.c.Name)
		case !v.reduced(l) && n.live == inRegister:
			v.add("S1", l, "%s is combined in order, in registers: the loops over its concatenated dimensions are outside of the others", v.c.Name)
		case !v.reduced(l) && n.live != delivered && (n.order.isParallel(l) || v.k.kind(l) == lanesLoop):
			v.add("S2", l, "%s is combined in order, and all its results are open here: they are combined by one thread", v.c.Name)
		default:
			continue
		}
		return
	}
}

// treeResults checks where the partial results of a reduction in any order live.
func (v *validator) treeResults(n *nest) {
	blocks := v.blocks()
	for _, l := range n.order.loops {
		if where := n.order.starts[l]; where != delivered && where != inOutput && where != inArray && !v.knownBlocks(l, blocks) {
			return
		}
		blocks.enter(l)
	}
}

// knownBlocks checks that the results that are open at a level are some of known number.
func (v *validator) knownBlocks(l Level, blocks *blockSizes) bool {
	for d, dim := range v.c.Dims {
		if !dim.Reduced() && blocks.size(d) >= unknownSize {
			v.add("R3", l, "partial results start where the block of %s is not known; partition it on an outer level", dim.Name())
			return false
		}
	}
	return true
}

// treeScan checks where the carries of a scan live.
func (v *validator) treeScan(n *nest) {
	blocks, vectors := v.blocks(), false
	for _, l := range n.order.loops {
		before, where := n.live, n.order.starts[l]
		if vectors = vectors || v.k.kind(l) == lanesLoop; where != delivered {
			n.live = where
		}
		switch threads := n.order.isParallel(l); {
		case threads && !v.reduced(l) && before >= inPrivate:
			v.add("R3", l, "the threads of %s would share the partial results", v.c.Dims[l.Dim-1].Name())
			return
		case threads && v.reduced(l) && vectors:
			v.add("S1", l, "the totals of the pieces of %s are scalars, and vectors are outside", v.c.Name)
			return
		}
		if where != delivered && where != inArray && !v.knownBlocks(l, blocks) {
			return
		}
		blocks.enter(l)
	}
}

// treeOverlap checks a statement of which two points may write one element: its loops
// are those of the program.
func (v *validator) treeOverlap(n *nest) {
	last := 0
	for at, l := range n.order.loops {
		if v.reduced(l) && !v.c.Ordered {
			if slices.ContainsFunc(n.order.loops[at:], func(o Level) bool { return !v.reduced(o) }) {
				v.add("S1", l, "two points of %s may write one element, so its concatenated loops are outside", v.c.Name)
				return
			}
			continue
		}
		if v.reduced(l) {
			continue
		}
		if l.Dim <= last || v.k.Tile(l) != 1 || v.k.kind(l) == coresLoop || v.k.kind(l) == lanesLoop {
			v.add("S1", l, "two points of %s may write one element: its loops are those of the program, point by point", v.c.Name)
			return
		}
		last = l.Dim
	}
}

// treeRoom adds up what a thread has on its stack where the orders of the phases differ: copies and partial results
// may be larger there than the parts that D3 and R3 speak of.
func (v *validator) treeRoom(n *nestOrder) {
	if slices.Equal(v.k.Active(Decompose), v.k.Active(Scalar)) && slices.Equal(v.k.Active(Recompose), v.k.Active(Scalar)) && len(n.keep) == 0 {
		return // whose capacities are checked
	}
	blocks, total := v.blocks(), int64(0)
	for _, l := range n.loops {
		for _, i := range n.copies[l] {
			bytes, ok := v.c.blockBytes(v.c.Inputs[i.input], blocks)
			if !ok {
				v.add("D1", l, "the block of %s that is copied in the order of S1 has no known size", v.k.Inputs[i.input])
				return
			}
			if total = min(total+bytes, unknownSize); total > machine.StackBytes {
				v.add("D1", l, "the copies for what S1 has inside take %d bytes with %s, and a thread has %d", total, v.k.Inputs[i.input], machine.StackBytes)
				return
			}
		}
		if start := n.starts[l]; start >= inPrivate {
			total = min(total+saturate(v.c.points(v.k, blocks), n.keptBytes(l)), unknownSize)
			if total > machine.StackBytes {
				v.add("R1", l, "the partial results for what S1 has inside take %d bytes, and a thread has %d", total, machine.StackBytes)
				return
			}
		}
		blocks.enter(l)
	}
}

// keptBytes is the size of a result of the accumulators that come to life at a level, with all copies that loops keep.
func (n *nestOrder) keptBytes(from Level) int64 {
	bytes := int64(0)
	for _, o := range n.c.Outputs {
		bytes += int64(o.Tensor.Type.Compute().Size())
	}
	at := slices.Index(n.loops, from)
	for i, l := range n.loops[at:] {
		if i > 0 && n.starts[l] != delivered {
			break
		}
		if n.keep[l] > 0 {
			bytes = saturate(bytes, max(1, n.k.Row(l).Parts))
		}
	}
	return bytes
}
