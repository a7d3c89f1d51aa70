package schedule

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Check reports whether the tree enumerates every point of f exactly once, in
// an order that keeps all dependences. An error names the node and, for a
// dependence, the two accesses. Of an unchecked tree dependences are left out.
func Check(f *ein.Func, t *Tree) error { return CheckFor(f, t, treeWords{}) }

// CheckFor is Check with other words in its messages.
func CheckFor(f *ein.Func, t *Tree, words Words) error {
	c := newChecker(f, t)
	c.words = words
	c.domain()
	if !c.errs.HasErrors() {
		c.placement()
	}
	if !c.errs.HasErrors() {
		c.node(t.Root, state{active: all(len(f.Body)), left: c.extents(), paths: map[place][]*Member{}, accumulators: map[int]Node{}, vectors: map[int]*ein.Index{}, groups: map[int]*grouped{}})
	}
	if !c.errs.HasErrors() && !t.Unchecked {
		c.dependences()
	}
	return c.errs.Err()
}

type checker struct {
	f      *ein.Func
	tree   *Tree
	errs   *source.Diagnostics
	frames Frames
	words  Words
}

func newChecker(f *ein.Func, t *Tree) *checker {
	return &checker{f: f, tree: t, errs: &source.Diagnostics{}, frames: FramesOf(f, t), words: treeWords{}}
}

// misfit reports a node that does not fit the function.
func (c *checker) misfit(n Node, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if where := c.words.Node(n); where != "" {
		message = where + ": " + message
	}
	c.errs.Errorf(source.ScheduleMisfit, c.f.Pos, "%s", message)
}

func (c *checker) domain() {
	want := newTree(c.f)
	same := len(want.Statements) == len(c.tree.Statements)
	for i := 0; same && i < len(want.Statements); i++ {
		same = slices.Equal(want.Statements[i].Indices, c.tree.Statements[i].Indices)
	}
	if !same {
		want.Root = &Leaf{}
		c.errs.Errorf(source.ScheduleMisfit, c.f.Pos, "the domain of the schedule is not that of %s", c.f.Name).
			WithHelp("the domain of %s is %s", c.f.Name, Print(want))
	}
}

// whole says that nothing of an index is enumerated yet.
const whole = int64(1) << 62

type place struct {
	statement int
	index     string
}

// state is what is known on the way from the root.
type state struct {
	active       []int
	left         map[place]int64     // the size of the block that is left to enumerate; 1 is a point
	paths        map[place][]*Member // the members that enumerate an index further up
	accumulators map[int]Node        // the innermost accumulate of a statement
	vectors      map[int]*ein.Index  // the vector loop of a statement further up
	groups       map[int]*grouped    // the loop over groups of a statement further up
	arranged     []string            // placed tensors with a layout of the tree
	placed       []string            // tensors with storage of their own
	packed       []string            // inputs whose blocks lie in the workspace
	stack        int64               // bytes that a thread has on its stack
	largest      buffer              // the largest of them
	parallel     bool
}

func (c *checker) extents() map[place]int64 {
	left := map[place]int64{}
	for s, comp := range c.f.Body {
		for _, i := range comp.Indices {
			left[place{s, i.Name}] = whole
		}
	}
	return left
}

func (s state) clone() state {
	s.left, s.paths = maps.Clone(s.left), maps.Clone(s.paths)
	s.accumulators, s.vectors, s.groups = maps.Clone(s.accumulators), maps.Clone(s.vectors), maps.Clone(s.groups)
	return s
}

func (c *checker) node(n Node, st state) {
	switch n := n.(type) {
	case *Sequence:
		c.sequence(n, st)
	case *Filter:
		c.filter(n, st)
	case *Band:
		st = st.clone()
		for i, m := range n.Members {
			c.member(n, i, m, &st)
		}
		c.node(n.Child, st)
	case *Accumulate:
		c.accumulate(n, st)
	case *Place:
		c.place(n, st)
	case *Leaf:
		c.leaf(n, st)
	}
}

