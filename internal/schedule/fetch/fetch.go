// Package fetch says in a schedule tree what register tiles ask for ahead, by what the machine waits for.
package fetch

import (
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How it works
//
// Every maker of trees calls Mark when its tree is done. Mark walks it with the size of the block that is left of every
// index, as the lowering will, and puts the marks of schedule/fetch.go where its rules want them: those for results in
// results.go, for operands that are read as they lie in operands.go, for blocks that are copied in blocks.go. A rule says
// why something is asked for, by quantities of the machine (facts.go); whether it can be is the lowering's.
// Loops over blocks whose last one is smaller are judged by the others.
//
// Where it was measured that a transposition is slower if it asks for rows ahead (machine.Ratios.AskedRows), none are asked
// for; the same goes for sums of one run of memory. Blocks in the second cache are asked for on all machines, and rows that
// the first register tile copies.
//
// Trees that were written by hand stay as they are: no mark, nothing is asked for.

// Mark sets the marks of a tree that say what is asked for ahead, for a processor; strides are those of arguments that
// do not lie densely, in elements. It takes away those that are there.
func Mark(f *ein.Func, t *schedule.Tree, p *machine.Processor, strides map[string][]int64) {
	f = schedule.WithSingles(f, t)
	m := &marker{f: f, tree: t, facts: factsOf(p), nearest: p.L1, levels: schedule.LevelsOf(t), strides: strides}
	st := state{blocks: map[point]block{}, places: map[string]*placed{}, sums: map[int]*sums{}}
	frames := schedule.FramesOf(f, t)
	for s, c := range f.Body {
		st.statements = append(st.statements, s)
		for _, i := range c.Indices {
			n, _ := frames.Of(s, i).Extent.IsConst()
			st.blocks[point{s, i.Name}] = block{size: max(n, 0)}
		}
	}
	m.node(t.Root, st)
}

// Asks reports whether a subtree says what is asked for ahead.
func Asks(n schedule.Node) bool {
	switch n := n.(type) {
	case *schedule.Band:
		if slices.ContainsFunc(n.Members, func(m *schedule.Member) bool { return len(m.Fetches) > 0 }) {
			return true
		}
	case *schedule.Accumulate:
		if n.Fetch > 0 || n.Ahead > 0 {
			return true
		}
	case *schedule.Place:
		if n.Fetch > 0 || n.Fill > 0 || n.NextStrip || n.NextPanel {
			return true
		}
	}
	return slices.ContainsFunc(schedule.Children(n), Asks)
}

type marker struct {
	f       *ein.Func
	tree    *schedule.Tree
	facts   facts
	nearest int64 // bytes of the nearest cache; 0 if they are not known
	levels  schedule.Levels
	strides map[string][]int64
}

// A point is an index of a statement.
type point struct {
	statement int
	index     string
}

// A block is what is left of an index.
type block struct {
	size  int64   // 0 if it is not known
	rests []int64 // of last blocks that are smaller
	moves bool    // there are several
	lanes int     // of a vector
}

// isPoint reports whether nothing is left to enumerate.
func (b block) isPoint() bool { return b.size == 1 || b.lanes > 0 }

// least is the size of the smallest one.
func (b block) least() int64 { return slices.Min(append(slices.Clip(b.rests), b.size)) }

// A state is what is known at a node.
type state struct {
	statements []int
	blocks     map[point]block
	places     map[string]*placed // by tensor
	sums       map[int]*sums      // the innermost ones of a statement
}

// of returns the block of an index.
func (st state) of(s int, i *ein.Index) block { return st.blocks[point{s, i.Name}] }

func (m *marker) node(n schedule.Node, st state) {
	switch n := n.(type) {
	case *schedule.Filter:
		st.statements = slices.DeleteFunc(slices.Clone(st.statements), func(s int) bool { return !slices.Contains(n.Statements, s) })
	case *schedule.Band:
		st = m.band(n, st)
	case *schedule.Accumulate:
		a := m.results(n, st)
		st.sums = maps.Clone(st.sums)
		st.sums[n.Statement] = a
	case *schedule.Place:
		p := m.place(n, st)
		st.places = maps.Clone(st.places)
		st.places[n.Tensor] = p
	}
	for _, child := range schedule.Children(n) {
		m.node(child, st)
	}
}

// band walks the loops of a band; the last one over what its statement reduces asks for operands. Loops that are written
// out behind it are part of a step.
func (m *marker) band(n *schedule.Band, st state) state {
	last := m.lastStep(n, st)
	outer := st
	for k, member := range n.Members {
		member.Fetches = nil
		st = m.enter(member, st)
		if k == last {
			m.operands(&steps{band: &schedule.Band{Members: n.Members[:k+1], Child: behind(n, k+1)}, outer: outer, inner: st})
		}
	}
	return st
}

// behind is what stands below the first members of a band.
func behind(n *schedule.Band, first int) schedule.Node {
	if first == len(n.Members) {
		return n.Child
	}
	return &schedule.Band{Members: n.Members[first:], Child: n.Child}
}

// lastStep is the number of the innermost loop of a band over what its only statement reduces; -1 for none.
func (m *marker) lastStep(n *schedule.Band, st state) int {
	if len(st.statements) != 1 {
		return -1
	}
	for k, member := range slices.Backward(n.Members) {
		lp, ok := member.IndexOf(st.statements[0])
		if ok && len(member.Loops) == 1 && m.isReduced(lp) && (!member.Unroll || k == len(n.Members)-1) {
			return k
		}
	}
	return -1
}

// isReduced reports whether a loop is over a reduced index.
func (m *marker) isReduced(lp schedule.Loop) bool {
	return m.index(point{lp.Statement, lp.Index}).Combine.Kind != ein.Concat
}

func (m *marker) index(p point) *ein.Index {
	indices := m.f.Body[p.statement].Indices
	return indices[slices.IndexFunc(indices, func(i *ein.Index) bool { return i.Name == p.index })]
}

// enter is the state below a loop.
func (m *marker) enter(member *schedule.Member, st state) state {
	st.blocks = maps.Clone(st.blocks)
	for _, lp := range member.Loops {
		p := point{lp.Statement, lp.Index}
		b, known := st.blocks[p]
		if !known {
			continue
		}
		piece := max(member.Tile, int64(member.Vector), int64(member.Group))
		below := block{size: piece, moves: true, lanes: member.Vector}
		switch {
		case m.levels.Counted(member):
		case b.size > 0 && b.size <= piece && !member.Pad && member.Vector == 0:
			below = b
		case !member.Pad:
			for _, n := range append([]int64{b.size}, b.rests...) {
				if rest := n % piece; rest > 0 {
					below.rests = append(below.rests, rest)
				}
			}
		}
		st.blocks[p] = below
	}
	return st
}

// vector returns the index of a statement along which vectors run, here or below a node, and their lanes.
func (m *marker) vector(s int, below schedule.Node, st state) (index string, lanes int) {
	for _, i := range m.f.Body[s].Indices {
		if n := max(st.of(s, i).lanes, schedule.VectorBelow(s, i.Name, below)); n > 1 {
			return i.Name, n
		}
	}
	return "", 1
}

// isLarger reports whether a tensor has more bytes than that, or an unknown size.
func isLarger(t *ein.Tensor, than int64) bool {
	bytes := int64(t.Type.Size())
	for _, d := range t.Dims {
		n, known := d.Extent.IsConst()
		if !known {
			return true
		}
		bytes *= n
	}
	return bytes > than
}

// stridesOf returns how far the neighbours along each dimension of a tensor lie apart in elements, 0 where that is not
// known. Those of blocks that are copied to the workspace are of no interest: they are made to be read in order.
func (m *marker) stridesOf(t *ein.Tensor, st state) []int64 {
	if p := st.places[t.Name]; p != nil {
		return p.strides
	}
	if given, ok := m.strides[t.Name]; ok && len(given) == len(t.Dims) {
		return given
	}
	list, stride := make([]int64, len(t.Dims)), affine.Const(1)
	for d := len(t.Dims) - 1; d >= 0; d-- {
		list[d], _ = stride.IsConst()
		stride = stride.Mul(t.Dims[d].Extent)
	}
	return list
}

// stepOf returns how far apart the elements of a tensor are for neighbours along an index, where that is known.
func (m *marker) stepOf(t *ein.Tensor, subscripts []ein.Expr, index string, st state) (total int64, known bool) {
	strides := m.stridesOf(t, st)
	for d, sub := range subscripts {
		e, isAffine := ein.AffineOf(sub)
		if !isAffine || strides == nil {
			return 0, false
		}
		coefficient, _, linear := e.Linear(index)
		if !linear || strides[d] == 0 && coefficient != 0 {
			return 0, false
		}
		total += coefficient * strides[d]
	}
	return total, true
}

// isOutside reports whether a tensor lies in memory that outlives all blocks.
func isOutside(t *ein.Tensor, st state) bool {
	p := st.places[t.Name]
	return p == nil || p.node.Region == schedule.Workspace
}

func roundUp(n, multiple int64) int64 { return (n + multiple - 1) / multiple * multiple }
