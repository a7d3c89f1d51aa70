package teml

import (
	"os"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
)

// TestCodes compiles the example of every code of TeML and its fix.
func TestCodes(t *testing.T) {
	for _, info := range source.Codes() {
		if info.Code < "E1200" || info.Code > "E1300" {
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
			if unit, diagnostics := compileText(t, info.Fix); len(diagnostics.List) > 0 || len(unit.Defs) == 0 {
				t.Errorf("the mended example gives %v", diagnostics.List)
			}
		})
	}
}
