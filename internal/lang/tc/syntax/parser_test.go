package syntax

import (
	"os"
	"path/filepath"
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
	paths, err := filepath.Glob("testdata/errors/*.tc")
	if err != nil || len(paths) == 0 {
		t.Fatal("no test files", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file := source.NewFile(path, string(text))
			_, diagnostics := Parse(file)
			if testing.Verbose() {
				source.RenderAll(os.Stdout, diagnostics.List, source.RenderOptions{})
			}
			sourcetest.Expect(t, file, diagnostics.List)
		})
	}
}
