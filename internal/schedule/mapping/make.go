package mapping

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/mdh"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
)

// A Made is what mapping options stand for.
type Made struct {
	Tree *schedule.Tree
	// Says has what the options mean for the function on the machine, in lines.
	Says []string
	// Idle lists the options that have no effect.
	Idle []Remark
}

// Make returns the schedule tree of mapping options. The tree comes with the error where it is refused.
func Make(f *ein.Func, m *machine.Processor, o Options) (*schedule.Tree, error) {
	made, err := Explain(f, m, o)
	return made.Tree, err
}

// Explain is Make with what there is to say about the options.
func Explain(f *ein.Func, m *machine.Processor, o Options) (*Made, error) {
	if m.Grid != nil {
		return onGrid(f, *m.Grid, o)
	}
	p, workers := plan(f, m, o)
	p.PadPartial(f)
	tree, err := mdh.Make(f, p)
	made := &Made{Tree: tree, Idle: o.Idle}
	if err == nil {
		made.explain(f, m, o, p, workers)
	}
	return made, err
}

// Plan expresses mapping options as tuning parameters: tiles are the parts of COR (and
// of memories where the number of blocks asks for larger tasks), what is written out is
// on REG, threads are lanes on SIMD, shared memory is the region of the largest private
// cache, and private memory the registers.
func Plan(f *ein.Func, m *machine.Processor, o Options) *mdh.Plan {
	p, _ := plan(f, m, o)
	return p
}

// plan is Plan, with how each statement came to its configuration.
func plan(f *ein.Func, m *machine.Processor, o Options) (*mdh.Plan, map[int]*worker) {
	p, workers := &mdh.Plan{}, map[int]*worker{}
	for _, g := range fused(f, o) {
		p.Groups = append(p.Groups, group(f, m, o, g, workers)...)
	}
	return p, workers
}

// group makes the configurations of statements with common dimensions. Where their
// tiles do not fit together each has loops of its own.
func group(f *ein.Func, m *machine.Processor, o Options, g standard.Group, workers map[int]*worker) []*mdh.Group {
	joined, together := &mdh.Group{}, map[int]*worker{}
	var alone []*mdh.Group
	for at, s := range g.Statements {
		columns := make([]*ein.Index, len(g.Columns))
		for c := range g.Columns {
			columns[c] = g.Columns[c][at]
		}
		w := newWorker(f, m, o, s, columns, len(g.Statements) > 1)
		k := w.configuration()
		joined.Members = append(joined.Members, mdh.Member{Statement: s, Configuration: k})
		joined.Shared = w.sharedLoops(k)
		together[s] = w
		single := newWorker(f, m, o, s, nil, false)
		workers[s] = single
		alone = append(alone, &mdh.Group{Members: []mdh.Member{{Statement: s, Configuration: single.configuration()}}})
	}
	if len(g.Statements) > 1 && joined.Shared > 0 && joined.Fits(f) == nil {
		maps.Copy(workers, together)
		return []*mdh.Group{joined}
	}
	return alone
}

// A worker makes the configuration of one statement.
type worker struct {
	c       *mdh.Computation
	model   *machine.Machine
	o       Options
	columns []int // dimensions of the tile, in the order of the options
	fused   bool
	lanes   int64
	vector  int   // the dimension of the lanes, or -1
	why     error // the options are not those of the configuration
}

