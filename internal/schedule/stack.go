package schedule

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

// ScanArrayBytes is how large the accumulators of an ordered reduction may be on
// the stack where a workspace could hold them, which is outside of parallel loops.
const ScanArrayBytes = 1 << 16

// unknownBytes stands for a size that is not known.
const unknownBytes = math.MaxInt64

// A buffer is what a node keeps on the stack of a thread.
type buffer struct {
	node  Node
	bytes int64
}

// reserve adds a buffer to the stack of the thread. Where there is no room for it, the
// largest of the buffers is what to change, which need not be this one.
func (c *checker) reserve(n Node, bytes int64, st *state) {
	switch {
	case bytes == unknownBytes:
		c.misfit(n, "the size of %s is not known here; tile or enumerate its indices further up", c.buffer(n))
	case bytes > machine.StackBytes-st.stack:
		blamed, needs := n, bytes
		if bytes < st.largest.bytes {
			blamed, needs = st.largest.node, st.largest.bytes
		}
		c.misfit(blamed, "%s has %d bytes, the other buffers around and inside %d, and a thread has room for %d on its stack; use smaller tiles",
			c.buffer(blamed), needs, st.stack+bytes-needs, machine.StackBytes)
	default:
		st.stack += bytes
		if bytes > st.largest.bytes {
			st.largest = buffer{n, bytes}
		}
	}
}

// buffer says what a node keeps.
func (c *checker) buffer(n Node) string {
	if p, ok := n.(*Place); ok {
		return "the block of " + p.Tensor
	}
	return "the buffer for the results of " + c.words.Statement(n.(*Accumulate).Statement)
}

// MultiplySizes multiplies sizes; what leaves 64 bits is not known.
func MultiplySizes(a, b int64) int64 {
	if a == unknownBytes || b == unknownBytes || a > 0 && b > (unknownBytes-1)/a {
		return unknownBytes
	}
	return a * b
}

// KnownSize is the value of a size, or the largest number where it is not known.
func KnownSize(e affine.Expr) int64 {
	if n, ok := e.IsConst(); ok {
		return max(n, 0)
	}
	return unknownBytes
}

// blockSize is how many values of an index the current block has at most.
func (c *checker) blockSize(s int, i *ein.Index, st state) int64 {
	left := st.left[place{s, i.Name}]
	if left == whole {
		left = unknownBytes
	}
	return min(left, KnownSize(i.Extent))
}

// blockBytes is the size of a placed block.
func (c *checker) blockBytes(t *ein.Tensor, p Placement, st state) int64 {
	bytes := int64(PlacedType(c.tree.Root, c.f, t, st.active).Size())
	for d := range t.Dims {
		size, ok := c.windows(t, p, d, st)
		if !ok {
			size, ok = c.written(p, d, st)
		}
		if !ok {
			_, size, ok = c.frames.Box(c.f, t, p.Uses, d, c.blocks(st))
		}
		if !ok {
			return unknownBytes
		}
		bytes = MultiplySizes(bytes, size)
	}
	return bytes
}

// written is the size of the block along a dimension of a temporary that lies nowhere else:
// all that is written there, if that is the block of one index.
func (c *checker) written(p Placement, d int, st state) (size int64, ok bool) {
	writes := slices.DeleteFunc(slices.Clone(p.Uses), func(u Use) bool { return !u.Writes })
	_, size, ok = c.frames.hull(c.f, writes, d, c.blocks(st))
	for _, u := range writes {
		i, _, linear := IndexPlusConstant(c.f.Body[u.Statement], u.Subscripts[d])
		_, n, _ := c.frames.span(c.f.Body[u.Statement], u, d, c.blocks(st))
		ok = ok && linear && n == size && !c.frames.Of(u.Statement, i).Guarded
	}
	return size, ok && !p.In && !p.Out
}

