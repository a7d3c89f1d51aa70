package estimate_test

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
)

// TestGroups: groups of four bytes, which are one instruction with VNNI, take several times as long without.
func TestGroups(t *testing.T) {
	f := function(t, `func bytes {
  in A: uint8[96, 96]
  in B: int8[96, 96]
  out C: int32[96, 96]
  for i in 0:96, j in 0:96, k in 0:96 reduce + { C[i, j] = int32(A[i, k]) * int32(B[k, j]) }
}`)
	tree, err := schedule.Parse(`domain S0[i, j, k]
place B private
  band S0.i tile 4 | S0.j tile 48
    accumulate S0 register
      band S0.k group 4
        band S0.i unroll | S0.j vector 16 unroll
`)
	if err != nil {
		t.Fatal(err)
	}
	seconds := func(features ...string) float64 {
		p := processor(1)
		p.Features = features
		r, err := estimate.Estimate(f, tree, p)
		if err != nil {
			t.Fatal(err)
		}
		return r.Seconds
	}
	with, without := seconds("avx2", "avx512bw", "avx512vnni"), seconds("avx2", "avx512bw")
	if without < 2*with || without > 10*with {
		t.Errorf("%v s with an instruction for groups of bytes, %v s without", with, without)
	}
}
