package c

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// TestTranspose compares planes of many shapes with the definition.
func TestTranspose(t *testing.T) {
	for _, compiler := range compilers(t) {
		testTranspose(t, compiler)
	}
}

func testTranspose(t *testing.T, compiler string) {
	const far = 70
	for _, elem := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int16, tensor.Int8} {
		for _, shape := range [][2]int64{{1, 1}, {3, 40}, {16, 16}, {17, 33}, {40, 7}, {64, 64}, {2, 69}, {4, 3}, {4, 16}, {4, 69}, {14, 32}, {7, 16}, {5, 64}, {3, 4}} {
			stride := int64(far)
			if shape[0]*int64(elem.Size()) == 4 {
				stride = shape[0] // words of 32 bits
			}
			src := &loop.Buffer{Name: "src", Type: loop.Scalar(elem), Length: far * far, ReadOnly: true}
			dst := &loop.Buffer{Name: "dst", Type: loop.Scalar(elem), Length: far * far}
			f := &loop.Func{Name: "plane", Buffers: []*loop.Buffer{src, dst}, Params: []*loop.Param{{Buffer: src}, {Buffer: dst}}, Body: []loop.Stmt{
				&loop.Transpose{Dst: dst, At: loop.Int(3), Stride: loop.Int(stride), Src: src, SrcAt: loop.Int(5), SrcStride: loop.Int(far - 1), Ahead: shape[1]%2 == 1, Rows: loop.Int(shape[0]), Cols: loop.Int(shape[1])}}}
			if err := loop.Verify(f); err != nil {
				t.Fatal(err)
			}
			in, out := make([]byte, far*far*8), make([]byte, far*far*8)
			for i := range in {
				in[i] = byte(i*7 + i/256)
			}
			text, err := Print(f, Options{})
			if err != nil {
				t.Fatal(err)
			}
			words := []uint64{0, 1, 0, 0, uint64(uintptr(unsafe.Pointer(&in[0]))), uint64(uintptr(unsafe.Pointer(&out[0])))}
			build(t, compiler, text).call(t, Symbol(f.Name), words)
			size := int64(elem.Size())
			for r := range shape[0] {
				for c := range shape[1] {
					from, to := (5+r*(far-1)+c)*size, (3+c*stride+r)*size
					if string(in[from:from+size]) != string(out[to:to+size]) {
						t.Fatalf("%s %v: row %d, column %d differs", elem, shape, r, c)
					}
				}
			}
		}
	}
}

// TestRowsAhead: a plane asks for its own next rows, and none for those of what lies behind it.
func TestRowsAhead(t *testing.T) {
	for rows, asks := range map[int64]bool{8: false, 16: false, 17: true, 64: true} {
		src := &loop.Buffer{Name: "src", Type: loop.Scalar(tensor.Float32), Length: 64 * 512, ReadOnly: true}
		dst := &loop.Buffer{Name: "dst", Type: loop.Scalar(tensor.Float32), Length: 64 * 512}
		f := &loop.Func{Name: "plane", Buffers: []*loop.Buffer{src, dst}, Params: []*loop.Param{{Buffer: src}, {Buffer: dst}}, Body: []loop.Stmt{
			&loop.Transpose{Dst: dst, At: loop.Int(0), Stride: loop.Int(64), Src: src, SrcAt: loop.Int(0), SrcStride: loop.Int(512), Ahead: true, Rows: loop.Int(rows), Cols: loop.Int(512)}}}
		text, err := Print(f, Options{VectorBytes: 64})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(text, "__builtin_prefetch"); got != asks {
			t.Errorf("a plane of %d rows asks for rows ahead: %t", rows, got)
		}
	}
}
