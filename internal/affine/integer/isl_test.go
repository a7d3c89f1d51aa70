package integer_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/affine/integer"
	"github.com/ricci-lang/ricci/internal/affine/isltest"
)

// TestISL compares with the integer set library on systems without bounds and
// with larger numbers than a search by brute force could take.
func TestISL(t *testing.T) {
	lib := isltest.Open(t)
	rapid.Check(t, func(t *rapid.T) {
		variables := rapid.IntRange(1, 5).Draw(t, "variables")
		var constraints []constraint
		var texts []string
		for range rapid.IntRange(1, 8).Draw(t, "constraints") {
			c := drawConstraint(t, variables)
			c.constant = rapid.Int64Range(-500, 500).Draw(t, "far")
			for i := range c.coefficients { // sparse, as subscripts and tiles are
				if rapid.Bool().Draw(t, "absent") {
					c.coefficients[i] = 0
				}
			}
			constraints = append(constraints, c)
			texts = append(texts, c.String())
		}
		var names []string
		for i := range variables {
			names = append(names, fmt.Sprintf("x%d", i))
		}
		text := fmt.Sprintf("{ [%s] : %s }", strings.Join(names, ", "), strings.Join(texts, " and "))
		empty, ok := lib.Empty(text)
		if !ok {
			t.Fatalf("isl does not read %s", text)
		}
		want := integer.Found
		if empty {
			want = integer.Empty
		}
		got, values := system(variables, constraints).Solve()
		if got != want {
			t.Fatalf("%s: got %v, isl says %v", text, got, want)
		}
		verify(t, variables, constraints, got, values)
	})
}
