package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// A segment is a run of equal pieces of a block: count pieces of size tile from
// start on. With lanes > 0 a piece is a vector. A partial segment is one piece, or
// none, of which only the first valid points exist.
type segment struct {
	start, count affine.Expr
	tile         int64
	lanes        int
	group        int // a piece is a group of points
	partial      bool
	valid        affine.Expr
	// The pieces are ragged: only points that are this far from the block's first exist.
	ragged bool
	points affine.Expr
	whole  bool // of a whole block
	beyond bool // some pieces are beyond the end of that
	cached bool // vectors that are stored through the caches, whatever the member says
}

// width returns the lanes of the next vector loop over an index among the rest of a
// band's members or below them, or 0.
func width(p point, rest []*schedule.Member, below schedule.Node) int {
	for _, m := range rest {
		if loop, ok := m.IndexOf(p.statement); ok && loop.Index == p.index && m.Vector > 0 {
			return m.Vector
		}
	}
	return schedule.VectorBelow(p.statement, p.index, below)
}

// segments cuts a block for a member. vector is the width of the vector loop over
// the same index further down. A rest that fills no vector is a partial one, whose
// lanes are masked; narrow says that the whole index is a shorter vector instead.
//
// The tiles of a padded member are equal, the last one ragged. Loops over whole blocks
// visit what does not exist, too. inPieces says that a tile may be visited in pieces of
// some points.
func segments(b block, m *schedule.Member, vector int, narrow bool, inPieces func(int64) bool) []segment {
	c := cutter{member: m, lanes: int64(max(vector, m.Vector, m.Group)), most: b.size, inPieces: inPieces}
	step := max(m.Tile, int64(m.Vector), int64(m.Group))
	if m.Pad {
		return padded(b, step)
	}
	if b.ragged && b.whole {
		points := b.exists
		b.ragged = false
		list := segments(b, m, vector, narrow, inPieces)
		for i := range list {
			list[i].ragged, list[i].whole, list[i].points = true, true, points
		}
		return list
	}
	b = b.bounded()
	n, known := b.points().IsConst()
	if !known {
		c.unknown(b, step)
		return c.list
	}
	at := n / step * step
	c.add(affine.Expr{}, affine.Const(n/step), step)
	rest := n - at
	switch {
	case rest == 0:
	case m.Vector > 0 && !narrow || m.Group > 0:
		c.addPartial(affine.Const(at), affine.Const(rest))
	default: // a smaller tile, or vector
		c.add(affine.Const(at), affine.Const(1), rest)
	}
	return c.list
}

// padded cuts a block into equal tiles, of which the last may be ragged. Where tiles
// fill the block its own end tells no more of theirs than the end of what exists.
func padded(b block, tile int64) []segment {
	points := b.points()
	s := segment{count: affine.Div(points.AddConst(tile-1), affine.Const(tile)), tile: tile, ragged: true, points: points}
	if size, known := b.size.IsConst(); known && b.ragged && size%tile == 0 {
		s.points = b.exists
	}
	if n, known := points.IsConst(); known {
		s.ragged = n%tile != 0
		if n <= 0 {
			return nil
		}
	}
	return []segment{s}
}

// A cutter collects segments.
type cutter struct {
	member *schedule.Member
	lanes  int64       // of the vector loop, here or further down; at most 1 for none
	most   affine.Expr // how many points the block may have
	// inPieces reports whether a tile may be visited in pieces of some points.
	inPieces func(int64) bool
	list     []segment
}

func (c *cutter) add(start, count affine.Expr, tile int64) {
	if n, ok := count.IsConst(); ok && n <= 0 {
		return
	}
	s := segment{start: start, count: count, tile: tile, group: c.member.Group}
	if c.member.Vector > 0 && tile > 1 {
		s.lanes = int(tile)
	}
	c.list = append(c.list, s)
}

func (c *cutter) addPartial(start, valid affine.Expr) {
	count := affine.Div(valid.AddConst(c.lanes-1), affine.Const(c.lanes))
	s := segment{start: start, count: count, tile: c.lanes, group: c.member.Group, partial: true, valid: valid}
	if c.member.Vector > 0 {
		s.lanes = int(c.lanes)
	}
	c.list = append(c.list, s)
}

// unknown cuts a block of unknown size into tiles, vectors and a partial vector, so
// that the sizes of all pieces are constants. Where the last tile has to keep its order
// it is a ragged one.
func (c *cutter) unknown(b block, step int64) {
	if piece := max(c.lanes, 1); step > piece && !c.inPieces(piece) {
		points := b.points()
		tiles := affine.Div(points, affine.Const(step))
		c.add(affine.Expr{}, tiles, step)
		last := segment{start: tiles.Scale(step), tile: step, ragged: true, points: points}
		last.count = affine.Div(points.Sub(last.start).AddConst(step-1), affine.Const(step))
		c.list = append(c.list, last)
		return
	}
	steps := []int64{step}
	if step > c.lanes && c.lanes > 1 {
		steps = append(steps, c.lanes)
	}
	size, start := b.points(), affine.Expr{}
	for _, step := range steps {
		if most, known := c.most.IsConst(); known && step >= most && (b.partial || step == c.lanes) {
			continue // one vector, of which perhaps not all lanes exist
		}
		count := affine.Div(size.Sub(start), affine.Const(step))
		c.add(start, count, step)
		start = start.Add(count.Scale(step))
	}
	switch last := steps[len(steps)-1]; {
	case c.lanes > 1:
		c.addPartial(start, size.Sub(start))
	case last > 1:
		c.add(start, size.Sub(start), 1)
	}
}

// isNarrow reports whether all of an index fits in a shorter vector than one of w
// lanes. The lanes of a reduced index accumulate, for which all have one width, padded
// tiles and those on diagonals have room for whole vectors, and smaller blocks have masked ones.
func (l *lowerer) isNarrow(p point, w int) bool {
	loops := []schedule.Loop{{Statement: p.statement, Index: p.index}}
	if m := l.levels.Of(p.statement, p.index, 1); m != nil {
		if loops = m.Loops; w > 1 && l.levels.IsCut(p.statement, p.index) && !l.levels.ConsistsOf(p.statement, p.index, int64(w)) {
			return false
		}
	}
	if l.levels.OnNumbers(p.statement, p.index) {
		return false
	}
	reduced := slices.ContainsFunc(loops, func(lp schedule.Loop) bool { return l.index(point{lp.Statement, lp.Index}).Combine.Kind != ein.Concat })
	n, known := l.frames.Of(p.statement, l.index(p)).Extent.IsConst()
	return known && !reduced && n > 0 && n < int64(w) && n&(n-1) == 0 && !l.padded[p]
}

// paddedPoints adds the indices that padded members cut.
func paddedPoints(n schedule.Node, set map[point]bool) map[point]bool {
	if b, ok := n.(*schedule.Band); ok {
		for _, m := range b.Members {
			for _, lp := range m.Loops {
				if m.Pad {
					set[point{lp.Statement, lp.Index}] = true
				}
			}
		}
	}
	for _, child := range schedule.Children(n) {
		paddedPoints(child, set)
	}
	return set
}
