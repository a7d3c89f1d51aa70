package c

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/klauspost/cpuid/v2"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/tensor"
)

// long reports whether sweeps are asked for.
func long() bool { return os.Getenv("RICCI_LONG") == "1" }

// A codeVariant is a way to compile the functions.
type codeVariant struct {
	name        string
	vectorBytes int
	own         bool
	flags       []string
}

// codeVariants are the levels of instructions that this machine has, each with the bodies of the C library
// and vectors, and with Ricci's own.
func codeVariants() []codeVariant {
	var list []codeVariant
	for _, l := range runnableLevels() {
		list = append(list,
			codeVariant{l.Name, l.VectorBytes, false, l.Flags()},
			codeVariant{l.Name + " own", l.VectorBytes, true, append(l.Flags(), "-ffp-contract=off")})
	}
	return list
}

// runnableLevels are the levels with different vectors that this machine has.
func runnableLevels() []Level {
	var features []string
	for name, id := range map[string]cpuid.FeatureID{"sse2": cpuid.SSE2, "avx": cpuid.AVX, "avx2": cpuid.AVX2, "fma": cpuid.FMA3,
		"avx512f": cpuid.AVX512F, "avx512bw": cpuid.AVX512BW, "asimd": cpuid.ASIMD} {
		if cpuid.CPU.Supports(id) {
			features = append(features, name)
		}
	}
	return slices.DeleteFunc(Levels(), func(l Level) bool {
		return !slices.Contains([]string{"plain", "neon", "avx2", "avx512"}, l.Name) || !l.isAmong(features) || l.Architecture != "" && l.Architecture != runtime.GOARCH
	})
}

// mathLibrary compiles all functions of a type, as scalars and as vectors of a register.
func mathLibrary(t testing.TB, compiler string, d tensor.DType, v codeVariant) library {
	t.Helper()
	options := Options{VectorBytes: v.vectorBytes}
	if v.own {
		options.Numerics = numerics.Strict
	}
	u := newUnit(options)
	for _, b := range ein.Builtins() {
		for _, lanes := range []int{1, v.vectorBytes / d.Size()} {
			f := mathKernel(b, d, lanes)
			u.kernel(f, Symbol(f.Name), "")
		}
	}
	return build(t, compiler, u.String(), v.flags...)
}

//go:embed testdata/oracle.c
var oracleText string

// An oracle has the values of functions in higher precision.
type oracle struct{ library }

// newOracle compiles the oracle, for which only gcc has the library.
func newOracle(t testing.TB) oracle {
	t.Helper()
	for _, compiler := range compilers(t) {
		if hasQuadruple(compiler) {
			return oracle{build(t, compiler, oracleText, "-Wl,--no-as-needed", "-lquadmath")}
		}
	}
	t.Skip("no gcc with libquadmath on this machine")
	return oracle{}
}

// values are those of a function as sums of two float64.
func (o oracle) values(t testing.TB, name string, in [][]float64) (high, low []float64) {
	t.Helper()
	n := len(in[0])
	high, low = make([]float64, n), make([]float64, n)
	args := make([]uint64, 7)
	for k := range 4 {
		args[k] = address(in[min(k, len(in)-1)])
	}
	args[4], args[5], args[6] = uint64(n), address(high), address(low)
	o.call(t, "oracle_"+name, args)
	runtime.KeepAlive(in)
	return high, low
}

func address[T any](data []T) uint64 { return uint64(uintptr(unsafe.Pointer(&data[0]))) }

