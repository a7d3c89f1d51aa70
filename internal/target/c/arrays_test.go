package c

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// TestStackOfArrays has many arrays of 256 KB in a loop that is written out, one after the other: they
// have to share a place, for a caller has 2 MB on the stack.
func TestStackOfArrays(t *testing.T) {
	const count = 16
	var buffers, body strings.Builder
	for k := range count {
		fmt.Fprintf(&buffers, "  buffer B%d float32[65536] private\n", k)
		fmt.Fprintf(&body, `    alloc B%[1]d {
      for i.%[2]d = 0 .. 65536 step 1 {
        store B%[1]d[i.%[2]d] = X[i.%[2]d + j] * float32(%[1]d)
      }
      for i.%[3]d = 0 .. 65536 step 1 {
        store Y[i.%[3]d + j] = Y[i.%[3]d + j] + B%[1]d[65535 - i.%[3]d]
      }
    }
`, k, 2*k+1, 2*k+2)
	}
	text := fmt.Sprintf("kernel \"arrays\" workspace 0 {\n  buffer X float32[65538] argument readonly\n  buffer Y float32[65538] argument\n%s  params X, Y\n  unrolled j = 0 .. 3 step 1 {\n%s  }\n}\n", &buffers, &body)
	f, err := loop.Parse(source.NewFile("arrays.loop", text))
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Verify(f); err != nil {
		t.Fatal(err)
	}
	c, err := Print(f, Options{Parallel: Serial, VectorBytes: 32})
	if err != nil {
		t.Fatal(err)
	}
	for _, compiler := range compilers(t) {
		lib := build(t, compiler, c, "-Wframe-larger-than=1800000")
		args := randomArguments(rand.New(rand.NewPCG(1, 1)), f)
		want := cloneArguments(args)
		if _, err := loop.Evaluate(f, want); err != nil {
			t.Fatal(err)
		}
		lib.call(t, Symbol(f.Name), argumentBlock(f, args, &[2]int64{}))
		if !sameElements(tensor.Float32, args[1].Bytes, want[1].Bytes) {
			t.Errorf("%s: sums differ", compiler)
		}
	}
}
