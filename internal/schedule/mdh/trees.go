package mdh

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/system"
)

// trees checks what a schedule tree cannot express for the computation at hand.
func (v *validator) trees(c system.Constraint) {
	n := newNest(v.c, v.k)
	v.treeCopies()
	v.treeVectors(n)
	switch {
	case v.c.Ordered:
		v.treeOrdered(c)
	case v.c.Op != nil:
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
			if v.c.Ordered && v.reduced(l) {
				v.add("D3", l, "%s is copied in a reduction that has a fixed order", input.Name())
				return
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
		if !dim.Reduced() || v.c.Op == nil {
			continue
		}
		if !schedule.Foldable(v.c.Op) {
			v.add("D2", l, "%s cannot be on SIMD: lanes are not folded with the operator %s", dim.Name(), v.c.Op.Name)
		} else if n.wanted(l) < inPrivate {
			v.add("R3", l, "lanes along the reduced %s accumulate in a private region", dim.Name())
		}
	}
}

// treeOrdered checks a reduction in a fixed order: concatenated dimensions outside,
// reduced ones inside, on one thread and without lanes.
func (v *validator) treeOrdered(c system.Constraint) {
	inside := false
	for _, l := range v.k.Active(Decompose) {
		switch reduced := v.reduced(l); {
		case reduced && v.k.kind(l) != serialLoop && v.k.kind(l) != writtenOutLoop:
			v.add("D2", l, "the reduced dimensions of %s are combined in order, by one thread", v.c.Name)
			return
		case !reduced && inside:
			v.add("D1", l, "%s is combined in order: the loops over its concatenated dimensions are outside (%s)", v.c.Name, c.Reason)
			return
		case reduced:
			inside = true
		}
	}
}

// treeResults checks where partial results live.
func (v *validator) treeResults(n *nest) {
	blocks := v.blocks()
	for _, l := range v.k.Active(Recompose) {
		before := n.live
		switch wanted := n.wanted(l); {
		case v.reduced(l) && v.k.kind(l) == coresLoop:
			if before != delivered {
				v.add("R3", l, "the partial results of threads are the outermost ones")
				return
			}
			n.live = inWorkspace
		case wanted > n.live && wanted >= inPrivate:
			n.live = wanted
		case v.reduced(l) && before == delivered:
			if why := v.c.partialInOutput(); why != "" {
				v.add("R3", l, "partial results cannot be in main memory: %s", why)
				return
			}
			n.live = inOutput
		}
		if n.live != before && n.live != inOutput {
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
