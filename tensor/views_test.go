package tensor

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestViews(t *testing.T) {
	x := iotaTensor(t, Int32, 3, 4)
	tests := []struct {
		name string
		view func() (*Tensor, error)
		want string
	}{
		{"slice", func() (*Tensor, error) { return x.Slice(1, 1, 4, 2) }, "[[ 1  3]\n [ 5  7]\n [ 9 11]]"},
		{"slice of one", func() (*Tensor, error) { return x.Slice(0, 2, 3, 1) }, "[[ 8  9 10 11]]"},
		{"empty slice", func() (*Tensor, error) { return x.Slice(0, 3, 3, 1) }, "[]"},
		{"reverse", func() (*Tensor, error) { return x.Slice(0, 2, -1, -1) }, "[[ 8  9 10 11]\n [ 4  5  6  7]\n [ 0  1  2  3]]"},
		{"down by two", func() (*Tensor, error) { return x.Slice(1, 3, 0, -2) }, "[[ 3  1]\n [ 7  5]\n [11  9]]"},
		{"select", func() (*Tensor, error) { return x.Select(1, 2) }, "[ 2  6 10]"},
		{"transpose", func() (*Tensor, error) { return x.Transpose() }, "[[ 0  4  8]\n [ 1  5  9]\n [ 2  6 10]\n [ 3  7 11]]"},
		{"reshape", func() (*Tensor, error) { return x.Reshape(2, 1, 6) }, "[[[ 0  1  2  3  4  5]]\n\n [[ 6  7  8  9 10 11]]]"},
		{"broadcast", func() (*Tensor, error) {
			row, err := x.Select(0, 1)
			if err != nil {
				return nil, err
			}
			return row.Broadcast(2, 4)
		}, "[[4 5 6 7]\n [4 5 6 7]]"},
	}
	for _, test := range tests {
		v, err := test.view()
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := v.String(); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
		if v.storage != x.storage {
			t.Errorf("%s: the view has its own memory", test.name)
		}
	}
}

func TestViewErrors(t *testing.T) {
	x := iotaTensor(t, Int32, 3, 4)
	turned := must(t)(x.Transpose())
	tests := []struct {
		view func() (*Tensor, error)
		want string
	}{
		{func() (*Tensor, error) { return x.Slice(2, 0, 1, 1) }, "dimension 2 of a tensor of rank 2"},
		{func() (*Tensor, error) { return x.Slice(0, 0, 4, 1) }, "slice 0:4:1 of dimension 0 with extent 3"},
		{func() (*Tensor, error) { return x.Slice(0, 2, 1, 1) }, "slice 2:1:1 of dimension 0 with extent 3"},
		{func() (*Tensor, error) { return x.Slice(0, 0, 1, 0) }, "slice 0:1:0 of dimension 0 with extent 3"},
		{func() (*Tensor, error) { return x.Slice(0, 3, 0, -1) }, "slice 3:0:-1 of dimension 0 with extent 3"},
		{func() (*Tensor, error) { return x.Select(0, 3) }, "index 3 of dimension 0 with extent 3"},
		{func() (*Tensor, error) { return x.Select(-1, 0) }, "dimension -1 of a tensor of rank 2"},
		{func() (*Tensor, error) { return x.Transpose(0, 0) }, "[0 0] is not a permutation of 2 dimensions"},
		{func() (*Tensor, error) { return x.Transpose(0) }, "a permutation of 1 dimensions for a tensor of rank 2"},
		{func() (*Tensor, error) { return x.Reshape(5) }, "shape [5] has 5 elements, shape [3 4] has 12"},
		{func() (*Tensor, error) { return turned.Reshape(12) },
			"shape [4 3] with strides [1 4] cannot be seen as [12] without a copy; Clone first"},
		{func() (*Tensor, error) { return x.Broadcast(3, 5) },
			"shape [3 4] cannot be broadcast to [3 5]: extent 4 is neither 1 nor 5"},
		{func() (*Tensor, error) { return x.Broadcast(4) }, "shape [3 4] cannot be broadcast to [4]"},
		{func() (*Tensor, error) { return x.Broadcast(1<<30, 1<<30, 1<<30, 3, 4) }, "a int32 tensor of shape [1073741824 1073741824 1073741824 3 4] is larger than the address space"},
	}
	for _, test := range tests {
		if _, err := test.view(); err == nil || err.Error() != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

// A view of a view is the view that the indices say.
func TestViewsProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x := drawTensor(r)
		c, err := x.Clone()
		if err != nil {
			r.Fatal(err)
		}
		if !c.IsContiguous() || !sameBits(x, c) {
			r.Fatalf("the clone of\n%v\nis\n%v", x, c)
		}
		position := 0
		for offset := range x.Offsets() {
			index := unravel(position, x.shape)
			if x.Offset(index...) != offset || x.Bits(index...) != c.BitsAt(position) {
				r.Fatalf("element %v is at %d and %d", index, offset, x.Offset(index...))
			}
			position++
		}
		if position != x.Len() {
			r.Fatalf("%d offsets for %d elements", position, x.Len())
		}
	})
}

// Reshape succeeds exactly where the new shape can be walked with strides, and
// then keeps the order of the elements.
func TestReshapeProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x := drawTensor(r)
		shape := rapid.SliceOfN(rapid.IntRange(1, 6), 0, 4).Draw(r, "new")
		n := 1
		for _, extent := range shape {
			n *= extent
		}
		if n == 0 || x.Len()%n != 0 {
			r.Skip("no such shape")
		}
		shape = append(shape, x.Len()/n)
		v, err := x.Reshape(shape...)
		if x.IsContiguous() && err != nil {
			r.Fatal(err)
		}
		if err != nil {
			return
		}
		if !slices.Equal(slices.Collect(v.Offsets()), slices.Collect(x.Offsets())) {
			r.Fatalf("strides %v of shape %v as %v give %v", x.strides, x.shape, shape, v.strides)
		}
	})
}
