package mdh

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/space"
)

// A groupSpace holds the choices for the statements of one group. Those of the leading
// statement are parameters; the others follow it along the shared dimensions.
type groupSpace struct {
	f       *ein.Func
	prefix  string
	options SpaceOptions
	members []*Computation
	models  []*machine.Machine
	lead    *Computation
	model   *machine.Machine // of the lead
	columns [][]int          // by shared dimension of the lead: the dimension of each member
	placed  []string         // temporaries that only the group uses
	seed    *Configuration
	fused   bool // whether the seed fuses

	parameters []parameter
	trees      []space.Group
}

// A parameter is what one value of a point decides.
type parameter struct {
	role role
	dim  int
	// layer is the partition layer of a block or an order, or the input of a copy.
	layer int
}

type role int

const (
	fuse role = iota
	simd
	registers
	apart
	cores
	block
	order
	copyFrom
	copyLayout
)

func newGroupSpace(f *ein.Func, m *machine.Processor, g *Group, prefix string, options SpaceOptions) *groupSpace {
	s := &groupSpace{f: f, prefix: prefix, options: options, placed: g.allPlaced(), fused: len(g.Members) > 1}
	for len(g.Inner) == 1 && len(g.Inner[0].Members) == len(g.Members) { // what all of them share
		g = g.Inner[0]
	}
	heaviest := -1
	for i, member := range g.Members {
		c := ComputationOf(f, member.Statement)
		s.members, s.models = append(s.members, c), append(s.models, machine.Of(m, c.ElementBytes()))
		if heaviest < 0 || c.weight() > s.members[heaviest].weight() {
			heaviest = i
		}
	}
	s.lead, s.model, s.seed = s.members[heaviest], s.models[heaviest], g.Members[heaviest].Configuration
	if s.fused {
		active := make([][]Level, len(g.Members))
		for i, member := range g.Members {
			active[i] = member.Configuration.Active(Decompose)
		}
		for at := range g.Shared {
			column := make([]int, len(g.Members))
			for i := range g.Members {
				column[i] = active[i][at].Dim - 1
			}
			if !slices.ContainsFunc(s.columns, func(c []int) bool { return slices.Equal(c, column) }) {
				s.columns = append(s.columns, column)
			}
		}
	}
	s.build()
	return s
}

// weight is the number of points, with reductions counting more.
func (c *Computation) weight() float64 {
	n := 1.0
	for _, d := range c.Dims {
		if d.N < 0 {
			n *= 256
		} else {
			n *= float64(max(1, d.N))
		}
	}
	if c.Op != nil {
		n *= 2
	}
	return n
}

func (s *groupSpace) groups() []space.Group { return s.trees }

// add appends a group of parameters.
func (s *groupSpace) add(parameters []parameter, g space.Group) {
	for i := range g {
		g[i].Name = s.prefix + g[i].Name
		for u := range g[i].Uses {
			g[i].Uses[u] = s.prefix + g[i].Uses[u]
		}
	}
	s.parameters, s.trees = append(s.parameters, parameters...), append(s.trees, g)
}

// single appends a parameter that depends on nothing.
func (s *groupSpace) single(p parameter, name string, values []int64, text func(int64) string) {
	if len(values) > 1 {
		s.add([]parameter{p}, space.Group{{Name: name, Values: func([]int64) []int64 { return values }, Uses: []string{}, Text: text}})
	}
}

func (s *groupSpace) build() {
	if s.fused {
		s.single(parameter{role: fuse}, "fuse", []int64{1, 0}, nil)
	}
	if s.lead.isFree() {
		s.tile()
	}
	s.single(parameter{role: cores}, "cores", s.coreChoices(), s.coreText)
	for d := range s.lead.Dims {
		s.blocks(d)
	}
	if s.lead.isFree() && len(s.lead.Dims) > 1 {
		for _, layer := range s.memoryLayers() {
			choices := make([]int64, len(s.orders(layer)))
			for i := range choices {
				choices[i] = int64(i)
			}
			s.single(parameter{role: order, layer: layer}, "order."+s.layerName(layer), choices, func(v int64) string { return s.orderText(s.orders(layer)[v]) })
		}
	}
	for b, input := range s.lead.Inputs {
		if s.lead.copyable(input) != "" || !s.lead.isFree() {
			continue
		}
		s.single(parameter{role: copyFrom, layer: b}, "copy."+input.Name(), s.copyChoices(), s.copyText)
		if input.Rank() > 1 {
			s.single(parameter{role: copyLayout, layer: b}, "layout."+input.Name(), []int64{0, 1}, nil)
		}
	}
}

