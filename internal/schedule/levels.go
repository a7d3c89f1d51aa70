package schedule

import (
	"maps"
	"slices"
)

// How blocks of blocks are counted
//
// The members over an index on the way to a statement cut it like the digits of a number
// with several bases: a member with a tile counts its blocks within the block of the next
// larger tile, wherever on the way the loop over that is. So loops over one index may stand
// in any order, and "tile 2" further out than "tile 8" counts the pairs of every eight.
//
// A skewed member runs over its number plus multiples of those of other members: a wavefront
// of blocks. "S0.x tile 64 skew 1*y/64" is ⌊x/64⌋ + ⌊y/64⌋; if it is further out than the
// loop over the blocks of y, the blocks along a diagonal are what is left for that. The loop
// over y may be skewed itself, also by that over x; what is added is ⌊y/64⌋ all the same.
//
// A member is counted if it does not simply cut the block that is there: it is skewed, or
// another one by it, or its number is known before the block in which it counts. The block
// is entered as soon as the numbers for it are known.

// Levels are the members over the indices of all statements.
type Levels struct {
	members map[place][]*Member // outermost first
	order   map[int][]*Member   // of each statement
	counted map[*Member]bool
	inverse map[*Member][]Multiple // of skewed members: the number of the block by those of loops
}

// LevelsOf returns the levels of a tree.
func LevelsOf(t *Tree) Levels {
	v := Levels{map[place][]*Member{}, map[int][]*Member{}, map[*Member]bool{}, map[*Member][]Multiple{}}
	v.collect(t.Root, nil)
	for _, list := range v.members {
		smallest := int64(0) // of the tiles that stand outside of larger ones
		for k, m := range list {
			larger := slices.ContainsFunc(list[k+1:], func(o *Member) bool { return o.Tile > m.Tile })
			if larger && (smallest == 0 || m.Tile < smallest) {
				smallest = m.Tile
			}
			for _, s := range m.Skews {
				v.counted[m] = true
				if by := v.By(m, s); by != nil {
					v.counted[by] = true
				}
			}
			if len(m.Skews) > 0 {
				v.inverse[m], _, _ = v.Number(m, func(*Member) bool { return true })
			}
		}
		for _, m := range list {
			if smallest > 0 && m.Tile >= smallest {
				v.counted[m] = true
			}
		}
	}
	v.inOpen()
	return v
}

// inOpen notes the members that stand further out than a loop from which the number follows of
// the block, skewed, in which they count.
func (v Levels) inOpen() {
	for p, list := range v.members {
		order := v.order[p.statement]
		for _, m := range list {
			further := order[slices.Index(order, m)+1:]
			if slices.ContainsFunc(list, func(o *Member) bool {
				return o.Tile > m.Tile && slices.ContainsFunc(v.inverse[o], func(by Multiple) bool { return slices.Contains(further, by.Member) })
			}) {
				v.counted[m] = true
			}
		}
	}
}

// collect notes the members over every index; filters restrict those of a statement.
func (v Levels) collect(n Node, filter []int) {
	switch n := n.(type) {
	case *Filter:
		filter = n.Statements
	case *Band:
		for _, m := range n.Members {
			for _, l := range m.Loops {
				if filter == nil || slices.Contains(filter, l.Statement) {
					p := place{l.Statement, l.Index}
					v.members[p] = append(v.members[p], m)
					v.order[l.Statement] = append(v.order[l.Statement], m)
				}
			}
		}
	}
	for _, child := range Children(n) {
		v.collect(child, filter)
	}
}

// Of returns the member over the blocks of some size of an index, or nil.
func (v Levels) Of(statement int, index string, tile int64) *Member {
	list := v.members[place{statement, index}]
	if k := slices.IndexFunc(list, func(m *Member) bool { return m.Tile == tile }); k >= 0 {
		return list[k]
	}
	return nil
}

// Around returns the member in whose blocks a loop counts its own, nil for the whole index.
func (v Levels) Around(m *Member, l Loop) (around *Member) {
	for _, o := range v.members[place{l.Statement, l.Index}] {
		if o.Tile > m.Tile && (around == nil || o.Tile < around.Tile) {
			around = o
		}
	}
	return around
}

// larger lists the tiles over an index that are larger than one, the largest first.
func (v Levels) larger(l Loop, tile int64) []int64 {
	var tiles []int64
	for _, o := range v.members[place{l.Statement, l.Index}] {
		if o.Tile > tile {
			tiles = append(tiles, o.Tile)
		}
	}
	slices.Sort(tiles)
	slices.Reverse(tiles)
	return tiles
}

// GoesOnAlong reports whether the innermost loop around the register tile of a statement goes along an index:
// all of it, or blocks of so many points.
func (v Levels) GoesOnAlong(statement int, index string, least int64) bool {
	for _, m := range slices.Backward(v.order[statement]) {
		if m.Unroll || m.Vector > 0 || m.Tile == 1 {
			continue
		}
		l, _ := m.IndexOf(statement)
		around := v.Around(m, l)
		return l.Index == index && (around == nil || around.Tile >= least)
	}
	return false
}

// By returns the member by which a skew goes, or nil.
func (v Levels) By(m *Member, s Skew) *Member { return v.Of(m.Loops[0].Statement, s.Index, s.Tile) }

