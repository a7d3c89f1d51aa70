package check

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// steps says of the first dimensions of the output of a function, the last of them first, how far apart the elements of an
// input are from which neighbours are computed; nil if that is not the same everywhere, or cannot be seen.
func steps(f *ein.Func, from, to *ein.Tensor, dims int) []int64 {
	if len(from.Dims) < dims {
		return nil
	}
	known := map[*ein.Tensor][]int64{from: slices.Repeat([]int64{1}, dims)}
	for _, s := range f.Body {
		for n, w := range s.Writes {
			found, ok := stepsOf(s.Values[n], w, known, dims)
			if before := known[w.Tensor]; !ok || found != nil && before != nil && !slices.Equal(before, found) {
				return nil
			} else if found != nil {
				known[w.Tensor] = found
			}
		}
	}
	list := slices.Clone(known[to])
	slices.Reverse(list)
	return list
}

// stepsOf are those of a tensor that is written; nil if it is not computed from what is known.
func stepsOf(value ein.Expr, w *ein.Write, known map[*ein.Tensor][]int64, dims int) (found []int64, ok bool) {
	ok = true
	ein.Walk(value, func(e ein.Expr) bool {
		a, is := e.(*ein.Access)
		if !is || known[a.Tensor] == nil {
			return ok
		}
		if len(w.Subscripts) < dims {
			ok = false
			return false
		}
		one := make([]int64, dims)
		for k := range dims {
			i := indexOf(w.Subscripts[k])
			if i == nil {
				ok = false
				return false
			}
			slope, seen := slopeOf(a.Subscripts[k], i)
			one[k] = slope * known[a.Tensor][k]
			ok = ok && seen && slope > 0
		}
		ok = ok && (found == nil || slices.Equal(found, one))
		found = one
		return ok
	})
	return found, ok
}

// indexOf is the index of a subscript i + c.
func indexOf(e ein.Expr) *ein.Index {
	var found *ein.Index
	several := false
	ein.Walk(e, func(e ein.Expr) bool {
		if r, ok := e.(*ein.IndexRef); ok {
			several = several || found != nil
			found = r.Index
		}
		return true
	})
	if slope, ok := int64(0), false; found != nil && !several {
		if slope, ok = slopeOf(e, found); ok && slope == 1 {
			return found
		}
	}
	return nil
}

// slopeOf is by how much an expression grows with an index, where borders do not change it.
func slopeOf(e ein.Expr, i *ein.Index) (int64, bool) {
	switch e := e.(type) {
	case *ein.IndexRef:
		if e.Index == i {
			return 1, true
		}
		return 0, true
	case *ein.Const, *ein.SizeRef:
		return 0, true
	case *ein.Cast:
		return slopeOf(e.X, i)
	case *ein.Unary:
		x, ok := slopeOf(e.X, i)
		return -x, ok && e.Op == ein.Neg
	case *ein.Select:
		return either(e.Then, e.Else, i)
	case *ein.Binary:
		return slopeOfBinary(e, i)
	}
	return 0, false
}

func slopeOfBinary(e *ein.Binary, i *ein.Index) (int64, bool) {
	switch e.Op {
	case ein.Min, ein.Max:
		return either(e.X, e.Y, i)
	case ein.Mod:
		return slopeOf(e.X, i)
	}
	x, okX := slopeOf(e.X, i)
	y, okY := slopeOf(e.Y, i)
	ok := okX && okY
	switch e.Op {
	case ein.Add:
		return x + y, ok
	case ein.Sub:
		return x - y, ok
	case ein.Mul:
		if c, is := e.X.(*ein.Const); is {
			return c.Int() * y, ok
		}
		if c, is := e.Y.(*ein.Const); is {
			return c.Int() * x, ok
		}
		return 0, ok && x == 0 && y == 0
	}
	return 0, ok && x == 0 && y == 0
}

// either is the slope of what is one of two things, of which one may be a border.
func either(x, y ein.Expr, i *ein.Index) (int64, bool) {
	a, okA := slopeOf(x, i)
	b, okB := slopeOf(y, i)
	return max(a, b), okA && okB && (a == b || a == 0 || b == 0)
}
