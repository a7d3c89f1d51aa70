package c

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// divisors are of all kinds that compilers tell apart: with and without an addition behind the
// product with the reciprocal, even, and near the ends of types.
var divisors = []int64{3, 7, 9, 10, 28, 100, 127}

// constantKernel writes the quotient and the remainder of each number by a constant.
func constantKernel(d tensor.DType, lanes, length int, divisor int64) *loop.Func {
	n := &loop.Var{Name: "i", Type: loop.Scalar(tensor.Int64)}
	f := &loop.Func{Name: fmt.Sprintf("constant_%s_%d", d, divisor)}
	for i := range 3 {
		f.Buffers = append(f.Buffers, &loop.Buffer{Name: fmt.Sprintf("A%d", i), Type: loop.Scalar(d), Length: int64(length), ReadOnly: i == 0})
		f.Params = append(f.Params, &loop.Param{Buffer: f.Buffers[i]})
	}
	x := &loop.Load{Buffer: f.Buffers[0], Index: &loop.VarRef{Var: n}, Lanes: lanes}
	y := &loop.Broadcast{X: &loop.Const{Elem: d, Bits: uint64(divisor)}, Lanes: lanes}
	body := []loop.Stmt{
		&loop.Store{Buffer: f.Buffers[1], Index: &loop.VarRef{Var: n}, Value: &loop.Binary{Op: ein.Div, X: x, Y: y}},
		&loop.Store{Buffer: f.Buffers[2], Index: &loop.VarRef{Var: n}, Value: &loop.Binary{Op: ein.Mod, X: x, Y: y}},
	}
	f.Body = []loop.Stmt{&loop.For{Var: n, Lo: loop.Int(0), Hi: loop.Int(int64(length)), Step: int64(lanes), Body: body}}
	return f
}

// TestDivisionByConstant divides all numbers of 8 and 16 bits, and many of 32, by constants.
func TestDivisionByConstant(t *testing.T) {
	for _, compiler := range compilers(t) {
		for _, bytes := range []int{16, 64} {
			u := newUnit(Options{VectorBytes: bytes})
			for _, divisor := range divisors {
				for _, d := range []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16, tensor.Int32, tensor.Uint32} {
					u.kernel(constantKernel(d, 64/d.Size(), 1<<16, divisor), Symbol(fmt.Sprintf("constant_%s_%d", d, divisor)), "")
				}
			}
			lib := build(t, compiler, u.String())
			for _, divisor := range divisors {
				divideByConstant[int8](t, lib, tensor.Int8, divisor)
				divideByConstant[uint8](t, lib, tensor.Uint8, divisor)
				divideByConstant[int16](t, lib, tensor.Int16, divisor)
				divideByConstant[uint16](t, lib, tensor.Uint16, divisor)
				divideByConstant[int32](t, lib, tensor.Int32, divisor)
				divideByConstant[uint32](t, lib, tensor.Uint32, divisor)
			}
		}
	}
}

func divideByConstant[I int8 | uint8 | int16 | uint16 | int32 | uint32](t *testing.T, lib library, d tensor.DType, divisor int64) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, uint64(divisor)))
	x, quotient, remainder := make([]I, 1<<16), make([]I, 1<<16), make([]I, 1<<16)
	for k := range x {
		if x[k] = I(k); d.Size() == 4 && k%8 > 0 {
			x[k] = I(r.Uint64())
		}
	}
	x[0], x[1], x[2] = I(1)<<(8*d.Size()-1), ^I(0), ^(I(1) << (8*d.Size() - 1))
	args := append(make([]uint64, loop.HeaderWords), uint64(uintptr(unsafe.Pointer(&x[0]))), uint64(uintptr(unsafe.Pointer(&quotient[0]))), uint64(uintptr(unsafe.Pointer(&remainder[0]))))
	lib.call(t, Symbol(fmt.Sprintf("constant_%s_%d", d, divisor)), args)
	runtime.KeepAlive([][]I{x, quotient, remainder})
	for k := range x {
		m := (int64(x[k])%divisor + divisor) % divisor
		if q := (int64(x[k]) - m) / divisor; int64(quotient[k]) != q || int64(remainder[k]) != m {
			t.Fatalf("%s: %d by %d is %d and %d, not %d and %d", d, x[k], divisor, quotient[k], remainder[k], q, m)
		}
	}
}