// results runs a kernel of a function over arguments, whose number is a multiple of mathSamples.
func results(t testing.TB, lib library, b *ein.Builtin, d tensor.DType, lanes int, in [][]float64) []float64 {
	t.Helper()
	out := make([]float64, len(in[0]))
	for from := 0; from < len(out); from += mathSamples {
		args, wide, narrow := make([]uint64, loop.HeaderWords), make([][]float64, b.Arity+1), make([][]float32, b.Arity+1)
		for k := range b.Arity + 1 {
			wide[k] = out[from : from+mathSamples]
			if k < b.Arity {
				wide[k] = in[k][from : from+mathSamples]
			}
			if d == tensor.Float64 {
				args = append(args, address(wide[k]))
				continue
			}
			narrow[k] = make([]float32, mathSamples)
			for i, v := range wide[k] {
				narrow[k][i] = float32(v)
			}
			args = append(args, address(narrow[k]))
		}
		lib.call(t, Symbol(fmt.Sprintf("%s_%s_%d", b.Name, d, lanes)), args)
		runtime.KeepAlive(wide)
		if d == tensor.Float32 {
			for i, v := range narrow[b.Arity] {
				out[from+i] = float64(v)
			}
		}
	}
	return out
}

// An accuracyCase is where a function is farthest from its value.
type accuracyCase struct {
	ulps float64
	args []float64
	got  float64
}

// farthest compares results with the values of the oracle, in units of the last place of the allowed error.
func farthest(b *ein.Builtin, d tensor.DType, in [][]float64, got, high, low []float64) accuracyCase {
	var worst accuracyCase
	x := make([]float64, len(in))
	for i := range got {
		for k := range in {
			x[k] = in[k][i]
		}
		if e := b.UlpsOff(d, x, got[i], high[i], low[i]); e > worst.ulps || e != e {
			worst = accuracyCase{e, slices.Clone(x), got[i]}
		}
	}
	return worst
}

// TestAccuracy compares every function in every form, and the evaluator's, with 113 bits: none is farther from the
// value than the table says.
func TestAccuracy(t *testing.T) {
	o := newOracle(t)
	for _, d := range []tensor.DType{tensor.Float64, tensor.Float32} {
		arguments, highs, lows := map[string][][]float64{}, map[string][]float64{}, map[string][]float64{}
		for _, b := range ein.Builtins() {
			in := hostileArguments(b, d)
			arguments[b.Name] = in
			highs[b.Name], lows[b.Name] = o.values(t, b.Name, in)
			if b.IsExact() { // by the definition for the type
				for i := range in[0] {
					highs[b.Name][i], lows[b.Name][i] = b.Eval(d, column(in, i)), 0
				}
				continue
			}
			got := make([]float64, len(in[0]))
			for i := range got {
				got[i] = b.Eval(d, column(in, i))
			}
			checkAccuracy(t, "evaluator", b, d, in, got, highs[b.Name], lows[b.Name])
		}
		for _, compiler := range compilers(t) {
			for _, v := range codeVariants() {
				lib := mathLibrary(t, compiler, d, v)
				for _, b := range ein.Builtins() {
					for _, lanes := range []int{1, v.vectorBytes / d.Size()} {
						got := results(t, lib, b, d, lanes, arguments[b.Name])
						checkAccuracy(t, fmt.Sprintf("%s x%d", v.name, lanes), b, d, arguments[b.Name], got, highs[b.Name], lows[b.Name])
					}
				}
			}
		}
	}
}

func column(in [][]float64, i int) []float64 {
	x := make([]float64, len(in))
	for k := range in {
		x[k] = in[k][i]
	}
	return x
}

func checkAccuracy(t *testing.T, form string, b *ein.Builtin, d tensor.DType, in [][]float64, got, high, low []float64) {
	t.Helper()
	worst := farthest(b, d, in, got, high, low)
	if worst.ulps > b.Ulps() || math.IsNaN(worst.ulps) {
		t.Errorf("%s %s, %s: %.2f ulp instead of %v at %v: %v", b.Name, d, form, worst.ulps, b.Ulps(), worst.args, worst.got)
	} else if testing.Verbose() {
		t.Logf("%s %s, %s: %.2f ulp at %v", b.Name, d, form, worst.ulps, worst.args)
	}
}
