package fold

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestExpression(t *testing.T) {
	for in, want := range map[string]string{
		"":                  "",
		"7":                 "7",
		" 1+2 * 3":          "7",
		"(1 + 2) * 3":       "9",
		"10 - 4 - 3":        "3",
		"100 / 10 / 5":      "2",
		"-7 / 2":            "-3",
		"-7 % 4":            "-3",
		"~0 & 7":            "7",
		"- -3":              "3",
		"1 << 3 | 1":        "9",
		"5 & 6 == 6":        "1", // C's precedence: 5 & (6 == 6)
		"1 ? 2 : 0 ? 3 : 4": "2",
		"0 ? 2 : 0 ? 3 : 4": "4",
		"2 > 1 > 1":         "0",
		"!3 || !0":          "1",
		"(16 * 8 / 32) * 2 + 5 % (16 * 8 / 32) / 2": "8",
		// what is unknown stays
		"m[(0 * 16 + 3) / 2]":           "m[1]",
		"m[1] ? p[2 * 3] : 0":           "m[1] ? p[6] : 0",
		"(2 * 3) % 4 ? 0 : m[6 / 4]":    "0",
		"(2 * 4) % 4 ? 0 : m[8 / 4]":    "m[2]",
		"p[0 * s]":                      "p[0]",
		"p[1 * s]":                      "p[s]",
		"p[2 * s + 0]":                  "p[2 * s]",
		"p[0 + s * 3 / 1 - 0]":          "p[s * 3]",
		"@sqrt.S(x[1 + 2], $N)":         "@sqrt.S(x[3], $N)",
		"r_sqrt_f32(x[3])":              "r_sqrt_f32(x[3])",
		"0 | x & 2 | 0":                 "x & 2",
		"a.h[4 / 4].v":                  "a.h[1].v",
		"x - (y - (3 - 1))":             "x - (y - 2)",
		"x - 3 + 4":                     "x - 3 + 4",
		"(x + 1) * (2 + 2)":             "(x + 1) * 4",
		"-(-x)":                         "-(-x)",
		"x - -3":                        "x - -3",
		"x * (0 - 3)":                   "x * -3",
		"~(1 ? x & y : 0) + 0":          "~(x & y)",
		"(1 ? a : b) ? c : (2 ? d : e)": "a ? c : d",
		"(x ? y : z) ? 1 : 2":           "(x ? y : z) ? 1 : 2",
		"1 && x":                        "1 && x",
		"1 && x < 2":                    "x < 2",
		"x && 0":                        "0",
		"defined(A) || 1":               "1",
		// no int: for the compiler
		"2147483647 + 1":     "2147483647 + 1",
		"2147483648 + 1":     "2147483648 + 1",
		"1 / 0 + 1 * 1":      "1 / 0 + 1",
		"1 << 31":            "1 << 31",
		"1 << 32":            "1 << 32",
		"-1 << 1":            "-1 << 1",
		"010 + 1":            "010 + 1",
		"0x10 + 1":           "0x10 + 1",
		"2ULL << 1 + 1":      "2ULL << 2",
		"0x1.8p+3 + (1 + 1)": "0x1.8p+3 + 2",
		"1e-3f * 2":          "1e-3f * 2",
		".5 * (1 + 1)":       ".5 * 2",
		// no expressions that are known here
		"(f32x16)1 + 2":     "(f32x16)1 + 2",
		"(f32)-1 * 2 + 1":   "(f32)-1 * 2 + 1",
		"(x)(1 + 1)":        "(x)(1 + 1)",
		"(i32x4){1 + 1}":    "(i32x4){1 + 1}",
		"1 + ":              "1 + ",
		"1 + 2)":            "1 + 2)",
		"f(1 + 2":           "f(1 + 2",
		"x = 1 + 2":         "x = 1 + 2",
		"1 2":               "1 2",
		"\"1 + 2\"":         "\"1 + 2\"",
		"1 ? 2":             "1 ? 2",
		"a->b + 1 + 1":      "a->b + 1 + 1",
		"sizeof x + 1 * 1":  "sizeof x + 1 * 1",
		"sizeof(x) + 1 * 1": "sizeof(x) + 1",
		"x..y":              "x..y",
	} {
		if got := Expression(in); got != want {
			t.Errorf("%q becomes %q instead of %q", in, got, want)
		}
	}
}

