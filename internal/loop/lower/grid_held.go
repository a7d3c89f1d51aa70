package lower

import (
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How items hold blocks together
//
// A block outside of the loops over items is allocated by every item, which has room for the points that these loops give it, as with
// accumulators (grid_registers.go): blocks of indices know with which of an item's points they begin. Loops over items whose tiles have more than one
// point cut blocks at ends like others, so that a point is the same item's in all statements; what does not exist is not computed.

// placeInItems lowers a place that the items of a group hold together.
func (l *lowerer) placeInItems(n *schedule.Place, t *ein.Tensor, p schedule.Placement, sc *scope) []loop.Stmt {
	st := &storage{base: make([]affine.Expr, len(t.Dims)), strides: make([]affine.Expr, len(t.Dims)), held: make([]bool, len(t.Dims))}
	u := p.Uses[slices.IndexFunc(p.Uses, func(u schedule.Use) bool { return u.Writes })]
	dims, _, ok := schedule.HeldDims(l.f.Body[u.Statement], u.Statement, u.Subscripts, n.Child)
	if !ok {
		l.fail(t.Pos, "the items of a group hold %s, whose elements are not those of indices", t.Name)
		return nil
	}
	length := int64(1)
	for d := len(dims) - 1; d >= 0; d-- {
		b := sc.blocks[point{u.Statement, dims[d].Index}]
		size, known := b.size.IsConst()
		if !known {
			l.fail(t.Pos, "the items of a group hold %s, and its size along dimension %d is not known", t.Name, d+1)
		}
		st.base[d], st.strides[d], st.held[d] = b.base, affine.Const(length), dims[d].Items != nil
		if dims[d].Items != nil {
			size = schedule.ItemShare(size, dims[d].Items)
		}
		length *= size
	}
	if p.In || p.Out {
		st.through = sc.storage[t]
	}
	for _, u := range p.Uses {
		if u.Writes {
			st.last = max(st.last, u.Statement)
		}
	}
	region := loop.Private
	if n.Region == schedule.Register {
		region = loop.Register
	}
	st.buffer = l.fresh.Buffer(t.Name+"_held", loop.Scalar(t.Type), length, region)
	inner := sc.withStorage(t, st)
	inner.sharing = true
	body := l.node(n.Child, inner)
	if len(body) > 0 {
		if first, waits := body[0].(*loop.Barrier); waits {
			return []loop.Stmt{first, &loop.Alloc{Buffer: st.buffer, Body: body[1:]}}
		}
	}
	return []loop.Stmt{&loop.Alloc{Buffer: st.buffer, Body: body}}
}

// beyond is where else a statement writes what it writes to a block; nil: nowhere.
func (st *storage) beyond(statement int) *storage {
	if st.held != nil && statement != st.last {
		return nil
	}
	return st.through
}

// heldPosition is where an element is that items hold, along a dimension.
func (x *context) heldPosition(st *storage, d int, sub ein.Expr) affine.Expr {
	i, _, ok := schedule.IndexPlusConstant(x.c, sub)
	if !ok {
		x.l.fail(sub.Span(), "an element that items hold is not that of an index")
		return affine.Expr{}
	}
	b := x.sc.blocks[point{x.statement, i.Name}]
	if st.held[d] {
		return b.position().Add(b.own).Mul(st.strides[d])
	}
	return b.position().Sub(st.base[d]).Mul(st.strides[d])
}

// overWhole makes loops over items that cut blocks alike in two versions: for whole blocks, where nothing is tested, and for others.
func (l *lowerer) overWhole(list []*schedule.Member, sc *scope, loops func(*scope) []loop.Stmt) []loop.Stmt {
	var complete loop.Expr
	all := sc.clone()
	for _, m := range list {
		for _, lp := range m.Loops {
			p := point{lp.Statement, lp.Index}
			b := sc.blocks[p]
			if !l.cutsAlike(list, sc) || !b.ragged || !slices.Contains(sc.statements, p.statement) {
				continue
			}
			if p.statement == sc.statements[0] {
				complete = both(complete, l.compare(b.exists, ein.Ge, b.size))
			}
			b.ragged = false
			all.blocks[p] = b
		}
	}
	if complete == nil {
		return loops(sc)
	}
	return when(complete, loops(all), loops(sc))
}

// isOwn reports whether all that statements share with others of the launch is in blocks that the items hold, so that nobody waits.
func (l *lowerer) isOwn(sc *scope) bool {
	if !sc.sharing {
		return false
	}
	held := func(t *ein.Tensor) bool { st := sc.storage[t]; return st != nil && st.held != nil }
	for _, s := range sc.statements {
		for _, a := range l.f.Body[s].Accesses() {
			if sc.launch.writes[a.Tensor] && !held(a.Tensor) {
				return false
			}
		}
		for _, w := range l.f.Body[s].Writes {
			if !held(w.Tensor) && (l.f.Body[s].Accumulate != nil || sc.launch.uses[w.Tensor] > 1) {
				return false
			}
		}
	}
	return true
}

// cutsAlike reports whether loops over items have to cut blocks as those of other statements do, which have the same elements of a block that
// items hold.
func (l *lowerer) cutsAlike(list []*schedule.Member, sc *scope) bool {
	if !sc.sharing || sc.held {
		return false
	}
	return !slices.ContainsFunc(list, func(m *schedule.Member) bool {
		p := point{sc.statements[0], first(m, sc).Index}
		n, known := sc.blocks[p].size.IsConst()
		return !known || n < 1 || l.levels.Counted(m) || l.index(p).Combine.Kind != ein.Concat
	})
}

// tensorsOf lists what a statement reads or writes.
func tensorsOf(c *ein.Comprehension) (list []*ein.Tensor) {
	for _, a := range c.Accesses() {
		list = append(list, a.Tensor)
	}
	for _, w := range c.Writes {
		list = append(list, w.Tensor)
	}
	slices.SortFunc(list, func(a, b *ein.Tensor) int { return strings.Compare(a.Name, b.Name) })
	return slices.Compact(list)
}