// windows is the size of the block along a dimension of a tensor whose only use is a read that has
// windows there. Padded tiles may enumerate windows that do not exist.
func (c *checker) windows(t *ein.Tensor, p Placement, d int, st state) (size int64, ok bool) {
	if len(p.Uses) != 1 || p.Uses[0].Writes {
		return 0, false
	}
	s := p.Uses[0].Statement
	if _, _, linear := IndexPlusConstant(c.f.Body[s], p.Uses[0].Subscripts[d]); linear {
		return 0, false
	}
	terms, _, ok := Window(c.f.Body[s], p.Uses[0].Subscripts[d])
	size = 1
	for _, term := range terms {
		at := place{s, term.Index.Name}
		if c.frames.Of(s, term.Index).Guarded || slices.ContainsFunc(st.paths[at], func(m *Member) bool { return m.Pad }) {
			return 0, false
		}
		step := term.Step / CommonStep(terms)
		values := MultiplySizes(step, c.blockSize(s, term.Index, st))
		if values == unknownBytes {
			return 0, false
		}
		size += values - step
	}
	return size, ok
}

// accumulatorBytes is the size of what an accumulate keeps on the stack.
func (c *checker) accumulatorBytes(n *Accumulate, comp *ein.Comprehension, st state) int64 {
	_, _, scan := ein.ScanOperator(comp)
	if _, free := ein.ReductionOperator(comp); !free && !scan && n.Region == Register {
		return c.orderedBytes(n, comp, st)
	}
	room := c.partsBytes(n, comp, st)
	if isWhole(n) || n.Region == Workspace || n.Region == Local {
		return room
	}
	elements := int64(1)
	for _, i := range comp.ByKind(ein.Concat) {
		size := c.blockSize(n.Statement, i, st)
		if st.level == inGroup {
			size = ownPoints(n, i, size)
		}
		if v := st.vectors[n.Statement]; v == i {
			size = vectorLanes(st.paths[place{n.Statement, i.Name}])
		}
		if w := VectorBelow(n.Statement, i.Name, n.Child); w > 0 && size < unknownBytes-int64(w) {
			size = (size + int64(w) - 1) / int64(w) * int64(w) // the last vector may be a partial one
		}
		elements = MultiplySizes(elements, size)
	}
	for _, i := range comp.ByKind(ein.Reduce) {
		if w := VectorBelow(n.Statement, i.Name, n.Child); w > 0 {
			elements = MultiplySizes(elements, int64(w)*LaneUnits(n.Statement, i.Name, w, n.Child))
		}
		elements = MultiplySizes(elements, max(1, ApartBelow(n.Statement, i.Name, n)))
	}
	for _, k := range c.levels.KeptIn(c.f, n) {
		elements = MultiplySizes(elements, k.Count)
	}
	bytes := MultiplySizes(elements, ComponentBytes(ein.Reduced(comp)[0].Combine.Op))
	if bytes > unknownBytes-room {
		return unknownBytes
	}
	return bytes + room
}

// partsBytes is the size of the parts of operands of float32 that a matrix unit multiplies below
// an accumulate (matrix.go).
func (c *checker) partsBytes(a *Accumulate, comp *ein.Comprehension, st state) int64 {
	if i, size := MatrixBelow(a.Statement, comp, a.Child); i == nil || size != 1 || accumulatesBelow(a.Statement, a.Child) {
		return 0
	}
	size := func(indices []*ein.Index) int64 { // some may be joined
		n := int64(1)
		for _, i := range indices {
			n = MultiplySizes(n, c.blockSize(a.Statement, i, st))
		}
		return n
	}
	points, members := size(comp.ByKind(ein.Concat)), size(comp.ByKind(ein.Reduce))
	unit := MatrixLoop(a.Statement, comp, a.Child)
	kind := ProductOf(comp, 1)
	if kind == ein.WindowProduct {
		return RoomOf(unit, kind)
	}
	return ein.PartsRoom(unit.Blocking, RoomOf(unit, kind), points, points, members, members) * int64(tensor.BFloat16.Size())
}

// accumulatesBelow reports whether further accumulators of a statement start in a subtree.
func accumulatesBelow(s int, n Node) bool {
	a, ok := n.(*Accumulate)
	return ok && a.Statement == s || slices.ContainsFunc(Children(n), func(child Node) bool { return accumulatesBelow(s, child) })
}

// vectorLanes is the width of the vector that ends a path.
func vectorLanes(path []*Member) int64 { return int64(max(1, path[len(path)-1].Vector)) }

// ComponentBytes is the size of one accumulator of an operator.
func ComponentBytes(op *ein.Operator) int64 {
	bytes := int64(0)
	for _, t := range op.Types() {
		bytes += int64(t.Compute().Size())
	}
	if op.Identity == nil {
		bytes += 8 // whether there is a value (ein.Operator.WithIdentity)
	}
	return bytes
}

