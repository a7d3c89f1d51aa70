package c

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
)

// How a product is cut is said by its Multiply (ein.Blocking); the texts have placeholders where it matters. Two products
// that are cut in different ways call different functions, whose names say what is not as usual.
//
// What remains in the texts is how instructions are put together, which no other numbers would leave right: eight tiles of
// which four are results, in a block of 2 x 2; the order of six products of parts, and which of them loads; parts of panels of 32
// lines and steps of 32 members, which are two tiles high and one wide, with the shifts and masks that make them; slices of
// chores, of which there are eight, or ten with transpositions. Numbers of a run follow from numbers of the node and sizes
// that only a run knows: pieces of equal size, the least time by weights. That parts whose operands lie side by side
// have no code to transpose them leaves out what never runs. Limits of arrays (16 sums in tiles, ein.PartsShifts) are those
// of dimensions, beyond which vectors compute.

// blockingPairs are placeholders and what stands for them.
func blockingPairs(s *loop.Multiply) []string {
	b, first := s.Blocking.Complete(), "1"
	if b.Depth > 0 {
		first = fmt.Sprintf("(all + %d) / %d", b.Depth-1, b.Depth)
	}
	pairs := []string{
		"%FIRST", first,
		"%TURNED", map[loop.Operand]string{loop.Either: "rows < cols", loop.Rows: "1", loop.Columns: "0"}[s.Keep],
	}
	for _, p := range []struct {
		name  string
		value int64
	}{
		{"%PASS", b.Pass}, {"%LEAST", b.Least}, {"%PANELS", b.Panels}, {"%TRIES", b.Tries}, {"%NEAR", b.Near}, {"%LINES", b.Lines},
		{"%OFROWS", b.Weights.Rows}, {"%OFPRODUCT", b.Weights.Product}, {"%OFSUMS", b.Weights.Sums}, {"%OFPOINTS", b.Weights.Points},
		{"%CHUNKS", b.Chunks}, {"%POINTS", b.PointsAhead}, {"%FURTHER", b.RowsAhead}, {"%SHIFTS", ein.PartsShifts},
	} {
		pairs = append(pairs, p.name, fmt.Sprint(p.value))
	}
	return append(pairs, tilePairs(b)...)
}

// tilePairs are those of the shape of tiles, whose functions have it in their names.
func tilePairs(b ein.Blocking) []string {
	shape, key := "", ""
	if usual := (ein.Blocking{}).Complete(); b.TileRows != usual.TileRows || b.TileColumns != usual.TileColumns {
		shape, key = fmt.Sprintf("_%d_%d", b.TileRows, b.TileColumns), fmt.Sprintf(" | %dll << 48", b.TileRows<<5|b.TileColumns)
	}
	return []string{"%SHAPE", shape, "%KEY", key, "%ROWS", fmt.Sprint(b.TileRows), "%COLS", fmt.Sprint(b.TileColumns), "%GROUPS", fmt.Sprint(b.TileGroups)}
}

// unusual ends the name of the function of a Multiply.
func unusual(s *loop.Multiply) string {
	return s.Blocking.Complete().Unusual(s.Product()) + map[loop.Operand]string{loop.Rows: "_keep_rows", loop.Columns: "_keep_columns"}[s.Keep]
}
