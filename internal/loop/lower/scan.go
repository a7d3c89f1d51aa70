package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// scan lowers the life of a scan's carries: they start with those further up, or
// with the identity, and what is left in them at the end goes back up.
func (l *lowerer) scan(n *schedule.Accumulate, sc *scope) []loop.Stmt {
	s, c := n.Statement, l.f.Body[n.Statement]
	index, op, _ := ein.ScanOperator(c)
	switch {
	case n.Region == schedule.Local:
		return l.scanByItems(n, sc)
	case n.Region == schedule.Workspace && l.grids:
		return l.scanByGroups(n, sc)
	case n.Region == schedule.Shared:
		a := l.wholeArray(n, op, carryName, sc)
		list := l.overResults(n, sc, func(at *scope) []loop.Stmt { return l.reset(a, at) })
		return append(list, l.node(n.Child, sc.withAccumulator(s, a))...)
	}
	a := &accumulator{statement: s, op: op, lanes: 1, units: 1}
	vector, w := l.vectorIndex(s, n.Child, sc)
	if vector == index.Name {
		vector, w = "", 1 // one carry for all lanes
	}
	elements := l.dimensions(a, c, vector, l.whereAligned(n, vector, w), sc)
	if n.Region == schedule.Workspace {
		a.lanes = 1 // its elements are scalars
		return l.scanInPieces(n, a, elements, sc)
	}
	below := accumulateBelow(s, n.Child)
	handed := below != nil && below.Region == schedule.Workspace // to pieces, one by one
	if handed {
		a.lanes = 1
	}
	region := loop.Private
	if n.Region == schedule.Register && !l.isUneven(n, vector, w) && (!handed || elements == 1) {
		region = loop.Register
	}
	for k, t := range op.Types() {
		a.buffers = append(a.buffers, l.fresh.Buffer(carryName(c, k), loop.Type{Elem: t.Compute(), Lanes: a.lanes}, elements/int64(a.lanes), region))
	}
	over := func(body func(x *context) []loop.Stmt) []loop.Stmt {
		return l.overBlock(a, vector, w, sc, func(at *scope) []loop.Stmt {
			x := l.context(s, at)
			return append(x.before, body(x)...)
		})
	}
	parent := sc.accumulator(s)
	once := parent != nil && parent.once // it is read for prefixes, and has totals
	body := l.initialise(a.buffers, op)
	if parent != nil && !(once && sc.totals) {
		body = over(func(x *context) []loop.Stmt { return a.store(x, parent.read(x)) })
	}
	body = append(body, l.node(n.Child, sc.withAccumulator(s, a))...)
	if parent != nil && (!once || sc.totals) {
		body = append(body, over(func(x *context) []loop.Stmt { return parent.store(x, a.read(x)) })...)
	}
	for k := len(a.buffers) - 1; k >= 0; k-- {
		body = []loop.Stmt{&loop.Alloc{Buffer: a.buffers[k], Body: body}}
	}
	return body
}

// isTotal reports whether the lanes of vectors along a scan accumulate, as those of a
// reduction do: where its pieces are only totalled, and the operator commutes, nobody asks
// for the prefixes inside of a vector.
func (l *lowerer) isTotal(n *schedule.Accumulate, sc *scope) bool {
	index, op, _ := ein.ScanOperator(l.f.Body[n.Statement])
	vector, _ := l.vectorIndex(n.Statement, n.Child, sc)
	return sc.totals && vector == index.Name && accumulateBelow(n.Statement, n.Child) == nil && op.Commutative && schedule.Foldable(op)
}

func carryName(c *ein.Comprehension, k int) string { return c.Writes[k].Tensor.Name + "_carry" }

// scanPoint combines the carry with the values of one point, or of a vector of
// points along the scan, and writes the prefixes, unless only totals are wanted.
func (l *lowerer) scanPoint(a *accumulator, s int, sc *scope, values []loop.Expr) []loop.Stmt {
	x := l.context(s, sc)
	index, op, _ := ein.ScanOperator(x.c)
	join := func(left, right []loop.Expr) []loop.Expr { return x.bindAll(x.joined(op, left, right)) }
	along := sc.blocks[point{s, index.Name}].lanes > 1
	lanes := x.lanes
	if along {
		values = x.upToEachLane(op, values, join)
	} else if old := a.at(x).lanes; old == 1 {
		lanes = 1
	}
	carry, sum := x.bindAll(a.read(x)), make([]loop.Expr, len(values))
	old := make([]loop.Expr, len(carry))
	for k := range values {
		values[k], old[k] = broadcast(values[k], lanes), broadcast(carry[k], lanes)
	}
	prefix := func() []loop.Expr { return join(old, values) }
	var written []loop.Stmt
	switch {
	case !along:
		sum = prefix()
		if !sc.totals {
			written = l.write(s, sc, sum)
		}
	default:
		for k, v := range values {
			sum[k] = &loop.Lane{X: v, Number: x.lanes - 1}
		}
		sum = join(carry, x.bindAll(sum))
		if !sc.totals {
			written = l.write(s, sc, prefix())
		}
	}
	return append(append(x.before, written...), a.store(x, sum)...)
}

