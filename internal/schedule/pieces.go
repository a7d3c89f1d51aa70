package schedule

import (
	"maps"

	"github.com/ricci-lang/ricci/internal/ein"
)

// KeptInPieces reports whether the points of tiles may be visited in another order than
// the tree says: the tiles of the members in pieces, all of them or any, one piece of so
// many points after the other, each through the whole subtree. This is how loops of
// sizes that are not known get through a last tile whose size is none of the tree's.
func KeptInPieces(f *ein.Func, t *Tree, pieces map[*Member]int64) bool {
	if LevelsOf(t).Any() {
		return false // the numbers of blocks are those of whole tiles
	}
	c := newChecker(f, &Tree{Statements: t.Statements, Root: inPieces(t.Root, pieces, nil)})
	concerned := func(s int) bool {
		for m := range pieces {
			if _, ok := m.IndexOf(s); ok {
				return true
			}
		}
		return false
	}
	for _, d := range dependencesOf(f) {
		if first, second := d.Statements(); !concerned(first) || !concerned(second) {
			continue
		}
		if c.dependence(d); c.errs.HasErrors() {
			return false
		}
	}
	return true
}

// inPieces copies a subtree with such tiles, without the loops that have one iteration
// then; left are the pieces around it. What bands claim of themselves is left out, too.
func inPieces(n Node, pieces map[*Member]int64, left map[place]int64) Node {
	switch n := n.(type) {
	case *Sequence:
		c := &Sequence{}
		for _, child := range n.Children {
			c.Children = append(c.Children, &Filter{Statements: child.Statements, Child: inPieces(child.Child, pieces, left)})
		}
		return c
	case *Band:
		c, inner := &Band{}, maps.Clone(left)
		for _, m := range n.Members {
			around, inside := inner[place{m.Loops[0].Statement, m.Loops[0].Index}]
			if inside && m.Vector == 0 && m.Tile >= around {
				continue
			}
			member := *m
			member.Coincident = false
			if piece, cut := pieces[m]; cut {
				member.Tile = piece
				if inner == nil {
					inner = map[place]int64{}
				}
				for _, l := range m.Loops {
					inner[place{l.Statement, l.Index}] = piece
				}
			}
			c.Members = append(c.Members, &member)
		}
		if c.Child = inPieces(n.Child, pieces, inner); len(c.Members) == 0 {
			return c.Child
		}
		return c
	case *Accumulate:
		c := *n
		c.Child = inPieces(n.Child, pieces, left)
		return &c
	case *Place:
		c := *n
		c.Child = inPieces(n.Child, pieces, left)
		return &c
	}
	return n
}
