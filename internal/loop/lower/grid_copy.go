package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// A groupCopy copies a block to local memory by all items of a group: item n has the elements n, n + items, …, as they lie in the
// tensor, or as many vectors of neighbours. What a filled block has no element for is 0.
type groupCopy struct {
	l        *lowerer
	from, to *storage
	limits   []bounds // of positions, by dimension
	lanes    int      // of vectors along the last dimension
	ahead    bool     // copies are started, and arrive later
	within   []loop.Stmt
	through  *scope // of the index arrays through which it is gathered
}

// copiedTogether copies the block of a place from where the tensor is in a scope; index arrays through which it is gathered are read in another
// one.
func (l *lowerer) copiedTogether(n *schedule.Place, t *ein.Tensor, st *storage, limits []bounds, sc, through *scope) []loop.Stmt {
	c := &groupCopy{l: l, through: through, from: sc.storage[t], to: st, limits: limits, lanes: 1, ahead: n.Async}
	if lanes := c.vectors(n.Vector); !n.Async || lanes > 1 && (st.strides[len(st.strides)-1].Equal(affine.Const(1)) || !loop.CanCopy(st.buffer, 1)) {
		c.lanes = lanes
	}
	pieces := int64(1)
	for _, n := range st.room {
		pieces *= n
	}
	pieces /= int64(c.lanes)
	if pieces == 0 {
		return nil
	}
	return slices.Concat(l.testedTogether(t, st, through), l.shareOut(pieces, sc, c.piece))
}

// shareOut lets the items of a group do so many pieces of work, item n those of the numbers n, n + items, ….
func (l *lowerer) shareOut(pieces int64, sc *scope, piece func(number affine.Expr) []loop.Stmt) []loop.Stmt {
	number, items := sc.launch.linear()
	var body []loop.Stmt
	round := &loop.For{Var: l.newVar("r"), Lo: int64Const(0), Hi: int64Const((pieces + items - 1) / items), Step: 1, Kind: loop.Serial}
	if pieces > items {
		number = number.Add(affine.Symbol(round.Var.Name).Scale(items))
	}
	at := l.bind(&body, l.newVar("element"), number)
	copies := piece(at)
	if pieces%items != 0 {
		copies = when(l.compare(at, ein.Lt, affine.Const(pieces)), copies, nil)
	}
	round.Body = slices.Concat(body, copies)
	if pieces <= items {
		return round.Body
	}
	return []loop.Stmt{round}
}

// vectors is how many elements are copied at once, of so many that the tree says: rows have to consist of them, and lie side by side.
func (c *groupCopy) vectors(lanes int) int {
	if lanes < 2 || len(c.to.room) == 0 {
		return 1
	}
	last := len(c.to.room) - 1
	if c.to.gathered != nil && c.to.gathered[last] != nil {
		return 1
	}
	if stride, known := c.from.strides[last].IsConst(); !known || stride != 1 || c.to.room[last]%int64(lanes) != 0 {
		return 1
	}
	return lanes
}

// A copiedElement is one of a block, or a vector of neighbours, that is copied.
type copiedElement struct {
	source, target      affine.Expr
	along               affine.Expr // how far apart the lanes of a vector are in the block
	exists, whole, mask loop.Expr   // where it is there, all of its lanes are, and which
	isPoint             loop.Expr   // where there is a point for which it is gathered
	lead                []loop.Stmt // through index arrays
}

// element finds out where the element, or vector, of a number is.
func (c *groupCopy) element(rest affine.Expr) (e copiedElement) {
	l := c.l
	e.source, e.target = c.from.offset, c.to.offset
	last, divisions := len(c.to.room)-1, 0
	for d := last; d >= 0; d-- {
		room, lanes := c.to.room[d], int64(1)
		if d == last {
			lanes = int64(c.lanes)
			room /= lanes
		}
		offset := rest
		switch further := slices.ContainsFunc(c.to.room[:d], func(n int64) bool { return n > 1 }); {
		case room == 1:
			offset = affine.Expr{}
		case further:
			offset = l.bind(&c.within, l.newVar("at"), affine.Rem(rest, affine.Const(room)))
			rest = l.bind(&c.within, l.newVar("rest"), affine.Div(rest, affine.Const(room)))
			divisions++
		case divisions > 1: // it is less anyway, which is seen of one quotient, and not of quotients of quotients
			offset = l.bind(&c.within, l.newVar("at"), affine.Rem(rest, affine.Const(room)))
		}
		offset = offset.Scale(lanes)
		position := c.to.base[d].Add(offset)
		switch g := c.gathered(d); {
		case g != nil:
			env, there := l.pointOf(g, offset, &c.within)
			at, before := l.leadsTo(g, env, c.through)
			e.isPoint, e.lead, position = both(e.isPoint, there), append(e.lead, before...), at
		case lanes > 1:
			e.whole, e.mask = c.lanesThere(d, position)
			e.along = c.to.strides[d]
		default:
			e.exists = both(e.exists, c.there(d, position))
		}
		e.source = e.source.Add(position.Sub(c.from.base[d]).Mul(c.from.strides[d]))
		e.target = e.target.Add(offset.Mul(c.to.strides[d]))
	}
	return e
}

