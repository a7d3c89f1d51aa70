package tensor

import (
	"fmt"
	"testing"
	"unsafe"
)

func TestRetarget(t *testing.T) {
	data := []float32{1, 2, 3, 4, 5, 6}
	at := func(i int) unsafe.Pointer { return unsafe.Pointer(&data[i]) }
	x := Must(FromPointer(Float32, nil, []int{0, 0}, nil))
	for _, c := range []struct {
		p     unsafe.Pointer
		shape []int
		want  string // empty where it is refused
	}{
		{at(0), []int{2, 3}, "[[1. 2. 3.]\n [4. 5. 6.]]"},
		{at(2), []int{2, 2}, "[[3. 4.]\n [5. 6.]]"},
		{at(2), []int{4}, ""},
		{unsafe.Add(at(0), 1), []int{1, 1}, ""},
		{nil, []int{1, 1}, ""},
		{at(0), []int{-1, 1}, ""},
		{nil, []int{0, 3}, "[]"},
		{at(5), []int{1, 1}, "[[6.]]"},
	} {
		before := fmt.Sprint(x)
		if ok := x.Retarget(c.p, c.shape...); ok != (c.want != "") {
			t.Errorf("%v: %v", c.shape, ok)
		}
		want := c.want
		if want == "" {
			want = before
		}
		if got := fmt.Sprint(x); got != want {
			t.Errorf("%v: %s, expected %s", c.shape, got, want)
		}
	}
	own := Must(New(Float32, 3))
	if own.Retarget(at(0), 3) {
		t.Error("a tensor with memory of its own was made to look elsewhere")
	}
	if n := testing.AllocsPerRun(20, func() { x.Retarget(at(0), 2, 3) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if err := own.Close(); err != nil || own.Retarget(at(0), 3) {
		t.Error("a closed tensor looks at memory")
	}
}
