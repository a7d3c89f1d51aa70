package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How chains of tiny contractions are scheduled
//
// The operators of high-order methods contract tensors of a few points in each
// direction with small matrices, for thousands of elements. Vectors within an element
// would be cut short by its few points, and statement after statement would carry the
// temporaries of all elements through far memory. Here a vector has one point of as
// many elements as it has lanes: every lane is full whatever the number of points, and
// a matrix is read as scalars for all lanes. The chain is one loop over blocks of so
// many elements. What a block reads is transposed on its way in, so that the elements
// are neighbours, what it writes on its way out, and the temporaries between them
// stay in the caches.
//
// Within a block statements form phases (phases.go): a phase goes through an index that
// its statements share plane by plane, so that what only they use is a plane of a block
// and stays in the nearest cache.

const (
	tinyExtent       = 16 // of every index within an element
	elementsWaste    = 1.25
	leastContraction = 2 // statements with reuse in a chain
)

// elements is the plan of a chain over tiny elements.
type elements struct {
	mk     *maker
	g      *group
	column int // that counts the elements
	lanes  int64
	phases []*phase
	whole  []*ein.Tensor // that are placed for all phases
}

// elementChain returns the group of the longest chain that starts with statement s, or
// nil.
func (mk *maker) elementChain(s int) *group {
	g := single(s, mk.f.Body[s])
	var best *group
	for next := s + 1; mk.isTiny(mk.f.Body[next-1]) && next < len(mk.f.Body) && next < s+longestChain; next++ {
		if g = mk.link(g, next, true); g == nil {
			break
		}
		if e := mk.newElements(g); e != nil {
			best, g.elements = g, e
		}
	}
	if best != nil && !best.elements.isLegal() {
		return nil
	}
	return best
}

// isTiny reports whether a statement has known sizes, of which at most one is larger
// than those within an element, and may be reduced in any order.
func (mk *maker) isTiny(c *ein.Comprehension) bool {
	large := 0
	for _, i := range c.Indices {
		n, known := i.Extent.IsConst()
		if !known || n < 1 {
			return false
		}
		if n > tinyExtent {
			large++
		}
	}
	_, free := ein.ReductionOperator(c)
	return free && large <= 1
}

// newElements plans a chain; nil where it has no elements or vectors of them would not pay.
func (mk *maker) newElements(g *group) *elements {
	e := &elements{mk: mk, g: g, column: -1, lanes: int64(mk.m.VectorBytes)}
	contractions := 0
	for _, s := range g.statements {
		c := mk.f.Body[s]
		if !mk.isTiny(c) {
			return nil
		}
		if e.lanes = min(e.lanes, int64(mk.lanesOf(c))); mk.contraction(c) {
			contractions++
		}
	}
	if contractions < leastContraction || e.lanes < 2 || !e.chooseColumn() || waste(e.extent(), e.lanes) > elementsWaste || !e.isFar() {
		return nil
	}
	e.choosePhases()
	if !e.chooseStorage() {
		return nil
	}
	return e
}

func (e *elements) extent() int64 { return estimate(e.g.columns[e.column][0].Extent) }

// index is the one that counts the elements in statement number k of the group.
func (e *elements) index(k int) *ein.Index { return e.g.columns[e.column][k] }

// chooseColumn finds the long column along which all statements can be vectors.
func (e *elements) chooseColumn() bool {
	for col, column := range e.g.columns {
		possible := estimate(column[0].Extent) > tinyExtent
		for k, s := range e.g.statements {
			c := e.mk.f.Body[s]
			possible = possible && schedule.Vectorisable(c, column[k]) == "" && !guarded(c, column[k])
		}
		if possible {
			e.column = col
		}
	}
	return e.column >= 0
}

// isFar reports whether the points of an element are neighbours in memory, and not the
// elements, and whether nothing stands in the way of placing them.
func (e *elements) isFar() bool {
	inputs := 0
	for k, s := range e.g.statements {
		c := e.mk.f.Body[s]
		for _, a := range e.mk.accesses[s] {
			if !ein.AnyDependsOn(a.Subscripts, e.index(k)) {
				continue
			}
			for _, sub := range a.Subscripts {
				if _, _, plain := schedule.IndexPlusConstant(c, sub); !plain {
					return false
				}
			}
			if e.mk.along(c, a.Tensor, a.Subscripts, e.index(k)) != far || a.Tensor.Role == ein.Temp && !e.mk.keeps(e.g, a.Tensor) {
				return false
			}
			if a.Tensor.Role == ein.Input {
				inputs++
			}
		}
	}
	return inputs > 0
}

// keeps reports whether no statement but those of a group uses a tensor.
func (mk *maker) keeps(g *group, t *ein.Tensor) bool {
	for s, list := range mk.accesses {
		if !slices.Contains(g.statements, s) && slices.ContainsFunc(list, func(a schedule.Access) bool { return a.Tensor == t }) {
			return false
		}
	}
	return true
}

// isLegal checks the chain's tree among the other statements in the order of the
// program, before it is relied on.
func (e *elements) isLegal() bool {
	seq := &schedule.Sequence{}
	t := schedule.Canonical(e.mk.f)
	for s, filter := range t.Root.(*schedule.Sequence).Children {
		switch {
		case s == e.g.statements[0]:
			seq.Children = append(seq.Children, &schedule.Filter{Statements: e.g.statements, Child: e.tree(false)})
		case !slices.Contains(e.g.statements, s):
			seq.Children = append(seq.Children, filter)
		}
	}
	t.Root = seq
	return schedule.Check(e.mk.f, t) == nil
}

// elementBlocks makes the subtree of a chain over tiny elements.
func (mk *maker) elementBlocks(p *plan) schedule.Node {
	if p.g.elements == nil {
		return nil
	}
	return p.g.elements.tree(p.parallel)
}

func (e *elements) tree(parallel bool) schedule.Node {
	seq := &schedule.Sequence{}
	for _, p := range e.phases {
		seq.Children = append(seq.Children, &schedule.Filter{Statements: p.statements(), Child: e.phase(p)})
	}
	var inner schedule.Node = seq
	if len(seq.Children) == 1 {
		inner = seq.Children[0].Child
	}
	block := (&plan{g: e.g}).column(e.column, e.lanes)
	block.Parallel, block.Coincident, block.Pad = parallel, true, e.extent()%e.lanes != 0
	return wrap([]*schedule.Member{block}, placed(e.whole, inner))
}

// placed places tensors around a node.
func placed(tensors []*ein.Tensor, n schedule.Node) schedule.Node {
	for _, t := range slices.Backward(tensors) {
		n = &schedule.Place{Tensor: t.Name, Region: schedule.Private, Child: n}
	}
	return n
}
