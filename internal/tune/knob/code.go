package knob

import (
	"fmt"
	"math"

	"github.com/ricci-lang/ricci/internal/space"
)

// Written is how often a statement may be written out, if it is not more often in the tree that is given.
const Written = 64

// together lists the chains of each statement.
func (s *Space) together() (lists [][]int) {
	at := map[int]int{}
	for k, c := range s.chains {
		n, known := at[c.loop.Statement]
		if !known {
			n = len(lists)
			at[c.loop.Statement], lists = n, append(lists, nil)
		}
		lists[n] = append(lists[n], k)
	}
	return lists
}

// own lists the tiles of the tree that is given.
func (c chain) own() (list []int64) {
	for _, m := range c.members {
		list = append(list, m.Tile)
	}
	return list
}

// codeRoom is how much code the chains of a statement may make together, as a sum of classes.
func (s *Space) codeRoom(list []int) int64 {
	own := int64(0)
	for _, k := range list {
		own += s.chains[k].class(s.chains[k].own())
	}
	return max(own, classOf(Written))
}

// classOf is twice the logarithm of a number of copies, so that products are sums.
func classOf(copies int64) int64 {
	return int64(math.Ceil(2*math.Log2(float64(copies)) - 1e-9))
}

// mostClass is that of chains whose code has no limit.
const mostClass = 60

// class is how much code the tiles of a chain make: what is written out, and loops with a partial tile, which come
// twice.
func (c chain) class(tiles []int64) int64 {
	copies, around := int64(1), c.extent
	step := func(tile int64, unrolled, padded bool) {
		switch {
		case around > 0 && tile >= around:
			return
		case unrolled && around > 0:
			copies *= (around + tile - 1) / tile
		case (around == 0 || around%tile != 0) && !padded:
			copies *= 2
		}
		around = tile
	}
	for k, m := range c.members {
		step(tiles[k], m.Unroll, m.Pad)
		copies = min(copies, 1<<(mostClass/2))
	}
	if c.point != nil {
		step(1, c.point.Unroll, true)
	}
	if c.vector != nil {
		step(c.unit, c.vector.Unroll, c.vector.Pad)
	}
	return min(classOf(copies), mostClass)
}

// group has, for each chain of a statement, how much room for code is left behind it, and its tiles: those that take
// just that.
func (s *Space) group(list []int) space.Group {
	var g space.Group
	room := s.codeRoom(list)
	before, at := "", 0 // the parameter of what the chain before has left, and where it is
	for n, k := range list {
		c, first, last := s.chains[k], len(g), at
		name := func(what string) string {
			text := fmt.Sprintf("S%d.%s %s", c.loop.Statement, c.loop.Index, what)
			if s.ambiguous(k) {
				text += fmt.Sprintf(" (%d)", k)
			}
			return text
		}
		left := func(prefix []int64) int64 {
			if n == 0 {
				return room
			}
			return prefix[last]
		}
		classes := c.classes()
		p := space.Parameter{Name: name("code"), Uses: []string{}, Values: func(prefix []int64) (values []int64) {
			for _, code := range classes {
				if code <= left(prefix) {
					values = append(values, left(prefix)-code)
				}
			}
			return values
		}}
		uses := []string{p.Name}
		if before != "" {
			p.Uses, uses = []string{before}, append(uses, before)
		}
		g, before, at = append(g, p), p.Name, first
		for m := range c.members {
			tile := space.Parameter{Name: name(fmt.Sprintf("tile %d", m+1)), Uses: append([]string(nil), uses...), Values: func(prefix []int64) []int64 {
				values := c.choices(m, prefix[first+1:])
				if m < len(c.members)-1 {
					return values
				}
				var fit []int64
				for _, v := range values {
					if left(prefix)-c.class(append(prefix[first+1:first+1+m:first+1+m], v)) == prefix[first] {
						fit = append(fit, v)
					}
				}
				return fit
			}}
			if m < len(c.members)-1 {
				tile.Uses = tile.Uses[:0:0]
				if m > 0 {
					tile.Uses = []string{g[len(g)-1].Name}
				}
			}
			uses, g = append(uses, tile.Name), append(g, tile)
		}
	}
	return g
}

// classes lists the classes that some tiles of a chain have.
func (c chain) classes() (list []int64) {
	seen := map[int64]bool{}
	var walk func(tiles []int64)
	walk = func(tiles []int64) {
		if len(tiles) == len(c.members) {
			if n := c.class(tiles); !seen[n] {
				seen[n], list = true, append(list, n)
			}
			return
		}
		for _, v := range c.choices(len(tiles), tiles) {
			walk(append(tiles[:len(tiles):len(tiles)], v))
		}
	}
	walk(nil)
	return list
}
