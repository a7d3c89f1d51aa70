package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// How the default schedule is made
//
// Statements are grouped by fusion (fusion.go). For each group the maker picks
// the vector index: the one along which the loads and stores of the group are
// consecutive or the same (cost.go). Where a Concat column of the group wins it is
// vectorised in every statement; otherwise every statement vectorises an index of
// its own, which may be a reduced one (lanes accumulate and are folded).
// Reductions get a tile of accumulators in registers, chosen so that arithmetic
// and not loading limits the speed; around it come blocks that stay in the
// caches, and the outermost loops are spread over threads.

type maker struct {
	f        *ein.Func
	m        *Machine
	options  Options
	accesses [][]access // by statement
}

// Options are what the function does not say about a call.
type Options struct {
	// Strides gives the strides, in elements, of arguments by name; absent means
	// row-major and contiguous.
	Strides map[string][]int64
	// Constant names inputs that keep their contents from call to call.
	Constant []string
}

// Default is DefaultFor with contiguous arguments.
func Default(f *ein.Func, m *Machine) (*Tree, error) { return DefaultFor(f, m, Options{}) }

// DefaultFor returns a schedule for a specialised function that is good without
// tuning. It is legal: Check accepts it.
func DefaultFor(f *ein.Func, m *Machine, options Options) (*Tree, error) {
	mk := &maker{f: f, m: m, options: options, accesses: make([][]access, len(f.Body))}
	for _, a := range accesses(f) {
		mk.accesses[a.statement] = append(mk.accesses[a.statement], a)
	}
	t := newTree(f)
	var nodes []*Filter
	for _, g := range mk.groups() {
		nodes = append(nodes, &Filter{Statements: g.statements, Child: mk.group(g)})
	}
	t.Root = &Sequence{Children: nodes}
	if len(nodes) == 1 {
		t.Root = nodes[0].Child
	}
	if len(nodes) == 0 {
		t.Root = &Leaf{}
	}
	if err := Check(f, t); err != nil {
		// The maker keeps distances of 0 along everything that it makes parallel
		// or vector; what it could not foresee runs in the order of the program, and
		// the caller hears of it.
		plain := Canonical(f)
		if illegal := Check(f, plain); illegal != nil {
			return nil, source.Internalf("schedule", f.Pos, "no legal schedule: %v; %w", err, illegal)
		}
		plain.Fallback = source.Internalf("schedule", f.Pos, "the default schedule is illegal: %w", err)
		return plain, nil
	}
	PackConstant(f, t, options.Constant)
	return t, nil
}

// isConstant reports whether an input keeps its contents from call to call.
func (mk *maker) isConstant(t *ein.Tensor) bool { return slices.Contains(mk.options.Constant, t.Name) }

// PackConstant moves the packing of constant inputs, wherever a legal tree has it and
// the blocks allow it, in front of everything else, where it is done once.
func PackConstant(f *ein.Func, t *Tree, constant []string) {
	var visit func(n Node)
	visit = func(n Node) {
		if p, ok := n.(*Place); ok && p.Region == Private && slices.Contains(constant, p.Tensor) {
			if p.Region = Workspace; Check(f, t) != nil {
				p.Region = Private
			}
		}
		for _, child := range Children(n) {
			visit(child)
		}
	}
	visit(t.Root)
}

// A plan is what was decided for a group.
type plan struct {
	g        *group
	vector   int                // the vector column, or -1
	lanes    int                // of the vector column
	tiles    []int64            // by column: the points (or lanes) of the innermost block; 1 for a plain loop
	own      map[int]*ein.Index // by statement: the vector index when no column is
	parallel bool
	near     []*ein.Tensor // that lie in the caches: temporaries of a larger block
}

// families lists the makers of subtrees, the most special first. A maker answers
// nil for a group that it is not for; the last one takes all.
func families() []family {
	return []family{
		{"long reduction", (*maker).chunked},
		{"scan", (*maker).scanned},
		{"columns", (*maker).columns},
		{"transposition", (*maker).transposed},
		{"elements", (*maker).elementBlocks},
		{"rows", (*maker).rowBlocks},
		{"stencil", (*maker).stencil},
		{"finished contraction", (*maker).finished},
		{"convolution", (*maker).convolution},
		{"few columns", (*maker).fewColumns},
		{"contraction", (*maker).contracted},
		{"tiles", (*maker).tiled},
	}
}

// A family makes the subtrees of one kind of group.
type family struct {
	name string
	make func(mk *maker, p *plan) Node
}

