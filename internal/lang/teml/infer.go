package teml

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// How ranges are inferred
//
// Every subscript with one iterator bounds it: the access must stay in its dimension.
// The range of an iterator is the intersection of these intervals and of the numbers
// from 0; two dimensions that it indexes by itself must have one size, unless one is what
// sums such as y + 2 leave of the other, as of a stencil's result. Then iterators
// that occur only in sums, such as h in h + kh, get the largest range with which all
// accesses stay in bounds for all values of the others, once those are known. At last
// the subscripts that bounded nothing are tested; what depends on sizes becomes a
// condition of the call.

// ranges are the ranges of the iterators of one statement.
type ranges struct {
	in         *interpreter
	facts      *affine.Facts
	of         map[string]affine.Range
	plain      map[string]*use // the dimension that an iterator indexes by itself
	uses       []*use
	conditions []*ein.Condition
}

// A use is one subscript of a tensor.
type use struct {
	leaf      *Tree
	dimension int
	subscript affine.Expr
	extent    affine.Expr
	names     []string
	solved    bool // it bounded a range
}

// pos is where the subscript stands, or its tensor.
func (u *use) pos() source.Span {
	if u.dimension < len(u.leaf.entries) {
		return u.leaf.entries[u.dimension]
	}
	return u.leaf.pos
}

// leaves lists the tensors with shapes that a tree accesses.
func leaves(t *Tree) []*Tree {
	var list []*Tree
	t.walk(func(n *Tree) {
		if n.isLeaf() && n.real != nil && n.iters.state == given {
			list = append(list, n)
		}
	})
	return list
}

// newRanges collects the subscripts of accesses and solves them as far as possible.
func (in *interpreter) newRanges(accesses []*Tree) *ranges {
	r := &ranges{in: in, facts: affine.NewFacts(), of: map[string]affine.Range{}, plain: map[string]*use{}}
	for name := range in.sizes {
		r.facts.AtLeast(name, 1)
	}
	for _, leaf := range accesses {
		for d, e := range leaf.iters.list {
			r.uses = append(r.uses, &use{leaf: leaf, dimension: d, subscript: e, extent: leaf.real.shape[d], names: in.names([]affine.Expr{e})})
		}
	}
	r.single()
	for r.sums() {
	}
	return r
}

// single bounds the iterators that stand alone in a subscript.
func (r *ranges) single() {
	bounds := map[string]affine.Range{}
	for _, u := range r.uses {
		r.linear(u)
		if len(u.names) != 1 {
			continue
		}
		name := u.names[0]
		if _, isPlain := u.subscript.IsSymbol(); isPlain {
			if first := r.plain[name]; first != nil && !first.extent.Equal(u.extent) && !r.leaves(name, u.extent) && !r.leaves(name, first.extent) {
				r.in.fail(source.CodeTeMLSize, u.pos(), "the iterator %s runs over dimension %d of %s, of size %s, and over dimension %d of %s, of size %s",
					name, u.dimension+1, u.leaf.label(), u.extent, first.dimension+1, first.leaf.label(), first.extent).
					note(first.pos(), "the other dimension").help("the sizes must be the same number, or the same expression; give one of the two another iterator, or its tensor another shape")
			} else if first == nil {
				r.plain[name] = u
			}
		}
		r.narrow(bounds, u, name)
	}
	for name, b := range bounds {
		r.of[name] = b
	}
}

// leaves reports whether the other subscripts of an iterator leave it exactly the numbers
// below a size.
func (r *ranges) leaves(name string, size affine.Expr) bool {
	bounds := map[string]affine.Range{}
	for _, u := range r.uses {
		_, isPlain := u.subscript.IsSymbol()
		if len(u.names) == 1 && u.names[0] == name && !(isPlain && u.extent.Equal(size)) {
			solved := u.solved
			r.narrow(bounds, u, name)
			u.solved = solved
		}
	}
	left, known := bounds[name]
	return known && left.Min.Equal(affine.Const(0)) && left.Extent.Equal(size)
}

// linear demands that a subscript is affine in its iterators.
func (r *ranges) linear(u *use) {
	for _, name := range u.names {
		if _, rest, ok := u.subscript.Linear(name); !ok || rest.Uses(name) {
			r.in.fail(source.CodeTeMLBounds, u.pos(), "the subscript %s of %s is not affine in %s", u.subscript, u.leaf.label(), name).
				help("subscripts are sums of iterators with constant factors: [2 * i + k]")
		}
	}
}

