package devicetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Samples are how often a function is called.
const Samples = 512

// Operands are the arrays of operands.
var Operands = []string{"X", "Y", "Z", "W"}

// Calls applies each function to the elements of the operands: in a loop, or by an item for each.
func Calls(list []*ein.Builtin, typ tensor.DType, grid bool) (*loop.Func, error) {
	head, at := fmt.Sprintf("for i = 0 .. %d step 1", Samples), "i"
	if grid {
		head, at = fmt.Sprintf("grid groups g = %d items i = 64", Samples/64), "g * 64 + i"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "kernel \"functions\" workspace 0 {\n")
	names := append([]string(nil), Operands...)
	for i := range list {
		names = append(names, fmt.Sprintf("O%d", i))
	}
	for i, n := range names {
		fmt.Fprintf(&b, "  buffer %s %s[%d] argument%s\n", n, typ, Samples, map[bool]string{true: " readonly"}[i < len(Operands)])
	}
	fmt.Fprintf(&b, "  params %s\n  %s {\n", strings.Join(names, ", "), head)
	for i, f := range list {
		fmt.Fprintf(&b, "    store O%d[%s] = %s(%s[%s])\n", i, at, f.Name, strings.Join(names[:f.Arity], "["+at+"], "), at)
	}
	b.WriteString("  }\n}\n")
	return loop.Parse(source.NewFile("functions.loop", b.String()))
}

// drawOperands draws numbers of all sizes, and the corners.
func drawOperands(r *rand.Rand, typ tensor.DType, bytes []byte) {
	corners := []float64{0, math.Copysign(0, -1), 1, -1, 2, 0.5, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, 3e38, 1e300, 88.5, -104, 700, 1e10}
	t := tensor.Must(tensor.New(typ, Samples))
	for i := range Samples {
		v := math.Ldexp(2*r.Float64()-1, r.IntN(12)-6)
		switch i % 16 {
		case 0:
			v = corners[r.IntN(len(corners))]
		case 1:
			v = math.Ldexp(2*r.Float64()-1, r.IntN(200)-100)
		}
		t.SetFloat(v, i)
	}
	copy(bytes, bytesOf(t))
}

// Within compares with the evaluator's value, which has an error of its own in float64.
func Within(b *ein.Builtin, typ tensor.DType, in []loop.Word, got []byte, mode numerics.Mode) error {
	limit := b.Ulps() + 0.5
	if typ == tensor.Float64 {
		limit += b.Ulps()
	}
	operands := operandsOf(b, typ, in)
	for i, y := range values(typ, got) {
		x := operands[i]
		want := b.Eval(typ, x)
		if y == want || math.IsNaN(want) && math.IsNaN(y) {
			continue
		}
		if off := b.UlpsOff(typ, x, y, b.Eval64(x), 0); !(off <= limit) {
			return fmt.Errorf("%s of %s at %v with %s numerics: %v, expected %v: %g ulp", b.Name, typ, x, mode, y, want, off)
		}
	}
	return nil
}

// SameBits compares with the bits that another run has given.
func SameBits(b *ein.Builtin, typ tensor.DType, in []loop.Word, want, got []byte) error {
	for i, x := range operandsOf(b, typ, in) {
		at := i * typ.Size()
		if !looptest.Same(typ, want[at:at+typ.Size()], got[at:at+typ.Size()]) {
			return fmt.Errorf("%s of %s at %v: %v, elsewhere %v", b.Name, typ, x, values(typ, got)[i], values(typ, want)[i])
		}
	}
	return nil
}

// operandsOf are those of each call of a function.
func operandsOf(b *ein.Builtin, typ tensor.DType, in []loop.Word) [][]float64 {
	list := make([][]float64, Samples)
	for k := range b.Arity {
		for i, v := range values(typ, in[k].Bytes) {
			list[i] = append(list[i], v)
		}
	}
	return list
}

// values are the numbers in memory.
func values(typ tensor.DType, bytes []byte) []float64 {
	t := tensor.Must(tensor.New(typ, Samples))
	copy(bytesOf(t), bytes)
	list := make([]float64, Samples)
	for i := range list {
		list[i] = t.Float(i)
	}
	return list
}

// FunctionArguments draws the words of a program of Calls.
func FunctionArguments(f *loop.Func, typ tensor.DType) []loop.Word {
	words := looptest.Arguments(rand.New(rand.NewPCG(3, 5)), f)
	for i := range Operands {
		drawOperands(rand.New(rand.NewPCG(uint64(i), 7)), typ, words[i].Bytes)
	}
	return words
}

// bytesOf is the memory of a dense tensor on the host.
func bytesOf(t *tensor.Tensor) []byte {
	return unsafe.Slice((*byte)(t.Pointer()), t.Len()*t.DType().Size())
}
