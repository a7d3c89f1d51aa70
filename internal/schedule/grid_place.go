package schedule

import (
	"fmt"
	"strconv"

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
//
// "stages n" is the same with n blocks; "double" is the word for two. With "async" the items start the copies of a block n - 1 steps before they
// read it, and wait for those of the present step alone: memory works while they compute, and what is on its way takes no registers.

const (
	mostPad        = 64 // elements
	mostCopyLanes  = 16
	mostCopyBytes  = 16 // that devices load at once
	leastCopyLanes = 2
	mostStages     = 8

	leastAheadBytes = 4 // that devices copy ahead at once
)

// localMarks are those of places in local memory.
func localMarks() []markOf[Place] {
	codes := []source.Code{source.ScheduleMisfit}
	pad := number(0, func(p *Place) *int64 { return &p.Pad })
	vector := number(0, func(p *Place) *int { return &p.Vector })
	double := markOf[Place]{
		arguments: func(p *Place) []string {
			if p.Stages != 2 {
				return nil
			}
			return []string{""}
		},
		read: func(p *Place, _ string) bool {
			p.Stages = 2
			return true
		},
	}
	async := flag(func(p *Place) *bool { return &p.Async })
	gathered := flag(func(p *Place) *bool { return &p.Gathered })
	return []markOf[Place]{
		double.as("double", "", "has two blocks, in turns: the items copy the next one while others read the one before, and wait once in each step", "in local, as all places beside it, right below the one loop over what is reduced, which is right below accumulators that items hold together; the loop is serial and forwards", codes),
		stages().as("stages", "n", "has n blocks, in turns; `stages 2` is `double`", fmt.Sprintf("where `double` is, with one n for all places there, of at most %d", mostStages), codes),
		async.as("async", "", "starts the copies of a block one step less ahead than there are blocks: they arrive while the items compute, which wait for those of the present step. Where a device has no such copies they arrive at once", "with `double` or `stages`, as all places beside it; what is copied at once, one element or with `vector`, has 4, 8 or 16 bytes", codes),
		gathered.as("gathered", "", "has, along a dimension whose subscript reads an index array, an element for each point of the subscript's indices, to which the index array leads, and not all of the dimension; the subscripts of a block are tested once", "in local, of a tensor that one statement reads by one such subscript, not under a condition", codes),
		pad.as("pad", "n", "makes rows of the block n elements longer, so that its columns lie in different banks of local memory", fmt.Sprintf("in local, of a tensor with two dimensions or more; n is at most %d", mostPad), codes),
		swizzles.as("swizzle", "u*n/r", "lets unit x of row y of the block, units of u elements, lie where unit x xor (y/r mod n) would, so that columns lie in different banks of local memory, and no row is longer than whole blocks of u·n elements", "in local, without `pad`, of a tensor with two dimensions or more; what is copied or read at once is at most a unit, or goes element by element", codes),
		vector.as("vector", "n", "lets an item copy n neighbours of a row at once, where rows of the block consist of so many; elsewhere of no effect", fmt.Sprintf("in local; n is a power of two, of at most %d bytes in all", mostCopyBytes), codes),
	}
}

// stages is the mark for numbers of blocks but two, which is written in another way.
func stages() markOf[Place] {
	return markOf[Place]{
		Mark: Mark{form: fmt.Sprintf("n is a whole number from 2 to %d", mostStages)},
		arguments: func(p *Place) []string {
			if p.Stages <= 2 {
				return nil
			}
			return []string{fmt.Sprint(p.Stages)}
		},
		read: func(p *Place, argument string) bool {
			n, err := strconv.ParseInt(argument, 10, 32)
			p.Stages = n
			return err == nil && n >= 2 && n <= mostStages
		},
	}
}

// localAsked checks how a block lies in local memory, and is copied.
func (c *checker) localAsked(n *Place, dims, bytes int) {
	switch {
	case n.Pad == 0 && n.Swizzle.Units == 0 && n.Vector == 0 && n.Stages == 0 && !n.Async:
	case n.Region != Local:
		c.misfit(n, "blocks in local memory are padded, swizzled, copied by vectors and ahead, and have several in turns; leave out pad, swizzle, vector, double, stages and async, or place it in local")
	case n.Async && n.Stages == 0:
		c.misfit(n, "what is copied ahead of the steps needs room beside the block that they read; put 'double' or 'stages n' before 'async'")
	case n.Stages > 0 && TurnsOf(c.tree.Root, n) == nil:
		c.misfit(n, "blocks in turns are those of the steps of one serial loop over what is reduced, right below accumulators that the items hold together, and all places there have as many, with async or without").
			advise("leave out 'double', 'stages' and 'async', or write: accumulate S0 register, a band with the one loop over blocks of what is reduced, the places, each with the same marks, and then the loops over items")
	case n.Async && bytes*max(1, n.Vector) < leastAheadBytes:
		c.misfit(n, "%d bytes are not copied ahead at once, expected 4, 8 or 16; put 'vector %d' beside it", bytes*max(1, n.Vector), leastAheadBytes/bytes)
	case n.Pad > mostPad || n.Pad > 0 && dims < 2:
		c.misfit(n, "'pad %d' of a block of %d dimensions: rows of two dimensions or more are padded, by at most %d elements", n.Pad, dims, mostPad).advise("leave out 'pad', or write 'pad 1' behind a place of a tensor with rows")
	case n.Swizzle.Units > 0 && (n.Pad > 0 || dims < 2):
		c.misfit(n, "'swizzle %s' exchanges what is in the rows of a block of %d dimensions, which have two or more and are not padded", n.Swizzle, dims).advise("leave out 'swizzle', or 'pad' beside it")
	case n.Vector > 0 && (n.Vector < leastCopyLanes || n.Vector > mostCopyLanes || n.Vector&(n.Vector-1) != 0 || n.Vector*bytes > mostCopyBytes):
		c.misfit(n, "%d elements of %d bytes are not copied at once, expected a power of two from %d, and at most %d bytes", n.Vector, bytes, leastCopyLanes, mostCopyBytes)
	}
}

// MostRoom is how many times as long as a tensor a block of it in local memory may be, where padded tiles are longer: subscripts
// further in then need not stay below the tensor's end.
const MostRoom = 4

// TurnsOf is the loop whose steps have the blocks of a place in turns; nil: there is none.
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
		for p, ok := b.Child.(*Place); ok && reduces && serial && p.isBeside(n); p, ok = p.Child.(*Place) {
			if p == n && besideToTheEnd(p.Child, n) {
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

// isBeside reports whether a place in local memory has as many blocks as another one, copied in the same way.
func (n *Place) isBeside(other *Place) bool {
	return n.Region == Local && other.Stages > 0 && n.Stages == other.Stages && n.Async == other.Async
}

// besideToTheEnd reports whether places in local memory that follow have as many blocks as another one.
func besideToTheEnd(n Node, other *Place) bool {
	p, ok := n.(*Place)
	return !ok || (p.Region != Local || p.isBeside(other)) && besideToTheEnd(p.Child, other)
}

// AheadOf lists the places that items copy ahead of the steps of a loop, right below it; nil: there are none.
func AheadOf(root Node, m *Member, below Node) (list []*Place) {
	for p, ok := below.(*Place); ok && p.Async && TurnsOf(root, p) == m; p, ok = p.Child.(*Place) {
		list = append(list, p)
	}
	return list
}
