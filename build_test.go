package ricci_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
)

const buildProgram = `def blend(float(M,K) A, uint8(K) I, float s, int32 step) -> (C, int32(K) W) {
  t(i,k) = s * A(i,k)
  C(i) +=! t(i, step * k) where k in 0:K/step
  W(k) = int32(I(k)) * 2147483647
}`

var buildSizes = map[string]int64{"M": 3, "K": 6, "step": 2}

func build(t *testing.T, emit ricci.Emit) (dir string, paths []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "blend")
	paths, err := parse(t, buildProgram).Build(context.Background(), ricci.BuildOptions{Sizes: buildSizes, Emit: emit, Dir: dir})
	skipWithoutCompiler(t, err)
	if err != nil {
		t.Fatal(err)
	}
	return dir, paths
}

// run runs a program and returns what it prints.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	command := exec.Command(name, args...)
	command.Dir = dir
	out, err := command.CombinedOutput()
	var missing *exec.Error
	if errors.As(err, &missing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

const buildMain = `#include <stdio.h>
#include "blend.h"
int main(void) {
  float A[18], C[3];
  uint8_t I[6];
  int32_t W[6];
  for (int i = 0; i < 18; i++) A[i] = i;
  for (int i = 0; i < 6; i++) I[i] = 40 * i;
  float s = 0.5f;
  int32_t step = 2;
  int status = blend(A, I, s, step, C, W);
  printf("%d %g %g %g %d %d", status, C[0], C[1], C[2], W[1], W[5]);
  status = blend(A, I, s, 3, C, W);
  printf(" %d %s\n", status, blend_error(status));
  return 0;
}
`

const buildOutput = "0 3 12 21 -40 -200 -4 step must be 2\n"

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestBuildC(t *testing.T) {
	dir, paths := build(t, ricci.EmitC)
	if len(paths) != 2 {
		t.Errorf("files: %v", paths)
	}
	writeText(t, filepath.Join(dir, "main.c"), buildMain)
	for _, flags := range [][]string{{"-O2"}, {"-O2", "-fopenmp", "-march=native"}} {
		run(t, dir, "gcc", append(flags, "-Wall", "-Wextra", "-Werror", "-o", "main", "main.c", "blend.c", "-lm")...)
		if got := run(t, dir, "./main"); got != buildOutput {
			t.Errorf("%v: %q", flags, got)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".ricci*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestBuildSO(t *testing.T) {
	dir, _ := build(t, ricci.EmitSO)
	writeText(t, filepath.Join(dir, "main.c"), buildMain)
	run(t, dir, "gcc", "-o", "main", "main.c", "./blend.so")
	if got := run(t, dir, "./main"); got != buildOutput {
		t.Errorf("%q", got)
	}
}

func TestBuildGo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a Go program with cgo")
	}
	dir := t.TempDir()
	options := ricci.BuildOptions{Sizes: map[string]int64{"step": 2}, Emit: ricci.EmitGo, Dir: dir, Name: "blend_it"}
	paths, err := parse(t, buildProgram).Build(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) != 4 {
		t.Errorf("files: %v", paths)
	}
	writeText(t, filepath.Join(dir, "go.mod"), "module example.com/blend\n\ngo 1.24\n")
	writeText(t, filepath.Join(dir, "blend_test.go"), `package blendit

import (
	"fmt"
	"testing"
)

func TestBlend(t *testing.T) {
	a, i, c, w := make([]float32, 18), make([]uint8, 6), make([]float32, 3), make([]int32, 6)
	for n := range a {
		a[n] = float32(n)
	}
	i[5] = 200
	if err := BlendIt(a, i, 0.5, 2, c, w, 3, 6); err != nil || fmt.Sprint(c, w[5]) != "[3 12 21] -200" {
		t.Error(err, c, w)
	}
	if err := BlendIt(a[1:], i, 0.5, 2, c, w, 3, 6); err == nil || err.Error() != "blend_it: A has 17 elements, expected 18 for the shape (M, K)" {
		t.Error(err)
	}
	if err := BlendIt(a, i, 0.5, 3, c, w, 3, 6); err == nil || err.Error() != "blend_it: step must be 2" {
		t.Error(err)
	}
	if err := BlendIt(a, i, 0.5, 2, a[:3], w, 3, 6); err != ErrOverlap {
		t.Error(err)
	}
	if err := BlendIt(nil, i, 0.5, 2, c, w, 0, 6); err == nil || err.Error() != "blend_it: M must be at least 1" {
		t.Error(err)
	}
}
`)
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -mod=mod")
	t.Setenv("GOPROXY", "off")
	run(t, dir, "go", "vet", ".")
	run(t, dir, "go", "test", ".")
}

func TestBuildErrors(t *testing.T) {
	d := parse(t, buildProgram)
	if _, err := d.Build(context.Background(), ricci.BuildOptions{Dir: t.TempDir(), Sizes: map[string]int64{"M": 0}}); diagnostic(err) != "E0606" {
		t.Errorf("an empty size: %v", err)
	}
	dynamic := ricci.BuildOptions{Dir: t.TempDir(), Sizes: buildSizes, Options: ricci.Options{Dynamic: []string{"K"}}}
	if _, err := d.Build(context.Background(), dynamic); err == nil || !strings.Contains(err.Error(), "dynamic") {
		t.Errorf("a size with a value that is dynamic: %v", err)
	}
	if _, err := d.Build(context.Background(), ricci.BuildOptions{Sizes: buildSizes, Emit: "exe", Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "so") {
		t.Errorf("an unknown product: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	writeText(t, file, "")
	if _, err := d.Build(context.Background(), ricci.BuildOptions{Sizes: buildSizes, Dir: file}); err == nil {
		t.Error("wrote into a file")
	}
	for _, name := range []string{"double", "func"} {
		paths, err := d.Build(context.Background(), ricci.BuildOptions{Sizes: buildSizes, Emit: ricci.EmitGo, Dir: t.TempDir(), Name: name})
		if err != nil || filepath.Base(paths[0]) != name+"def.go" {
			t.Errorf("a reserved name: %v %v", paths, err)
		}
	}
	_, paths := build(t, ricci.EmitH)
	if len(paths) != 1 || filepath.Base(paths[0]) != "blend.h" {
		t.Errorf("the header: %v", paths)
	}
}
