package strand

import (
	"math"
	"slices"
)

// Cells are uniform cells over the box around all positions, about as many as these: those of cell c are
// List[First[c]:First[c+1]], in their order. The numbers of cells run along the last axis first. Positions that are no finite numbers
// are near to none, and in no cell.
type Cells struct {
	Low, Size   []float64
	Count       []int
	First, List []int64
}

// What lies nearer than a radius is in the cells that a box of radius·ReachFactor + ReachMore meets: the square of a distance
// is rounded, and that of a tiny one may be 0.
const (
	ReachFactor = 1 + 1e-5
	ReachMore   = 1e-18
)

// NewCells sorts positions, of which each axis has a column, into cells.
func NewCells(columns [][]float64) *Cells {
	dim, total := len(columns), 1
	c := &Cells{Low: make([]float64, dim), Size: make([]float64, dim), Count: make([]int, dim)}
	side := int(math.Ceil(math.Pow(float64(len(columns[0])+1), 1/float64(dim))))
	for axis, column := range columns {
		low, high := math.Inf(1), math.Inf(-1)
		for _, x := range column {
			if finite(x) {
				low, high = min(low, x), max(high, x)
			}
		}
		c.Low[axis], c.Count[axis] = low, side
		if c.Size[axis] = (high/2 - low/2) / float64(side) * 2; !(c.Size[axis] > 0) || !finite(c.Size[axis]) {
			c.Low[axis], c.Size[axis], c.Count[axis] = 0, 1, 1 // all are in one cell
		}
		total *= c.Count[axis]
	}
	c.sort(columns, total)
	return c
}

// sort fills the cells.
func (c *Cells) sort(columns [][]float64, total int) {
	of := make([]int, len(columns[0]))
	c.First = make([]int64, total+1)
	for k := range of {
		of[k] = c.cell(columns, k)
		if of[k] >= 0 {
			c.First[of[k]+1]++
		}
	}
	for k := range total {
		c.First[k+1] += c.First[k]
	}
	c.List = make([]int64, c.First[total])
	next := slices.Clone(c.First)
	for k, cell := range of {
		if cell >= 0 {
			c.List[next[cell]] = int64(k)
			next[cell]++
		}
	}
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// cell is the number of the cell of a position, -1 for none.
func (c *Cells) cell(columns [][]float64, k int) int {
	number := 0
	for axis, column := range columns {
		if !finite(column[k]) {
			return -1
		}
		number = number*c.Count[axis] + c.along(axis, column[k])
	}
	return number
}

// along is the place of a coordinate among the cells of an axis; it never falls where x grows.
func (c *Cells) along(axis int, x float64) int {
	place := (x - c.Low[axis]) / c.Size[axis]
	return int(max(0, min(place, float64(c.Count[axis]-1))))
}

// within lists the positions of all cells that a box around a position meets, in their order.
func (c *Cells) within(around []float64, reach float64) (found []int) {
	numbers := []int{0}
	for axis, x := range around {
		if !finite(x) { // near to none
			return nil
		}
		var next []int
		for _, n := range numbers {
			for k := c.along(axis, x-reach); k <= c.along(axis, x+reach); k++ {
				next = append(next, n*c.Count[axis]+k)
			}
		}
		numbers = next
	}
	for _, n := range numbers {
		for _, k := range c.List[c.First[n]:c.First[n+1]] {
			found = append(found, int(k))
		}
	}
	slices.Sort(found)
	return found
}
