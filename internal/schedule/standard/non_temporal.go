package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How results are written past the caches: non-temporal stores
//
// A store to memory reads the line first, which a store past the caches does not: it moves
// half the bytes, and pushes nothing out. It pays where the result lies in a memory that is
// written slower, and where who reads it next loses no more than was won. Only whole lines
// go there well.

// prefersNonTemporal reports whether a result that nobody reads soon is written faster past the caches,
// where so many bytes are gone through with it: by the speeds of the memory that holds them, if
// they were measured.
// Some machines have a last cache that is no faster than memory (Sapphire Rapids on two
// threads: 22 GB/s with ordinary stores to either, 51 past them, and 36 for reading). Where
// nobody has measured, the last cache is believed to be one of usual size.
func (mk *maker) prefersNonTemporal(bytes int64) bool {
	p := mk.m.Peaks
	if p == nil || len(p.Layers) == 0 {
		return bytes > mk.m.Shared()
	}
	threads := 1
	if mk.m.Cores > 1 {
		threads = p.Threads
	}
	layer, memory := p.LayerOf(bytes, threads), p.Layers[len(p.Layers)-1]
	seconds := func(write, read machine.Speed) float64 {
		return 1/write.Of(threads, p.Threads) + 1/read.Of(threads, p.Threads)
	}
	return seconds(layer.Stream, memory.Read) < seconds(layer.Write, layer.Read)
}

// streamsResult reports whether the register tiles of a contraction, of so many points along the
// vectors, are written past the caches: complete sums, of which every tile has whole lines. Instance 1 of CCSD(T) takes
// 10.2 instead of 23 ms with floats on one thread of a Sapphire Rapids, though the lines of
// every tile were asked for ahead of time.
func (k *contraction) streamsResult(vector *ein.Index, tile int64) bool {
	return k.depth == 0 && len(k.outer) == 0 && k.c.Writes[0].Tensor.Type == k.c.Values[0].Type() && k.mk.streamsTiles(k.c, vector, tile, k.mk.bytesOf(k.c.Writes[0].Tensor))
}

// streamsTiles reports whether what a statement writes for register tiles of so many points along
// the vectors is an output in whole lines that is written faster past the caches, where so many bytes are gone through.
func (mk *maker) streamsTiles(c *ein.Comprehension, vector *ein.Index, tile, bytes int64) bool {
	w := c.Writes[0]
	size := int64(w.Tensor.Type.Size())
	if len(c.Writes) > 1 || c.Accumulate != nil || w.Tensor.Role != ein.Output {
		return false
	}
	wholeLines := tile*size%mk.line() == 0 && estimate(vector.Extent)*size%mk.line() == 0
	return wholeLines && mk.along(c, w.Tensor, w.Subscripts, vector) == unit && mk.rowsAtLines(c, vector) && mk.prefersNonTemporal(bytes)
}

// mostBeside is how many rows a statement may read side by side where the rows that it writes
// begin within lines. With three, of a stencil of five points, that takes 0.76 of the time
// (4096² floats); with five, which leave few lines on their way for stores to wait in, 1.07 to
// 1.1 (two neighbours in each direction, and 512³ points of seven).
func (mk *maker) mostBeside() int { return int(mk.pending() / 3) }

// streamsTiledRows reports whether the rows that register tiles of a statement write along an
// index are written past the caches, where so many bytes are gone through: a complete output
// in long rows. These may begin within lines where a vector is one, which the lowering joins of
// two (loop.Row).
func (mk *maker) streamsTiledRows(c *ein.Comprehension, vector *ein.Index, bytes int64) bool {
	shortest := 31 * mk.line() // of a row: the lines at its ends are written in part
	w := c.Writes[0]
	size := int64(w.Tensor.Type.Size())
	if len(c.Writes) > 1 || c.Accumulate != nil || w.Tensor.Role != ein.Output || w.Tensor.Type != c.Values[0].Type() {
		return false
	}
	if joined := int64(mk.m.VectorBytes) == mk.line() && size >= 4; !joined && !mk.vectorsAtLines(c, vector) {
		return false
	}
	return mk.along(c, w.Tensor, w.Subscripts, vector) == unit && estimate(vector.Extent)*size >= shortest && mk.prefersNonTemporal(bytes)
}

// streamsOut reports whether the vectors of statement number k, a map, are stored past the
// caches: they run along long rows, which the lowering cuts at lines, and with all that the
// group goes through there is more than the last cache keeps, so that nobody would find them
// there. Asking ahead for what is read makes that as fast as a copy can be (2^24 floats scaled
// and added, on Granite Rapids: 7.6 instead of 11.1 ms, and 3.8 instead of 5.4 on two threads).
func (mk *maker) streamsOut(p *plan, k int, vector *ein.Index) bool {
	shortest := 31 * mk.line() // of a row: it may have parts of the lines at its ends
	return mk.streamsRows(p, k, vector, shortest, mk.mostBeside())
}

