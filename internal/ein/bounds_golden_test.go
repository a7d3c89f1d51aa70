package ein

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/tensor"
)

// TestRecordedBounds has what the evaluator says of many small programs: whoever changes a bound
// sees which ones become wider or narrower. The random tests say that bounds are wide enough; that
// they are not wider than they have to be is in this text.
func TestRecordedBounds(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the last digits of Go's functions are those of another architecture")
	}
	goldentest.Run(t, "testdata/bounds.txtar", "bounds", 1, func(t *testing.T, inputs []string) string {
		var out strings.Builder
		for line := range strings.Lines(inputs[0]) {
			kind, program, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch kind {
			case "scalar": // an expression of two float32
				recordScalar(t, &out, program)
			case "cast": // the types of the operands and of the result, and an expression
				fields := strings.SplitN(program, " ", 3)
				fmt.Fprintf(&out, "%s\n", program)
				recordTypes(t, &out, fields[0], fields[1], fields[2])
			case "fold": // how terms of a type are combined
				recordFold(t, &out, program)
			default:
				t.Fatalf("%q is no kind", kind)
			}
		}
		for _, b := range Builtins() { // of exact arguments, and of rounded ones
			recordScalar(t, &out, b.Name+"("+strings.Join([]string{"a[]", "b[]", "a[]", "b[]"}[:b.Arity], ", ")+")")
			recordScalar(t, &out, b.Name+"("+strings.Join([]string{"a[] * b[]", "b[] * 0.3f32", "a[] * a[]", "b[] * b[]"}[:b.Arity], ", ")+")")
		}
		out.WriteString("drawn functions\n")
		for seed := range 60 {
			recordDrawn(t, &out, seed)
		}
		return out.String()
	})
}

func recordScalar(t *testing.T, out *strings.Builder, expression string) {
	fmt.Fprintf(out, "%s\n", expression)
	recordTypes(t, out, "float32", "float32", expression)
	recordTypes(t, out, "float64", "float64", strings.ReplaceAll(expression, "f32", "f64"))
}

func recordTypes(t *testing.T, out *strings.Builder, operand, result, expression string) {
	text := fmt.Sprintf("func f { in a: %[1]s[] in b: %[1]s[] out y: %[2]s[] for { y[] = %[3]s } }", operand, result, expression)
	d := parsed(t, text).Tensors[0].Type
	fmt.Fprintf(out, "  %s:", result)
	for _, pair := range [][2]float64{{1, 2}, {0.1, 0.7}, {-3.3, 0.125}, {1e-20, 3e19}, {1e-30, 1e-12}, {1e30, -1e9}, {0, math.Copysign(0, -1)}, {math.Inf(1), 2}, {math.NaN(), 1}, {127.6, 128.7}, {16777.217, 1000}, {0.1, 20}, {0.7, -10}} {
		_, bounds := evaluateWithBounds(t, text, tensors{"a": scalarOf(t, d, pair[0]), "b": scalarOf(t, d, pair[1])})
		fmt.Fprintf(out, " %.3g", bounds["y"].Float())
	}
	out.WriteByte('\n')
}

// recordFold takes a line such as "float32 reduce +".
func recordFold(t *testing.T, out *strings.Builder, line string) {
	typ, fold, _ := strings.Cut(line, " ")
	fmt.Fprintf(out, "%s\n", line)
	random := rand.New(rand.NewPCG(5, 26))
	for _, values := range []struct {
		name string
		of   func(k int) float64
	}{
		{"whole", func(k int) float64 { return float64(k%5 - 2) }},
		{"random", func(int) float64 { return random.NormFloat64() }},
		{"positive", func(int) float64 { return random.Float64() + 0.01 }},
		{"wide", func(int) float64 { return random.NormFloat64() * math.Exp2(float64(random.IntN(40)-20)) }},
		{"small", func(int) float64 { return random.NormFloat64() * 0x1p-100 }},
		{"large", func(int) float64 { return random.NormFloat64() * 0x1p100 }},
		{"with a NaN", func(k int) float64 {
			if k == 2 {
				return math.NaN()
			}
			return 1.1
		}},
	} {
		fmt.Fprintf(out, "  %s:", values.name)
		for _, n := range []int{1, 2, 7, 24} {
			for _, likely := range []bool{false, true} {
				bounds := foldBounds(t, typ, fold, n, values.of, likely)
				fmt.Fprintf(out, " %.3g", bounds)
			}
		}
		out.WriteByte('\n')
	}
}

