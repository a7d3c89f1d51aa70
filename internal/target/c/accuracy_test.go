package c

import (
	_ "embed"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/klauspost/cpuid/v2"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// A codeVariant is a way to compile the functions.
type codeVariant struct {
	name        string
	vectorBytes int
	numerics    numerics.Mode
	flags       []string
}

// codeVariants are the levels of instructions that this machine has, each with the bodies of the C library
// and vectors, and with those of strict numerics, at several levels of optimisation. But for sweeps they are the best level and
// the strict bodies at the lowest one; TestMathAccuracy has the other bodies there.
func codeVariants(t testing.TB) []codeVariant {
	var list []codeVariant
	levels := runnableLevels()
	strict := func(l machine.InstructionLevel, optimisation string) {
		list = append(list, codeVariant{l.Name + " strict " + optimisation, l.VectorBytes, numerics.Strict, append((Target{}).Flags(l.Name), optimisation)})
	}
	for k, l := range levels {
		best := k == len(levels)-1
		if best || sweep.Long(t) {
			list = append(list, codeVariant{l.Name, l.VectorBytes, numerics.Default, (Target{}).Flags(l.Name)})
			strict(l, "-O3")
		}
		if k == 0 || sweep.Long(t) {
			strict(l, "-O1")
		}
		if sweep.Long(t) {
			strict(l, "-O2")
		}
	}
	return list
}

// widths are those of a variant's functions: the scalar, vectors of a register and of two, or, but for sweeps, one of these.
func (v codeVariant) widths(t testing.TB, d tensor.DType) []int {
	lanes := v.vectorBytes / d.Size()
	switch {
	case sweep.Long(t):
		return []int{1, lanes, 2 * lanes}
	case v.numerics == numerics.Strict && v.vectorBytes == 16:
		return []int{1, 2 * lanes}
	}
	return []int{1, lanes}
}

// runnableLevels are the levels with different vectors that this machine has.
func runnableLevels() []machine.InstructionLevel {
	var features []string
	for name, id := range map[string]cpuid.FeatureID{"sse2": cpuid.SSE2, "avx": cpuid.AVX, "avx2": cpuid.AVX2, "fma": cpuid.FMA3,
		"avx512f": cpuid.AVX512F, "avx512bw": cpuid.AVX512BW, "asimd": cpuid.ASIMD} {
		if cpuid.CPU.Supports(id) {
			features = append(features, name)
		}
	}
	return slices.DeleteFunc(machine.InstructionLevels(), func(l machine.InstructionLevel) bool {
		return !slices.Contains([]string{"plain", "neon", "avx2", "avx512"}, l.Name) || !machine.InstructionLevelOf(features).Has(l) || l.Architecture != "" && l.Architecture != runtime.GOARCH
	})
}

// mathLibrary compiles all functions of a type, as scalars and as vectors of a register.
func mathLibrary(t testing.TB, compiler string, d tensor.DType, v codeVariant) library {
	t.Helper()
	u := newUnit(Options{VectorBytes: v.vectorBytes, Numerics: v.numerics})
	for _, b := range ein.Builtins() {
		for _, lanes := range v.widths(t, d) {
			f := mathKernel(b, d, lanes)
			u.kernel(f, Symbol(f.Name), "")
		}
	}
	flags := slices.Clone(v.flags)
	if strings.Contains(compiler, "clang") { // whose own default the text overrules, but not the flag "fast"
		flags = append(flags, "-ffp-contract=on")
	}
	return build(t, compiler, u.String(), flags...)
}

//go:embed testdata/oracle.c
var oracleText string

// An oracle has the values of functions in higher precision.
type oracle struct{ library }

// newOracle compiles the oracle, for which only gcc has the library; ok is false where there is none.
func newOracle(t testing.TB) (o oracle, ok bool) {
	t.Helper()
	if compiler, err := exec.LookPath("gcc"); err == nil && hasQuadruple(compiler) {
		return oracle{build(t, compiler, oracleText, "-Wl,--no-as-needed", "-lquadmath")}, true
	}
	t.Log("no gcc with libquadmath on this machine: accuracy is not judged")
	return oracle{}, false
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

// TestAccuracy compares every function in every form, and the evaluator's, with 113 bits: none is farther from the
// value than the table says. With strict numerics all forms have the bits that were recorded.
func TestAccuracy(t *testing.T) {
	o, judges := newOracle(t)
	recorded := readBits(t)
	for _, d := range []tensor.DType{tensor.Float64, tensor.Float32} {
		judged := map[string]*judgedFunction{}
		for _, b := range ein.Builtins() {
			if judges {
				judged[b.Name] = judge(t, o, b, d)
			}
		}
		for _, compiler := range compilers(t) {
			for _, v := range codeVariants(t) {
				lib := mathLibrary(t, compiler, d, v)
				for _, b := range ein.Builtins() {
					for _, lanes := range v.widths(t, d) {
						form := fmt.Sprintf("%s %s x%d", filepath.Base(compiler), v.name, lanes)
						if j := judged[b.Name]; j != nil {
							j.check(t, form, results(t, lib, b, d, lanes, j.in))
						}
						if v.numerics == numerics.Strict {
							recorded.check(t, b, d, form, results(t, lib, b, d, lanes, exactArguments(b, d)))
						}
					}
				}
			}
		}
	}
	recorded.write(t)
}

// A judgedFunction is a function with arguments and their values.
type judgedFunction struct {
	b         *ein.Builtin
	d         tensor.DType
	in        [][]float64
	high, low []float64
}

// judge draws arguments of a function, asks the oracle for their values and compares the evaluator's with them.
func judge(t *testing.T, o oracle, b *ein.Builtin, d tensor.DType) *judgedFunction {
	t.Helper()
	j := &judgedFunction{b: b, d: d, in: hostileArguments(t, b, d)}
	evaluated := make([]float64, len(j.in[0]))
	for i := range evaluated {
		evaluated[i] = b.Eval(d, column(j.in, i))
	}
	if b.IsExact() { // by the definition for the type
		j.high, j.low = evaluated, make([]float64, len(evaluated))
		return j
	}
	j.high, j.low = o.values(t, b.Name, j.in)
	j.check(t, "evaluator", evaluated)
	return j
}

func column(in [][]float64, i int) []float64 {
	x := make([]float64, len(in))
	for k := range in {
		x[k] = in[k][i]
	}
	return x
}

// check compares results with the values.
func (j *judgedFunction) check(t *testing.T, form string, got []float64) {
	t.Helper()
	var worst float64
	var at []float64
	for i := range got {
		x := column(j.in, i)
		if e := j.b.UlpsOff(j.d, x, got[i], j.high[i], j.low[i]); e > worst || e != e {
			worst, at = e, append(x, got[i])
		}
	}
	if worst > j.b.Ulps() || math.IsNaN(worst) {
		t.Errorf("%s %s, %s: %.2f ulp instead of %v at %v", j.b.Name, j.d, form, worst, j.b.Ulps(), at)
	} else if testing.Verbose() {
		t.Logf("%s %s, %s: %.2f ulp at %v", j.b.Name, j.d, form, worst, at)
	}
}
