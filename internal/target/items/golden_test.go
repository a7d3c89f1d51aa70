package items_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/cuda"
	"github.com/ricci-lang/ricci/internal/target/opencl"
)

func parse(t *testing.T, text string) *loop.Func {
	t.Helper()
	f, err := loop.Parse(source.NewFile("kernel.loop", text))
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Verify(f); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestOpenCL compares the OpenCL C of loop programs with what it was.
func TestOpenCL(t *testing.T) {
	goldentest.Run(t, "testdata/golden/*.txtar", "kernel.cl", 1, func(t *testing.T, inputs []string) string {
		m, err := (opencl.Target{}).Print(parse(t, inputs[0]), target.Options{Numerics: numerics.Strict})
		if err != nil {
			t.Fatal(err)
		}
		return m.Code
	})
}

// TestRefused: what a dialect has no words for is refused by name.
func TestRefused(t *testing.T) {
	f := parse(t, `kernel "k" workspace 0 {
  buffer X float32[64] argument
  params X
  grid groups b = 2 items i = 32 width 32 {
    let x float32 = X[b * 32 + i]
    shuffle y float32 = x xor 16
    store X[b * 32 + i] = y
  }
}
`)
	_, err := (opencl.Target{}).Print(f, target.Options{})
	var list source.ErrorList
	if !errors.As(err, &list) || list[0].Code != source.NotExpressed || !strings.Contains(err.Error(), "shuffle") {
		t.Errorf("a shuffle: %v", err)
	}
	wide := parse(t, strings.NewReplacer("width 32", "width 64", "i = 32", "i = 64", "X float32[64]", "X float32[128]", "b * 32", "b * 64").Replace(loop.Print(f)))
	if _, err := (cuda.Target{}).Print(wide, target.Options{}); !errors.As(err, &list) || list[0].Code != source.NotExpressed || !strings.Contains(err.Error(), "sub-groups of 64") {
		t.Errorf("sub-groups of 64: %v", err)
	}
}

// TestFunctions: every builtin function has words, of both types and in all modes.
func TestFunctions(t *testing.T) {
	for _, b := range ein.Builtins() {
		for _, typ := range []string{"float32", "float64"} {
			arguments := strings.Join([]string{"X[i]", "X[i]", "X[i]", "X[i]"}[:b.Arity], ", ")
			f := parse(t, `kernel "k" workspace 0 {
  buffer X `+typ+`[8] argument
  params X
  for i = 0 .. 8 step 1 {
    store X[i] = `+b.Name+`(`+arguments+`)
  }
}
`)
			for _, mode := range []numerics.Mode{numerics.Strict, numerics.Default} {
				if m, err := (opencl.Target{}).Print(f, target.Options{Numerics: mode}); err != nil || strings.Contains(m.Code, "__builtin") || strings.ContainsAny(m.Code, "@$") {
					t.Errorf("%s of %s: %v\n%s", b.Name, typ, err, m.Code)
				}
			}
		}
	}
}
