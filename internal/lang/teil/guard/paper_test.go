package guard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/tc"
	"github.com/ricci-lang/ricci/internal/lang/teil"
	"github.com/ricci-lang/ricci/internal/lang/teil/guard"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// The kernels of the paper's Section 2. TACO and TVM state the extent of every index by
// the declarations of the tensors or by reduce_axis, so those kernels are written
// in ein, which states them too; TC infers them, and those kernels are in TC.
var paperKernels = []struct {
	name    string
	text    string // of ein or, with def, of TC
	verdict string // or the rule that is broken
	teil    string // the statements
}{
	{"TACO 2a", `func f {
		size p = dim 0 of B
		size q = dim 1 of B
		size n = dim 2 of B
		in B: float64[p, q, n]
		in C: float64[n]
		out A: float64[p, q]
		for i in 0:p, j in 0:q, k in 0:n reduce + { A[i, j] = B[i, j, k] * C[k] }
	}`, "safe", "A = red+ 3 (diag 3 4 (prod B C))"},
	{"TACO 2a, the sizes of k differ", `func f {
		size p = dim 0 of B
		size q = dim 1 of B
		size n = dim 2 of B
		size m = dim 0 of C
		in B: float64[p, q, n]
		in C: float64[m]
		out A: float64[p, q]
		for i in 0:p, j in 0:q, k in 0:n reduce + { A[i, j] = B[i, j, k] * C[k] }
	}`, "T-Diag: dimensions 3 and 4 have sizes n and m", ""},
	{"TACO 2b", `func f {
		size p = dim 0 of B
		size q = dim 1 of B
		size n = dim 2 of B
		in B: float64[p, q, n]
		in C: float64[p]
		out A: float64[p, q]
		for i in 0:p, j in 0:q, k in 0:n reduce + { A[i, j] = B[i, j, k] * C[i] }
	}`, "safe", "A = red+ 3 (diag 1 4 (prod B C))"},
	{"TACO 2c", `func f {
		size n = dim 0 of B
		size q = dim 1 of B
		size p = dim 2 of B
		in B: float64[n, q, p]
		in C: float64[p]
		out A: float64[p, q]
		for i in 0:p, j in 0:q, k in 0:n reduce + { A[i, j] = B[k, j, i] * C[i] }
	}`, "safe", "A = transp 1 2 (red+ 1 (diag 3 4 (prod B C)))"},
	{"TVM 3a", tvm("A: float64[m, h]", "B: float64[n, h]"), "T-Diag: dimensions 1 and 3 have sizes m and n", ""},
	{"TVM 3a, m = n", tvm("A: float64[m, h]", "B: float64[n, h]", "m - n", "n - m"), "OK-Stmt: C has the shape [m, n], the expression [h, h]: dimension 1 is m and h", ""},
	{"TVM 3a, m = n = h", tvm("A: float64[m, h]", "B: float64[n, h]", "m - n", "n - m", "m - h", "h - m"), "safe", "C = red+ 1 (diag 1 3 (prod A B))"},
	{"TVM 3a, m and n large enough", tvm("A: float64[m, h]", "B: float64[n, h]", "m - h", "n - h"), "OK-Stmt: C has the shape [m, n]", ""},
	{"TVM 3b", tvm("A: float64[h, m]", "B: float64[h, n]"), "safe", "C = red+ 1 (diag 1 3 (prod A B))"},
	{"an extent that no operation sees", `func f {
		size m = dim 0 of A
		size h
		in A: float64[m]
		out s: float64[]
		for k in 0:h reduce + { s[] = A[k] }
	}`, "extent: the index runs along dimension 1 of A with the extent h", ""},
	{"TVM 3a in TC", `def f(float(m,h) A, float(n,h) B) -> (C) { C(y,x) +=! A(k,y) * B(k,x) }`, "safe",
		"C = red+ 1 (diag 1 3 (prod (shift 1 0 (min(m, n)) A) (shift 1 0 (min(m, n)) B)))"},
	{"TC 4a", `def fun(float(m) B, float(m) C) -> (A) { A(i) = B(i)  A(j) += C(j) }`, "safe", "A = B; A = add A C"},
	{"TC 4b", `def fun(float(m) B, float(m) C) -> (A) { A(i) = B(i)  A(i) += C(i) }`, "safe", "A = B; A = add A C"},
}

// tvm is the transposed product of Figure 3 with declarations and what a call tests.
func tvm(a, b string, conditions ...string) string {
	requires := ""
	for _, c := range conditions {
		requires += "require " + c + " >= 0 because \"a test of the call\"\n"
	}
	return "func f {\nsize m\nsize n\nsize h\nin " + a + "\nin " + b + "\nout C: float64[m, n]\n" + requires +
		"for y in 0:m, x in 0:n, k in 0:h reduce + { C[y, x] = A[k, y] * B[k, x] }\n}"
}

func TestPaperKernels(t *testing.T) {
	var table strings.Builder
	table.WriteString("| kernel | verdict | TeIL |\n|---|---|---|\n")
	for _, test := range paperKernels {
		f, err := ein.ParseFunc(test.name, test.text)
		if strings.HasPrefix(test.text, "def") {
			unit, diagnostics := tc.Compile(source.NewFile("paper.tc", test.text), lang.Options{})
			err = diagnostics.Err()
			f = unit.Program.Funcs[0]
		}
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		r, err := guard.Check(f)
		if err != nil {
			t.Fatal(err)
		}
		verdict := r.Verdict.String()
		if r.Refusal != nil {
			verdict = r.Refusal.Rule + ": " + r.Refusal.Message
		}
		if !strings.HasPrefix(verdict, test.verdict) {
			t.Errorf("%s: the verdict is %q, expected %q", test.name, verdict, test.verdict)
		}
		if r.Verdict == guard.Safe {
			text := syntax.PrintProgram(r.Program)
			if _, diagnostics := teil.Compile(source.NewFile("guard.teil", text), lang.Options{}); diagnostics.HasErrors() {
				t.Errorf("%s becomes no program of TeIL: %v\n%s", test.name, diagnostics.Err(), text)
			}
		}
		var statements []string
		for _, s := range r.Program.Statements {
			statements = append(statements, syntax.PrintStatement(s))
		}
		if got := strings.Join(statements, "; "); test.teil != "" && got != test.teil {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.teil)
		}
		for n, c := range r.Conditions {
			if text, repeated := f.Relation(c); !repeated {
				verdict += [...]string{" if ", " and "}[min(n, 1)] + text
			}
		}
		fmt.Fprintf(&table, "| %s | %s | `%s` |\n", test.name, verdict, strings.Join(statements, "; "))
	}
	goldentest.Section(t, "../../../../docs/guard.md", "paper", table.String())
}
