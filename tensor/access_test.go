package tensor

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestConversions(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		to   DType
		v    float64
		want string
	}{
		{Int8, 127.9, "127"}, {Int8, 128, "127"}, {Int8, -128.9, "-128"}, {Int8, -1e30, "-128"}, {Int8, nan, "0"},
		{Int8, -0.9, "0"}, {Uint8, 255.9, "255"}, {Uint8, 256, "255"}, {Uint8, -3, "0"}, {Uint8, nan, "0"},
		{Int64, 1e30, "9223372036854775807"}, {Int64, -inf, "-9223372036854775808"}, {Int64, -1 << 63, "-9223372036854775808"},
		{Uint64, inf, "18446744073709551615"}, {Uint64, 1 << 63, "9223372036854775808"}, {Uint64, -inf, "0"},
		{Int32, 2147483647.5, "2147483647"}, {Uint32, 4294967295.5, "4294967295"}, {Int16, -32769, "-32768"},
		{Bool, 0.1, "True"}, {Bool, 0, "False"}, {Bool, math.Copysign(0, -1), "False"}, {Bool, nan, "True"},
		{Float16, 65520, "inf"}, {Float16, 65519.99, "65500.0"}, {Float16, 1e-9, "0.0"}, {Float16, nan, "nan"},
		{Float32, 1e40, "inf"}, {Float32, 0.1, "0.1"}, {BFloat16, 1.00390625, "1.0"}, {BFloat16, 1.01171875, "1.016"},
	}
	for _, test := range tests {
		x := must(t)(New(test.to))
		x.SetFloat(test.v)
		if got := x.String(); got != test.want {
			t.Errorf("%v as %s is %s, want %s", test.v, test.to, got, test.want)
		}
	}
}

func TestIntegerConversions(t *testing.T) {
	tests := []struct {
		to   DType
		v    int64
		want string
	}{
		{Int8, 200, "-56"}, {Uint8, -1, "255"}, {Uint64, -1, "18446744073709551615"}, {Int16, 1 << 20, "0"},
		{Bool, 256, "True"}, {Float32, 1<<24 + 1, "16777216.0"}, {Float16, -2049, "-2048.0"}, {Float64, -3, "-3.0"},
	}
	for _, test := range tests {
		x := must(t)(New(test.to))
		x.SetInt(test.v)
		if got := x.String(); got != test.want {
			t.Errorf("%d as %s is %s, want %s", test.v, test.to, got, test.want)
		}
	}
	x := must(t)(FromSlice([]int8{-1}, 1))
	if x.Uint(0) != math.MaxUint64 || x.Int(0) != -1 || x.Float(0) != -1 || x.Bits(0) != 0xFF {
		t.Errorf("int8 -1 is %d, %d, %v, %x", x.Uint(0), x.Int(0), x.Float(0), x.Bits(0))
	}
	x.SetUint(300, 0)
	if x.Int(0) != 44 {
		t.Errorf("300 as int8 is %d", x.Int(0))
	}
	x.SetBits(0x80, 0)
	if x.Int(0) != -128 {
		t.Errorf("bits 0x80 as int8 are %d", x.Int(0))
	}
	large := must(t)(FromSlice([]float64{-2.5, 1e30}, 2))
	if large.Int(0) != -2 || large.Uint(0) != 0 || large.Int(1) != math.MaxInt64 || large.Uint(1) != math.MaxUint64 {
		t.Errorf("%v is %d, %d, %d, %d", large, large.Int(0), large.Uint(0), large.Int(1), large.Uint(1))
	}
}

func TestIndexPanics(t *testing.T) {
	x := iotaTensor(t, Int8, 2, 3)
	for _, index := range [][]int{{0}, {0, 3}, {-1, 0}, {0, 0, 0}} {
		func() {
			defer func() {
				err, isError := recover().(error)
				if !isError || !strings.Contains(err.Error(), "of shape [2 3]") {
					t.Errorf("index %v: %v", index, err)
				}
			}()
			x.Int(index...)
		}()
	}
}

// nearestHalf finds the nearest 16-bit float, ties to even, by trying all.
func nearestHalf(d DType, v *big.Float) uint16 {
	best, distance := uint16(0), (*big.Float)(nil)
	for b := range uint32(1 << 16) {
		value := floatOf(d, uint64(b))
		if b == 1<<15 || !isFinite(value) {
			continue
		}
		gap := new(big.Float).SetPrec(200).Sub(big.NewFloat(value), v)
		gap.Abs(gap)
		closer := distance == nil || gap.Cmp(distance) < 0
		tie := distance != nil && gap.Cmp(distance) == 0 && b&1 == 0
		if closer || tie {
			best, distance = uint16(b), gap
		}
	}
	return best
}

