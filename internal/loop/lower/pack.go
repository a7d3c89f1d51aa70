package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// PackedOrigin begins the Origin of the parameter that says whether the packed form
// of an input, whose name follows, is in the workspace already.
const PackedOrigin = "packed "

// A packing is an input of which all blocks are copied to the workspace before the
// rest of the kernel runs: panel after panel, each as the place's block lies.
type packing struct {
	tensor  *ein.Tensor
	buffer  *loop.Buffer
	dims    []packedDim
	order   []int // of the dimensions in a panel, the fastest first
	lanes   int
	panel   int64 // elements
	ragged  bool  // the last panel along the fastest dimension is padded
	strides []int64
	group   int // what lies in groups of so many along dimension grouped (dot.go); 0: none
	grouped int
}

// A packedDim is a dimension of a packed input: extent elements from origin on, in
// blocks of tile, whose panels are outer·tile elements apart.
type packedDim struct {
	origin affine.Expr
	extent int64
	tile   int64
	outer  int64
}

func (d packedDim) blocks() int64 { return (d.extent + d.tile - 1) / d.tile }

// begin is where the packed block begins that a block has, or the last one, which existing
// positions are in, where it has none.
func (d packedDim) begin(b block, shift affine.Expr) affine.Expr {
	base := b.base.Add(shift)
	if !b.piece {
		return base
	}
	last := affine.Div(b.last().Add(shift).Sub(d.origin), affine.Const(d.tile))
	return affine.MinOf(base, d.origin.Add(last.Scale(d.tile)))
}

// packed lowers what uses a packed input.
func (l *lowerer) packed(n *schedule.Place, t *ein.Tensor, sc *scope) []loop.Stmt {
	p := l.packings[n]
	if p == nil {
		p = l.pack(n, t, sc)
		l.packings[n] = p
		l.prologue = append(l.prologue, l.packAll(p, sc.storage[t])...)
	}
	fast, _, _ := l.commonBlock(t, p.order[0], sc)
	// Vectors behind the last point have no zeros to read where they begin there: they have a mask.
	st := &storage{buffer: p.buffer, padded: p.ragged && !fast.piece, group: p.group, grouped: p.grouped}
	for d, dim := range p.dims {
		base := dim.origin
		if dim.blocks() > 1 {
			b, shift, ok := l.commonBlock(t, d, sc)
			if !ok {
				l.fail(t.Pos, "the blocks of the packed %s differ", t.Name)
			}
			base = dim.begin(b, shift)
			st.offset = st.offset.Add(base.Sub(dim.origin).Scale(dim.outer))
		}
		st.base, st.room = append(st.base, base), append(st.room, dim.tile)
		st.strides = append(st.strides, affine.Const(p.strides[d]))
	}
	return l.node(n.Child, sc.withStorage(t, st))
}

// pack decides how a packed input lies.
func (l *lowerer) pack(n *schedule.Place, t *ein.Tensor, sc *scope) *packing {
	p := &packing{tensor: t, panel: 1, strides: make([]int64, len(t.Dims))}
	for d, dim := range t.Dims {
		extent, ok := dim.Extent.IsConst()
		if !ok {
			l.fail(t.Pos, "%s is packed but its size %s is not known", t.Name, dim.Extent)
		}
		packed := packedDim{origin: dim.Min, extent: extent, tile: max(1, extent)}
		if at, shift, tile := l.tileOf(n, t, d, sc); tile > 0 {
			extent, _ := at.Extent.IsConst()
			packed = packedDim{origin: at.Min.Add(shift), extent: extent, tile: tile}
		}
		p.dims = append(p.dims, packed)
	}
	p.order, p.lanes = l.layout(n, t, sc)
	p.grouped, p.group = l.groupsIn(t, n.Child, sc)
	p.panel = int64(max(1, p.group))
	for _, d := range p.order {
		p.strides[d] = p.panel
		if p.group > 0 && d == p.grouped {
			p.panel *= (p.dims[d].tile + int64(p.group) - 1) / int64(p.group)
		} else {
			p.panel *= p.dims[d].tile
		}
	}
	length := p.panel
	for d := len(p.dims) - 1; d >= 0; d-- {
		if p.dims[d].blocks() > 1 { // of whole groups
			p.dims[d].outer = length / p.dims[d].tile
		}
		length *= p.dims[d].blocks()
	}
	fast := p.dims[p.order[0]]
	p.ragged = fast.extent%fast.tile != 0 && l.reach(t, p.order[0], fast.tile, p.lanes, n.Child, sc) == fast.tile
	p.buffer = &loop.Buffer{Name: l.fresh.Name(t.Name + "_packed"), Type: loop.Scalar(schedule.PlacedType(l.tree.Root, l.f, t, sc.statements)), Region: loop.Workspace, Length: length}
	p.buffer.Kept = slices.Contains(l.options.Constant, t.Name)
	l.reserve(p.buffer, affine.Const(length))
	return p
}

