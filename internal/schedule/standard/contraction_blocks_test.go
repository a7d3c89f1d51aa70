package standard

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/machine"
)

// TestSumsOverSeveralIndices draws products that are summed over several indices, any of which may be
// long: no schedule falls back to the order of the program.
func TestSumsOverSeveralIndices(t *testing.T) {
	programs := []string{
		"in X: %[1]s[%[5]d, %[2]d, %[3]d, %[4]d] in Y: %[1]s[%[2]d, %[4]d, %[6]d, %[3]d] %[7]s { C[i, j] = %[8]s(X[i, a, b, k]) * %[8]s(Y[a, k, j, b]) } }",
		"in X: %[1]s[%[5]d, %[2]d, %[3]d, %[4]d] in Y: %[1]s[%[2]d, %[6]d, %[3]d, %[4]d] %[7]s { C[i, j] = %[8]s(X[i, a, b, k]) * %[8]s(Y[a, j, b, k]) } }",
		"in X: %[1]s[%[2]d, %[3]d, %[4]d, %[5]d] in Y: %[1]s[%[4]d, %[3]d, %[2]d, %[6]d] %[7]s { C[i, j] = %[8]s(X[a, b, k, i]) * %[8]s(Y[k, b, a, j]) } }",
		"in X: %[1]s[%[2]d, %[3]d, %[4]d, %[5]d] in Y: %[1]s[%[4]d, %[2]d, %[3]d] %[7]s { C[i, j] = %[8]s(X[a, b, k, i]) * (%[8]s(Y[k, a, b]) + %[8]s(j)) } }",
	}
	size := rapid.SampledFrom([]int{1, 2, 3, 5, 16, 100, 1000, 40000, 300000})
	machine := machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Features: []string{"avx512f", "avx512vnni", "avx512bw"}}
	rapid.Check(t, func(rt *rapid.T) {
		types := rapid.SampledFrom([][2]string{{"float32", "float32"}, {"float64", "float64"}, {"int8", "int32"}, {"float16", "float32"}}).Draw(rt, "types")
		rows, columns := rapid.IntRange(1, 300).Draw(rt, "rows"), rapid.IntRange(1, 300).Draw(rt, "columns")
		a, b, k := size.Draw(rt, "a"), size.Draw(rt, "b"), size.Draw(rt, "k")
		if a*b*k > 10_000_000 { // more than memory has
			rt.Skip()
		}
		loops := fmt.Sprintf("out C: %s[%d, %d] for i in 0:%[2]d, j in 0:%[3]d, a in 0:%[4]d reduce +, b in 0:%[5]d reduce +, k in 0:%[6]d reduce +", types[1], rows, columns, a, b, k)
		text := "func f { " + fmt.Sprintf(rapid.SampledFrom(programs).Draw(rt, "program"), types[0], a, b, k, rows, columns, loops, types[1])
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
