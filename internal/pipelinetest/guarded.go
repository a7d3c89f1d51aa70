package pipelinetest

import (
	"fmt"
	"unsafe"

	"github.com/ricci-lang/ricci/tensor"
)

// A Guarded array lies in memory whose other bytes are known.
type Guarded struct {
	Array *tensor.Tensor // the view that a kernel gets
	owner *tensor.Tensor
	from  int // the first byte of the first element in owner
	mine  []bool
	start []byte // a copy of all bytes
}

// guard is the number of bytes on both sides, and their value. The widest vector
// store must not reach over it.
const (
	guardBytes = 128
	guardValue = 0xa5
)

// Guard copies an array to new memory with the strides given (nil: dense).
func Guard(x *tensor.Tensor, strides []int) (*Guarded, error) {
	shape, size := x.Shape(), x.DType().Size()
	if strides == nil {
		strides = dense(shape)
	}
	low, high := 0, size
	for d, n := range shape {
		if n == 0 {
			low, high = 0, 0
			break
		}
		if reach := (n - 1) * strides[d] * size; reach < 0 {
			low -= reach
		} else {
			high += reach
		}
	}
	owner, err := tensor.New(tensor.Uint8, guardBytes+low+high+guardBytes)
	if err != nil {
		return nil, err
	}
	tensor.FillConst(owner, guardValue)
	g := &Guarded{owner: owner, from: guardBytes + low, mine: make([]bool, owner.Len())}
	g.Array, err = tensor.FromPointer(x.DType(), unsafe.Add(owner.Pointer(), g.from), shape, strides)
	if err != nil {
		return nil, err
	}
	if err := g.Array.CopyFrom(x); err != nil {
		return nil, err
	}
	for o := range g.Array.Offsets() {
		for b := range size {
			g.mine[g.from+o*size+b] = true
		}
	}
	g.start = append([]byte(nil), g.bytes()...)
	return g, nil
}

func (g *Guarded) bytes() []byte {
	return unsafe.Slice((*byte)(g.owner.Pointer()), g.owner.Len())
}

// Intact reports bytes that changed though they are not elements, or, for what is
// only read, any that changed.
func (g *Guarded) Intact(written bool) error {
	for i, b := range g.bytes() {
		if b != g.start[i] && !(written && g.mine[i]) {
			return fmt.Errorf("byte %d (the first element is at 0) was overwritten", i-g.from)
		}
	}
	return nil
}

// Close gives the memory up.
func (g *Guarded) Close() error { return g.owner.Close() }

// DrawStrides draws the strides of a view without overlap: permuted dimensions,
// gaps and reversed directions. Nil stands for dense.
func DrawStrides(c *Choices, shape []int) []int {
	if len(shape) == 0 || !c.OneIn(2) {
		return nil
	}
	order := make([]int, len(shape))
	for i := range order {
		order[i] = i
		j := c.Below(i + 1)
		order[i], order[j] = order[j], i
	}
	strides := make([]int, len(shape))
	step := Pick(c, 1, 1, 2, 3)
	for _, d := range order {
		strides[d] = step
		if c.OneIn(4) {
			strides[d] = -step
		}
		step = step*max(shape[d], 1) + Pick(c, 0, 0, 1, 5)
	}
	return strides
}

func dense(shape []int) []int {
	strides := make([]int, len(shape))
	step := 1
	for d := len(shape) - 1; d >= 0; d-- {
		strides[d] = step
		step *= max(shape[d], 1)
	}
	return strides
}
