package mdh

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/machine"
)

// ordered makes the configuration of a statement whose loops are those of the program,
// except that concatenated ones of an ordered reduction may be cut for cores.
func (s *groupSpace) ordered(m *Computation, model *machine.Machine, c *choice) *Configuration {
	k := Plain(m, model)
	if !m.writesOnce() {
		return k
	}
	layer := k.memoryLayer()
	for d, dim := range m.Dims {
		if dim.Reduced() || dim.Point() || len(c.blocks[d]) == 0 {
			continue
		}
		sizes := slices.Clone(c.blocks[d])
		if c.cores != 1 {
			sizes[1] = WholeBlock
		}
		k.Row(Level{layer, d + 1}).Parts = 1
		k.Spread(d+1, dim.N, sizes, layer)
	}
	s.arrange(m, k, c)
	order := k.Ordered(Decompose)
	slices.SortStableFunc(order, func(a, b Level) int {
		return s.orderedRank(m, a) - s.orderedRank(m, b)
	})
	k.SetOrder(order)
	return k
}

// orderedRank puts concatenated dimensions first, then the reduced ones in the order of
// the program.
func (s *groupSpace) orderedRank(m *Computation, l Level) int {
	if m.Dims[l.Dim-1].Reduced() {
		return l.Dim
	}
	return 0
}

// cut partitions dimension d on all layers.
func (s *groupSpace) cut(m *Computation, k *Configuration, c *choice, d int) {
	dim := m.Dims[d]
	if dim.Point() {
		return
	}
	sizes := slices.Clone(c.blocks[d])
	if dim.Reduced() {
		out := c.outside()
		switch {
		case c.walks(d): // the larger blocks are outside of the pieces, whichever layers these are on
		case out > 0: // the memories outside of the cores are one layer further out
			copy(sizes[1:out+1], sizes[2:out+2])
			sizes[out+1] = WholeBlock
		default:
			sizes[1] = WholeBlock
		}
	} else if c.cores <= 0 {
		if sizes[1] = WholeBlock; c.outside() > 0 {
			sizes[1], sizes[2] = sizes[2], WholeBlock
		}
	} // of cores inside of memories, too, the larger blocks are outside
	k.Row(Level{s.registerLayer(), d + 1}).Parts = c.registers[d]
	if d == c.simd {
		k.Row(Level{s.laneLayer(), d + 1}).Parts = k.Model.Layer(k.Model.Find("SIMD")).Units
	}
	rest := s.model.Memories() // L1
	if m.Op != nil && !dim.Reduced() {
		rest = max(2, rest-1)
	}
	if dim.Reduced() && dim.N > 0 && m.scan == nil {
		s.even(k, d, dim.N, sizes[:rest])
	}
	k.Spread(d+1, dim.N, sizes, rest)
}

// even changes the blocks of a reduced dimension, of which partial ones cannot be padded,
// to divisors of its size nearby. The blocks of the seed stay.
func (s *groupSpace) even(k *Configuration, d int, n int64, sizes []int64) {
	inside, partial := k.Tile(Level{len(sizes), d + 1}), false
	for layer := len(sizes) - 1; layer >= 1; layer-- {
		if sizes[layer] == WholeBlock {
			continue
		}
		size := roundUp(max(sizes[layer], inside), inside)
		if l := (Level{layer, d + 1}); s.seed.Row(l).Parts == 1 || s.seed.Tile(l) != size {
			size = nearestDivisor(n, size, inside)
		}
		if n%size != 0 && size < n {
			if partial && size%inside != 0 { // on another layer, too: code for each combination of them
				sizes[layer] = WholeBlock
				continue
			}
			partial = true
		}
		sizes[layer], inside = size, size
	}
}

// nearestDivisor returns the multiple of unit that divides n and is nearest to size, the
// smaller of two, or size where none is between half and twice of it.
func nearestDivisor(n, size, unit int64) int64 {
	best, least := size, size+1 // the distance
	consider := func(m int64) {
		away := max(m, size) - min(m, size)
		if m >= size/2 && m <= 2*size && (away < least || away == least && m < best) {
			best, least = m, away
		}
	}
	units := n / unit
	for d := int64(1); units*unit == n && d <= units/d; d++ {
		if units%d == 0 {
			consider(d * unit)
			consider(units / d * unit)
		}
	}
	return best
}

