package tc

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestListedFunctions checks that the explanation of an unknown name has every
// function, since messages refer to it for the list.
func TestListedFunctions(t *testing.T) {
	info, _ := source.Lookup(source.CodeUnknownName)
	listed := map[string]bool{}
	for _, word := range strings.FieldsFunc(info.Explanation, func(r rune) bool { return strings.ContainsRune(" .,:;", r) }) {
		listed[word] = true
	}
	for _, b := range ein.Builtins() {
		if !listed[b.Name] {
			t.Errorf("%s is not in the explanation of %s", b.Name, source.CodeUnknownName)
		}
	}
	for name := range otherFunctions {
		if functionOfLanguage(name) {
			t.Errorf("%s exists and needs no replacement", name)
		}
	}
}

// TestNamesOfFunctions gives the names of functions, and of words that mean something in
// one place only, to everything that has a name.
func TestNamesOfFunctions(t *testing.T) {
	for _, name := range []string{"concat", "pad", "clamp", "mirror", "wrap", "y0", "y1", "j0", "j1", "abs", "len", "old", "popcount", "clz", "exp", "fmaxf"} {
		for use, program := range map[string]string{
			"def":             "def NAME(float(N) A) -> (B) { B(i) = 2*A(i) }\ndef f(float(N) A) -> (B) { B = NAME(A) }",
			"def in a call":   "def NAME(float(N) A) -> (B) { B(i) = 2*A(i) }\ndef f(float(N) A) -> (B) { t = NAME(NAME(A))  B(i) = t(i) }",
			"def of parts":    "def NAME(float(N) A) -> (B) { B(i) = 2*A(i) }\ndef f(float(M,N) A) -> (B) { B(k) = NAME(A(k)) }",
			"input":           "def f(float(N) NAME) -> (B) { B(i) = NAME(i) * NAME(0) }",
			"output":          "def f(float(N) A) -> (NAME) { NAME(i) = A(i) }",
			"old output":      "def f(float(N) A) -> (NAME) { NAME(i) = A(i)  NAME(i) = old(NAME)(i) + 1 }",
			"output by parts": "def f(float(N) A) -> (NAME) { NAME(0) = 1.0  NAME(i+1) = A(i) where i in 0:N }",
			"temporary":       "def f(float(N) A) -> (B) { NAME(i) = A(i)  B(i) = NAME(i) }",
			"scalar":          "def f(float(N) A, float NAME) -> (B) { B(i) = A(i) * NAME }",
			"whole scalar":    "def f(float(N) A, int NAME) -> (B) { B(i) = A(i+NAME) where i in 0:N-NAME }",
			"size":            "def f(float(NAME) A) -> (B) { B(i) = A(i) / NAME where i in 0:NAME }",
			"index":           "def f(float(N) A) -> (B) { B(NAME) = A(NAME) }",
			"reduced index":   "def f(float(N) A) -> (B) { B +=! A(NAME) * NAME }",
			"let":             "def f(float(N) A) -> (B) { B(i) = NAME where NAME = A(i) + 1 }",
			"extent":          "def f(float(N,M) NAME) -> (B) { B(i) +=! NAME(i,j) / NAME.1 }",
		} {
			if _, diagnostics := compileText(t, strings.ReplaceAll(program, "NAME", name)); len(diagnostics.List) > 0 {
				t.Errorf("%s as %s: %v", name, use, diagnostics.List[0])
			}
		}
	}
	// The user's tensor is meant, not the function.
	for _, program := range []string{
		"def f(float(N) A, float(N) pad) -> (B) { B(i) = pad(A(i+1), 0) }",
		"def f(float(N) A, float(N) abs) -> (B) { B(i) = abs(A(i)) }",
		"def f(float(N) len) -> (B) { B(i) = len(i) * len(len) }",
	} {
		if _, diagnostics := compileText(t, program); !diagnostics.HasErrors() {
			t.Errorf("%s: takes the function", program)
		}
	}
}
