package standard

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How stages of a pipeline share rows
//
// Gain and bias of a layer norm are the same for all rows, but where the nearest cache does not hold them
// beside the rows that the stages read they come from the second one for each row, and while results are
// stored past the caches each such line costs time: on Emerald Rapids 0.43 ns. So a stage goes over a
// piece of some rows, then over the next piece of them, and reads what they share once. Layer norm of
// 4096² floats takes 0.87 of the time, of 8192² 0.75 to 0.85.
//
// Temporaries as long as rows would be read from farther than where each row is used at once.

const rowsOfPieces = 8

// rowPieces says how many rows a step of a pipeline has, and how long the pieces are in which a stage
// goes over them. A single row is one piece.
type rowPieces struct{ rows, points int64 }

// piecesOf chooses the pieces of the rows of a pipeline.
func (mk *maker) piecesOf(p *plan, stages []*stage, row int) rowPieces {
	whole := rowPieces{rows: 1}
	beside := mk.rowsBeside(p, stages, row)
	if n := estimate(p.g.columns[row][0].Extent); beside.shared == 0 || beside.bytes <= mk.m.L1 || n < leastPiped*rowsOfPieces {
		return whole
	}
	extent, size := int64(0), int64(0)
	for _, st := range stages {
		for _, k := range st.members {
			c, own := mk.f.Body[p.g.statements[k]], p.own[p.g.statements[k]]
			points, bytes := estimate(own.Extent), int64(c.Writes[0].Tensor.Type.Size())
			t := c.Writes[0].Tensor
			if extent > 0 && (points != extent || bytes != size) || t.Role == ein.Temp && ein.AnyDependsOn(c.Writes[0].Subscripts, own) {
				return whole
			}
			extent, size = points, bytes
		}
	}
	for points := mk.page() / size; points*size >= mk.page()/2; points -= mk.line() / size {
		if extent%points == 0 {
			return rowPieces{rowsOfPieces, points}
		}
	}
	return whole
}

// inRow are the loops of statements, by number in the group, over the rows of a step.
func (r rowPieces) inRow(p *plan, members []int, row int) []*schedule.Member {
	if r.rows == 1 {
		return nil
	}
	m := &schedule.Member{Tile: 1}
	for _, k := range members {
		m.Loops = append(m.Loops, schedule.Loop{Statement: p.g.statements[k], Index: p.g.columns[row][k].Name})
	}
	return []*schedule.Member{m}
}

// around puts the loops over pieces and rows around that over the vectors of a stage.
func (r rowPieces) around(p *plan, members []int, row int, lane *schedule.Member) []*schedule.Member {
	if r.rows == 1 {
		return []*schedule.Member{lane}
	}
	piece := &schedule.Member{Loops: lane.Loops, Tile: r.points}
	return append(append([]*schedule.Member{piece}, r.inRow(p, members, row)...), lane)
}
