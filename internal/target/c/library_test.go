package c

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

const libraryKernel = `kernel "twice" workspace "64*N" {
  var n int64
  buffer A float32[= n] argument readonly
  buffer B float32[= n] argument
  buffer T float32[= n] workspace at 0
  params A, B, n "size N" nonnegative
  site "A" 0 [0, 10) "A(i)"
  parallel i = 0 .. n step 1 { store T[i] = A[i] * float32(2) }
  parallel j = 0 .. n step 1 { check T[j] < float32(100), 0, j store B[j] = T[j] }
}`

const libraryCaller = `#include <string.h>
#include "kernels.h"
int main(void) {
  float a[3] = {1, 2, 3}, b[3] = {0, 0, 0};
  int64_t elements[2];
  if (twice_elements(3, elements) != 0 || elements[1] != 3) return 3;
  if (twice(a, b, 0) != -4 || twice(a, 0, 3) != -2 || twice(a, b, INT64_MAX / 3) != -3) return 4;
  if (strcmp(twice_error(-4), "N must be at least 1")) return 5;
  if (twice(a, b, 3) != 0 || b[0] != 2 || b[1] != 4 || b[2] != 6) return 1;
  a[1] = 60;
  return twice(a, b, 3) == 1 ? 0 : 2;
}
`

func libraryFunction(f *loop.Func) *LibraryFunction {
	n := affine.Symbol("N")
	var kernels []LevelKernel
	for _, level := range machine.InstructionLevels() {
		kernels = append(kernels, LevelKernel{level, f})
	}
	return &LibraryFunction{
		Kernels: kernels, Name: "twice", Comment: "twice doubles.",
		Parameters: []LibraryParameter{
			{Name: "A", Type: tensor.Float32, Elements: n, Comment: "in"},
			{Name: "B", Type: tensor.Float32, Elements: n, Comment: "out", Written: true},
			{Name: "N", Kind: Size, Comment: "size"},
		},
		Tests: []LibraryTest{{Expr: n.AddConst(-1), Text: "N must be at least 1"}},
	}
}

// TestLibrary compiles a library and a C program that uses it, with and without
// OpenMP.
func TestLibrary(t *testing.T) {
	f, err := loop.Parse(source.NewFile("test", libraryKernel))
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Verify(f); err != nil {
		t.Fatal(err)
	}
	text, header, err := PrintLibrary([]*LibraryFunction{libraryFunction(f)}, LibraryOptions{Header: "kernels.h"})
	if err != nil {
		t.Fatal(err)
	}
	for _, compiler := range compilers(t) {
		dir := t.TempDir()
		for name, content := range map[string]string{"kernels.c": text, "kernels.h": header, "main.c": libraryCaller} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, flags := range [][]string{nil, {"-fopenmp"}} {
			args := append([]string{"-O2", "-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-DRICCI_WRAPV", "-Wall", "-Wextra", "-pedantic", "-Werror", "-o", "main", "main.c", "kernels.c", "-lm"}, flags...)
			cc := exec.Command(compiler, args...)
			cc.Dir = dir
			if out, err := cc.CombinedOutput(); err != nil {
				t.Fatalf("%s %v: %v\n%s\n%s", compiler, flags, err, out, text)
			}
			if out, err := exec.Command(filepath.Join(dir, "main")).CombinedOutput(); err != nil {
				t.Fatalf("%v: %v %s\n%s", flags, err, out, text)
			}
		}
	}
}
