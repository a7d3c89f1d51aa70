package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// How legality is decided
//
// Two accesses to a tensor, at least one of which writes, depend on each other
// where their subscripts are equal. For every such pair of points the one that
// the program runs first, x, must stay before the other, y. The tree is walked
// from the root with the set of these pairs of points (instance_pairs.go). At a member
// the distance d of y from x along it, in blocks where it has a tile, must not be
// negative for any of them; where it is positive the order is kept, and the walk
// goes on with the pairs with d = 0. At a sequence the order of the filters decides.
// Parallel loops need d = 0; where a temporary lies in blocks only, those of d ≠ 0 are
// independent. The lanes of a vector run
// together, and d counts vectors: what is inside of its loop orders the statements of one,
// and all lanes of a statement are read before any is written. The sets are exact where
// subscripts, ranges and sizes are affine, so exactly the illegal schedules are
// refused, with two points that are in the wrong order; elsewhere a set may be too
// large, and what is not proved is refused.
//
// Within one statement all values are read before any is written, so its reads
// come first; the points of a reduction write once, when its accumulators end, or, in
// the output, from where these start to the last point. Where its order is fixed
// (dependence_order.go), and of early accumulators, the last points write. Two points of one statement write different elements, which is proved where the sizes
// are known. Where it is not, they overlap, and the points keep the order of the program.

// An Access is a use of a tensor by a statement.
type Access struct {
	Statement  int
	Tensor     *ein.Tensor
	Subscripts []ein.Expr
	Writes     bool

	late   bool // of a reduction's results, and what they are joined with: at the end of its accumulators
	once   bool // of a write that is proved to write every element once
	tested bool // a read whose subscripts are tested while the kernel runs

	last bool // of a reduction in a fixed order: at the last points of what is folded
	pos  source.Span
}

// element writes the tensor with its subscripts, such as "A(i, k)".
func (a Access) element() string {
	if len(a.Subscripts) == 0 {
		return a.Tensor.Name
	}
	parts := make([]string, len(a.Subscripts))
	for i, s := range a.Subscripts {
		parts[i] = ein.Readable(s)
	}
	return a.Tensor.Name + "(" + strings.Join(parts, ", ") + ")"
}

// describe says what an access is, such as "the read of A(i, k) in S0".
func (c *checker) describe(a Access) string {
	verb := "read"
	if a.Writes {
		verb = "write"
	}
	return fmt.Sprintf("the %s of %s in %s", verb, a.element(), c.words.Statement(a.Statement))
}

// Accesses lists the uses of tensors by a function, in the order of its statements and of their
// evaluation.
func Accesses(f *ein.Func) []Access {
	var list []Access
	for s, c := range f.Body {
		for _, a := range c.Accesses() {
			list = append(list, Access{Statement: s, Tensor: a.Tensor, Subscripts: a.Subscripts, tested: a.Checked, pos: a.Pos})
		}
		for _, w := range c.Writes {
			_, free := ein.ReductionOperator(c)
			at := Access{Statement: s, Tensor: w.Tensor, Subscripts: w.Subscripts, late: free && len(ein.Reduced(c)) > 0, once: ein.WritesOnce(c, w), last: !free, pos: w.Pos}
			for _, sub := range w.Subscripts {
				ein.Walk(sub, func(e ein.Expr) bool {
					if a, ok := e.(*ein.Access); ok {
						list = append(list, Access{Statement: s, Tensor: a.Tensor, Subscripts: a.Subscripts, tested: a.Checked, pos: a.Pos})
					}
					return true
				})
			}
			if c.Accumulate != nil {
				list = append(list, at)
			}
			at.Writes = true
			list = append(list, at)
		}
	}
	return list
}

// A Dependence is the order of two accesses of a function, at all points where they touch
// the same element, that schedules have to keep.
type Dependence struct {
	f     *ein.Func
	x, y  Access
	write *ein.Write // of an overlap: a write whose points may touch one element; x and y are not used
	along *ein.Index // of a reduction: the index of which x and y have different points
}