// tileOf returns the index that all uses of a dimension have in common, its shift,
// and the tile that the loops above the place cut it into; 0 where they do not.
func (l *lowerer) tileOf(n *schedule.Place, t *ein.Tensor, d int, sc *scope) (at *ein.Index, shift affine.Expr, tile int64) {
	if _, _, ok := l.commonBlock(t, d, sc); !ok {
		return nil, shift, 0
	}
	statement := -1
	l.uses(t, sc, func(s int, c *ein.Comprehension, subscripts []ein.Expr) {
		index, constant, _ := schedule.IndexPlusConstant(c, subscripts[d])
		at, shift, statement = index, affine.Const(constant), s
	})
	for _, m := range schedule.MembersAbove(l.tree.Root, n) {
		if loop, ok := m.IndexOf(statement); ok && loop.Index == at.Name {
			tile = m.Tile
		}
	}
	return at, shift, tile
}

// packAll copies all panels, threads sharing them, unless an earlier call did.
func (l *lowerer) packAll(p *packing, from *storage) []loop.Stmt {
	to := &storage{buffer: p.buffer, group: p.group, grouped: p.grouped}
	var vars []*loop.Var
	var counts []int64
	points := make([]affine.Expr, len(p.dims))
	for d, dim := range p.dims {
		base := dim.origin
		points[d] = affine.Const(dim.extent)
		if blocks := dim.blocks(); blocks > 1 {
			v := l.newVar("n")
			vars, counts = append(vars, v), append(counts, blocks)
			start := affine.Symbol(v.Name).Scale(dim.tile)
			base = base.Add(start)
			to.offset = to.offset.Add(start.Scale(dim.outer))
			points[d] = affine.Const(dim.tile)
			if dim.extent%dim.tile != 0 {
				points[d] = affine.MinOf(points[d], affine.Const(dim.extent).Sub(start))
			}
		}
		to.base = append(to.base, base)
		to.strides = append(to.strides, affine.Const(p.strides[d]))
	}
	var body []loop.Stmt
	if p.ragged {
		body = append(body, l.clearPanel(p, to, points[p.order[0]])...)
	}
	body = append(body, (&blockCopy{l: l, from: from, to: to, points: points, fast: p.order[0], lanes: p.lanes}).statements()...)
	for k, v := range slices.Backward(vars) {
		kind := loop.Serial
		if k == 0 && p.buffer.Length >= l.sharedFrom() {
			kind = loop.Parallel
		}
		body = []loop.Stmt{&loop.For{Var: v, Lo: int64Const(0), Hi: int64Const(counts[k]), Step: 1, Kind: kind, Body: body}}
	}
	if !slices.Contains(l.options.Constant, p.tensor.Name) {
		return body
	}
	done := l.fresh.Var(p.tensor.Name+"_is_packed", loop.Scalar(tensor.Int64))
	l.out.Params = append(l.out.Params, &loop.Param{Var: done, Origin: PackedOrigin + p.tensor.Name})
	return []loop.Stmt{&loop.If{Cond: &loop.Binary{Op: ein.Eq, X: &loop.VarRef{Var: done}, Y: int64Const(0)}, Then: body}}
}

// clearPanel puts zeros behind the points of the last panel.
func (l *lowerer) clearPanel(p *packing, to *storage, points affine.Expr) []loop.Stmt {
	v := l.newVar("n")
	lanes := int64(p.lanes)
	at := to.offset.Add(affine.Symbol(v.Name).Scale(lanes))
	zeros := &loop.For{Var: v, Lo: int64Const(0), Hi: int64Const(p.panel / lanes), Step: 1, Kind: loop.Serial, Body: []loop.Stmt{
		&loop.Store{Buffer: p.buffer, Index: l.toLoop(at, 1), Value: broadcast(literal(p.buffer.Type.Elem.Compute(), 0), p.lanes)}}}
	return when(l.compare(points, ein.Lt, affine.Const(p.dims[p.order[0]].tile)), []loop.Stmt{zeros}, nil)
}
