package c

import (
	bits "encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// TestMultiply compares products of matrices of all types, with tiles and without, with the
// evaluator: integers bit for bit, floats within the error of any order.
func TestMultiply(t *testing.T) {
	variants := [][]string{{"-march=native"}}
	if runtime.GOARCH == "amd64" {
		variants = append(variants, []string{"-march=x86-64"}, []string{"-march=native"})
	}
	r := rand.New(rand.NewPCG(3, 5))
	types := [][2]tensor.DType{{tensor.Int16, tensor.Int16}, {tensor.Uint8, tensor.Int8}, {tensor.Int8, tensor.Uint8}, {tensor.Int8, tensor.Int8}, {tensor.Uint8, tensor.Uint8}, {tensor.BFloat16, tensor.BFloat16}}
	var list []*loop.Func
	for n := range sweep.Draws(t, 18, 240) {
		list = append(list, multiplyProgram(t, r, types[n%len(types)], n))
	}
	text, err := PrintUnit(list, Options{Parallel: Serial})
	if err != nil {
		t.Fatal(err)
	}
	without := strings.ReplaceAll(text, hasTiles, "0")
	for _, compiler := range compilers(t) {
		for n, flags := range variants {
			printed := text
			if n == 2 {
				printed = without
			}
			lib := build(t, compiler, printed, flags...)
			for _, f := range list {
				args := randomArguments(r, f)
				for k, p := range f.Params[:2] {
					if p.Buffer.Type.Elem == tensor.BFloat16 {
						moderate(args[k].Bytes)
					} else {
						extreme(r, args[k].Bytes)
					}
				}
				if f.Params[2].Buffer.Type.Elem == tensor.Float32 {
					integral(args[2].Bytes)
				}
				want := cloneArguments(args)
				if _, err := loop.Evaluate(f, want); err != nil {
					t.Fatal(err)
				}
				lib.call(t, Symbol(f.Name), argumentBlock(f, args, &[2]int64{}))
				if why := unlike(f.Params[2].Buffer.Type.Elem, args[2].Bytes, want[2].Bytes); why != "" {
					t.Fatalf("%s %v: %s\n%s", compiler, flags, why, loop.Print(f))
				}
			}
		}
	}
}

// moderate makes numbers of bfloat16 whose products have no overflow, nor too small a sum:
// small integers.
func moderate(data []byte) {
	for i := 0; i+1 < len(data); i += 2 {
		v := float32(int(data[i])%17 - 8)
		bits.LittleEndian.PutUint16(data[i:], uint16(math.Float32bits(v)>>16))
	}
}

// integral makes small integers of floats.
func integral(data []byte) {
	for i := 0; i+3 < len(data); i += 4 {
		bits.LittleEndian.PutUint32(data[i:], math.Float32bits(float32(int(data[i])-100)))
	}
}

// unlike returns how elements differ that must be equal.
func unlike(d tensor.DType, got, want []byte) string {
	for i := 0; i+3 < len(want); i += 4 {
		if x, y := bits.LittleEndian.Uint32(got[i:]), bits.LittleEndian.Uint32(want[i:]); x != y && !(d == tensor.Float32 && x<<1 == 0 && y<<1 == 0) {
			return fmt.Sprintf("element %d is %#x, want %#x", i/4, x, y)
		}
	}
	return ""
}

// multiplyProgram has a product of a random size, in which the operands have gaps, and
// perhaps further sums.
func multiplyProgram(t *testing.T, r *rand.Rand, types [2]tensor.DType, number int) *loop.Func {
	t.Helper()
	g := ein.DotGroup(types[0])
	rows, cols, depth := 1+r.IntN(40), 1+r.IntN(40), 1+r.IntN(150)
	if r.IntN(3) == 0 {
		depth = depth / (16 * g) * 16 * g
	}
	step := 1
	if r.IntN(5) == 0 {
		step = 2
	}
	x, y, z := depth*step+r.IntN(5), g*(cols+r.IntN(3)), cols+r.IntN(9)
	groups := (depth + g - 1) / g
	xAll, yAll, sums := rows*x, max(groups, 1)*y, ""
	for range r.IntN(3) {
		n := 1 + r.IntN(3)
		sums += fmt.Sprintf("; %d by %d, %d", n, xAll, yAll)
		xAll, yAll = n*xAll, n*yAll
	}
	text := fmt.Sprintf(`
kernel "multiply%d" workspace 0 {
	buffer X %s[%d] argument readonly
	buffer Y %s[%d] argument readonly
	buffer Z %s[%d] argument
	params X, Y, Z
	multiply Z[3 by %d] %s= X[1 by %d step %d], Y[2 by %d], %d, %d, %d%s
}`, number, types[0], xAll+1, types[1], yAll+2, ein.DotSum(types[0]), rows*z+3, z, []string{"", "+"}[r.IntN(2)], x, step, y, rows, cols, depth, sums)
	f, err := loop.Parse(source.NewFile("multiply", text))
	if err == nil {
		err = loop.Verify(f)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if again := loop.Print(f); !strings.Contains(again, "multiply Z[3 by") {
		t.Fatalf("printed:\n%s", again)
	}
	return f
}

// TestMultiplyBFloat16 multiplies bfloat16 of all magnitudes, among them some smaller than the
// smallest normal number, by tiles, by vdpbf16ps and by float32, and tests the bound that all keep.
func TestMultiplyBFloat16(t *testing.T) {
	variants := [][]string{{"-march=native"}}
	if runtime.GOARCH == "amd64" {
		variants = append(variants, []string{"-march=native"}, []string{"-march=x86-64"})
	}
	r := rand.New(rand.NewPCG(7, 11))
	var list []*loop.Func
	for n := range sweep.Draws(t, 5, 60) {
		list = append(list, multiplyProgram(t, r, [2]tensor.DType{tensor.BFloat16, tensor.BFloat16}, n))
	}
	text, err := PrintUnit(list, Options{Parallel: Serial})
	if err != nil {
		t.Fatal(err)
	}
	for _, compiler := range compilers(t) {
		for n, flags := range variants {
			printed := text
			if n > 0 {
				printed = strings.ReplaceAll(text, hasTiles, "0")
			}
			lib := build(t, compiler, printed, flags...)
			for _, f := range list {
				checkBFloat16(t, r, lib, f)
			}
		}
	}
}

// checkBFloat16 compares a product with that of its magnitudes: an error is at most a rounding of
// each product and sum, and what is taken for 0 of operands, products and sums.
func checkBFloat16(t *testing.T, r *rand.Rand, lib library, f *loop.Func) {
	t.Helper()
	args := randomArguments(r, f)
	lower := r.IntN(2) == 0
	for k := range 2 {
		drawBFloat16(r, args[k].Bytes, lower)
	}
	integral(args[2].Bytes)
	want, magnitudes := cloneArguments(args), cloneArguments(args)
	for k, a := range magnitudes {
		size := f.Params[k].Buffer.Type.Elem.Size()
		for at := size - 1; at < len(a.Bytes); at += size {
			a.Bytes[at] &= 0x7f
		}
	}
	for _, arguments := range [][]loop.Word{want, magnitudes} {
		if _, err := loop.Evaluate(f, arguments); err != nil {
			t.Fatal(err)
		}
	}
	lib.call(t, Symbol(f.Name), argumentBlock(f, args, &[2]int64{}))
	float := func(data []byte, at int) float64 {
		return float64(math.Float32frombits(bits.LittleEndian.Uint32(data[at:])))
	}
	const terms, smallest = 9 * 150, 0x1p-126
	for at := 0; at+3 < len(args[2].Bytes); at += 4 {
		got, exact, all := float(args[2].Bytes, at), float(want[2].Bytes, at), float(magnitudes[2].Bytes, at)
		if bound := terms * (all*0x1p-23 + 300*smallest); !(math.Abs(got-exact) <= bound) {
			t.Fatalf("element %d is %g, not %g within %g", at/4, got, exact, bound)
		}
	}
}

// drawBFloat16 makes numbers of magnitudes up to 256, or of very small ones.
func drawBFloat16(r *rand.Rand, data []byte, lower bool) {
	for i := 0; i+1 < len(data); i += 2 {
		exponent := 112 + r.IntN(23)
		if lower && r.IntN(2) == 0 {
			exponent = r.IntN(70)
		}
		bits.LittleEndian.PutUint16(data[i:], uint16(r.IntN(2)<<15|exponent<<7|r.IntN(128)))
	}
}

// TestBFloat16Instruction compiles a product of bfloat16 for a processor with AVX512-BF16.
func TestBFloat16Instruction(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("AVX512-BF16 is of amd64")
	}
	f := multiplyProgram(t, rand.New(rand.NewPCG(7, 11)), [2]tensor.DType{tensor.BFloat16, tensor.BFloat16}, 0)
	text, err := PrintUnit([]*loop.Func{f}, Options{Parallel: Serial})
	if err != nil {
		t.Fatal(err)
	}
	for _, compiler := range compilers(t) {
		cc := exec.Command(compiler, "-O2", "-std=gnu11", "-march=cooperlake", "-w", "-S", "-o", "-", "-x", "c", "-")
		cc.Stdin = strings.NewReader(text)
		assembly, err := cc.Output()
		if err != nil {
			t.Logf("%s does not know the processor: %v", compiler, err)
			continue
		}
		if !strings.Contains(string(assembly), "vdpbf16ps") {
			t.Errorf("%s: no vdpbf16ps in\n%s", compiler, text)
		}
	}
}
