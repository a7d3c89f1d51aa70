package mdh

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
)

// How a tree is read
//
// The loops of a statement are met from the root to its leaf. Parallel ones belong on
// COR, vectors on SIMD, loops that are written out on REG; the others are spread over
// the memory layers so that a layer holds the loops between two events (a copy, new
// accumulators, a second loop over the same dimension), the innermost on the fastest.
// A tree may say more than parameters can: what has no parameter is left out, and noted.

// FromTree returns the plan that is nearest to a schedule tree, and notes on what the
// plan does not say. The error of a tree that is no plan at all says why.
func FromTree(f *ein.Func, m *machine.Processor, t *schedule.Tree) (*Plan, []string, error) {
	p := &Plan{}
	var notes []string
	parts := []*schedule.Filter{{Statements: statements(f), Child: t.Root}}
	if seq, ok := t.Root.(*schedule.Sequence); ok {
		parts = seq.Children
	}
	for _, part := range parts {
		if len(part.Statements) == 0 {
			continue
		}
		r := &treeReader{f: f, walkers: map[int]*walker{}, loops: map[*Group]int{}}
		for _, s := range part.Statements {
			r.walkers[s] = newWalker(f, m, s)
		}
		g, err := r.group(part.Statements, part.Child)
		if err == nil {
			err = r.configure(g)
		}
		if err != nil {
			return nil, nil, err
		}
		p.Groups = append(p.Groups, g)
		for _, m := range g.Members {
			notes = append(notes, r.walkers[m.Statement].notes...)
		}
		notes = append(notes, r.notes...)
	}
	return p, notes, nil
}

// A treeReader reads the groups of some statements.
type treeReader struct {
	f       *ein.Func
	walkers map[int]*walker
	loops   map[*Group]int // how many loops of the tree its members share
	notes   []string
}

// group reads what some statements share, then the groups in it.
func (r *treeReader) group(active []int, node schedule.Node) (*Group, error) {
	g := &Group{}
	first := r.walkers[active[0]]
	for {
		_, isPlace := node.(*schedule.Place)
		switch n := node.(type) {
		case *schedule.Sequence:
			return g, r.sequence(g, active, n)
		case *schedule.Leaf:
			if len(active) > 1 {
				return nil, source.Internalf("mdh", r.f.Pos, "the loops that S%v share end in a leaf", active)
			}
			g.Members = []Member{{Statement: active[0]}}
			if len(g.Placed) == 0 {
				r.loops[g] = 0
			}
			return g, nil
		case *schedule.Filter:
			node = n.Child
			continue
		case *schedule.Place:
			if t := r.f.Tensor(n.Tensor); t != nil && t.Role != ein.Input && !first.copies(t, active) {
				r.loops[g] = len(first.loops)
				g.Placed, node = append(g.Placed, first.placed(n)), n.Child
				continue
			}
		}
		if len(g.Placed) > 0 { // what follows is inside of the places
			inner, err := r.group(active, node)
			if err == nil {
				g.Members = inner.Members
				if !inner.isPlain() {
					g.Inner = []*Group{inner}
				}
			}
			return g, err
		}
		read := false
		for _, s := range active {
			read = r.walkers[s].node(node) || read
		}
		if isPlace && !read {
			r.notes = append(r.notes, fmt.Sprintf("the place of %s, which S%v do not read, has no parameter", node.(*schedule.Place).Tensor, active))
		}
		node = schedule.Children(node)[0]
	}
}

// sequence reads the groups in a group.
func (r *treeReader) sequence(g *Group, active []int, seq *schedule.Sequence) error {
	if r.loops[g] = len(r.walkers[active[0]].loops); len(active) > 1 {
		for _, s := range active {
			r.walkers[s].cut()
		}
	}
	for _, child := range seq.Children {
		if len(child.Statements) == 0 {
			continue
		}
		part, err := r.group(child.Statements, child.Child)
		if err != nil {
			return err
		}
		if g.Members = append(g.Members, part.Members...); !part.isPlain() {
			g.Inner = append(g.Inner, part)
		}
	}
	return nil
}

// configure makes the configurations of the members, and counts the loops that they share.
func (r *treeReader) configure(g *Group) error {
	made := map[int]*Configuration{}
	for _, m := range g.Members {
		k, err := r.walkers[m.Statement].configuration()
		if err != nil {
			return err
		}
		made[m.Statement] = k
	}
	r.fill(g, made)
	return nil
}

func (r *treeReader) fill(g *Group, made map[int]*Configuration) {
	for i := range g.Members {
		g.Members[i].Configuration = made[g.Members[i].Statement]
	}
	for _, several := range r.walkers[g.Members[0].Statement].several[:r.loops[g]] {
		if several {
			g.Shared++
		}
	}
	for _, inner := range g.Inner {
		r.fill(inner, made)
	}
}
