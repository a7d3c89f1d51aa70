package build_test

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ricci-lang/ricci"
)

const wheelProgram = `
def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }
def gather(float(N,M) A, int32(K) I, half lambda, int8 b) -> (B, n) {
  B(k,j) = float(lambda) * A(I(k), j) + float(b) where k in 0:K
  n +=! A(i,j)
}
def step(float(N) x) -> (float(N) v, y) { v(i) = v(i) + x(i)  y(i) = 2 * v(i) }
def function(float a) -> (float(N) y) { y(i) = a * float(i) }
`

// python finds one that has NumPy.
func python(t *testing.T) string {
	for _, name := range []string{os.Getenv("PYTHON"), "/usr/bin/python3", "python3"} {
		if name != "" && exec.Command(name, "-c", "import numpy").Run() == nil {
			return name
		}
	}
	t.Skip("no Python with NumPy: apt-get install python3-numpy")
	return ""
}

// TestWheel makes a package, and has a program in Python call its functions rightly and wrongly.
func TestWheel(t *testing.T) {
	interpreter := python(t)
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc: apt-get install gcc")
	}
	dir := t.TempDir()
	program, err := ricci.Parse("of two.tc", wheelProgram)
	if err != nil {
		t.Fatal(err)
	}
	path, err := program.Wheel(t.Context(), ricci.WheelOptions{Dir: dir, Version: "2.1"})
	if err != nil {
		t.Fatal(err)
	}
	if matches, _ := filepath.Match("of_two-2.1-py3-none-manylinux_2_*_*.whl", filepath.Base(path)); !matches {
		t.Errorf("the package is called %s", path)
	}
	unpack(t, path, dir)
	for _, level := range []string{"", "plain"} {
		command := exec.Command(interpreter, "testdata/wheel.py")
		command.Env = append(os.Environ(), "PYTHONPATH="+dir, "PYTHONDONTWRITEBYTECODE=1", "RICCI_LEVEL="+level)
		if out, err := command.CombinedOutput(); err != nil || string(out) != "ok\n" {
			t.Errorf("with the level %q: %v\n%s", level, err, out)
		}
	}
}

// TestWheelRefused: packages that would not work, and files of others, are refused before anything is compiled.
func TestWheelRefused(t *testing.T) {
	program, err := ricci.Parse("json.tc", "def f(float(N) x) -> (y) { y(i) = 2 * x(i) }")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []ricci.WheelOptions{{}, {Name: "Numpy"}, {Name: "fine", Version: "new"}, {Name: "fine", Defs: []string{"g"}}} {
		o.Dir = t.TempDir()
		if path, err := program.Wheel(t.Context(), o); err == nil {
			t.Errorf("%+v makes %s", o, path)
		}
		if list, _ := os.ReadDir(o.Dir); len(list) > 0 {
			t.Errorf("%+v leaves %v", o, list)
		}
	}
}

func unpack(t *testing.T, path, dir string) {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	for _, f := range archive.File {
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		from, err := f.Open()
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755)); err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(from)
		if err := errors.Join(err, os.WriteFile(to, data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}
