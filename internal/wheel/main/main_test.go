package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestCommand makes the package with this test for a command, and looks for what it needs.
func TestCommand(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("wheels are made on Linux")
	}
	dir := t.TempDir()
	t.Chdir("../../..")
	if path, err := command([]string{"-binary", "go.mod", "-dir", dir}); err == nil {
		t.Errorf("a text is taken for a command: %s", path)
	}
	path, err := command([]string{"-binary", os.Args[0], "-dir", dir, "-version", "3.2"})
	if err != nil {
		t.Fatal(err)
	}
	if matches, _ := filepath.Match("ricci-3.2-py3-none-manylinux_2_*_*.whl", filepath.Base(path)); !matches {
		t.Errorf("the package is called %s", path)
	}
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	missing := map[string]bool{"ricci/__init__.py": true, "ricci/bin/ricci": true, "ricci/py.typed": true, "ricci/fast.c": true, "ricci/mdh/__init__.py": true}
	for _, f := range archive.File {
		delete(missing, f.Name)
		if !strings.HasPrefix(f.Name, "ricci/") && !strings.HasPrefix(f.Name, "ricci-3.2.dist-info/") || strings.Contains(f.Name, "__pycache__") {
			t.Errorf("the package has %s", f.Name)
		}
		if executable := f.Mode()&0o111 != 0; executable != (f.Name == "ricci/bin/ricci") {
			t.Errorf("%s has the mode %v", f.Name, f.Mode())
		}
	}
	for name := range missing {
		t.Errorf("the package has no %s", name)
	}
}
