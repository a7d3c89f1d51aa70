package schedule

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
)

// TestFragmentsRefused has a tree by whose marks a matrix unit computes a product, and what is wrong in its place.
func TestFragmentsRefused(t *testing.T) {
	const halves = `
func f {
  in A: float16[64, 70]
  in B: float16[70, 40]
  out C: float32[64, 40]
  for i in 0:64, j in 0:40, k in 0:70 reduce + { C[i, j] = float32(A[i, k]) * float32(B[k, j]) }
}`
	const windows = `
func f {
  in A: float16[4, 66, 16]
  in B: float16[40, 3, 16]
  out C: float32[4, 64, 40]
  for n in 0:4, i in 0:64, j in 0:40, r in 0:3 reduce +, k in 0:16 reduce + { C[n, i, j] = float32(A[n, i + r, k]) * float32(B[j, r, k]) }
}`
	const right = `domain S0[i, j, k]
band S0.i tile 32 groups | S0.j tile 16 pad groups
  accumulate S0 register
    band S0.k tile 32 pad
      place A local pad 8
        place B local pad 8
          band S0.i items 16 | S0.j tile 2 items 8
            band S0.k group 16 matrix | S0.j
`
	const rightWindows = `domain S0[n, i, j, r, k]
band S0.n groups | S0.i tile 32 groups | S0.j tile 16 pad groups
  accumulate S0 register
    place A local pad 8
      place B local pad 8
        band S0.i items 16 | S0.j tile 2 items 8
          band S0.r | S0.k group 16 matrix | S0.j
`
	for _, c := range []struct{ function, tree, old, new, want string }{
		{halves, right, "", "", ""},
		{windows, rightWindows, "", "", ""},
		{strings.ReplaceAll(halves, "float16", "float32"), right, "", "", "which fast numerics allow"},
		{strings.NewReplacer("float16", "float32", "reduce +", "reduce + shortened").Replace(halves), right, "group 16", "group 8", ""},
		{strings.NewReplacer("float16", "float32", "reduce +", "reduce + shortened").Replace(halves), right, "", "", "takes 8 or 4 terms of float32, and not 16"},
		{strings.ReplaceAll(halves, "float16", "float64"), right, "", "", "no product of two numbers of types"},
		{strings.Replace(halves, "A: float16", "A: bfloat16", 1), right, "", "", "no product of two numbers of types"},
		{strings.ReplaceAll(halves, "reduce +", "reduce max"), right, "", "", "no product of two numbers of types"},
		{halves, right, "group 16", "group 4", "takes 16 or 8 terms of float16, and not 4"},
		{halves, right, "S0.i items 16", "S0.i items 4", "every 8th row and pairs of columns"},
		{halves, right, "S0.j tile 2 items 8\n            band S0.k group 16 matrix | S0.j", "S0.j items 8\n            band S0.k group 16 matrix", "every 8th row and pairs of columns"},
		{halves, right, "S0.i items 16 | S0.j tile 2 items 8", "S0.i items 16", "two loops over items"},
		{halves, right, "S0.i tile 32 groups", "S0.i tile 16 groups", "the blocks of i do not consist of 32 points"},
		{halves, right, "S0.j tile 16 pad groups", "S0.j tile 16 groups", "the blocks of j do not consist of 16 points"},
		{halves, right, "S0.k tile 32 pad", "S0.k tile 32", "the blocks of k do not consist of 16 terms"},
		{halves, right, "place B local pad 8", "place B register", "place of B"},
		{halves, right, "place A local pad 8\n        place B local pad 8\n          band S0.i items 16 | S0.j tile 2 items 8\n            band S0.k",
			"place B local pad 8\n        band S0.i items 16 | S0.j tile 2 items 8\n          band S0.k", "A is not in local memory"},
		{halves, right, "accumulate S0 register", "accumulate S0 private", "its accumulators are in register"},
		{halves, right, "matrix | S0.j", "matrix | S0.j vector 2", "loops over points"},
		{halves, right, "matrix | S0.j", "matrix lines 4 | S0.j", "it goes over no parts"},
		{halves, right, "            band S0.k group 16 matrix | S0.j", "            place A register\n              band S0.k group 16 matrix | S0.j", "loops, and no places"},
		{windows, rightWindows, "S0.n groups | S0.i", "S0.n tile 2 groups | S0.i", "index n of S0 is not enumerated"},
		{windows, strings.Replace(rightWindows, "S0.n groups | S0.i", "S0.n tile 2 groups | S0.i", 1), "band S0.r", "band S0.n | S0.r", "those of one point of n"},
		{strings.NewReplacer("A: float16[64", "A: float16[103", "A[i, k]", "A[i + j, k]").Replace(halves), right, "", "", "one operand runs along the rows"},
	} {
		f, err := ein.ParseFunc("function", c.function)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(c.tree, c.old, c.new, 1)
		if c.old != "" && text == c.tree {
			t.Fatalf("there is no %q in\n%s", c.old, c.tree)
		}
		tree, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if Print(tree) == "" {
			t.Fatal("nothing is printed")
		}
		if err = Check(f, tree); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, expected %q of\n%s%s", err, c.want, c.function, text)
		}
	}
}
