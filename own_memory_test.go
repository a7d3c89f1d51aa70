package ricci_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// TestOwnBlocks: a block in the workspace below a parallel loop is the thread's own, with any number of threads, with
// sizes of other tensors that are not known, and where a subscript is out of bounds while threads have their blocks.
func TestOwnBlocks(t *testing.T) {
	const text = `def rows(float(M,N) A, int32(M) at, float(K) w) -> (r) {
  m(i) max=! A(i,j)
  T(i,j) = exp(A(i,j) - m(i)) * w(at(i))
  s(i) +=! T(i,j)
  r(i) +=! T(i,j) * T(i,j) / s(i)
}`
	const order = `domain S0[i, j]; S1[i, j]; S2[i, j]; S3[i, j]
band S0.i S1.i S2.i S3.i parallel
  place s private
    place T workspace
      place m workspace
        sequence
          filter S0
            accumulate S0 register
              band S0.j
          filter S1
            band S1.j vector 4
          filter S2
            accumulate S2 register
              band S2.j
          filter S3
            accumulate S3 register
              band S3.j
`
	program := ricci.MustParse("rows.tc", text)
	defer program.Close()
	def, err := program.Def("rows")
	if err != nil {
		t.Fatal(err)
	}
	const m, n, k = 400, 37, 5
	a, w := filled(t, 0.5, m, n), filled(t, 2, k)
	tensor.FillRandom(a, 1)
	at, err := tensor.New(tensor.Int32, m)
	if err != nil {
		t.Fatal(err)
	}
	tensor.FillConst(at, 3)
	args := tensors{"A": a, "at": at, "w": w}
	for _, threads := range []int{1, 2, 7} {
		for _, dynamic := range [][]string{nil, {"K"}, {"M"}} {
			t.Run(fmt.Sprint(threads, dynamic), func(t *testing.T) {
				options := ricci.Options{Target: ricci.C, Threads: threads, Dynamic: dynamic, Schedule: order, NoCache: true}
				kernel := compile(t, def, args, options)
				r := filled(t, 0, m)
				for range 20 {
					if err := kernel.Run(t.Context(), a, at, w, r); err != nil {
						t.Fatal(err)
					}
					if _, err := def.Check(t.Context(), args, tensors{"r": r}, nil); err != nil {
						t.Fatal(err)
					}
				}
				tensor.FillConst(at, k)
				for range 20 { // blocks are given back
					var list ricci.ErrorList
					if err := kernel.Run(t.Context(), a, at, w, r); !errors.As(err, &list) {
						t.Fatalf("%v: a subscript out of bounds", err)
					}
				}
				tensor.FillConst(at, 3)
				if err := kernel.Run(t.Context(), a, at, w, r); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}
