package abi_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/abi"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// callCases are the functions that testdata/calls.c calls, with the shapes and strides that they are compiled for.
func callCases() map[string]callCase {
	inputs, sum := "float(N) x0", "x0(i)"
	for i := 1; i < 70; i++ {
		inputs, sum = fmt.Sprintf("%s, float(N) x%d", inputs, i), fmt.Sprintf("%s + x%d(i)", sum, i)
	}
	many := callCase{text: "def many(" + inputs + ") -> (y) { y(i) = " + sum + " }", shapes: map[string][]int{}}
	for i := range 70 {
		many.shapes[fmt.Sprintf("x%d", i)] = []int{2}
	}
	scale := "def scale(float(N) x, float a) -> (y) { y(i) = a * x(i) }"
	return map[string]callCase{
		"scale":     {text: scale, shapes: map[string][]int{"x": {5}, "a": {}}},
		"backwards": {text: scale, shapes: map[string][]int{"x": {5}, "a": {}}, strides: map[string][]int{"x": {-2}}},
		"fold":      {text: "def fold(float(N) x) -> (y) { y(i) = x(i) + x(N - 1 - i) where i in 0:N }", shapes: map[string][]int{"x": {5}}},
		"two":       {text: "def two(float(N) x) -> (y, z) { y(i) = x(i)  z(i) = 2 * x(i) }", shapes: map[string][]int{"x": {5}}},
		"beside":    {text: "def two(float(N) x) -> (y, z) { y(i) = x(i)  z(i) = 2 * x(i) }", shapes: map[string][]int{"x": {5}, "y": {5}, "z": {5}}, strides: map[string][]int{"y": {2}, "z": {2}}},
		"open":      {text: "def open(float(N) x) -> (y) { y(i) = x(i) + x(i + 1) where i in 0:N - 1, i or empty }", shapes: map[string][]int{"x": {5}}, dynamic: []string{"N"}},
		"gather":    {text: "def gather(float(N) x, int32(M) I) -> (y) { y(i) = 2 * x(I(i)) }", shapes: map[string][]int{"x": {6}, "I": {5}}},
		"huge":      {text: "def huge(float(N) x) -> (y) { t(i,j,k) = x(i) * x(j) + x(k)  y(i) +=! t(i,j,k) * t(k,j,i) }", shapes: map[string][]int{"x": {5}}, dynamic: []string{"N"}},
		"repeat":    {text: "def repeat(float(N) x, int16 k) -> (y) { y(i,j) = x(i) where j in 0:k }", shapes: map[string][]int{"x": {2}, "k": {}}, sizes: map[string]int64{"k": 3}},
		"large":     {text: "def large(float(N) x) -> (y) { y(i) = exp(x(i)) }", shapes: map[string][]int{"x": {100000}}},
		"numbers": {text: "def numbers(half a, bfloat16 b, int8 c, bool d, uint16 e) -> (double(5) y) " +
			"{ y(i) = i == 0 ? double(a) : i == 1 ? double(b) : i == 2 ? double(c) : i == 3 ? double(d) : double(e) where i in 0:5 }",
			shapes: map[string][]int{"a": {}, "b": {}, "c": {}, "d": {}, "e": {}}},
		"many": many,
		"add":  {text: "def add(float a, float(N) x) -> (y, s) { y(i) += a * x(i)  s +=! x(i) }", shapes: map[string][]int{"a": {}, "x": {3}, "y": {3}}},
	}
}

type callCase struct {
	text            string
	shapes, strides map[string][]int
	dynamic         []string
	sizes           map[string]int64
}

// TestCalls has a C program call functions rightly and wrongly, from 12 threads, and after forks.
func TestCalls(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc: apt-get install gcc")
	}
	dir := t.TempDir()
	arguments := []string{fmt.Sprint(sweep.Draws(t, 10_000, 1_000_000))}
	for name, c := range callCases() {
		d, err := ricci.MustParse(name+".tc", c.text).Def("")
		if err != nil {
			t.Fatal(err)
		}
		l, err := d.Library(t.Context(), ricci.Signature{Shapes: c.shapes, Strides: c.strides, Sizes: c.sizes}, ricci.Options{Dynamic: c.dynamic, Threads: 4}, dir)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		arguments = append(arguments, name, strings.Join(l.Libraries, ":"))
	}
	if err := os.WriteFile(filepath.Join(dir, "ricci.h"), []byte(abi.Header), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "calls")
	out, err := exec.Command("gcc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-rdynamic", "-I", dir, "-o", program, "testdata/calls.c", "-pthread", "-ldl", "-lm").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err = exec.Command(program, arguments...).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

// TestDrawnCalls draws calls, with a kernel in C, and has sanitizers watch.
func TestDrawnCalls(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc: apt-get install gcc")
	}
	dir := t.TempDir()
	calls, err := os.ReadFile("testdata/drawn.c")
	if err != nil {
		t.Fatal(err)
	}
	text := abi.Shared(host.PoolSource, false) + string(calls)
	program := filepath.Join(dir, "drawn")
	build := func(flags ...string) ([]byte, error) {
		command := exec.Command("gcc", append(flags, "-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-o", program, "-x", "c", "-", "-pthread", "-ldl", "-lm")...)
		command.Stdin = strings.NewReader(text)
		return command.CombinedOutput()
	}
	if _, err := build("-fsanitize=address,undefined", "-fno-sanitize-recover=all"); err != nil {
		t.Logf("without sanitizers: %v", err)
		if out, err := build(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for seed := range sweep.Draws(t, 1, 20) {
		out, err := exec.Command(program, fmt.Sprint(seed+1), "30000").CombinedOutput()
		if t.Logf("%s", out); err != nil {
			t.Fatalf("seed %d: %v", seed+1, err)
		}
	}
}

// TestHeaderInC reads the header as C99 and as C++.
func TestHeaderInC(t *testing.T) {
	for _, compiler := range [][]string{{"gcc", "-std=c99", "-x", "c"}, {"g++", "-std=c++11", "-x", "c++"}} {
		if _, err := exec.LookPath(compiler[0]); err != nil {
			continue
		}
		command := exec.Command(compiler[0], append(compiler[1:], "-fsyntax-only", "-Wall", "-Wextra", "-pedantic", "-Werror", "-")...)
		command.Stdin = strings.NewReader(abi.Header + "int sizes[sizeof(ricci_call) == 72 && sizeof(DLTensor) == 48 ? 1 : -1];\n")
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", compiler, err, out)
		}
	}
}

// TestLayouts compares the records of other conventions with what their headers say.
func TestLayouts(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc: apt-get install gcc")
	}
	asserts, err := os.ReadFile("testdata/layouts.c")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command("gcc", "-std=gnu11", "-fsyntax-only", "-x", "c", "-")
	command.Stdin = strings.NewReader(abi.Shared(host.PoolSource, false) + string(asserts))
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
