package c

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// TestTranspose compares planes of many shapes with the evaluator: those that are written past the
// caches or ask ahead, too, from any place on, for all sizes of elements and two widths of vectors.
// What lies beside a plane keeps its value.
func TestTranspose(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 2))
	shapes := [][2]int64{{0, 5}, {1, 1}, {3, 40}, {16, 16}, {17, 33}, {40, 7}, {64, 64}, {2, 69}, {4, 3}, {4, 16}, {4, 69}, {14, 32}, {7, 16}, {5, 64}, {3, 4},
		{31, 31}, {33, 129}, {47, 65}, {24, 300}, {50, 272}, {95, 18}}
	var list []*loop.Func
	for _, elem := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int16, tensor.Int8} {
		for _, shape := range shapes {
			for kind := range 3 {
				list = append(list, planeProgram(t, draw, elem, shape, kind == 1, kind == 2, len(list)))
			}
		}
	}
	list = sweep.Some(t, list, 4) // no divisor of the kinds
	for _, width := range []int{16, 64} {
		text, err := PrintUnit(list, Options{VectorBytes: width})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text, "  r_transpose_stream_"); n < len(list)/12 {
			t.Errorf("%d planes are written past the caches", n)
		}
		for _, compiler := range compilers(t) {
			lib := build(t, compiler, text)
			for _, f := range list {
				args := randomArguments(draw, f)
				want := cloneArguments(args)
				if _, err := loop.Evaluate(f, want); err != nil {
					t.Fatal(err)
				}
				lib.call(t, Symbol(f.Name), argumentBlock(f, args, &[2]int64{}))
				if !bytes.Equal(args[1].Bytes, want[1].Bytes) {
					t.Fatalf("%s, %d bytes: differs\n%s", compiler, width, loop.Print(f))
				}
			}
		}
	}
}

// planeProgram transposes a plane that begins anywhere in its arrays. Rows of the result that have
// a word of 32 bits lie end to end, as interleaved ones do.
func planeProgram(t *testing.T, draw *rand.Rand, elem tensor.DType, shape [2]int64, ahead, stream bool, number int) *loop.Func {
	rows, columns := shape[0], shape[1]
	from, to := int64(draw.IntN(20)), int64(draw.IntN(2)*draw.IntN(20))
	apart, stride := columns+int64(draw.IntN(9)), rows+int64(draw.IntN(2)*draw.IntN(9))
	if rows*int64(elem.Size()) == 4 {
		stride = rows
	}
	src := &loop.Buffer{Name: "src", Type: loop.Scalar(elem), Length: from + rows*apart + 1, ReadOnly: true}
	dst := &loop.Buffer{Name: "dst", Type: loop.Scalar(elem), Length: to + columns*stride + 70}
	f := &loop.Func{Name: fmt.Sprintf("plane%d", number), Buffers: []*loop.Buffer{src, dst}, Params: []*loop.Param{{Buffer: src}, {Buffer: dst}}, Body: []loop.Stmt{
		&loop.Transpose{Dst: dst, At: loop.Int(to), Stride: loop.Int(stride), Src: src, SrcAt: loop.Int(from), SrcStride: loop.Int(apart), Ahead: ahead, Stream: stream, Rows: loop.Int(rows), Cols: loop.Int(columns)}}}
	if err := loop.Verify(f); err != nil {
		t.Fatal(err)
	}
	return f
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
