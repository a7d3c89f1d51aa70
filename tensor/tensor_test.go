package tensor

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// iotaTensor returns a contiguous tensor of 0, 1, 2, ….
func iotaTensor(t testing.TB, d DType, shape ...int) *Tensor {
	t.Helper()
	return filled(t, FillIota, d, shape...)
}

func filled(t testing.TB, fill func(*Tensor), d DType, shape ...int) *Tensor {
	t.Helper()
	x, err := New(d, shape...)
	if err != nil {
		t.Fatal(err)
	}
	fill(x)
	return x
}

func must(t testing.TB) func(*Tensor, error) *Tensor {
	return func(x *Tensor, err error) *Tensor {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

// drawTensor returns a random view of a random tensor with random bits.
func drawTensor(r *rapid.T) *Tensor { return drawViews(r, drawDense(r))[0] }

func drawDense(r *rapid.T) *Tensor {
	d := rapid.SampledFrom(DTypes()).Draw(r, "dtype")
	shape := rapid.SliceOfN(rapid.IntRange(0, 5), 0, 4).Draw(r, "shape")
	x, err := New(d, shape...)
	if err != nil {
		r.Fatal(err)
	}
	for offset := range x.Offsets() {
		b := rapid.Uint64().Draw(r, "bits")
		if d == Bool {
			b &= 1
		}
		x.SetBitsAt(offset, b)
	}
	return x
}

// drawViews returns the same random view of tensors that are alike.
func drawViews(r *rapid.T, all ...*Tensor) []*Tensor {
	for range rapid.IntRange(0, 3).Draw(r, "views") {
		x := all[0]
		if x.Rank() == 0 {
			break
		}
		dim := rapid.IntRange(0, x.Rank()-1).Draw(r, "dim")
		n := x.Dim(dim)
		var view func(*Tensor) (*Tensor, error)
		switch kind := rapid.SampledFrom([]string{"slice", "reverse", "select", "transpose"}).Draw(r, "kind"); {
		case kind == "slice":
			lo := rapid.IntRange(0, n).Draw(r, "lo")
			hi, step := rapid.IntRange(lo, n).Draw(r, "hi"), rapid.IntRange(1, 3).Draw(r, "step")
			view = func(x *Tensor) (*Tensor, error) { return x.Slice(dim, lo, hi, step) }
		case kind == "reverse":
			view = func(x *Tensor) (*Tensor, error) { return x.Slice(dim, n-1, -1, -1) }
		case kind == "select" && n > 0:
			i := rapid.IntRange(0, n-1).Draw(r, "i")
			view = func(x *Tensor) (*Tensor, error) { return x.Select(dim, i) }
		case kind == "transpose":
			order := make([]int, x.Rank())
			for k := range order {
				order[k] = k
			}
			order = rapid.Permutation(order).Draw(r, "order")
			view = func(x *Tensor) (*Tensor, error) { return x.Transpose(order...) }
		default:
			continue
		}
		for k, x := range all {
			v, err := view(x)
			if err != nil {
				r.Fatal(err)
			}
			all[k] = v
		}
	}
	return all
}

// sameBits compares types, shapes and storage bits.
func sameBits(a, b *Tensor) bool {
	if a.DType() != b.DType() || !slices.Equal(a.Shape(), b.Shape()) {
		return false
	}
	for r := range rows(a.shape, a.strides, b.strides) {
		for i := range r.n {
			if a.BitsAt(r.a+i*r.stepA) != b.BitsAt(r.b+i*r.stepB) {
				return false
			}
		}
	}
	return true
}

func TestNew(t *testing.T) {
	for _, d := range DTypes() {
		for _, shape := range [][]int{{}, {0}, {3}, {2, 3}, {100, 300}, {4, 0, 5}} {
			x := must(t)(New(d, shape...))
			if x.DType() != d || !slices.Equal(x.Shape(), shape) || !x.IsContiguous() || x.Rank() != len(shape) {
				t.Errorf("New(%s, %v) = %s %v %v", d, shape, x.DType(), x.Shape(), x.Strides())
			}
			if uintptr(x.Pointer())%Alignment != 0 {
				t.Errorf("%s %v is at %p", d, shape, x.Pointer())
			}
			for offset := range x.Offsets() {
				if x.BitsAt(offset) != 0 {
					t.Fatalf("%s %v is not zero at %d", d, shape, offset)
				}
			}
		}
	}
}

func TestNewErrors(t *testing.T) {
	tests := []struct {
		d     DType
		shape []int
		want  string
	}{
		{Invalid, nil, "not an element type"},
		{DType(99), nil, "not an element type"},
		{Float32, []int{2, -1}, "dimension 1 of shape [2 -1] is negative"},
		{Int8, []int{math.MaxInt, 2}, "larger than the address space"},
		{Float64, []int{math.MaxInt / 4}, "larger than the address space"},
		{Float64, []int{0, math.MaxInt, math.MaxInt}, "larger than the address space"},
		{Int8, []int{math.MaxInt - 1000}, "no memory"},
		{Int8, make([]int, MaxRank+1), "at most 64 dimensions"},
	}
	for _, test := range tests {
		if _, err := New(test.d, test.shape...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("New(%s, %v): %v, want %q", test.d, test.shape, err, test.want)
		}
	}
}

func TestSlicesOfGo(t *testing.T) {
	data := []float32{1, 2, 3, 4, 5, 6}
	copied := must(t)(FromSlice(data, 2, 3))
	wrapped := must(t)(Wrap(data, 2, 3))
	data[4] = 50
	if copied.Float(1, 1) != 5 || wrapped.Float(1, 1) != 50 {
		t.Errorf("copied %v, wrapped %v", copied, wrapped)
	}
	wrapped.SetFloat(7, 0, 0)
	if data[0] != 7 {
		t.Errorf("data[0] = %v", data[0])
	}
	inside, err := Data[float32](wrapped)
	if err != nil || &inside[0] != &data[0] || len(inside) != 6 {
		t.Errorf("Data: %v, %v", inside, err)
	}
	if _, err := Data[float64](wrapped); err == nil {
		t.Error("Data of another type succeeded")
	}
	turned := must(t)(copied.Transpose())
	if _, err := Data[float32](turned); err == nil {
		t.Error("Data of a transposed tensor succeeded")
	}
	if got, err := ToSlice[int16](turned); err != nil || !slices.Equal(got, []int16{1, 4, 2, 5, 3, 6}) {
		t.Errorf("ToSlice: %v, %v", got, err)
	}
	if _, err := FromSlice(data, 4); err == nil || err.Error() != "shape [4] has 4 elements, the slice has 6" {
		t.Errorf("FromSlice: %v", err)
	}
	if _, err := FromBits16(Int16, []uint16{1}, 1); err == nil {
		t.Error("FromBits16 made int16")
	}
	if s := Scalar(true); s.Rank() != 0 || s.Int() != 1 || s.DType() != Bool {
		t.Errorf("Scalar: %v", s)
	}
}

func TestFromPointer(t *testing.T) {
	data := []int32{0, 1, 2, 3, 4, 5}
	x := must(t)(FromPointer(Int32, unsafe.Pointer(&data[5]), []int{3, 2}, []int{-1, -3}))
	if got := x.String(); got != "[[5 2]\n [4 1]\n [3 0]]" {
		t.Errorf("got\n%s", got)
	}
	if _, err := FromPointer(Int32, nil, []int{3}, nil); err == nil {
		t.Error("nil was accepted")
	}
	if _, err := FromPointer(Int32, unsafe.Add(unsafe.Pointer(&data[0]), 1), []int{3}, nil); err == nil {
		t.Error("an odd address was accepted")
	}
	if _, err := FromPointer(Int32, unsafe.Pointer(&data[0]), []int{3}, []int{1, 1}); err == nil {
		t.Error("two strides for one dimension were accepted")
	}
}

func TestClose(t *testing.T) {
	x := iotaTensor(t, Float64, 100, 100)
	row := must(t)(x.Select(0, 99))
	m := x.storage.mapping
	for range 2 {
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if x.DType() != Invalid || x.Len() != 0 || x.String() != "[]" {
		t.Errorf("a closed tensor is %s %v", x.DType(), x.Shape())
	}
	for name, use := range map[string]func() error{
		"Clone":    func() error { _, err := x.Clone(); return err },
		"Slice":    func() error { _, err := x.Slice(0, 0, 0, 1); return err },
		"CopyFrom": func() error { return x.CopyFrom(x) },
	} {
		if use() == nil {
			t.Errorf("%s of a closed tensor succeeded", name)
		}
	}
	if row.Float(99) != 9999 {
		t.Errorf("a view changed when another one was closed: %v", row.Float(99))
	}
	if m != nil && m.freed.Load() {
		t.Error("the mapping is gone while a view is in use")
	}
	if err := row.Close(); err != nil {
		t.Fatal(err)
	}
	if m != nil && !m.freed.Load() {
		t.Error("the mapping is there after all views were closed")
	}
}

// What nobody closes is unmapped by the collector.
func TestCollected(t *testing.T) {
	if !canMap {
		t.Skip("no mappings on this system")
	}
	x, err := New(Uint8, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	m := x.storage.mapping
	runtime.KeepAlive(x)
	for range 1000 {
		runtime.GC()
		if m.freed.Load() {
			return
		}
		runtime.Gosched()
	}
	t.Error("the mapping was not freed")
}

func TestConcurrentReads(t *testing.T) {
	x := iotaTensor(t, Int64, 50, 50)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			turned, err := x.Transpose()
			if err != nil {
				t.Error(err)
				return
			}
			sum := int64(0)
			for offset := range turned.Offsets() {
				sum += turned.IntAt(offset)
			}
			if err := turned.Close(); err != nil || sum != 2500*2499/2 {
				t.Errorf("sum %d, error %v", sum, err)
			}
		})
	}
	wait.Wait()
}

func TestFillRandom(t *testing.T) {
	wide := filled(t, func(x *Tensor) { FillRandom(x, 7) }, Float64, 1000)
	again := filled(t, func(x *Tensor) { FillRandom(x, 7) }, Float64, 10, 100)
	for i := range 1000 {
		if v := wide.Float(i); v < -1 || v >= 1 || v != again.Float(i/100, i%100) {
			t.Fatalf("element %d is %v and %v", i, v, again.Float(i/100, i%100))
		}
	}
	for _, d := range []DType{Float16, BFloat16, Float32} {
		narrow := filled(t, func(x *Tensor) { FillRandom(x, 7) }, d, 1000)
		step := math.Ldexp(1, 1-significandBits(d))
		for i := range 1000 {
			if v := narrow.Float(i); v > wide.Float(i) || v <= wide.Float(i)-step {
				t.Fatalf("%s element %d is %v, in float64 %v", d, i, v, wide.Float(i))
			}
		}
	}
	counts := make([]int, 10)
	digits := filled(t, func(x *Tensor) { FillRandom(x, 1) }, Uint8, 10000)
	for offset := range digits.Offsets() {
		counts[digits.IntAt(offset)]++
	}
	if least := slices.Min(counts); least < 850 {
		t.Errorf("digits are not uniform: %v", counts)
	}
	// The numbers are the same on every machine and in every release.
	few := filled(t, func(x *Tensor) { FillRandom(x, 42) }, Int32, 8)
	if got, want := few.String(), "[8 9 1 0 1 9 9 3]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	half := must(t)(New(Bool, 3))
	FillConst(half, math.NaN())
	if half.String() != "[ True  True  True]" {
		t.Errorf("NaN as bool is %v", half)
	}
}

func TestAllClose(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		a, b  []float64
		rtol  float64
		atol  float64
		ok    bool
		where []int
	}{
		{[]float64{1, 2}, []float64{1, 2}, 0, 0, true, nil},
		{[]float64{1, 2}, []float64{1, 2.1}, 0.1, 0, true, nil},
		{[]float64{1, 2}, []float64{1, 2.1}, 0, 0.01, false, []int{1}},
		{[]float64{nan, inf}, []float64{nan, inf}, 0, 0, true, nil},
		{[]float64{nan, inf}, []float64{nan, -inf}, 1, 1, false, []int{1}},
		{[]float64{0, 5, 9}, []float64{1, 5, 3}, 0, 0, false, []int{2}},
		{[]float64{nan}, []float64{1}, 1, 1, false, []int{0}},
		{[]float64{1}, []float64{1, 1}, 1, 1, false, nil},
	}
	for _, test := range tests {
		a, b := must(t)(FromSlice(test.a, len(test.a))), must(t)(FromSlice(test.b, len(test.b)))
		if ok, where := AllClose(a, b, test.rtol, test.atol); ok != test.ok || !slices.Equal(where, test.where) {
			t.Errorf("AllClose(%v, %v) = %v, %v", test.a, test.b, ok, where)
		}
	}
	big := must(t)(FromSlice([]int64{1 << 60, -1 << 63}, 2))
	next := must(t)(FromSlice([]int64{1<<60 + 1, -1 << 63}, 2))
	if Equal(big, next) || !Equal(big, big) {
		t.Error("neighbours above 2⁵³ are equal")
	}
	unsigned := must(t)(FromSlice([]uint64{1 << 60, 1 << 63}, 2))
	if ok, where := AllClose(big, unsigned, 0, 10); ok || !slices.Equal(where, []int{1}) {
		t.Errorf("signed and unsigned: %v, %v", ok, where)
	}
}