// Statements returns the statements of the two accesses, in the order of the program.
func (d *Dependence) Statements() (first, second int) { return d.x.Statement, d.y.Statement }

// KeptBy reports whether a tree keeps the dependence.
func (d *Dependence) KeptBy(t *Tree) bool { return d.CheckOrder(t, nil) == nil }

// CheckOrder is CheckOrder of this dependence alone.
func (d *Dependence) CheckOrder(t *Tree, words Words) error {
	c := newChecker(d.f, t)
	if words != nil {
		c.words = words
	}
	c.dependence(d)
	return c.errs.Err()
}

// Broken returns the first dependence that a tree breaks, which is the one that Check
// reports, or nil.
func Broken(f *ein.Func, t *Tree) *Dependence {
	return newChecker(f, t).dependences()
}

// dependences checks all dependences, up to the first one that is broken.
func (c *checker) dependences() *Dependence {
	for _, d := range withoutImplied(dependencesOf(c.f), c.f) {
		if c.tree.Unchecked && d.along == nil {
			continue
		}
		if c.dependence(d); c.errs.HasErrors() {
			return d
		}
	}
	return nil
}

// dependencesOf lists the orders of reductions, the overlaps of statements of which two points may write one
// element, and the pairs of accesses.
func dependencesOf(f *ein.Func) []*Dependence {
	var found []*Dependence
	for s, c := range f.Body {
		for _, w := range c.Writes {
			if !ein.WritesOnce(c, w) {
				a := Access{Statement: s, Tensor: w.Tensor}
				found = append(found, &Dependence{f: f, x: a, y: a, write: w})
			}
		}
	}
	found = append(found, reductions(f)...)
	list := Accesses(f)
	for i, a := range list {
		for _, b := range list[i:] {
			if a.Tensor != b.Tensor || !a.Writes && !b.Writes || a.Tensor.Role == ein.Input {
				continue
			}
			if a.Statement == b.Statement && (a.Writes && b.Writes || a.once && b.once) {
				continue // one element is one point; overlaps are the other writes
			}
			found = append(found, &Dependence{f: f, x: a, y: b})
		}
	}
	return found
}

// withoutImplied leaves out the pairs that others imply: where a write of a statement between
// touches every element that x touches, y follows x if it follows the write and the write
// follows x. So many statements that change one tensor in turn are checked in a time that grows
// with their number, not with its square.
func withoutImplied(list []*Dependence, f *ein.Func) []*Dependence {
	var kept []*Dependence
	var of *Dependence // the first pair of the access of which covered tells
	covered := -1      // a statement that covers its x
	for _, d := range list {
		if d.write != nil || d.along != nil {
			kept = append(kept, d)
			continue
		}
		if of == nil || !sameAccess(of.x, d.x) {
			of, covered = d, -1
		}
		if covered >= 0 && d.y.Statement > covered {
			continue
		}
		kept = append(kept, d)
		if covered < 0 && d.y.Writes && d.y.Statement > d.x.Statement && covers(f.Body[d.y.Statement], d.y, d.x) {
			covered = d.y.Statement
		}
	}
	return kept
}

// sameAccess reports whether two accesses are one of the list of Accesses.
func sameAccess(a, b Access) bool {
	return a.Statement == b.Statement && a.Writes == b.Writes && a.pos == b.pos && len(a.Subscripts) == len(b.Subscripts) && (len(a.Subscripts) == 0 || &a.Subscripts[0] == &b.Subscripts[0])
}

