package mdh

import (
	"os"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/source"
)

// compileText compiles a program and verifies what comes out.
func compileText(t *testing.T, text string) (*lang.Unit, *source.Diagnostics) {
	t.Helper()
	unit, diagnostics := Compile(source.NewFile("test.mdh", text), lang.Options{})
	for _, f := range unit.Program.Funcs {
		if err := ein.Verify(f); err != nil {
			t.Errorf("%v\n%s", err, ein.Print(f))
		}
	}
	return unit, diagnostics
}

// TestCodes compiles the example of every code of MDH and its fix.
func TestCodes(t *testing.T) {
	for _, info := range source.Codes() {
		if info.Code < "E1000" || info.Code > "E1100" || info.Example == "" {
			continue
		}
		t.Run(string(info.Code), func(t *testing.T) {
			_, diagnostics := compileText(t, info.Example)
			if len(diagnostics.List) == 0 {
				t.Error("the example has no error")
			}
			for _, d := range diagnostics.List {
				if d.Code != info.Code {
					t.Errorf("the example gives %v", d)
				}
			}
			if testing.Verbose() {
				source.RenderAll(os.Stdout, diagnostics.List, source.RenderOptions{})
			}
			if info.Code == source.CodeMDHUndecidable {
				return // its fix is a sentence
			}
			if _, diagnostics := compileText(t, info.Fix); len(diagnostics.List) > 0 {
				t.Errorf("the mended example gives %v", diagnostics.List)
			}
		})
	}
}