func newWorker(f *ein.Func, m *machine.Processor, o Options, s int, columns []*ein.Index, fused bool) *worker {
	c := mdh.ComputationOf(f, s)
	w := &worker{c: c, model: machine.Of(m, c.ElementBytes()), o: o, fused: fused}
	for _, i := range columns {
		w.columns = append(w.columns, slices.IndexFunc(c.Dims, func(d mdh.Dim) bool { return d.Index == i }))
	}
	if columns == nil {
		for d, dim := range c.Dims {
			if !dim.Reduced() {
				w.columns = append(w.columns, d)
			}
		}
	}
	w.lanes = w.model.Layer(w.model.Find("SIMD")).Units
	if len(o.Threads) > 0 {
		w.lanes = min(w.lanes, int64(1)<<(bits.Len64(uint64(o.Threads[0]))-1))
	}
	w.vector = -1
	for _, d := range w.c.LaneDims(w.lanes) {
		if (!c.Dims[d].Reduced() || o.Private) && (w.vector < 0 || !c.Dims[d].Reduced()) {
			w.vector = d
		}
	}
	if w.vector >= 0 {
		// Lanes beyond a tile would compute nothing.
		for size := w.block(w.vector); w.lanes/2 >= size; {
			w.lanes /= 2
		}
		if w.lanes <= 1 {
			w.vector = -1
		}
	}
	return w
}

// block is the size of the tile along dimension d, or the dimension where it is uncut.
func (w *worker) block(d int) int64 {
	size := w.tile(w.entry(d))
	if n := w.c.Dims[d].N; n >= 0 {
		size = min(size, max(1, n))
	}
	return size
}

// entry is the position of dimension d in the band: the dimensions of the columns, then the
// reduced ones, in the order of the program; -1 where it is not cut.
func (w *worker) entry(d int) int {
	if at := slices.Index(w.columns, d); at >= 0 {
		return at
	}
	if !w.c.Dims[d].Reduced() || w.fused {
		return -1
	}
	at := len(w.columns)
	for _, dim := range w.c.Dims[:d] {
		if dim.Reduced() && !dim.Point() {
			at++
		}
	}
	return at
}

// tile is the size of the tile along entry n of the band.
func (w *worker) tile(n int) int64 {
	if n >= 0 && n < len(w.o.Tile) && w.o.Tile[n] > 0 {
		return w.o.Tile[n]
	}
	return mdh.WholeBlock
}

// configuration tries the options as they are, then without copies, and at last the
// order of the program, which any statement allows.
func (w *worker) configuration() *mdh.Configuration {
	for _, shared := range []bool{w.o.Shared, false} {
		k := w.attempt(shared)
		problems := mdh.Validate(w.c, k, mdh.Options{})
		if len(problems) == 0 {
			return k
		}
		w.why = problems[0]
	}
	return mdh.Plain(w.c, w.model)
}

func (w *worker) attempt(shared bool) *mdh.Configuration {
	k := mdh.New(w.c, w.model)
	memories := w.memories(k)
	rest := map[bool]int{true: memories[len(memories)-1]} // by whether a dimension is reduced
	rest[false] = rest[true]
	if w.c.Op != nil && len(memories) > 1 {
		rest[false] = memories[len(memories)-2]
	}
	w.registers(k)
	for d, dim := range w.c.Dims {
		sizes := slices.Repeat([]int64{mdh.WholeBlock}, k.Layers+1)
		at := slices.Index(w.columns, d)
		switch {
		case dim.Point():
			continue
		case at >= 0:
			w.tileSizes(sizes, memories, at, dim.N, k.Tile(mdh.Level{Layer: rest[dim.Reduced()], Dim: d + 1}))
		case dim.Reduced() && !w.fused && memories[0] < rest[true]:
			sizes[memories[0]] = w.tile(w.entry(d))
		}
		k.Cut(d+1, dim.N, sizes, rest[dim.Reduced()])
	}
	k.ByLayers(func(layer int) []int {
		if layer != k.Partition("REG") {
			return w.columns
		}
		return w.registerOrder()
	})
	w.regions(k, shared)
	return k
}

// memories lists the partition layers of memories, slow to fast, without registers.
func (w *worker) memories(k *mdh.Configuration) []int {
	var list []int
	for n := 1; n < w.model.Memories(); n++ {
		if layer := k.Partition(w.model.Layer(n).Name); layer > 0 {
			list = append(list, layer)
		}
	}
	if len(list) == 0 { // a statement without dimensions
		list = []int{1}
	}
	return list
}

