package opencl

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/c"
	target_opencl "github.com/ricci-lang/ricci/internal/target/opencl"
	"github.com/ricci-lang/ricci/tensor"
)

const samples = 256

// quickFunctions are those that are always tried: series, pairs, bodies that call themselves, the language's own.
var quickFunctions = []string{"sin", "tanh", "pow", "erfcinv", "fmin"}

// TestFunctions: with strict numerics functions have the bits that they have on the processor; else they are within their table.
func TestFunctions(t *testing.T) {
	d := opened(t)
	var list []*ein.Builtin
	for _, b := range ein.Builtins() {
		if quick := strings.Contains(" "+strings.Join(quickFunctions, " ")+" ", " "+b.Name+" "); quick || sweep.Long(t) {
			list = append(list, b)
		}
	}
	for _, typ := range []tensor.DType{tensor.Float32, tensor.Float64} {
		f := functionsKernel(t, list, typ)
		r := rand.New(rand.NewPCG(3, 5))
		words := looptest.Arguments(r, f)
		for i := range 4 {
			arguments(r, typ, words[i].Bytes)
		}
		onHost := runC(t, f, clone(words))
		for _, mode := range []numerics.Mode{numerics.Strict, numerics.Default} {
			m, err := (target_opencl.Target{}).Print(f, target.Options{Numerics: mode})
			if err != nil {
				t.Fatal(err)
			}
			got := clone(words)
			if _, err := run(t.Context(), d, f, m.Code, got); err != nil {
				t.Fatal(err)
			}
			for i, b := range list {
				if mode == numerics.Strict {
					sameBits(t, b, typ, words, onHost[4+i].Bytes, got[4+i].Bytes)
				} else {
					within(t, b, typ, words, got[4+i].Bytes)
				}
			}
		}
	}
}

// functionsKernel applies each function to the elements of X, Y, Z and W.
func functionsKernel(t *testing.T, list []*ein.Builtin, typ tensor.DType) *loop.Func {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "kernel \"functions\" workspace 0 {\n")
	names := []string{"X", "Y", "Z", "W"}
	for i := range list {
		names = append(names, fmt.Sprintf("O%d", i))
	}
	for i, n := range names {
		fmt.Fprintf(&b, "  buffer %s %s[%d] argument%s\n", n, typ, samples, map[bool]string{true: " readonly"}[i < 4])
	}
	fmt.Fprintf(&b, "  params %s\n  for i = 0 .. %d step 1 {\n", strings.Join(names, ", "), samples)
	for i, f := range list {
		fmt.Fprintf(&b, "    store O%d[i] = %s(%s[i])\n", i, f.Name, strings.Join(names[:f.Arity], "[i], "))
	}
	b.WriteString("  }\n}\n")
	f, err := loop.Parse(source.NewFile("functions.loop", b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// arguments draws numbers of all sizes, and the corners.
func arguments(r *rand.Rand, typ tensor.DType, bytes []byte) {
	corners := []float64{0, math.Copysign(0, -1), 1, -1, 2, 0.5, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, 3e38, 1e300, 88.5, -104, 700, 1e10}
	for i := range samples {
		v := math.Ldexp(2*r.Float64()-1, r.IntN(12)-6)
		switch {
		case i%16 == 0:
			v = corners[r.IntN(len(corners))]
		case i%16 == 1:
			v = math.Ldexp(2*r.Float64()-1, r.IntN(200)-100)
		}
		put(typ, bytes, i, v)
	}
}

func put(typ tensor.DType, bytes []byte, i int, v float64) {
	if typ == tensor.Float32 {
		binary.NativeEndian.PutUint32(bytes[4*i:], math.Float32bits(float32(v)))
		return
	}
	binary.NativeEndian.PutUint64(bytes[8*i:], math.Float64bits(v))
}

func get(typ tensor.DType, bytes []byte, i int) float64 {
	if typ == tensor.Float32 {
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(bytes[4*i:])))
	}
	return math.Float64frombits(binary.NativeEndian.Uint64(bytes[8*i:]))
}

// runC runs a program on the processor, with strict numerics; without a compiler the test is skipped.
func runC(t *testing.T, f *loop.Func, words []loop.Word) []loop.Word {
	t.Helper()
	text, err := c.Print(f, c.Options{Parallel: c.Serial, Numerics: numerics.Strict})
	if err != nil {
		t.Fatal(err)
	}
	list, err := host.Find(t.Context())
	if err != nil {
		t.Skip("no C compiler: ", err)
	}
	compiler := *list[0]
	compiler.Strict = true
	object, err := compiler.Compile(context.Background(), text, host.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	library, err := host.OpenBytes(object)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := library.Function(c.Symbol(f.Name))
	if err != nil {
		t.Fatal(err)
	}
	block := make([]int64, loop.HeaderWords)
	for i := range words {
		block = append(block, int64(looptest.Address(words[i].Bytes)))
	}
	entry.Call(&block[0])
	return words
}

func sameBits(t *testing.T, b *ein.Builtin, typ tensor.DType, in []loop.Word, want, got []byte) {
	t.Helper()
	for i := range samples {
		at := i * typ.Size()
		if !looptest.Same(typ, want[at:at+typ.Size()], got[at:at+typ.Size()]) {
			t.Errorf("%s of %s at %v: %v, on the processor %v", b.Name, typ, operands(b, typ, in, i), get(typ, got, i), get(typ, want, i))
			return
		}
	}
}

func operands(b *ein.Builtin, typ tensor.DType, in []loop.Word, i int) []float64 {
	list := make([]float64, b.Arity)
	for k := range list {
		list[k] = get(typ, in[k].Bytes, i)
	}
	return list
}

// within compares with the evaluator's value, which has an error of its own in float64.
func within(t *testing.T, b *ein.Builtin, typ tensor.DType, in []loop.Word, got []byte) {
	t.Helper()
	limit := b.Ulps() + 0.5
	if typ == tensor.Float64 {
		limit += b.Ulps()
	}
	for i := range samples {
		x, y := operands(b, typ, in, i), get(typ, got, i)
		want := b.Eval(typ, x)
		if y == want || math.IsNaN(want) && math.IsNaN(y) {
			continue
		}
		if off := b.UlpsOff(typ, x, y, b.Eval64(x), 0); !(off <= limit) {
			t.Errorf("%s of %s at %v: %v, expected %v: %g ulp", b.Name, typ, x, y, want, off)
			return
		}
	}
}
