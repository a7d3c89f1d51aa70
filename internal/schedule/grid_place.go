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
	return []markOf[Place]{
		pad.as("pad", "n", "makes rows of the block n elements longer, so that its columns lie in different banks of local memory", fmt.Sprintf("in local, of a tensor with two dimensions or more; n is at most %d", mostPad), codes),
		vector.as("vector", "n", "lets an item copy n neighbours of a row at once, where rows of the block consist of so many; elsewhere of no effect", fmt.Sprintf("in local; n is a power of two, of at most %d bytes in all", mostCopyBytes), codes),
	}
}

// localAsked checks how a block lies in local memory, and is copied.
func (c *checker) localAsked(n *Place, dims, bytes int) {
	switch {
	case n.Pad == 0 && n.Vector == 0:
	case n.Region != Local:
		c.misfit(n, "blocks in local memory are padded, and copied by vectors; leave out pad and vector")
	case n.Pad > mostPad || n.Pad > 0 && dims < 2:
		c.misfit(n, "rows of a block of two dimensions or more are padded, by at most %d elements", mostPad)
	case n.Vector > 0 && (n.Vector < leastCopyLanes || n.Vector > mostCopyLanes || n.Vector&(n.Vector-1) != 0 || n.Vector*bytes > mostCopyBytes):
		c.misfit(n, "%d elements of %d bytes are not copied at once, expected a power of two from %d, and at most %d bytes", n.Vector, bytes, leastCopyLanes, mostCopyBytes)
	}
}
