package c

import (
	"fmt"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// TestWiden converts every narrow integer type to every wider one, in vectors that fill a
// part of a register, one register, and several.
func TestWiden(t *testing.T) {
	const count = 256
	narrow := []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16, tensor.Int32, tensor.Uint32}
	wide := []tensor.DType{tensor.Int16, tensor.Uint16, tensor.Int32, tensor.Uint32, tensor.Int64, tensor.Uint64}
	for _, compiler := range compilers(t) {
		for _, registerBytes := range []int{64, 32} {
			u := newUnit(Options{VectorBytes: registerBytes})
			var made []*loop.Func
			for _, from := range narrow {
				for _, to := range wide {
					for lanes := 2; lanes <= 32 && to.Size() > from.Size(); lanes *= 2 {
						f := wideningKernel(from, to, lanes, count)
						u.kernel(f, Symbol(f.Name), "")
						made = append(made, f)
					}
				}
			}
			lib := build(t, compiler, u.String())
			for _, f := range made {
				testWidening(t, lib, f)
			}
		}
	}
}

func wideningKernel(from, to tensor.DType, lanes, count int) *loop.Func {
	n := &loop.Var{Name: "i", Type: loop.Scalar(tensor.Int64)}
	in := &loop.Buffer{Name: "A", Type: loop.Scalar(from), Length: int64(count), ReadOnly: true}
	out := &loop.Buffer{Name: "B", Type: loop.Scalar(to), Length: int64(count)}
	f := &loop.Func{Name: fmt.Sprintf("widen_%s_%s_%d", from, to, lanes), Buffers: []*loop.Buffer{in, out}, Params: []*loop.Param{{Buffer: in}, {Buffer: out}}}
	f.Body = []loop.Stmt{&loop.For{Var: n, Lo: loop.Int(0), Hi: loop.Int(int64(count)), Step: int64(lanes), Body: []loop.Stmt{
		&loop.Store{Buffer: out, Index: &loop.VarRef{Var: n}, Value: &loop.Cast{To: to, X: &loop.Load{Buffer: in, Index: &loop.VarRef{Var: n}, Lanes: lanes}}},
	}}}
	return f
}

func testWidening(t *testing.T, lib library, f *loop.Func) {
	from, to := f.Buffers[0], f.Buffers[1]
	in, err := tensor.New(from.Type.Elem, int(from.Length))
	if err != nil {
		t.Fatal(err)
	}
	out, err := tensor.New(to.Type.Elem, int(to.Length))
	if err != nil {
		t.Fatal(err)
	}
	for i := range int(from.Length) {
		in.SetIntAt(i, int64(i)*0x0123456789abcdf)
	}
	args := make([]uint64, loop.HeaderWords+2)
	args[loop.HeaderWords] = uint64(uintptr(in.Pointer()))
	args[loop.HeaderWords+1] = uint64(uintptr(out.Pointer()))
	lib.call(t, Symbol(f.Name), args)
	for i := range int(from.Length) {
		want := in.IntAt(i)
		if to.Type.Elem.Kind() == tensor.KindUint {
			want = int64(uint64(want) << (64 - 8*to.Type.Elem.Size()) >> (64 - 8*to.Type.Elem.Size()))
		}
		if got := out.IntAt(i); got != want {
			t.Fatalf("%s: element %d is %d, want %d", f.Name, i, got, want)
		}
	}
}