// foldBounds returns the largest bound of a fold of n values, over two indices where they have a divisor.
func foldBounds(t *testing.T, typ, fold string, n int, of func(int) float64, likely bool) float64 {
	loops := fmt.Sprintf("for i in 0:%d %s", n, fold)
	subscript, result := "i", ""
	fold, accumulate, _ := strings.Cut(fold, " accumulate ")
	if accumulate != "" {
		loops = fmt.Sprintf("for i in 0:%d %s accumulate %s", n, fold, accumulate)
	}
	if n%6 == 0 && !strings.HasPrefix(fold, "scan") {
		loops, subscript = fmt.Sprintf("for i in 0:%d %s, j in 0:6 %s", n/6, fold, fold), "i * 6i64 + j"
		if accumulate != "" {
			loops += " accumulate " + accumulate
		}
	}
	operators, term, dims := "", "X["+subscript+"]", ""
	if typ == "bfloat16" || typ == "float16" {
		term = "float32(" + term + ")"
	}
	if strings.HasPrefix(fold, "scan") {
		result, dims = "i", fmt.Sprint(n)
	}
	if strings.HasSuffix(fold, " o") {
		operators = "op o(a: float32 | b: float32) = (a + b + a * b) associative"
	}
	out := typ
	if out == "float16" || out == "bfloat16" {
		out = "float32"
	}
	role := "out"
	if accumulate != "" {
		role = "inout"
	}
	text := fmt.Sprintf("func f { in X: %s[%d] %s z: %s[%s] %s %s { z[%s] = %s * 1.25%s } }", typ, n, role, out, dims, operators, loops, result, term, map[string]string{"float64": "f64"}[out])
	if out == "float32" {
		text = strings.Replace(text, "1.25", "1.25f32", 1)
	}
	f := parsed(t, text)
	x, err := tensor.New(f.Tensors[0].Type, n)
	if err != nil {
		t.Fatal(err)
	}
	old, err := tensor.New(f.Tensors[1].Type, []int{n}[:min(len(dims), 1)]...)
	if err != nil {
		t.Fatal(err)
	}
	tensor.FillConst(old, 3)
	for k := range n {
		x.SetFloat(of(k), k)
	}
	args := tensors{"X": x}
	if role == "inout" {
		args["z"] = old
	}
	_, bounds, err := EvaluateWithBounds(f, args, EvalOptions{Likely: likely})
	if err != nil {
		t.Fatal(err)
	}
	largest := 0.0
	for o := range bounds["z"].Offsets() {
		largest = max(largest, bounds["z"].FloatAt(o))
	}
	return largest
}

func recordDrawn(t *testing.T, out *strings.Builder, seed int) {
	text := rapid.Custom(randomFunc).Example(seed)
	random := rand.New(rand.NewPCG(uint64(seed), 26))
	x, y := make([]float32, 8), make([]float32, 8)
	for i := range x {
		x[i], y[i] = float32(random.NormFloat64()), float32(random.IntN(9)-4)/2
	}
	want, bounds := evaluateWithBounds(t, text, tensors{"X": arrayOf(t, x), "Y": arrayOf(t, y)})
	fmt.Fprintf(out, "%s\n", text)
	for _, name := range []string{"p", "z"} {
		if want[name] == nil {
			continue
		}
		fmt.Fprintf(out, "  %s:", name)
		for o := range want[name].Offsets() {
			fmt.Fprintf(out, " %.5g ± %.3g", want[name].FloatAt(o), bounds[name].FloatAt(o))
		}
		out.WriteByte('\n')
	}
}