// covers reports whether a write of a comprehension without reductions touches every element
// that x touches: both have single indices with the same ranges as subscripts, the write another
// one in every dimension.
func covers(c *ein.Comprehension, write, x Access) bool {
	if slices.ContainsFunc(c.Indices, func(i *ein.Index) bool { return i.Combine.Kind != ein.Concat }) {
		return false
	}
	seen := map[*ein.Index]bool{}
	for d := range write.Subscripts {
		w, isIndex := write.Subscripts[d].(*ein.IndexRef)
		r, alike := x.Subscripts[d].(*ein.IndexRef)
		if !isIndex || !alike || seen[w.Index] || !w.Index.Min.Equal(r.Index.Min) || !w.Index.Extent.Equal(r.Index.Extent) {
			return false
		}
		seen[w.Index] = true
	}
	return true
}

func (c *checker) dependence(d *Dependence) {
	switch {
	case d.along != nil:
		c.reduction(d)
		return
	case d.write == nil:
		c.pair(d.x, d.y)
		return
	}
	// The loops of overlapping writes are serial, over points, and in the order of the program.
	s := d.x.Statement
	kept := slices.DeleteFunc(slices.Clone(c.f.Body[s].Indices), func(i *ein.Index) bool { return i.Combine.Kind == ein.Reduce })
	c.inOrder(c.tree.Root, s, d.write, &kept)
}

// inOrder follows a statement down the tree; kept are the indices of which the
// loops come in this order.
func (c *checker) inOrder(n Node, s int, w *ein.Write, kept *[]*ein.Index) {
	switch n := n.(type) {
	case *Filter:
		if !slices.Contains(n.Statements, s) {
			return
		}
	case *Accumulate:
		if n.Statement == s && slices.ContainsFunc(*kept, func(i *ein.Index) bool { return i.Combine.Kind == ein.Concat }) {
			c.overlap(n, s, w)
			return
		}
	case *Band:
		for _, m := range n.Members {
			l, ok := m.IndexOf(s)
			i := c.index(place{l.Statement, l.Index})
			if !ok || i.Combine.Kind == ein.Reduce {
				continue
			}
			if n.Permutable && len(n.Members) > 1 || m.Tile > 1 || len(l.By) > 0 || len(m.Skews) > 0 || m.concurrent() != "" || m.Vector > 0 || m.Coincident || m.Pipeline || m.Reverse || i != (*kept)[0] {
				c.overlap(n, s, w)
				return
			}
			*kept = (*kept)[1:]
		}
	}
	for _, child := range Children(n) {
		c.inOrder(child, s, w, kept)
	}
}

func (c *checker) overlap(n Node, s int, w *ein.Write) {
	d := c.errs.Errorf(source.ScheduleIllegal, w.Pos, "%s: it is not proved that every point of %s writes another element of %s", cmp.Or(c.nodeWords(n), "in these loops"), c.words.Statement(s), w.Tensor.Name).
		WithHelp("run its loops one by one in the order of the program, outside of its accumulators, or give the sizes so that it can be proved")
	c.noteSchedule(d, n)
}

// A pair is the dependence of y on x, with the points at which they stand that the
// walk has brought to the same place so far.
type pair struct {
	c    *checker
	x, y Access
	*instancePairs
	reduction bool  // of points that are reduced in a fixed order
	pieces    *Band // of a scan: the parallel loop over its pieces, whose totals are combined in order
}

func (c *checker) pair(x, y Access) {
	x, y = c.timed(x), c.timed(y)
	p := &pair{c: c, x: x, y: y, instancePairs: newInstancePairs(c, x, y)}
	p.walk(c.tree.Root)
}

// walk follows the two points; it reports at most one violation.
func (p *pair) walk(n Node) {
	switch n := n.(type) {
	case *Sequence:
		x, y := p.child(n, p.x.Statement), p.child(n, p.y.Statement)
		switch {
		case x == y:
			p.walk(n.Children[x].Child)
		case x > y:
			if example, ok := p.possible(); ok {
				p.violation(n, example, remedy{}, "%s runs first", p.c.words.Statement(p.y.Statement))
			}
		}
	case *Band:
		if n.Permutable && !p.permutable(n) {
			return
		}
		for _, m := range n.Members {
			if !p.member(n, m) {
				return
			}
		}
		p.walk(n.Child)
	case *Accumulate:
		if p.accumulators(n) {
			p.walk(n.Child)
		}
	case *Filter, *Place:
		p.walk(Children(n)[0])
	}
}

