package schedule

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// The time of windows in parts, in the cycles of PartsProduct: an element of 32 rows of which parts are made, 16 points of 32
// members, and a block of 32 x 32 sums that goes to the results.
const (
	windowsRow    = 1.5
	windowsPoints = 320.0
	windowsSums   = 3000.0
)

// A PartsWindows is a convolution in parts: of rows, such as output channels, and columns, the points of a
// row of an image, which has so many of them, Pitch points apart; 0 where the rows of images are apart, and each is one of
// its own. Members are summed at each of some shifts, by which windows go over Span points.
type PartsWindows struct {
	Rows, Columns, Height, Pitch, Images, Members, Shifts, Span int64
}

// NewPartsWindows describes the convolution of a statement, of which an operand lies along the columns: of so many points
// along each index, which are some elements apart in it. ok is false where no parts are made of planes of neighbours.
func NewPartsWindows(c *ein.Comprehension, along *ein.Access, member, column *ein.Index, points, step func(*ein.Index) int64) (p PartsWindows, ok bool) {
	p = PartsWindows{Rows: 1, Columns: points(column), Height: 1, Images: 1, Members: points(member), Shifts: 1}
	if !HasWindows(c, along) || step(column) != 1 {
		return p, false
	}
	var run *ein.Index // the last one: the rows of an image
	for _, i := range c.ByKind(ein.Concat) {
		switch {
		case i == column:
		case !AnyDependsOn(along.Subscripts, i):
			p.Rows *= points(i)
		default:
			p.Images *= points(i)
			run = i
		}
	}
	if run != nil {
		if n := step(run); n >= p.Columns && n <= 2*p.Columns+ein.PartsLines {
			p.Pitch, p.Height = n, points(run)
			p.Images /= max(1, p.Height)
		}
	}
	for _, i := range Reduced(c) {
		if i != member {
			p.Shifts *= points(i)
			p.Span += (points(i) - 1) * step(i)
		}
	}
	return p, p.Rows > 0 && p.Columns > 0 && p.Height > 0 && p.Images > 0 && p.Members > 0 && p.Shifts > 0 && p.Shifts <= ein.PartsShifts
}

// Products is how many products of 32 rows, columns and members there are.
func (p PartsWindows) Products() float64 {
	const cube = ein.PartsLines * ein.PartsLines * ein.PartsLines
	return float64(p.Rows) * float64(p.Columns*p.Height) * float64(p.Images) * float64(p.Members*p.Shifts) / cube
}

// Cycles is how long it takes on one core, infinity where there is no room for a pass: the target chooses how deep it
// is in the same way (target/c/multiply_shifted.go).
func (p PartsWindows) Cycles() float64 {
	all, least := (p.Members+ein.PartsLines-1)/ein.PartsLines, math.Inf(1)
	for passes := int64(1); passes <= all; passes++ {
		least = min(least, p.ofSteps((all+passes-1)/passes))
	}
	return least
}

// ofSteps is the time where a pass has so many times 32 members.
func (p PartsWindows) ofSteps(steps int64) float64 {
	const line = ein.PartsLines / 2 // points of which parts of a member fill a line of the cache
	up := func(n, by int64) int64 { return (n + by - 1) / by }
	room := ein.PartsWindowsRoom * int64(tensor.BFloat16.Size())
	all, points := steps*p.Shifts, (p.Height-1)*p.Pitch+p.Columns
	lines := (room - 6144*all) / (3072 * steps)
	capacity := ((lines-1)*line - p.Span) / ein.PartsLines * ein.PartsLines
	if capacity < ein.PartsLines {
		return math.Inf(1)
	}
	most := up(points, ein.PartsLines*up(points, capacity)) * ein.PartsLines
	jobs := p.Images * up(points, most)
	groups := up(jobs, max(1, lines/(up(most+p.Span, line)|1)))
	half := func(n int64) float64 { return float64(up(n, line)) / 2 }
	blocks, passes := float64(up(p.Rows, ein.PartsLines)), float64(up(up(p.Members, ein.PartsLines), steps))
	sums := float64(jobs*most/ein.PartsLines) * (float64(all)*partsProduct*half(p.Rows)/blocks + windowsSums)
	return passes * (blocks*(float64(groups*all*ein.PartsLines*ein.PartsLines)*windowsRow+sums) + float64(jobs*steps)*float64(most+p.Span)*windowsPoints/line)
}