// group makes the subtree of a group.
func (mk *maker) group(g *group) Node {
	p := mk.plan(g)
	for _, candidate := range families() {
		if n := candidate.make(mk, p); n != nil {
			return n
		}
	}
	return &Leaf{}
}

// tiled makes the subtree of any group: blocks, tiles and the nests inside.
func (mk *maker) tiled(p *plan) Node {
	if len(p.g.statements) == 1 {
		inner := mk.statement(p, 0)
		mk.fetchRows(p, inner)
		return mk.outer(p, inner)
	}
	seq := &Sequence{}
	for k, s := range p.g.statements {
		seq.Children = append(seq.Children, &Filter{Statements: []int{s}, Child: mk.statement(p, k)})
	}
	return mk.outer(p, mk.contract(p, seq))
}

// column makes a member over a column.
func (p *plan) column(c int, tile int64) *Member {
	m := &Member{Tile: tile}
	for k, s := range p.g.statements {
		m.Loops = append(m.Loops, Loop{Statement: s, Index: p.g.columns[c][k].Name})
	}
	return m
}

// outer puts the loops over the columns around the tiles.
func (mk *maker) outer(p *plan, inner Node) Node {
	if len(p.g.columns) == 0 {
		return inner
	}
	var blocks, tiles []*Member
	for _, c := range p.order() {
		if p.tiles[c] == 1 {
			m := p.column(c, 1)
			m.Parallel, m.Coincident = p.parallel, true
			blocks = append(blocks, m)
			continue
		}
		if block := mk.block(p, c); block > p.tiles[c] {
			m := p.column(c, block)
			m.Parallel, m.Coincident = p.parallel, true
			blocks = append(blocks, m)
		}
		m := p.column(c, p.tiles[c])
		m.Coincident = true
		// The vector tile is outside: its panel is reused by all tiles inside.
		if c == p.vector {
			tiles = append([]*Member{m}, tiles...)
		} else {
			tiles = append(tiles, m)
		}
	}
	if len(tiles) > 0 {
		mk.keepSerial(blocks)
	}
	reduction := mk.blockedReduction(p)
	if p.parallel && len(tiles) > 0 && p.areSingle(blocks) {
		for _, m := range blocks {
			m.Parallel = false
		}
		tiles[0].Parallel = true // outside of the blocks of a reduction: forking is dear
		if reduction != nil && mk.isFar(mk.f.Body[p.g.statements[0]]) {
			blocks, tiles = append(blocks, tiles[0]), tiles[1:]
		} else {
			reduction = nil
		}
	}
	if packed := mk.packed(p, reduction); len(packed) > 0 && len(tiles) > 1 {
		inner = wrap(tiles[1:], inner)
		for _, name := range packed {
			inner = &Place{Tensor: name, Region: Private, Child: inner}
		}
		tiles = tiles[:1]
	}
	if reduction != nil {
		return wrap(blocks, &Accumulate{Statement: p.g.statements[0], Region: Output,
			Child: &Band{Members: []*Member{reduction}, Child: wrap(tiles, inner)}})
	}
	if len(blocks) > 0 && len(tiles) > 0 {
		return wrap(blocks, wrap(tiles, inner))
	}
	return wrap(append(blocks, tiles...), inner)
}

// areSingle reports whether loops over columns have one iteration together.
func (p *plan) areSingle(blocks []*Member) bool {
	for _, m := range blocks {
		for c, column := range p.g.columns {
			if column[0].Name == m.Loops[0].Index && (p.tiles[c] > 1 || estimate(column[0].Extent) > 1) {
				return false
			}
		}
	}
	return true
}

// isFar reports whether the operands of a reduction have no room in the second-level
// caches of all cores.
func (mk *maker) isFar(c *ein.Comprehension) bool {
	bytes := int64(0)
	for _, a := range c.Accesses() {
		bytes += times(pointsOf(c, a), int64(a.Tensor.Type.Size()))
	}
	return len(Reduced(c)) > 0 && bytes > mk.m.L2*int64(mk.m.Cores)
}

func wrap(members []*Member, child Node) Node {
	if len(members) == 0 {
		return child
	}
	return &Band{Members: members, Permutable: false, Child: child}
}

// order lists the columns with the vector column last and the tiled ones just
// before it.
func (p *plan) order() []int {
	var plain, tiled []int
	for c := range p.g.columns {
		switch {
		case c == p.vector:
		case p.tiles[c] > 1:
			tiled = append(tiled, c)
		default:
			plain = append(plain, c)
		}
	}
	list := append(plain, tiled...)
	if p.vector >= 0 {
		list = append(list, p.vector)
	}
	return list
}

