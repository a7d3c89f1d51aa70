package schedule

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/source"
)

// How blocks lie in local memory
//
// Local memory has banks, which neighbours in memory take in turns. Items that read a column of a block read one bank, one after the
// other, where rows are as long as there are banks, or a multiple: "pad 1" makes rows longer by an element that nothing is in, so that
// a column lies in all banks. "vector 4" lets an item copy four neighbours at once.
//
// The items wait before they copy a block, until all have read the one before, and behind. With "double" there are two blocks, in turns:
// what is copied is not where others perhaps still read, and they wait once. For that the steps have to follow each other without
// anything between: they are those of one loop over what is reduced, right below accumulators that the items hold together.

const (
	mostPad        = 64 // elements
	mostCopyLanes  = 16
	mostCopyBytes  = 16 // that devices load at once
	leastCopyLanes = 2
)

// localMarks are those of places in local memory.
func localMarks() []markOf[Place] {
	codes := []source.Code{source.ScheduleMisfit}
	pad := number(0, func(p *Place) *int64 { return &p.Pad })
	vector := number(0, func(p *Place) *int { return &p.Vector })
	double := flag(func(p *Place) *bool { return &p.Double })
	return []markOf[Place]{
		double.as("double", "", "has two blocks, in turns: the items copy the next one while others read the one before, and wait once in each step", "in local, as all places beside it, right below the one loop over what is reduced, which is right below accumulators that items hold together; the loop is serial and forwards", codes),
		pad.as("pad", "n", "makes rows of the block n elements longer, so that its columns lie in different banks of local memory", fmt.Sprintf("in local, of a tensor with two dimensions or more; n is at most %d", mostPad), codes),
		vector.as("vector", "n", "lets an item copy n neighbours of a row at once, where rows of the block consist of so many; elsewhere of no effect", fmt.Sprintf("in local; n is a power of two, of at most %d bytes in all", mostCopyBytes), codes),
	}
}

// localAsked checks how a block lies in local memory, and is copied.
func (c *checker) localAsked(n *Place, dims, bytes int) {
	switch {
	case n.Pad == 0 && n.Vector == 0 && !n.Double:
	case n.Region != Local:
		c.misfit(n, "blocks in local memory are padded, copied by vectors and doubled; leave out pad, vector and double, or place it in local")
	case n.Double && TurnsOf(c.tree.Root, n) == nil:
		c.misfit(n, "two blocks in turns are those of the steps of one serial loop over what is reduced, right below accumulators that the items hold together, and all places there are double").
			advise("leave out 'double', or write: accumulate S0 register, a band with the one loop over blocks of what is reduced, the places, each with 'double', and then the loops over items")
	case n.Pad > mostPad || n.Pad > 0 && dims < 2:
		c.misfit(n, "'pad %d' of a block of %d dimensions: rows of two dimensions or more are padded, by at most %d elements", n.Pad, dims, mostPad).advise("leave out 'pad', or write 'pad 1' behind a place of a tensor with rows")
	case n.Vector > 0 && (n.Vector < leastCopyLanes || n.Vector > mostCopyLanes || n.Vector&(n.Vector-1) != 0 || n.Vector*bytes > mostCopyBytes):
		c.misfit(n, "%d elements of %d bytes are not copied at once, expected a power of two from %d, and at most %d bytes", n.Vector, bytes, leastCopyLanes, mostCopyBytes)
	}
}

// TurnsOf is the loop whose steps have the blocks of a double place in turns; nil: there is none.
func TurnsOf(root Node, n *Place) *Member {
	return turnsIn(root, n, nil)
}

// turnsIn looks for it in a subtree below an accumulate, or nil.
func turnsIn(below Node, n *Place, above *Accumulate) *Member {
	b, isBand := below.(*Band)
	if isBand && above != nil && len(b.Members) == 1 && above.Region <= Private && HasItems(b.Child) {
		m := b.Members[0]
		_, reduces := m.IndexOf(above.Statement)
		serial := m.concurrent() == "" && m.Vector == 0 && m.Group == 0 && !m.Unroll && !m.Reverse && !m.Determined && !m.Guarded && len(m.Skews) == 0
		for p, ok := b.Child.(*Place); ok && reduces && serial && p.Region == Local && p.Double; p, ok = p.Child.(*Place) {
			if p == n && doubleToTheEnd(p.Child) {
				return m
			}
		}
	}
	inner, _ := below.(*Accumulate)
	for _, child := range Children(below) {
		if m := turnsIn(child, n, inner); m != nil {
			return m
		}
	}
	return nil
}

// doubleToTheEnd reports whether places in local memory that follow are double.
func doubleToTheEnd(n Node) bool {
	p, ok := n.(*Place)
	return !ok || (p.Region != Local || p.Double) && doubleToTheEnd(p.Child)
}
