package native_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/strand"
)

// TestGlobalStart: strands see globals as the global start leaves them, where no other block of the world follows, too.
func TestGlobalStart(t *testing.T) {
	p := parse(t, `strand s real float32 int int32 {
  global most: int
  output x: int
  temp i: int
  temp who: strand
  temp v: int
  param n: int
  create array for i = 3i32 to 5i32 new (i)
  initialize {
    most = 0i32
  }
  begin {
    x = n
  }
  update {
    x = x + most
    stabilize
  }
  global start {
    reduce most by max over active as who {
      get v of who state x
    } value v
  }
}
`)
	if what := compare(t, p, strand.Given{}, 0, on(t, "evaluator", 1, numerics.Strict)); !strings.Contains(what, "[ 8  9 10]") {
		t.Errorf("got %q", what)
	}
}