// gathered is how a dimension is gathered; nil: it is not.
func (c *groupCopy) gathered(d int) *gathered {
	if c.to.gathered == nil {
		return nil
	}
	return c.to.gathered[d]
}

// store stores a value, or starts the copy of what is loaded.
func (c *groupCopy) store(e copiedElement, value, mask loop.Expr) []loop.Stmt {
	s := &loop.Store{Buffer: c.to.buffer, Index: c.l.toLoop(e.target, 1), Value: value, Mask: mask}
	if stride, known := e.along.IsConst(); c.lanes > 1 && (!known || stride != 1) {
		s.Index = c.l.toLoop(e.target.Add(e.along.Mul(affine.Symbol(laneSymbol))), c.lanes)
	}
	s.Index = c.to.swizzled(s.Index, c.lanes)
	load, loaded := value.(*loop.Load)
	if loaded && c.ahead && mask == nil && load.Mask == nil && s.Index.Type().Lanes == 1 && loop.CanCopy(s.Buffer, c.lanes) && isOutside(load.Buffer) && load.Buffer.Type == s.Buffer.Type {
		return []loop.Stmt{&loop.Copy{To: s.Buffer, At: s.Index, From: load.Buffer, Index: load.Index, Lanes: c.lanes}}
	}
	return []loop.Stmt{s}
}

// piece copies the element, or vector, of a number.
func (c *groupCopy) piece(number affine.Expr) []loop.Stmt {
	e := c.element(number)
	filled := slices.Contains(c.to.filled, true)
	load := &loop.Load{Buffer: c.from.buffer, Index: c.l.toLoop(e.source, 1), Lanes: c.lanes}
	some := *load
	some.Mask = both(broadcastMask(e.exists, c.lanes), e.mask)
	var copies, otherwise []loop.Stmt
	switch {
	case some.Mask == nil:
		copies = c.store(e, load, nil)
	case c.lanes == 1 && filled && c.ahead:
		copies = when(e.exists, c.store(e, load, nil), c.store(e, &some, nil))
	case c.lanes == 1 && filled:
		copies = c.store(e, &some, nil)
	case filled:
		copies = when(both(e.exists, e.whole), c.store(e, load, nil), c.store(e, &some, nil))
	case e.mask == nil:
		copies = when(e.exists, c.store(e, load, nil), nil)
	default:
		copies = when(both(e.exists, e.whole), c.store(e, load, nil), c.store(e, &some, some.Mask))
	}
	if e.isPoint != nil && slices.ContainsFunc(c.to.gathered, func(g *gathered) bool { return g != nil && slices.Contains(g.filled, true) }) {
		otherwise = c.store(e, broadcast(literal(c.to.buffer.Type.Elem.Compute(), 0), c.lanes), nil)
	}
	return append(c.within, when(e.isPoint, append(e.lead, copies...), otherwise)...)
}

// broadcastMask is a condition for all lanes; nil: there is none.
func broadcastMask(cond loop.Expr, lanes int) loop.Expr {
	if cond == nil {
		return nil
	}
	return broadcast(cond, lanes)
}

// there is the condition that a position is there along a dimension; nil: it is.
func (c *groupCopy) there(d int, position affine.Expr) (test loop.Expr) {
	b := c.limits[d]
	if !b.set {
		return nil
	}
	if !c.l.notBelow(c.to.base[d], b.low) {
		test = c.l.compare(position, ein.Ge, b.low)
	}
	return both(test, c.l.compare(position, ein.Lt, b.high))
}

// lanesThere is the condition that all lanes of a vector from a position on are there, and which are; nil: all.
func (c *groupCopy) lanesThere(d int, position affine.Expr) (whole, mask loop.Expr) {
	b := c.limits[d]
	if !b.set {
		return nil, nil
	}
	limit := func(op ein.BinaryOp, to affine.Expr) loop.Expr {
		return &loop.Binary{Op: op, X: &loop.Ramp{Base: c.l.toLoop(position, 1), Stride: 1, Lanes: c.lanes}, Y: broadcast(c.l.toLoop(to, 1), c.lanes)}
	}
	if !c.l.notBelow(c.to.base[d], b.low) {
		whole, mask = c.l.compare(position, ein.Ge, b.low), limit(ein.Ge, b.low)
	}
	whole = both(whole, c.l.compare(position.AddConst(int64(c.lanes)), ein.Le, b.high))
	return whole, both(mask, limit(ein.Lt, b.high))
}

// notBelow reports whether a position is a sum of a limit and of what is never negative, as numbers of loops are, and sizes but for values
// of arguments.
func (l *lowerer) notBelow(position, low affine.Expr) bool {
	return !slices.ContainsFunc(position.Sub(low).Terms(), func(t affine.Term) bool {
		return t.Coefficient < 0 || slices.ContainsFunc(t.Atoms, func(a affine.Atom) bool { return a.Op != "" || l.isValue(a.Symbol) })
	})
}

// isValue reports whether a symbol is the value of an argument, which may be any number.
func (l *lowerer) isValue(symbol string) bool {
	return slices.ContainsFunc(l.f.Sizes, func(s *ein.Size) bool { return s.Name == symbol && s.Dim == ein.ScalarValue })
}
