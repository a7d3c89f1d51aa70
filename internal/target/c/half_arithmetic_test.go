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

// halfOperations are what is computed in float16, and what that is in float32.
var halfOperations = []struct {
	name  string
	make  func(x, y loop.Expr) loop.Expr
	value func(x, y float32) float32
}{
	{"add", operation(ein.Add), func(x, y float32) float32 { return x + y }},
	{"sub", operation(ein.Sub), func(x, y float32) float32 { return x - y }},
	{"mul", operation(ein.Mul), func(x, y float32) float32 { return x * y }},
	{"fabs", func(x, y loop.Expr) loop.Expr { return operation(ein.Mul)(call("fabs", x), y) }, func(x, y float32) float32 {
		return float32(math.Abs(float64(x))) * y
	}},
	{"min", operation(ein.Min), lesser},
	{"max", operation(ein.Max), greater},
	{"sum", func(x, y loop.Expr) loop.Expr { return operation(ein.Max)(operation(ein.Add)(x, y), x) }, func(x, y float32) float32 { return greater(x+y, x) }},
	{"neg", func(x, y loop.Expr) loop.Expr { return &loop.Unary{Op: ein.Neg, X: operation(ein.Sub)(x, y)} }, func(x, y float32) float32 { return -(x - y) }},
	{"fmax", func(x, y loop.Expr) loop.Expr { return call("fmax", x, y) }, evaluated("fmax")},
	{"fmin", func(x, y loop.Expr) loop.Expr { return call("fmin", x, y) }, evaluated("fmin")},
	{"half", func(x, _ loop.Expr) loop.Expr {
		half := ein.FloatConst(tensor.Float32, 0.5)
		return operation(ein.Mul)(x, &loop.Broadcast{X: &loop.Const{Elem: tensor.Float32, Bits: half.Bits}, Lanes: x.Type().Lanes})
	}, func(x, _ float32) float32 { return x * 0.5 }},
}

func operation(op ein.BinaryOp) func(x, y loop.Expr) loop.Expr {
	return func(x, y loop.Expr) loop.Expr { return &loop.Binary{Op: op, X: x, Y: y} }
}

func call(name string, args ...loop.Expr) loop.Expr {
	f, _ := ein.LookupBuiltin(name)
	return &loop.Call{Func: f, Args: args}
}

// evaluated is a builtin function as package ein computes it.
func evaluated(name string) func(x, y float32) float32 {
	f, _ := ein.LookupBuiltin(name)
	return func(x, y float32) float32 { return float32(f.Eval(tensor.Float32, []float64{float64(x), float64(y)})) }
}

func lesser(x, y float32) float32 {
	if y < x {
		return y
	}
	return x
}

func greater(x, y float32) float32 {
	if y > x {
		return y
	}
	return x
}

const halfCount = 1 << 16 // all numbers of 16 bits

// halfKernel computes an operation on two arrays of float16.
func halfKernel(name string, lanes int, value func(x, y loop.Expr) loop.Expr) *loop.Func {
	n := &loop.Var{Name: "i", Type: loop.Scalar(tensor.Int64)}
	f := &loop.Func{Name: fmt.Sprintf("%s_%d", name, lanes)}
	for i := range 3 {
		f.Buffers = append(f.Buffers, &loop.Buffer{Name: fmt.Sprintf("A%d", i), Type: loop.Scalar(tensor.Float16), Length: halfCount, ReadOnly: i < 2})
		f.Params = append(f.Params, &loop.Param{Buffer: f.Buffers[i]})
	}
	read := func(b int) loop.Expr {
		return &loop.Load{Buffer: f.Buffers[b], Index: &loop.VarRef{Var: n}, Lanes: lanes}
	}
	f.Body = []loop.Stmt{&loop.For{Var: n, Lo: loop.Int(0), Hi: loop.Int(halfCount), Step: int64(lanes), Body: []loop.Stmt{
		&loop.Store{Buffer: f.Buffers[2], Index: &loop.VarRef{Var: n}, Value: value(read(0), read(1))}}}}
	return f
}

// TestHalfArithmetic compares operations of float16 with those of float32 that are rounded once: of
// all numbers with random ones, of which many are near to each other, and with those at the ends of
// ranges.
func TestHalfArithmetic(t *testing.T) {
	for _, compiler := range compilers(t) {
		machines := [][]string{nil}
		if runtime.GOARCH == "amd64" {
			machines = append(machines, []string{"-march=haswell"}) // which has no float16
		}
		for _, flags := range machines {
			u := newUnit(Options{VectorBytes: 64})
			for _, op := range halfOperations {
				for _, lanes := range []int{8, 16, 32, 64} {
					f := halfKernel(op.name, lanes, op.make)
					u.kernel(f, Symbol(f.Name), "")
				}
			}
			text := u.String()
			for _, part := range []string{"r_half_add_u16x32(", "0x3800 + (u16x32){}", "r_half_min_u16x32(", "^ (u16)0x8000"} {
				if !strings.Contains(text, part) {
					t.Fatalf("there is no arithmetic of float16 with %s in\n%s", part, text)
				}
			}
			lib := build(t, compiler, text, flags...)
			for seed := range uint64(8) {
				x, y := drawHalves(seed)
				for _, op := range halfOperations {
					for _, lanes := range []int{8, 16, 32, 64} {
						checkHalves(t, lib, op.name, lanes, x, y, op.value)
					}
				}
			}
		}
	}
}

func drawHalves(seed uint64) (x, y []uint16) {
	r := rand.New(rand.NewPCG(seed, 1))
	special := []uint16{0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x3c00, 0x3c01, 0x6400}
	for k := range halfCount {
		x = append(x, uint16(k))
		switch r.IntN(4) {
		case 0:
			y = append(y, special[r.IntN(len(special))])
		case 1:
			y = append(y, uint16(k)+uint16(r.IntN(9))-4)
		default:
			y = append(y, uint16(r.Uint32()))
		}
	}
	return x, y
}

func checkHalves(t *testing.T, lib library, name string, lanes int, x, y []uint16, value func(x, y float32) float32) {
	t.Helper()
	got := make([]uint16, halfCount)
	args := append(make([]uint64, loop.HeaderWords), uint64(uintptr(unsafe.Pointer(&x[0]))), uint64(uintptr(unsafe.Pointer(&y[0]))), uint64(uintptr(unsafe.Pointer(&got[0]))))
	lib.call(t, Symbol(fmt.Sprintf("%s_%d", name, lanes)), args)
	runtime.KeepAlive([][]uint16{x, y, got})
	isNaN := func(h uint16) bool { return h&0x7fff > 0x7c00 }
	for k := range got {
		want := tensor.Float32ToFloat16(value(tensor.Float16ToFloat32(x[k]), tensor.Float16ToFloat32(y[k])))
		if got[k] != want && !(isNaN(want) && isNaN(got[k])) {
			t.Fatalf("%s of %04x and %04x in %d lanes is %04x, not %04x", name, x[k], y[k], lanes, got[k], want)
		}
	}
}