// arrange orders the loops: layer by layer, each in its order; register loops over
// reduced dimensions first, lanes last.
func (s *groupSpace) arrange(m *Computation, k *Configuration, c *choice) {
	k.ByLayers(func(layer int) []int {
		dims := slices.Clone(c.orders[layer])
		for d := range m.Dims {
			if !slices.Contains(dims, d) {
				dims = append(dims, d)
			}
		}
		if layer == s.registerLayer() {
			slices.SortStableFunc(dims, func(a, b int) int { return s.registerRank(m, c, a) - s.registerRank(m, c, b) })
		}
		return dims
	})
}

// combine lets R1 combine the points of a register tile along a reduced dimension behind all that is inside of the
// accumulators.
func (s *groupSpace) combine(m *Computation, k *Configuration, c *choice) {
	if c.apart < 0 {
		return
	}
	last := Level{s.registerLayer(), c.apart + 1}
	var list []Level
	for _, l := range k.Ordered(Scalar) {
		if m.Dims[l.Dim-1].Reduced() && l.Layer >= s.model.Memories() && !slices.Contains(list, last) {
			list = append(list, last)
		}
		if l != last {
			list = append(list, l)
		}
	}
	for at, l := range list {
		k.Row(l).Order[Recompose] = at
	}
}

func (s *groupSpace) registerRank(m *Computation, c *choice, d int) int {
	switch {
	case d == c.simd:
		return 2
	case m.Dims[d].Reduced():
		return 0
	}
	return 1
}

// regions sets D3, D4 and R3.
func (s *groupSpace) regions(m *Computation, k *Configuration, c *choice) {
	cache := 1 + slices.IndexFunc(k.Model.Layers, func(l machine.Layer) bool { return l.Copied })
	loops := map[int]int{} // of a layer, so far
	carries := s.carries(m, k)
	for _, l := range k.Ordered(Decompose) {
		r := k.Row(l)
		for b := range r.In {
			from := int(c.copies[b])
			copied := from > 0 && (l.Layer > from/16 || l.Layer == from/16 && loops[l.Layer] >= from%16) && l.Layer > 1+c.outside()
			r.In[b] = Place{1, rowMajor(m.Inputs[b].Rank())}
			if copied {
				r.In[b] = Place{cache, m.vectorLayout(m.Inputs[b], c.simd)}
				if c.turned[b] {
					slices.Reverse(r.In[b].Layout)
				}
			}
		}
		for o := range r.Out {
			r.Out[o].Region = 1
			if m.Op != nil && l.Layer >= s.model.Memories() {
				r.Out[o].Region = k.Model.Memories()
			}
			if m.scan != nil {
				r.Out[o].Region = carries[l]
			}
		}
		if r.Parts != 1 {
			loops[l.Layer]++
		}
	}
}

// carries are the regions of what a scan carries at each level: the fastest that has room
// for the results that are open there, and main memory outside of the loops on cores, and
// for their pieces.
func (s *groupSpace) carries(m *Computation, k *Configuration) map[Level]int {
	regions := map[Level]int{}
	blocks := (&validator{c: m, k: k}).blocks()
	cache := 1 + slices.IndexFunc(k.Model.Layers, func(l machine.Layer) bool { return l.Copied })
	order := k.Ordered(Decompose)
	onCores := func(l Level, reduced bool) bool {
		return k.Row(l).Parts != 1 && k.kind(l) == coresLoop && m.Dims[l.Dim-1].Reduced() == reduced
	}
	for at, l := range order {
		bytes := saturate(m.points(k, blocks), int64(m.ElementBytes()*len(m.Outputs)))
		shared := slices.ContainsFunc(order[at:], func(o Level) bool { return onCores(o, false) })
		switch {
		case m.scan == nil || shared || onCores(l, true):
			regions[l] = 1
		case bytes <= k.Model.Layer(k.Model.Memories()).Bytes/2:
			regions[l] = k.Model.Memories()
		case bytes <= min(k.Model.Layer(cache).Bytes/2, machine.StackBytes/2):
			regions[l] = cache
		default:
			regions[l] = 1
		}
		if k.Row(l).Parts != 1 {
			blocks.enter(l)
		}
	}
	return regions
}
