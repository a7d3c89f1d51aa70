package schedule

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
)

// The time of windows in parts is that of products of parts, of making parts of an element of 32 rows and of points of 32
// members, and of a block of 32 x 32 sums that goes to the results.

// A PartsWindows is a convolution in parts: of rows, such as output channels, and columns, the points of a
// row of an image, which has so many of them, Pitch points apart; 0 where the rows of images are apart, and each is one of
// its own. Members are summed at each of some shifts, by which windows go over Span points.
type PartsWindows struct {
	Rows, Columns, Height, Pitch, Images, Members, Shifts, Span int64
	Room                                                        int64 // bytes for parts
}

// NewPartsWindows describes the convolution of a statement, of which an operand lies along the columns: of so many points
// along each index, which are some elements apart in it, with so many bytes for parts. ok is false where no parts are made of planes of neighbours.
func NewPartsWindows(c *ein.Comprehension, along *ein.Access, member, column *ein.Index, points, step func(*ein.Index) int64, room int64) (p PartsWindows, ok bool) {
	p = PartsWindows{Rows: 1, Columns: points(column), Height: 1, Images: 1, Members: points(member), Shifts: 1, Room: room}
	if !HasWindows(c, along) || step(column) != 1 {
		return p, false
	}
	var run *ein.Index // the last one: the rows of an image
	for _, i := range c.ByKind(ein.Concat) {
		switch {
		case i == column:
		case !ein.AnyDependsOn(along.Subscripts, i):
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
	for _, i := range ein.Reduced(c) {
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

// Cycles is how long it takes on one core of a machine, infinity where there is no room for a pass: the target chooses how deep it
// is in the same way (target/c/multiply_shifted.go).
func (p PartsWindows) Cycles(m *machine.Processor) float64 {
	all, least := roundsOf(p.Members, ein.PartsLines), math.Inf(1)
	for steps := min(all, p.Room/(partsFilter*p.Shifts)); steps > 0; steps-- {
		least = min(least, p.ofSteps(roundsOf(all, roundsOf(all, steps)), m)) // passes of equal depth
	}
	return least
}

// partsFilter are the bytes of the parts of 32 rows of 32 members, partsPoints those of a line of points of these.
const (
	partsFilter = ein.PartsBlockBytes
	partsPoints = partsFilter / 2
)

// roundsOf is how many times a size it takes for so many.
func roundsOf(n, size int64) int64 { return (n + size - 1) / size }

// ofSteps is the time where a pass has so many times 32 members.
func (p PartsWindows) ofSteps(steps int64, m *machine.Processor) float64 {
	const line = ein.PartsLines / 2 // points of which parts of a member fill a line of the cache
	all, points := steps*p.Shifts, (p.Height-1)*p.Pitch+p.Columns
	lines := (p.Room - partsFilter*all) / (partsPoints * steps)
	capacity := ((lines-1)*line - p.Span) / ein.PartsLines * ein.PartsLines
	if capacity < ein.PartsLines {
		return math.Inf(1)
	}
	most := roundsOf(points, ein.PartsLines*roundsOf(points, capacity)) * ein.PartsLines
	jobs := p.Images * roundsOf(points, most)
	groups := roundsOf(jobs, max(1, lines/(roundsOf(most+p.Span, line)|1)))
	half := func(n int64) float64 { return float64(roundsOf(n, line)) / 2 }
	blocks, passes := float64(roundsOf(p.Rows, ein.PartsLines)), float64(roundsOf(roundsOf(p.Members, ein.PartsLines), steps))
	sums := float64(jobs*most/ein.PartsLines) * (float64(all)*m.Value(machine.PartsProduct)*half(p.Rows)/blocks + m.Value(machine.WindowSums))
	return passes * (blocks*(float64(groups*all*ein.PartsLines*ein.PartsLines)*m.Value(machine.WindowRow)+sums) + float64(jobs*steps)*float64(most+p.Span)*m.Value(machine.WindowPoints))
}
