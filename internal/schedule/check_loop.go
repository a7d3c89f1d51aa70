package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// member checks that one loop continues the enumeration of its indices.
func (c *checker) member(b *Band, at int, m *Member, st *state) {
	var seen []int
	for _, l := range m.Loops {
		seen = append(seen, l.Statement)
	}
	slices.Sort(seen)
	if !slices.Equal(seen, st.active) {
		c.misfit(on(b, m), "the member %s must have one index of each of the statements %s", c.words.Loop(m), c.statements(st.active))
		return
	}
	c.parallel(b, at, m, st)
	c.grid(b, at, m, st)
	c.marks(b, m, st)
	for _, l := range m.Loops {
		c.loop(b, at, m, l, st)
	}
	if c.errs.HasErrors() {
		return
	}
	c.counted(b, at, m, st)
	c.writtenOut(b, m, st)
	var now []Known
	st.count, now = st.count.Enter(m)
	for _, k := range now {
		for _, l := range k.Member.Loops {
			if p := (place{l.Statement, l.Index}); k.Block {
				st.left[p] = k.Member.Tile
				st.paths[p] = append(slices.Clone(st.paths[p]), k.Member)
			}
		}
	}
}

// parallel checks that a parallel loop is in no other one but those right above it, and in no
// accumulators, which its threads would share.
func (c *checker) parallel(b *Band, at int, m *Member, st *state) {
	if !m.Parallel {
		return
	}
	if at == 0 || !b.Members[at-1].Parallel {
		if st.parallel {
			c.misfit(on(b, m, "parallel"), "a parallel loop inside of a parallel loop")
		}
		for _, s := range st.active {
			if acc, ok := st.accumulators[s].(*Accumulate); ok && (acc.Region == Register || acc.Region == Private) {
				c.misfit(on(b, m, "parallel"), "the threads of the parallel loop %s would share the accumulators of %s", c.words.Loop(m), c.words.Statement(s))
			}
		}
		st.parallel = true
	}
	l := m.Loops[0]
	for k := at - 1; k >= 0 && b.Members[k].Parallel; k-- {
		if slices.ContainsFunc(b.Members[k].Loops, func(o Loop) bool { return o.Statement == l.Statement && o.Index == l.Index }) {
			c.misfit(on(b, m, "parallel"), "adjacent parallel loops are one, and two of them are over %s", c.words.Index(l.Statement, l.Index))
		}
	}
}

// marks checks that the words of a loop go together.
func (c *checker) marks(b *Band, m *Member, st *state) {
	if m.Vector > 0 && (m.Tile != 1 || m.concurrent() != "") {
		c.misfit(on(b, m, "vector"), "a vector loop has no tile and is not parallel; put the loop over blocks, or that of the threads, around it")
	}
	if m.Vector == 1 || m.Vector&(m.Vector-1) != 0 {
		c.misfit(on(b, m, "vector"), "a vector of %d lanes, expected a power of two from 2", m.Vector)
	}
	if m.Vector > MostLanes {
		c.misfit(on(b, m, "vector"), "a vector of %d lanes, and at most %d are computed at once; make blocks of them", m.Vector, MostLanes)
	}
	if m.Reverse && m.Vector > 0 {
		c.misfit(on(b, m, "reverse"), "the lanes of a vector have no direction; reverse the loop over its blocks")
	}
	if m.Pad && m.Tile == 1 {
		c.misfit(on(b, m, "pad"), "only tiles can be padded, and the member %s has none", c.words.Loop(m))
	}
	if m.Stream && m.Vector == 0 {
		c.misfit(on(b, m, "stream"), "vector loops stream, others do not")
	}
	if m.Hold && m.Vector == 0 {
		c.misfit(on(b, m, "hold"), "vector loops hold what they read, others do not")
	}
	if m.WholeLines > 0 && !m.Stream {
		c.misfit(on(b, m, "whole-lines"), "rows are cut at lines where their vectors go past the caches: with 'stream'")
	}
	if m.FirstLines > 0 && (!m.Pipeline || m.FirstLines > mostFirstLines) {
		c.misfit(on(b, m, "first-lines"), "pipelines ask for up to %d lines of the next piece of a row, other loops for none", mostFirstLines)
	}
	if m.Words && m.Vector == 0 {
		c.misfit(on(b, m, "words"), "vector loops convert by way of 16 bits, others do not")
	}
	if m.Singly && m.Vector == 0 {
		c.misfit(on(b, m, "singly"), "vector loops store lanes one by one, others have none")
	}
	if m.Flip && m.Group == 0 {
		c.misfit(on(b, m, "flip"), "groups are flipped, other loops are not")
	}
	if m.Matrix && m.Group == 0 {
		c.misfit(on(b, m, "matrix"), "'matrix' needs 'group' beside it: group 4 for bytes, group 2 for bfloat16, group 1 for float32")
	}
	if m.Matrix && m.Flip {
		c.misfit(on(b, m, "flip"), "groups for the matrix unit are not flipped, which multiplies all signs; leave 'flip' out")
	}
	c.cut(b, m, m.Loops[0])
	if m.Ahead != 0 && (m.Vector == 0 || m.Ahead > MostAhead) {
		c.misfit(on(b, m, "ahead"), "vector loops ask for what is up to %d bytes ahead, others do not", MostAhead)
	}
	if m.Prefetch != "" {
		c.prefetch(b, m, st)
	}
	c.fetchesOf(b, m, st)
	if m.Determined {
		c.determined(b, m, st)
	}
	if m.Pipeline {
		c.pipeline(b, m, st)
	}
	if m.Guarded {
		c.guarded(b, m, st)
	}
	if m.Apart {
		c.apart(b, m, st)
	}
	if m.Partial != 0 {
		c.keep(b, m, st)
	}
}

