package syntax

import (
	"os"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/source/sourcetest"
)

func TestCodes(t *testing.T) {
	for _, info := range source.Codes() {
		if info.Code >= "E0200" || info.Example == "" {
			continue
		}
		_, diagnostics := Parse(source.NewFile("example.tc", info.Example))
		if len(diagnostics.List) != 1 || diagnostics.List[0].Code != info.Code {
			t.Errorf("%s: the example gives %v", info.Code, diagnostics.List)
		}
		if testing.Verbose() {
			source.RenderAll(os.Stdout, diagnostics.List, source.RenderOptions{})
		}
		if _, diagnostics := Parse(source.NewFile("fix.tc", info.Fix)); len(diagnostics.List) > 0 {
			t.Errorf("%s: the mended example gives %v", info.Code, diagnostics.List)
		}
	}
}

func TestErrors(t *testing.T) {
	sourcetest.Programs(t, "testdata/errors/*.tc", func(_ *testing.T, file *source.File) *source.Diagnostics {
		_, diagnostics := Parse(file)
		return diagnostics
	})
}