// isFree reports whether the loops of a statement are more than those of the program: its
// order is free, or that of a scan, which may be cut anywhere.
func (c *Computation) isFree() bool { return (!c.Ordered || c.scan != nil) && c.writesOnce() }

// The partition layers of the space: cores, the memories from slow to fast without
// registers, registers, lanes; as New has them.
func (s *groupSpace) memoryLayers() []int {
	var list []int
	for layer := 2; layer <= s.model.Memories(); layer++ {
		list = append(list, layer)
	}
	return list
}

func (s *groupSpace) registerLayer() int { return s.model.Memories() + 1 }

func (s *groupSpace) laneLayer() int { return s.model.Memories() + 2 }

// layerName returns the name of the layer of the model for a partition layer.
func (s *groupSpace) layerName(layer int) string {
	if layer == 1 {
		return "COR"
	}
	return s.model.Layer(layer - 1).Name
}

// tile adds the dimension of the lanes and the register tile.
func (s *groupSpace) tile() {
	c := s.lead
	g := space.Group{{Name: "simd", Uses: []string{}, Values: func([]int64) []int64 { return s.laneChoices() }, Text: s.dimText}}
	parameters := []parameter{{role: simd}}
	for d, dim := range c.Dims {
		parameters = append(parameters, parameter{role: registers, dim: d})
		g = append(g, space.Parameter{Name: "reg." + dim.Name(), Values: func(prefix []int64) []int64 { return s.registerChoices(d, prefix) }})
	}
	if s.lead.Op != nil && slices.ContainsFunc(c.Dims, Dim.Reduced) {
		parameters = append(parameters, parameter{role: apart})
		g = append(g, space.Parameter{Name: "apart", Values: s.apartChoices, Text: s.apartText})
	}
	s.add(parameters, g)
}

// apartChoices lists what has partial results of its own in the register tile that is chosen: 0 nothing, 1 + d the
// points of the reduced dimension d, which R1 combines last. Their accumulators fit the registers.
func (s *groupSpace) apartChoices(prefix []int64) []int64 {
	list, held := []int64{0}, int64(len(s.lead.Outputs))
	for d, dim := range s.lead.Dims {
		if !dim.Reduced() || prefix[0] == int64(d) {
			held *= prefix[1+d]
		}
	}
	for d, dim := range s.lead.Dims {
		if dim.Reduced() && prefix[0] != int64(d) && prefix[1+d] > 1 && held*prefix[1+d] <= s.registerBudget() {
			list = append(list, int64(1+d))
		}
	}
	return list
}

func (s *groupSpace) apartText(v int64) string { return s.dimText(v - 1) }

// registerBudget is how many registers accumulators may take.
func (s *groupSpace) registerBudget() int64 {
	registers := s.model.Layer(s.model.Memories()).Bytes / int64(max(1, s.lanes())) / int64(s.lead.ElementBytes())
	return registers - min(4, registers/4)
}

func (s *groupSpace) dimText(v int64) string {
	if v < 0 {
		return "none"
	}
	return s.lead.Dims[v].Name()
}

func (s *groupSpace) lanes() int64 { return s.model.Layer(s.model.Find("SIMD")).Units }

// laneChoices lists the dimensions that may have lanes, and −1 for none.
func (s *groupSpace) laneChoices() []int64 {
	list := []int64{-1}
	for d := range s.lead.Dims {
		if s.lead.mayHaveLanes(d, s.lanes()) {
			list = append(list, int64(d))
		}
	}
	return list
}

// mayHaveLanes reports whether vectors of some lanes may lie along a dimension.
func (c *Computation) mayHaveLanes(d int, lanes int64) bool {
	dim := c.Dims[d]
	if lanes < 2 || dim.N >= 0 && dim.N < lanes || schedule.Vectorisable(c.of, dim.Index) != "" {
		return false
	}
	return !dim.Reduced() || c.Op != nil && schedule.Foldable(c.Op) || c.scan != nil && schedule.Foldable(c.scan)
}

// mostUnrolled is how many points or vectors a register tile may have: each of them is
// code.
const mostUnrolled = 64

// written is how often a register tile with some parts of dimension d writes out what is inside: blocks of a reduced
// dimension that these do not divide have a partial tile, which cannot be padded.
func (s *groupSpace) written(d int, parts, simd int64) int64 {
	unit := parts
	if simd == int64(d) {
		unit *= s.lanes()
	}
	if dim := s.lead.Dims[d]; dim.Reduced() && dim.N > 0 && dim.N%unit != 0 {
		return 2 * parts
	}
	return parts
}

