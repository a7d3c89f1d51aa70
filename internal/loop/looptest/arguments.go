package looptest

import (
	"bytes"
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// Arguments draws the words of a program: bytes of any kind, and mostly moderate numbers of floats of 32 and 64 bits.
func Arguments(r *rand.Rand, f *loop.Func) []loop.Word {
	args := make([]loop.Word, len(f.Params))
	for i, p := range f.Params {
		if p.Buffer == nil {
			args[i].Value = int64(r.IntN(100))
			continue
		}
		size := p.Buffer.Type.Elem.Size()
		data := make([]byte, size*int(p.Buffer.Length))
		for k := range data {
			data[k] = byte(r.IntN(256))
			if p.Buffer.Type.Elem == tensor.Bool {
				data[k] &= 1
			}
		}
		if p.Buffer.Type.Elem == tensor.Float32 || p.Buffer.Type.Elem == tensor.Float64 { // mostly moderate numbers
			for k := 0; k < len(data); k += size {
				data[k+size-1] = data[k+size-1]&0x80 | 0x40
				data[k+size-2] &= 0x1f
			}
		}
		args[i].Bytes = data
	}
	return args
}

// Same reports whether elements in memory are the same; one NaN is as good as another.
func Same(d tensor.DType, a, b []byte) bool {
	if !d.IsFloat() {
		return bytes.Equal(a, b)
	}
	for i := 0; i < len(a); i += d.Size() {
		if !bytes.Equal(a[i:i+d.Size()], b[i:i+d.Size()]) && !(isNaN(d, a[i:]) && isNaN(d, b[i:])) {
			return false
		}
	}
	return true
}

func isNaN(d tensor.DType, b []byte) bool {
	switch d {
	case tensor.Float16:
		return b[1]&0x7c == 0x7c && (b[1]&3 != 0 || b[0] != 0)
	case tensor.BFloat16:
		return b[1]&0x7f == 0x7f && b[0]&0x80 != 0 && b[0]&0x7f != 0
	case tensor.Float32:
		return math.IsNaN(float64(*(*float32)(unsafe.Pointer(&b[0]))))
	}
	return math.IsNaN(*(*float64)(unsafe.Pointer(&b[0])))
}
