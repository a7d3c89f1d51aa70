package tc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
)

// TestHostilePrograms compiles programs that blow up a careless compiler. Each
// must end, with the code or without an error.
func TestHostilePrograms(t *testing.T) {
	doubling := func(first, use string) string {
		lets := []string{"x0 = " + first}
		for n := 1; n <= 60; n++ {
			lets = append(lets, fmt.Sprintf("x%d = x%d + x%d", n, n-1, n-1))
		}
		return "def f(float(N) A) -> (B) { B(i) " + use + " where " + strings.Join(lets, ", ") + " }"
	}
	indices := "a,b,c,d,e,g,h,k,l,m"
	sum := "(" + strings.ReplaceAll(indices, ",", "+") + "+1)"
	var ranges []string
	for _, i := range strings.Split(indices, ",") {
		ranges = append(ranges, i+" in 0:3")
	}
	for _, test := range []struct{ name, program, code string }{
		{"lets in a value", doubling("A(i)", "= x60"), ""},
		{"lets in a pad", doubling("A(i-1)", "= A(i) + pad(x60, 0)"), "E0407"},
		{"lets in a subscript", doubling("i", "= A(x60)"), "E0407"},
		{"lets in a condition", doubling("i", "= x60 > 0 ? A(i) : 0.0"), "E0407"},
		{"lets in a product", doubling("i", "= A(i) * (x60 * N)"), "E0407"},
		{"lets in a range", doubling("N", "= A(i)") + "", ""},
		{"lets in a bound", strings.TrimSuffix(doubling("N", "+=! A(0)"), " }") + ", i in 0:x60 }", "E0407"},
		{"a polynomial", "def f(float(N) A) -> (B) { B(a) +=! A(" + strings.TrimSuffix(strings.Repeat(sum+"*", 20), "*") + ") where " + strings.Join(ranges, ", ") + " }", ""},
		{"deep minima", "def f(float(N) A) -> (B) { B(i) = A(" + strings.Repeat("min(N-1, max(0, ", 60) + "i" + strings.Repeat("))", 60) + ") where i in 0:N }", ""},
		{"many products", "def f(float(N) A) -> (B) { B(i) = A(i" + strings.Repeat("*99999999", 40) + ") where i in 0:N }", ""},
		{"a long sum", "def f(float(N) A) -> (B) { B(i) = A(i)" + strings.Repeat(" + A(i)", 2000) + " }", ""},
		{"calls that double", func() string {
			text := "def f0(float(N) A) -> (B) { B(i) = A(i) }\n"
			for n := 1; n <= 60; n++ {
				text += fmt.Sprintf("def f%d(float(N) A) -> (B) { C = f%d(A) B = f%d(C) }\n", n, n-1, n-1)
			}
			return text
		}(), "E0510"},
		{"many pieces", func() string {
			inputs, body := "", ""
			for n := range 40 {
				inputs += fmt.Sprintf("int s%d, ", n)
				body += fmt.Sprintf(" B(i,j) = A(i) where i in s%d:s%[1]d+2, j in s%[1]d:s%[1]d+1", n)
			}
			return "def f(" + inputs + "float(N) A) -> (float(N,N) B) {" + body + " }"
		}(), "E0410"},
		{"many stencil points", "def f(float(N) A) -> (B) { B(i) = A(i)" + func() string {
			text := ""
			for n := range 200 {
				text += fmt.Sprintf(" + A(i+%d)", n)
			}
			return text
		}() + " }", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			unit, diags := Compile(source.NewFile("hostile.tc", test.program), Options{})
			verifyUnit(t, unit)
			var codes []string
			for _, d := range diags.List {
				if d.Severity == source.Error {
					codes = append(codes, string(d.Code))
				}
			}
			if got := strings.Join(codes, " "); got != test.code {
				t.Errorf("got %q, want %q", got, test.code)
			}
		})
	}
}
