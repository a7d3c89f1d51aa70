package schedule

import (
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
)

// What a place does
//
// The block of a tensor stands for the tensor inside of a place: what the statements there
// read of it and write to it, they read from the block and write to the block. What they
// read and have not written is copied to the block before, and what they write and others
// read is copied from it afterwards; so every place is legal that the loops without it are,
// as long as nothing is copied back that other threads write at the same time. A temporary
// of which no value is used in another block than the one that computes it, or outside, has
// no other storage: nothing is copied, and its blocks depend on each other in no way. Such a block may
// be larger than the stack of a thread: in the workspace each thread has one.

// A Placement says what a place does.
type Placement struct {
	Uses   []Use  // of the tensor through the block; none where the place has no effect
	Region Region // in which the block lies
	// Own says of a block in the workspace that each thread has one; else they share it.
	Own bool
	// Before says that all blocks of an input are copied before everything else.
	Before bool
	// In and Out say that the block is copied from where the tensor is outside, and back.
	In, Out bool
	// Exact says that every element is written that the only write has in the block.
	Exact bool
	// Halos say, of a temporary, how far along each dimension other blocks read what this one
	// writes, and this one what they write: nothing else is copied. Nil: everything is.
	Halos []Halo
}

// A Halo is so many elements that a block writes at its low and at its high end, which
// blocks before and behind it read. It reads as many of theirs.
type Halo struct{ Low, High int64 }

// Placements checks a tree, as Check does, and returns what its places do.
func Placements(f *ein.Func, t *Tree) (map[*Place]Placement, error) {
	c := newChecker(f, t)
	if err := c.check(); err != nil {
		return nil, err
	}
	return c.placements, nil
}

// placementOf decides what a place does.
func (c *checker) placementOf(n *Place, t *ein.Tensor, st state) Placement {
	p := Placement{Region: n.Region}
	if len(t.Dims) == 0 && (t.Role != ein.Temp || t.Notice || !c.isContracted(n)) {
		return p // a copy of a scalar is of no use, and notices stay where the caller finds them
	}
	for _, a := range c.accessesTo(t) {
		if !slices.Contains(st.active, a.Statement) || c.isNone(a) {
			continue
		}
		if above, _ := st.accumulators[a.Statement].(*Accumulate); above != nil && a.late {
			switch {
			case above.Region == Output && a.Writes:
				p.Uses = append(p.Uses, Use{a.Statement, a.Subscripts, false}) // what is there already
			case above.Region != Output && above.Region != Early:
				continue // is delivered further up
			}
		}
		p.Uses = append(p.Uses, Use{a.Statement, a.Subscripts, a.Writes})
	}
	if n.Region == Workspace && c.isPackable(n, t, st) {
		p.Before = true
		return p
	}
	switch {
	case !st.parallel && (n.Region == Workspace || hasParallel(n.Child)):
		p.Region = Workspace // which threads share
	case n.Region == Workspace && t.Role == ein.Temp && c.isContracted(n):
		p.Own = true
	case n.Region == Workspace:
		p.Region = Private
	}
	if t.Role == ein.Temp && c.isContracted(n) {
		return p
	}
	p.Exact = c.writesBox(p.Uses, st)
	p.Out = slices.ContainsFunc(p.Uses, func(u Use) bool { return u.Writes })
	p.In = slices.ContainsFunc(p.Uses, func(u Use) bool { return !u.Writes })
	p.Halos = c.halos(t, p, st)
	return p
}

// isNone reports whether an access is known to have no points. What it would touch is in no block: others may write that
// at the same time, as there is no dependence.
func (c *checker) isNone(a Access) bool {
	return slices.ContainsFunc(c.f.Body[a.Statement].Indices, func(i *ein.Index) bool {
		return isEmpty(i.Extent) && (i.Combine.Kind != ein.Reduce || !a.Writes && !a.late && !a.last) // nothing to reduce is written, too
	})
}

// halos returns what blocks of a temporary exchange with each other: it is written by one
// statement, in equal blocks without gaps, and all reads are in a block at a fixed distance.
func (c *checker) halos(t *ein.Tensor, p Placement, st state) []Halo {
	reads := slices.DeleteFunc(slices.Clone(p.Uses), func(u Use) bool { return u.Writes })
	w := slices.IndexFunc(p.Uses, func(u Use) bool { return u.Writes })
	if t.Role != ein.Temp || !p.In || !p.Exact || len(p.Uses) != len(reads)+1 {
		return nil
	}
	write := p.Uses[w]
	if len(c.accessesTo(t)) != len(p.Uses) || slices.ContainsFunc(reads, func(u Use) bool {
		return u.Statement == write.Statement || !c.frames.IsExact(u.Statement, c.f.Body[u.Statement])
	}) {
		return nil
	}
	list := make([]Halo, len(t.Dims))
	for d := range t.Dims {
		at, ok := c.pathAlong(write, d, st)
		for _, u := range reads {
			path, inBlock := c.pathAlong(u, d, st)
			ok = ok && inBlock && slices.Equal(path, at)
		}
		low, n, known := c.frames.hull(c.f, []Use{write}, d, c.blocks(st))
		first, m, known2 := c.frames.hull(c.f, reads, d, c.blocks(st))
		if len(at) == 0 {
			continue // there is one block
		}
		ahead, near := first.Sub(low).IsConst()
		if !ok || !known || !known2 || !near || m < n {
			return nil
		}
		list[d] = Halo{Low: max(0, ahead+m-n), High: max(0, -ahead)}
	}
	return list
}