// block sizes the part of a tiled column that one task works on: its data stays
// in the second-level cache, and there are enough tasks for all cores.
func (mk *maker) block(p *plan, c int) int64 {
	n := estimate(p.g.columns[c][0].Extent)
	tile := p.tiles[c]
	const most = 256
	block := n
	if c != p.vector {
		block = min(n, max(tile, most/tile*tile))
	} else {
		block = min(n, max(tile, 1024/tile*tile))
	}
	if p.parallel {
		tasks := int64(1)
		for other := range p.g.columns {
			if other != c && p.tiles[other] == 1 {
				tasks *= max(1, estimate(p.g.columns[other][0].Extent))
			}
		}
		cores := int64(mk.m.Cores)
		want, alone := (4*cores+tasks-1)/tasks, c == p.vector && !p.othersTiled(c)
		if c == p.vector && len(p.order()) > 1 && !alone {
			want = 1 // the other tiled column is cut first
		}
		each := n / max(1, want)
		if alone && each < 2*tile && tasks < cores && n >= cores*tile && mk.isFar(mk.f.Body[p.g.statements[0]]) {
			each = roundUp((n*tasks+cores-1)/cores, tile) // rows are read in runs as long as each core can have them
		}
		if each < block {
			block = max(tile, each/tile*tile)
		}
	}
	if block >= n {
		return 0
	}
	pieces := (n + block - 1) / block // of equal size
	return roundUp((n+pieces-1)/pieces, tile)
}

func (p *plan) othersTiled(c int) bool {
	for other, tile := range p.tiles {
		if other != c && tile > 1 {
			return true
		}
	}
	return false
}

func roundUp(n, multiple int64) int64 { return (n + multiple - 1) / multiple * multiple }

// statement makes the nest of statement number k of the group inside of the
// tiles of the columns: its own loops, and, inside of those over what is reduced, the points
// of the tile with a vector innermost. Where these keep their order they are inside of all.
func (mk *maker) statement(p *plan, k int) Node {
	s := p.g.statements[k]
	c := mk.f.Body[s]
	op, free := ReductionOperator(c)
	reduces := op != nil && free
	vector := mk.vectorOf(p, k)
	own, points := mk.ownLoops(p, k, vector, reduces), mk.tilePoints(p, k, vector, reduces)
	lanes := mk.lanesOver(p, k, vector, reduces)
	switch {
	case !free:
		return wrap(slices.Concat(points, own, lanes), &Accumulate{Statement: s, Region: Register, Child: bandOver(s, Reduced(c), &Leaf{})})
	case !reduces:
		return wrap(slices.Concat(own, points, lanes), &Leaf{})
	}
	return wrap(own, &Accumulate{Statement: s, Region: Register, Child: wrap(mk.reductionLoops(p, k, vector), wrap(append(points, lanes...), &Leaf{}))})
}

// over makes a loop over the points of an index of statement number k.
func (p *plan) over(k int, i *ein.Index) *Member {
	return &Member{Loops: []Loop{{Statement: p.g.statements[k], Index: i.Name}}, Tile: 1}
}

// vectorOf returns the index of statement number k along which its vectors lie, or nil.
func (mk *maker) vectorOf(p *plan, k int) *ein.Index {
	s := p.g.statements[k]
	if p.vector < 0 {
		return p.own[s]
	}
	if i := p.g.columns[p.vector][k]; Vectorisable(mk.f.Body[s], i) == "" {
		return i
	}
	return nil
}

// tilePoints makes the loops over the points of the tile of the columns.
func (mk *maker) tilePoints(p *plan, k int, vector *ein.Index, reduces bool) (list []*Member) {
	for col, column := range p.g.columns {
		if i := column[k]; p.tiles[col] > 1 && i != vector {
			m := p.over(k, i)
			m.Unroll = reduces
			list = append(list, m)
		}
	}
	return list
}

// ownLoops makes the loops over the indices of results that are no columns. Those along
// vectors are cut where a reduction has a vector of its own.
func (mk *maker) ownLoops(p *plan, k int, vector *ein.Index, reduces bool) (list []*Member) {
	s := p.g.statements[k]
	c := mk.f.Body[s]
	for _, i := range c.ByKind(ein.Concat) {
		if slices.ContainsFunc(p.g.columns, func(column []*ein.Index) bool { return column[k] == i }) {
			continue
		}
		m := p.over(k, i)
		if i == vector {
			m.Tile = mk.lonelyTile(c, i, p.lanesOf(mk, s))
		}
		if i != vector || reduces && m.Tile < estimate(i.Extent) {
			list = append(list, m)
		}
	}
	return list
}