// orderedBytes is the size of the accumulators of a reduction in a fixed order.
func (c *checker) orderedBytes(n *Accumulate, comp *ein.Comprehension, st state) int64 {
	lanes := int64(1)
	if v := st.vectors[n.Statement]; v != nil {
		lanes = vectorLanes(st.paths[place{n.Statement, v.Name}])
	}
	total, shared := int64(0), !st.parallel && st.level == onHost
	for _, bytes := range orderedArrays(CombinedIn(n.Child, n.Statement, comp), lanes) {
		switch {
		case !shared && bytes > machine.StackBytes-total:
			c.misfit(n, "%s needs arrays around its scans that are too large for every thread, or item, to have its own; make the loops above serial", c.words.Statement(n.Statement))
			return 0
		case !shared || bytes <= ScanArrayBytes:
			total += bytes
		}
	}
	return total
}

// orderedArrays returns the bytes of the accumulators of every reduced index, in the order
// in which these are combined: one per position of the scans inside of it.
func orderedArrays(rest []*ein.Index, lanes int64) []int64 {
	var list []int64
	positions := lanes
	for k := len(rest) - 1; k >= 0; k-- {
		list = append(list, MultiplySizes(positions, ComponentBytes(rest[k].Combine.Op)))
		if rest[k].Combine.Kind == ein.Scan {
			positions = MultiplySizes(positions, KnownSize(rest[k].Extent))
		}
	}
	return list
}

// ThreadsHaveRoom reports whether every thread may have the arrays of an ordered
// reduction for itself, in vectors of some bytes.
func ThreadsHaveRoom(comp *ein.Comprehension, vectorBytes int) bool {
	if _, free := ein.ReductionOperator(comp); free {
		return true
	}
	total := int64(0)
	element := ein.Reduced(comp)[0].Combine.Op.Types()[0].Compute()
	for _, bytes := range orderedArrays(ein.Reduced(comp), int64(max(1, vectorBytes/element.Size()))) {
		if bytes > machine.StackBytes-total {
			return false
		}
		total += bytes
	}
	return true
}

// VectorBelow returns the lanes of the next vector loop over an index of a
// statement in a subtree, or 0.
func VectorBelow(statement int, index string, n Node) int {
	return markBelow(statement, index, n, func(m *Member) int { return m.Vector })
}

// StreamsBelow reports whether a loop over an index of a statement in a subtree writes its
// vectors past the caches.
func StreamsBelow(statement int, index string, n Node) bool {
	return markBelow(statement, index, n, func(m *Member) int {
		if m.Stream {
			return 1
		}
		return 0
	}) > 0
}

// markBelow returns the number that the next loop over an index of a statement in a
// subtree is marked with, or 0 where none is.
func markBelow(statement int, index string, n Node, mark func(*Member) int) int {
	if b, ok := n.(*Band); ok {
		for _, m := range b.Members {
			if l, ok := m.IndexOf(statement); ok && l.Index == index && mark(m) > 0 {
				return mark(m)
			}
		}
	}
	for _, child := range Children(n) {
		if found := markBelow(statement, index, child, mark); found > 0 {
			return found
		}
	}
	return 0
}

// childOf returns the child of a node in which a statement is, nil of a leaf.
func childOf(n Node, statement int) Node {
	for _, child := range Children(n) {
		if f, ok := child.(*Filter); !ok || slices.Contains(f.Statements, statement) {
			return child
		}
	}
	return nil
}

// LaneUnits returns how many vectors the innermost tile around a vector loop of w
// lanes has, each of which accumulates on its own.
func LaneUnits(statement int, index string, w int, below Node) int64 {
	const most = 32 // more vectors than any register file holds
	tile := int64(0)
	for n := below; n != nil; {
		if b, ok := n.(*Band); ok {
			for _, m := range b.Members {
				if l, ok := m.IndexOf(statement); ok && l.Index == index && m.Vector == 0 {
					tile = m.Tile
				}
			}
		}
		n = childOf(n, statement)
	}
	if tile%int64(w) == 0 && tile/int64(w) <= most {
		return max(1, tile/int64(w))
	}
	return 1
}
