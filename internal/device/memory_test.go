package device

import (
	"testing"

	"github.com/ricci-lang/ricci/tensor"
)

// TestHostBytes compares the bytes of views with where their elements are.
func TestHostBytes(t *testing.T) {
	whole := tensor.Must(tensor.New(tensor.Int32, 4, 6))
	view := func(x *tensor.Tensor, dim, lo, hi, step int) *tensor.Tensor {
		return tensor.Must(x.Slice(dim, lo, hi, step))
	}
	tests := []struct {
		name  string
		view  *tensor.Tensor
		bytes int
		first int
	}{
		{"dense", whole, 96, 0},
		{"rows of some columns", view(whole, 1, 1, 4, 1), (3*6 + 3) * 4, 0},
		{"every second row", view(whole, 0, 0, 4, 2), (2*6 + 6) * 4, 0},
		{"turned around", view(view(whole, 0, 3, -1, -1), 1, 5, -1, -1), 96, 92},
		{"one element", view(view(whole, 0, 2, 3, 1), 1, 2, 3, 1), 4, 0},
		{"repeated", tensor.Must(view(whole, 1, 0, 1, 1).Broadcast(4, 9)), (3*6 + 1) * 4, 0},
		{"a number", tensor.Must(tensor.New(tensor.Int32)), 4, 0},
		{"nothing", tensor.Must(tensor.New(tensor.Int32, 3, 0)), 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bytes, first := HostBytes(test.view)
			if len(bytes) != test.bytes || first != test.first {
				t.Fatalf("%d bytes, the first element behind %d of them; expected %d and %d", len(bytes), first, test.bytes, test.first)
			}
			for i := range bytes {
				bytes[i] = 1
			}
			for offset := range test.view.Offsets() {
				if v := test.view.IntAt(offset); v != 0x01010101 {
					t.Fatalf("the element at %d is not in the bytes", offset)
				}
			}
			if r := RegionOf(there(t, whole, test.view)); r.Bytes != int64(test.bytes) || r.First != int64(test.first) || r.Offset < 0 || r.Offset+r.Bytes > r.Memory.Bytes() ||
				len(bytes) > 0 && r.Offset+r.First != int64(there(t, whole, test.view).Address()-r.Memory.Address()) {
				t.Errorf("on a device it is the region %+v", r)
			}
			if len(bytes) > 0 { // the first and the last byte belong to elements
				bytes[0], bytes[len(bytes)-1] = 2, 2
				ends := 0
				for offset := range test.view.Offsets() {
					if test.view.IntAt(offset) != 0x01010101 {
						ends++
					}
				}
				if ends == 0 || len(bytes) > 4 && ends < 2 {
					t.Errorf("%d elements at the ends of the bytes", ends)
				}
			}
		})
	}
}

// there is a view on a device that lies in its memory as a view of a tensor does in that of the host.
func there(t *testing.T, whole, view *tensor.Tensor) *tensor.Tensor {
	t.Helper()
	bytes := tensor.Must(tensor.NewOn(shelf{}, tensor.Uint8, 1024))
	first := int(view.Address()) - int(whole.Address())
	if first < 0 || first >= 96 { // memory of its own
		first = 0
	}
	return tensor.Must(bytes.Strided(view.DType(), first, view.Shape(), view.Strides()))
}

// A shelf is memory of which only places matter.
type shelf struct{}

func (shelf) Allocate(int64) (tensor.Memory, error) { return shelf{}, nil }
func (shelf) Device() string                        { return "shelf" }
func (shelf) Bytes() int64                          { return 1024 }
func (shelf) Read(int64, []byte) error              { return nil }
func (shelf) Write(int64, []byte) error             { return nil }
func (shelf) Address() uintptr                      { return 1 << 30 }
func (shelf) Close() error                          { return nil }
