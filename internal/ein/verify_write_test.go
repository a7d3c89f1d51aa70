package ein_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
)

// TestWritesOnce asks for the proof, and what the verifier says of a write.
func TestWritesOnce(t *testing.T) {
	for _, test := range []struct {
		indices, write string
		proved         bool
		refusal        string // of the verifier; "" for none
	}{
		{"i in 0:2, j in 0:2", "2i64 * i + 3i64 * j", true, ""},
		{"i in 0:3, j in 0:3", "2i64 * i + 3i64 * j", true, ""},
		{"i in 0:4, j in 0:3", "2i64 * i + 3i64 * j", false, "write the same element"},
		{"i in 0:N, j in 0:N", "2i64 * i + 3i64 * j", false, "with all sizes 7"},
		{"i in 0:N, j in 0:3", "3i64 * i + j", true, ""},
		{"i in 0:N, j in 0:3, k in 0:2", "k - 6i64 * i + 2i64 * j", true, ""},
		{"i in 0:N, j in 0:N", "3i64 * i + 4i64 * j, i + j", false, ""},
		{"i in 0:1000, j in 0:1000, k in 0:1000", "1000000i64 * i + 1000i64 * j + k", true, ""},
		{"i in 0:1000, j in 0:1001, k in 0:1000", "1000000i64 * i + 1000i64 * j + k", false, "write the same element"},
		{"i in 0:N", "i / 3i64, i % 3i64", true, ""},
		{"i in 0:9", "i / 3i64, i % 2i64", false, "write the same element"},
		{"i in 0:8", "i % 2i64, i % 4i64, i / 4i64", true, ""},
		{"i in 0:100000", "i / 3i64 + i", false, "it is not proved"},
		{"i in 0:5, j in 0:5", "i + j, i - j", true, ""},
		{"i in 0:5, j in 0:N", "{N} * i + j", true, ""},
		{"i in 0:N, j in 0:N", "{N} * i - j", true, ""},
		{"i in 0:N, j in 0:N, k in 0:3", "{3 * N} * i + k + 3i64 * j", true, ""},
		{"i in 0:N, j in 0:N", "{N + 1} * i + j", true, ""},
		{"i in 0:N, j in 0:N", "{N - 1} * i + j", false, "write the same element"},
		{"i in 0:N, j in 0:N + 1", "{N} * i + j", false, "write the same element"},
		{"i in 0:5, j in 0:5", "i + j, 2i64 * i + 2i64 * j", false, "write the same element"},
		{"i in 0:5", "0i64 * i", false, "write the same element"},
		{"i in 0:0 or empty, j in 0:5", "i + j", true, ""},
	} {
		f := writer(t, test.indices, test.write)
		if got := ein.WritesOnce(f.Body[0], f.Body[0].Writes[0]); got != test.proved {
			t.Errorf("%s: T[%s]: proved is %t", test.indices, test.write, got)
		}
		if test.refusal != "" {
			expectInternal(t, f, test.refusal)
		} else if err := ein.Verify(f); err != nil {
			t.Error(err)
		}
	}
}

// writer makes a function that writes a temporary.
func writer(t interface {
	Helper()
	Fatal(args ...any)
}, indices, subscripts string) *ein.Func {
	t.Helper()
	dims := "9"
	for _, r := range subscripts {
		if r == ',' {
			dims += ", 9"
		}
	}
	f, err := ein.ParseFunc("writes", fmt.Sprintf(`func f { size N = dim 0 of A in A: float32[N] temp T: float32[%s]
for %s { T[%s] = 1f32 } }`, dims, indices, subscripts))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestWritesOnceOfAllSizes looks for a collision where symbolic strides are proved to
// be free of them.
func TestWritesOnceOfAllSizes(t *testing.T) {
	type symbolic struct {
		text string
		at   func(n int64) int64
	}
	numbers := []symbolic{
		{"1", func(int64) int64 { return 1 }}, {"2", func(int64) int64 { return 2 }}, {"N", func(n int64) int64 { return n }},
		{"N + 1", func(n int64) int64 { return n + 1 }}, {"2 * N", func(n int64) int64 { return 2 * n }}, {"-1 * N", func(n int64) int64 { return -n }},
		{"N * N", func(n int64) int64 { return n * n }}, {"2 * N * N + 2", func(n int64) int64 { return 2*n*n + 2 }},
	}
	rapid.Check(t, func(t *rapid.T) {
		strides := rapid.SliceOfN(rapid.SampledFrom(numbers), 3, 3).Draw(t, "strides")
		extents := rapid.SliceOfN(rapid.SampledFrom(numbers[:5]), 3, 3).Draw(t, "extents")
		f := writer(t, fmt.Sprintf("i in 0:%s, j in 0:%s, k in 0:%s", extents[0].text, extents[1].text, extents[2].text),
			fmt.Sprintf("{%s} * i + {%s} * j + {%s} * k", strides[0].text, strides[1].text, strides[2].text))
		if !ein.WritesOnce(f.Body[0], f.Body[0].Writes[0]) {
			return
		}
		for n := int64(1); n <= 4; n++ {
			seen := map[int64]bool{}
			for i := range extents[0].at(n) {
				for j := range extents[1].at(n) {
					for k := range extents[2].at(n) {
						cell := strides[0].at(n)*i + strides[1].at(n)*j + strides[2].at(n)*k
						if seen[cell] {
							t.Fatalf("with N = %d two points write cell %d\n%s", n, cell, f)
						}
						seen[cell] = true
					}
				}
			}
		}
	})
}

// TestWritesOnceIsExact compares the search with all pairs of points.
func TestWritesOnceIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := rapid.Int64Range(-4, 4)
		extent := rapid.SliceOfN(rapid.Int64Range(1, 4), 3, 3).Draw(t, "extent")
		rows := rapid.SliceOfN(rapid.SliceOfN(small, 3, 3), 1, 2).Draw(t, "rows")
		indices, write := "", ""
		for k, n := range extent {
			indices += fmt.Sprintf("%si%d in %d:%d", [...]string{"", ", ", ", "}[k], k, k, n+int64(k))
		}
		for r, row := range rows {
			write += fmt.Sprintf("%s%di64 * i0 + %di64 * i1 + %di64 * i2", [...]string{"", ", "}[r], row[0], row[1], row[2])
		}
		seen, once := map[string]bool{}, true
		for n := int64(0); n < extent[0]*extent[1]*extent[2]; n++ {
			point := []int64{n % extent[0], n / extent[0] % extent[1], n / extent[0] / extent[1]}
			element := ""
			for _, row := range rows {
				element += fmt.Sprint(row[0]*point[0]+row[1]*point[1]+row[2]*point[2], ",")
			}
			once = once && !seen[element]
			seen[element] = true
		}
		f := writer(t, indices, write)
		if got := ein.WritesOnce(f.Body[0], f.Body[0].Writes[0]); got != once {
			t.Fatalf("proved is %t\n%s", got, f)
		}
	})
}
