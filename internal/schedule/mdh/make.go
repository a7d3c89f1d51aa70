package mdh

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/fetch"
	"github.com/ricci-lang/ricci/internal/source"
)

// How a tree is made
//
// The levels with more than one part become loops, in the order of S1. The layer of
// the machine (S2) says what kind of loop: COR is parallel, SIMD a vector, REG written
// out, other memories serial. Where D3 of an input changes to a region that is filled by
// copies the tree places the input, in the layout of D4. Where R3 changes to a private
// region the accumulators of the reduction come to life; reduced loops outside of them
// leave partial results in the outputs, and a reduced loop on COR has its own for each
// part, in main memory, which are combined in order. So the regions of a configuration
// are chains along the order of a phase, in which equal neighbours share a buffer. nest.go
// says how the phases go together where their orders differ.

// Make returns the schedule tree of a function, all of whose statements have a
// configuration in the plan. Errors name the broken constraints; a plan that
// satisfies them may still break a dependence of the program, which Check says.
func Make(f *ein.Func, p *Plan) (*schedule.Tree, error) { return MakeFile(f, p, nil) }

// MakeFile is Make for a plan that was read from a file, or from none, at whose rows the errors
// of Check point.
func MakeFile(f *ein.Func, p *Plan, file *source.File) (*schedule.Tree, error) {
	if err := p.Validate(f); err != nil {
		return nil, err
	}
	t := schedule.Canonical(f)
	if file != nil {
		t.TextPositions = schedule.NewTextPositions(file)
	}
	var parts []*schedule.Filter
	for _, g := range p.Groups {
		nests := g.nests(f)
		parts = append(parts, &schedule.Filter{Statements: g.Statements(), Child: g.tree(nests, 0)})
		for _, n := range nests {
			for m, l := range n.made {
				if file != nil {
					t.TextPositions.PutMember(m, lineOf(file.Text, n.c.Name, l))
				}
			}
		}
	}
	switch len(parts) {
	case 0:
		t.Root = &schedule.Leaf{}
	case 1:
		t.Root = parts[0].Child
	default:
		t.Root = &schedule.Sequence{Children: parts}
		if file != nil {
			t.TextPositions.Put(t.Root, p.Groups[0].headingLine(file.Text))
		}
	}
	if err := schedule.Check(f, t); err != nil {
		return t, err
	}
	p.askAhead(f, t)
	return t, nil
}

// askAhead marks what register tiles ask for ahead, and how products of matrix units are cut, which no parameter says, on
// the machine of the plan.
func (p *Plan) askAhead(f *ein.Func, t *schedule.Tree) {
	for _, g := range p.Groups {
		for _, m := range g.Members {
			if processor, err := m.Configuration.Model.Processor(); err == nil {
				fetch.Mark(f, t, processor, nil)
				schedule.CutProducts(f, t, processor)
				return
			}
		}
	}
}

// A site is where a tree grows.
type site struct {
	first schedule.Node  // what is built
	hole  *schedule.Node // where the next node goes
	band  *schedule.Band // the innermost node, if loops may join it
	// grouped says that loops over groups are around.
	grouped bool
}

func newSite() *site {
	s := &site{}
	s.hole = &s.first
	return s
}

// put makes a node the innermost one; child is where the next goes.
func (s *site) put(node schedule.Node, child *schedule.Node) {
	*s.hole, s.hole = node, child
	s.band, _ = node.(*schedule.Band)
}

// loop adds a member to the innermost band, or starts one.
func (s *site) loop(m *schedule.Member) {
	if s.band == nil {
		b := &schedule.Band{}
		s.put(b, &b.Child)
	}
	s.band.Members = append(s.band.Members, m)
}

// A nest builds the loops of one statement from the outside to the inside.
type nest struct {
	*site
	c      *Computation
	k      *Configuration
	order  *nestOrder
	live   residence // of the innermost accumulators
	points int       // up to which dimension those of one point have their loops, where reductions keep their order
	made   map[*schedule.Member]Level
}

// A residence says where partial results live, from none to the fastest.
type residence int

const (
	delivered residence = iota // no accumulators yet
	inOutput
	inArray // a place for each result, in main memory
	inWorkspace
	inLocal // a part for each item of a group
	inPrivate
	inRegister
)

var regionOf = map[residence]schedule.Region{
	inOutput: schedule.Output, inArray: schedule.Shared, inWorkspace: schedule.Workspace, inLocal: schedule.Local, inPrivate: schedule.Private, inRegister: schedule.Register,
}

func newNest(c *Computation, k *Configuration) *nest {
	return &nest{site: newSite(), c: c, k: k, order: nestOf(c, k), made: map[*schedule.Member]Level{}}
}

