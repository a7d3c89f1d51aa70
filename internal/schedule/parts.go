package schedule

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
)

// The time of products of float32 in parts (ein/parts.go), in cycles of a machine with such a unit,
// measured there: a product of 32 rows, columns and members of the sum, where at most 16 rows or
// columns take half; an element of which parts are made, and one whose neighbours are transposed before.
const (
	partsProduct    = 620.0
	partsElement    = 1.1
	partsTransposed = 1.4
)

// A PartsProduct is a product of rows and columns of float32 in parts, with so many members of the sum
// side by side, or at equal distances, in each of some sums.
type PartsProduct struct {
	Rows, Columns, Members, Sums float64
	// RowsAcross and ColumnsAcross say that the members of the rows, or the columns at a member, are
	// not side by side, so that they are transposed before parts are made of them.
	RowsAcross, ColumnsAcross bool
}

// Cycles is how long the product takes on one core.
func (p PartsProduct) Cycles() float64 {
	element := map[bool]float64{false: partsElement, true: partsTransposed}
	half := func(n float64) float64 { return math.Ceil(n/(ein.PartsRows/2)) / 2 }
	depth := p.Sums * math.Ceil(p.Members/ein.PartsRows)
	strips := p.Rows * math.Ceil(p.Columns/ein.PartsColumns)
	return depth * (partsProduct*half(p.Rows)*half(p.Columns) + ein.PartsRows*(element[p.RowsAcross]*strips+element[p.ColumnsAcross]*p.Columns))
}
