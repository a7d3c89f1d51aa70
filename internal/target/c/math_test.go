package c

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

const mathSamples = 2048

// TestMathTable checks that every builtin has a row, and no row is left over.
func TestMathTable(t *testing.T) {
	for _, b := range ein.Builtins() {
		if _, ok := mathTable[b.Name]; !ok {
			t.Errorf("builtin %s has no row", b.Name)
		}
		if _, ok := ownTable[b.Name]; ok == slices.Contains(ownExact, b.Name) {
			t.Errorf("builtin %s has an own body and needs none, or has none", b.Name)
		}
		if _, ok := operatorTemplates[b.Name]; ok {
			t.Errorf("builtin %s is the name of an operator's helper", b.Name)
		}
	}
	if n := len(ein.Builtins()); len(mathTable) != n || len(ownTable)+len(ownExact) != n {
		t.Errorf("%d rows for %d builtins", len(mathTable), len(ein.Builtins()))
	}
}

// mathKernel applies a builtin to arrays of mathSamples elements.
func mathKernel(b *ein.Builtin, d tensor.DType, lanes int) *loop.Func {
	n := &loop.Var{Name: "i", Type: loop.Scalar(tensor.Int64)}
	f := &loop.Func{Name: fmt.Sprintf("%s_%s_%d", b.Name, d, lanes)}
	var args []loop.Expr
	for i := range b.Arity + 1 {
		buffer := &loop.Buffer{Name: fmt.Sprintf("A%d", i), Type: loop.Scalar(d), Length: mathSamples, ReadOnly: i < b.Arity}
		f.Buffers = append(f.Buffers, buffer)
		f.Params = append(f.Params, &loop.Param{Buffer: buffer})
		if i < b.Arity {
			args = append(args, &loop.Load{Buffer: buffer, Index: &loop.VarRef{Var: n}, Lanes: lanes})
		}
	}
	f.Body = []loop.Stmt{&loop.For{Var: n, Lo: loop.Int(0), Hi: loop.Int(mathSamples), Step: int64(lanes), Body: []loop.Stmt{
		&loop.Store{Buffer: f.Buffers[b.Arity], Index: &loop.VarRef{Var: n}, Value: &loop.Call{Func: b, Args: args}},
	}}}
	return f
}

// TestMathAccuracy compares every function, in every form, with package ein.
func TestMathAccuracy(t *testing.T) {
	for _, compiler := range compilers(t) {
		for _, registerBytes := range []int{64, 16} {
			for _, d := range []tensor.DType{tensor.Float32, tensor.Float64} {
				t.Run(fmt.Sprintf("%s/%d", d, registerBytes), func(t *testing.T) { testMath(t, compiler, d, registerBytes) })
			}
		}
	}
}

func testMath(t *testing.T, compiler string, d tensor.DType, registerBytes int) {
	u := newUnit(Options{VectorBytes: registerBytes})
	widths := []int{1, 64 / d.Size()}
	if registerBytes == 16 {
		widths = []int{32 / d.Size()} // two registers
	}
	var flags []string
	if registerBytes == 16 { // also the code without vector instructions
		flags = []string{"-march=x86-64"}
		if runtime.GOARCH != "amd64" {
			flags = nil
		}
	}
	for _, b := range ein.Builtins() {
		for _, lanes := range widths {
			f := mathKernel(b, d, lanes)
			u.kernel(f, Symbol(f.Name), "")
		}
	}
	lib := build(t, compiler, u.String(), flags...)
	for _, b := range ein.Builtins() {
		in := mathInputs(d, b.Arity)
		for _, lanes := range widths {
			worst, at := mathError(t, lib, b, d, lanes, in)
			if worst > 2*b.Ulps() { // both may be off

				t.Errorf("%s x%d: %.1f ulp at %v", b.Name, lanes, worst, at)
			}
		}
	}
}

// mathInputs mixes magnitudes, whole numbers and special values.
func mathInputs(d tensor.DType, arity int) [][]float64 {
	r := rand.New(rand.NewPCG(1, 2))
	special := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, 3, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, 1e-310, 1e30, -1e30, 88.8, -87.5, -103.9, -104, 710, -708.5, -745, -745.2, math.MaxFloat32, 0.25, 1.5, 2.5, -3.5}
	in := make([][]float64, arity)
	for k := range in {
		in[k] = make([]float64, mathSamples)
		for i := range in[k] {
			v := 0.0
			switch r.IntN(8) {
			case 0:
				v = special[r.IntN(len(special))]
			case 1:
				v = float64(r.IntN(40) - 20)
			case 2:
				v = r.NormFloat64() * 50
			case 3:
				v = r.Float64()
			case 4:
				v = math.Exp(r.NormFloat64()*10) * float64(1-2*r.IntN(2))
			default:
				v = r.NormFloat64() * 3
			}
			if d == tensor.Float32 {
				v = float64(float32(v))
			}
			in[k][i] = v
		}
	}
	return in
}

func mathError(t *testing.T, lib library, b *ein.Builtin, d tensor.DType, lanes int, in [][]float64) (worst float64, at []float64) {
	args := make([]uint64, loop.HeaderWords)
	var keep []any
	for k := range b.Arity + 1 {
		var values []float64
		if k < b.Arity {
			values = in[k]
		} else {
			values = make([]float64, mathSamples)
		}
		if d == tensor.Float64 {
			data := append([]float64(nil), values...)
			keep, args = append(keep, data), append(args, uint64(uintptr(unsafe.Pointer(&data[0]))))
			continue
		}
		data := make([]float32, mathSamples)
		for i, v := range values {
			data[i] = float32(v)
		}
		keep, args = append(keep, data), append(args, uint64(uintptr(unsafe.Pointer(&data[0]))))
	}
	lib.call(t, Symbol(fmt.Sprintf("%s_%s_%d", b.Name, d, lanes)), args)
	x := make([]float64, b.Arity)
	for i := range mathSamples {
		for k := range x {
			x[k] = in[k][i]
		}
		got := 0.0
		switch out := keep[b.Arity].(type) {
		case []float64:
			got = out[i]
		case []float32:
			got = float64(out[i])
		}
		if e := b.UlpsOff(d, x, got, b.Eval(d, x), 0); e > worst {
			worst, at = e, append([]float64{got, b.Eval(d, x)}, x...)
		}
	}
	runtime.KeepAlive(keep)
	return worst, at
}