// A conversion to a 16-bit float rounds once: the result is the nearest of all
// values, found by trying them.
func TestHalfRounding(t *testing.T) {
	interesting := []float64{
		1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-40, 1 + 3*0x1p-11, 1 + 3*0x1p-11 - 0x1p-40, -1 - 0x1p-11 - 0x1p-50,
		1 + 0x1p-8, 1 + 0x1p-8 + 0x1p-40, 1 + 3*0x1p-8 - 0x1p-45, 0x1p-25, 0x1p-25 + 0x1p-60, 3 * 0x1p-25, 0x1p-24, 2047.5, 65503.999,
	}
	for _, d := range []DType{Float16, BFloat16} {
		for _, v := range interesting {
			if got, want := toHalf(d, v), nearestHalf(d, big.NewFloat(v)); got != want {
				t.Errorf("%v as %s is %#04x, want %#04x", v, d, got, want)
			}
		}
	}
	x := must(t)(New(BFloat16))
	for _, v := range []int64{1<<62 + 1<<54 + 1, 1<<62 + 1<<54, -(1<<62 + 1<<54 + 1), 257, 259} {
		x.SetInt(v)
		want := nearestHalf(BFloat16, new(big.Float).SetInt64(v))
		if got := uint16(x.Bits()); got != want {
			t.Errorf("%d as bfloat16 is %#04x, want %#04x", v, got, want)
		}
	}
}

// Every 16-bit float survives the way to float32 and back; NaN stays NaN.
func TestHalfRoundTrip(t *testing.T) {
	for b := range uint32(1 << 16) {
		h := uint16(b)
		if f := Float16ToFloat32(h); f == f && Float32ToFloat16(f) != h || f != f && h&0x7FFF <= 0x7C00 {
			t.Fatalf("float16 %#04x is %v", h, f)
		}
		if f := BFloat16ToFloat32(h); f == f && Float32ToBFloat16(f) != h || f != f && h&0x7FFF <= 0x7F80 {
			t.Fatalf("bfloat16 %#04x is %v", h, f)
		}
	}
	for _, bits := range []uint32{0x7F800001, 0xFF800001, 0x7FFFFFFF, 0x7FC00000} {
		f := math.Float32frombits(bits)
		for _, d := range []DType{Float16, BFloat16} {
			h := bitsOfFloat(d, float64(f))
			if v := floatOf(d, h); v == v || h>>15 != uint64(bits>>31) {
				t.Errorf("NaN %#x as %s is %#x", bits, d, h)
			}
		}
	}
	if got := Float32ToBFloat16(math.MaxFloat32); got != 0x7F80 {
		t.Errorf("the largest float32 as bfloat16 is %#x", got)
	}
}

// CopyFrom does for whole tensors what reading and writing elements does.
func TestCopyFromProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		src := drawTensor(r)
		d := rapid.SampledFrom(DTypes()).Draw(r, "to")
		got, err := src.Convert(d)
		if err != nil {
			r.Fatal(err)
		}
		position := 0
		one, err := New(d)
		if err != nil {
			r.Fatal(err)
		}
		for offset := range src.Offsets() {
			switch {
			case src.DType() == d:
				one.SetBitsAt(0, src.BitsAt(offset))
			case src.DType().IsFloat():
				one.SetFloatAt(0, src.FloatAt(offset))
			case src.DType().Kind() == KindInt:
				one.SetIntAt(0, src.IntAt(offset))
			default:
				one.SetUintAt(0, src.UintAt(offset))
			}
			if got.BitsAt(position) != one.BitsAt(0) {
				r.Fatalf("%x of %s as %s is %x, want %x", src.BitsAt(offset), src.DType(), d, got.BitsAt(position), one.BitsAt(0))
			}
			position++
		}
	})
}

func TestCopyOverlap(t *testing.T) {
	x := iotaTensor(t, Int32, 6)
	head, tail := must(t)(x.Slice(0, 0, 5, 1)), must(t)(x.Slice(0, 1, 6, 1))
	if err := tail.CopyFrom(head); err != nil || x.String() != "[0 0 1 2 3 4]" {
		t.Errorf("shifted: %v, %v", x, err)
	}
	FillIota(x)
	if err := x.CopyFrom(must(t)(x.Slice(0, 5, -1, -1))); err != nil || x.String() != "[5 4 3 2 1 0]" {
		t.Errorf("reversed: %v, %v", x, err)
	}
}

func TestCopyErrors(t *testing.T) {
	x := iotaTensor(t, Int32, 2, 3)
	if err := x.CopyFrom(iotaTensor(t, Int32, 3, 2)); err == nil {
		t.Error("a copy of another shape succeeded")
	}
	repeated := must(t)(Scalar(int32(1)).Broadcast(2, 3))
	if err := repeated.CopyFrom(x); err == nil {
		t.Error("a copy to a broadcast tensor succeeded")
	}
	if err := x.CopyFrom(repeated); err != nil || x.String() != "[[1 1 1]\n [1 1 1]]" {
		t.Errorf("a copy from a broadcast tensor: %v, %v", x, err)
	}
}
