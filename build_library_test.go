package ricci_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target/c"
	"github.com/ricci-lang/ricci/tensor"
)

// strict are the warnings that generated C must not cause.
var strict = []string{"-Wall", "-Wextra", "-pedantic", "-Werror", "-Wshadow=local"}

// libraryCase is a def that is built with some sizes and called with all.
type libraryCase struct {
	name, text string
	standard   string // of C, for which it is compiled
	fixed      map[string]int64
	flags      []string
	calls      []libraryCall
	slow       bool // to prove; left to sweeps
}

type libraryCall struct {
	sizes map[string]int64 // those that no argument tells, too
	fails string           // what the program says instead of computing
}

var libraryCases = []libraryCase{
	{
		name: "open sizes", standard: "c11", text: "def f(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }", flags: []string{"-fopenmp"},
		calls: []libraryCall{
			{sizes: map[string]int64{"M": 37, "K": 5, "N": 70}},
			{sizes: map[string]int64{"M": 1, "K": 1, "N": 1}},
			{sizes: map[string]int64{"M": 1, "K": 0, "N": 1}, fails: "-5: K must be at least 1"},
			{sizes: map[string]int64{"M": 1, "K": -2, "N": 1}, fails: "-5: K must be at least 1"},
			{sizes: map[string]int64{"M": 1 << 40, "K": 1 << 40, "N": 1}, fails: "-3: the sizes are too large, or divide by zero"},
		},
	},
	{
		name: "conditions", standard: "gnu99", text: "def f(float(H) I, float(W) J, float(KH) K, float(KW) L) -> (O, P) { O(h) +=! I(2*h+kh) * K(kh)  P(w) +=! J(w+kw) * L(kw) }", fixed: map[string]int64{"KW": 3},
		calls: []libraryCall{
			{sizes: map[string]int64{"H": 20, "W": 35, "KH": 2}},
			{sizes: map[string]int64{"H": 2, "W": 3, "KH": 2}},
			{sizes: map[string]int64{"H": 2, "W": 3, "KH": 3}, fails: "H >= KH must hold"},
			{sizes: map[string]int64{"H": 2, "W": 2, "KH": 2}, fails: "W >= 3 must hold"},
		},
	},
	{
		name: "conditions of two dimensions", standard: "gnu99", slow: true, text: "def f(float(H,W) I, float(KH,KW) K) -> (O) { O(h,w) +=! I(2*h+kh,w+kw) * K(kh,kw) }", fixed: map[string]int64{"KW": 3},
		calls: []libraryCall{
			{sizes: map[string]int64{"H": 20, "W": 35, "KH": 2}},
			{sizes: map[string]int64{"H": 2, "W": 3, "KH": 2}},
			{sizes: map[string]int64{"H": 2, "W": 3, "KH": 3}, fails: "H >= KH must hold"},
			{sizes: map[string]int64{"H": 2, "W": 2, "KH": 2}, fails: "W >= 3 must hold"},
		},
	},
	{
		name: "in-out and scalars", standard: "c17", text: "def f(float a, double b, float(N,M) A, float(M,K) B) -> (C) { C(i,j) = float(b) * C(i,j)  C(i,j) += a * A(i,k) * B(k,j) }",
		fixed: map[string]int64{"N": 9, "M": 10, "K": 33}, flags: []string{"-fopenmp"},
		calls: []libraryCall{{}},
	},
	{
		name: "temporaries", standard: "c99", text: "def f(float(N,D) I) -> (O) { m(n) max=! I(n,d)  e(n,d) = exp(I(n,d) - m(n))  s(n) +=! e(n,d)  t(n,d) = e(n,d) / s(n)  O(n,d) = t(n,D-1-d) where d in 0:D }",
		calls: []libraryCall{{sizes: map[string]int64{"N": 5, "D": 111}}, {sizes: map[string]int64{"N": 1, "D": 1}}},
	},
	{
		name: "open scalar", standard: "gnu17", text: "def f(float(N) A, int16 class, int8(N) new) -> (O) { O(i,k) = A(i) + int32(new(i)) * k where k in 0:class }",
		calls: []libraryCall{
			{sizes: map[string]int64{"N": 6, "class": 300}},
			{sizes: map[string]int64{"N": 6, "class": 0}, fails: "class >= 1 must hold"},
		},
	},
	{
		name: "narrow types", standard: "c99", text: "def f(uint8(M,K) A, int8(K,N) B, half(N) h, bfloat16(N) g) -> (C, half(M,N) O, bfloat16(M,N) P) " +
			"{ C(i,j) +=! int32(A(i,k)) * int32(B(k,j))  O(i,j) = h(j) * half(C(i,j))  P(i,j) = g(j) + bfloat16(C(i,j)) }",
		fixed: map[string]int64{"M": 37, "K": 70, "N": 53}, flags: []string{"-fopenmp"}, calls: []libraryCall{{}},
	},
	{
		name: "matrix units", standard: "gnu11", text: "def f(bfloat16(M,K) A, bfloat16(K,N) B, int8(M,K) x, uint8(K,N) y) -> (C, z) " +
			"{ C(i,j) +=! float(A(i,k)) * float(B(k,j))  z(i,j) +=! int32(x(i,k)) * int32(y(k,j)) }",
		fixed: map[string]int64{"M": 37, "K": 70, "N": 53}, flags: []string{"-fopenmp", "-Wall", "-Wextra", "-Werror"}, calls: []libraryCall{{}},
	},
}