// accumulate starts accumulators.
func (n *nest) accumulate(where residence) {
	if n.k.onGrid() && where >= inLocal && n.order.items() >= 0 {
		n.inGroup(n.c.Statement)
	}
	a := &schedule.Accumulate{Statement: n.c.Statement, Region: regionOf[where]}
	if where == inWorkspace && n.k.onGrid() {
		a.Items, a.Tree = n.order.combining()
		if a.Tree == 1 {
			a.Tree = 0
		}
	}
	if where == inLocal {
		a.Shuffle = n.order.subGroup()
	}
	n.put(a, &a.Child)
	n.live = where
}

// finish closes the nest.
func (n *nest) finish() schedule.Node {
	if n.c.Op != nil || n.c.Ordered {
		if n.live == delivered {
			n.accumulate(inRegister)
		}
		if n.c.Ordered {
			n.pointsBefore(len(n.c.Dims))
		} else {
			n.single(true)
		}
	}
	*n.hole = &schedule.Leaf{}
	return n.first
}

// levels adds the loops over some levels, with the copies and accumulators that
// they call for.
func (n *nest) levels(list []Level) {
	if n.c.writesOnce() {
		n.single(false)
	} else {
		n.programOrder()
	}
	for _, l := range list {
		reduced := n.c.Dims[l.Dim-1].Reduced()
		if !reduced && !n.c.writesOnce() {
			continue
		}
		for _, p := range n.copies(l) {
			n.copied(p, n.c.Statement)
		}
		n.results(l)
		if reduced && n.c.Ordered {
			n.pointsBefore(l.Dim - 1)
		}
		n.member(l)
	}
}

// pointsBefore adds the loops over the reduced dimensions of one point before dimension d,
// where reduced dimensions come in the order of the program.
func (n *nest) pointsBefore(d int) {
	for ; n.points < d; n.points++ {
		if dim := n.c.Dims[n.points]; dim.Point() && dim.Reduced() {
			n.point(n.points)
		}
	}
}

// single adds the loops over dimensions of one point, which have no level with parts.
func (n *nest) single(reduced bool) {
	for d, dim := range n.c.Dims {
		if dim.Point() && dim.Reduced() == reduced {
			n.point(d)
		}
	}
}

// programOrder adds the concatenated dimensions as the program has them.
func (n *nest) programOrder() {
	for d, dim := range n.c.Dims {
		if !dim.Reduced() {
			n.point(d)
		}
	}
}

// point adds the loop over the points of a dimension.
func (n *nest) point(d int) {
	n.loop(&schedule.Member{Loops: []schedule.Loop{{Statement: n.c.Statement, Index: n.c.Dims[d].Name()}}, Tile: 1})
}

// copied places an input for some statements.
func (s *site) copied(p *schedule.Place, statements ...int) {
	if p.Region == schedule.Local {
		s.inGroup(statements...)
	}
	s.put(p, &p.Child)
}

// copies returns the places of the inputs that are copied before a level.
func (n *nest) copies(l Level) (places []*schedule.Place) {
	for _, i := range n.order.copies[l] {
		places = append(places, &schedule.Place{Tensor: n.k.Inputs[i.input], Region: n.placeRegion(i.place), Layout: n.layout(i.input, i.place.Layout)})
	}
	return places
}

func (n *nest) placeRegion(p Place) schedule.Region {
	switch {
	case p.Region == n.k.Model.Memories():
		return schedule.Register
	case n.k.isLocal(p) && n.order.items() >= 0:
		return schedule.Local
	}
	return schedule.Private
}

// layout leaves out the layout that lowering chooses anyway: row-major, except that
// the dimension along which vectors lie is the fastest.
func (n *nest) layout(b int, layout []int) []int {
	usual := n.c.vectorLayout(n.c.Inputs[b], n.vectorDim())
	if slices.Equal(layout, usual) {
		return nil
	}
	return slices.Clone(layout)
}

// vectorDim is the dimension along which vectors lie, or -1.
func (n *nest) vectorDim() int {
	for at, r := range n.k.Rows {
		if r.Parts > 1 && n.k.kind(n.k.LevelOf(at)) == lanesLoop {
			return n.k.LevelOf(at).Dim - 1
		}
	}
	return -1
}

// results starts the accumulators that a level calls for.
func (n *nest) results(l Level) {
	if where := n.order.starts[l]; where != delivered {
		n.accumulate(where)
	}
}

// wanted is where R3 wants the results of a level; of several outputs the nearest.
func (c *Configuration) wanted(l Level) residence {
	where := delivered
	for _, p := range c.Row(l).Out {
		switch {
		case p.Region == c.Model.Memories():
			where = max(where, inRegister)
		case c.Model.Layer(p.Region).Copied:
			where = max(where, inPrivate)
		}
	}
	return where
}

// member adds the loop of a level.
func (n *nest) member(l Level) {
	n.ofLevel(n.memberOf(l))
}

