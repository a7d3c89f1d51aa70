package teil

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
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
		if !used[rule] {
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
	for _, info := range source.Codes() {
		if strings.HasPrefix(string(info.Code), "E11") {
			f.Add(info.Example)
			f.Add(info.Fix)
		}
	}
	for _, pattern := range []string{"../../../examples/teil/*.teil", "testdata/errors/*.teil"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		unit, _ := Compile(source.NewFile("fuzz.teil", text), lang.Options{})
		for _, fn := range unit.Program.Funcs {
			if err := ein.Verify(fn); err != nil {
				t.Fatalf("%v\n%s", err, ein.Print(fn))
			}
		}
	})
}
