package affine

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	tests := []struct{ text, want string }{
		{"0", "0"},
		{"N", "N"},
		{"2LUT + 1e5", "1e5 + 2LUT"},
		{" H - KH + 1 ", "H - KH + 1"},
		{"-9223372036854775808*N - 9223372036854775808", "-9223372036854775808*N - 9223372036854775808"},
		{"(N + 1)*(N - 1)", "N*N - 1"},
		{"N/2*2 + N%2", "N%2 + 2*(N/2)"},
		{"(4*N + 3)/4", "N"},
		{"min(N, max(M, 3))", "min(N, max(3, M))"},
		{"min*3 + max", "max + 3*min"},
		{"N - -3", "N + 3"},
		{"7/2 + -7/2", "-1"},
		{"x.1 + y$2", "x.1 + y$2"},
	}
	for _, test := range tests {
		e, err := Parse(test.text)
		if err != nil || e.String() != test.want {
			t.Errorf("Parse(%q) = %s, %v, expected %s", test.text, e, err, test.want)
		}
	}
	for _, text := range []string{"", "+", "N +", "(N", "N)", "min(N)", "min(N, M", "9223372036854775808", "N M", ".x", "N !", "a\xff", "99999999999999999999", strings.Repeat("(", 1e4), strings.Repeat("-", 1e4)} {
		if e, err := Parse(text); err == nil {
			t.Errorf("Parse(%.20q) = %s, expected an error", text, e)
		}
	}
}

func TestParsePrefix(t *testing.T) {
	for _, test := range []struct {
		text   string
		length int
	}{{"N + 1 : M", 5}, {"N]", 1}, {"N or empty", 1}, {"min(N, 2) }", 9}} {
		if _, n, err := ParsePrefix(test.text); err != nil || n != test.length {
			t.Errorf("ParsePrefix(%q) takes %d bytes, %v, expected %d", test.text, n, err, test.length)
		}
	}
}

// anyExpr draws an expression of limited depth.
func anyExpr(t *rapid.T, depth int) Expr {
	if depth == 0 || rapid.Bool().Draw(t, "leaf") {
		if rapid.Bool().Draw(t, "number") {
			return Const(rapid.Int64Range(-9, 9).Draw(t, "value"))
		}
		return Symbol(rapid.SampledFrom([]string{"N", "M", "2K", "min", "H.1"}).Draw(t, "symbol"))
	}
	x, y := anyExpr(t, depth-1), anyExpr(t, depth-1)
	switch rapid.SampledFrom([]string{"+", "-", "*", "/", "%", "min", "max"}).Draw(t, "op") {
	case "+":
		return x.Add(y)
	case "-":
		return x.Sub(y)
	case "*":
		return x.Mul(y)
	case "/":
		return Div(x, y)
	case "%":
		return Rem(x, y)
	case "min":
		return MinOf(x, y)
	}
	return MaxOf(x, y)
}

func TestParseReadsString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyExpr(t, 4)
		got, err := Parse(e.String())
		if err != nil || !got.Equal(e) {
			t.Fatalf("Parse(%s) = %s, %v", e, got, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"N", "min(N, -2*M + 3)", "((N)/(2))%(4)", "1 - (2 - 3)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(e.String())
		if err != nil || !again.Equal(e) {
			t.Errorf("%q reads as %s, which reads as %s, %v", text, e, again, err)
		}
	})
}