// levels names the levels of instructions that this machine can run, and no limit.
func levels() []string {
	names := []string{""}
	host := machine.Host()
	for _, l := range machine.InstructionLevels() {
		if machine.InstructionLevelOf(host.Features).Has(l) {
			names = append(names, l.Name)
		}
	}
	return names
}

// A platform compiles and runs programs.
type platform struct {
	name     string
	compiler []string
	runner   []string // in front of the program
	levels   []string
}

// platforms lists those that are here: the machine's own, with each compiler, and arm64 by
// way of an emulator.
func platforms(t *testing.T) []platform {
	t.Helper()
	arm := []string{"qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"}
	var list []platform
	for _, p := range []platform{
		{name: "gcc", compiler: []string{"gcc"}, levels: levels()},
		{name: "clang", compiler: []string{"clang", "-fwrapv", "-fno-strict-aliasing", "-DRICCI_WRAPV", "-Wno-unknown-warning-option"}, levels: levels()},
		{name: "arm64", compiler: []string{"aarch64-linux-gnu-gcc"}, runner: arm, levels: []string{""}},
	} {
		found := true
		for _, program := range append(p.compiler[:1:1], p.runner[:min(1, len(p.runner))]...) {
			_, err := exec.LookPath(program)
			found = found && err == nil
		}
		if found {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		t.Skip("no C compiler: install gcc or clang")
	}
	return list
}

// TestLibraryAgainstEvaluator builds defs, calls them from C at every level of instructions,
// and judges what they compute.
func TestLibraryAgainstEvaluator(t *testing.T) {
	machines := platforms(t)
	for _, test := range libraryCases {
		if test.slow && !sweep.Long(t) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, test.text)
			dir := t.TempDir()
			if _, err := d.Build(context.Background(), ricci.BuildOptions{Sizes: test.fixed, Dir: dir}); err != nil {
				t.Fatal(err)
			}
			writeText(t, filepath.Join(dir, "main.c"), libraryMain(d, test.fixed))
			for _, m := range machines {
				t.Run(m.name, func(t *testing.T) {
					flags := test.flags
					if m.name == "clang" { // which may have no OpenMP
						flags = nil
					}
					arguments := slices.Concat(m.compiler[1:], []string{"-O1", "-std=" + test.standard, "-o", "main-" + m.name, "f.c", "main.c", "-lm"}, strict, flags)
					run(t, dir, m.compiler[0], arguments...)
					for _, level := range m.levels {
						for _, call := range test.calls {
							callLibrary(t, d, append(slices.Clone(m.runner), filepath.Join(dir, "main-"+m.name)), level, test.fixed, call)
						}
					}
				})
			}
		})
	}
}

// standardsOfC are those that a built C file keeps to, standardsOfHeader those of its header
// in C++.
var (
	standardsOfC      = []string{"c99", "gnu99", "c11", "gnu11", "c17", "gnu17", "c2x"}
	standardsOfHeader = []string{"c++98", "c++11", "c++17", "gnu++20"}
)

