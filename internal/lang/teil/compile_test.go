package teil

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/langtest"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/source/sourcetest"
)

// compileFile compiles a program and verifies what comes out.
func compileFile(t *testing.T, file *source.File) (*lang.Unit, *source.Diagnostics) {
	t.Helper()
	return langtest.Compiler(Compile).Compile(t, file)
}

func compileText(t *testing.T, text string) (*lang.Unit, *source.Diagnostics) {
	t.Helper()
	return compileFile(t, source.NewFile("test.teil", text))
}

// TestCodes compiles the example of every code of TeIL and its fix.
func TestCodes(t *testing.T) {
	sourcetest.Codes(t, []string{"E11"}, func(t *testing.T, text string) *source.Diagnostics {
		_, diagnostics := compileText(t, text)
		return diagnostics
	})
}

// TestManyCalls writes out calls that grow exponentially.
func TestManyCalls(t *testing.T) {
	allocs := " alloc A : [n] in\n alloc B : [n] out\n alloc t : [n]\n"
	text := "def f0\n" + allocs + " B = A\n"
	for n := 1; n <= 30; n++ {
		text += fmt.Sprintf("def f%d\n%s t = f%d(A)\n B = f%d(t)\n", n, allocs, n-1, n-1)
	}
	_, diagnostics := compileText(t, text)
	if err := diagnostics.Err(); err == nil || !strings.Contains(err.Error(), "more than 1000 statements") {
		t.Error(err)
	}
}

// TestRules checks that every operation has a typing rule.
func TestRules(t *testing.T) {
	used := map[string]bool{}
	for _, op := range syntax.Operations() {
		if rules[op.Rule] == nil {
			t.Errorf("the rule %s of %s is not there", op.Rule, op.Name)
		}
		used[op.Rule] = true
	}
	for rule := range rules {
		if !used[rule] && rule != "T-Fold" { // that of the operations which programs declare
			t.Errorf("no operation has the rule %s", rule)
		}
	}
}

// TestLowering compares programs with the ein text that they are lowered to;
// -update records the text.
func TestLowering(t *testing.T) { langtest.Compiler(Compile).Lowering(t, "test.teil") }

// TestErrors compares the diagnostics of the programs in testdata/errors with the
// expectations in their comments.
func TestErrors(t *testing.T) {
	sourcetest.Programs(t, "testdata/errors/*.teil", func(t *testing.T, file *source.File) *source.Diagnostics {
		_, diagnostics := compileFile(t, file)
		return diagnostics
	})
}

// FuzzCompile compiles any text: it never panics, and what is accepted verifies.
func FuzzCompile(f *testing.F) {
	langtest.Seeds(f, "E11", "../../../examples/teil/*.teil", "testdata/errors/*.teil")
	langtest.Compiler(Compile).Fuzz(f, "fuzz.teil")
}
