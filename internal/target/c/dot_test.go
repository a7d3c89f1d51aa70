package c

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// TestDot compares dot products of groups, for all types and widths and with all
// instructions that this machine has or may lack, with the evaluator bit for bit.
func TestDot(t *testing.T) {
	variants := [][]string{{"-march=native"}}
	if runtime.GOARCH == "amd64" {
		variants = append(variants, []string{"-mno-avx512vnni"}, []string{"-mno-avx512f"}, []string{"-march=x86-64"})
	}
	var list []*loop.Func
	for _, pair := range [][2]tensor.DType{{tensor.Int16, tensor.Int16}, {tensor.Uint8, tensor.Int8}, {tensor.Int8, tensor.Uint8}, {tensor.Int8, tensor.Int8}, {tensor.Uint8, tensor.Uint8}} {
		for _, lanes := range []int{2, 4, 8, 16} {
			list = append(list, dotProgram(t, pair[0], pair[1], lanes, len(list)))
		}
	}
	text, err := PrintUnit(list, Options{Parallel: Serial})
	if err != nil {
		t.Fatal(err)
	}
	for _, compiler := range compilers(t) {
		for _, flags := range variants {
			lib := build(t, compiler, text, flags...)
			r := rand.New(rand.NewPCG(1, 1))
			for _, f := range list {
				for range 20 {
					args := randomArguments(r, f)
					for _, a := range args[:2] {
						extreme(r, a.Bytes)
					}
					want := cloneArguments(args)
					if _, err := loop.Evaluate(f, want); err != nil {
						t.Fatal(err)
					}
					lib.call(t, Symbol(f.Name), argumentBlock(f, args, &[2]int64{}))
					if !sameElements(tensor.Int32, args[2].Bytes, want[2].Bytes) {
						t.Fatalf("%s %v: got %v, want %v for %v and %v\n%s", compiler, flags, args[2].Bytes, want[2].Bytes, args[0].Bytes, args[1].Bytes, loop.Print(f))
					}
				}
			}
		}
	}
}

// extreme replaces many bytes, so that the smallest and the greatest numbers meet.
func extreme(r *rand.Rand, data []byte) {
	ends := [][2]byte{{0x00, 0x80}, {0x80, 0x80}, {0xff, 0x7f}, {0x7f, 0xff}}
	few := ends[:1+r.IntN(len(ends))]
	for i := 0; i < len(data); i += 2 {
		if r.IntN(4) > 0 {
			copy(data[i:], few[r.IntN(len(few))][:])
		}
	}
}

// dotProgram adds products with and without an operand for all lanes to a vector.
func dotProgram(t *testing.T, x, y tensor.DType, lanes, number int) *loop.Func {
	g := ein.DotGroup(x)
	n := g * lanes
	text := strings.NewReplacer("$x", x.String(), "$y", y.String(), "$n", fmt.Sprint(n), "$g", fmt.Sprint(g), "$l", fmt.Sprint(lanes)).Replace(fmt.Sprintf(`
kernel "dot%d" workspace 0 {
	buffer X $x[$n] argument readonly
	buffer Y $y[$n] argument readonly
	buffer Z int32[$l] argument
	params X, Y, Z
	store Z[0] = dot(X[0; $n], Y[0; $n], dot(X[0; $g], Y[0; $n], dot(X[0; $n], Y[0; $g], Z[0; $l])))
	store Z[0] = dot(X[0; $g; mask ramp(0, 1, $g) < broadcast(1, $g)], Y[0; $n], Z[0; $l])
}`, number))
	f, err := loop.Parse(source.NewFile("dot", text))
	if err == nil {
		err = loop.Verify(f)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f
}