// counted checks a member whose number is more than that of a block of the block around it.
func (c *checker) counted(b *Band, at int, m *Member, st *state) {
	if !c.levels.Counted(m) {
		return
	}
	switch {
	case m.Pad || m.Group > 0:
		c.misfit(on(b, m, "pad", "group"), "%s stands outside of larger blocks of its index, or is skewed by blocks, or other loops are by it: it cannot be padded or in groups; move it inside of the loops over its blocks", c.words.Loop(m))
		return
	case m.Vector > 0 && c.levels.onDiagonals(m):
		c.misfit(on(b, m, "vector"), "%s is skewed by the numbers of other loops, or they are by its own: it cannot be a vector", c.words.Loop(m))
		return
	}
	for k, s := range m.Skews {
		by := c.levels.By(m, s)
		same := by != nil && c.levels.inverse[m] != nil
		for _, l := range m.Loops {
			same = same && slices.ContainsFunc(by.Loops, func(o Loop) bool { return o.Statement == l.Statement })
		}
		if !same || slices.ContainsFunc(m.Skews[:k], func(o Skew) bool { return o.Index == s.Index && o.Tile == s.Tile }) {
			c.misfit(on(b, m, "skew"), "%s is skewed by the blocks of %d of %s, expected a loop that all of its statements share, none twice, and that the numbers of blocks follow from those of the loops", c.words.Loop(m), s.Tile, s.Index)
			return
		}
	}
	for _, l := range m.Loops {
		index := c.index(place{l.Statement, l.Index})
		reduced := index
		for _, s := range m.Skews {
			o, _ := c.levels.By(m, s).IndexOf(l.Statement)
			if i := c.index(place{o.Statement, o.Index}); i.Combine.Kind != ein.Concat {
				reduced = i
			}
		}
		switch acc, _ := st.accumulators[l.Statement].(*Accumulate); {
		case reduced.Combine.Kind == ein.Concat:
		case acc == nil || index.Combine.Kind == ein.Concat && !isWhole(acc):
			c.misfit(on(b, m, "skew"), "%s is skewed by blocks of the reduced %s, so that all results are open at once, and they are not kept so%s", c.words.Index(l.Statement, l.Index), reduced.Name, c.accumulateAt(l.Statement, "output, or shared, further up"))
		case m.concurrent() != "" && c.fixedOrder(l.Statement, reduced):
			c.misfitIn(c.ordered, on(b, m, m.concurrent()), "the blocks of %s, which is reduced in a fixed order, or scanned, are in another place than their order: their loop is not parallel", reduced.Name)
		}
	}
}

