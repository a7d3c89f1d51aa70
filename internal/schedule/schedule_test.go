package schedule

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
)

func parseFunc(t testing.TB, text string) *ein.Func {
	t.Helper()
	f, err := ein.ParseFunc("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// checkText checks a tree of a function: it is refused with a message that has what is
// wanted, or is legal where that is empty.
func checkText(t *testing.T, f *ein.Func, text, want string) {
	t.Helper()
	tree, err := Parse(strings.TrimPrefix(text, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	err = Check(f, tree)
	switch {
	case want == "" && err != nil:
		t.Error(err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v\nwant %s", err, want)
	}
}

const gemm = `
func gemm {
  size N = dim 0 of A
  in A: float32[N, N]
  in B: float32[N, N]
  out C: float32[N, N]
  out R: float32[N, N]
  for i in 0:N, j in 0:N, k in 0:N reduce + { C[i, j] = A[i, k] * B[k, j] }
  for i in 0:N, j in 0:N { R[i, j] = max(C[i, j], 0f32) }
}`

const stencil = `
func stencil {
  size N = dim 0 of X
  in X: float32[N]
  temp t: float32[N]
  out Y: float32[N - 1]
  for i in 0:N { t[i] = X[i] * 2f32 }
  for i in 0:N - 1 { Y[i] = t[i] + t[i + 1i64] }
}`

const placedAfterRead = `
func f {
  in x: float32[64]
  out y: float32[64]
  out z: float32[64]
  for i in 0:64 { y[i] = x[i] }
  for i in 0:64 { z[i] = y[63i64 - i] }
  for i in 0:64 { y[i] = 2f32 * x[i] }
}`

const inPlace = `
func inplace {
  size N = dim 0 of A
  inout A: float32[N, N]
  for i in 0:N, j in 0:N { A[i, j] = A[j, i] }
}`

const shifted = `
func shifted {
  size N = dim 0 of X
  in X: float32[N]
  temp t: float32[N]
  out Y: float32[1:N]
  for i in 0:N { t[i] = X[i] * 2f32 }
  for i in 1:N { Y[i] = t[i - 1i64] }
}`

const prefix = `
func prefix {
  size N = dim 0 of X
  in X: float32[N, N]
  out Y: float32[N, N]
  for i in 0:N, j in 0:N scan + { Y[i, j] = X[i, j] }
}`

// TestCheck has trees by hand; want is empty for legal ones, a part of the
// message otherwise.
func TestCheck(t *testing.T) {
	for _, test := range []struct{ name, f, tree, want string }{
		{"tiled and fused", gemm, `
domain S0[i, j, k]; S1[i, j]
band permutable S0.i S1.i tile 8 parallel coincident | S0.j S1.j tile 32 parallel coincident
  sequence
    filter S0
      accumulate S0 register
        band S0.k tile 4
          band S0.k | S0.i unroll | S0.j vector 8 unroll
    filter S1
      band S1.j vector 4 | S1.i`, ""},
		{"reduction in the output", gemm, `
domain S0[i, j, k]; S1[i, j]
sequence
  filter S0
    accumulate S0 output
      band S0.k tile 32 | S0.i | S0.j
        accumulate S0 register
          band S0.k
  filter S1
    band S1.i parallel | S1.j`, ""},
		{"blocks and points in one parallel loop", stencil, `
domain S0[i]; S1[i]
sequence
  filter S0
    band S0.i tile 8 parallel | S0.i parallel
  filter S1
    band S1.i`, "two of them are over S0.i"},
		{"threads inside of accumulators", gemm, `
domain S0[i, j, k]; S1[i, j]
sequence
  filter S0
    band S0.i | S0.j tile 8
      accumulate S0 private
        band S0.k | S0.j parallel
  filter S1
    band S1.i | S1.j`, "would share the accumulators of S0"},
		{"consumer first", gemm, `
domain S0[i, j, k]; S1[i, j]
band S0.i S1.i | S0.j S1.j
  sequence
    filter S1
    filter S0
      accumulate S0 register
        band S0.k`, "the write of C(i, j) in S0 must come before the read of C(i, j) in S1"},
		{"transposed fusion", gemm, `
domain S0[i, j, k]; S1[i, j]
band S0.i S1.j | S0.j S1.i
  sequence
    filter S0
      accumulate S0 register
        band S0.k
    filter S1`, "along the loop \"S0.i S1.j\" the second may come first"},
		{"consumer inside of the reduction", gemm, `
domain S0[i, j, k]; S1[i, j]
band S0.k S1.j
  sequence
    filter S0
      band S0.i | S0.j
    filter S1
      band S1.i`, "expected accumulate S0 above it"},
		{"stencil fused", stencil, `
domain S0[i]; S1[i]
band S0.i S1.i
  sequence
    filter S0
    filter S1`, "along the loop"},
		{"stencil fused and shifted", stencil, `
domain S0[i]; S1[i]
band S0.i S1.i+1
  sequence
    filter S0
    filter S1`, ""},
		{"vectors of a hull", stencil, `
domain S0[i]; S1[i]
band S0.i S1.i+1 vector 4
  sequence
    filter S0
    filter S1`, ""},
		{"lanes that come too late", stencil, `
domain S0[i]; S1[i]
band S0.i S1.i+1 vector 4
  sequence
    filter S1
    filter S0`, "S1 runs first"},
		{"a padded hull", stencil, `
domain S0[i]; S1[i]
band S0.i S1.i+1 tile 4 pad | S0.i S1.i+1
  sequence
    filter S0
    filter S1`, "cannot be padded"},
		{"blocks of other indices", stencil, `
domain S0[i]; S1[i]
band S0.i tile 4 S1.i+1
  sequence
    filter S0
      band S0.i
    filter S1
      band S1.i+2`, "same skew and shift"},
		{"stencil apart", stencil, `
domain S0[i]; S1[i]
sequence
  filter S0
    band S0.i parallel
  filter S1
    band S1.i vector 8`, ""},
		{"shift fused in order", shifted, `
domain S0[i]; S1[i]
sequence
  filter S0
    band S0.i tile 4
      band S0.i
  filter S1
    band S1.i`, ""},
		{"transposition in place", inPlace, `
domain S0[i, j]
band S0.i | S0.j`, "the read of A(j, i) in S0 must come before the write of A(i, j) in S0 (the second overwrites what the first reads)"},
		{"parallel scan", prefix, `
domain S0[i, j]
band S0.i
  accumulate S0 register
    band S0.j parallel`, "expected accumulate S0 workspace right above it"},
		{"scan in order", prefix, `
domain S0[i, j]
band S0.i vector 4
  accumulate S0 register
    band S0.j`, ""},
		{"an index forgotten", inPlace, `
domain S0[i, j]
band S0.i`, "index j of S0 is not enumerated"},
		{"an index twice", inPlace, `
domain S0[i, j]
band S0.i | S0.j | S0.i`, "enumerated already"},
		{"a tile twice", inPlace, `
domain S0[i, j]
band S0.i tile 8 | S0.i tile 8 | S0.i | S0.j`, "not smaller"},
		{"parallel reduction", gemm, `
domain S0[i, j, k]; S1[i, j]
sequence
  filter S0
    band S0.i | S0.j
      accumulate S0 register
        band S0.k parallel
  filter S1
    band S1.i | S1.j`, "expected accumulate S0 workspace right above it"},
		{"another function", gemm, `
domain S0[i, j]
band S0.i | S0.j`, "the domain of the schedule"},
		{"a place for an output that is read", gemm, `
domain S0[i, j, k]; S1[i, j]
place C private
  sequence
    filter S0
      band S0.i | S0.j
        accumulate S0 register
          band S0.k
    filter S1
      band S1.i | S1.j`, "the size of the block of C is not known here"},
		{"a place for an output below its loops", gemm, `
domain S0[i, j, k]; S1[i, j]
band S0.i S1.i tile 8 parallel
  sequence
    filter S0
      band S0.j tile 8
        place C private
          band S0.i
            accumulate S0 register
              band S0.k
                band S0.j
    filter S1
      band S1.j tile 8
        place R private
          band S1.i | S1.j`, ""},
		{"a place for an output below its accumulators", gemm, `
domain S0[i, j, k]; S1[i, j]
sequence
  filter S0
    band S0.i | S0.j tile 8
      accumulate S0 register
        place C private
          band S0.k
            band S0.j
  filter S1
    band S1.i | S1.j`, ""},
		{"a place for what is written elsewhere", gemm, `
domain S0[i, j, k]; S1[i, j]
sequence
  filter S0
    place R private
      band S0.i | S0.j
        accumulate S0 register
          band S0.k
  filter S1
    band S1.i | S1.j`, ""},
		{"a place for an output that has old values", inPlace, `
domain S0[i, j]
place A private
  band S0.i | S0.j`, "the size of the block of A is not known here"},
		{"a place for an output that is read before", placedAfterRead, `
domain S0[i]; S1[i]; S2[i]
sequence
  filter S0
    band S0.i
  filter S1, S2
    band S1.i S2.i tile 8
      sequence
        filter S1
          band S1.i
        filter S2
          place y private
            band S2.i`, "the second overwrites what the first reads"},
		{"a pipeline by which another loop is skewed", `
func f {
  in X: float32[20, 113]
  temp t: float32[20, 113]
  out Y: float32[20, 113]
  for i in 0:20, j in 0:113 { t[i, j] = X[i, j] * 2f32 }
  for i in 0:20, j in 0:113 { Y[i, j] = X[i, j] + t[i, j] }
}`, `
domain S0[i, j]; S1[i, j]
band S0.i S1.i pipeline
  sequence
    filter S0
      band S0.j
    filter S1
      band S1.j tile 4 skew 1*i/1
        band S1.j`, "by which no other loop is skewed"},
		{"a place for windows of an unknown size", `
func f {
  size N = dim 0 of Y
  size K = dim 0 of W
  in X: float32[N + K]
  in W: float32[K]
  in Y: float32[N]
  out Z: float32[N]
  for i in 0:N, k in 0:K reduce + { Z[i] = X[i + k] * W[k] }
}`, `
domain S0[i, k]
band S0.i tile 14
  place X private
    band S0.i
      accumulate S0 register
        band S0.k`, "the size of the block of X is not known here"},
		{"a place below a use", stencil, `
domain S0[i]; S1[i]
sequence
  filter S0
    place t private
      band S0.i
  filter S1
    band S1.i`, "the size of the block of t is not known here"},
	} {
		t.Run(test.name, func(t *testing.T) { checkText(t, parseFunc(t, test.f), test.tree, test.want) })
	}
}

// TestShiftedFusion fuses a producer with a consumer that uses the element before:
// legal serially and by vectors, illegal in parallel; and shifts another one into place.
func TestShiftedFusion(t *testing.T) {
	f := parseFunc(t, `
func f {
  size N = dim 0 of X
  in X: float32[N]
  inout t: float32[N]
  temp u: float32[N]
  out Y: float32[1:N]
  out Z: float32[1:N]
  for i in 1:N { t[i] = X[i] * 2f32 }
  for i in 1:N { Y[i] = t[i - 1i64] }
  for i in 0:N - 1 { u[i] = X[i] * 2f32 }
  for i in 1:N { Z[i] = u[i - 1i64] }
}`)
	const text = `domain S0[i]; S1[i]; S2[i]; S3[i]
sequence
  filter S0, S1
    band S0.i S1.i KIND
      sequence
        filter S0
        filter S1
  filter S2, S3
    band S2.i+1 S3.i parallel
      place u private
        sequence
          filter S2
          filter S3
`
	for kind, want := range map[string]string{"": "", "parallel": "not independent", "vector 4": "", "coincident": "claims to be coincident"} {
		tree, err := Parse(strings.ReplaceAll(text, "KIND", kind))
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(f, tree); err != nil != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", kind, err)
		}
	}
}

// TestBlocksOnDiagonals has blocks in blocks that are skewed by one another: eliminating variables
// alone would take millions of rows, but there are few points.
func TestBlocksOnDiagonals(t *testing.T) {
	checkText(t, parseFunc(t, `
func f {
  temp T: float32[40, 40]
  out Z: float32[40]
  for i in 0:5, j in 0:5 { T[i + 2i64, j + 1i64] = T[(i + 2i64) / 2i64, 2i64 * i - j + 5i64] * 2f32 }
  for i in 0:40 { Z[i] = T[i, 1i64] }
}`), `
domain S0[i, j]; S1[i]
sequence
  filter S0
    band permutable S0.j tile 3 skew 1*j/4 | S0.i-1*j tile 3 reverse
      band S0.j tile 2 skew 1*j/1 skew -1*i/1
        band S0.j tile 4 coincident | S0.i-1*j
          band S0.j reverse
  filter S1
    band S1.i
`, "")
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "empty",
		"band S0.i":                          "expected domain",
		"domain S1[i]\n":                     "expected S0[",
		"domain S0[i]\n band S0.i":           "multiple of 2",
		"domain S0[i]\nband S0.i tile":       `found "tile" in "band S0.i tile", expected tile n, where n is a whole number from 2 to 2147483647`,
		"domain S0[i]\nband S0.i tile 1":     `found "tile 1" in "band S0.i tile 1", expected tile n, where n is a whole number from 2 `,
		"domain S0[i]\nband S0.i vector 0":   `expected vector n, where n is a whole number from 1 `,
		"domain S0[i]\nband S0.i skew 0*i/4": `expected skew f*i/n, where f is a whole number but 0, i an index and n a whole number from 1 on`,
		"domain S0[i]\nband S0.i prefetch /": `expected prefetch i[/n], where i is an index and n a whole number from 2 on`,
		"domain S0[i]\nsequence\n  band x":   "expected band",
		"domain S0[i]\nband S0.i tiel 8":     `found "tiel" in "band S0.i tiel 8", expected band S0.i [S1.i …] [tile n]`,
		"domain S0[i]\nband S0.i unrol":      `did you mean unroll?`,
		"domain S0[i]\nband tile 8":          "expected band",
		"domain S0[i]\nloop S0.i":            "expected sequence",
		"domain S0[i]\naccumulate S0":        "expected accumulate S0 register|private|workspace|output|shared|early|local",
		"domain S0[i]\nplace x nowhere":      "expected place",
		"domain S0[i]\nband S0.i\nband S0.i": "does not belong",
		"domain S0[i]\nsequence\n  leaf":     "children of a sequence",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("domain S0[i, j, k]; S1[i, j]\nband permutable S0.i-1 S1.i tile 8 parallel | S0.j S1.j vector 4 unroll\n  sequence\n    filter S0\n      accumulate S0 register\n        band S0.k\n    filter S1\n      place t private\n")
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(Print(tree))
		if err != nil || Print(again) != Print(tree) {
			t.Fatalf("%v\n%s", err, Print(tree))
		}
	})
}
