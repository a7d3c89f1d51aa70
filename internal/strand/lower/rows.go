package lower

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// How windows are read by rows
//
// The taps of the fastest axis lie side by side: a row is one short vector. Rows are added up along the slower axes as they
// are, and only then multiplied by the weights of the fastest axis and folded. For 64 taps that is 16 loads and 20
// multiplications of vectors. The weights of an axis are a vector, too, whose coefficients are read from a table; those of the
// slower axes are taken from it lane by lane. Where a row has six taps, the last two lanes of its vector are masked.

// byRows reports whether a window is read so: where all its taps are at places that differ by constants.
func (w *window) byRows() bool {
	return w.base != nil && w.base.Type().Lanes == 1 && !w.g.o.Exact && !w.g.o.Taps
}

// width is how many lanes a row has: the next power of two.
func (w *window) width() int {
	n := 1
	for n < 2*w.s.Kernel.Support {
		n *= 2
	}
	return n
}

// A rowWindow is the state of reading a window by rows.
type rowWindow struct {
	*window
	lanes   int
	mask    loop.Expr
	vectors map[string]loop.Expr // weights of an axis and an order
	scalars map[string]loop.Expr // one of them, in all lanes
	sums    map[sumKey]loop.Expr
}

// rows computes the components.
func (w *window) rows() (results []loop.Expr) {
	r := &rowWindow{window: w, lanes: w.width(), vectors: map[string]loop.Expr{}, scalars: map[string]loop.Expr{}, sums: map[sumKey]loop.Expr{}}
	if taps := 2 * w.s.Kernel.Support; taps < r.lanes {
		r.mask = binary(ein.Lt, &loop.Ramp{Base: loop.Int(0), Stride: 1, Lanes: r.lanes}, loop.Int(int64(taps)))
	}
	for _, c := range w.s.Wanted {
		sum := r.sum(len(w.sizes)-1, c.Voxel, nil, c.Orders)
		product := binary(ein.Mul, sum, r.weights(0, c.Orders[0]))
		results = append(results, w.g.let(c.To.Name, &loop.Fold{Op: ein.Add, X: product}))
	}
	return results
}

// sum adds up rows along an axis and those in front of it.
func (r *rowWindow) sum(axis, voxel int, taps, orders []int) loop.Expr {
	key := sumKey{axis, voxel, fmt.Sprint(taps), fmt.Sprint(orders[1 : axis+1])}
	if e, known := r.sums[key]; known {
		return e
	}
	var total loop.Expr
	if axis == 0 {
		at := r.tap(voxel, append([]int{0}, taps...)).(*loop.Load)
		at.Lanes, at.Mask = r.lanes, r.mask
		total = at
	} else {
		for k := range 2 * r.s.Kernel.Support {
			term := r.sum(axis-1, voxel, append([]int{k}, taps...), orders)
			weight := r.weight(axis, orders[axis], k)
			if total == nil {
				total = binary(ein.Mul, weight, term)
			} else {
				total = &loop.MulAdd{X: weight, Y: term, Z: total}
			}
		}
	}
	e := r.g.let("row", total)
	r.sums[key] = e
	return e
}

// weight is that of a tap of a slower axis in all lanes.
func (r *rowWindow) weight(axis, order, k int) loop.Expr {
	key := fmt.Sprint(axis, order, k)
	e, known := r.scalars[key]
	if !known {
		e = r.g.let("weight", &loop.Broadcast{X: &loop.Lane{X: r.weights(axis, order), Number: k}, Lanes: r.lanes})
		r.scalars[key] = e
	}
	return e
}

// weights are those of all taps of an axis, as even and odd powers.
func (r *rowWindow) weights(axis, order int) loop.Expr {
	key := fmt.Sprint(axis, order)
	if e, known := r.vectors[key]; known {
		return e
	}
	g, known := r.vectors[fmt.Sprint(axis)]
	if !known {
		g = r.g.let("g", loop.Wide(binary(ein.Sub, r.f[axis], real(r.real, 0.5)), r.lanes))
		r.vectors[fmt.Sprint(axis)] = g
		r.vectors[fmt.Sprint(axis, "square")] = r.g.let("q", binary(ein.Mul, g, g))
	}
	q := r.vectors[fmt.Sprint(axis, "square")]
	var parts [2]loop.Expr
	rows := r.g.table(r.s.Kernel, order, r.lanes)
	for power := len(rows) - 1; power >= 0; power-- {
		if parts[power%2] == nil {
			parts[power%2] = rows[power]
		} else {
			parts[power%2] = &loop.MulAdd{X: parts[power%2], Y: q, Z: rows[power]}
		}
	}
	var e loop.Expr = &loop.Broadcast{X: real(r.real, 0), Lanes: r.lanes}
	switch {
	case parts[1] != nil:
		e = &loop.MulAdd{X: g, Y: parts[1], Z: parts[0]}
	case parts[0] != nil:
		e = parts[0]
	}
	e = r.g.let("weights", e)
	r.vectors[key] = e
	return e
}

// A tableKey names the coefficients of a kernel.
type tableKey struct {
	kernel *strand.Kernel
	order  int
}

// table gives the coefficients of the taps for each power, which stand in an array of the kernel.
func (g *generator) table(k *strand.Kernel, order, lanes int) (rows []loop.Expr) {
	key := tableKey{k, order}
	taps := (&field.Kernel{Support: k.Support, Pieces: k.Pieces}).Taps(order)
	powers := 0
	for _, tap := range taps {
		powers = max(powers, len(tap))
	}
	first, known := g.tables[key]
	if !known {
		first = len(g.coefficients)
		g.tables[key] = first
		for power := range powers {
			row := make([]float64, lanes)
			for m, tap := range taps {
				c := coefficient(tap, power)
				if row[m], _ = c.Float64(); g.p.Real == tensor.Float32 {
					v, _ := c.Float32()
					row[m] = float64(v)
				}
			}
			g.coefficients = append(g.coefficients, row...)
		}
	}
	for power := range powers {
		rows = append(rows, &loop.Load{Buffer: g.taps, Index: loop.Int(int64(first + power*lanes)), Lanes: lanes})
	}
	return rows
}
