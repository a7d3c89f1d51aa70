package mdh

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// trees checks what a schedule tree cannot express for the computation at hand.
func (v *validator) trees(machine.Constraint) {
	n := newNest(v.c, v.k)
	v.treeCopies()
	v.treeVectors(n)
	switch {
	case v.c.Ordered && v.c.scan == nil:
		v.treeOrdered(n)
	case v.c.Op != nil || v.c.scan != nil:
		v.treeResults(n)
	}
	if !v.c.writesOnce() {
		v.treeOverlap()
	}
}

// treeCopies checks which buffers are copied.
func (v *validator) treeCopies() {
	for b, input := range v.c.Inputs {
		for _, l := range v.k.Active(Decompose) {
			if !v.k.Model.Layer(v.k.Row(l).In[b].Region).Copied {
				continue
			}
			if why := v.c.copyable(input); why != "" {
				v.add("D3", l, "%s is copied, but %s", input.Name(), why)
				return
			}
		}
	}
}

// treeVectors checks that a dimension may have lanes.
func (v *validator) treeVectors(n *nest) {
	for _, l := range v.active(v.on(Decompose, []string{"SIMD"})) {
		dim := v.c.Dims[l.Dim-1]
		if why := schedule.Vectorisable(v.c.of, dim.Index); why != "" {
			v.add("D2", l, "%s cannot be on SIMD: %s", dim.Name(), why)
			return
		}
		switch {
		case !dim.Reduced() || v.c.Op == nil && v.c.scan == nil:
			continue
		case v.c.Op != nil && !schedule.Foldable(v.c.Op):
			v.add("D2", l, "%s cannot be on SIMD: lanes are not folded with the operator %s", dim.Name(), v.c.Op.Name)
			return
		case n.wanted(l) < inPrivate:
			v.add("R3", l, "lanes along the reduced %s accumulate in a private region", dim.Name())
			return
		}
	}
}

// treeOrdered checks a reduction in a fixed order: one thread combines its dimensions, and
// has a register for the result if the loops over concatenated ones are outside.
func (v *validator) treeOrdered(n *nest) {
	last, begun := 0, map[int]bool{} // dimensions
	for _, l := range v.k.Active(Decompose) {
		n.live = n.next(l)
		again := v.reduced(l) && l.Dim != last && begun[l.Dim]
		if v.reduced(l) {
			last, begun[l.Dim] = l.Dim, true
		}
		switch {
		case again:
			v.add("R1", l, "the levels of %s are together where %s is combined in order: what is carried along it has one place", v.c.Dims[l.Dim-1].Name(), v.c.Name)
		case v.reduced(l) && v.k.kind(l) != serialLoop && v.k.kind(l) != writtenOutLoop:
			v.add("D2", l, "the reduced dimensions of %s are combined in order, by one thread", v.c.Name)
		case n.live == inPrivate:
			v.add("R3", l, "the result of %s, which is combined in order, is in registers or in main memory", v.c.Name)
		case !v.reduced(l) && n.live == inRegister:
			v.add("D1", l, "%s is combined in order, in registers: the loops over its concatenated dimensions are outside of the others", v.c.Name)
		case !v.reduced(l) && n.live != delivered && v.k.kind(l) != serialLoop && v.k.kind(l) != writtenOutLoop:
			v.add("D2", l, "%s is combined in order, and all its results are open here: they are combined by one thread", v.c.Name)
		default:
			continue
		}
		return
	}
}

// treeResults checks where partial results live.
func (v *validator) treeResults(n *nest) {
	blocks, vectors := v.blocks(), false
	scan := v.c.scan != nil
	for _, l := range v.k.Active(Recompose) {
		before := n.live
		n.live, vectors = n.next(l), vectors || v.k.kind(l) == lanesLoop
		onCores, onLanes := v.k.kind(l) == coresLoop, v.k.kind(l) == lanesLoop
		switch {
		case n.live == inWorkspace && before != inWorkspace && before != delivered && !scan:
			v.add("R3", l, "the partial results of threads are the outermost ones")
			return
		case v.reduced(l) && onCores && before == inWorkspace:
			v.add("R3", l, "the pieces of %s are cut once", v.c.Name)
			return
		case onCores && !v.reduced(l) && before >= inPrivate:
			v.add("R3", l, "the threads of %s would share the partial results", v.c.Dims[l.Dim-1].Name())
			return
		case scan && v.reduced(l) && onCores && vectors:
			v.add("D1", l, "the totals of the pieces of %s are scalars, and vectors are outside", v.c.Name)
			return
		case scan && onLanes && n.live == inWorkspace:
			v.add("R3", l, "lanes carry in a private region")
			return
		case n.live == inOutput && before == delivered:
			if why := v.c.partialInOutput(); why != "" {
				v.add("R3", l, "partial results cannot be in main memory: %s", why)
				return
			}
		}
		if n.live != before && n.live != inOutput && n.live != inArray {
			for d, dim := range v.c.Dims {
				if !dim.Reduced() && blocks.size(d) >= unknownSize {
					v.add("R3", l, "partial results start where the block of %s is not known; partition it on an outer level", dim.Name())
					return
				}
			}
		}
		blocks.enter(l)
	}
}

// treeOverlap checks a statement of which two points may write one element: its loops
// are those of the program.
func (v *validator) treeOverlap() {
	last := 0
	for _, l := range v.k.Active(Decompose) {
		if v.c.Dims[l.Dim-1].Reduced() && !v.c.Ordered {
			if slices.ContainsFunc(v.k.Active(Decompose), func(o Level) bool {
				return !v.reduced(o) && v.k.Row(o).Order[Decompose] > v.k.Row(l).Order[Decompose]
			}) {
				v.add("D1", l, "two points of %s may write one element, so its concatenated loops are outside", v.c.Name)
				return
			}
			continue
		}
		if v.reduced(l) {
			continue
		}
		if l.Dim <= last || v.k.Tile(l) != 1 || v.k.kind(l) == coresLoop || v.k.kind(l) == lanesLoop {
			v.add("D1", l, "two points of %s may write one element: its loops are those of the program, point by point", v.c.Name)
			return
		}
		last = l.Dim
	}
}
