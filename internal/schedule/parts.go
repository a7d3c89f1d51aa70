package schedule

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
)

// The time of products of float32 in parts (ein/parts.go) follows from quantities of the machine, whose usual values were
// fitted to 28 shapes measured on one with such a unit, of which 25 lie within 0.17: a product of 32 rows, columns and
// members of the sum, where at most 16 rows or columns take half; an element of which parts are made that are kept, or made
// for every panel that passes by while the unit is busy; and what it takes more if its neighbours are transposed before.
// A call takes longer than in the fit, for where none was just before the unit has to wake up. With 3000 cycles
// products of 10 to 40 µs were chosen that take 1.04 to 1.17 of the time of vectors: 256 x 48 x 256, 96 x 192 x 96,
// 96 x 128 x 128, 128 x 64 x 128.

// A PartsProduct is a product of rows and columns of float32 in parts, with so many members of the sum
// side by side, or at equal distances, in each of some sums.
type PartsProduct struct {
	Rows, Columns, Members, Sums float64
	// RowsAcross and ColumnsAcross say that the members of the rows, or the columns at a member, are
	// not side by side, so that they are transposed before parts are made of them.
	RowsAcross, ColumnsAcross bool
	Panels                    int64 // of the operand of which there is less, that are kept
}

// Cycles is how long the product takes on one core of a machine. Rows are kept where there are fewer than columns.
func (p PartsProduct) Cycles(m *machine.Processor) float64 {
	half := func(n float64) float64 { return math.Ceil(n/(ein.PartsLines/2)) / 2 }
	kept, passing, keptAcross, passingAcross := p.Columns, p.Rows, p.ColumnsAcross, p.RowsAcross
	if p.Rows < p.Columns {
		kept, passing, keptAcross, passingAcross = passing, kept, passingAcross, keptAcross
	}
	across := map[bool]float64{true: m.Value(machine.PartsTransposed)}
	again := math.Ceil(kept / (ein.PartsLines * float64(p.Panels)))
	members := p.Sums * math.Ceil(p.Members/ein.PartsLines) * ein.PartsLines
	elements := (m.Value(machine.PartsKept)+across[keptAcross])*kept + (m.Value(machine.PartsPassing)+across[passingAcross])*passing*again
	return m.Value(machine.PartsCall) + members*(m.Value(machine.PartsProduct)/ein.PartsLines*half(p.Rows)*half(p.Columns)+elements)
}