// lanesOver makes the loop over the lanes of vectors, if there are any.
func (mk *maker) lanesOver(p *plan, k int, vector *ein.Index, reduces bool) []*Member {
	if vector == nil {
		return nil
	}
	m := p.over(k, vector)
	m.Vector, m.Unroll = p.lanesOf(mk, p.g.statements[k]), reduces
	if !reduces {
		m.Prefetch = mk.prefetched(p, k, vector)
	}
	m.Ahead = mk.aheadOf(p, k, vector)
	return []*Member{m}
}

// reductionLoops makes the loops over what is reduced.
func (mk *maker) reductionLoops(p *plan, k int, vector *ein.Index) (list []*Member) {
	s := p.g.statements[k]
	for _, i := range Reduced(mk.f.Body[s]) {
		m := p.over(k, i)
		if i == vector {
			if m.Tile = mk.laneTile(p, mk.f.Body[s], i, p.lanesOf(mk, s)); m.Tile >= estimate(i.Extent) {
				continue
			}
		}
		list = append(list, m)
	}
	return list
}

// contract places the temporaries that only the group uses, where the block of
// the tiles is small enough.
func (mk *maker) contract(p *plan, n Node) Node {
	const most, mostTogether = StackBytes / 2, StackBytes * 3 / 4
	together := int64(0)
	for _, t := range mk.f.ByRole(ein.Temp) {
		size, ok := mk.blockBytes(p, t)
		if !ok || size > most || together+size > mostTogether {
			continue
		}
		together += size
		n = &Place{Tensor: t.Name, Region: Private, Child: n}
	}
	return n
}

// blockBytes returns the bytes of a temporary in one block of the group; ok is
// false when it is used elsewhere or its size is not known.
func (mk *maker) blockBytes(p *plan, t *ein.Tensor) (int64, bool) {
	var write *access
	for s, list := range mk.accesses {
		for i, a := range list {
			if a.tensor != t {
				continue
			}
			if !slices.Contains(p.g.statements, s) {
				return 0, false
			}
			if a.writes && write == nil {
				write = &list[i]
			}
		}
	}
	if write == nil {
		return 0, false
	}
	k := slices.Index(p.g.statements, write.statement)
	size := int64(t.Type.Size())
	for d, dim := range t.Dims {
		index, _, ok := IndexPlusConstant(mk.f.Body[write.statement], write.subscripts[d])
		col := slices.IndexFunc(p.g.columns, func(column []*ein.Index) bool { return ok && column[k] == index })
		if col >= 0 {
			size *= p.tiles[col]
			continue
		}
		n, known := dim.Extent.IsConst()
		if !known || n > 1<<32 {
			return 0, false
		}
		size *= max(1, n)
	}
	return size, true
}

// chunked makes the schedule of a long reduction to a scalar: chunks in parallel,
// whose partial results are combined in order. Their number does not depend on the
// number of cores, so neither does the result.
func (mk *maker) chunked(p *plan) Node {
	if len(p.g.statements) != 1 || !mk.isLong(p.g.statements, 2) {
		return nil
	}
	s := p.g.statements[0]
	c := mk.f.Body[s]
	op, free := ReductionOperator(c)
	if !free || op == nil || len(c.ByKind(ein.Concat)) > 0 {
		return nil
	}
	first := Reduced(c)[0]
	const chunks = 64
	n := estimate(first.Extent)
	tile := (n + chunks - 1) / chunks
	if vector := p.own[s]; vector == first {
		tile = roundUp(tile, mk.laneTile(p, c, first, p.lanesOf(mk, s)))
	}
	if _, known := first.Extent.IsConst(); !known {
		tile = 1 << 14
	}
	if tile < 2 || tile >= n && tile != 1<<14 {
		return nil
	}
	outer := &Member{Loops: []Loop{{Statement: s, Index: first.Name}}, Tile: tile, Parallel: true}
	inner := mk.statement(&plan{g: &group{statements: p.g.statements}, vector: -1, own: p.own}, 0)
	return &Accumulate{Statement: s, Region: Workspace, Child: &Band{Members: []*Member{outer}, Child: inner}}
}
