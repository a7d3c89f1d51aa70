package pipelinetest

import (
	"bytes"
	"errors"
	"fmt"
	"unsafe"

	"github.com/ricci-lang/ricci/tensor"
)

// A Guarded array lies in memory whose other bytes are known, and that ends, or begins, at
// a page that cannot be read where a system has such.
type Guarded struct {
	Array *tensor.Tensor // the view that a kernel gets
	pages *pages
	from  int // the first byte of the first element in the pages
	mine  []bool
	start []byte // a copy of all bytes
}

// A Side of an array is the one on which a page follows that cannot be read.
type Side uint8

// The sides.
const (
	Behind Side = iota
	Before
)

// guardValue is the value of the bytes that are no elements.
const guardValue = 0xa5

// Guard copies an array to new memory with the strides given (nil: dense). Behind it there may be
// less than alignment bytes.
func Guard(x *tensor.Tensor, strides []int, side Side, alignment int) (*Guarded, error) {
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
	pages, err := newPages(margin + low + high + margin)
	if err != nil {
		return nil, err
	}
	g := &Guarded{pages: pages, from: margin + low, mine: make([]bool, len(pages.inside))}
	if side == Behind {
		g.from = (len(pages.inside)-margin-low-high)/alignment*alignment + low
	}
	for i := range pages.inside {
		pages.inside[i] = guardValue
	}
	first := unsafe.Add(unsafe.Pointer(unsafe.SliceData(pages.inside)), g.from)
	if g.Array, err = tensor.FromPointer(x.DType(), first, shape, strides); err == nil {
		err = g.Array.CopyFrom(x)
	}
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	for o := range g.Array.Offsets() {
		for b := range size {
			g.mine[g.from+o*size+b] = true
		}
	}
	g.start = bytes.Clone(pages.inside)
	return g, nil
}

// Intact reports bytes that changed though they are not elements, or, for what is
// only read, any that changed.
func (g *Guarded) Intact(written bool) error {
	if bytes.Equal(g.pages.inside, g.start) {
		return nil
	}
	for i, b := range g.pages.inside {
		if b != g.start[i] && !(written && g.mine[i]) {
			return fmt.Errorf("byte %d (the first element is at 0) was overwritten", i-g.from)
		}
	}
	return nil
}

// Close gives the memory up.
func (g *Guarded) Close() error { return g.pages.free() }

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
