package mdh

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// Single returns the group of one statement.
func Single(statement int, k *Configuration) *Group {
	return &Group{Members: []Member{{statement, k}}}
}

// isPlain reports whether a group is just its only statement.
func (g *Group) isPlain() bool {
	return len(g.Members) == 1 && len(g.Placed) == 0 && len(g.Inner) == 0
}

// allPlaced names what has a place in a group and in those inside of it.
func (g *Group) allPlaced() []string {
	var names []string
	for _, p := range g.Placed {
		names = append(names, p.Name)
	}
	for _, inner := range g.Inner {
		names = append(names, inner.allPlaced()...)
	}
	return names
}

// nests returns the builders of the loops of the members.
func (g *Group) nests(f *ein.Func) []*nest {
	list := make([]*nest, len(g.Members))
	for i, m := range g.Members {
		list[i] = newNest(ComputationOf(f, m.Statement), m.Configuration)
	}
	return list
}

// parts lists the inner groups, and the members that are in none, in their order.
func (g *Group) parts() []*Group {
	var list []*Group
	for at := 0; at < len(g.Members); {
		part := &Group{Members: g.Members[at : at+1], Shared: g.Shared}
		for _, inner := range g.Inner {
			if len(inner.Members) > 0 && inner.Members[0].Statement == g.Members[at].Statement {
				part = inner
			}
		}
		list = append(list, part)
		at += len(part.Members)
	}
	return list
}

// A GroupError says that what the statements of a group share does not fit together.
type GroupError struct {
	Group *Group
	Err   error
	// Statement and Level are where a loop differs from that of the other members; empty where that is
	// not what is wrong.
	Statement string
	Level     Level
}

// Error names the statements of the group.
func (e *GroupError) Error() string { return "the group of " + e.Group.names() + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *GroupError) Unwrap() error { return e.Err }

// Line returns the number of the line of a text, which was parsed, that the error is about: the row
// of the level, or the heading of the group.
func (e *GroupError) Line(text string) int {
	if e.Statement != "" {
		return lineOf(text, e.Statement, e.Level)
	}
	return e.Group.headingLine(text)
}

// headingLine is the number of the line of a text, which was parsed, with which a group begins.
func (g *Group) headingLine(text string) int {
	if g.line > 0 {
		return g.line
	}
	return lineOf(text, fmt.Sprintf("S%d", g.Members[0].Statement), Level{})
}

// wrong is a GroupError about the heading.
func (g *Group) wrong(format string, args ...any) error {
	return &GroupError{Group: g, Err: fmt.Errorf(format, args...)}
}

// fits checks a group: its inner groups are runs of its members, and the shared loops are
// the same for all of these. Those up to number from are checked already.
func (g *Group) fits(f *ein.Func, from int) error {
	if g.Shared < from {
		return g.wrong("it shares %d loops, and the group around it %d", g.Shared, from)
	}
	for _, m := range g.Members {
		if n := len(m.Configuration.Active(Scalar)); g.Shared > n {
			return g.wrong("it shares %d loops, and S%d has %d", g.Shared, m.Statement, n)
		}
	}
	nests := g.nests(f)
	for i, m := range g.Members {
		onCores, own := nests[i].order.isParallel, nests[i].order.loops
		if at := slices.IndexFunc(own[g.Shared:], onCores); at >= 0 && !m.Configuration.onGrid() && slices.ContainsFunc(own[:g.Shared], onCores) {
			return g.wrong("the loop of S%d over %s is parallel inside of a shared loop that is", m.Statement, f.Body[m.Statement].Indices[own[g.Shared+at].Dim-1].Name)
		}
	}
	for at := from; at < g.Shared; at++ {
		for _, m := range g.Members[1:] {
			level := nestOf(ComputationOf(f, m.Statement), m.Configuration).loops[at]
			if err := g.sameLoop(f, nests[0].order.loops[at], level, g.Members[0], m); err != nil {
				return &GroupError{g, fmt.Errorf("shared loop %d: %w", at+1, err), fmt.Sprintf("S%d", m.Statement), level}
			}
		}
	}
	if err := g.fitItems(nests); err != nil {
		return err
	}
	if err := g.fitPlaces(f); err != nil {
		return g.wrong("%w", err)
	}
	for _, n := range nests {
		for _, l := range n.order.loops[:g.Shared] {
			if n.live = max(n.live, n.order.starts[l]); len(g.Members) > 1 && n.order.keep[l] > 0 {
				return &GroupError{g, fmt.Errorf("its statements share the loop over %s, in which %s keeps partial results: there R1 is S1", n.c.Dims[l.Dim-1].Name(), n.c.Name), n.c.Name, l}
			}
		}
		if len(g.Members) > 1 && n.c.Ordered && n.live != delivered && n.live != inArray {
			return g.wrong("the shared loops are some over what %s combines in order, so its results are in main memory there", n.c.Name)
		}
	}
	inside := 0
	for _, part := range g.parts() {
		if !slices.Contains(g.Inner, part) {
			continue
		}
		inside++
		if err := part.fits(f, g.Shared); err != nil {
			return err
		}
	}
	if inside != len(g.Inner) {
		return g.wrong("the groups in it are runs of its statements")
	}
	return nil
}

// names writes the statements of a group.
func (g *Group) names() string {
	list := make([]string, len(g.Members))
	for i, s := range g.Statements() {
		list[i] = fmt.Sprintf("S%d", s)
	}
	return strings.Join(list, " ")
}

