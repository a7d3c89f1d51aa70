package lower_test

import "testing"

// TestBlocksOfNothing: where there is nothing to reduce results are passed on before the blocks that
// would have them, which pass nothing on.
func TestBlocksOfNothing(t *testing.T) {
	for _, size := range []string{"0", "3"} {
		for _, region := range []string{"register", "private"} {
			runTree(t, `
func f {
  in X: int32[4, 3]
  out Y: int32[4]
  for i in 0:4, k in 0:`+size+` reduce max or empty { Y[i] = X[i, k] - 10i32 }
}`, "domain S0[i, k]\nband S0.i\n  accumulate S0 early\n    place Y "+region+"\n      band S0.k")
		}
	}
}
