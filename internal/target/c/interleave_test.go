package c

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// TestInterleaved stores lanes of two to four vectors in turns, with and without masks, for all
// sizes of elements and widths, and compares with the evaluator bit for bit. Stores of which one
// reads what another wrote, or of which one is missing, stay apart.
func TestInterleaved(t *testing.T) {
	variants := [][]string{{"-march=native"}}
	if runtime.GOARCH == "amd64" {
		variants = append(variants, []string{"-mno-avx512vbmi"}, []string{"-mno-avx512f"}, []string{"-march=x86-64"})
	}
	draw := rand.New(rand.NewPCG(3, 5))
	var list []*loop.Func
	for _, elem := range []tensor.DType{tensor.Uint8, tensor.Int16, tensor.Float32, tensor.Float64} {
		for vectors := 2; vectors <= mostInterleaved; vectors++ {
			for lanes := 4; lanes*elem.Size() <= 128; lanes *= 2 {
				for _, masked := range []bool{false, true} {
					list = append(list, turnsProgram(t, draw, elem, vectors, lanes, masked, len(list)))
				}
			}
		}
	}
	list = sweep.Some(t, list, 3) // odd, so that both kinds of masks are among them
	text, err := PrintUnit(list, Options{Parallel: Serial})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text, " r_interleave_"); n < len(list)/2 {
		t.Errorf("%d mentions of stores in turns in %d programs", n, len(list))
	}
	for _, compiler := range compilers(t) {
		for _, flags := range variants {
			lib := build(t, compiler, text, flags...)
			for _, f := range list {
				args := randomArguments(draw, f)
				want := cloneArguments(args)
				if _, err := loop.Evaluate(f, want); err != nil {
					t.Fatal(err)
				}
				lib.call(t, Symbol(f.Name), argumentBlock(f, args, &[2]int64{}))
				if !sameElements(f.Buffers[1].Type.Elem, args[1].Bytes, want[1].Bytes) {
					t.Fatalf("%s %v: got %v, want %v\n%s", compiler, flags, args[1].Bytes, want[1].Bytes, loop.Print(f))
				}
			}
		}
	}
}

// turnsProgram stores vectors in turns, in any order; in one of five programs a store reads what
// they write, and in one of five there is one store less.
func turnsProgram(t *testing.T, draw *rand.Rand, elem tensor.DType, vectors, lanes int, masked bool, number int) *loop.Func {
	var b strings.Builder
	whole := vectors * lanes
	fmt.Fprintf(&b, "kernel \"turns%d\" workspace 0 {\n  buffer X %s[%d] argument readonly\n  buffer Y %[2]s[%[4]d] argument\n  params X, Y\n  for i = 0 .. 2 step 1 {\n", number, elem, 2*whole, 2*whole)
	mask := ""
	if masked {
		mask = fmt.Sprintf("; mask ramp(0, 1, %d) < broadcast(%d, %[1]d)", lanes, 1+draw.IntN(lanes))
	}
	stores := draw.Perm(vectors)
	kind := draw.IntN(5)
	if kind == 0 {
		stores = stores[1:]
	}
	reads := draw.IntN(len(stores))
	for n, j := range stores {
		from := fmt.Sprintf("X[i * %d + %d; ", whole, j*lanes)
		switch {
		case kind == 1 && n == reads:
			from = "Y" + from[1:]
		case kind == 2:
			from = fmt.Sprintf("X[ramp(i * %d + %d, %d, %d); ", whole, vectors-1-j, vectors, lanes)
		}
		fmt.Fprintf(&b, "    store Y[ramp(i * %d + %d, %d, %d)%s] = %s%[4]d%[5]s]\n", whole, j, vectors, lanes, mask, from)
	}
	b.WriteString("  }\n}\n")
	f, err := loop.Parse(source.NewFile("turns.loop", b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Verify(f); err != nil {
		t.Fatal(err)
	}
	return f
}
