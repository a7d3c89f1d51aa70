package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How strips are cut
//
// In a chain of stencils, such as
//
//	t(i,j) = X(i,j) + X(i,j+1)
//	Y(i,j) = t(i,j) + t(i+1,j)
//
// a large t travels through memory. The range of i is cut into strips, each of
// which computes the rows of t that it needs, those at its edge once more:
//
//	t(b,r,j) = X(B·b+r,j) + X(B·b+r,j+1)      r over B+1 rows
//	Y(B·b+r,j) = t(b,r,j) + t(b,r+1,j)        r over B rows
//
// Now b has distance 0 between the two, so the scheduler fuses them along b, keeps
// one strip of t in the nearest cache, and runs strips in parallel. This is
// overlapped tiling, said in the language of the program. Rows that fill no strip
// become statements of their own.
//
// A chain is a run of point-wise statements connected by temporaries that nobody
// else uses. What a chain writes besides, its results, it must not read. Axes are
// counted from the last dimension, so that a chain can be cut along several.

// StripLimits say which chains are cut, and how.
type StripLimits struct {
	Least int64 // bytes of the temporaries from which on a chain is cut
	Block int64 // bytes of the temporaries of one strip, which may grow to four times as much
	Row   int64 // points of a row that are computed at once where rows can be cut freely
}

// defaultStrips suit first-level caches of 32 to 64 KiB; whole rows were the fastest.
var defaultStrips = StripLimits{Least: 128 << 10, Block: 48 << 10, Row: 1024}

// longestChain bounds the search for chains.
const longestChain = 16

// Strips cuts chains of stencils with known sizes into strips.
func (limits StripLimits) Strips(f *ein.Func) *ein.Func {
	f = f.Clone()
	u := usersOf(f.Body)
	for from := 0; from < len(f.Body); from++ {
		for to := min(len(f.Body), from+longestChain); to > from+1; to-- {
			c := newChain(f, u, f.Body[from:to])
			if c == nil {
				continue
			}
			pieces := [][]*ein.Comprehension{c.statements}
			for _, cut := range limits.cuts(c) {
				pieces = cut.apply(f, u, pieces)
			}
			body := slices.Concat(pieces...)
			f.Body = slices.Concat(f.Body[:from], body, f.Body[to:])
			u = usersOf(f.Body)
			from += len(body) - 1
			break
		}
	}
	f.Tensors = slices.DeleteFunc(f.Tensors, func(t *ein.Tensor) bool {
		return t.Role == ein.Temp && !slices.ContainsFunc(f.Body, func(c *ein.Comprehension) bool { return writes(c, t) })
	})
	return f
}

// A cut divides an axis into strips of a length.
type cut struct {
	axis   int
	length int64
}

// cuts decides how a chain is cut: along its outermost axis with distances and,
// where whole rows are too long for a strip, along the last axis as well.
func (limits StripLimits) cuts(c *chain) []cut {
	if c.bytes(c.rank, nil) < limits.Least {
		return nil
	}
	axes := make([]*axis, c.rank)
	outer := -1
	for a := range axes {
		if axes[a] = c.axis(a); axes[a] == nil || axes[a].halo > 0 {
			outer = a
		}
	}
	if outer < 0 || axes[outer] == nil || axes[0] == nil {
		return nil
	}
	x, lengths := axes[outer], map[int]int64{}
	if axes[0].halo == 0 {
		lengths[0] = limits.Row
	}
	if c.bytes(outer+1, lengths) <= limits.Block {
		return nil // fused along the axes outside, the temporaries are small already
	}
	rows := limits.Block/max(1, c.bytes(outer, lengths)) - x.halo
	var list []cut
	if rows < 6*x.halo && outer > 0 && axes[0].halo > 0 {
		// Whole rows of a strip would be computed twice; a strip in the
		// second-level cache with shorter rows is better.
		if short := max(1, limits.Row/2); axes[0].n >= 2*short {
			short = stripLength(axes[0], short)
			list = append(list, cut{0, short})
			lengths[0] = short + axes[0].halo
		}
		rows = 4*limits.Block/max(1, c.bytes(outer, lengths)) - x.halo
	}
	if rows < 2*x.halo || rows < 2 {
		return nil
	}
	return append(list, cut{outer, stripLength(x, rows)})
}

// stripLength prefers lengths up to rows that leave no rest.
func stripLength(x *axis, rows int64) int64 {
	const lanes = 64
	if rows > 4*lanes && x.number == 0 {
		rows = rows / lanes * lanes
	}
	for length := min(rows, x.n); 3*length > 2*rows; length-- {
		if x.n%length == 0 {
			return length
		}
	}
	return rows
}

func (k cut) apply(f *ein.Func, u users, pieces [][]*ein.Comprehension) [][]*ein.Comprehension {
	var list [][]*ein.Comprehension
	for _, piece := range pieces {
		c := newChain(f, u, piece)
		if c == nil {
			list = append(list, piece)
			continue
		}
		x := c.axis(k.axis)
		if x == nil || x.n < 2*k.length {
			list = append(list, piece)
			continue
		}
		list = append(list, c.strips(f, x, k.length))
		if x.n%k.length > 0 {
			list = append(list, c.rest(f, x, x.n/k.length*k.length))
		}
	}
	return list
}