func (c *checker) loop(b *Band, at int, m *Member, l Loop, st *state) {
	p := place{l.Statement, l.Index}
	left, ok := st.left[p]
	twice := slices.ContainsFunc(c.levels.members[p][:max(0, slices.Index(c.levels.members[p], m))], func(o *Member) bool {
		other, ok := o.IndexOf(l.Statement)
		return ok && other.Index == l.Index && o.Tile == m.Tile
	})
	switch {
	case !ok:
		c.misfit(on(b, m), "%s", c.noIndex(l.Statement, l.Index))
		return
	case twice && m.Tile == 1:
		c.misfit(on(b, m), "%s is enumerated already", c.words.Index(l.Statement, l.Index))
		return
	case twice:
		c.misfit(on(b, m, "tile"), "the tile of %s is not smaller than the block of %d around it", c.words.Index(l.Statement, l.Index), m.Tile)
		return
	case m.Group > 0 && left != whole && left%int64(m.Group) != 0:
		c.misfit(on(b, m, "group"), "the block of %d around the loop over groups of %s does not consist of groups of %d", left, c.words.Index(l.Statement, l.Index), m.Group)
		return
	}
	index := c.index(p)
	if m.Group > 0 {
		c.group(b, m, l, index, st)
	}
	c.coordinate(b, m, l, st)
	comp := c.f.Body[l.Statement]
	if m.Vector > 0 {
		if c.levels.Mutual(l.Statement) {
			c.misfit(on(b, m, "vector"), "loops of %s are skewed by one another's blocks, and %s cannot be a vector there", c.words.Statement(l.Statement), c.words.Index(l.Statement, l.Index))
		}
		vary := c.frames.varies(l.Statement, comp, index)
		if index.Combine.Kind == ein.Concat && !slices.ContainsFunc(vary, func(i *ein.Index) bool { return i.Combine.Kind == ein.Concat }) {
			c.misfit(on(b, m, "vector"), "%s is skewed so that the lanes of its vectors have one result", c.words.Index(l.Statement, l.Index))
		}
		for _, i := range vary {
			if why := Vectorisable(comp, i); why != "" {
				errs := c.errs
				if c.fixedOrder(l.Statement, i) {
					errs = c.ordered
				}
				c.misfitIn(errs, on(b, m, "vector"), "%s cannot be a vector: %s", c.words.Index(l.Statement, i.Name), why)
			}
		}
		if st.vectors[l.Statement] != nil {
			c.misfit(on(b, m, "vector"), "%s has two vector loops", c.words.Statement(l.Statement))
		}
		st.vectors[l.Statement] = index
	}
	if index.Combine.Kind == ein.Concat {
		return
	}
	c.reducedLoop(b, at, m, l, st)
}

// coordinate checks that the loops of a member enumerate the same values.
func (c *checker) coordinate(b *Band, m *Member, l Loop, st *state) {
	comp, index := c.f.Body[l.Statement], c.index(place{l.Statement, l.Index})
	frame := c.frames.Of(l.Statement, index)
	first := m.Loops[0]
	all := c.levels.members[place{l.Statement, l.Index}]
	around := c.levels.Around(m, l)
	for _, t := range l.By {
		if by := c.index(place{l.Statement, t.Index}); by == nil {
			c.misfit(on(b, m), "%s is skewed by %s, expected an index of the statement", c.words.Index(l.Statement, l.Index), t.Index)
			return
		}
	}
	if _, ok := c.frames.Values(l.Statement, comp, All); !ok {
		c.misfit(on(b, m), "%s is skewed so that its coordinates do not say the values of the indices, each of which they need to once", c.words.Statement(l.Statement))
		return
	}
	_, inBlock := c.levels.inBlock(l)
	inBlock = inBlock && m == c.levels.coarsest(l)
	switch {
	case !IsSingle(l.Index) && IsSingle(first.Index):
		c.misfit(on(b, m), "the coordinate %s of one value stands before %s, expected behind", c.words.Index(first.Statement, first.Index), c.words.Index(l.Statement, l.Index))
	case slices.ContainsFunc(all, func(o *Member) bool { return !sameSkew(o, l) || frame.Guarded && shiftOf(o, l) != l.Shift }):
		c.misfit(on(b, m), "all loops over %s must have the same skew and shift", c.words.Index(l.Statement, l.Index))
	case around != c.levels.Around(m, first) && !inBlock:
		c.misfit(on(b, m), "the blocks of the fused %s and %s differ", c.words.Index(l.Statement, l.Index), c.words.Index(first.Statement, first.Index))
	case around == nil && !inBlock && !c.sameRange(l, first):
		c.misfit(on(b, m), "the ranges of the fused %s and %s differ", c.words.Index(l.Statement, l.Index), c.words.Index(first.Statement, first.Index))
	case (m.Pad || m.Prefetch != "") && c.frames.Involved(l.Statement, comp, index):
		c.misfit(on(b, m, "pad", "prefetch"), "%s is skewed, or fused with another range: it cannot be padded, or prefetch another index", c.words.Index(l.Statement, l.Index))
	}
}