// registerChoices lists the parts on REG of dimension d after those of the dimensions
// before: the register tile fits the registers.
func (s *groupSpace) registerChoices(d int, prefix []int64) []int64 {
	c := s.lead
	dim := c.Dims[d]
	unit, held := int64(1), int64(len(c.Outputs)) // points of a part; registers so far
	if prefix[0] == int64(d) {
		unit = s.lanes()
	}
	unrolled := int64(1)
	for before, parts := range prefix[1:] {
		unrolled *= s.written(before, parts, prefix[0])
		if !c.Dims[before].Reduced() || prefix[0] == int64(before) {
			held *= parts
		}
	}
	budget := s.registerBudget()
	candidates := []int64{1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16}
	counts := !dim.Reduced() || prefix[0] == int64(d)
	if !counts || c.Op == nil {
		candidates = []int64{1, 2, 4}
	}
	own := s.seed.Row(Level{s.registerLayer(), d + 1}).Parts
	candidates = append(candidates, own)
	var list []int64
	for _, n := range candidates {
		fits := n == 1 || !dim.Point() && (dim.N < 0 || n*unit <= dim.N) && (unrolled*s.written(d, n, prefix[0]) <= mostUnrolled || n == own) && (!counts || held*n <= budget)
		if fits && n > 0 {
			list = append(list, n)
		}
	}
	return uniqueSorted(list)
}

// coreChoices lists who is walked by cores: 0 nobody, 1 the outermost parts of
// concatenated dimensions, 2 + layer those inside of a memory layer, −1 − d the reduced
// dimension d, insideBatches − d the pieces of batches of the scanned dimension d.
func (s *groupSpace) coreChoices() []int64 {
	list := []int64{0}
	concat, points := false, int64(1)
	for _, d := range s.lead.Dims {
		if !d.Reduced() && !d.Point() {
			concat = true
			if points = saturate(points, d.N); d.N < 0 {
				points = unknownSize
			}
		}
	}
	if s.model.Layer(s.model.Find("COR")).Units < 2 || !s.lead.writesOnce() {
		return list
	}
	if concat {
		list = append(list, 1)
		for _, layer := range s.memoryLayers() {
			if !s.fused && s.lead.isFree() && layer <= s.sharedLayers() && (layer == 2 || s.options.AllCores) {
				list = append(list, int64(layer))
			}
		}
	}
	const most = 1 << 14 // partial results of a part
	for d, dim := range s.lead.Dims {
		if !s.lead.isFree() || !dim.Reduced() || dim.Point() || points > most || s.fused {
			continue
		}
		if list = append(list, int64(-1-d)); s.lead.scan != nil {
			list = append(list, int64(insideBatches-d))
		}
	}
	return list
}

// insideBatches is the first of the choices for pieces of scans inside of batches.
const insideBatches = -1001

// outside is how many memory layers are outside of the cores.
func (c *choice) outside() int {
	switch {
	case c.cores > 1:
		return int(c.cores) - 1
	case c.cores <= insideBatches:
		return 1
	}
	return 0
}

// walks reports whether cores walk the parts of a reduced dimension.
func (c *choice) walks(d int) bool {
	return c.cores == int64(-1-d) || c.cores == int64(insideBatches-d)
}

func (s *groupSpace) coreText(v int64) string {
	switch {
	case v == 0:
		return "one"
	case v == 1:
		return "outermost"
	case v > 1:
		return "inside " + s.layerName(int(v))
	case v <= insideBatches:
		return "inside batches of " + s.lead.Dims[insideBatches-v].Name()
	}
	return "over " + s.lead.Dims[-1-v].Name()
}

// chain lists the partition layers on which a dimension is cut at a size of choice; the
// one after the last takes the rest.
func (s *groupSpace) chain(d int) []int {
	dim := s.lead.Dims[d]
	layers := append([]int{1}, s.memoryLayers()...)
	shared := !s.fused || s.isColumn(d)
	switch {
	case dim.Point() || !s.lead.isFree() && dim.Reduced() || !s.lead.writesOnce() || !shared && !dim.Reduced():
		return nil
	case s.fused && dim.Reduced():
		return s.reducedChain(layers[len(layers)-2 : len(layers)-1])
	case dim.Reduced():
		return s.reducedChain(layers[:len(layers)-1])
	case s.fused:
		return layers[:len(layers)-2] // L2 and L1 are the statements' own
	case s.lead.Op != nil:
		return layers[:len(layers)-2]
	}
	return layers[:len(layers)-1]
}

// reducedChain leaves out what would keep partial results in outputs where they cannot
// be.
func (s *groupSpace) reducedChain(layers []int) []int {
	if s.lead.scan != nil || s.lead.partialInOutput() == "" {
		return layers
	}
	return slices.DeleteFunc(slices.Clone(layers), func(l int) bool { return l != 1 })
}

func (s *groupSpace) isColumn(d int) bool {
	at := slices.Index(s.members, s.lead)
	return slices.ContainsFunc(s.columns, func(c []int) bool { return c[at] == d })
}