func (p *pair) child(n *Sequence, statement int) int {
	return slices.IndexFunc(n.Children, func(f *Filter) bool { return slices.Contains(f.Statements, statement) })
}

// distance returns how far y is behind x along a member, in blocks of a size; ok is false
// when the member does not order them.
func (p *pair) distance(m *Member, size int64) (d affine.Expr, ok bool) {
	_, okX := m.IndexOf(p.x.Statement)
	_, okY := m.IndexOf(p.y.Statement)
	if !okX || !okY {
		return d, false
	}
	number := func(m *Member, size int64) affine.Expr {
		x, _ := m.IndexOf(p.x.Statement)
		y, _ := m.IndexOf(p.y.Statement)
		if !p.reduction && !p.y.last && p.x.Statement == p.y.Statement && p.c.index(place{x.Statement, x.Index}).Combine.Kind == ein.Reduce {
			ok = false // the write comes after the last point of the reduction
		}
		at := p.position("x", x.Index, size, p.c.levels.larger(x, m.Tile))
		return p.position("y", y.Index, size, p.c.levels.larger(y, m.Tile)).Sub(at)
	}
	ok = true
	d = number(m, size)
	for _, s := range m.Skews {
		by := p.c.levels.By(m, s)
		d = d.Add(number(by, by.Tile).Scale(s.Factor))
	}
	if m.Reverse {
		d = d.Scale(-1)
	}
	return d, ok
}

// member follows the two points through a loop and reports whether the order is
// still open.
func (p *pair) member(b *Band, m *Member) bool {
	d, ok := p.distance(m, m.Tile)
	if !ok {
		return true
	}
	// The lanes of a vector run together, so that they are ordered by the loops and sequences
	// inside of it, and within a statement by its reads being first. What is combined in a
	// fixed order has one lane.
	together := m.Vector > 0 && !p.reduction && !m.Coincident && !p.placedBelow(b)
	if together {
		d, _ = p.distance(m, int64(m.Vector))
	}
	back, ahead := d.Scale(-1).AddConst(-1), d.AddConst(-1)
	example, backwards := p.possible(back)
	refuse := func(r remedy, format string) bool {
		p.violation(on(b, m, r.mark), example, r, format, p.c.words.Loop(m))
		return false
	}
	either := func(limits ...affine.Expr) bool {
		if !backwards {
			example, backwards = p.possible(append(limits, ahead)...)
		}
		return backwards
	}
	switch {
	case p.reduction && p.scans(b, m):
		if backwards {
			return refuse(p.forwards(m), "along the loop %s the second may come first")
		}
	case !p.reduction && p.placedBelow(b):
		// Its blocks do not share storage, and no value is used in another one.
	case m.Parallel && either():
		return refuse(remedy{"parallel", "make the loop serial"}, "the iterations of the parallel loop %s are not independent")
	case m.Groups && either():
		return refuse(remedy{"groups", "make the loop serial"}, "the groups of the loop %s are not independent")
	case m.Items > 0 && either():
		return refuse(remedy{"items", "make the loop serial, or part the statements by a sequence outside of it"}, "the items of the loop %s are not independent")
	case m.Vector > 0 && !together && either(affine.Const(int64(m.Vector)-1).Sub(d)):
		return refuse(remedy{"vector", "make no vectors of the loop"}, "the lanes of the vector loop %s are not independent")
	case m.Group > 0 && either(affine.Const(int64(m.Group)-1).Sub(d)):
		return refuse(remedy{"group", "make no groups of the loop"}, "the points of a group of the loop %s are not independent")
	case m.Pipeline && either():
		return refuse(remedy{"pipeline", "run one iteration after the other"}, "the iterations of the pipeline %s are not independent")
	case m.Coincident && either():
		return refuse(remedy{"coincident", "do not claim that the loop is coincident"}, "the loop %s carries the dependence but claims to be coincident")
	case backwards && together:
		return refuse(p.forwards(m), "the vectors of the loop %s come one after the other, and that of the second may be first")
	case backwards:
		return refuse(p.forwards(m), "along the loop %s the second may come first")
	}
	if n, known := d.Subst(p.env).IsConst(); known && n == 0 {
		return true
	}
	p.equate(d)
	_, open := p.possible()
	return open
}