// place checks that a tensor may get storage of its own: a temporary, an input all of
// whose reads here are proved to be in bounds, because the copy reads them without
// their conditions, or an output of which the statements below write whole blocks.
func (c *checker) place(n *Place, st state) {
	t := c.f.Tensor(n.Tensor)
	c.placeable(n, t, st)
	if c.errs.HasErrors() {
		return
	}
	if n.Region != Workspace {
		st.placed = append(st.placed[:len(st.placed):len(st.placed)], n.Tensor)
		if n.Layout != nil {
			st.arranged = append(st.arranged[:len(st.arranged):len(st.arranged)], n.Tensor)
		}
		c.reserve(n, c.blockBytes(n, t, st), &st)
	} else {
		st.packed = append(st.packed[:len(st.packed):len(st.packed)], n.Tensor)
	}
	c.node(n.Child, st)
}

func (c *checker) placeable(n *Place, t *ein.Tensor, st state) {
	switch {
	case t == nil || t.Role == ein.InOut:
		c.misfit(n, "%s is no temporary, input or output of %s", n.Tensor, c.f.Name)
	case n.Region == Output || n.Region == Workspace && t.Role != ein.Input:
		c.misfit(n, "a temporary or output is placed in register or private, an input there or in workspace")
	case n.Layout != nil && !isPermutation(n.Layout, len(t.Dims)):
		c.misfit(n, "the layout of %s names each of its %d dimensions once, counted from 1", t.Name, len(t.Dims))
	case t.Role != ein.Temp && len(t.Dims) == 0:
		c.misfit(n, "%s is a scalar, of which a copy is of no use", t.Name)
	case c.usesGuarded(t, st.active):
		c.misfit(n, "%s is used by a statement that is skewed, or fused with another range", t.Name)
	case t.Role != ein.Input:
		for _, s := range st.active {
			writes := slices.ContainsFunc(c.f.Body[s].Writes, func(w *ein.Write) bool { return w.Tensor == t })
			if writes && st.accumulators[s] != nil {
				c.misfit(n, "%s needs its storage where the results of %s are complete, which is further up", t.Name, c.words.Statement(s))
			}
		}
		if t.Role == ein.Output {
			c.writesBlocks(n, t, st)
		}
	default:
		if n.Region == Workspace {
			c.packable(n, t, st)
		}
		for _, s := range st.active {
			for _, a := range c.f.Body[s].Accesses() {
				for d := range a.Subscripts {
					if a.Tensor == t && !InBounds(c.f.Body[s], a, d) {
						c.misfit(n, "a read of %s in %s is not proved to be in bounds", t.Name, c.words.Statement(s))
						return
					}
				}
			}
		}
	}
}

// writesBlocks checks that what is below writes every element of a block of an output
// once, and does nothing else with it, so that the block can be copied to the output
// when all is done.
func (c *checker) writesBlocks(n *Place, t *ein.Tensor, st state) {
	var write *access
	for _, a := range accesses(c.f) {
		switch {
		case a.tensor != t || !slices.Contains(st.active, a.statement):
		case write != nil || !a.writes || c.f.Body[a.statement].Accumulate != nil:
			c.misfit(n, "%s is an output: one statement inside must write it, and none read it", t.Name)
			return
		default:
			write = &a
		}
	}
	if write == nil {
		c.misfit(n, "nothing inside writes %s", t.Name)
		return
	}
	var seen []*ein.Index
	for _, sub := range write.subscripts {
		index, _, linear := IndexPlusConstant(c.f.Body[write.statement], sub)
		if !linear || slices.Contains(seen, index) {
			c.misfit(n, "%s writes %s at a subscript that is no index of its own, so blocks of it are not written as a whole", c.words.Statement(write.statement), t.Name)
			return
		}
		seen = append(seen, index)
	}
}

// usesGuarded reports whether not all values that the loops of some statement that
// uses a tensor enumerate are points.
func (c *checker) usesGuarded(t *ein.Tensor, active []int) bool {
	return slices.ContainsFunc(accesses(c.f), func(a access) bool {
		return a.tensor == t && slices.Contains(active, a.statement) && c.frames.Guarded(a.statement, c.f.Body[a.statement])
	})
}

