package ein

import (
	"fmt"
	"math"
	"testing"

	"github.com/ricci-lang/ricci/tensor"
)

// scalarOf makes a scalar of a type from an int, int64, uint64, bool or float64.
func scalarOf(t testing.TB, d tensor.DType, v any) *tensor.Tensor {
	t.Helper()
	s, err := tensor.New(d)
	if err != nil {
		t.Fatal(err)
	}
	switch v := v.(type) {
	case int:
		s.SetInt(int64(v))
	case int64:
		s.SetInt(v)
	case uint64:
		s.SetUint(v)
	case float64:
		s.SetFloat(v)
	case bool:
		s.SetInt(truth(v))
	default:
		t.Fatalf("no scalar from %T", v)
	}
	return s
}

// parsed returns a verified function.
func parsed(t testing.TB, text string) *Func {
	t.Helper()
	f, err := ParseFunc("test", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := Verify(f); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f
}

// evalScalar evaluates an expression over the scalars a and b of type in.
func evalScalar(t testing.TB, in, out tensor.DType, expr string, a, b any) *tensor.Tensor {
	t.Helper()
	f := parsed(t, fmt.Sprintf("func f { in a: %s[] in b: %s[] out y: %s[] for { y[] = %s } }", in, in, out, expr))
	args := map[string]*tensor.Tensor{"a": scalarOf(t, in, a), "b": scalarOf(t, in, b)}
	got, err := Evaluate(f, args, EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return got["y"]
}

type scalarCase struct {
	in, out tensor.DType
	expr    string
	a, b    any
	want    any
}

func checkScalars(t *testing.T, cases []scalarCase) {
	t.Helper()
	for _, c := range cases {
		got, want := evalScalar(t, c.in, c.out, c.expr, c.a, c.b), scalarOf(t, c.out, c.want)
		gotNaN, wantNaN := got.Float() != got.Float(), want.Float() != want.Float()
		if got.Bits() != want.Bits() && !(gotNaN && wantNaN) {
			t.Errorf("%s(%s) with a = %v, b = %v is %s, want %v", c.out, c.expr, c.a, c.b, elementText(got, 0), c.want)
		}
	}
}

func TestIntegerOperators(t *testing.T) {
	const i8, i32, i64, u8, u32, u64 = tensor.Int8, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint32, tensor.Uint64
	big := uint64(1)<<63 + 5
	checkScalars(t, []scalarCase{
		{i8, i8, "a[] + b[]", 127, 1, -128}, {i8, i8, "a[] - b[]", -128, 1, 127}, {i8, i8, "a[] * b[]", 100, 3, 44},
		{i8, i8, "-a[]", -128, 0, -128}, {i8, i8, "a[] / b[]", -128, -1, -128}, {i8, i8, "a[] % b[]", -128, -1, 0},
		{i32, i32, "a[] / b[]", 7, 2, 3}, {i32, i32, "a[] / b[]", -7, 2, -4}, {i32, i32, "a[] / b[]", 7, -2, -4}, {i32, i32, "a[] / b[]", -7, -2, 3},
		{i32, i32, "a[] % b[]", 7, 2, 1}, {i32, i32, "a[] % b[]", -7, 2, 1}, {i32, i32, "a[] % b[]", 7, -2, -1}, {i32, i32, "a[] % b[]", -7, -2, -1},
		{i32, i32, "a[] / b[]", 5, 0, 0}, {i32, i32, "a[] % b[]", 5, 0, 0}, {i32, i32, "a[] * b[]", 1 << 20, 1 << 12, 0},
		{i64, i64, "a[] / b[]", int64(math.MinInt64), -1, int64(math.MinInt64)}, {i64, i64, "a[] + b[]", int64(math.MaxInt64), 1, int64(math.MinInt64)},
		{i64, i64, "min(a[], b[])", -3, 2, -3}, {i64, i64, "max(a[], b[])", -3, 2, 2},
		{u8, u8, "a[] + b[]", 250, 10, 4}, {u8, u8, "a[] - b[]", 3, 5, 254}, {u8, u8, "-a[]", 1, 0, 255}, {u8, u8, "a[] / b[]", 200, 7, 28},
		{u32, u32, "a[] - b[]", 0, 1, uint64(math.MaxUint32)}, {u32, u32, "a[] / b[]", 9, 0, 0},
		{u64, u64, "a[] / b[]", big, 2, big / 2}, {u64, u64, "a[] % b[]", big, 10, big % 10}, {u64, u64, "max(a[], b[])", big, 3, big},
		{u64, u64, "a[] * b[]", big, 2, 10}, {u64, u64, "a[] % b[]", big, 0, 0},
		{u64, tensor.Bool, "a[] < b[]", 3, big, true}, {u64, tensor.Bool, "a[] >= b[]", 3, big, false},
		{i64, tensor.Bool, "a[] < b[]", -1, 0, true}, {i8, tensor.Bool, "a[] == b[]", 4, 4, true}, {i8, tensor.Bool, "a[] != b[]", 4, 4, false},
		{tensor.Bool, tensor.Bool, "a[] && b[]", true, false, false}, {tensor.Bool, tensor.Bool, "a[] || b[]", true, false, true}, {tensor.Bool, tensor.Bool, "!a[]", true, false, false},
	})
}

func TestFloatOperators(t *testing.T) {
	const f32, f64 = tensor.Float32, tensor.Float64
	inf, nan := math.Inf(1), math.NaN()
	third := float64(float32(1) / 3)
	checkScalars(t, []scalarCase{
		{f32, f32, "a[] + b[]", 16777216.0, 1.0, 16777216.0}, {f64, f64, "a[] + b[]", 16777216.0, 1.0, 16777217.0},
		{f32, f32, "a[] + b[] - a[]", 16777216.0, 1.0, 0.0}, {f32, f32, "a[] / b[]", 1.0, 3.0, third}, {f64, f64, "a[] / b[]", 1.0, 3.0, 1.0 / 3},
		{f32, f32, "a[] * b[]", 1e30, 1e30, inf}, {f32, f32, "a[] * b[] * a[]", 1e-30, 1e-30, 0.0}, {f32, f32, "a[] - b[]", inf, inf, nan},
		{f32, f32, "a[] / b[]", 1.0, 0.0, inf}, {f32, f32, "a[] / b[]", 0.0, 0.0, nan}, {f32, f32, "-a[]", 0.0, 0.0, math.Copysign(0, -1)},
		{f32, f32, "a[] % b[]", -7.5, 2.0, 0.5}, {f64, f64, "a[] % b[]", 7.5, -2.0, -0.5}, {f32, f32, "a[] % b[]", 7.5, 2.0, 1.5}, {f32, f32, "a[] % b[]", -7.5, -2.0, -1.5},
		{f32, f32, "a[] % b[]", -4.0, 2.0, 0.0}, {f32, f32, "a[] % b[]", 4.0, -2.0, math.Copysign(0, -1)}, {f64, f64, "a[] % b[]", -1e-20, 1.0, 1.0},
		{f64, f64, "a[] % b[]", 3.0, inf, 3.0}, {f64, f64, "a[] % b[]", -3.0, inf, inf}, {f64, f64, "a[] % b[]", inf, 3.0, nan}, {f32, f32, "a[] % b[]", 1.0, 0.0, nan},
		{f32, f32, "min(a[], b[])", 1.0, nan, 1.0}, {f32, f32, "min(a[], b[])", nan, 1.0, nan}, {f32, f32, "max(a[], b[])", 1.0, nan, 1.0}, {f32, f32, "max(a[], b[])", nan, 1.0, nan},
		{f32, f32, "min(a[], b[])", 0.0, math.Copysign(0, -1), math.Copysign(0, -1)}, {f32, f32, "min(a[], b[])", math.Copysign(0, -1), 0.0, math.Copysign(0, -1)},
		{f64, f64, "max(a[], b[])", 0.0, math.Copysign(0, -1), 0.0}, {f64, f64, "max(a[], b[])", math.Copysign(0, -1), 0.0, 0.0}, {f32, f32, "sqrt(a[])", 2.0, 0.0, float64(float32(math.Sqrt2))},
		{f32, f32, "exp(a[])", 1.0, 0.0, float64(float32(math.E))}, {f32, f32, "nextafter(a[], b[])", 1.0, 2.0, 1 + 0x1p-23}, {f64, f64, "nextafter(a[], b[])", 1.0, 2.0, 1 + 0x1p-52},
		{f32, tensor.Bool, "a[] < b[]", nan, 1.0, false}, {f32, tensor.Bool, "a[] != b[]", nan, nan, true}, {f32, tensor.Bool, "a[] != a[]", nan, 1.0, true},
		{f32, tensor.Bool, "a[] == b[]", nan, nan, false}, {f32, tensor.Bool, "a[] >= b[]", nan, 1.0, false}, {f64, tensor.Bool, "a[] <= b[]", 1.0, 1.0, true},
		{f32, f32, "a[] < b[] ? a[] : b[]", 2.0, 1.0, 1.0}, {f32, f32, "let x = a[] + 1f32 in x * x", 2.0, 0.0, 9.0},
	})
}

func TestCasts(t *testing.T) {
	const i8, i32, i64, u8, u32, u64, f32, f64 = tensor.Int8, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint32, tensor.Uint64, tensor.Float32, tensor.Float64
	inf, nan := math.Inf(1), math.NaN()
	checkScalars(t, []scalarCase{
		{f32, i8, "int8(a[])", 127.9, 0.0, 127}, {f32, i8, "int8(a[])", 128.0, 0.0, 127}, {f32, i8, "int8(a[])", -129.0, 0.0, -128}, {f32, i8, "int8(a[])", -1.9, 0.0, -1},
		{f32, i32, "int32(a[])", nan, 0.0, 0}, {f32, i32, "int32(a[])", inf, 0.0, math.MaxInt32}, {f32, i32, "int32(a[])", -inf, 0.0, math.MinInt32},
		{f64, i64, "int64(a[])", 1e19, 0.0, int64(math.MaxInt64)}, {f64, i64, "int64(a[])", -1e19, 0.0, int64(math.MinInt64)}, {f64, u64, "uint64(a[])", 1e19, 0.0, uint64(1e19)},
		{f64, u64, "uint64(a[])", 2e19, 0.0, uint64(math.MaxUint64)}, {f64, u64, "uint64(a[])", -3.0, 0.0, 0}, {f64, u32, "uint32(a[])", 4294967295.5, 0.0, uint64(math.MaxUint32)},
		{f64, u8, "uint8(a[])", -0.9, 0.0, 0}, {f64, tensor.Bool, "bool(a[])", 0.3, 0.0, true}, {f64, tensor.Bool, "bool(a[])", nan, 0.0, true}, {f64, tensor.Bool, "bool(a[])", math.Copysign(0, -1), 0.0, false},
		{i32, i8, "int8(a[])", 300, 0, 44}, {i32, u8, "uint8(a[])", -1, 0, 255}, {i8, u32, "uint32(a[])", -1, 0, uint64(math.MaxUint32)}, {i8, i64, "int64(a[])", -5, 0, -5},
		{u8, i8, "int8(a[])", 200, 0, -56}, {u32, i64, "int64(a[])", uint64(math.MaxUint32), 0, int64(math.MaxUint32)}, {i32, tensor.Bool, "bool(a[])", 256, 0, true},
		{tensor.Bool, i32, "int32(a[])", true, false, 1}, {tensor.Bool, f32, "float32(a[])", true, false, 1.0},
		{i64, f32, "float32(a[])", int64(1)<<24 + 1, 0, 16777216.0}, {i64, f32, "float32(a[])", int64(1)<<54 + int64(1)<<30 + 1, 0, 0x1p54 + 0x1p31},
		{u64, f64, "float64(a[])", uint64(math.MaxUint64), 0, 0x1p64}, {u64, f32, "float32(a[])", uint64(math.MaxUint64), 0, 0x1p64},
		{f64, f32, "float32(a[])", 0.1, 0.0, float64(float32(0.1))}, {f32, f64, "float64(a[])", 0.1, 0.0, float64(float32(0.1))}, {f64, f32, "float32(a[])", 1e300, 0.0, inf},
	})
}

// The 16-bit floats are rounded once, to nearest even, when they are stored.
func TestHalfStorage(t *testing.T) {
	const f16, b16, f32 = tensor.Float16, tensor.BFloat16, tensor.Float32
	checkScalars(t, []scalarCase{
		{f32, f16, "a[] + b[]", 2048.0, 1.0, 2048.0}, {f32, f16, "a[] + b[]", 2048.0, 3.0, 2052.0}, {f32, f16, "a[] * b[]", 65504.0, 2.0, math.Inf(1)},
		{f32, b16, "a[] + b[]", 256.0, 1.0, 256.0}, {f32, b16, "a[] + b[]", 256.0, 3.0, 260.0}, {f32, f16, "a[]", 0x1p-24, 0.0, 0x1p-24}, {f32, f16, "a[]", 0x1p-25, 0.0, 0.0},
		{f16, f32, "float32(a[]) * float32(b[])", 0.1, 1.0, float64(tensor.Float16ToFloat32(tensor.Float32ToFloat16(0.1)))},
	})
	if got := round(f16, 1+0x1p-11+0x1p-40); got != 1+0x1p-10 {
		t.Errorf("float64 is rounded twice on the way to float16: %v", got)
	}
}