// sameLoop checks that two members have the same loop in their levels a and b.
func (g *Group) sameLoop(f *ein.Func, a, b Level, first, m Member) error {
	ka, kb := first.Configuration, m.Configuration
	ra, rb := ka.Row(a), kb.Row(b)
	if ra.Parts != rb.Parts || ka.Tile(a) != kb.Tile(b) || ka.kind(a) != kb.kind(b) {
		return fmt.Errorf("a loop of S%d has %d parts of %d on %s, that of S%d has %d parts of %d on %s",
			first.Statement, ra.Parts, ka.Tile(a), ka.Model.LevelName(ra.Assign[Scalar]), m.Statement, rb.Parts, kb.Tile(b), kb.Model.LevelName(rb.Assign[Scalar]))
	}
	if ra.Marks != rb.Marks || ra.Pad != rb.Pad {
		return fmt.Errorf("a loop of S%d has the marks %q, that of S%d has %q", first.Statement, ra.marksText(), m.Statement, rb.marksText())
	}
	i, j := ComputationOf(f, first.Statement).Dims[a.Dim-1].Index, ComputationOf(f, m.Statement).Dims[b.Dim-1].Index
	if !i.Min.Equal(j.Min) || !i.Extent.Equal(j.Extent) {
		return fmt.Errorf("the ranges of S%d.%s and S%d.%s differ", first.Statement, i.Name, m.Statement, j.Name)
	}
	return nil
}

// fitPlaces checks what lives inside of the shared loops.
func (g *Group) fitPlaces(f *ein.Func) error {
	for _, p := range g.Placed {
		t := f.Tensor(p.Name)
		if t == nil || t.Role == ein.Input {
			return fmt.Errorf("%s has a place, expected what a statement computes; where inputs are copied is the parameter D3", p.Name)
		}
		if _, ok := p.region(g.Members[0].Configuration.Model); !ok {
			return fmt.Errorf("%s has a place in %s, expected a region of the model that the program fills", p.Name, p.Region)
		}
		if p.Layout != nil && !slices.Equal(slices.Sorted(slices.Values(p.Layout)), rowMajor(len(t.Dims))) {
			return fmt.Errorf("%s is no layout of %s: expected a permutation of %s", layoutText(p.Layout), p.Name, layoutText(rowMajor(len(t.Dims))))
		}
	}
	return nil
}

// region is the region of a tree that a region of the model stands for.
func (p Placed) region(m *machine.Machine) (schedule.Region, bool) {
	switch n := m.Region(p.Region); {
	case p.Region == "":
		return schedule.Private, true
	case n == 0:
		return 0, false
	case n == 1:
		return schedule.Workspace, true
	case n == m.Memories():
		return schedule.Register, true
	default:
		return schedule.Private, m.Layer(n).Copied
	}
}

// String writes a place, such as "h" or "h:MM[2,1]".
func (p Placed) String() string {
	text := p.Name
	if p.Region != "" {
		text += ":" + p.Region
	}
	if p.Layout != nil {
		text += layoutText(p.Layout)
	}
	return text
}

// readPlacement reads what String writes.
func readPlacement(word string) (p Placed, ok bool) {
	p.Name = word
	if at := strings.IndexByte(p.Name, '['); at >= 0 {
		if p.Layout, ok = readLayout(p.Name[at:]); !ok {
			return p, false
		}
		p.Name = p.Name[:at]
	}
	named := false
	p.Name, p.Region, named = strings.Cut(p.Name, ":")
	return p, p.Name != "" && (!named || p.Region != "")
}

// tree makes the subtree of a group, whose nests have their loops up to number from
// already.
func (g *Group) tree(nests []*nest, from int) schedule.Node {
	s := newSite()
	s.grouped = nests[0].grouped
	for _, n := range nests {
		n.site = s
	}
	for at := from; at < g.Shared; at++ {
		s.shared(nests, at)
	}
	for _, p := range g.Placed {
		region, _ := p.region(nests[0].k.Model) // fits has checked it
		place := &schedule.Place{Tensor: p.Name, Region: region, Layout: slices.Clone(p.Layout)}
		s.put(place, &place.Child)
	}
	if len(g.Members) == 1 && len(g.Inner) == 0 {
		nests[0].levels(nests[0].order.loops[g.Shared:])
		return nests[0].finish()
	}
	seq := &schedule.Sequence{}
	for _, part := range g.parts() {
		seq.Children = append(seq.Children, &schedule.Filter{Statements: part.Statements(), Child: part.tree(nests[:len(part.Members)], g.Shared)})
		nests = nests[len(part.Members):]
	}
	if *s.hole = seq; len(seq.Children) == 1 {
		*s.hole = seq.Children[0].Child
	}
	return s.first
}

// shared adds a loop that nests have in common, with what they want copied and accumulated
// from there on.
func (s *site) shared(nests []*nest, at int) {
	var copied []string
	var statements []int
	for _, n := range nests {
		statements = append(statements, n.c.Statement)
	}
	var loop *schedule.Member
	for _, n := range nests {
		for _, p := range n.copies(n.order.loops[at]) {
			if !slices.Contains(copied, p.Tensor) {
				copied = append(copied, p.Tensor)
				s.copied(p, statements...)
			}
		}
	}
	for _, n := range nests {
		n.results(n.order.loops[at])
	}
	for _, n := range nests {
		m := n.memberOf(n.order.loops[at])
		if loop == nil {
			loop = m
		} else {
			loop.Loops = append(loop.Loops, m.Loops...)
		}
	}
	s.ofLevel(loop)
}