// packable checks that the blocks of an input are those of equal tiles, so that they
// can all be copied beforehand, from the input itself.
func (c *checker) packable(n *Place, t *ein.Tensor, st state) {
	if slices.Contains(st.placed, t.Name) || slices.Contains(st.packed, t.Name) {
		c.misfit(n, "%s is packed into the workspace below another place of it", t.Name)
		return
	}
	for d, dim := range t.Dims {
		if _, known := dim.Extent.IsConst(); !known {
			c.misfit(n, "%s is packed into the workspace but its size %s is not known", t.Name, dim.Extent)
			return
		}
		for _, a := range accesses(c.f) {
			if a.tensor != t || !slices.Contains(st.active, a.statement) {
				continue
			}
			index, _, linear := IndexPlusConstant(c.f.Body[a.statement], a.subscripts[d])
			if !linear {
				continue
			}
			path := st.paths[place{a.statement, index.Name}]
			for k, m := range path {
				if m.Vector > 0 {
					c.misfit(n, "the vectors of %s are no equal blocks of the packed %s", c.words.Index(a.statement, index.Name), t.Name)
					return
				}
				if k > 0 && path[k].Tile > 0 && path[k-1].Tile%path[k].Tile != 0 {
					c.misfit(n, "the tile of %d of %s does not divide the %d around it, so the blocks of the packed %s are not equal",
						path[k].Tile, c.words.Index(a.statement, index.Name), path[k-1].Tile, t.Name)
					return
				}
			}
		}
	}
}

// isPermutation reports whether a list has each of 1 … n once.
func isPermutation(list []int, n int) bool {
	sorted := slices.Sorted(slices.Values(list))
	for i, d := range sorted {
		if d != i+1 {
			return false
		}
	}
	return len(sorted) == n
}

func (c *checker) sequence(n *Sequence, st state) {
	var covered []int
	for _, child := range n.Children {
		covered = append(covered, child.Statements...)
	}
	slices.Sort(covered)
	if !slices.Equal(covered, st.active) {
		c.misfit(n, "its filters must name each of the statements %s once", c.statements(st.active))
		return
	}
	for _, child := range n.Children {
		c.filter(child, st)
	}
}

func (c *checker) filter(n *Filter, st state) {
	var active []int
	for _, s := range n.Statements {
		if !slices.Contains(st.active, s) {
			c.misfit(n, "%s is not enumerated here", c.words.Statement(s))
			return
		}
		active = append(active, s)
	}
	slices.Sort(active)
	st.active = active
	c.node(n.Child, st)
}

// member checks that one loop continues the enumeration of its indices.
func (c *checker) member(b *Band, at int, m *Member, st *state) {
	if m.Parallel && (at == 0 || !b.Members[at-1].Parallel) {
		if st.parallel {
			c.misfit(b, "a parallel loop inside of a parallel loop")
		}
		for _, s := range st.active {
			if acc, ok := st.accumulators[s].(*Accumulate); ok && (acc.Region == Register || acc.Region == Private) {
				c.misfit(b, "the threads of the parallel loop %s would share the accumulators of %s", c.words.Loop(m), c.words.Statement(s))
			}
		}
		if len(st.placed) > 0 {
			c.misfit(b, "the threads of the parallel loop %s would share the block of %s", c.words.Loop(m), st.placed[len(st.placed)-1])
		}
		st.parallel = true
	}
	var seen []int
	for _, l := range m.Loops {
		seen = append(seen, l.Statement)
	}
	slices.Sort(seen)
	if !slices.Equal(seen, st.active) {
		c.misfit(b, "the member %s must have one index of each of the statements %s", c.words.Loop(m), c.statements(st.active))
		return
	}
	if m.Vector > 0 && (m.Tile != 1 || m.Parallel || m.Vector == 1 || m.Vector&(m.Vector-1) != 0) {
		c.misfit(b, "a vector loop has a power of two of lanes, no tile and is not parallel")
	}
	if m.Reverse && m.Vector > 0 {
		c.misfit(b, "the lanes of a vector have no direction; reverse the loop over its blocks")
	}
	if m.Pad && m.Tile == 1 {
		c.misfit(b, "only tiles can be padded, and the member %s has none", c.words.Loop(m))
	}
	if m.Stream && m.Vector == 0 {
		c.misfit(b, "vector loops stream, others do not")
	}
	if m.Ahead != 0 && (m.Vector == 0 || m.Ahead > mostAhead) {
		c.misfit(b, "vector loops ask for what is up to %d bytes ahead, others do not", int64(mostAhead))
	}
	if m.Prefetch != "" {
		c.prefetch(b, m, st)
	}
	for k := at - 1; m.Parallel && k >= 0 && b.Members[k].Parallel; k-- {
		if l := m.Loops[0]; slices.ContainsFunc(b.Members[k].Loops, func(o Loop) bool { return o.Statement == l.Statement && o.Index == l.Index }) {
			c.misfit(b, "adjacent parallel loops are one, and two of them are over %s", c.words.Index(l.Statement, l.Index))
		}
	}
	for _, l := range m.Loops {
		c.loop(b, at, m, l, st)
	}
}