// upToEachLane combines every lane with those before it; lanes that do not exist
// count for nothing.
func (x *context) upToEachLane(op *ein.Operator, values []loop.Expr, join func(left, right []loop.Expr) []loop.Expr) []loop.Expr {
	identity := x.all(op.Identity)
	wide := make([]loop.Expr, len(values))
	for k, v := range values {
		wide[k] = broadcast(v, x.lanes)
		if x.tail != nil {
			wide[k] = &loop.Select{Cond: x.tail, Then: wide[k], Else: broadcast(identity[k], x.lanes)}
		}
	}
	wide = x.bindAll(wide)
	if op.LosesNaN() { // the left one of two lanes must be as if it were the first
		first := make([]loop.Expr, len(identity))
		for k, e := range identity {
			first[k] = broadcast(e, x.lanes)
		}
		wide = join(first, wide)
	}
	return loop.ScanLanes(wide, identity, op.NeutralToAll(), join)
}

// A scannedPiece is one of those that run in parallel, in its second pass.
type scannedPiece struct {
	index        point // that is scanned
	number, next affine.Expr
	tile         int64
}

// scanInPieces goes through every piece of a parallel loop twice: for its total, and, when
// those before it have had their turns, from which it learns what is carried into it, for
// the prefixes.
func (l *lowerer) scanInPieces(n *schedule.Accumulate, a *accumulator, elements int64, sc *scope) []loop.Stmt {
	s, c := n.Statement, l.f.Body[n.Statement]
	b, ok := n.Child.(*schedule.Band)
	if !ok || !b.Members[0].Parallel {
		l.fail(c.Pos, "accumulate %s workspace without a parallel loop below", l.tree.Statements[s].Name)
		return nil
	}
	m := b.Members[0]
	cuts := l.cutParallel(m, b.Members[1:], b.Child, sc)
	pieces := affine.Expr{}
	for _, seg := range cuts {
		pieces = pieces.Add(seg.count)
	}
	most := l.mostPieces(m, cuts, pieces, sc)
	carry, piece := *a, *a
	for k, t := range a.op.Types() {
		carry.buffers = append(carry.buffers, l.array(carryName(c, k), t.Compute(), affine.Const(elements)))
		piece.buffers = append(piece.buffers, l.array(carryName(c, k)+"s", t.Compute(), most.Scale(elements)))
	}
	f := &loop.For{Var: l.newVar("p"), Next: l.newVar("next"), Lo: int64Const(0), Hi: l.toLoop(pieces, 1), Step: 1, Kind: loop.Parallel}
	number := affine.Symbol(f.Var.Name)
	piece.chunk = number.Scale(elements)
	pass := func(within *scope) []loop.Stmt {
		return l.pieces([]*schedule.Member{m}, [][]segment{cuts}, []affine.Expr{number}, sc, within, func(inner *scope) (list []loop.Stmt) {
			if inner.totals {
				list = l.overBlock(&piece, "", 1, inner, func(at *scope) []loop.Stmt { return l.reset(&piece, at) })
			}
			return append(list, l.nest(b.Members[1:], b.Child, inner.withAccumulator(s, &piece), func(sc *scope) []loop.Stmt {
				return l.node(b.Child, sc)
			})...)
		})
	}
	totals, prefixes := sc.inParallel(), sc.inParallel()
	totals.totals = true
	prefixes.piece = &scannedPiece{point{s, first(m, sc).Index}, number, affine.Symbol(f.Next.Name), m.Tile}
	turn := &loop.Turn{Body: l.overBlock(a, "", 1, sc, func(at *scope) []loop.Stmt { return l.carryOn(&carry, &piece, at) })}
	f.Body = append(append(pass(totals), turn), pass(prefixes)...)
	if !usesVar(f.Body, f.Next) {
		f.Next = nil
	}
	over := func(body func(x *context) []loop.Stmt) []loop.Stmt {
		return l.overBlock(a, "", 1, sc, func(at *scope) []loop.Stmt {
			x := l.context(s, at)
			return append(x.before, body(x)...)
		})
	}
	parent := sc.accumulator(s)
	if parent == nil {
		return append(l.overBlock(a, "", 1, sc, func(at *scope) []loop.Stmt { return l.reset(&carry, at) }), f)
	}
	start := over(func(x *context) []loop.Stmt { return carry.store(x, parent.read(x)) })
	return append(append(start, f), over(func(x *context) []loop.Stmt { return parent.store(x, carry.read(x)) })...)
}

// carryOn adds the total of a piece to what is carried on, and puts what is carried into
// the piece in the total's place.
func (l *lowerer) carryOn(carry, piece *accumulator, at *scope) []loop.Stmt {
	x := l.context(carry.statement, at)
	old, total := x.bindAll(carry.read(x)), x.bindAll(piece.read(x))
	sum := x.bindAll(x.joined(carry.op, old, total))
	return append(append(x.before, piece.store(x, old)...), carry.store(x, sum)...)
}

// usesVar reports whether statements read a variable.
func usesVar(body []loop.Stmt, v *loop.Var) (found bool) {
	loop.Walk(body, loop.Visitor{Expr: func(e loop.Expr) {
		ref, ok := e.(*loop.VarRef)
		found = found || ok && ref.Var == v
	}})
	return found
}
