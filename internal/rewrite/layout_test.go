package rewrite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

// TestLayOut: short last dimensions of temporaries come first, and results stay what they are.
func TestLayOut(t *testing.T) {
	for _, c := range []struct{ dims, index, want string }{
		{"40, 5", "i, j", "temp T: float32[5, 40]"},
		{"40, 7, 5", "i, j, k", "temp T: float32[7, 5, 40]"},
		{"3, 40, 6", "i, j, k", "temp T: float32[6, 3, 40]"},
		{"40, 4", "i, j", "temp T: float32[40, 4]"},
		{"40, 16", "i, j", "temp T: float32[40, 16]"},
		{"5, 6", "i, j", "temp T: float32[5, 6]"},
		{"40", "i", "temp T: float32[40]"},
	} {
		var ranges, reduced []string
		for n, extent := range strings.Split(c.dims, ", ") {
			ranges = append(ranges, fmt.Sprintf("%c in 0:%s", 'i'+n, extent))
			reduced = append(reduced, ranges[n]+" reduce +")
		}
		text := fmt.Sprintf("func f {\n  in A: float32[%[1]s]\n  temp T: float32[%[1]s]\n  out O: float32[%[1]s]\n  out S: float32[]\n  for %[3]s { T[%[2]s] = exp(A[%[2]s]) }\n"+
			"  for %[3]s { O[%[2]s] = T[%[2]s] * A[%[2]s] }\n  for %[4]s { S[] = T[%[2]s] }\n}", c.dims, c.index, strings.Join(ranges, ", "), strings.Join(reduced, ", "))
		f, err := ein.ParseFunc("test", text)
		if err != nil {
			t.Fatal(err)
		}
		g := rewrite.LayOut(f)
		if err := ein.Verify(g); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(ein.Print(g), c.want) {
			t.Errorf("%s: not %s\n%s", c.dims, c.want, ein.Print(g))
		}
		args, err := eintest.Arguments(1, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		nearResults(t, f, g, args)
	}
}
