package mdh

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/sweep"
)

var first = flag.Uint64("first", 0, "the seed of the first of them")

// oddKernels have sizes that no tile divides.
var oddKernels = []string{
	`func matmul { in A: float32[101, 103] in B: float32[103, 107] out C: float32[101, 107]
	for i in 0:101, j in 0:107, k in 0:103 reduce + { C[i, j] = A[i, k] * B[k, j] } }`,
	`func transposed { in A: float64[511, 37] in B: float64[37, 129] out C: float64[129, 511]
	for i in 0:511, j in 0:129, k in 0:37 reduce + { C[j, i] = A[i, k] * B[k, j] } }`,
	`func contraction { in A: float32[7, 24, 16, 9] in B: float32[7, 16, 9, 20] out C: float32[24, 16, 9, 16, 9, 20]
	for a in 0:24, b in 0:16, c in 0:9, d in 0:16, e in 0:9, f in 0:20, g in 0:7 reduce + { C[a,b,c,d,e,f] = A[g,a,b,c] * B[g,d,e,f] } }`,
	`func convolution { in X: float32[3, 17, 23, 29] in W: float32[19, 17, 3, 5] out Y: float32[3, 19, 21, 25]
	for n in 0:3, k in 0:19, p in 0:21, q in 0:25, c in 0:17 reduce +, r in 0:3 reduce +, s in 0:5 reduce + { Y[n,k,p,q] = X[n,c,p+r,q+s] * W[k,c,r,s] } }`,
	`func stencil { in X: float32[131, 257] out Y: float32[129, 253]
	for i in 0:129, j in 0:253 { Y[i,j] = X[i,j+2i64] + X[i+1i64,j] + X[i+2i64,j+4i64] + X[i+1i64,j+2i64] } }`,
	`func mttkrp { in A: float32[31, 33, 35] in B: float32[33, 17] in D: float32[35, 17] out C: float32[31, 17]
	for i in 0:31, j in 0:17, k in 0:33 reduce +, l in 0:35 reduce + { C[i,j] = A[i,k,l] * B[k,j] * D[l,j] } }`,
	`func transposition { in A: float32[131, 257] out B: float32[257, 131] for i in 0:257, j in 0:131 { B[i,j] = A[j,i] } }`,
	`func vector { in A: float32[131, 257] in x: float32[257] out y: float32[131] for i in 0:131, k in 0:257 reduce + { y[i] = A[i,k]*x[k] } }`,
	`func greatest { in A: bfloat16[131, 57] out y: float32[131] for i in 0:131, k in 0:57 reduce max { y[i] = float32(A[i,k]) } }`,
	`func prefixes { in A: float32[13, 257] out y: float32[13, 257] for i in 0:13, k in 0:257 scan + { y[i,k] = A[i,k] } }`,
}

// TestOddSpaces lowers random points of the spaces of odd kernels, with and without
// constant inputs, and asks the verifier for a proof that they stay in bounds.
func TestOddSpaces(t *testing.T) {
	m := machine.Host()
	for k, text := range oddKernels {
		f := parseFunc(t, text)
		for _, partial := range []bool{false, true} {
			s, err := NewSpace(f, m, SpaceOptions{PartialLayers: partial})
			if err != nil {
				t.Fatal(err)
			}
			points, err := space.New(s.Groups...)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(*first, uint64(k)))
			for n := range sweep.Draws(t, 2, 20) {
				tree, err := s.Tree(points.Random(random))
				if err != nil {
					t.Errorf("%v\n%s", err, f)
					continue
				}
				var constant []string
				if n%2 == 1 {
					for _, x := range f.Inputs() {
						constant = append(constant, x.Name)
					}
					standard.PackConstant(f, tree, constant)
				}
				kernel, err := lower.Lower(f, tree, lower.Options{Constant: constant})
				if err == nil {
					err = loop.Verify(kernel)
				}
				if err != nil {
					t.Errorf("%v\n%s\n%s", err, f, schedule.Print(tree))
				}
			}
		}
	}
}
