package tensor

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"
)

// How it works
//
// Elements move between the host and foreign memory in blocks of bytes. Where both sides lie alike
// and without gaps, there is one block and no copy beside. All else is staged: the dimensions are
// taken in the order of their strides, smallest first, into the block as long as they leave no gap
// that is worth a transfer of its own, and the block is no larger than the stage; the dimensions
// that are left count the blocks. A block is moved to or from the stage, a buffer in which its
// elements lie as in the memory, and copyDisjoint does the rest: order, strides, types.
//
// A read may run over gaps. A write must not, as what is in them belongs to others, who may write
// there at the same time: it makes a transfer for every piece without gaps. A dense tensor in any
// order of its dimensions is one piece.

// limits say how elements are joined to blocks.
type limits struct {
	stage int // the largest block that is staged, in bytes
	gap   int // the least gap that is not read
}

// usualLimits bounds the buffer, and takes for a gap what takes about as long to move as starting a
// transfer does: some microseconds, at ten gigabytes a second.
func usualLimits() limits { return limits{stage: 64 << 20, gap: 64 << 10} }

// ToHost returns a dense copy in the memory of the host, also of a tensor that is there already.
func (t *Tensor) ToHost() (*Tensor, error) { return t.To(nil) }

// To returns a dense copy on the memory of a device; a nil allocator is the host.
func (t *Tensor) To(a Allocator) (*Tensor, error) { return t.convertOn(a, t.dtype) }

