package lower

import (
	"maps"
	"math"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// A form says how a linear subscript depends on the lane.
type form int

const (
	uniform     form = iota // not at all
	consecutive             // lane n is n elements further; the index is that of lane 0
	scattered               // the index is a vector
)

// A context lowers expressions at one point (or vector of points) of a
// statement. What must happen before the value is used goes to before.
type context struct {
	l         *lowerer
	c         *ein.Comprehension
	statement int
	sc        *scope
	lanes     int
	env       map[string]affine.Expr
	given     bool // env is that of one point, which exists
	locals    map[*ein.Local]loop.Expr
	before    []loop.Stmt
	guards    []loop.Expr // scalar conditions of the enclosing Selects
	mask      loop.Expr   // vector condition of the enclosing Selects
	points    loop.Expr   // the lanes of a vector that are points of the statement (frame.go); nil for all
	tail      loop.Expr   // and that exist, where it is a partial one; nil for all
	words     bool        // vectors of bytes are made by way of 16 bits
	singly    bool        // the lanes of a partial vector are stored one by one
	valid     affine.Expr // the number of those that exist, where it is a partial one
}

func (l *lowerer) context(s int, sc *scope) *context {
	c := l.f.Body[s]
	x := &context{l: l, c: c, statement: s, sc: sc, lanes: sc.lanes(s, c), env: sc.env(s, c), locals: map[*ein.Local]loop.Expr{}}
	x.words = l.marks(s, func(m *schedule.Member) bool { return m.Words })
	x.singly = l.marks(s, func(m *schedule.Member) bool { return m.Singly })
	for _, i := range c.Indices {
		switch b := sc.blocks[point{s, i.Name}]; {
		case b.lanes < 2:
			continue
		case b.partial && b.ragged:
			x.valid = affine.MinOf(b.valid, b.exists)
		case b.partial:
			x.valid = b.valid
		case b.ragged:
			x.valid = b.exists
		default:
			continue
		}
		x.tail = l.tailMask(x.valid, x.lanes)
	}
	x.points = l.lanesOf(s, sc)
	x.tail = both(x.tail, x.points)
	return x
}

// tailMask is true for the first lanes of a vector.
func (l *lowerer) tailMask(valid affine.Expr, lanes int) loop.Expr {
	return &loop.Binary{Op: ein.Lt, X: &loop.Ramp{Base: int64Const(0), Stride: 1, Lanes: lanes}, Y: broadcast(l.toLoop(valid, 1), lanes)}
}

func (x *context) all(list []ein.Expr) []loop.Expr {
	values := make([]loop.Expr, len(list))
	for i, e := range list {
		values[i] = x.expr(e)
	}
	return values
}

// bindAll names values, so that they are computed here and once.
func (x *context) bindAll(values []loop.Expr) []loop.Expr {
	bound := make([]loop.Expr, len(values))
	for i, v := range values {
		bound[i] = x.bind("v", v)
	}
	return bound
}

func (x *context) bind(name string, e loop.Expr) loop.Expr {
	switch e.(type) {
	case *loop.Const, *loop.VarRef:
		return e
	}
	v := x.l.fresh.Var(name, e.Type())
	x.before = append(x.before, &loop.Let{Var: v, Value: e})
	return &loop.VarRef{Var: v}
}

// broadcast makes a value as wide as the vector.
func broadcast(e loop.Expr, lanes int) loop.Expr { return loop.Wide(e, lanes) }

// widen makes operands equally wide.
func widen(list ...loop.Expr) []loop.Expr { return loop.EquallyWide(list...) }

func (x *context) expr(e ein.Expr) loop.Expr {
	if value, known := x.known(e); known {
		return literal(tensor.Bool, map[bool]uint64{true: 1}[value])
	}
	switch e := e.(type) {
	case *ein.Const:
		return literal(e.DType.Compute(), e.Bits)
	case *ein.IndexRef:
		return x.l.toLoop(x.env[e.Index.Name], x.lanes)
	case *ein.SizeRef:
		return x.l.toLoop(e.Size, 1)
	case *ein.LocalRef:
		return x.locals[e.Local]
	case *ein.Access:
		return x.load(e.Tensor, x.checked(e), x.alwaysInBounds(e))
	case *ein.Unary:
		return &loop.Unary{Op: e.Op, X: x.expr(e.X)}
	case *ein.Binary:
		if e.Op == ein.And || e.Op == ein.Or { // what is known is neutral
			if _, known := x.known(e.X); known {
				return x.expr(e.Y)
			}
			if _, known := x.known(e.Y); known {
				return x.expr(e.X)
			}
		}
		if mask := x.comparedLanes(e); mask != nil {
			return mask
		}
		w := widen(x.expr(e.X), x.expr(e.Y))
		if e.Op == ein.Mod {
			return x.remainder(w[0], w[1])
		}
		return &loop.Binary{Op: e.Op, X: w[0], Y: w[1]}
	case *ein.Call:
		return &loop.Call{Func: e.Func, Args: widen(x.all(e.Args)...)}
	case *ein.Select:
		return x.choose(e)
	case *ein.Cast:
		v := x.expr(e.X)
		if to := e.To.Compute(); v.Type().Elem != to {
			return x.cast(to, v)
		}
		return v
	case *ein.Let:
		return x.let(e)
	}
	x.l.fail(e.Span(), "no lowering for %T", e)
	return literal(e.Type(), 0)
}

// let binds the value before the statement, unless it stands in a branch that
// may not be evaluated; there it is repeated.
func (x *context) let(e *ein.Let) loop.Expr {
	value := x.expr(e.Value)
	if x.mask == nil && len(x.guards) == 0 {
		value = x.bind(e.Var.Name, value)
	}
	x.locals[e.Var] = value
	return x.expr(e.Body)
}

// choose lowers a Select. A vector condition evaluates both branches, so their
// loads are masked.
func (x *context) choose(e *ein.Select) loop.Expr {
	switch holds, known := x.known(e.Cond); {
	case known && holds:
		return x.expr(e.Then)
	case known:
		return x.expr(e.Else)
	}
	cond := x.expr(e.Cond)
	if cond.Type().Lanes == 1 {
		then := x.under(cond, false, e.Then)
		other := x.under(&loop.Unary{Op: ein.Not, X: cond}, false, e.Else)
		w := widen(then, other)
		return &loop.Select{Cond: cond, Then: w[0], Else: w[1]}
	}
	then := x.under(cond, true, e.Then)
	other := x.under(&loop.Unary{Op: ein.Not, X: cond}, true, e.Else)
	lanes := cond.Type().Lanes // that of operands, in an operator
	return &loop.Select{Cond: cond, Then: broadcast(then, lanes), Else: broadcast(other, lanes)}
}

// known returns the value of a condition that the loops around have made sure of.
func (x *context) known(e ein.Expr) (value, known bool) {
	if x.sc == nil || len(x.sc.holds) == 0 {
		return false, false
	}
	if value, known = x.sc.holds[e]; known {
		return value, true
	}
	switch e := e.(type) {
	case *ein.Unary:
		value, known = x.known(e.X)
		return !value, known && e.Op == ein.Not
	case *ein.Binary:
		if e.Op != ein.And && e.Op != ein.Or {
			return false, false
		}
		x1, known1 := x.known(e.X)
		x2, known2 := x.known(e.Y)
		decides := e.Op == ein.Or // whatever the other is
		if known1 && x1 == decides || known2 && x2 == decides {
			return decides, true
		}
		return !decides, known1 && known2
	}
	return false, false
}

// under lowers an expression that is only evaluated where cond holds.
func (x *context) under(cond loop.Expr, vector bool, e ein.Expr) loop.Expr {
	inner := *x
	if vector {
		inner.mask = both(x.mask, cond)
	} else {
		inner.guards = append(x.guards[:len(x.guards):len(x.guards)], cond)
	}
	value := inner.expr(e)
	x.before = inner.before
	return value
}

// alwaysInBounds reports whether an access needs none of the conditions around.
func (x *context) alwaysInBounds(e *ein.Access) bool {
	for d := range e.Subscripts {
		if !ein.InBounds(x.c, e, d) {
			return false
		}
	}
	return true
}

// load reads an element per lane, or one for all lanes. Safe says that the
// conditions around are not needed.
func (x *context) load(t *ein.Tensor, subscripts []ein.Expr, safe bool) loop.Expr {
	index, f := x.linear(t, subscripts)
	ld := &loop.Load{Buffer: x.sc.storage[t].buffer, Index: index, Lanes: 1}
	mask, tail := x.mask, x.tail
	if safe {
		mask = nil
	}
	if f == consecutive && (x.sc.storage[t].padded || x.staysFilled(t, subscripts)) {
		tail = x.points
	}
	switch {
	case f != uniform:
		ld.Lanes, ld.Mask = x.lanes, both(tail, mask)
	case mask != nil, x.points != nil && x.differs(subscripts): // one element, but perhaps for no lane at all
		ld.Index, ld.Lanes, ld.Mask = broadcast(index, x.lanes), x.lanes, both(x.tail, mask)
	}
	ld.Index = x.sc.storage[t].swizzled(ld.Index, ld.Lanes)
	return ld
}

// staysFilled reports whether there is something to read for all lanes of a vector, whether their points exist or not.
func (x *context) staysFilled(t *ein.Tensor, subscripts []ein.Expr) bool {
	filled := x.sc.storage[t].filled
	for _, i := range x.c.Indices {
		b := x.sc.blocks[point{x.statement, i.Name}]
		if b.lanes < 2 {
			continue
		}
		for d, sub := range subscripts {
			if ein.DependsOn(sub, i) && (filled == nil || !filled[d] || b.partial || !b.ragged || !b.whole || b.beyond) {
				return false
			}
		}
	}
	return filled != nil
}

// differs reports whether subscripts have indices that differ from lane to lane, although
// their sum may not.
func (x *context) differs(subscripts []ein.Expr) (found bool) {
	for _, sub := range subscripts {
		ein.Walk(sub, func(e ein.Expr) bool {
			switch e := e.(type) {
			case *ein.IndexRef:
				found = found || x.env[e.Index.Name].Uses(laneSymbol)
			case *ein.LocalRef:
				found = true
			}
			return !found
		})
	}
	return found
}

// linear returns the index of an element in the buffer of its tensor.
func (x *context) linear(t *ein.Tensor, subscripts []ein.Expr) (loop.Expr, form) {
	sum, others := x.position(t, subscripts)
	if len(others) == 0 {
		return x.l.linearIndex(sum, x.lanes)
	}
	total := x.l.toLoop(sum, x.lanes)
	for _, o := range others {
		w := widen(total, o)
		total = plus(w[0], w[1])
	}
	if total.Type().Lanes == 1 {
		return total, uniform
	}
	if coefficient, rest, ok := sum.Linear(laneSymbol); ok && coefficient == 1 && allScalar(others) {
		total = x.l.toLoop(rest, 1)
		for _, o := range others {
			total = plus(total, o)
		}
		return total, consecutive
	}
	return total, scattered
}

// position splits the index of an element in the buffer of its tensor into what is affine
// and the rest.
func (x *context) position(t *ein.Tensor, subscripts []ein.Expr) (sum affine.Expr, others []loop.Expr) {
	st := x.sc.storage[t]
	sum = st.offset
	for d, sub := range subscripts {
		if st.held != nil {
			sum = sum.Add(x.heldPosition(st, d, sub))
			continue
		}
		if st.gathered != nil && st.gathered[d] != nil {
			sum = sum.Add(st.position(d, x.number(st.gathered[d])))
			continue
		}
		if a, ok := ein.AffineOf(sub); ok && st.filled != nil && st.filled[d] {
			sum = sum.Add(st.position(d, a.Subst(x.unclamped())))
			continue
		}
		if a, ok := ein.AffineOf(sub); ok {
			if position := st.position(d, a.Subst(x.env)); x.l.known(position) {
				sum = sum.Add(position)
				continue
			}
		}
		sum = sum.Sub(st.base[d].Mul(st.strides[d]))
		for _, part := range addends(sub) {
			if a, ok := ein.AffineOf(part); ok {
				if position := a.Subst(x.env).Mul(st.strides[d]); x.l.known(position) {
					sum = sum.Add(position)
					continue
				}
			}
			others = append(others, times(x.expr(part), x.l.toLoop(st.strides[d], 1)))
		}
	}
	return sum, others
}

// unclamped maps the indices to positions that perhaps do not exist, but for which filled blocks have room.
func (x *context) unclamped() map[string]affine.Expr {
	if x.given {
		return x.env
	}
	env := maps.Clone(x.env)
	for _, i := range x.c.Indices {
		if b := x.sc.blocks[point{x.statement, i.Name}]; b.ragged && b.lanes < 2 && b.value == nil {
			env[i.Name] = b.unclamped()
		}
	}
	return env
}

// addends splits a sum of 64 bits, which wraps as its parts do: of i + offset[d] the lanes of
// vectors along i are neighbours, wherever they are.
func addends(e ein.Expr) []ein.Expr {
	if b, ok := e.(*ein.Binary); ok && b.Op == ein.Add && b.Type() == tensor.Int64 {
		return append(addends(b.X), addends(b.Y)...)
	}
	return []ein.Expr{e}
}

// known reports whether all symbols of a position are variables. A position with
// numbers beyond 64 bits is not; its subscript wraps and is computed as written.
func (l *lowerer) known(position affine.Expr) bool {
	symbols := map[string]bool{}
	position.Symbols(symbols)
	for s := range symbols {
		if l.vars[s] == nil && s != laneSymbol {
			return false
		}
	}
	return true
}

func allScalar(list []loop.Expr) bool {
	for _, e := range list {
		if e.Type().Lanes > 1 {
			return false
		}
	}
	return true
}

// linearIndex splits a position by its dependence on the lane.
func (l *lowerer) linearIndex(position affine.Expr, lanes int) (loop.Expr, form) {
	coefficient, rest, ok := position.Linear(laneSymbol)
	switch {
	case ok && coefficient == 0:
		return l.toLoop(rest, 1), uniform
	case ok && coefficient == 1:
		return l.toLoop(rest, 1), consecutive
	case ok:
		return &loop.Ramp{Base: l.toLoop(rest, 1), Stride: coefficient, Lanes: lanes}, scattered
	}
	return l.toLoop(position, lanes), scattered
}

// toLoop converts a position to an int64 expression; with the lane symbol it is
// a vector.
func (l *lowerer) toLoop(e affine.Expr, lanes int) loop.Expr {
	var sum loop.Expr
	for _, t := range e.Terms() {
		var term loop.Expr
		for _, a := range t.Atoms {
			factor := l.atom(a, lanes)
			if term == nil {
				term = factor
				continue
			}
			term = times(term, factor)
		}
		c := t.Coefficient
		switch {
		case term == nil:
			if sum != nil && c < 0 && c != math.MinInt64 {
				sum = subtract(sum, int64Const(-c))
				continue
			}
			term = int64Const(c)
		case sum != nil && c < 0 && c != math.MinInt64:
			sum = subtract(sum, times(term, int64Const(-c)))
			continue
		default:
			term = times(term, int64Const(c))
		}
		sum = plus(sum, term)
	}
	if sum == nil {
		return int64Const(0)
	}
	return sum
}

// atomOps are the operators of the functions in positions.
var atomOps = map[affine.Op]ein.BinaryOp{
	affine.FloorDiv: ein.Div, affine.Mod: ein.Mod, affine.Min: ein.Min, affine.Max: ein.Max,
}

func (l *lowerer) atom(a affine.Atom, lanes int) loop.Expr {
	if a.Op != "" {
		w := widen(l.toLoop(a.X, lanes), l.toLoop(a.Y, lanes))
		return &loop.Binary{Op: atomOps[a.Op], X: w[0], Y: w[1]}
	}
	if a.Symbol == laneSymbol {
		return &loop.Ramp{Base: int64Const(0), Stride: 1, Lanes: lanes}
	}
	v, ok := l.vars[a.Symbol]
	if !ok {
		l.fail(l.f.Pos, "the size %s is neither specialised nor a parameter", a.Symbol)
		return int64Const(0)
	}
	return &loop.VarRef{Var: v}
}

func isConst(e loop.Expr, n int64) bool {
	c, ok := e.(*loop.Const)
	return ok && c.Elem == tensor.Int64 && int64(c.Bits) == n
}

// plus, subtract and times make int64 arithmetic without its neutral elements.
func plus(a, b loop.Expr) loop.Expr {
	switch {
	case a == nil || isConst(a, 0) && b.Type().Lanes >= a.Type().Lanes:
		return b
	case isConst(b, 0):
		return a
	}
	w := widen(a, b)
	return &loop.Binary{Op: ein.Add, X: w[0], Y: w[1]}
}

func subtract(a, b loop.Expr) loop.Expr {
	w := widen(a, b)
	return &loop.Binary{Op: ein.Sub, X: w[0], Y: w[1]}
}

func times(a, b loop.Expr) loop.Expr {
	switch {
	case isConst(a, 1):
		return b
	case isConst(b, 1):
		return a
	}
	w := widen(a, b)
	return &loop.Binary{Op: ein.Mul, X: w[0], Y: w[1]}
}

// literal returns a constant; a float32 is stored with the bits of its float64.
func literal(t tensor.DType, bits uint64) loop.Expr {
	return &loop.Const{Elem: t.Compute(), Bits: bits}
}