func (c *checker) loop(b *Band, at int, m *Member, l Loop, st *state) {
	p := place{l.Statement, l.Index}
	left, ok := st.left[p]
	switch {
	case !ok:
		c.misfit(b, "%s has no index %s", c.words.Statement(l.Statement), l.Index)
		return
	case left == 1:
		c.misfit(b, "%s is enumerated already", c.words.Index(l.Statement, l.Index))
		return
	case m.Tile >= left:
		c.misfit(b, "the tile of %s is not smaller than the block of %d around it", c.words.Index(l.Statement, l.Index), left)
		return
	case m.Group > 0 && left != whole && left%int64(m.Group) != 0:
		c.misfit(b, "the block of %d around the loop over groups of %s does not consist of groups of %d", left, c.words.Index(l.Statement, l.Index), m.Group)
		return
	case m.Vector > 0 && left != whole && left%int64(m.Vector) != 0:
		c.misfit(b, "the block of %d around the vector loop over %s does not consist of %d lanes", left, c.words.Index(l.Statement, l.Index), m.Vector)
		return
	}
	index := c.index(p)
	if m.Group > 0 {
		c.group(b, m, l, index, st)
	}
	c.coordinate(b, m, l, st)
	st.left[p] = m.Tile
	st.paths[p] = append(slices.Clone(st.paths[p]), m)
	comp := c.f.Body[l.Statement]
	if m.Vector > 0 {
		if why := Vectorisable(comp, index); why != "" {
			c.misfit(b, "%s cannot be a vector: %s", c.words.Index(l.Statement, l.Index), why)
		}
		if st.vectors[l.Statement] != nil {
			c.misfit(b, "%s has two vector loops", c.words.Statement(l.Statement))
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
	path, others := st.paths[place{l.Statement, l.Index}], st.paths[place{first.Statement, first.Index}]
	if first.Statement != l.Statement { // of the first loop the member itself is there already
		others = others[:max(0, len(others)-1)]
	}
	switch by := c.index(place{l.Statement, l.By}); {
	case l.By != "" && (by == nil || by == index || c.fixedOrder(l.Statement, index, by) || c.frames.Of(l.Statement, by).By != nil || isEmpty(index.Extent) || isEmpty(by.Extent)):
		c.misfit(b, "%s is skewed by %s, expected another index of the statement, which is not skewed itself, and none that is reduced in a fixed order or empty", c.words.Index(l.Statement, l.Index), l.By)
	case frame.By != by || frame.Factor != l.Factor || frame.Guarded && len(path) > 0 && shiftOf(path[0], l) != l.Shift:
		c.misfit(b, "all loops over %s must have the same skew and shift", c.words.Index(l.Statement, l.Index))
	case (len(path) == 0) != (len(others) == 0) || len(path) > 0 && path[len(path)-1] != others[len(others)-1]:
		c.misfit(b, "the blocks of the fused %s and %s differ", c.words.Index(l.Statement, l.Index), c.words.Index(first.Statement, first.Index))
	case len(path) == 0 && !c.sameRange(l, first):
		c.misfit(b, "the ranges of the fused %s and %s differ", c.words.Index(l.Statement, l.Index), c.words.Index(first.Statement, first.Index))
	case (m.Vector > 0 || m.Pad) && c.frames.Involved(l.Statement, comp, index):
		c.misfit(b, "%s is skewed, or fused with another range: it cannot be a vector or padded", c.words.Index(l.Statement, l.Index))
	}
}

// fixedOrder reports whether one of two indices is reduced in an order that stays.
func (c *checker) fixedOrder(statement int, indices ...*ein.Index) bool {
	_, free := ReductionOperator(c.f.Body[statement])
	return !free && slices.ContainsFunc(indices, func(i *ein.Index) bool { return i.Combine.Kind != ein.Concat })
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
		c.misfit(b, "no accumulate %s above the loop over its reduced index %s", c.words.Statement(l.Statement), l.Index)
		return
	}
	op, free := ReductionOperator(c.f.Body[l.Statement])
	if _, scanOp, scan := ScanOperator(c.f.Body[l.Statement]); scan {
		if op = scanOp; m.Reverse {
			c.misfit(b, "the scan of %s goes from the first to the last", c.words.Statement(l.Statement))
		}
	} else if !free {
		return // accumulate has checked the order
	}
	inChunks := acc.Region == Workspace && InChunks(acc) == b && at == 0
	if m.Parallel != inChunks {
		c.misfit(b, "a loop over the reduced index %s is parallel exactly if it is the first below accumulate %s workspace", l.Index, c.words.Statement(l.Statement))
	}
	if m.Parallel && c.frames.Involved(l.Statement, c.f.Body[l.Statement], c.index(place{l.Statement, l.Index})) {
		c.misfit(b, "the reduced %s is skewed, or fused with another range: its loop is not parallel", l.Index)
	}
	if m.Group > 0 && acc.Region != Register && acc.Region != Private {
		c.misfit(b, "groups need accumulators in register or private")
	}
	if m.Vector > 0 {
		if !Foldable(op) {
			c.misfit(b, "lanes cannot be folded with the operator %s, which has tuples with bools", op.Name)
		}
		if acc.Region != Register && acc.Region != Private {
			c.misfit(b, "vectors along a reduced index need accumulators in register or private")
		}
	}
}

// foldOperators are the operators with which the lanes of a vector can be folded.
var foldOperators = map[ein.OperatorKind]ein.BinaryOp{
	ein.SumOp: ein.Add, ein.ProductOp: ein.Mul, ein.MinOp: ein.Min, ein.MaxOp: ein.Max, ein.AndOp: ein.And, ein.OrOp: ein.Or,
}

// Foldable reports whether the lanes of vectors can accumulate for an operator that
// is associative and commutative: with one instruction, or by moving lanes, which
// bools have none of.
func Foldable(op *ein.Operator) bool {
	_, ok := foldOperators[op.Kind]
	return ok || !slices.Contains(op.Types(), tensor.Bool)
}

// FoldOperator returns the infix operator that folds the lanes of a vector as a
// reduction operator does; ok is false where there is none.
func FoldOperator(op *ein.Operator) (fold ein.BinaryOp, ok bool) {
	fold, ok = foldOperators[op.Kind]
	return fold, ok
}

func (c *checker) index(p place) *ein.Index { return indexNamed(c.f, p.statement, p.index) }

func (c *checker) accumulate(n *Accumulate, st state) {
	if !slices.Contains(st.active, n.Statement) {
		c.misfit(n, "%s is not enumerated here", c.words.Statement(n.Statement))
		return
	}
	comp := c.f.Body[n.Statement]
	c.shared(n, comp, st)
	op, free := ReductionOperator(comp)
	_, _, scan := ScanOperator(comp)
	outer := st.accumulators[n.Statement]
	switch {
	case len(Reduced(comp)) == 0:
		c.misfit(n, "%s has no reduced index", c.words.Statement(n.Statement))
	case scan:
		c.scan(n, st)
	case !free:
		c.ordered(n, comp, st)
	case n.Region == Output:
		c.inOutput(n, comp, op, outer)
	case n.Region == Workspace && outer != nil && !isOutput(outer):
		c.misfit(n, "the partial results of a parallel loop are the outermost accumulators, but for those in the output")
	case n.Region == Workspace && st.vectors[n.Statement] != nil:
		c.misfit(n, "partial results of a parallel loop are scalars, and %s is a vector here", c.words.Index(n.Statement, st.vectors[n.Statement].Name))
	}
	if i := st.vectors[n.Statement]; i != nil && i.Combine.Kind == ein.Reduce {
		c.misfit(n, "the lanes over the reduced index %s would share its accumulators; put it above the vector loop", i.Name)
	}
	if b := InChunks(n); n.Region == Workspace && (b == nil || !b.Members[0].Parallel || len(b.Members) > 1 && b.Members[1].Parallel) {
		c.misfit(n, "its child must be a band whose first member alone is parallel")
	}
	for _, i := range comp.ByKind(ein.Concat) {
		c.coordinateHere(n, comp, i, st.left[place{n.Statement, i.Name}])
		if _, known := i.Extent.IsConst(); !known && st.left[place{n.Statement, i.Name}] == whole && n.Region != Output {
			c.misfit(n, "index %s has an unknown size here; tile or enumerate it further up", i.Name)
		}
	}
	if c.errs.HasErrors() {
		return
	}
	st = st.clone()
	c.reserve(n, c.accumulatorBytes(n, comp, st), &st)
	st.accumulators[n.Statement] = n
	c.node(n.Child, st)
}

// coordinateHere checks that the points whose results come to life at an accumulate are
// known there, although the values of coordinates are no points. Partial results in the
// output may be those of all points that the coordinates further in have; but where a
// coordinate depends on a reduced index, what is left of it says nothing of the points.
func (c *checker) coordinateHere(n *Accumulate, comp *ein.Comprehension, i *ein.Index, left int64) {
	by := c.frames.Of(n.Statement, i).By
	switch skewed := by != nil && by.Combine.Kind != ein.Concat; {
	case !c.frames.Involved(n.Statement, comp, i):
	case skewed && (n.Region != Output || left != whole):
		c.misfit(n, "index %s is skewed by %s, which is reduced: partial results are in the output, above the loops over both", i.Name, by.Name)
	case n.Region != Output && left != 1:
		c.misfit(n, "index %s is skewed, or fused with another range: it must be enumerated further up", i.Name)
	}
}

// shared checks an accumulate in whose life other statements run, too: the loops below
// are those of all of them, up to the sequence that parts them.
func (c *checker) shared(n *Accumulate, comp *ein.Comprehension, st state) {
	if len(st.active) == 1 {
		return
	}
	if _, free := ReductionOperator(comp); !free {
		c.misfit(n, "%s is reduced in a fixed order, or scanned: no other statement may share its loops", c.words.Statement(n.Statement))
	}
	for _, i := range comp.Indices {
		if slices.ContainsFunc(st.paths[place{n.Statement, i.Name}], func(m *Member) bool { return m.Pad }) {
			c.misfit(n, "the tiles of %s are padded: no other statement may share the loops of %s", c.words.Index(n.Statement, i.Name), c.words.Statement(n.Statement))
		}
	}
}

// InChunks returns the band whose parallel loop has the partial results of an accumulate
// in the workspace, perhaps together with those of other statements; nil for none.
func InChunks(n *Accumulate) *Band {
	switch child := n.Child.(type) {
	case *Band:
		return child
	case *Accumulate:
		if child.Region == Workspace && child.Statement != n.Statement {
			return InChunks(child)
		}
	}
	return nil
}

func isOutput(n Node) bool {
	a, ok := n.(*Accumulate)
	return ok && a.Region == Output
}

// ordered checks the one nest that reductions with a fixed order allow.
func (c *checker) ordered(n *Accumulate, comp *ein.Comprehension, st state) {
	for _, i := range comp.ByKind(ein.Concat) {
		if st.left[place{n.Statement, i.Name}] != 1 {
			c.misfit(n, "%s has a fixed order of reduction: its index %s must be enumerated further up", c.words.Statement(n.Statement), i.Name)
		}
	}
	rest := Reduced(comp)
	b, ok := n.Child.(*Band)
	ok = ok && n.Region == Register && st.accumulators[n.Statement] == nil && len(b.Members) == len(rest)
	for k := 0; ok && k < len(rest); k++ {
		m := b.Members[k]
		ok = len(m.Loops) == 1 && m.Loops[0].Index == rest[k].Name && m.Tile == 1 && m.Vector == 0 && !m.Parallel && !m.Reverse
	}
	if !ok {
		c.misfit(n, "%s has a fixed order of reduction: expected accumulate %s register over %q", c.words.Statement(n.Statement),
			statementName(n.Statement), nodeText(bandOver(n.Statement, rest, &Leaf{})))
	}
}

func (c *checker) inOutput(n *Accumulate, comp *ein.Comprehension, op *ein.Operator, outer Node) {
	if outer != nil {
		c.misfit(n, "partial results in the output are the outermost accumulators")
	}
	if why := InOutput(comp, op); why != "" {
		c.misfit(n, "%s", why)
	}
}

// InOutput returns why the partial results of a reduction cannot live in what it
// writes, or "".
func InOutput(c *ein.Comprehension, op *ein.Operator) string {
	if c.Accumulate != nil && !SameOperator(c.Accumulate, op) {
		return "the old value is joined with another operator than the reduction's"
	}
	for _, w := range c.Writes {
		if w.Tensor.Type.IsHalf() {
			return fmt.Sprintf("%s is %s: partial results would be rounded", w.Tensor.Name, w.Tensor.Type)
		}
		for _, a := range c.Accesses() {
			if a.Tensor == w.Tensor {
				return fmt.Sprintf("the statement reads %s, which would hold partial results", w.Tensor.Name)
			}
		}
	}
	return ""
}

func (c *checker) leaf(n *Leaf, st state) {
	if len(st.active) == 0 {
		return // a function without statements
	}
	if len(st.active) != 1 {
		c.misfit(n, "the order of %s is open; put a sequence above", c.statements(st.active))
		return
	}
	s := st.active[0]
	for _, i := range c.f.Body[s].Indices {
		if st.left[place{s, i.Name}] != 1 {
			c.misfit(n, "index %s of %s is not enumerated to its points", i.Name, c.words.Statement(s))
		}
	}
	if len(Reduced(c.f.Body[s])) > 0 && st.accumulators[s] == nil {
		c.misfit(n, "the reduction %s has no accumulate", c.words.Statement(s))
	}
	c.groupLeaf(s, st)
}

// Vectorisable returns why several values of an index cannot be computed at
// once, or "".
func Vectorisable(c *ein.Comprehension, index *ein.Index) string {
	_, scanOp, scan := ScanOperator(c)
	if index.Combine.Kind == ein.Scan && (!scan || slices.Contains(scanOp.Types(), tensor.Bool)) { // masks have no lanes that move
		return "a scan goes from point to point"
	}
	if _, free := ReductionOperator(c); !free && index.Combine.Kind == ein.Reduce {
		return "its reduction has a fixed order"
	}
	depends := func(e ein.Expr) bool { return usesIndex(e, index) }
	why := ""
	var visit func(e ein.Expr, guarded bool)
	visit = func(e ein.Expr, guarded bool) {
		if a, ok := e.(*ein.Access); ok && a.Checked {
			for d, sub := range a.Subscripts {
				if !InBounds(c, a, d) && (guarded || depends(sub)) {
					why = fmt.Sprintf("the tested access to %s depends on it", a.Tensor.Name)
				}
			}
		}
		if s, ok := e.(*ein.Select); ok && depends(s.Cond) {
			visit(s.Cond, guarded)
			visit(s.Then, true)
			visit(s.Else, true)
			return
		}
		for _, child := range ein.Children(e) {
			visit(child, guarded)
		}
	}
	for _, v := range c.Values {
		visit(v, false)
	}
	return why
}

// usesIndex reports whether the value of e may depend on the index. A local may
// depend on anything.
func usesIndex(e ein.Expr, index *ein.Index) bool {
	found := false
	ein.Walk(e, func(e ein.Expr) bool {
		switch e := e.(type) {
		case *ein.IndexRef:
			found = found || e.Index == index
		case *ein.LocalRef:
			found = true
		}
		return !found
	})
	return found
}

// facts returns what is known about the sizes.
func (c *checker) facts() *affine.Facts {
	known := affine.NewFacts()
	for _, s := range c.f.Sizes {
		switch {
		case s.Dim == ein.ScalarValue:
		case s.MayBeZero:
			known.AtLeast(s.Name, 0)
		default:
			known.AtLeast(s.Name, 1)
		}
	}
	for _, r := range c.f.Requires {
		known.Assume(r.Expr)
	}
	return known
}
