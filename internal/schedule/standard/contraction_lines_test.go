package standard

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/machine"
)

// TestWholeLines draws contractions of tensors whose dimensions are in any order: their schedules
// are legal, also where copies take whole lines of tasks that are smaller.
func TestWholeLines(t *testing.T) {
	size := rapid.SampledFrom([]int{1, 2, 7, 16, 24, 33, 100, 256})
	machine := machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Features: []string{"avx512f"}}
	rapid.Check(t, func(rt *rapid.T) {
		extents := map[string]int{}
		dims := func(indices []string) string {
			var list []string
			for _, i := range indices {
				list = append(list, fmt.Sprint(extents[i]))
			}
			return strings.Join(list, ", ")
		}
		points := 1
		for _, i := range []string{"a", "b", "c", "d", "e", "k"} {
			extents[i] = size.Draw(rt, i)
			points *= extents[i]
		}
		if points > 100_000_000 {
			rt.Skip()
		}
		x := rapid.Permutation([]string{"a", "b", "k", "e"}).Draw(rt, "x")
		y := rapid.Permutation([]string{"c", "d", "k", "e"}[:rapid.IntRange(3, 4).Draw(rt, "batch")]).Draw(rt, "y")
		z := rapid.Permutation([]string{"a", "b", "c", "d", "e"}).Draw(rt, "z")
		var loops []string
		for _, i := range append(strings.Split(strings.Join(z, ""), ""), "k") {
			loops = append(loops, fmt.Sprintf("%s in 0:%d", i, extents[i]))
		}
		dtype := rapid.SampledFrom([]string{"float32", "float64"}).Draw(rt, "type")
		text := fmt.Sprintf("func f { in X: %[1]s[%[2]s] in Y: %[1]s[%[3]s] out Z: %[1]s[%[4]s] for %[5]s reduce + { Z[%[6]s] = X[%[7]s] * Y[%[8]s] } }",
			dtype, dims(x), dims(y), dims(z), strings.Join(loops, ", "), strings.Join(z, ", "), strings.Join(x, ", "), strings.Join(y, ", "))
		m := machine
		m.Cores = rapid.IntRange(1, 4).Draw(rt, "cores")
		tree, err := Default(parseFunc(t, text), &m)
		if err != nil {
			rt.Fatal(err)
		}
		if tree.Fallback != nil {
			rt.Fatalf("%v\n%s", tree.Fallback, text)
		}
	})
}
