package c

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// steppedKernel has loops, conditions and names of the host around its grids.
const steppedKernel = `kernel "steps" workspace "64*N" {
  var n int64
  buffer X int32[= n] argument
  params X, n "size N" nonnegative
  site "X" 0 [0, 10) "X(i)"
  let half int64 = n / 2
  for t = 1 .. 6 step 2 {
    grid groups g = half, h = t items i = 4, j = 8 {
      check n > 0, 0, n
    }
    if n > 100 {
      let rest int64 = n - t
      grid groups g.1 = 3, h.1 = rest, f.1 = 2 items i.1 = 1 {
      }
    }
  }
  grid groups g.2 = n - 8, h.2 = 5, f.2 = 70000 items i.2 = 1 {
  }
}`

// launchCounter stands for what opens a driver: it prints what is launched.
const launchCounter = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels.c"
const ricci_device ricci_card;
int32_t ricci_make_call(const ricci_function *f, ricci_call *call) { return f->arguments + call->count; }
int32_t ricci_find_shapes(const ricci_function *f, ricci_call *call, int64_t *extents) { return f->arguments + call->count + (int32_t)*extents; }
int ricci_tvm_call(const ricci_function *f, const void *arguments, int32_t count, void *result) { return f->arguments + count + (arguments == result); }
void *ricci_xla_call(const ricci_function *f, void *frame) { return f->arguments > 1 ? 0 : frame; }
void ricci_card_begin(ricci_run *run, int64_t workspace) { printf("%lld;", (long long)workspace + run->threads); }
int ricci_card_end(ricci_run *run) { return (int)run->guards; }
void ricci_card_launch(ricci_run *run, int32_t kernel, const int64_t *groups, const int64_t *words, int32_t count) {
  const ricci_code *code = r_function_steps.code;
  if (groups[0] < 1 || groups[1] < 1 || groups[2] < 1) return;
  printf(" %s %u.%u.%u %lld %lld %lld [", code->kernel[kernel].symbol, code->kernel[kernel].items[0], code->kernel[kernel].items[1], code->kernel[kernel].items[2],
         (long long)groups[0], (long long)groups[1], (long long)groups[2]);
  if (words[0] != (int64_t)run->data[0]) printf("elsewhere ");
  for (int32_t i = 1; i < count; i++) printf("%lld ", (long long)words[i]);
  printf("];");
}
int main(int count, char **words) {
  const char image[] = {'P', 0, '"', '\\', '?', '?', '=', '\n', (char)200, '7', 0};
  const ricci_code *code = r_function_steps.code;
  if (memcmp(code->image, image, sizeof image) || sizeof r_image_steps != sizeof image || code->architecture != 80 || !code->tests || code->is_text || !code->strict || code->kernels != 3) return 3;
  for (int i = 1; i < count; i++) {
    int64_t size = strtoll(words[i], 0, 10);
    void *data[1] = {&size};
    ricci_run run = {.data = data, .sizes = &size};
    if (r_run_steps(&run)) return 4;
    printf("\n");
  }
  return 0;
}
`

// TestCardLaunches compiles the host's part of a program of grids, and compares what it launches with what loop.Launches does.
func TestCardLaunches(t *testing.T) {
	f, err := loop.Parse(source.NewFile("test", steppedKernel))
	if err != nil {
		t.Fatal(err)
	}
	n := affine.Symbol("N")
	function := &LibraryFunction{
		Name: "steps", Comment: "steps goes in steps.",
		Card:       &CardKernel{Kernel: f, Symbol: "k", Code: []byte("P\x00\"\\??=\n\xc87"), Architecture: 80, Strict: true},
		Parameters: []LibraryParameter{{Name: "X", Type: tensor.Int32, Elements: n, Extents: []affine.Expr{n}, Written: true, Comment: "out"}, {Name: "N", Kind: Size, Comment: "size"}},
		Tensors:    &LibraryTensors{Name: "steps", Sizes: []LibrarySize{{Name: "N", Argument: 0}}, Faults: [][2]string{{"a", "b"}}, Descriptor: "{}"},
	}
	text, header, err := PrintCardLibrary([]*LibraryFunction{function}, "Made by Ricci.")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(header, "0: X: out") || !strings.Contains(header, "int32_t ricci_call_steps(ricci_call *call);") {
		t.Errorf("the header is\n%s", header)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{"kernels.c": text, "kernels.h": header, "main.c": launchCounter} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var words []string
	want := ""
	for _, n := range []int64{9, 8, 101, 0, 3, 70000, 1 << 46} {
		words = append(words, strconv.FormatInt(n, 10))
		want += launchesOf(t, f, n)
	}
	for _, compiler := range compilers(t) {
		cc := exec.Command(compiler, "-O1", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o", "main", "main.c")
		cc.Dir = dir
		if out, err := cc.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s\n%s", compiler, err, out, text)
		}
		out, err := exec.Command(filepath.Join(dir, "main"), words...).CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s: %v\n%sexpected\n%s%s", compiler, err, out, want, text)
		}
	}
}

// launchesOf is what launchCounter prints, by the evaluator.
func launchesOf(t *testing.T, f *loop.Func, n int64) string {
	t.Helper()
	items := []string{"k 8.4.1", "k_1 1.1.1", "k_2 1.1.1"}
	var b strings.Builder
	fmt.Fprintf(&b, "%d;", 64*n)
	err := loop.Launches(t.Context(), f, []int64{0, n}, func(l loop.Launch) error {
		d := l.Dimensions(loop.Grids(f)[l.Number])
		fmt.Fprintf(&b, " %s %d %d %d [%d ", items[l.Number], d[0], d[1], d[2], n)
		for _, v := range l.Values {
			fmt.Fprintf(&b, "%d ", v)
		}
		b.WriteString("];")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String() + "\n"
}
