package looptest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A FragmentCase is a product of a matrix unit: two types and how many terms a result has.
type FragmentCase struct {
	X, Y  tensor.DType
	Shape *ein.FragmentShape
}

// FragmentCases lists all products that matrix units know.
func FragmentCases() (list []FragmentCase) {
	for _, s := range ein.FragmentShapes() {
		for _, x := range s.Types {
			for _, y := range s.Types {
				list = append(list, FragmentCase{x, y, s})
			}
		}
	}
	return list
}

// Program is one of two sub-groups, each of which multiplies 16 rows of X by the columns of Y and adds the results to its part of Z: it loads fragments
// by the layouts, and stores what comes out by them.
func (c FragmentCase) Program() (*loop.Func, error) {
	k := c.Shape.Depth
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`kernel "fragments" workspace 0 {`)
	line("buffer X %s[%d] argument readonly", c.X, 2*ein.FragmentRows*k)
	line("buffer Y %s[%d] argument readonly", c.Y, k*ein.FragmentColumns)
	line("buffer Z %s[%d] argument", c.Shape.Sum, 2*ein.FragmentRows*ein.FragmentColumns)
	line("buffer x %s[%d] register\nbuffer y %s[%d] register\nbuffer z %s[4] register", c.X, len(c.Shape.X.Lines), c.Y, len(c.Shape.Y.Lines), c.Shape.Sum)
	line("params X, Y, Z\ngrid groups g = 1 items i = 64 width 32 {\nalloc x {\nalloc y {\nalloc z {")
	line("let n int64 = i %% 32")
	at := func(l ein.Layout, e int) (string, string) {
		return fmt.Sprintf("(n / 4 + %d)", l.Lines[e]), fmt.Sprintf("n %% 4 * %d + %d", l.Step, l.Along[e])
	}
	for e := range c.Shape.X.Lines {
		row, term := at(c.Shape.X, e)
		line("store x[%d] = X[(i / 32 * 16 + %s) * %d + %s]", e, row, k, term)
	}
	for e := range c.Shape.Y.Lines {
		column, term := at(c.Shape.Y, e)
		line("store y[%d] = Y[(%s) * 8 + %s]", e, term, column)
	}
	z := func(e int) string {
		row, column := at(c.Shape.Z, e)
		return fmt.Sprintf("Z[(i / 32 * 16 + %s) * 8 + %s]", row, column)
	}
	for e := range 4 {
		line("store z[%d] = %s", e, z(e))
	}
	line("fragments z[0 by 2] += x[0] * y[0] depth %d", k)
	for e := range 4 {
		line("store %s = z[%d]", z(e), e)
	}
	line("}\n}\n}\n}\n}")
	return loop.Parse(source.NewFile("fragments.loop", b.String()))
}

// Arguments draws operands and results of a Program, of whole numbers that all types have, or of fractions.
func (c FragmentCase) Arguments(r *rand.Rand, f *loop.Func, whole bool) []loop.Word {
	words := make([]loop.Word, len(f.Params))
	for i, p := range f.Params {
		values := make([]float64, p.Buffer.Length)
		for n := range values {
			values[n] = float64(r.IntN(8))
			if p.Buffer.Type.Elem.Kind() != tensor.KindUint {
				values[n] -= 4
			}
			if !whole && p.Buffer.Type.Elem.IsFloat() {
				values[n] = r.NormFloat64()
			}
		}
		words[i].Bytes = Bytes(p.Buffer.Type.Elem, values)
	}
	return words
}

// Bytes are numbers as elements of a type in memory.
func Bytes(d tensor.DType, values []float64) []byte {
	memory := make([]uint64, (len(values)*d.Size()+7)/8)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(memory))), len(values)*d.Size())
	t, err := tensor.FromPointer(d, unsafe.Pointer(unsafe.SliceData(memory)), []int{len(values)}, []int{1})
	if err != nil {
		panic(err)
	}
	for i, v := range values {
		t.SetFloat(v, i)
	}
	return bytes
}

// Numbers are elements of a type in memory as numbers.
func Numbers(d tensor.DType, bytes []byte) (list []float64) {
	t, err := tensor.FromPointer(d, unsafe.Pointer(unsafe.SliceData(bytes)), []int{len(bytes) / d.Size()}, []int{1})
	if err != nil {
		panic(err)
	}
	for i := range len(bytes) / d.Size() {
		list = append(list, t.Float(i))
	}
	return list
}
