package c

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

const quotients = 1024

// divisionKernel divides an array by the only element of another one.
func divisionKernel(d tensor.DType, lanes int) *loop.Func {
	n := &loop.Var{Name: "i", Type: loop.Scalar(tensor.Int64)}
	f := &loop.Func{Name: fmt.Sprintf("divide_%s_%d", d, lanes)}
	for i, length := range []int64{quotients, 1, quotients} {
		f.Buffers = append(f.Buffers, &loop.Buffer{Name: fmt.Sprintf("A%d", i), Type: loop.Scalar(d), Length: length, ReadOnly: i < 2})
		f.Params = append(f.Params, &loop.Param{Buffer: f.Buffers[i]})
	}
	x := &loop.Load{Buffer: f.Buffers[0], Index: &loop.VarRef{Var: n}, Lanes: lanes}
	y := &loop.Broadcast{X: &loop.Load{Buffer: f.Buffers[1], Index: loop.Int(0), Lanes: 1}, Lanes: lanes}
	f.Body = []loop.Stmt{&loop.For{Var: n, Lo: loop.Int(0), Hi: loop.Int(quotients), Step: int64(lanes), Body: []loop.Stmt{
		&loop.Store{Buffer: f.Buffers[2], Index: &loop.VarRef{Var: n}, Value: &loop.Binary{Op: ein.Div, X: x, Y: y}},
	}}}
	return f
}

// TestDivisionByScalar compares quotients of vectors bit by bit with Go's: of any bits, of neighbouring
// magnitudes, near the ends of the range, and with zeros among them.
func TestDivisionByScalar(t *testing.T) {
	for _, compiler := range compilers(t) {
		u := newUnit(Options{VectorBytes: 64})
		for _, lanes := range []int{16, 32} {
			u.kernel(divisionKernel(tensor.Float32, lanes), Symbol(fmt.Sprintf("divide_float32_%d", lanes)), "")
			u.kernel(divisionKernel(tensor.Float64, lanes/2), Symbol(fmt.Sprintf("divide_float64_%d", lanes/2)), "")
		}
		for _, helper := range []string{"r_div_by_f32x16(", "r_div_by_f64x8("} {
			if !strings.Contains(u.String(), helper) {
				t.Errorf("vectors are divided without %s)", helper)
			}
		}
		lib := build(t, compiler, u.String())
		r := rand.New(rand.NewPCG(3, 4))
		for range 1000 {
			for _, lanes := range []int{16, 32} {
				divide(t, lib, lanes, drawQuotients(r, 23, 127, func(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }))
				divide(t, lib, lanes/2, drawQuotients(r, 52, 1023, math.Float64frombits))
			}
		}
	}
}

// drawQuotients draws dividends, with room for their quotients and the divisor behind them.
func drawQuotients[F float32 | float64](r *rand.Rand, fraction, bias int, of func(uint64) F) []F {
	draw := func(spread int) F {
		exponent := max(0, min(2*bias+1, bias+r.IntN(2*spread+1)-spread))
		return of(uint64(r.IntN(2))<<(fraction+exponentBits(bias)) | uint64(exponent)<<fraction | r.Uint64()&(1<<fraction-1))
	}
	spreads := []int{0, 1, 20, bias + 1}
	dividends, divisor, zeros := spreads[r.IntN(len(spreads))], spreads[r.IntN(len(spreads))], r.IntN(4)
	list := make([]F, 2*quotients+1)
	for i := range quotients {
		if list[i] = draw(dividends); zeros == 0 && r.IntN(3) == 0 {
			list[i] *= 0
		}
	}
	list[2*quotients] = draw(divisor)
	return list
}

// exponentBits is the number of bits of an exponent with a bias.
func exponentBits(bias int) int {
	n := 0
	for ; bias > 0; bias /= 2 {
		n++
	}
	return n + 1
}

func divide[F float32 | float64](t *testing.T, lib library, lanes int, x []F) {
	t.Helper()
	got, y := x[quotients:2*quotients], x[2*quotients]
	args := append(make([]uint64, loop.HeaderWords), uint64(uintptr(unsafe.Pointer(&x[0]))), uint64(uintptr(unsafe.Pointer(&x[2*quotients]))), uint64(uintptr(unsafe.Pointer(&got[0]))))
	name := "float32"
	if unsafe.Sizeof(x[0]) == 8 {
		name = "float64"
	}
	lib.call(t, Symbol(fmt.Sprintf("divide_%s_%d", name, lanes)), args)
	runtime.KeepAlive(x)
	for i, q := range got {
		want := x[i] / y
		if q != want && (q == q || want == want) || q == 0 && math.Signbit(float64(q)) != math.Signbit(float64(want)) {
			t.Fatalf("%s x%d: %g / %g is %g, not %g", name, lanes, x[i], y, q, want)
		}
	}
}

// TestDivisionByPowerOfTwo: compilers multiply by the reciprocal of such a constant.
func TestDivisionByPowerOfTwo(t *testing.T) {
	for _, of := range []tensor.DType{tensor.Float32, tensor.Float64} {
		for _, test := range []struct {
			value float64
			want  bool
		}{{1024, true}, {0.25, true}, {-2, true}, {3, false}, {0.1, false}, {0, false}} {
			c := ein.FloatConst(of, test.value)
			if got := isPowerOfTwo(&loop.Const{Elem: of, Bits: c.Bits}); got != test.want {
				t.Errorf("%v of %s: %v", test.value, of, got)
			}
		}
	}
}