func TestValue(t *testing.T) {
	for in, want := range map[string]int64{"1 + 2 * 3": 7, "-(1 << 30) * 2": math.MinInt32, "0 * x": 0} {
		if got, ok := Value(in); !ok || got != want {
			t.Errorf("%q is %d, %t", in, got, ok)
		}
	}
	for _, in := range []string{"", "x", "1 +", "1 / 0", "1 << 31"} {
		if got, ok := Value(in); ok {
			t.Errorf("%q is %d", in, got)
		}
	}
}

// A drawer makes random expressions.
type drawer struct {
	*rand.Rand
	leaves []string // beside numbers
}

func (d drawer) expression(depth int) *node {
	if depth == 0 || d.IntN(8) == 0 {
		if len(d.leaves) > 0 && d.IntN(3) == 0 {
			return &node{kind: leaf, text: d.leaves[d.IntN(len(d.leaves))]}
		}
		return number(d.Int64N([]int64{2, 4, 20, 1 << 31}[d.IntN(4)]))
	}
	operators := []string{"||", "&&", "|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "<<", ">>", "+", "-", "*", "/", "%"}
	switch d.IntN(8) {
	case 0:
		return &node{kind: operation, op: []string{"-", "+", "~", "!"}[d.IntN(4)], args: []*node{d.expression(depth - 1)}}
	case 1:
		return &node{kind: operation, op: "?", args: []*node{d.expression(depth - 1), d.expression(depth - 1), d.expression(depth - 1)}}
	}
	return &node{kind: operation, op: operators[d.IntN(len(operators))], args: []*node{d.expression(depth - 1), d.expression(depth - 1)}}
}

// value evaluates an expression as C does; ok is false where the result is undefined or goes beyond int.
func (n *node) evaluate(environment map[string]int32) (v int32, ok bool) {
	switch n.kind {
	case leaf:
		return environment[n.text], true
	case constant:
		return int32(n.value), n.value == int64(int32(n.value))
	}
	x, ok := n.args[0].evaluate(environment)
	if !ok {
		return 0, false
	}
	switch {
	case n.op == "?" && x != 0:
		return n.args[1].evaluate(environment)
	case n.op == "?":
		return n.args[2].evaluate(environment)
	case n.op == "&&" && x == 0:
		return 0, true
	case n.op == "||" && x != 0:
		return 1, true
	case len(n.args) == 1:
		switch n.op {
		case "-":
			return -x, x != math.MinInt32
		case "~":
			return ^x, true
		case "!":
			return bit(x == 0), true
		}
		return x, true
	}
	y, ok := n.args[1].evaluate(environment)
	if !ok {
		return 0, false
	}
	wide := func(v int64) (int32, bool) { return int32(v), v == int64(int32(v)) }
	switch n.op {
	case "&&", "||":
		return bit(y != 0), true
	case "|":
		return x | y, true
	case "^":
		return x ^ y, true
	case "&":
		return x & y, true
	case "==":
		return bit(x == y), true
	case "!=":
		return bit(x != y), true
	case "<":
		return bit(x < y), true
	case "<=":
		return bit(x <= y), true
	case ">":
		return bit(x > y), true
	case ">=":
		return bit(x >= y), true
	case "<<":
		if x < 0 || y < 0 || y >= 32 {
			return 0, false
		}
		return wide(int64(x) << y)
	case ">>":
		return x >> max(0, min(y, 31)), x >= 0 && y >= 0 && y < 32
	case "+":
		return wide(int64(x) + int64(y))
	case "-":
		return wide(int64(x) - int64(y))
	case "*":
		return wide(int64(x) * int64(y))
	}
	if y == 0 || x == math.MinInt32 && y == -1 {
		return 0, false
	}
	if n.op == "/" {
		return x / y, true
	}
	return x % y, true
}

func bit(holds bool) int32 {
	if holds {
		return 1
	}
	return 0
}

// spaced prints an expression with more parentheses and spaces than it needs, at random.
func (d drawer) spaced(n *node) string {
	space := strings.Repeat(" ", d.IntN(3))
	text := ""
	switch {
	case n.kind != operation:
		return space + n.String() + space
	case len(n.args) == 1:
		text = n.op + "(" + d.spaced(n.args[0]) + ")"
	case n.op == "?":
		text = "(" + d.spaced(n.args[0]) + ")?" + d.spaced(n.args[1]) + ":" + d.enclosed(n.args[2])
	default:
		text = d.enclosed(n.args[0]) + space + n.op + space + d.enclosed(n.args[1])
	}
	return "(" + space + text + ")"
}

func (d drawer) enclosed(n *node) string {
	if n.kind == operation {
		return "(" + d.spaced(n) + ")"
	}
	return n.String()
}

// TestRandomExpressions compares values with those of an evaluator of trees, and what is left of expressions
// with names with what they were, for some values of these.
func TestRandomExpressions(t *testing.T) {
	d := drawer{Rand: rand.New(rand.NewPCG(1, 9))}
	defined := 0
	for range 20000 {
		n := d.expression(1 + d.IntN(5))
		want, ok := n.evaluate(nil)
		if !ok {
			continue
		}
		defined++
		for _, text := range []string{n.String(), d.spaced(n)} {
			if got, ok := Value(text); ok && int32(got) != want {
				t.Fatalf("%s is %d, not %d", text, want, got)
			} else if !ok && !hasUndefined(n) {
				t.Fatalf("%s is %d, and has no value", text, want)
			}
		}
	}
	if defined < 5000 {
		t.Errorf("only %d expressions have values", defined)
	}
	d.leaves = []string{"a", "b", "c"}
	for range 20000 {
		n := d.expression(1 + d.IntN(5))
		text := n.String()
		left := Expression(text)
		if again := Expression(left); again != left {
			t.Fatalf("%s becomes %s, and that %s", text, left, again)
		}
		simple, ok := parse(left)
		if !ok {
			t.Fatalf("%s becomes %s", text, left)
		}
		for range 5 {
			environment := map[string]int32{"a": int32(d.IntN(5) - 2), "b": int32(d.Uint32()), "c": int32(d.IntN(40))}
			want, ok := n.evaluate(environment)
			if got, fine := simple.evaluate(environment); ok && (!fine || got != want) {
				t.Fatalf("%s is %d for %v, and %s, which it becomes, is %d", text, want, environment, left, got)
			}
		}
	}
}

// hasUndefined reports whether an expression has parts without a value, which C need not compute.
func hasUndefined(n *node) bool {
	if _, ok := n.evaluate(nil); !ok {
		return true
	}
	for _, a := range n.args {
		if hasUndefined(a) {
			return true
		}
	}
	return false
}

// TestCompilers asks compilers for the values of random expressions, and of conditions of the preprocessor.
func TestCompilers(t *testing.T) {
	d := drawer{Rand: rand.New(rand.NewPCG(2, 9))}
	var b strings.Builder
	for count := 0; count < 2000; {
		n := d.expression(1 + d.IntN(4))
		if hasUndefined(n) {
			continue
		}
		count++
		text := []string{n.String(), d.spaced(n)}[d.IntN(2)]
		v, ok := Value(text)
		if !ok {
			t.Fatalf("%s has no value", text)
		}
		fmt.Fprintf(&b, "_Static_assert((%s) == %d, \"\");\n#if (%s) != %d\n#error\n#endif\n", text, v, text, v)
	}
	file := filepath.Join(t.TempDir(), "expressions.c")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, compiler := range []string{"gcc", "clang"} {
		if path, err := exec.LookPath(compiler); err == nil {
			if output, err := exec.Command(path, "-std=gnu11", "-fsyntax-only", "-w", file).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%.2000s", compiler, err, output)
			}
		}
	}
}