// narrow intersects the interval of an iterator with what a subscript allows.
func (r *ranges) narrow(bounds map[string]affine.Range, u *use, name string) bool {
	lo, hi, ok := r.facts.SolveInterval(u.subscript, name, u.extent, r.box(u.names, name))
	if !ok {
		return false
	}
	u.solved = true
	if old, known := bounds[name]; known {
		lo, hi = r.facts.Larger(lo, old.Min), r.facts.Smaller(hi, old.Last())
	} else {
		lo = r.facts.Larger(lo, affine.Const(0))
	}
	bounds[name] = affine.Range{Symbol: name, Min: lo, Extent: hi.Sub(lo).AddConst(1)}
	return true
}

// box returns the ranges of the names but one, which must be known.
func (r *ranges) box(names []string, except string) []affine.Range {
	var box []affine.Range
	for _, name := range names {
		if name != except {
			box = append(box, r.of[name])
		}
	}
	return box
}

// sums bounds the iterators that are the only unknown one in some subscript.
func (r *ranges) sums() (progress bool) {
	bounds := map[string]affine.Range{}
	for _, u := range r.uses {
		unknown := ""
		for _, name := range u.names {
			if _, known := r.of[name]; !known {
				if unknown != "" {
					unknown = ""
					break
				}
				unknown = name
			}
		}
		if unknown != "" {
			r.narrow(bounds, u, unknown)
		}
	}
	for name, b := range bounds {
		r.of[name], progress = b, true
	}
	return progress
}

// demand reports iterators without a range, ranges that are empty, and subscripts
// that leave their dimension.
func (r *ranges) demand(names []string, pos source.Span) {
	for _, name := range names {
		b, known := r.of[name]
		if !known {
			r.in.fail(source.CodeTeMLSize, pos, "the range of the iterator %s does not follow from its uses", name).
				help("it must index a dimension by itself, or be the only unknown iterator in a sum; introducing the assigned tensor with tensor gives its iterators their ranges")
		}
		r.atLeastZero(b.Extent.AddConst(-1), pos, fmt.Sprintf("the iterator %s has a value", name), func() {
			r.in.fail(source.CodeTeMLSize, pos, "the range of the iterator %s is empty: from %s to %s", name, b.Min, b.Last()).
				help("the subscripts that use it leave no value that stays in all dimensions")
		})
	}
	for _, u := range r.uses {
		if !u.solved {
			r.inBounds(u)
		}
	}
}

func (r *ranges) inBounds(u *use) {
	lo, hi, ok := r.facts.Extremes(u.subscript, r.box(u.names, ""))
	if !ok {
		r.in.fail(source.CodeTeMLBounds, u.pos(), "no bounds are known for the subscript %s of %s", u.subscript, u.leaf.label()).help("use sums of iterators with constant factors")
	}
	what := fmt.Sprintf("the subscript %s of dimension %d of %s", u.subscript, u.dimension+1, u.leaf.label())
	outside := func() {
		d := r.in.fail(source.CodeTeMLBounds, u.pos(), "%s runs from %s to %s, and the dimension has the size %s", what, lo, hi, u.extent)
		if len(u.names) == 0 {
			d.help("subscripts count from 0; names that no shape uses are iterators, others are sizes")
		}
		d.help("enlarge the dimension, or make the range of an iterator smaller; an undeclared target gives its iterators the largest range that fits")
	}
	r.atLeastZero(lo, u.leaf.pos, what+" is not negative", outside)
	r.atLeastZero(u.extent.Sub(hi).AddConst(-1), u.leaf.pos, what+" stays inside", outside)
}

// atLeastZero proves e ≥ 0, makes it a condition where it depends on sizes, and calls
// never when it does not hold for any.
func (r *ranges) atLeastZero(e affine.Expr, pos source.Span, reason string, never func()) {
	switch r.facts.Sign(e) {
	case affine.Always:
	case affine.Never:
		never()
	default:
		r.conditions = append(r.conditions, &ein.Condition{Pos: r.in.at(pos), Expr: e, Reason: reason})
		r.facts.Assume(e)
	}
}

// shapeOf infers the shape S′ of Equations (14) and (15): the sizes of iterators. One
// that does not follow yet, because the assigned tensor decides about it, is ?.
func (in *interpreter) shapeOf(subscripts []affine.Expr, t *Tree) []affine.Expr {
	r := in.newRanges(leaves(t))
	shape := []affine.Expr{}
	for _, e := range subscripts {
		size := affine.Symbol("?")
		if name, ok := e.IsSymbol(); ok {
			if b, known := r.of[name]; known {
				size = b.Extent
			}
		}
		shape = append(shape, size)
	}
	return shape
}

// sameList reports whether two lists of subscripts are the same.
func sameList(x, y []affine.Expr) bool {
	return slices.EqualFunc(x, y, affine.Expr.Equal)
}
