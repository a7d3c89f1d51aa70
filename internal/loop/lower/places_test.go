package lower_test

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestPlacesInPlaces runs places inside of places of the same tensor, and packed ones whose
// smallest blocks are cut before larger ones.
func TestPlacesInPlaces(t *testing.T) {
	for name, x := range map[string][2]string{
		"what is copied back goes to all outside": {`
func f {
  in X: float32[7, 9]
  inout A: float32[9]
  for i in 0:7, j in 0:9 reduce + accumulate + { A[i + 1i64] = X[i, j] * A[i + 2i64] }
}`, `domain S0[i, j]
band S0.i tile 2
  place A private
    band S0.i tile 24
      place A private
        band S0.i
          accumulate S0 register
            band S0.j
`},
		"a temporary goes to all outside, edges only": {`
func f {
  in A: float32[7, 4]
  out C: float32[2, 4]
  temp B: float32[3, 4]
  for y in 0:3, x in 0:4 { B[y, x] = A[2i64 * y, x] + A[2i64 * y + 1i64, x] }
  for y in 0:2, x in 0:4 { C[y, x] = B[y, x] + B[y + 1i64, x] + A[y, x] }
}`, `domain S0[y, x]; S1[y, x]
band S0.x S1.x | S0.y S1.y+1
  place B workspace
    band S0.x S1.x tile 2 | S0.y S1.y+1 tile 3
      place B workspace
        sequence
          filter S0
          filter S1
`},
		"points of packed blocks further out": {`
func f {
  in A: float32[19, 4]
  out r: float32[19]
  for i in 0:19, k in 0:4 reduce + { r[i] = A[i, k] }
}`, `domain S0[i, k]
band S0.i | S0.i tile 6
  place A workspace layout 2 1
    accumulate S0 register
      band S0.k
`},
		"a place for points that need not exist": {`
func f {
  in A: float32[4, 4]
  in B: float32[4, 1]
  out C: float32[4, 1]
  for i in 0:4, j in 0:1, k in 0:4 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`, `domain S0[i, j, k]
band S0.i tile 9 | S0.j tile 12
  accumulate S0 output
    band S0.j tile 3 | S0.k tile 3 | S0.i tile 3 | S0.j tile 4 | S0.i
      accumulate S0 register
        band S0.j
          place B private
            band S0.k
`},
		"the next block is not fetched from this one": {`
func f {
  in A: float32[10, 22]
  out C: float32[9, 22]
  temp T: float32[10, 22]
  for y in 0:10, x in 0:22 { T[y, x] = A[y, x] * 2f32 }
  for y in 0:9, x in 0:22 { C[y, x] = T[y, x] + T[y + 1i64, x] }
}`, `domain S0[y, x]; S1[y, x]
sequence
  filter S0
    band S0.y | S0.x
  filter S1
    band S1.y
      place T private
        band S1.x tile 5 parallel | S1.x vector 4 prefetch y
`},
		"from a block of windows, which does not lie in phases": {`
func f {
  in Z: float32[3, 44]
  in W: float32[3]
  out Y: float32[3, 20]
  for y in 0:3, x in 0:20, r in 0:3 reduce + { Y[y, x] = Z[y, 2i64 * x + r] * W[r] }
}`, `domain S0[y, x, r]
place Z private
  band S0.y | S0.x tile 8
    place Z private
      band S0.x vector 4
        accumulate S0 register
          band S0.r
            place Z register
`},
		"from a block that has every element, not every other one": {`
func f {
  in Z: float32[3, 44]
  out Y: float32[3, 20]
  for y in 0:3, x in 0:20 { Y[y, x] = Z[y, 2i64 * x + 3i64] }
}`, `domain S0[y, x]
place Z private
  band S0.y | S0.x tile 7 pad
    place Z private
      band S0.x tile 4 | S0.x vector 2
        place Z register
`},
		"from a block that does not lie in panels": {`
func f {
  in A: float32[5, 14]
  in B: float32[14, 20]
  out C: float32[5, 20]
  for i in 0:5, j in 0:20, k in 0:14 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`, `domain S0[i, j, k]
place B private
  band S0.i
    place B private
      band S0.j tile 8
        accumulate S0 register
          band S0.k | S0.j vector 4
`},
	} {
		t.Run(name, func(t *testing.T) {
			tree, err := schedule.Parse(x[1])
			if err != nil {
				t.Fatal(err)
			}
			verify(t, readProgram(t, x[0]), tree, nil, evaluate)
		})
	}
}
