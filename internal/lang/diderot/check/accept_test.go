package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// deviations are the programs of which Ricci thinks otherwise than the original, and those that crash it.
var deviations = map[string]struct{ verdict, reason string }{
	"mixed-continuity-high-low": {"accept", "of two fields the less smooth one counts, in any order"},
	"slice-range-index":         {"reject", "an index outside of a tensor was undefined"},
	"const-bad-flag":            {"reject", "a value for a const that is not there is an error"},
	"border-default":            {"accept", "the original crashes, though its type checker has the border of a value"},
	"identity1":                 {"reject", "the original crashes on its own error"},
	"output-string":             {"reject", "no file holds strings; the original crashes"},
}

// TestVerdicts compares verdicts with those of the original.
func TestVerdicts(t *testing.T) {
	dir := goldentest.Recordings(t)
	table, err := os.ReadFile(filepath.Join(dir, "ACCEPT.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(string(table)) {
		columns := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") || len(columns) < 3 {
			continue
		}
		name, want := columns[0], columns[2]
		if d, ok := deviations[name]; ok {
			seen++
			want = d.verdict
		}
		options := Options{Header: headerIn(dir)}
		if flag, ok := strings.CutPrefix(columns[1], "--C"); ok {
			name, value, _ := strings.Cut(flag, "=")
			options.Constants = map[string]string{name: value}
		}
		text, err := os.ReadFile(filepath.Join(dir, "accept", name+".diderot"))
		if err != nil {
			t.Fatal(err)
		}
		diagnostics := checked(source.NewFile(name+".diderot", string(text)), options)
		if got := verdict(diagnostics); got != want {
			t.Errorf("%s: %s, want %s: %v", name, got, want, diagnostics.Err())
		}
	}
	if seen != len(deviations) {
		t.Errorf("%d of %d deviations are in the table", seen, len(deviations))
	}
}

func verdict(d *source.Diagnostics) string {
	if d.HasErrors() {
		return "reject"
	}
	return "accept"
}

// headerIn reads headers of files that programs in a directory name.
func headerIn(dir string) func(string) (*lang.ImageHeader, error) {
	return func(path string) (*lang.ImageHeader, error) {
		file, err := os.Open(filepath.Join(dir, path))
		if err != nil {
			return nil, err
		}
		defer file.Close()
		header, err := tensor.ReadNRRDHeader(file)
		if err != nil {
			return nil, err
		}
		return lang.ImageHeaderOf(header), nil
	}
}

// TestRecordedPrograms checks the programs whose outputs are recorded: none has an error.
func TestRecordedPrograms(t *testing.T) {
	noErrors(t, goldentest.Recordings(t))
}

func TestExamples(t *testing.T) {
	noErrors(t, "../../../../examples/diderot")
}

func noErrors(t *testing.T, dir string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.diderot"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no programs", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := checked(source.NewFile(path, string(text)), Options{Header: headerIn(dir)}).Err(); err != nil {
			t.Error(err)
		}
	}
}