// tileSizes cuts column number at: tiles on the cores, or larger tasks of several tiles
// where the options ask for few blocks. What is not tiled, and has to be cut, has the blocks of the
// registers.
func (w *worker) tileSizes(sizes []int64, memories []int, at int, n, inner int64) {
	tile := w.tile(at)
	if tile == mdh.WholeBlock {
		if w.fused || len(w.o.Tile) == 0 {
			tile = inner
		} else {
			return
		}
	}
	sizes[1] = tile
	if at < len(w.o.Blocks) && n > 0 {
		if task := (n + w.o.Blocks[at] - 1) / w.o.Blocks[at]; task > tile {
			sizes[1] = (task + tile - 1) / tile * tile
			sizes[memories[max(0, len(memories)-3)]] = tile
		}
	}
}

// registers sets lanes, and writes out loops around them up to the product that the
// options allow and the registers hold.
func (w *worker) registers(k *mdh.Configuration) {
	layer, lanes := k.Partition("REG"), k.Partition("SIMD")
	if w.c.Ordered || layer == 0 {
		return
	}
	if w.vector >= 0 {
		k.Row(mdh.Level{Layer: lanes, Dim: w.vector + 1}).Parts = w.lanes
	}
	registers := w.model.Layer(w.model.Memories()).Bytes / int64(w.c.ElementBytes()) / max(1, w.model.Layer(w.model.Find("SIMD")).Units)
	budget := min(w.o.Unroll, registers*3/4)
	for n := len(w.columns) - 1; n >= 0 && budget > 1; n-- {
		d := w.columns[n]
		size, unit := w.c.Dims[d].N, int64(1)
		if size < 0 || w.tile(n) < size {
			size = w.tile(n)
		}
		if d == w.vector {
			unit = w.lanes
		}
		parts := min(budget, size/unit)
		if d == w.vector {
			parts = min(parts, 4)
		}
		parts = even(parts, size/unit)
		if parts > 1 && size < mdh.WholeBlock {
			k.Row(mdh.Level{Layer: layer, Dim: d + 1}).Parts = parts
			budget /= parts
		}
	}
}

// even returns the greatest divisor of n up to most, if it is not much less.
func even(most, n int64) int64 {
	for p := most; 2*p > most && n < mdh.WholeBlock/2; p-- {
		if n%p == 0 {
			return p
		}
	}
	return most
}

// registerOrder lists the dimensions so that the one with lanes is the last.
func (w *worker) registerOrder() []int {
	var list []int
	for d := range w.c.Dims {
		if d != w.vector {
			list = append(list, d)
		}
	}
	if w.vector >= 0 {
		list = append(list, w.vector)
	}
	return list
}

// regions sets where copies of a tile and partial results live.
func (w *worker) regions(k *mdh.Configuration, shared bool) {
	memories := w.memories(k)
	tileLayer := memories[max(0, len(memories)-2)]
	cache := 0
	for n := 1; n <= w.model.Memories() && cache == 0; n++ {
		if w.model.Layer(n).Copied {
			cache = n
		}
	}
	for at := range k.Rows {
		l, r := k.LevelOf(at), &k.Rows[at]
		for b := range r.In {
			if shared && l.Layer >= tileLayer && w.c.Copyable(b) && w.c.Reused(b) {
				r.In[b] = mdh.Place{Region: cache, Layout: w.c.VectorLayout(b, w.vector)}
			}
		}
		for o := range r.Out {
			if w.o.Private && w.c.Op != nil && l.Layer >= memories[len(memories)-1] {
				r.Out[o].Region = w.model.Memories()
			}
		}
	}
}

// sharedLoops counts the loops that the statements of a group have in common: those on
// COR and the memories outside of the last two.
func (w *worker) sharedLoops(k *mdh.Configuration) int {
	memories := w.memories(k)
	last := memories[max(0, len(memories)-3)]
	n := 0
	for _, l := range k.Active(mdh.Decompose) {
		if l.Layer > last || len(memories) < 3 && l.Layer > 1 {
			break
		}
		n++
	}
	return n
}