// accumulators follows the two points into the life of accumulators, and reports whether
// the order is still open. What is delivered at its end comes after all points below;
// partial results in the output are there from its beginning, where they are cleared, to
// the last point of the reduction.
func (p *pair) accumulators(n *Accumulate) bool {
	c := p.c.f.Body[n.Statement]
	ofX, ofY := p.x.Statement == n.Statement, p.y.Statement == n.Statement
	switch {
	case p.reduction:
		if p.pieces = nil; ofX && (n.Region == Workspace || n.Region == Local) {
			p.pieces = InChunks(n)
		}
		return true
	case ofX && ofY:
		_, free := ein.ReductionOperator(c)
		return (!free || n.Region == Early) && (len(c.ByKind(ein.Scan)) > 0 || !Plain(n, c)) // else the points below are read before the accumulators are written
	case ofY && p.y.last && p.beforeNothing(n):
		return false
	case n.Region == Output && (!ofY || !p.y.late || c.Accumulate != nil):
		return true
	case n.Region == Output:
		if example, ok := p.possible(); ok {
			p.violation(n, example, remedy{}, "the partial results of %s start further up", p.c.words.Statement(n.Statement))
		}
		return false
	case ofX && p.x.late:
		if example, ok := p.possible(); ok {
			p.violation(n, example, remedy{}, "the results of %s are complete after all iterations of the loops below", p.c.words.Statement(n.Statement))
		}
		return false
	}
	return !ofY || !p.y.late
}

// beforeNothing reports the violation that y, a result in a fixed order, is written where its
// accumulators start if there is nothing to reduce, which is before x.
func (p *pair) beforeNothing(n *Accumulate) bool {
	for _, i := range ein.Reduced(p.c.f.Body[n.Statement]) {
		if !MayBeNone(i) {
			continue
		}
		if example, ok := p.possible(i.Extent.Scale(-1)); ok {
			p.violation(n, example, remedy{}, "the results of %s, where there is nothing to reduce, are there before all iterations of the loops below", p.c.words.Statement(n.Statement))
			return true
		}
	}
	return false
}

// permutable checks the claim that the members of a band may be interchanged:
// no distance along any of them is negative.
func (p *pair) permutable(b *Band) bool {
	scratch := &pair{c: p.c, x: p.x, y: p.y, instancePairs: p.clone()}
	for _, m := range b.Members {
		d, ok := scratch.distance(m, m.Tile)
		if !ok {
			continue
		}
		if example, backwards := scratch.possible(d.Scale(-1).AddConst(-1)); backwards {
			p.violation(b, example, remedy{"", "do not claim that the band is permutable"}, "along the loop %s the distance may be negative, so the band is not permutable", p.c.words.Loop(m))
			return false
		}
	}
	return true
}

// placedBelow reports whether the tensor has no storage but the blocks of a place further
// down. What is copied to and from such blocks is as if it had none.
func (p *pair) placedBelow(n Node) bool {
	if p.x.Tensor.Role != ein.Temp {
		return false
	}
	if pl, ok := n.(*Place); ok && pl.Tensor == p.x.Tensor.Name && p.c.isContracted(pl) {
		return true
	}
	return slices.ContainsFunc(Children(n), p.placedBelow)
}
