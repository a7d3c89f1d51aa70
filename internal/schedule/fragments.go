package schedule

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How matrix units of devices are scheduled
//
// In a tree with groups the mark "matrix" of a loop over groups says that the items of each sub-group compute all that is below
// their loops together, by fragments (ein/fragment.go):
//
//	accumulate S0 register
//	  band S0.k tile 32 pad
//	    place A local pad 8 vector 8
//	      place B local layout 2 1 pad 8 vector 8
//	        band S0.i items 16 | S0.j tile 2 items 16
//	          band S0.k group 16 matrix
//
// Without the mark the tree means the same: an item has the results that the loops over items give it. These are those of its lane
// in the fragments of results: every eighth row, and pairs of columns. So a sub-group is 8 items along the rows by 4 along the columns, and the
// items of a group are numbered so that these follow each other. Where results lie, what is stored and what is done with them is as with all items.
// A group is as many terms as an instruction takes; those of a group that do not exist are zeros in local memory.

// The items of a sub-group along the rows, and along the columns, of what it multiplies; an item has columns in pairs.
const (
	FragmentItemRows    = 8
	FragmentItemColumns = ein.FragmentLanes / FragmentItemRows
	FragmentPair        = ein.FragmentColumns / FragmentItemColumns // and rows in pairs that are eight apart
)

// A Fragmented is how a matrix unit computes a statement in a group.
type Fragmented struct {
	Shape         *ein.FragmentShape
	Group         *ein.Index
	Unit          *Member     // the loop over groups
	Rows, Columns *Member     // the loops over items
	X, Y          *ein.Access // the operand along the rows, and that along the columns
	Around        []*Member   // serial loops over other indices that are reduced, below the items
}

// HasFragments reports whether matrix units compute something in a subtree of a tree with groups.
func HasFragments(n Node) bool { return hasMember(n, func(m *Member) bool { return m.Matrix }) }

// FragmentedBelow says how a matrix unit computes a statement below accumulators that items hold; nil: none does. Why says what is in the way.
func FragmentedBelow(c *ein.Comprehension, n *Accumulate) (f *Fragmented, why string) {
	s := n.Statement
	index, size := MatrixBelow(s, c, n.Child)
	if index == nil {
		return nil, ""
	}
	f = &Fragmented{Group: index, Unit: MatrixLoop(s, c, n.Child)}
	x, y, deepest := ein.FragmentsOf(c)
	if ein.RoundsFragments(c) {
		return f, "matrix units of devices round the factors of float32 to 11 digits (tf32), which fast numerics allow (--numerics fast)"
	}
	if deepest == nil {
		return f, "its value is no product of two numbers of types that matrix units of devices know, summed in any order: float16 or bfloat16 in float32, int8 or uint8 in int32, and, with fast numerics, float32"
	}
	if f.Shape = ein.FragmentShapeOf(x.Tensor.Type, y.Tensor.Type, int64(size)); f.Shape == nil {
		return f, fmt.Sprintf("a matrix unit takes %s terms of %s, and not %d", depths(deepest), x.Tensor.Type, size)
	}
	axes, _ := ItemAxes(n.Child)
	if len(axes) != 2 {
		return f, "there are two loops over items, of rows and of columns"
	}
	f.Rows, f.Columns = axes[0], axes[1]
	if f.Rows.Tile != 1 || f.Rows.Items%FragmentItemRows != 0 || f.Columns.Tile != FragmentPair || f.Columns.Items%FragmentItemColumns != 0 || f.Rows.Pad || f.Columns.Pad {
		return f, fmt.Sprintf("the lanes of a sub-group have every %dth row and pairs of columns: 'items' of a multiple of %d, and 'tile %d items' of a multiple of %d", FragmentItemRows, FragmentItemRows, FragmentPair, FragmentItemColumns)
	}
	rows, columns := f.over(s, f.Rows, c), f.over(s, f.Columns, c)
	if f.X, f.Y = x, y; !ein.AnyDependsOn(x.Subscripts, rows) {
		f.X, f.Y = y, x
	}
	along := func(a *ein.Access, yes, no *ein.Index) bool {
		return ein.AnyDependsOn(a.Subscripts, yes) && ein.AnyDependsOn(a.Subscripts, index) && !ein.AnyDependsOn(a.Subscripts, no)
	}
	if !along(f.X, rows, columns) || !along(f.Y, columns, rows) {
		return f, "one operand runs along the rows and the groups, and the other one along the columns and the groups"
	}
	if text := notLinear(c, x, y); text != "" {
		return f, text
	}
	return f, f.loops(s, c, n)
}