// TestLibraryInEveryStandard reads what Build writes as every standard of C, and its header as C++,
// with all warnings.
func TestLibraryInEveryStandard(t *testing.T) {
	for _, name := range []string{"temporaries", "narrow types"} {
		test := libraryCases[slices.IndexFunc(libraryCases, func(l libraryCase) bool { return l.name == name })]
		dir := t.TempDir()
		if _, err := parse(t, test.text).Build(context.Background(), ricci.BuildOptions{Sizes: test.fixed, Dir: dir}); err != nil {
			t.Fatal(err)
		}
		for _, m := range platforms(t) {
			for _, standard := range standardsOfC {
				run(t, dir, m.compiler[0], slices.Concat(m.compiler[1:], []string{"-std=" + standard, "-fsyntax-only", "f.c"}, strict)...)
			}
		}
		for _, compiler := range []string{"g++", "clang++"} {
			if _, err := exec.LookPath(compiler); err != nil {
				continue
			}
			for _, standard := range standardsOfHeader {
				run(t, dir, compiler, append([]string{"-x", "c++", "-std=" + standard, "-fsyntax-only", "-Wno-unknown-warning-option", "f.h"}, strict...)...)
			}
		}
	}
}

// libraryMain is a program that reads the inputs from its standard input, the
// open sizes from its arguments, and writes the outputs.
func libraryMain(d *ricci.Def, fixed map[string]int64) string {
	var declare, read, write strings.Builder
	var arguments, sizes []string
	arrays := 0
	argument := func(p ricci.Param, output bool) {
		kind := c.PublicType(p.DType)
		if len(p.Dims) == 0 && !output {
			fmt.Fprintf(&declare, "%s %s_; if (!fread(&%[2]s_, sizeof %[2]s_, 1, stdin)) return 2;\n", kind, p.Name)
			arguments = append(arguments, p.Name+"_")
			if p.Size {
				sizes = append(sizes, p.Name+"_")
			}
			return
		}
		arguments = append(arguments, p.Name+"_")
		fmt.Fprintf(&read, "%s *%s_ = malloc(n[%d] * sizeof *%[2]s_);\n", kind, p.Name, arrays)
		if !output || p.InOut {
			fmt.Fprintf(&read, "if (fread(%s_, sizeof *%[1]s_, n[%d], stdin) != (size_t)n[%[2]d]) return 2;\n", p.Name, arrays)
		}
		if output {
			fmt.Fprintf(&write, "fwrite(%s_, sizeof *%[1]s_, n[%d], stdout);\n", p.Name, arrays)
		}
		fmt.Fprintf(&write, "free(%s_);\n", p.Name)
		arrays++
	}
	for _, p := range d.Inputs() {
		argument(p, false)
	}
	for _, p := range d.Outputs() {
		argument(p, true)
	}
	for i := range openSizes(d, fixed) {
		value := fmt.Sprintf("atoll(argv[%d])", i+1)
		sizes, arguments = append(sizes, value), append(arguments, value)
	}
	return fmt.Sprintf(`#include <stdio.h>
#include <stdlib.h>
#include "f.h"
int main(int argc, char **argv) {
(void)argc; (void)argv;
%sint64_t n[%d];
int code = f_elements(%s);
if (code) { printf("%%d: %%s", code, f_error(code)); return 1; }
%scode = f(%s);
if (code) { printf("%%d: %%s", code, f_error(code)); return 1; }
%sreturn 0;
}
`, declare.String(), arrays, strings.Join(append(sizes, "n"), ", "), read.String(), strings.Join(arguments, ", "), write.String())
}

// openSizes lists the parameters that are sizes.
func openSizes(d *ricci.Def, fixed map[string]int64) []string {
	var names []string
	for _, s := range d.Sizes() {
		if _, known := fixed[s.Name]; !known && !strings.HasPrefix(s.Origin, "the value of") {
			names = append(names, s.Name)
		}
	}
	return names
}

