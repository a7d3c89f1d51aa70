package call

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/compile"
)

// Values of dynamic sizes share a kernel.
func TestRunKey(t *testing.T) {
	d := parse(t, `def mv(float(N,M) A, float(M) x) -> (y) { y(i) +=! A(i,k) * x(k) }`)
	key := func(n, m int64, dynamic ...string) string {
		return d.runKey(nil, map[string]int64{"N": n, "M": m}, Options{Options: compile.Options{Dynamic: dynamic}})
	}
	switch {
	case key(3, 4, "N") != key(5, 4, "N"):
		t.Error("another value of a dynamic size has another kernel")
	case key(3, 4, "N") == key(3, 5, "N"), key(3, 4) == key(5, 4), key(3, 4) == key(3, 4, "N"):
		t.Error("different kernels have one key")
	}
}