// blocks adds the chain of block sizes of a dimension.
func (s *groupSpace) blocks(d int) {
	sizes := s.sizes(d)
	var g space.Group
	var parameters []parameter
	for i, layer := range s.chain(d) {
		name := func(layer int) string { return "block." + s.lead.Dims[d].Name() + "." + s.layerName(layer) }
		p := space.Parameter{Name: name(layer), Uses: []string{}, Text: sizeText, Values: func(prefix []int64) []int64 {
			if i == 0 {
				return sizes
			}
			return slices.DeleteFunc(slices.Clone(sizes), func(n int64) bool { return n > prefix[i-1] })
		}}
		if i > 0 {
			p.Uses = []string{name(s.chain(d)[i-1])}
		}
		g, parameters = append(g, p), append(parameters, parameter{role: block, dim: d, layer: layer})
	}
	if len(g) > 0 {
		s.add(parameters, g)
	}
}

func sizeText(v int64) string {
	if v == WholeBlock {
		return "whole"
	}
	return fmt.Sprint(v)
}

// sizes lists block sizes: fractions of the size, powers of two, those of the seed,
// everything, and 1, which is rounded up to the register tile.
func (s *groupSpace) sizes(d int) []int64 {
	n := s.lead.Dims[d].N
	list := []int64{WholeBlock, 1}
	for power := int64(4); power <= 4096 && (n < 0 || power < n); power *= 2 {
		list = append(list, power)
	}
	for _, parts := range []int64{2, 3, 4, 6, 8, 12, 16, 32, 64} {
		if n/parts >= 4 {
			list = append(list, (n+parts-1)/parts)
		}
	}
	for layer := 1; layer <= s.model.Memories(); layer++ {
		if l := (Level{layer, d + 1}); s.seed.Row(l).Parts != 1 {
			list = append(list, s.seed.Tile(l))
		}
	}
	return uniqueSorted(list)
}

// orders lists the orders of the dimensions on a layer: all of few, and rotations of
// many; that of the seed is among them.
func (s *groupSpace) orders(int) [][]int {
	n := len(s.lead.Dims)
	plain := make([]int, n)
	for d := range plain {
		plain[d] = d
	}
	var list [][]int
	if n <= 4 {
		permutations(plain, nil, &list)
	} else {
		for r := range n {
			list = append(list, slices.Concat(plain[r:], plain[:r]))
		}
		reversed := slices.Clone(plain)
		slices.Reverse(reversed)
		list = append(list, reversed)
	}
	for _, layer := range s.memoryLayers() {
		if o := s.orderOf(s.seed, layer); !slices.ContainsFunc(list, func(x []int) bool { return slices.Equal(x, o) }) {
			list = append(list, o)
		}
	}
	return list
}

func permutations(rest, chosen []int, list *[][]int) {
	if len(rest) == 0 {
		*list = append(*list, slices.Clone(chosen))
	}
	for i, d := range rest {
		permutations(slices.Concat(rest[:i], rest[i+1:]), append(slices.Clone(chosen), d), list)
	}
}

// orderOf lists the dimensions in the order in which a configuration walks a layer,
// those with one part at the end.
func (s *groupSpace) orderOf(k *Configuration, layer int) []int {
	var first, rest []int
	for _, l := range k.Ordered(Decompose) {
		if l.Layer == layer && k.Row(l).Parts != 1 {
			first = append(first, l.Dim-1)
		}
	}
	for d := range s.lead.Dims {
		if !slices.Contains(first, d) {
			rest = append(rest, d)
		}
	}
	return append(first, rest...)
}

func (s *groupSpace) orderText(dims []int) string {
	text := ""
	for _, d := range dims {
		text += s.lead.Dims[d].Name() + " "
	}
	return text[:max(0, len(text)-1)]
}

// copyChoices lists from which loop on an input is a copy: 0 never, or 16 × layer, plus
// the number of the layer's loops that are outside.
func (s *groupSpace) copyChoices() []int64 {
	list := []int64{0}
	for _, layer := range append(s.memoryLayers()[1:], s.registerLayer()) {
		list = append(list, int64(16*layer))
		for k := 1; k < min(16, len(s.lead.Dims)) && s.options.PartialLayers && layer != s.registerLayer(); k++ {
			list = append(list, int64(16*layer+k))
		}
	}
	return list
}

func (s *groupSpace) copyText(v int64) string {
	switch {
	case v == 0:
		return "never"
	case v%16 == 0:
		return "above " + s.layerName(int(v/16))
	}
	return fmt.Sprintf("in %s below %d loops", s.layerName(int(v/16)), v%16)
}