// onDiagonals reports whether a member is skewed by others, or some is by it.
func (v Levels) onDiagonals(m *Member) bool {
	return len(m.Skews) > 0 || slices.ContainsFunc(slices.Collect(maps.Keys(v.counted)), func(o *Member) bool {
		return slices.ContainsFunc(o.Skews, func(s Skew) bool { return v.By(o, s) == m })
	})
}

// Mutual reports whether some loops of a statement are skewed by one another's blocks, so that
// the bounds of one say little of the others.
func (v Levels) Mutual(statement int) bool {
	for m := range v.inverse {
		if _, ok := m.IndexOf(statement); ok && slices.ContainsFunc(m.Skews, func(s Skew) bool { return v.reaches(v.By(m, s), m) }) {
			return true
		}
	}
	return false
}

// reaches reports whether a member is another one, or skewed by one that reaches it.
func (v Levels) reaches(m, other *Member) bool {
	seen := []*Member{m}
	for k := 0; k < len(seen); k++ {
		for _, o := range v.Sum(seen[k]) {
			if o.Member != nil && !slices.Contains(seen, o.Member) {
				seen = append(seen, o.Member)
			}
		}
	}
	return slices.Contains(seen, other)
}

// Counted reports whether a member does not simply cut the block that is there.
func (v Levels) Counted(m *Member) bool { return v.counted[m] }

// IsCut reports whether an index is enumerated by several members.
func (v Levels) IsCut(statement int, index string) bool {
	return len(v.members[place{statement, index}]) > 1
}

// ConsistsOf reports whether all blocks over an index consist of vectors of so many lanes,
// and are around their loop.
func (v Levels) ConsistsOf(statement int, index string, lanes int64) bool {
	return !slices.ContainsFunc(v.members[place{statement, index}], func(m *Member) bool {
		return m.Tile > 1 && m.Tile%lanes != 0 || m.Tile == 1 && v.counted[m]
	})
}

// OnNumbers reports whether some blocks of an index are those of a counted member, which are of one
// size, whether there are so many points or not.
func (v Levels) OnNumbers(statement int, index string) bool {
	return slices.ContainsFunc(v.members[place{statement, index}], func(m *Member) bool { return m.Tile > 1 && v.counted[m] })
}

// Any reports whether some member is counted.
func (v Levels) Any() bool { return len(v.counted) > 0 }

// A Count is how far the members on the way from the root are known. It is never changed.
type Count struct {
	levels          Levels
	entered         []*Member
	numbers, blocks map[*Member]bool
}

// Begin returns the count at the root.
func (v Levels) Begin() Count { return Count{levels: v} }

// A Known is what comes to be known of a member: its number, or, later or at once, that the
// block in which it counts is there, so that its own block is.
type Known struct {
	Member *Member
	Block  bool
}

// Enter returns the count below a loop, and what is known for the first time there.
func (c Count) Enter(m *Member) (below Count, now []Known) {
	if !c.levels.Any() {
		return c, []Known{{m, false}, {m, true}}
	}
	below = Count{c.levels, append(slices.Clip(c.entered), m), maps.Clone(c.numbers), maps.Clone(c.blocks)}
	if below.numbers == nil {
		below.numbers, below.blocks = map[*Member]bool{}, map[*Member]bool{}
	}
	for before := -1; before < len(now); {
		before = len(now)
		for _, o := range below.entered {
			if !below.numbers[o] && below.follows(o) {
				below.numbers[o] = true
				now = append(now, Known{o, false})
			}
			if below.numbers[o] && !below.blocks[o] && !slices.ContainsFunc(o.Loops, func(l Loop) bool { return !below.InBlock(o, l) }) {
				below.blocks[o] = true
				now = append(now, Known{o, true})
			}
		}
	}
	return below, now
}

// follows reports whether the number of a member that is entered follows from the loops.
func (c Count) follows(m *Member) bool {
	by := c.levels.inverse[m]
	return len(m.Skews) == 0 || len(by) > 0 && !slices.ContainsFunc(by, func(o Multiple) bool { return !slices.Contains(c.entered, o.Member) })
}

// NumberOf is the number of a block, for a member whose number is known, by those of loops.
func (c Count) NumberOf(m *Member) []Multiple {
	if len(m.Skews) == 0 {
		return []Multiple{{m, 1}}
	}
	return c.levels.inverse[m]
}

// Entered reports whether the loop over a member is further up.
func (c Count) Entered(m *Member) bool { return slices.Contains(c.entered, m) }

// InBlock reports whether the block is there in which a loop of a member counts.
func (c Count) InBlock(m *Member, l Loop) bool {
	around := c.levels.Around(m, l)
	return around == nil || c.blocks[around]
}

// Counts reports whether a member is counted.
func (c Count) Counts(m *Member) bool { return c.levels.Counted(m) }

// Open lists the counted members whose loops are further up, but whose numbers are not known.
func (c Count) Open() []*Member {
	return slices.DeleteFunc(slices.Clone(c.entered), func(m *Member) bool { return c.numbers[m] })
}

// Number reports whether the number of a member is known.
func (c Count) Number(m *Member) bool { return c.numbers[m] }

// OpenOver returns a member over an index whose loop is further up, but whose block is not
// known; nil for none.
func (c Count) OpenOver(statement int, index string) *Member {
	for _, m := range c.entered {
		if l, ok := m.IndexOf(statement); ok && l.Index == index && !c.blocks[m] {
			return m
		}
	}
	return nil
}