// pathAlong returns the loops that cut the index of which a use has the block along a
// dimension.
func (c *checker) pathAlong(u Use, d int, st state) (path []*Member, ok bool) {
	i, _, ok := IndexPlusConstant(c.f.Body[u.Statement], u.Subscripts[d])
	if !ok || st.count.OpenOver(u.Statement, i.Name) != nil {
		return nil, false
	}
	return st.paths[place{u.Statement, i.Name}], true
}

// hasParallel reports whether some loop of a subtree is parallel.
func hasParallel(n Node) bool {
	b, ok := n.(*Band)
	return ok && slices.ContainsFunc(b.Members, func(m *Member) bool { return m.Parallel }) || slices.ContainsFunc(Children(n), hasParallel)
}

// writesBox reports whether the elements that are written are the box of the only write, as
// far as there are such points: every subscript is an index of its own, and a result that the last
// points of a fixed order write has all of these in the block.
func (c *checker) writesBox(uses []Use, st state) bool {
	var seen []*ein.Index
	statement, writes := 0, 0
	for _, u := range uses {
		if !u.Writes {
			continue
		}
		writes++
		statement = u.Statement
		for _, sub := range u.Subscripts {
			i, _, linear := IndexPlusConstant(c.f.Body[u.Statement], sub)
			if !linear || slices.Contains(seen, i) || i.Combine.Kind == ein.Reduce || st.count.OpenOver(u.Statement, i.Name) != nil {
				return false
			}
			seen = append(seen, i)
		}
	}
	return writes == 1 && c.frames.IsExact(statement, c.f.Body[statement]) &&
		!slices.ContainsFunc(c.f.Body[statement].Indices, func(i *ein.Index) bool {
			if i.Combine.Kind == ein.Reduce {
				return c.fixedOrder(statement, i) && c.isCutAbove(statement, i, st)
			}
			return !slices.Contains(seen, i) && (!isUnit(i) || c.frames.Of(statement, i).Guarded)
		})
}

// isCutAbove reports whether some loop further up enumerates blocks, or points, of an index.
func (c *checker) isCutAbove(s int, i *ein.Index, st state) bool {
	return st.left[place{s, i.Name}] != whole || st.count.OpenOver(s, i.Name) != nil
}

// blocks are those of the state, counted from where the members are that cut them.
func (c *checker) blocks(st state) Blocks {
	return func(statement int, i *ein.Index) (base, size affine.Expr) {
		frame := c.frames.Of(statement, i)
		base, size = frame.Min, frame.Extent
		p := place{statement, i.Name}
		for _, m := range st.paths[p] {
			base = base.Add(affine.Symbol(c.nameOf(m)))
		}
		if left := st.left[p]; st.vectors[statement] == i && left == 1 {
			size = affine.Const(vectorLanes(st.paths[p]))
		} else if left != whole {
			size = affine.Const(min(left, KnownSize(frame.Extent)))
		}
		return base, size
	}
}

// isContracted reports whether a temporary has storage in the blocks of a place only.
func (c *checker) isContracted(n *Place) bool {
	if c.contracted == nil {
		c.contracted = map[*Place]bool{}
		c.contractions(c.tree.Root, route{active: all(len(c.f.Body))})
	}
	return c.contracted[n]
}

// A route is what is on the way to a place.
type route struct {
	active     []int
	nodes      []Node
	places     []string
	accumulate map[int]bool
}

// contractions notes the places that are all the storage of a temporary.
func (c *checker) contractions(n Node, r route) {
	r.nodes = append(slices.Clip(r.nodes), n)
	switch n := n.(type) {
	case *Filter:
		r.active = n.Statements
	case *Accumulate:
		if r.accumulate = maps.Clone(r.accumulate); r.accumulate == nil {
			r.accumulate = map[int]bool{}
		}
		r.accumulate[n.Statement] = true
	case *Place:
		c.contracted[n] = c.contains(c.f.Tensor(n.Tensor), r)
		r.places = append(slices.Clip(r.places), n.Tensor)
	}
	for _, child := range Children(n) {
		c.contractions(child, r)
	}
}

// contains reports whether a tensor is a temporary that is used below a route only, its
// values in the block that computes them.
func (c *checker) contains(t *ein.Tensor, r route) bool {
	if t == nil || t.Role != ein.Temp || slices.Contains(r.places, t.Name) {
		return false
	}
	list := c.accessesTo(t)
	for _, a := range list {
		if !slices.Contains(r.active, a.Statement) || (a.late || a.last) && r.accumulate[a.Statement] {
			return false
		}
	}
	for _, x := range list {
		for _, y := range list {
			if x.Writes && !y.Writes && x.Statement < y.Statement {
				p := &pair{c: c, x: x, y: y, instancePairs: newInstancePairs(c, x, y)}
				if p.parts(r.nodes) {
					return false
				}
			}
		}
	}
	return true
}

// parts reports whether some loop of a route has the two points in different iterations.
func (p *pair) parts(nodes []Node) bool {
	for _, n := range nodes {
		b, ok := n.(*Band)
		if !ok {
			continue
		}
		for _, m := range b.Members {
			d, ok := p.distance(m, m.Tile)
			if !ok {
				return true
			}
			for _, sign := range []int64{-1, 1} {
				if _, apart := p.possible(d.Scale(sign).AddConst(-1)); apart {
					return true
				}
			}
			p.equate(d)
		}
	}
	return false
}
