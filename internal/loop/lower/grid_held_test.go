package lower_test

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestHeldByItems lowers accumulators that the items of a group hold together, with blocks in local memory that they copy together.
func TestHeldByItems(t *testing.T) {
	for _, test := range []struct{ name, program, tree string }{
		{"turns", "matmul", `domain S0[i, j, k]
band S0.i tile 8 groups | S0.j tile 12 groups
  accumulate S0 register
    band S0.k tile 8
      place A local
        place B local
          band S0.k
            band S0.i items 4 | S0.j items 4
`},
		{"blocks", "matmul", `domain S0[i, j, k]
band S0.i tile 8 pad groups | S0.j tile 12 pad groups
  accumulate S0 register
    band S0.k tile 8
      place A local
        place B local layout 2 1
          band S0.k
            band S0.i tile 4 items 2 | S0.j tile 3 items 4
              place A register
                band S0.i unroll | S0.j unroll
`},
		{"vectors", "matmul", `domain S0[i, j, k]
band S0.i tile 7 groups | S0.j tile 16 pad groups
  accumulate S0 private
    band S0.k tile 5
      place B local
        band S0.i items 3 | S0.j tile 4 items 2
          accumulate S0 register
            band S0.k
              band S0.j vector 4
`},
		{"register tiles", "matmul", `domain S0[i, j, k]
band S0.i tile 8 pad groups | S0.j tile 16 pad groups
  accumulate S0 register
    band S0.k tile 8
      place A local layout 2 1 pad 1 vector 4
        place B local pad 4 vector 4
          band S0.k
            band S0.i tile 4 items 2 | S0.j tile 4 items 4
              place A register layout 2 1
                band S0.i unroll | S0.j vector 4
`},
		{"two blocks in turns", "matmul", `domain S0[i, j, k]
band S0.i tile 8 pad groups | S0.j tile 16 pad groups
  accumulate S0 register
    band S0.k tile 8
      place A local pad 1 double
        place B local double
          band S0.k
            band S0.i items 4 | S0.j items 4
`},
		{"padded tiles of items", "matmul", `domain S0[i, j, k]
band S0.i tile 7 pad groups | S0.j tile 10 groups
  accumulate S0 register
    band S0.k tile 6 pad
      place A local pad 3 vector 2
        place B local vector 4
          band S0.k
            band S0.i tile 2 pad items 2 | S0.j tile 4 pad items 2
              place A register
                place B register
                  band S0.i unroll | S0.j unroll
`},
		{"lanes of sums", "matmul", `domain S0[i, j, k]
band S0.i groups | S0.j tile 12 pad groups
  accumulate S0 register
    band S0.k tile 8
      place A local
        band S0.j items 5
          band S0.k vector 4
`},
		{"one of two", "matmul", `domain S0[i, j, k]
band S0.i tile 4 groups | S0.j groups
  accumulate S0 register
    band S0.k tile 10
      place A local
        band S0.i items 3
          band S0.k
`},
		{"positions", "operators", `domain S0[i, j]; S1[i, j]; S2[i, j]; S3[i, j]; S4[j, i, k]
sequence
  filter S0
    band S0.i tile 4 groups
      accumulate S0 register
        band S0.j
          band S0.i items 3
  filter S1
    band S1.i groups
      accumulate S1 register
        band S1.j
  filter S2
    band S2.i
      accumulate S2 register
        band S2.j
  filter S3
    accumulate S3 register
      band S3.i | S3.j
  filter S4
    band S4.j
      accumulate S4 register
        band S4.i | S4.k
`},
		{"one launch", "softmax", `domain S0[i, j]; S1[i, j]; S2[i, j]; S3[i, j]
band S0.i S1.i S2.i S3.i tile 4 groups
  sequence
    filter S0
      accumulate S0 register
        band S0.j tile 8
          place X local
            band S0.i items 4
              band S0.j
    filter S1
      band S1.i items 4
        band S1.j
    filter S2
      accumulate S2 register
        band S2.j tile 8
          place e local
            band S2.i items 4
              band S2.j
    filter S3
      place s local
        band S3.i items 4
          band S3.j
`},
		{"windows", "jacobi", `domain S0[i, j, k]
band S0.i groups | S0.j tile 8 groups | S0.k tile 16 groups
  place A local
    band S0.j items 3 | S0.k tile 2 items 5
      band S0.k
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree, err := schedule.Parse(test.tree)
			if err != nil {
				t.Fatal(err)
			}
			p := programOf(t, test.program)
			verify(t, p, tree, nil, evaluate)
			if test.name != "one launch" { // whose accumulators wait, and then the first block
				withoutBarriers(t, p, tree)
			}
		})
	}
}

// TestCopiesAreProved: where a block in local memory has four dimensions, the copies of what is left of a reduction are proved to stay in bounds,
// although the last items of a group have nothing to copy.
func TestCopiesAreProved(t *testing.T) {
	f, err := ein.ParseFunc("test", `
func convolution {
  in I: float32[2, 6, 19, 23]
  in K: float32[10, 6, 3, 3]
  out O: float32[2, 10, 17, 21]
  for n in 0:2, f in 0:10, y in 0:17, x in 0:21, c in 0:6 reduce +, r in 0:3 reduce +, s in 0:3 reduce + {
    O[n, f, y, x] = I[n, c, y + r, x + s] * K[f, c, r, s]
  }
}`)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := schedule.Parse(`domain S0[n, f, y, x, c, r, s]
band S0.n groups | S0.f tile 16 pad groups | S0.y tile 8 pad groups | S0.x tile 16 pad groups
  accumulate S0 register
    band S0.c tile 4
      place I local pad 1 double
        place K local double
          band S0.c | S0.r unroll | S0.s unroll
            band S0.f tile 4 items 4 | S0.y items 8 | S0.x tile 2 items 8
              place K register
                place I register
                  band S0.f unroll | S0.x unroll
`)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := lower.Lower(f, tree, lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Verify(kernel); err != nil {
		t.Error(err)
	}
}
