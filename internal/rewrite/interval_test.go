package rewrite

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
)

// TestIntervals: the range of results has all that are possible, and no others at its ends.
func TestIntervals(t *testing.T) {
	floorMod := func(n, d int64) int64 { return n - d*floorDiv(n, d) }
	operations := map[ein.BinaryOp]func(a, b int64) int64{
		ein.Add: func(a, b int64) int64 { return a + b }, ein.Sub: func(a, b int64) int64 { return a - b }, ein.Mul: func(a, b int64) int64 { return a * b },
		ein.Div: floorDiv, ein.Mod: floorMod, ein.Min: func(a, b int64) int64 { return min(a, b) }, ein.Max: func(a, b int64) int64 { return max(a, b) },
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(least int) interval {
			lo := int64(rapid.IntRange(least, 9).Draw(t, "lo"))
			return interval{lo, lo + int64(rapid.IntRange(0, 7).Draw(t, "size"))}
		}
		for op, f := range operations {
			x, y := draw(-9), draw(-9)
			if op == ein.Div || op == ein.Mod {
				y = draw(1)
			}
			var exact interval
			for a := x.lo; a <= x.hi; a++ {
				for b := y.lo; b <= y.hi; b++ {
					if r := f(a, b); a == x.lo && b == y.lo {
						exact = interval{r, r}
					} else {
						exact = exact.union(interval{r, r})
					}
				}
			}
			got, ok := binaryRange(op, x, y)
			if op == ein.Mod && got.hi == min(max(x.hi, -x.lo*y.hi), y.hi-1) && got.lo == 0 && got.union(exact) == got {
				continue // not every remainder occurs
			}
			if !ok || got != exact {
				t.Fatalf("%v %s %v is %v (%v), expected %v", x, op, y, got, ok, exact)
			}
		}
	})
}
