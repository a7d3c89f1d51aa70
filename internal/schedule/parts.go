package schedule

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
)

// The time of products of float32 in parts (ein/parts.go), in cycles of a machine with such a unit, fitted to 28
// shapes measured there, of which 25 lie within 0.17: a product of 32 rows, columns and members of the sum, where
// at most 16 rows or columns take half; an element of which parts are made that are kept, or made for every
// panel that passes by while the unit is busy; and what it takes more if its neighbours are transposed before.
// A call takes longer than in the fit, for where none was just before the unit has to wake up. With 3000 cycles
// products of 10 to 40 µs were chosen that take 1.04 to 1.17 of the time of vectors: 256 x 48 x 256, 96 x 192 x 96,
// 96 x 128 x 128, 128 x 64 x 128.
const (
	partsCall       = 8000.0
	partsProduct    = 645.0
	partsKept       = 0.36
	partsPassing    = 0.76
	partsTransposed = 0.22
)

// A PartsProduct is a product of rows and columns of float32 in parts, with so many members of the sum
// side by side, or at equal distances, in each of some sums.
type PartsProduct struct {
	Rows, Columns, Members, Sums float64
	// RowsAcross and ColumnsAcross say that the members of the rows, or the columns at a member, are
	// not side by side, so that they are transposed before parts are made of them.
	RowsAcross, ColumnsAcross bool
}

// Cycles is how long the product takes on one core. Rows are kept where there are fewer than columns.
func (p PartsProduct) Cycles() float64 {
	half := func(n float64) float64 { return math.Ceil(n/(ein.PartsLines/2)) / 2 }
	kept, passing, keptAcross, passingAcross := p.Columns, p.Rows, p.ColumnsAcross, p.RowsAcross
	if p.Rows < p.Columns {
		kept, passing, keptAcross, passingAcross = passing, kept, passingAcross, keptAcross
	}
	across := map[bool]float64{true: partsTransposed}
	again := math.Ceil(kept / (ein.PartsLines * ein.PartsPanels))
	members := p.Sums * math.Ceil(p.Members/ein.PartsLines) * ein.PartsLines
	elements := (partsKept+across[keptAcross])*kept + (partsPassing+across[passingAcross])*passing*again
	return partsCall + members*(partsProduct/ein.PartsLines*half(p.Rows)*half(p.Columns)+elements)
}
