package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestFollowing computes layers whose filter is copied panel by panel: the next one is asked for
// where it is far, comes in the same thread, and every step passes by enough of a row.
func TestFollowing(t *testing.T) {
	for _, row := range []struct {
		name              string
		channels, columns int
		panels, steps     string
		asks              bool
	}{
		{"rows from far", 80, 3, "tile 8", "S0.r | S0.c", true},
		{"a small filter", 40, 3, "tile 8", "S0.r | S0.c", false},
		{"panels of other threads", 80, 3, "tile 8 parallel", "S0.r | S0.c", false},
		{"points of a row", 260, 1, "tile 8", "S0.r | S0.c", false},
		{"steps that pass by a part of a row", 80, 3, "tile 8", "S0.c | S0.r", false},
		{"a last panel of few rows", 80, 3, "tile 24", "S0.r | S0.c", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := readProgram(t, fmt.Sprintf(`
func layer {
  in X: float32[%[1]d, 9, %[2]d]
  in V: float32[%[3]d, %[1]d, 3, %[4]d]
  out Y: float32[%[3]d, 7, 5]
  for f in 0:%[3]d, h in 0:7, w in 0:5, c in 0:%[1]d reduce +, r in 0:3 reduce +, s in 0:%[4]d reduce + { Y[f, h, w] = X[c, h + r, w + s] * V[f, c, r, s] }
}`, row.channels, 4+row.columns, 400, row.columns))
			tree, err := schedule.Parse(fmt.Sprintf(`domain S0[f, h, w, c, r, s]
band S0.f %s
  place V private
    band S0.h tile 2
      accumulate S0 register
        band %s
          band S0.h unroll | S0.w unroll | S0.s unroll | S0.f vector 4 unroll
`, row.panels, row.steps))
			if err != nil {
				t.Fatal(err)
			}
			f, err := lower.Lower(p.f, marked(p.f, tree, 0), lower.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if text := loop.Print(f); strings.Contains(text, "prefetch V[") != row.asks {
				t.Errorf("asking for the next panel should be %t:\n%s", row.asks, text)
			}
		})
	}
}
