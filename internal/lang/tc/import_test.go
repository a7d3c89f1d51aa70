package tc

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestImports loads files from a map: paths are relative to the importing file,
// circles are harmless, and a file is read once.
func TestImports(t *testing.T) {
	files := map[string]string{
		"lib/scale.tc":    "import \"../main.tc\"\nimport \"more/one.tc\"\ndef scale(float s, float(N) A) -> (B) { t = one(A)  B(i) = s * t(i) }",
		"lib/more/one.tc": "def one(float(N) A) -> (B) { B(i) = A(i) + 1 }",
	}
	opened := map[string]int{}
	options := func() Options {
		return Options{Importer: &lang.Importer{Open: func(path string) (*source.File, error) {
			path = filepath.ToSlash(path)
			opened[path]++
			text, ok := files[path]
			if !ok {
				return nil, errors.New("no such file")
			}
			return source.NewFile(path, text), nil
		}}}
	}
	main := source.NewFile("main.tc", "import \"lib/scale.tc\"\nimport \"lib/more/one.tc\"\ndef f(float(N) A) -> (B) { B = scale(2, A) }")
	unit, diags := Compile(main, options())
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	verifyUnit(t, unit)
	if len(unit.Files) != 3 || len(unit.Defs) != 3 || opened["lib/more/one.tc"] != 1 {
		t.Errorf("%d files, %d defs, opened %v", len(unit.Files), len(unit.Defs), opened)
	}

	_, diags = Compile(source.NewFile("main.tc", "import \"lib/none.tc\"\nimport \"lib/scale.tc\"\ndef scale(float A) -> (B) { B = A }"), options())
	var codes []string
	for _, d := range diags.List {
		codes = append(codes, string(d.Code))
	}
	if got := strings.Join(codes, " "); got != "E0506 E0507" {
		t.Errorf("got %s", got)
	}
	if help := diags.List[0].Help; !strings.Contains(help, "the directory of main.tc, which is ") || strings.HasSuffix(help, " .") {
		t.Errorf("the help %q does not name the directory", help)
	}
}
