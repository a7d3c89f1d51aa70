package tc

import (
	"os"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
)

// compileText compiles a program and verifies what comes out.
func compileText(t *testing.T, text string) (*Unit, *source.Diagnostics) {
	t.Helper()
	unit, diags := Compile(source.NewFile("test.tc", text), Options{})
	verifyUnit(t, unit)
	return unit, diags
}

// TestCodes compiles the example of every code of this stage and its fix.
func TestCodes(t *testing.T) {
	for _, info := range source.Codes() {
		if info.Code < "E0200" || info.Code >= "E0600" || info.Example == "" {
			continue
		}
		t.Run(string(info.Code), func(t *testing.T) {
			_, diags := compileText(t, info.Example)
			if len(diags.List) != 1 || diags.List[0].Code != info.Code {
				t.Errorf("the example gives %v", diags.List)
			}
			if testing.Verbose() {
				source.RenderAll(os.Stdout, diags.List, source.RenderOptions{})
			}
			if _, diags := compileText(t, info.Fix); len(diags.List) > 0 {
				t.Errorf("the mended example gives %v", diags.List)
			}
		})
	}
}