func callLibrary(t *testing.T, d *ricci.Def, program []string, level string, fixed map[string]int64, call libraryCall) {
	t.Helper()
	sizes := map[string]int64{}
	for _, m := range []map[string]int64{fixed, call.sizes} {
		for name, value := range m {
			sizes[name] = value
		}
	}
	command := exec.Command(program[0], program[1:]...)
	command.Env = append(os.Environ(), c.LevelVariable+"="+level)
	for _, name := range openSizes(d, fixed) {
		command.Args = append(command.Args, fmt.Sprint(sizes[name]))
	}
	args := tensors{}
	var numbers, arrays bytes.Buffer
	shapes := map[string][]int{}
	if call.fails == "" {
		s, err := d.SignatureForSizes(sizes)
		if err != nil {
			t.Fatal(err)
		}
		shapes = s.Shapes
	}
	for i, p := range append(d.Inputs(), d.Outputs()...) {
		if i >= len(d.Inputs()) && !p.InOut {
			continue
		}
		x := random(t, p.DType, uint64(i), shapes[p.Name]...)
		if p.Size {
			x.SetInt(sizes[p.Name])
		}
		args[p.Name] = x
		if len(p.Dims) == 0 && !p.InOut {
			numbers.Write(raw(x))
		} else if call.fails == "" {
			arrays.Write(raw(x))
		}
	}
	command.Stdin = io.MultiReader(&numbers, &arrays)
	out, err := command.Output()
	if call.fails != "" {
		var exit *exec.ExitError
		if !errors.As(err, &exit) || !strings.Contains(string(out), call.fails) {
			t.Errorf("%v: got %q (%v), expected %q", call.sizes, out, err, call.fails)
		}
		return
	}
	if err != nil {
		t.Fatalf("%v at level %q: %v %s", call.sizes, level, err, out)
	}
	checkOutputs(t, d, args, sizes, out)
}

// checkOutputs compares the bytes of all outputs with the evaluator.
func checkOutputs(t *testing.T, d *ricci.Def, args tensors, sizes map[string]int64, out []byte) {
	t.Helper()
	inputs := map[string][]int{}
	for name, x := range args {
		inputs[name] = x.Shape()
	}
	shapes, err := d.OutputShapes(inputs, sizes)
	if err != nil {
		t.Fatal(err)
	}
	outputs := tensors{}
	for _, p := range d.Outputs() {
		x, err := tensor.New(p.DType, shapes[p.Name]...)
		if err != nil {
			t.Fatal(err)
		}
		out = out[copy(raw(x), out):]
		outputs[p.Name] = x
	}
	if len(out) > 0 {
		t.Errorf("%d bytes too many", len(out))
	}
	if _, err := d.Check(context.Background(), args, outputs, sizes); err != nil {
		t.Error(err)
	}
}

// raw is the memory of a dense tensor.
func raw(x *tensor.Tensor) []byte {
	return unsafe.Slice((*byte)(x.Pointer()), x.Len()*x.DType().Size())
}

// TestLibraryFaults calls a function whose subscripts depend on data, and one
// without arrays.
func TestLibraryFaults(t *testing.T) {
	dir := t.TempDir()
	d := parse(t, "def f(float(N) X, int32(M) I) -> (O) { O(m) = X(I(m)) }")
	if _, err := d.Build(context.Background(), ricci.BuildOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(dir, "main.c"), `#include <stdio.h>
#include "f.h"
int main(void) {
  float x[3] = {1, 2, 3}, o[2] = {0, 0};
  int32_t i[2] = {2, 0}, bad[2] = {0, 3};
  int code = f(x, i, o, 3, 2);
  printf("%d %g %g", code, o[0], o[1]);
  printf(" %d", f(x, bad, o, 3, 2));
  printf(" %d", f(x, 0, o, 3, 2));
  puts(f_error(1));
  puts(f_error(99));
  return 0;
}`)
	run(t, dir, "gcc", append([]string{"-O1", "-o", "main", "f.c", "main.c", "-lm", "-fopenmp"}, strict...)...)
	got := run(t, dir, "./main")
	if !strings.HasPrefix(got, "0 3 1 1 -2") || !strings.Contains(got, "out of bounds in dimension 0 of X") || !strings.HasSuffix(got, "unknown code\n") {
		t.Errorf("%q", got)
	}
}

// TestLibraryHeader reads what a header says.
func TestLibraryHeader(t *testing.T) {
	dir := t.TempDir()
	d := parse(t, "def f(float(N) A, int32 s, float16(4) H) -> (B) { B(i) = s * A(i-1) + float(H(0)) where i in 1:N+1 }")
	if _, err := d.Build(context.Background(), ricci.BuildOptions{Dir: dir, Emit: ricci.EmitH, Name: "exp"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "exp_def.h"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"     A: in, float32, shape (N)\n",
		"     s: in, int32, a scalar\n",
		"     H: in, float16 (as bits), shape (4)\n",
		"     B: out, float32, shape (N), element 0 has the coordinates (1)\n",
		"     N: the size N\n",
		"      -4  N must be at least 1",
		"int exp_def(const float *A, int32_t s, const uint16_t *H, float *B, int64_t N);",
		"const char *exp_def_error(int code);",
		"int exp_def_elements(int64_t N, int64_t *elements);",
	} {
		if strings.Count(string(text), line) != 1 {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
}
