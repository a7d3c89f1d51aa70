package native_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/strand"
)

// dying is a program of which half of the strands die early and others come later, while a block of the world adds up all of
// them.
const dying = `strand s real float32 int int32 {
  input list: int{} = 4i32, 5i32, 6i32, 7i32
  global total: int
  global turn: int
  output sum: int
  output path: int{}
  output started: int
  param n: int
  temp i: int
  temp x: int
  temp who: strand
  temp y: int
  temp got: int
  create collection for i = 0i32 to 15i32 new (i)
  initialize {
    total = 0i32
    turn = 0i32
  }
  begin {
    sum = n
    build path ([n])
    started = 0i32
  }
  start {
    started = started + 1i32
  }
  update {
    sum = sum + total
    build path (path, [total])
    if turn == 1i32 && n % 2i32 == 0i32 {
      die
    }
    if turn == 3i32 && n % 4i32 == 1i32 {
      new (n + 16i32)
    }
    FAULT
  }
  stabilize {
    sum = -sum
  }
  global update {
    turn = turn + 1i32
    reduce got by sum over all as who {
      get y of who state sum
    } value y
    total = got % 1000i32
    if turn == 6i32 {
      all stabilize
    }
  }
}
`

// TestCompact: strands that have moved keep their states, their order and their numbers.
func TestCompact(t *testing.T) {
	for name, of := range map[string]struct{ fault, contains string }{
		"alive":     {"", "started int32 [12] [list]"},
		"a fault":   {"if turn == 4i32 && n == 7i32 {\n element x of list at n\n }", "strand 7 in step 5: element 7 of list is read"},
		"a new one": {"if turn == 5i32 && n == 21i32 {\n element x of list at n\n }", "strand 17 in step 6: element 21 of list is read"},
	} {
		t.Run(name, func(t *testing.T) {
			p := parse(t, strings.Replace(dying, "FAULT", of.fault, 1))
			o := on(t, "evaluator", 1, numerics.Strict)
			for _, o.Dead = range []int{0, -1} {
				if what := compare(t, p, strand.Given{}, 0, o); !strings.Contains(what, of.contains) {
					t.Errorf("got %s", what)
				}
			}
		})
	}
}