// depths lists how many terms there may be.
func depths(of *ein.FragmentShape) (text string) {
	for _, s := range ein.FragmentShapes() {
		if slices.Equal(s.Types, of.Types) {
			if text != "" {
				text += " or "
			}
			text += fmt.Sprint(s.Depth)
		}
	}
	return text
}

// over is the index that a member enumerates.
func (f *Fragmented) over(s int, m *Member, c *ein.Comprehension) *ein.Index {
	l, _ := m.IndexOf(s)
	at := slices.IndexFunc(c.Indices, func(i *ein.Index) bool { return i.Name == l.Index })
	return c.Indices[at]
}

// loops says what is in the way below the loops over items, and collects the loops over other reduced indices there.
func (f *Fragmented) loops(s int, c *ein.Comprehension, n *Accumulate) (why string) {
	below := false
	placed := map[string]bool{}
	var visit func(n Node)
	visit = func(n Node) {
		switch n := n.(type) {
		case *Band:
			for _, m := range n.Members {
				i := f.over(s, m, c)
				switch {
				case m.Items > 0:
					below = true
				case i.Combine.Kind == ein.Concat && i != f.over(s, f.Rows, c) && i != f.over(s, f.Columns, c):
					why = fmt.Sprintf("its accumulators are those of one point of %s: the loops over it stand above them", i.Name)
				case !below || m == f.Unit:
				case m.Tile != 1 || m.Vector > 0 || m.Reverse || len(m.Skews) > 0 || m.Determined || m.Guarded:
					why = "below the loops over items are loops over points"
				case i != f.Group && i.Combine.Kind != ein.Concat:
					f.Around = append(f.Around, m)
				}
			}
		case *Place:
			if below {
				why = "below the loops over items are loops, and no places"
			}
			placed[n.Tensor] = placed[n.Tensor] || n.Region == Local
		case *Accumulate:
			if n.Statement == s && below {
				why = "below the loops over items are loops, and no accumulators"
			}
		case *Sequence, *Filter:
			why = "below the accumulators are loops and places"
		}
		for _, child := range Children(n) {
			visit(child)
		}
	}
	visit(n.Child)
	for _, a := range []*ein.Access{f.X, f.Y} {
		if why == "" && !placed[a.Tensor.Name] {
			why = fmt.Sprintf("%s is not in local memory: place it there below the accumulators", a.Tensor.Name)
		}
	}
	return why
}

// fragmentLeaf checks a statement that a matrix unit of a device computes.
func (c *checker) fragmentLeaf(s int, g *grouped, st state) {
	comp := c.f.Body[s]
	acc, ok := st.accumulators[s].(*Accumulate)
	why := "its accumulators are in register, in a group and above the loops over items"
	if axes, _ := itemAxesBelow(acc); ok && axes != nil && acc.Region == Register {
		var f *Fragmented
		if f, why = FragmentedBelow(comp, acc); why == "" {
			why = c.uneven(s, f)
		}
		if why == "" && f.Unit.isCut() {
			why = "it goes over no parts that marks beside 'matrix' could cut"
		}
	}
	if why != "" {
		c.misfit(g.band, "%s cannot be computed by groups of %d in fragments of a matrix unit: %s", c.words.Statement(s), g.size, why)
	}
}

// itemAxesBelow is ItemAxes of what is below accumulators that may not be there.
func itemAxesBelow(acc *Accumulate) (axes, before []*Member) {
	if acc == nil {
		return nil, nil
	}
	return ItemAxes(acc.Child)
}

// uneven says which block does not consist of fragments.
func (c *checker) uneven(s int, f *Fragmented) string {
	comp := c.f.Body[s]
	for _, m := range []*Member{f.Rows, f.Columns} {
		i, points := f.over(s, m, comp), m.Items*FragmentPair
		if !c.consists(s, i, m, points) {
			return fmt.Sprintf("the blocks of %s do not consist of %d points, which all items have at once: give them a 'tile' of a multiple, with 'pad' where the range is none", i.Name, points)
		}
	}
	if !c.consists(s, f.Group, f.Unit, f.Shape.Depth) {
		return fmt.Sprintf("the blocks of %s do not consist of %d terms: give them a 'tile' of a multiple, with 'pad' where the range is none", f.Group.Name, f.Shape.Depth)
	}
	return ""
}

// consists reports whether all blocks of an index around a member have a multiple of some points.
func (c *checker) consists(s int, i *ein.Index, m *Member, points int64) bool {
	size := KnownSize(i.Extent)
	consists := func(of int64) bool { return size != unknownBytes && size%of == 0 }
	even := consists(points)
	for _, o := range c.levels.members[place{s, i.Name}] {
		if o == m {
			break
		}
		even = o.Tile%points == 0 && (o.Pad || consists(o.Tile))
		size = o.Tile
	}
	return even
}
