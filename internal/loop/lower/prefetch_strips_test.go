package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestStrips multiplies with strips of a large operand, the next of which are fetched, and
// with operands and tiles for which they are not.
func TestStrips(t *testing.T) {
	for _, row := range []struct {
		name                string
		rows, columns, tile int
		fetches             bool
	}{
		{"a large operand", 6, 4133, 16, true},
		{"a small one", 12, 1033, 16, false},
		{"rows that share sets of the cache", 12, 4096, 16, false},
		{"fewer tiles than lines of a row", 12, 4133, 80, false},
		{"strips that leave the nearest cache", 24, 4133, 516, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := readProgram(t, fmt.Sprintf(`
func product {
  in A: float32[%[1]d, 33]
  in B: float32[33, %[2]d]
  out C: float32[%[1]d, %[2]d]
  for i in 0:%[1]d, j in 0:%[2]d, k in 0:33 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`, row.rows, row.columns))
			tree, err := schedule.Parse(fmt.Sprintf(`domain S0[i, j, k]
band S0.j tile %d
  place B private
    band S0.i tile 3
      accumulate S0 register
        band S0.k
          band S0.i unroll | S0.j vector 4 unroll
`, row.tile))
			if err != nil {
				t.Fatal(err)
			}
			f, err := lower.Lower(p.f, marked(p.f, tree, 0), lower.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(loop.Print(f), "prefetch B[") != row.fetches {
				t.Errorf("fetching the next strip should be %t:\n%s", row.fetches, loop.Print(f))
			}
			if row.fetches {
				verify(t, p, tree, nil, evaluate)
			}
		})
	}
}

// TestWhereBandsEnd: a band is a nest of loops, and what is fetched ahead does not hang on whether the
// loops below the reduction are in its band, as those of parameters of MDH are.
func TestWhereBandsEnd(t *testing.T) {
	p := readProgram(t, `
func product {
  in A: float32[6, 33]
  in B: float32[33, 4133]
  out C: float32[6, 4133]
  for i in 0:6, j in 0:4133, k in 0:33 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`)
	lowered := func(nest string) string {
		tree, err := schedule.Parse("domain S0[i, j, k]\nband S0.j tile 16\n  place B private\n    band S0.i tile 3\n      accumulate S0 register\n        " + nest + "\n")
		if err != nil {
			t.Fatal(err)
		}
		f, err := lower.Lower(p.f, marked(p.f, tree, 0), lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return loop.Print(f)
	}
	parted := lowered("band S0.k\n          band S0.i unroll | S0.j vector 4 unroll")
	if diff := cmp.Diff(parted, lowered("band S0.k | S0.i unroll | S0.j vector 4 unroll")); diff != "" || !strings.Contains(parted, "prefetch B[") {
		t.Errorf("%s\n%s", diff, parted)
	}
	if written := lowered("band S0.k tile 3\n          band S0.i unroll | S0.k unroll | S0.j vector 4 unroll"); strings.Contains(written, "prefetch B[") {
		t.Errorf("each row asks for what all of them read:\n%s", written)
	}
}

// TestUnitLoops: loops of one iteration, as over the rows and columns of a filter of one point, hide no
// steps of a reduction.
func TestUnitLoops(t *testing.T) {
	p := readProgram(t, `
func product {
  in A: float32[6, 33, 1]
  in B: float32[33, 4133]
  out C: float32[6, 4133]
  for i in 0:6, j in 0:4133, k in 0:33 reduce +, r in 0:1 reduce + { C[i, j] = A[i, k, r] * B[k, j] }
}`)
	for _, band := range []string{"S0.k | S0.r", "S0.r | S0.k", "S0.k | S0.r | S0.i unroll | S0.j vector 4 unroll"} {
		below := "\n          band S0.i unroll | S0.j vector 4 unroll"
		if strings.Contains(band, "vector") {
			below = ""
		}
		tree, err := schedule.Parse("domain S0[i, j, k, r]\nband S0.j tile 16\n  place B private\n    band S0.i tile 3\n      accumulate S0 register\n        band " + band + below + "\n")
		if err != nil {
			t.Fatal(err)
		}
		f, err := lower.Lower(p.f, marked(p.f, tree, 0), lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if text := loop.Print(f); !strings.Contains(text, "prefetch B[") {
			t.Errorf("band %s asks for no strip:\n%s", band, text)
		}
	}
}