// fixedOrder reports whether one of two indices is reduced in an order that stays.
func (c *checker) fixedOrder(statement int, indices ...*ein.Index) bool {
	_, free := ein.ReductionOperator(c.f.Body[statement])
	return (!free || c.early[statement]) && slices.ContainsFunc(indices, func(i *ein.Index) bool { return i.Combine.Kind != ein.Concat })
}

// sameSkew reports whether a member has the coordinate of another loop of a statement.
func sameSkew(m *Member, l Loop) bool {
	other, _ := m.IndexOf(l.Statement)
	return slices.Equal(other.By, l.By)
}

// shiftOf is the shift of a loop in another member.
func shiftOf(m *Member, l Loop) int64 {
	other, _ := m.IndexOf(l.Statement)
	return other.Shift
}

// sameRange reports whether the frames of two fused loops are the same range.
func (c *checker) sameRange(a, b Loop) bool {
	x, y := c.index(place{a.Statement, a.Index}), c.index(place{b.Statement, b.Index})
	if x == nil || y == nil {
		return true // reported elsewhere
	}
	p, q := c.frames.Of(a.Statement, x), c.frames.Of(b.Statement, y)
	return p.Extent.Equal(q.Extent) && p.Min.AddConst(a.Shift).Equal(q.Min.AddConst(b.Shift))
}

// reducedLoop checks a loop over an index that is folded or scanned.
func (c *checker) reducedLoop(b *Band, at int, m *Member, l Loop, st *state) {
	acc, _ := st.accumulators[l.Statement].(*Accumulate)
	if acc == nil {
		above := "above it, such as: accumulate " + c.words.Statement(l.Statement) + " register"
		if m.Groups {
			above = "workspace right above it, so that each group has a part, and accumulate " + c.words.Statement(l.Statement) + " register or local below the groups"
		}
		c.misfit(on(b, m), "the results of %s are open outside of %s, which it reduces%s", c.words.Statement(l.Statement), c.words.Loop(m), c.accumulateAt(l.Statement, above))
		return
	}
	op, free := ein.ReductionOperator(c.f.Body[l.Statement])
	if _, scanOp, scan := ein.ScanOperator(c.f.Body[l.Statement]); scan {
		op = scanOp
	} else if !free {
		return // accumulate has checked the order
	}
	if m.Coincident {
		c.misfit(on(b, m, "coincident"), "%s is reduced by %s, whose iterations combine their results: the loop is not coincident", l.Index, c.words.Statement(l.Statement))
	}
	switch inChunks := acc.Region == Workspace && InChunks(acc) == b && at == 0; {
	case (acc.Region == Local && m.Items > 0 || acc.Region == Workspace && m.Groups) && InChunks(acc) == b: // each item, or group, has its own
	case m.concurrent() != "" && !inChunks && (m.Partial == 0 || acc.Region != Shared): // whose threads have partial results of their own
		c.misfit(on(b, m, m.concurrent()), "the %s of %s would share the partial results of the reduced %s%s", m.workers(), c.words.Loop(m), l.Index, c.accumulateAt(l.Statement, "workspace right above it"))
	case !m.Parallel && inChunks:
		c.misfit(on(b, m), "%s is the first loop below accumulate %s workspace, so it must be parallel", c.words.Loop(m), c.words.Statement(l.Statement))
	}
	_, _, size := ein.MatrixOf(c.f.Body[l.Statement])
	if inOutput := size == 1 && acc.Region == Output; m.Group > 0 && acc.Region != Register && acc.Region != Private && !inOutput {
		c.misfit(on(b, m, "group"), "groups along a reduced index have partial results of their own, of few results%s", c.accumulateAt(l.Statement, "register, or private, above it"))
	}
	if m.Vector > 0 {
		if !Foldable(op) {
			c.misfit(on(b, m, "vector"), "lanes cannot be folded with the operator %s, which has tuples with bools", op.Name)
		}
		if acc.Region != Register && acc.Region != Private {
			c.misfit(on(b, m, "vector"), "the lanes of %s, along a reduced index, have partial results of their own, of few results%s", c.words.Loop(m), c.accumulateAt(l.Statement, "register, or private, above it"))
		}
	}
}
