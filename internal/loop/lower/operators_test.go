package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/tensor"
)

// drawOperator writes an operator on values from 0 to 9, which saturates or chooses
// between its operands and constants. It is associative and commutative there.
func drawOperator(t *rapid.T, element string) string {
	suffix := map[string]string{"int32": "i32", "int64": "i64", "float32": "f32", "float64": "f64"}[element]
	number := func(n int) string { return fmt.Sprintf("%d%s", n, suffix) }
	most := number(rapid.IntRange(9, 40).Draw(t, "most"))
	forms := []string{
		"(a + b > most ? most : a + b)",
		"(a + b < most ? a + b : most)",
		"(a == zero ? b : b == zero ? a : most)",
		"(a > b ? (a > most ? most : a) : (b > most ? most : b))",
		"(let s = a + b in !(s > most) ? s : most)",
		"(most > zero ? a + b : most)",
	}
	body := rapid.SampledFrom(forms).Draw(t, "form")
	body = strings.NewReplacer("most", most, "zero", number(0)).Replace(body)
	identity := rapid.SampledFrom([]string{"", " identity (" + number(0) + ")"}).Draw(t, "identity")
	return fmt.Sprintf("  op f(a: %s | b: %s) = %s%s associative commutative\n", element, element, body, identity)
}

// TestOperatorsWithConstants folds and scans random arrays with operators that choose
// between operands and constants, with the default schedule: vectors along what is
// folded, and across.
func TestOperatorsWithConstants(t *testing.T) {
	vectors := 0
	rapid.Check(t, func(t *rapid.T) {
		element := rapid.SampledFrom([]string{"int32", "int64", "float32", "float64"}).Draw(t, "type")
		n, m := rapid.IntRange(1, 90).Draw(t, "n"), rapid.IntRange(1, 90).Draw(t, "m")
		loops := rapid.SampledFrom([]string{
			"out Y: E[]\nOP  for i in 0:N reduce f, j in 0:M reduce f { Y[] = X[i, j] }",
			"out Y: E[N]\nOP for i in 0:N, j in 0:M reduce f { Y[i] = X[i, j] }",
			"out Y: E[M]\nOP for j in 0:M, i in 0:N reduce f { Y[j] = X[i, j] }",
			"out Y: E[N, M]\nOP for i in 0:N, j in 0:M scan f { Y[i, j] = X[i, j] }",
			"out Y: E[N, M]\nOP for j in 0:M, i in 0:N scan f { Y[i, j] = X[i, j] }",
		}).Draw(t, "loops")
		loops = strings.NewReplacer("OP", drawOperator(t, element), "E[", element+"[", "N", fmt.Sprint(n), "M", fmt.Sprint(m)).Replace(loops)
		f, err := ein.ParseFunc("test", fmt.Sprintf("func f {\n  in X: %s[%d, %d]\n  %s\n}", element, n, m, loops))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := standard.Default(f, &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2})
		if err != nil {
			t.Fatal(err)
		}
		kernel, err := lower.Lower(f, tree, lower.Options{})
		if err == nil {
			err = loop.Verify(kernel)
		}
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, f, schedule.Print(tree))
		}
		if strings.Contains(schedule.Print(tree), " vector ") {
			vectors++
		}
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		small(args["X"])
		compare(t, f, f, tree, kernel, args, nil)
	})
	if vectors == 0 {
		t.Error("nothing has vectors")
	}
}

// small replaces values by whole numbers from 0 to 9.
func small(x *tensor.Tensor) {
	n := int64(0)
	for o := range x.Offsets() {
		n = (n*1103515245 + 12345) & 0x7fffffff
		if x.DType().IsFloat() {
			x.SetFloatAt(o, float64((n>>16)%10))
		} else {
			x.SetIntAt(o, (n>>16)%10)
		}
	}
}
