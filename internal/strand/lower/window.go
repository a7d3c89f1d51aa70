package lower

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/strand"
)

// A sumKey names a sum over the axes up to one: at the taps of the others, of derivatives.
type sumKey struct {
	axis, voxel int
	taps        string // of the axes behind
	orders      string // of the axes up to this one
}

// component is the sum over all axes.
func (w *window) component(c strand.Component) loop.Expr {
	return w.sum(len(w.sizes)-1, c.Voxel, nil, c.Orders)
}

// sum adds up an axis; taps are those of the axes behind it.
func (w *window) sum(axis, voxel int, taps, orders []int) loop.Expr {
	if axis < 0 {
		return w.tap(voxel, taps)
	}
	key := sumKey{axis, voxel, fmt.Sprint(taps), fmt.Sprint(orders[:axis+1])}
	if e, known := w.sums[key]; known {
		return e
	}
	weights := w.weightsOf(axis, orders[axis])
	var total loop.Expr
	if w.g.o.Exact {
		total = real(w.real, 0)
	}
	for k, weight := range weights {
		if isZero(weight) && !w.g.o.Exact {
			continue
		}
		term := w.sum(axis-1, voxel, append([]int{k}, taps...), orders)
		switch {
		case total == nil:
			total = binary(ein.Mul, weight, term)
		default:
			total = w.multiplyAdd(weight, term, total)
		}
	}
	if total == nil {
		total = real(w.real, 0)
	}
	e := w.g.let("sum", total)
	w.sums[key] = e
	return e
}

func isZero(e loop.Expr) bool {
	c, ok := e.(*loop.Const)
	return ok && c.Bits == 0
}

// tap reads a voxel, by the taps of all axes.
func (w *window) tap(voxel int, taps []int) loop.Expr {
	constant := int64(voxel) * w.stride(len(w.sizes))
	var at loop.Expr
	if w.base != nil {
		for axis, k := range taps {
			constant += int64(k+1-w.s.Kernel.Support) * w.stride(axis)
		}
		at = binary(ein.Add, w.base, loop.Int(constant))
	} else {
		at = loop.Int(constant)
		for axis, k := range taps {
			at = binary(ein.Add, w.taps[axis][k], at)
		}
	}
	load := &loop.Load{Buffer: w.g.images[w.s.Image], Index: at, Lanes: at.Type().Lanes}
	if w.base != nil || w.valid == nil {
		return load
	}
	key := fmt.Sprint(voxel, taps)
	e, known := w.read[key]
	if !known { // orders of derivatives ask again
		e = w.g.let("voxel", choose(w.isValid(taps), load, cast(load.Type().Elem, w.outside[voxel])))
		w.read[key] = e
	}
	return e
}

// isValid reports whether a voxel of the border Constant is inside, by the taps of all axes, or of those behind one.
func (w *window) isValid(taps []int) loop.Expr {
	first := len(w.sizes) - len(taps)
	if len(taps) == 1 {
		return w.valid[first][taps[0]]
	}
	key := fmt.Sprint("valid", taps[1:])
	behind, known := w.read[key]
	if !known {
		behind = w.g.let("valid", w.isValid(taps[1:]))
		w.read[key] = behind
	}
	return both(behind, w.valid[first][taps[0]])
}
