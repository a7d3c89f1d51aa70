package teml

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/advice"
	"github.com/ricci-lang/ricci/internal/source"
)

// advise warns of assignments that compute to the letter what is hardly meant, unless option meant holds.
func (in *interpreter) advise() {
	l := &lowering{tensors: map[*real]*ein.Tensor{}, sizes: in.sizes}
	for _, a := range in.assignments {
		if a.meant || a.fill != nil || a.part != nil {
			continue
		}
		in.warnCollapsed(a)
		c := l.comprehension(a, false)
		const meant = "write option meant before the statement where this is meant"
		words := &advice.Notation{
			Wide:  "introduce the tensors with a wider type, such as tensor(TYPE, [N])",
			Wraps: meant,
			Whole: "divide the sum in a statement of its own, or introduce tensors of a float type",
			Once:  "add it in a statement of its own, behind this one",
			Meant: meant,
			Index: func(i *ein.Index) string {
				for n, other := range c.Indices {
					if other == i {
						return a.order[n]
					}
				}
				return i.Name
			},
		}
		words.Of(c, in.diagnostics)
	}
	in.diagnostics.Sort()
}

// warnCollapsed tells of an iterator that has one value whatever the sizes are, because another one has taken all of a
// dimension.
func (in *interpreter) warnCollapsed(a *assignment) {
	for _, name := range a.order {
		if !a.ranges.of[name].Extent.Equal(affine.Const(1)) {
			continue
		}
		for _, u := range a.ranges.uses {
			if _, number := u.extent.IsConst(); !number && u.subscript.Uses(name) {
				in.diagnostics.Warnf(source.CodeCollapsed, in.placeIn(a, u.pos()), "the iterator %s has only the value %s, whatever the sizes are", name, a.ranges.of[name].Min).
					WithHelp("the other iterators of the subscript %s take all of the dimension of %s, of size %s: give it a size of its own in tensor; or write option meant before the statement",
						u.subscript, u.leaf.label(), u.extent)
				break
			}
		}
	}
}

// placeIn is a place in the program: that of the assignment for one in the library.
func (in *interpreter) placeIn(a *assignment, at source.Span) source.Span {
	if at.File != in.file {
		return a.pos
	}
	return at
}
