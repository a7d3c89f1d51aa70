package c

import (
	bits "encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// conversion is a kernel that converts n elements of one type to another.
func conversion(from, to tensor.DType, lanes int, n int64) *loop.Func {
	i := &loop.Var{Name: "i", Type: loop.Scalar(tensor.Int64)}
	x := &loop.Buffer{Name: "X", Type: loop.Scalar(from), Length: n, ReadOnly: true}
	y := &loop.Buffer{Name: "Y", Type: loop.Scalar(to), Length: n}
	var value loop.Expr = &loop.Load{Buffer: x, Index: &loop.VarRef{Var: i}, Lanes: lanes}
	if from.Compute() != to.Compute() {
		value = &loop.Cast{X: value, To: to.Compute()}
	}
	return &loop.Func{Name: fmt.Sprintf("from_%s_to_%s_%d", from, to, lanes), Buffers: []*loop.Buffer{x, y}, Params: []*loop.Param{{Buffer: x}, {Buffer: y}}, Body: []loop.Stmt{
		&loop.For{Var: i, Lo: loop.Int(0), Hi: loop.Int(n), Step: int64(lanes), Body: []loop.Stmt{
			&loop.Store{Buffer: y, Index: &loop.VarRef{Var: i}, Value: value}}}}}
}

// TestConversionsOfHalves compares conversions from and to floats of 16 bits with the
// evaluator, bit for bit: all of them, and floats at the ends of every range.
func TestConversionsOfHalves(t *testing.T) {
	const n = 1 << 16
	draw := rand.New(rand.NewPCG(5, 6))
	halves, floats := make([]byte, 2*n), make([]byte, 4*n)
	for i := range n {
		bits.LittleEndian.PutUint16(halves[2*i:], uint16(i))
		pattern := uint32(i)<<16 | []uint32{0, 1, 0x7fff, 0x8000, 0x8001, 0xffff, 0x1000, draw.Uint32() & 0xffff}[draw.IntN(8)]
		switch {
		case i%16 == 0:
			pattern = math.Float32bits(float32(math.Ldexp(draw.Float64()*2-1, draw.IntN(50)-30))) // of the range of float16
		case i%4096 < 2048 && i%64 < 16:
			pattern = math.Float32bits(float32(i)) // whole vectors without denormals
		}
		bits.LittleEndian.PutUint32(floats[4*i:], pattern)
	}
	var list []*loop.Func
	for _, half := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		for _, lanes := range []int{1, 4, 8, 16, 32} {
			list = append(list, conversion(half, tensor.Float32, lanes, n), conversion(tensor.Float32, half, lanes, n))
		}
	}
	testConversions(t, list, func(d tensor.DType) []byte {
		if d == tensor.Float32 {
			return floats
		}
		return halves
	})
}

// TestWidening compares conversions of vectors of integers to wider types with the evaluator.
func TestWidening(t *testing.T) {
	data := make([]byte, 4096)
	for i := range data {
		data[i] = byte(i * 37)
	}
	var list []*loop.Func
	for _, from := range []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16, tensor.Int32, tensor.Uint32} {
		for _, to := range []tensor.DType{tensor.Int16, tensor.Uint16, tensor.Int32, tensor.Int64, tensor.Uint64, tensor.Float32, tensor.Float64} {
			for _, lanes := range []int{4, 8, 16, 32} {
				if to.IsFloat() || to.Size() > from.Size() {
					list = append(list, conversion(from, to, lanes, 512))
				}
			}
		}
	}
	testConversions(t, list, func(d tensor.DType) []byte { return data[:512*d.Size()] })
}

// testConversions runs kernels on data of the type that they read.
func testConversions(t *testing.T, list []*loop.Func, data func(tensor.DType) []byte) {
	t.Helper()
	text, err := PrintUnit(list, Options{Parallel: Serial})
	if err != nil {
		t.Fatal(err)
	}
	for _, compiler := range compilers(t) {
		for _, flags := range [][]string{nil, {"-march=x86-64-v3"}} {
			if flags != nil && runtime.GOARCH != "amd64" {
				continue
			}
			lib := build(t, compiler, text, append(flags, "-w")...)
			for _, f := range list {
				to := f.Params[1].Buffer.Type.Elem
				args := []loop.Word{{Bytes: slices.Clone(data(f.Params[0].Buffer.Type.Elem))}, {Bytes: make([]byte, f.Params[1].Buffer.Length*int64(to.Size()))}}
				want, fault := cloneArguments(args), [2]int64{}
				if _, err := loop.Evaluate(f, want); err != nil {
					t.Fatal(err)
				}
				lib.call(t, Symbol(f.Name), argumentBlock(f, args, &fault))
				for i := 0; i < len(want[1].Bytes); i += to.Size() {
					if got, want := args[1].Bytes[i:i+to.Size()], want[1].Bytes[i:i+to.Size()]; !sameElements(to, got, want) {
						t.Fatalf("%s %v %s: element %d is %x, want %x", compiler, flags, f.Name, i/to.Size(), got, want)
					}
				}
			}
		}
	}
}
