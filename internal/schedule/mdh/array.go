package mdh

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// An array is an MDA: index sets, and values in the row-major order of the sets. A
// reduced dimension has the set {0}.
type array struct {
	sets   [][]int64
	values [][]ein.Number // by point, by component
}

// pointwise combines two arrays with the same index sets.
func pointwise(apply func(x, y, result []ein.Number), a, b *array) *array {
	r := &array{sets: b.sets}
	for p := range b.values {
		value := make([]ein.Number, len(b.values[p]))
		apply(a.values[p], b.values[p], value)
		r.values = append(r.values, value)
	}
	return r
}

// each calls visit with the positions in the sets of every point, in order.
func each(sets [][]int64, visit func(at []int)) {
	at := make([]int, len(sets))
	var walk func(d int)
	walk = func(d int) {
		if d == len(sets) {
			visit(at)
			return
		}
		for at[d] = 0; at[d] < len(sets[d]); at[d]++ {
			walk(d + 1)
		}
	}
	walk(0)
}

// offset is where the point at some positions is.
func (a *array) offset(at []int) int {
	n := 0
	for d, set := range a.sets {
		n = n*len(set) + at[d]
	}
	return n
}

// spread repeats the last values along dimension d for a set of indices.
func (a *array) spread(d int, set []int64) *array {
	r := &array{sets: slices.Clone(a.sets)}
	r.sets[d] = set
	each(r.sets, func(at []int) {
		from := slices.Clone(at)
		from[d] = len(a.sets[d]) - 1
		r.values = append(r.values, a.values[a.offset(from)])
	})
	return r
}

// concatenate unites two arrays with disjoint sets in dimension d.
func (a *array) concatenate(d int, b *array) *array {
	r := &array{sets: slices.Clone(a.sets)}
	r.sets[d] = slices.Sorted(slices.Values(slices.Concat(a.sets[d], b.sets[d])))
	each(r.sets, func(at []int) {
		i := r.sets[d][at[d]]
		of := a
		k := slices.Index(a.sets[d], i)
		if k < 0 {
			of, k = b, slices.Index(b.sets[d], i)
		}
		from := slices.Clone(at)
		from[d] = k
		r.values = append(r.values, of.values[of.offset(from)])
	})
	return r
}

// fill stores component k of an array. Its points are in row-major order.
func fill(x *tensor.Tensor, a *array, k int) {
	at := 0
	for offset := range x.Offsets() {
		switch v := a.values[at][k]; x.DType().Kind() {
		case tensor.KindFloat:
			x.SetFloatAt(offset, v.Float)
		case tensor.KindUint:
			x.SetUintAt(offset, uint64(v.Int))
		default:
			x.SetIntAt(offset, v.Int)
		}
		at++
	}
}