// streamsRows is streamsOut for rows that have at least so many bytes, and where so many are
// read side by side if those that are written begin within lines.
func (mk *maker) streamsRows(p *plan, k int, vector *ein.Index, shortest int64, beside int) bool {
	c := mk.f.Body[p.g.statements[k]]
	if len(ein.Reduced(c)) > 0 || len(c.Writes) > 1 || c.Accumulate != nil || mk.aheadOf(p, k, vector) == 0 {
		return false
	}
	w := c.Writes[0]
	if mk.along(c, w.Tensor, w.Subscripts, vector) != unit || estimate(vector.Extent)*int64(w.Tensor.Type.Size()) < shortest ||
		!mk.vectorsAtLines(c, vector) && !(p.hasRows(k, vector) && mk.rowsRead(c, vector) <= beside) {
		return false
	}
	for n, s := range p.g.statements {
		for _, a := range mk.accesses[s] {
			if a.Tensor == w.Tensor && !(n == k && a.Writes) {
				return false
			}
		}
	}
	return mk.prefersNonTemporal(mk.goneThrough(p.g)) && (w.Tensor.Role != ein.Temp || mk.prefersNonTemporal(mk.bytesOf(w.Tensor)))
}

// leastChained is how many lines a row has at least that is written past the caches as one of a
// chain.
const leastChained = 4

// endToEnd returns the index from row to row where those that a statement writes along an index
// begin where the ones before end, and within lines, so that the lowering joins them: 1024 x 130 x
// 120 floats of 7 points take 0.6 of the time on one thread of a Granite Rapids, and 0.65 on two.
// Otherwise nil.
func (mk *maker) endToEnd(c *ein.Comprehension, vector *ein.Index) *ein.Index {
	w := c.Writes[0]
	size := int64(w.Tensor.Type.Size())
	last := len(w.Subscripts) - 1
	if last < 1 || int64(mk.m.VectorBytes) != mk.line() || size < 4 {
		return nil
	}
	along, _, plain := schedule.IndexPlusConstant(c, w.Subscripts[last])
	next, _, plainNext := schedule.IndexPlusConstant(c, w.Subscripts[last-1])
	n, known := vector.Extent.IsConst()
	whole, all := w.Tensor.Dims[last].Extent.IsConst()
	if !plain || !plainNext || along != vector || !known || !all || n != whole || n*size < leastChained*mk.line() || n*size%mk.line() == 0 {
		return nil
	}
	return next
}

// goneThrough is the size of all tensors that a group reads and writes, but for temporaries
// that it keeps.
func (mk *maker) goneThrough(g *group) int64 {
	met, bytes := []*ein.Tensor{}, int64(0)
	for _, s := range g.statements {
		for _, a := range mk.accesses[s] {
			if !slices.Contains(met, a.Tensor) && !(a.Tensor.Role == ein.Temp && mk.keeps(g, a.Tensor)) {
				met, bytes = append(met, a.Tensor), bytes+mk.bytesOf(a.Tensor)
			}
		}
	}
	return bytes
}

// hasRows reports whether the vectors of statement number k may run along whole rows: where
// statements share tiles of one vector, these begin where the first row does.
func (p *plan) hasRows(k int, vector *ein.Index) bool {
	return len(p.g.statements) == 1 || p.vector < 0 || p.g.columns[p.vector][k] != vector
}

// vectorsAtLines reports whether the vectors that a statement writes along an index begin at
// lines when the tensor does.
func (mk *maker) vectorsAtLines(c *ein.Comprehension, vector *ein.Index) bool {
	w := c.Writes[0]
	_, offset, plain := schedule.IndexPlusConstant(c, w.Subscripts[len(w.Subscripts)-1])
	first, known := vector.Min.AddConst(offset).IsConst()
	return plain && known && first*int64(w.Tensor.Type.Size())%mk.line() == 0 && mk.rowsAtLines(c, vector)
}

// rowsRead counts the rows along an index that a statement reads side by side.
func (mk *maker) rowsRead(c *ein.Comprehension, vector *ein.Index) int {
	return len(mk.rows(c, vector, nil, 1))
}

// rowBytes is the size of the rows along an index that so many points across another one read.
func (mk *maker) rowBytes(c *ein.Comprehension, vector, across *ein.Index, points int64) (bytes int64) {
	for _, t := range mk.rows(c, vector, across, points) {
		bytes += schedule.MultiplySizes(max(1, estimate(vector.Extent)), int64(t.Type.Size()))
	}
	return bytes
}

// rows returns the tensors of the different rows along an index that so many points across
// another one read, by their names.
func (mk *maker) rows(c *ein.Comprehension, vector, across *ein.Index, points int64) map[string]*ein.Tensor {
	seen := map[string]*ein.Tensor{}
	for _, a := range c.Accesses() {
		if mk.along(c, a.Tensor, a.Subscripts, vector) != unit {
			continue
		}
		row := *a
		row.Subscripts = slices.DeleteFunc(slices.Clone(a.Subscripts), func(sub ein.Expr) bool { return ein.DependsOn(sub, vector) })
		for k := range points {
			seen[elementOf(c, &row, map[*ein.Index]int64{across: k})] = a.Tensor
		}
	}
	return seen
}

// isStreamed reports whether a nest is of vectors that are stored past the caches.
func isStreamed(n schedule.Node) bool {
	b, ok := n.(*schedule.Band)
	if !ok {
		return false
	}
	_, ok = b.Child.(*schedule.Leaf)
	last := b.Members[len(b.Members)-1]
	return ok && last.Vector > 0 && last.Stream
}

// bytesOf is the size of a tensor.
func (mk *maker) bytesOf(t *ein.Tensor) int64 {
	bytes := int64(t.Type.Size())
	for _, d := range t.Dims {
		bytes = schedule.MultiplySizes(bytes, max(1, estimate(d.Extent)))
	}
	return bytes
}
