package lower_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
)

// A view is memory with strides; origin is the element [0, 0].
type view struct {
	data    []float32
	origin  int64
	strides []int64
}

func (v view) at(i, j int64) *float32 { return &v.data[v.origin+i*v.strides[0]+j*v.strides[1]] }

func (v view) bytes() []byte {
	b := make([]byte, 0, 4*len(v.data))
	for _, x := range v.data {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// TestStrides multiplies a transposed by a reversed and a repeated matrix into
// rows that lie apart.
func TestStrides(t *testing.T) {
	const n, m, k = 5, 19, 7
	p := readProgram(t, `
func strided {
  in A: float32[5, 7]
  in B: float32[7, 19]
  in D: float32[5, 19]
  out C: float32[5, 19]
  for i in 0:5, j in 0:19, k in 0:7 reduce + { C[i, j] = A[i, k] * B[k, j] }
  for i in 0:5, j in 0:19 { C[i, j] = C[i, j] + D[i, j] }
}`)
	a := view{make([]float32, n*k), 0, []int64{1, n}}
	b := view{make([]float32, k*m), k*m - 1, []int64{-m, -1}}
	d := view{make([]float32, m), 0, []int64{0, 1}}
	for _, v := range []view{a, b, d} {
		for i := range v.data {
			v.data[i] = float32((i*7)%11 - 5)
		}
	}
	c := view{make([]float32, n*(m+3)), 0, []int64{m + 3, 1}}
	strides := map[string][]int64{"A": a.strides, "B": b.strides, "D": d.strides, "C": c.strides}
	trees := map[string]*schedule.Tree{"canonical": schedule.Canonical(p.f)}
	for name, machine := range machines() {
		tree, err := standard.DefaultFor(p.f, machine, schedule.Options{Strides: strides})
		if err != nil {
			t.Fatal(err)
		}
		trees[name] = tree
	}
	for name, tree := range trees {
		f, err := lower.Lower(p.f, tree, lower.Options{Strides: strides})
		if err != nil {
			t.Fatal(err)
		}
		if err := loop.Verify(f); err != nil {
			t.Fatal(err)
		}
		result := c.bytes()[:4*(n*(m+3)-3)]
		fault, err := loop.Evaluate(f, []loop.Word{{Bytes: a.bytes()}, {Bytes: b.bytes()}, {Bytes: d.bytes()}, {Bytes: result}})
		if err != nil || fault != nil {
			t.Fatal(fault, err)
		}
		for i := int64(0); i < n; i++ {
			for j := int64(0); j < m; j++ {
				want := *d.at(i, j)
				for l := int64(0); l < k; l++ {
					want += *a.at(i, l) * *b.at(l, j)
				}
				if got := math.Float32frombits(binary.LittleEndian.Uint32(result[4*(i*(m+3)+j):])); got != want {
					t.Fatalf("%s: C[%d, %d] = %v, want %v", name, i, j, got, want)
				}
			}
		}
	}
}
