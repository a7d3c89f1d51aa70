package schedule

import (
	"strings"
	"testing"
)

const fixedGemm = `
func gemm {
  in A: float64[8, 96]
  in B: float64[96, 600]
  in a: float64[]
  temp T: float64[8, 600]
  out C: float64[8, 600]
  for i in 0:8, j in 0:600, k in 0:96 reduce + { T[i, j] = A[i, k] * B[k, j] }
  for i in 0:8, j in 0:600 { C[i, j] = T[i, j] * a[] }
}`

const unread = `
func unread {
  in A: float64[8, 96]
  temp T: float64[8]
  out C: float64[]
  for i in 0:8, k in 0:96 reduce + { T[i] = A[i, k] }
  for { C[] = 0f64 }
}`

const foldedScan = `
func foldedScan {
  in X: float64[8, 4, 90000]
  out Y: float64[8, 90000]
  for i in 0:8, k in 0:4 reduce max, j in 0:90000 scan + { Y[i, j] = X[i, k, j] }
}`

// TestRefusedStorage has trees whose loops are legal, but whose accumulators or
// blocks are in the wrong place or too large.
func TestRefusedStorage(t *testing.T) {
	// first is the nest of S0 in a tree over fixedGemm.
	first := func(nest string) string {
		return "domain S0[i, j, k]; S1[i, j]\nsequence\n  filter S0\n" + strings.ReplaceAll(strings.TrimSuffix(nest, "\n")+"\n", "\n", "\n    ") + "\n  filter S1\n    band S1.i | S1.j"
	}
	for _, test := range []struct{ name, f, tree, want string }{
		{"accumulators below lanes of the reduction", fixedGemm, first(`
band S0.i | S0.j
  accumulate S0 register
    band S0.k tile 8
      band S0.k vector 2
        accumulate S0 register`), "the lanes over the reduced index k would share its partial results"},
		{"accumulators around lanes of the reduction", fixedGemm, first(`
band S0.i | S0.j
  accumulate S0 register
    band S0.k tile 8
      accumulate S0 register
        band S0.k vector 2`), ""},
		{"chunks below lanes", fixedGemm, first(`
band S0.i | S0.j vector 4
  accumulate S0 workspace
    band S0.k tile 8 parallel
      band S0.k`), "S0.j is a vector here"},
		{"prefetching for the next row", fixedGemm, first(`
band S0.i | S0.j tile 8
  accumulate S0 register
    band S0.k | S0.j vector 8 prefetch k`), ""},
		{"prefetching for an index whose loop is inside", fixedGemm, first(`
band S0.i | S0.j tile 8
  accumulate S0 register
    band S0.j vector 8 prefetch k | S0.k`), "no loop around it that visits its points"},
		{"prefetching by a scalar loop", fixedGemm, first(`
band S0.i | S0.j prefetch i
  accumulate S0 register
    band S0.k`), "vector loops prefetch, and"},
		{"prefetching for an index of another statement", fixedGemm, first(`
band S0.i | S0.j vector 8 prefetch l
  accumulate S0 register
    band S0.k`), "S0 has no index l; it has i, j, k"},
		{"more lanes than code is made for", fixedGemm, first(`
band S0.i | S0.j tile 8
  accumulate S0 register
    band S0.k | S0.j vector 2048`), "a vector of 2048 lanes, and at most 1024 are computed at once"},
		{"a copy", fixedGemm, first(`
place B private
  band S0.i | S0.j
    accumulate S0 register
      band S0.k`), ""},
		{"copies and accumulators together", fixedGemm, first(`
place B private
  place B private
    place B private
      band S0.i | S0.j
        accumulate S0 register
          band S0.k`), "bytes, the other buffers around and inside"},
		{"threads share a copy", fixedGemm, first(`
place A private
  band S0.i parallel | S0.j
    accumulate S0 register
      band S0.k`), ""},
		{"a copy per thread", fixedGemm, first(`
band S0.i parallel
  place A private
    band S0.j
      accumulate S0 register
        band S0.k`), ""},
		{"storage below the delivery", unread, `
domain S0[i, k]; S1[]
sequence
  filter S0
    band S0.i
      accumulate S0 register
        place T private
          band S0.k
  filter S1`, ""},
		{"a packed copy of a copy", fixedGemm, first(`
place A private
  place A workspace
    band S0.i | S0.j
      accumulate S0 register
        band S0.k`), ""},
		{"a packed vector", fixedGemm, first(`
band S0.i | S0.j vector 4
  place B workspace
    accumulate S0 register
      band S0.k`), ""},
		{"packed rows", fixedGemm, first(`
band S0.i | S0.j vector 4
  place A workspace
    accumulate S0 register
      band S0.k`), ""},
		{"a copy of a scalar", fixedGemm, `
domain S0[i, j, k]; S1[i, j]
sequence
  filter S0
    band S0.i | S0.j
      accumulate S0 register
        band S0.k
  filter S1
    place a register
      band S1.i | S1.j`, ""},
		{"a block of unknown size", gemm, `
domain S0[i, j, k]; S1[i, j]
sequence
  filter S0
    place A private
      band S0.i | S0.j
        accumulate S0 register
          band S0.k
  filter S1
    band S1.i | S1.j`, "is not known here; tile"},
		{"truth values along a scan", `
func all {
  in A: bool[8]
  out B: bool[8]
  for i in 0:8 scan && { B[i] = A[i] }
}`, "domain S0[i]\naccumulate S0 register\n  band S0.i vector 4", "a scan goes from point to point"},
		{"an array per thread", foldedScan, `
domain S0[i, k, j]
band S0.i parallel
  accumulate S0 register
    band S0.k | S0.j`, ""},
		{"an array of vectors per thread", foldedScan, `
domain S0[i, k, j]
band S0.i tile 4 parallel
  band S0.i vector 4
    accumulate S0 register
      band S0.k | S0.j`, "too large for every thread, or item"},
	} {
		t.Run(test.name, func(t *testing.T) { checkText(t, parseFunc(t, test.f), test.tree, test.want) })
	}
}

// TestOverlaps has writes of which two points may meet in an element.
func TestOverlaps(t *testing.T) {
	const text = `
func overlaps {
  size N = dim 0 of A
  in A: float64[N]
  temp T: float64[20]
  out C: float64[]
  for i in 0:EXTENT, j in 0:3 { T[2i64 * i + 3i64 * j] = A[i] }
  for { C[] = 0f64 }
}`
	const tree = "domain S0[i, j]; S1[]\nsequence\n  filter S0\n    %\n  filter S1\n"
	for _, test := range []struct {
		extent, nest string
		ok           bool
	}{
		{"3", "band S0.i parallel | S0.j vector 2", true},
		{"3", "band S0.j | S0.i", true},
		{"N", "band S0.i | S0.j", true},
		{"N", "band permutable S0.i | S0.j", false},
		{"N", "band S0.j | S0.i", false},
		{"N", "band S0.i parallel | S0.j", false},
		{"N", "band S0.i coincident | S0.j", false},
		{"N", "band S0.i | S0.j vector 2", false},
		{"N", "band S0.i tile 2 | S0.j | S0.i", false},
	} {
		parsed, err := Parse(strings.ReplaceAll(tree, "%", test.nest))
		if err != nil {
			t.Fatal(err)
		}
		err = Check(parseFunc(t, strings.ReplaceAll(text, "EXTENT", test.extent)), parsed)
		if (err == nil) != test.ok || err != nil && !strings.Contains(err.Error(), "writes another element of T") {
			t.Errorf("%s with %s: %v", test.nest, test.extent, err)
		}
	}
}