// ofLevel adds the loop of a level. A vector loop takes the loop over vectors around it
// with it, because it runs over all vectors of its block.
func (s *site) ofLevel(m *schedule.Member) {
	switch {
	case m.Items > 0:
		s.onItems(m)
		return
	case m.Groups:
		s.groups(m)
		return
	}
	if m.Vector > 0 && s.band != nil {
		last := s.band.Members[len(s.band.Members)-1]
		if !last.Parallel && !last.Pad && marksOf(last) == (Marks{}) && last.Partial == 0 && slices.EqualFunc(last.Loops, m.Loops, schedule.Loop.Equal) && last.Tile == int64(m.Vector) {
			m.Unroll = last.Unroll
			s.band.Members = s.band.Members[:len(s.band.Members)-1]
		}
	}
	s.loop(m)
}

// memberOf makes the loop of a level.
func (n *nest) memberOf(l Level) *schedule.Member {
	r := n.k.Row(l)
	m := &schedule.Member{Loops: []schedule.Loop{{Statement: n.c.Statement, Index: n.c.Dims[l.Dim-1].Name()}}, Tile: n.k.Tile(l), Pad: r.Pad}
	n.made[m] = l
	r.Marks.put(m)
	m.Partial = int64(n.order.keep[l])
	switch n.k.kind(l) {
	case coresLoop:
		if n.k.onGrid() {
			n.share(m, l)
		} else {
			m.Parallel = n.order.isParallel(l)
		}
	case writtenOutLoop:
		m.Unroll = !n.order.inHost(l)
	case lanesLoop:
		m.Vector, m.Tile, m.Unroll = int(r.Parts), 1, n.live == inRegister && n.c.scan == nil
	}
	return m
}

// PadPartial pads the partial tiles of the statements that share no loops, where that
// pays: in a register kernel, or where there were too many copies of the code.
func (p *Plan) PadPartial(f *ein.Func) {
	for _, g := range p.Groups {
		if !g.isPlain() {
			continue
		}
		n := newNest(ComputationOf(f, g.Members[0].Statement), g.Members[0].Configuration)
		if n.k.onGrid() {
			n.padGroups()
			continue
		}
		worth := n.registerTile() || n.copiesOfCode() > mostCopies
		for _, l := range n.order.loops {
			n.k.Row(l).Pad = worth && n.k.kind(l) != lanesLoop && n.k.Tile(l) > 1 && !n.c.Dims[l.Dim-1].Reduced() && n.partial(l.Dim) > 0
		}
	}
}

// mostCopies is how often code may be there for the partial tiles of concatenated
// dimensions. Beyond that,
// and in a register kernel, they are computed like the others: one kernel is for all.
const mostCopies = 3

// copiesOfCode counts the combinations of whole and partial tiles that could be padded.
func (n *nest) copiesOfCode() int {
	copies := 1
	for d, dim := range n.c.Dims {
		if !dim.Reduced() {
			copies *= 1 + n.partial(d+1)
		}
	}
	return copies
}

// partial counts the levels of a dimension that have a partial tile: all of them if one
// has, because tiles are multiples of those inside.
func (n *nest) partial(dim int) int {
	levels, even := 0, true
	for _, l := range n.order.loops {
		if tile := n.k.Tile(l); l.Dim == dim && tile > 1 {
			levels++
			even = even && n.c.Dims[dim-1].N%tile == 0
		}
	}
	if even || n.c.Dims[dim-1].N < 0 {
		return 0
	}
	return levels
}

// registerTile reports whether a reduction has a tile of vectors in registers: lanes
// along a concatenated dimension, and parts of another on REG.
func (n *nest) registerTile() bool {
	d := n.vectorDim()
	if n.c.Op == nil || d < 0 || n.c.Dims[d].Reduced() {
		return false
	}
	for at, r := range n.k.Rows {
		if l := n.k.LevelOf(at); l.Dim-1 != d && !n.c.Dims[l.Dim-1].Reduced() && r.Parts > 1 && n.k.kind(l) == writtenOutLoop {
			return true
		}
	}
	return false
}

// A loopKind is how the host runs the parts of a level.
type loopKind int

const (
	serialLoop loopKind = iota
	coresLoop
	lanesLoop
	writtenOutLoop
	itemsLoop // of a tree: on cores, for items
	teamsLoop // and for sub-groups of them
)

// kind returns how the host runs the parts of a level.
func (c *Configuration) kind(l Level) loopKind { return c.kindIn(Scalar, l) }

// kindIn returns who walks the parts of a level in a phase.
func (c *Configuration) kindIn(p Phase, l Level) loopKind {
	switch layer := c.Row(l).Assign[p].Layer; {
	case layer == c.Model.Memories():
		return writtenOutLoop
	case layer < c.Model.Memories():
		return serialLoop
	case c.Model.Layer(layer).Name == "SIMD":
		return lanesLoop
	}
	return coresLoop
}

// onHost reports whether a model is that of the machine at hand, for which trees can
// be made.
func onHost(m *machine.Machine) bool { return m.Name == machine.HostName }
