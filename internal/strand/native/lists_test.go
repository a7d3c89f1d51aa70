package native_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/strand"
)

// sequences is a program about one sequence, which begins with the number of the strand and is changed by some statements.
const sequences = `strand s real float32 int int32 {
  output path: int{}
  output sum: int
  state age: int
  param n: int
  temp i: int
  temp x: int
  temp count: int
  temp other: int{}
  input many: int{70}MANY
  create array for i = 3i32 to 9i32 new (i)
  begin {
    build path ([n], [1i32])
    sum = 0i32
    age = 0i32
  }
  update {
    STATEMENTS
    length count of path
    age = age + 1i32
    if age > 3i32 {
      stabilize
    }
    build path (path, [count])
  }
}
`

// TestSequences: sequences are built of themselves, and changed while loops run over them.
func TestSequences(t *testing.T) {
	many := " = 0i32"
	for k := range 69 {
		many += fmt.Sprintf(", %di32", k*k)
	}
	for name, of := range map[string]struct{ statements, contains string }{
		"themselves twice":   {"build path (path, path)", "path-data"},
		"in front":           {"build path ([n], path)", "path-data"},
		"both":               {"build path ([n], path, [2i32], path)", "path-data"},
		"less in a loop":     {"each x in path {\n build path ([9i32], [8i32], [7i32])\n sum = sum * 2i32 + x\n }\n build path ([sum], [n], path)\n build other (path, path)\n build path (other)", "path-data"},
		"more in a loop":     {"each x in path {\n build path (path, [x])\n sum = sum + x\n }", "path-data"},
		"a long one":         {"each x in many {\n sum = sum * 3i32 + x\n }\n element x of many at n\n build path (path, [x], many)", "path-data"},
		"outside a long one": {"element x of many at n * 10i32\n sum = sum + x", "strand 4 in step 1: element 70 of many is read, which has 70"},
		"an element outside": {"length count of path\n element x of path at n - 3i32\n build path (path, [x])\n", "strand 2 in step 1: element 2 of path is read, which has 2"},
	} {
		t.Run(name, func(t *testing.T) {
			p := parse(t, strings.NewReplacer("STATEMENTS", of.statements, "MANY", many).Replace(sequences))
			o := on(t, "evaluator", 1, numerics.Strict)
			for _, o.Lanes = range []int{1, 4} {
				o.Room = 3 - o.Lanes/2
				if what := compare(t, p, strand.Given{}, 0, o); !strings.Contains(what, of.contains) {
					t.Errorf("got %s", what)
				}
			}
		})
	}
}