// convertOn returns a dense copy on a device with another element type.
func (t *Tensor) convertOn(a Allocator, d DType) (*Tensor, error) {
	c, err := NewOn(a, d, t.shape...)
	if err != nil {
		return nil, err
	}
	if err := c.CopyFrom(t); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// onHost returns t itself where it is on the host, or a copy there, for giveUp.
func (t *Tensor) onHost() (*Tensor, error) {
	if !t.foreign {
		return t, nil
	}
	return t.ToHost()
}

// giveUp closes what onHost returned, if it is a copy.
func (t *Tensor) giveUp(host *Tensor) {
	if host != t {
		_ = host.Close()
	}
}

// copyForeign is CopyFrom where one of the two is on foreign memory at least. Between two memories
// the way is over a dense copy on the host, so that they may be one memory.
func (t *Tensor) copyForeign(src *Tensor) error {
	defer t.keepAlive()
	defer src.keepAlive()
	switch {
	case !t.foreign:
		return src.transfer(t, read, usualLimits())
	case !src.foreign:
		return t.transfer(src, write, usualLimits())
	}
	host, err := New(t.dtype, t.shape...)
	if err != nil {
		return err
	}
	defer host.Close()
	if err := src.transfer(host, read, usualLimits()); err != nil {
		return err
	}
	return t.transfer(host, write, usualLimits())
}

// mustFill is fillFrom for functions that return no errors.
func (t *Tensor) mustFill(fill func(*Tensor)) {
	if err := t.fillFrom(fill); err != nil {
		panic(err)
	}
}

// fillFrom writes the elements that fill gives a dense tensor of the same type and shape, as a loop
// over the elements would: of those that share memory, the last one stays.
func (t *Tensor) fillFrom(fill func(*Tensor)) error {
	if t.Len() == 0 { // there is no last element to point at
		return nil
	}
	host, err := New(t.dtype, t.shape...)
	if err != nil {
		return err
	}
	defer host.Close()
	fill(host)
	to, from := *t, *host
	to.shape, from.shape = slices.Clone(t.shape), slices.Clone(host.shape)
	for dim, extent := range t.shape {
		if extent > 1 && t.strides[dim] == 0 {
			from.base = unsafe.Add(from.base, (extent-1)*from.strides[dim]*t.dtype.Size())
			to.shape[dim], from.shape[dim] = 1, 1
		}
	}
	defer t.keepAlive()
	return to.transfer(&from, write, usualLimits())
}

type direction bool

const (
	read  direction = false // from foreign memory to the host
	write direction = true
)

// transfer moves all elements between t, which is on foreign memory, and a tensor of the same shape
// on the host.
func (t *Tensor) transfer(host *Tensor, to direction, most limits) error {
	if t.Len() == 0 {
		return nil
	}
	if low, bytes := t.span(); t.liesLike(host) && bytes == t.Len()*t.dtype.Size() {
		first := unsafe.Add(host.base, low)
		return t.move(t.origin+int64(low), unsafe.Slice((*byte)(first), bytes), to)
	}
	p := t.partition(to, most)
	stage, err := New(Uint8, p.bytes)
	if err != nil {
		return err
	}
	defer stage.Close()
	inOrder := func(list []int) []int {
		ordered := make([]int, len(list))
		for k, dim := range p.order {
			ordered[k] = list[dim]
		}
		return ordered
	}
	shape, strides, hostStrides := inOrder(t.shape), inOrder(t.strides), inOrder(host.strides)
	outer, last := p.outer, 0
	if outer < len(shape) {
		last = shape[outer]
	}
	for r := range rows(shape[:outer], strides[:outer], hostStrides[:outer]) {
		for i := range r.n {
			for start := 0; start == 0 || start < last; start += p.chunk {
				b := block{to: to, at: r.a + i*r.stepA, hostAt: r.b + i*r.stepB, shape: slices.Clone(shape[outer:])}
				if last > 0 {
					b.shape[0] = min(p.chunk, last-start)
					b.at += start * strides[outer]
					b.hostAt += start * hostStrides[outer]
				}
				if err := t.moveBlock(b, host, stage, strides[outer:], hostStrides[outer:]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// A block is elements that are moved at once: the offsets, in elements, of the first one on either
// side, and the extents of those dimensions that are in it.
type block struct {
	to         direction
	at, hostAt int
	shape      []int
}

func (t *Tensor) moveBlock(b block, host, stage *Tensor, strides, hostStrides []int) error {
	size := t.dtype.Size()
	staged := &Tensor{dtype: t.dtype, shape: b.shape, strides: strides}
	low, bytes := staged.span()
	staged.base = unsafe.Add(stage.base, -low)
	part := &Tensor{dtype: host.dtype, shape: b.shape, strides: hostStrides, base: unsafe.Add(host.base, b.hostAt*host.dtype.Size())}
	if b.to == write {
		staged.copyDisjoint(part)
	}
	err := t.move(t.origin+int64(b.at*size+low), unsafe.Slice((*byte)(stage.base), bytes), b.to)
	if err == nil && b.to == read {
		part.copyDisjoint(staged)
	}
	return err
}

// A partition divides the dimensions: those of order[:outer] count blocks, the others are in the
// block, at most chunk indices of order[outer].
type partition struct {
	order        []int // by stride, the largest first
	outer, chunk int
	bytes        int // of the largest block
}

func (t *Tensor) partition(to direction, most limits) partition {
	distance := func(dim int) int { return max(t.strides[dim], -t.strides[dim]) * t.dtype.Size() }
	p := partition{outer: len(t.shape), chunk: 1, bytes: t.dtype.Size()}
	for dim := range t.shape {
		p.order = append(p.order, dim)
	}
	// An extent of 1 is in every block.
	reach := func(dim int) int { return distance(dim) * min(1, t.shape[dim]-1) }
	slices.SortStableFunc(p.order, func(a, b int) int { return cmp.Compare(reach(b), reach(a)) })
	for p.outer > 0 {
		dim := p.order[p.outer-1]
		extent, step := t.shape[dim], reach(dim)
		fits := extent
		if step > 0 {
			fits = min(extent, 1+max(0, most.stage-p.bytes)/step)
		}
		gap := step - p.bytes
		if gap > 0 && (to == write || gap >= most.gap) {
			break
		}
		p.outer--
		p.chunk, p.bytes = fits, p.bytes+(fits-1)*step
		if fits < extent {
			break
		}
	}
	return p
}

// span returns where the bytes of the elements begin, relative to those of element [0, …, 0], and
// how many there are with the gaps between them.
func (t *Tensor) span() (low, bytes int) {
	first, last := 0, 1
	for dim, n := range t.shape {
		if reach := (n - 1) * t.strides[dim]; reach < 0 {
			first += reach
		} else {
			last += reach
		}
	}
	return first * t.dtype.Size(), (last - first) * t.dtype.Size()
}

// liesLike reports whether two tensors of one shape have the same type and distances.
func (t *Tensor) liesLike(o *Tensor) bool {
	for dim, extent := range t.shape {
		if extent > 1 && t.strides[dim] != o.strides[dim] {
			return false
		}
	}
	return t.dtype == o.dtype
}

// move copies bytes from or to a range of the foreign memory of t.
func (t *Tensor) move(at int64, bytes []byte, to direction) error {
	m := t.Memory()
	if end := at + int64(len(bytes)); at < 0 || end > m.Bytes() {
		return fmt.Errorf("the bytes %d to %d of a memory on %s of %d", at, end, m.Device(), m.Bytes())
	}
	transfer, verb, preposition := m.Read, "reading", "from"
	if to == write {
		transfer, verb, preposition = m.Write, "writing", "to"
	}
	if err := transfer(at, bytes); err != nil {
		return fmt.Errorf("%s %d bytes %s %s: %w", verb, len(bytes), preposition, m.Device(), err)
	}
	return nil
}
