package goldentest

import (
	"os"
	"path/filepath"
	"testing"
)

// A clone finds the recordings in the directory shared beside it; one that is named counts alone.
func TestRecordings(t *testing.T) {
	above := t.TempDir()
	clone, named := filepath.Join(above, "clone", "internal", "x"), filepath.Join(above, "named")
	beside := filepath.Join(above, "shared", "diderot")
	for _, dir := range []string{clone, beside, filepath.Join(named, "diderot")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(above, "clone", "go.mod"), filepath.Join(beside, "CASES.tsv"), filepath.Join(named, "diderot", "CASES.tsv")} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(clone)
	t.Setenv(SharedVariable, "")
	if got := Recordings(t); got != beside {
		t.Errorf("beside the clone: %s", got)
	}
	t.Setenv(SharedVariable, named)
	if got := Recordings(t); got != filepath.Join(named, "diderot") {
		t.Errorf("named: %s", got)
	}
}
