package standard

import "github.com/ricci-lang/ricci/internal/ein"

// How many elements of an operand a register tile reads
//
// The points of a tile read some elements together: those of a window overlap. They are counted as the distinct
// sums of what the indices add to each subscript.

// tileOperand is how the tile uses an access.
type tileOperand struct {
	subscripts []map[*ein.Index]int64 // the coefficients of the indices, by dimension
	cost       float64                // load slots of one vector, or of one scalar
	wait       float64                // cycles of one that arithmetic does not hide
	vector     bool                   // moves along the vector index
	size       float64                // bytes of an element
	bytes      float64                // of all elements
}

// distinct counts the different elements that an operand has in a tile, apart from
// those along the vector index.
func (o *tileOperand) distinct(points []tilePoints, unrolled *ein.Index, repeat int64) int64 {
	total := int64(1)
	for _, coefficients := range o.subscripts {
		var room [4]progression
		terms := room[:0]
		for _, p := range points {
			if step := coefficients[p.index]; step != 0 {
				terms = append(terms, progression{step, p.count})
			}
		}
		if step := coefficients[unrolled]; step != 0 {
			terms = append(terms, progression{step, repeat})
		}
		total *= distinctSums(terms)
	}
	return total
}

// A progression has the multiples of a step, from 0 on.
type progression struct{ step, count int64 }

// distinctSums counts the different sums of one value from each progression.
func distinctSums(terms []progression) int64 {
	switch len(terms) {
	case 0:
		return 1
	case 1:
		return terms[0].count
	case 2: // (i + rows, j ± columns) is the next point with the sum of (i, j)
		x, y, rows := terms[0], terms[1], int64(1)
		for rows*x.step%y.step != 0 {
			rows++
		}
		columns := max(rows*x.step/y.step, -rows*x.step/y.step)
		return x.count*y.count - max(0, x.count-rows)*max(0, y.count-columns)
	}
	sums := map[int64]bool{0: true}
	for _, t := range terms {
		next := map[int64]bool{}
		for sum := range sums {
			for n := range t.count {
				next[sum+n*t.step] = true
			}
		}
		sums = next
	}
	return int64(len(sums))
}

// span is how many elements lie between the first and the last of a step, which
// neighbouring steps of a window share if all of them stay in registers.
func (o *tileOperand) span(points []tilePoints) int64 {
	total := int64(1)
	for _, coefficients := range o.subscripts {
		length := int64(1)
		for _, p := range points {
			length += max(coefficients[p.index], -coefficients[p.index]) * (p.count - 1)
		}
		total *= length
	}
	return total
}
