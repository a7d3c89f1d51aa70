package estimate

import (
	"math"

	"github.com/ricci-lang/ricci/internal/machine"
)

// A reference is an access of a statement that some subtree performs.
type reference struct {
	statement int
	access    *access
	weight    float64 // what a line costs: writing means bringing it and taking it back
	slow      float64 // how much longer a line takes than in a stream
}

// coefficientOf returns the one index that a dimension is, plus a constant; ok is
// false where it is something else.
func (d *dimension) coefficientOf() (index int, ok bool) {
	index = -1
	for i, c := range d.coefficients {
		if c == 0 {
			continue
		}
		if index >= 0 || c != 1 {
			return -1, false
		}
		index = i
	}
	return index, index >= 0
}

// isIndex reports whether a dimension is one index, plus a constant.
func (d *dimension) isIndex() bool {
	_, ok := d.coefficientOf()
	return ok
}

// block is what is left to enumerate of the indices of a statement.
type block []float64

// span is how many positions a dimension takes within a block.
func (d *dimension) span(b block) float64 { return min(d.beyond(b), d.extent) }

// beyond is span for a block that goes on where the tensor ends.
func (d *dimension) beyond(b block) float64 {
	positions, points := 1+d.high-d.low, 1+d.high-d.low
	for i, c := range d.coefficients {
		if c != 0 && b[i] > 1 {
			positions += math.Abs(c) * (b[i] - 1)
			points *= b[i]
		}
	}
	return min(positions, points)
}

// lines counts the lines of a size that an access touches within a block. A placed
// tensor lies compactly.
func (a *access) lines(b block, line float64, placed bool) float64 {
	if placed {
		total := a.bytes
		for d := range a.dims {
			total *= a.dims[d].span(b)
		}
		return max(1, total/line)
	}
	run, rows, reach, _ := a.runs(b)
	each := (run*a.bytes-a.bytes)/line + 1
	return min(rows*each, reach*a.bytes/line+1)
}

// runs says in how many rows a block touches how many elements side by side, how far it reaches, and how far apart the rows are.
func (a *access) runs(b block) (run, rows, reach, pitch float64) {
	run, rows = 1, 1
	contiguous := true
	for d := len(a.dims) - 1; d >= 0; d-- {
		dim := &a.dims[d]
		n := dim.span(b)
		reach += (n - 1) * dim.stride
		switch {
		case n <= 1:
			contiguous = contiguous && dim.extent <= 1
		case contiguous && dim.stride == run:
			run *= n
			contiguous = n >= dim.extent
		default:
			contiguous = false
			rows *= n
			if pitch == 0 {
				pitch = dim.stride
			}
		}
	}
	if a.scatters {
		points := 1.0
		for _, n := range b {
			points *= n
		}
		rows, run = min(rows, points/run), max(run, 1)
	}
	return run, rows, reach, pitch
}

// sectors counts the transactions of a size that an access touches within a block. Rows that are whole ones, and as far apart,
// begin with one.
func (a *access) sectors(b block, size float64) float64 {
	run, rows, reach, pitch := a.runs(b)
	each := (run*a.bytes-a.bytes)/size + 1
	if math.Mod(run*a.bytes, size) == 0 && math.Mod(pitch*a.bytes, size) == 0 {
		each = run * a.bytes / size
	}
	return min(rows*each, reach*a.bytes/size+1)
}

// pressure is by how much the lines of an access take more of the first layer than
// their number: rows that lie a multiple of a part of a page apart share its sets.
func (a *access) pressure(b block, placed bool, m *machine.Processor) float64 {
	if placed || len(a.dims) < 2 {
		return 1
	}
	last := &a.dims[len(a.dims)-1]
	width, rows, pitch := 1.0, 1.0, 0.0
	if last.stride == 1 {
		width = last.span(b) * a.bytes
	}
	for d := len(a.dims) - 2; d >= 0; d-- {
		n := a.dims[d].span(b)
		if n > 1 && pitch == 0 {
			pitch = a.dims[d].stride * a.bytes
		}
		rows *= n
	}
	ways, line, sets := m.Value(machine.Ways), m.Value(machine.Line), m.Value(machine.Page) // all sets together are a page
	if rows <= ways || pitch == 0 || pitch != math.Trunc(pitch) {
		return 1
	}
	distinct := sets / float64(gcd(int64(pitch), int64(sets)))
	covered := min(sets, distinct*max(width, line))
	return min(sets/covered, rows/ways)
}

// linesOfSet is how many lines of one set of the first layer the rows of an access within a block take, where they lie a
// multiple of a part of a page apart.
func (a *access) linesOfSet(b block, m *machine.Processor) float64 {
	line, page := m.Value(machine.Line), m.Value(machine.Page) // all sets together are a page
	rows, pitch := 1.0, 0.0
	for d := range len(a.dims) - 1 {
		if n := a.dims[d].span(b); n > 1 {
			rows, pitch = rows*n, a.dims[d].stride*a.bytes
		}
	}
	if pitch == 0 || pitch != math.Trunc(pitch) {
		return 1
	}
	return math.Ceil(rows / (page / max(line, float64(gcd(int64(pitch), int64(page))))))
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
