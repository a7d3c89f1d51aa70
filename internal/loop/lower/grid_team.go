package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How a team of items combines what each has
//
// The items of a group that reduce to the same results are a team; there may be several in a group, beside each other. Each item has
// accumulators of its own. In local memory there is a part for each item: of n parts the last n/2 are added to the first ones, with a
// barrier before each step. Where there are sub-groups, the items of one get the accumulators of each other by shuffles; the first item
// of each puts what comes out in local memory, and behind one barrier the items of every sub-group get these, and combine them in the
// same way. So the order is the same in every run, and the first item of the team has the result.

// A team is the items of a group that reduce together.
type team struct {
	number affine.Expr // of the present item in its team
	count  int64       // how many items a team has
	beside affine.Expr // the number of the team in the group
	width  int64       // how many teams a group has
	// shuffle is how many items a sub-group has, if items combine what they have by shuffles, and those of a team follow each
	// other; else 0.
	shuffle int64
}

// first is true for the first item of a team; nil where there is no other.
func (t *team) first(l *lowerer) loop.Expr {
	if t.count == 1 {
		return nil
	}
	return l.compare(t.number, ein.Lt, affine.Const(1))
}

// ownAccumulator is one like another for so many results, which an item has for itself.
func (l *lowerer) ownAccumulator(like *accumulator, elements int64) *accumulator {
	own := *like
	own.kept, own.chunk, own.buffers, own.once = nil, affine.Expr{}, nil, false
	region := loop.Private
	if elements == 1 {
		own.dims, region = nil, loop.Register
	}
	for k, t := range own.op.Types() {
		name := accumulatorName(l.f.Body[own.statement], k)
		own.buffers = append(own.buffers, l.fresh.Buffer(name, loop.Scalar(t.Compute()), elements, region))
	}
	return &own
}

// allocated is what is done while accumulators are there.
func allocated(a *accumulator, body []loop.Stmt) []loop.Stmt {
	for k := len(a.buffers) - 1; k >= 0; k-- {
		body = []loop.Stmt{&loop.Alloc{Buffer: a.buffers[k], Body: body}}
	}
	return body
}

// combinedByTeam combines the accumulators that the items of a team have into those of its first item. All items of the group come
// here.
func (l *lowerer) combinedByTeam(own *accumulator, t *team, sc *scope) []loop.Stmt {
	switch {
	case t.count == 1:
		return nil
	case t.shuffle > 0:
		sc.launch.grid.Width = t.shuffle
		return l.combinedBySubGroups(own, t, sc)
	}
	shared := l.sharedParts(own, t, t.count, sc)
	body := shared.put(l, own, t.number)
	for left, written := t.count, t.count; left > 1; { // of the parts that are left, so many since the last barrier
		half := (left + 1) / 2
		add := l.eachElement(shared.elements, func(e affine.Expr) []loop.Stmt {
			return l.joinedFrom(own, e, loadsOf(l, shared.buffers, shared.at(t.number.AddConst(half)).Add(e)))
		})
		if half > 1 {
			add = append(add, shared.put(l, own, t.number)...)
		}
		if half < written {
			body, written = append(body, &loop.Barrier{}), 0
		}
		body = append(body, when(l.compare(t.number, ein.Lt, affine.Const(left-half)), add, nil)...)
		left, written = half, max(written, left-half)
	}
	return body
}

// combinedBySubGroups is combinedByTeam where there are sub-groups.
func (l *lowerer) combinedBySubGroups(own *accumulator, t *team, sc *scope) []loop.Stmt {
	w := t.shuffle
	body := l.shuffled(own, min(w, t.count))
	parts := t.count / w
	if parts <= 1 {
		return body
	}
	shared := l.sharedParts(own, t, parts, sc)
	lane, most := affine.Rem(t.number, affine.Const(w)), int64(1)
	body = append(body, when(l.compare(lane, ein.Lt, affine.Const(1)), shared.put(l, own, affine.Div(t.number, affine.Const(w))), nil)...)
	body = append(body, &loop.Barrier{})
	for most < parts {
		most *= 2
	}
	if most > parts { // some of them combine with nothing
		body = append(body, l.initialise(own.buffers, own.op)...)
	}
	body = append(body, when(l.compare(lane, ein.Lt, affine.Const(parts)), l.eachElement(shared.elements, func(e affine.Expr) []loop.Stmt {
		return l.moved(own.buffers, e, shared.buffers, shared.at(lane).Add(e))
	}), nil)...)
	return append(body, l.shuffled(own, most)...)
}

// shuffled combines the accumulators of so many items that follow each other, a power of two: each has those of all in the end, and the
// first one in their order.
func (l *lowerer) shuffled(own *accumulator, span int64) (body []loop.Stmt) {
	for by := span / 2; by >= 1; by /= 2 {
		body = append(body, l.eachElement(own.buffers[0].Length, func(e affine.Expr) []loop.Stmt {
			list, values := l.fromOther(own, e, by)
			return append(list, l.joinedFrom(own, e, values)...)
		})...)
	}
	return body
}

// fromOther names an element of the accumulators of the item whose number differs by one bit.
func (l *lowerer) fromOther(own *accumulator, e affine.Expr, by int64) (list []loop.Stmt, values []loop.Expr) {
	values = loadsOf(l, own.buffers, e)
	for k, x := range values {
		isBool := x.Type().Elem == tensor.Bool
		if isBool {
			x = &loop.Select{Cond: x, Then: literal(tensor.Int32, 1), Else: literal(tensor.Int32, 0)}
		}
		s := &loop.Shuffle{Var: l.fresh.Var("other", x.Type()), X: x, Kind: loop.Xor, By: by}
		list = append(list, s)
		values[k] = &loop.VarRef{Var: s.Var}
		if isBool {
			values[k] = &loop.Binary{Op: ein.Ne, X: values[k], Y: literal(tensor.Int32, 0)}
		}
	}
	return list, values
}

// Parts are in local memory, so many for each team of a group.
type parts struct {
	*team
	buffers  []*loop.Buffer
	elements int64
}

// sharedParts makes room for parts of accumulators.
func (l *lowerer) sharedParts(own *accumulator, t *team, count int64, sc *scope) parts {
	p := parts{team: t, elements: own.buffers[0].Length}
	for k, b := range own.buffers {
		name := accumulatorName(l.f.Body[own.statement], k) + "s"
		p.buffers = append(p.buffers, l.fresh.Buffer(name, b.Type, count*t.width*p.elements, loop.Local))
	}
	sc.launch.grid.Local = append(sc.launch.grid.Local, p.buffers...)
	return p
}

// at is where a part of the team begins: parts of one number lie side by side.
func (p parts) at(number affine.Expr) affine.Expr {
	return number.Scale(p.width).Add(p.beside).Scale(p.elements)
}

// put stores what an item has in a part.
func (p parts) put(l *lowerer, own *accumulator, number affine.Expr) []loop.Stmt {
	return l.eachElement(p.elements, func(e affine.Expr) []loop.Stmt {
		return l.moved(p.buffers, p.at(number).Add(e), own.buffers, e)
	})
}

// eachElement does something for each of so many elements.
func (l *lowerer) eachElement(elements int64, body func(affine.Expr) []loop.Stmt) []loop.Stmt {
	if elements == 1 {
		return body(affine.Expr{})
	}
	v := l.newVar("n")
	return []loop.Stmt{&loop.For{Var: v, Lo: int64Const(0), Hi: int64Const(elements), Step: 1, Kind: loop.Serial, Body: body(affine.Symbol(v.Name))}}
}

// loadsOf reads an element of each of some buffers.
func loadsOf(l *lowerer, list []*loop.Buffer, at affine.Expr) []loop.Expr {
	values := make([]loop.Expr, len(list))
	for k, b := range list {
		values[k] = &loop.Load{Buffer: b, Index: l.toLoop(at, 1), Lanes: 1}
	}
	return values
}

// moved copies an element of each of some buffers.
func (l *lowerer) moved(to []*loop.Buffer, at affine.Expr, from []*loop.Buffer, of affine.Expr) (list []loop.Stmt) {
	for k, value := range loadsOf(l, from, of) {
		list = append(list, &loop.Store{Buffer: to[k], Index: l.toLoop(at, 1), Value: value})
	}
	return list
}

// joinedFrom combines an element of accumulators with values.
func (l *lowerer) joinedFrom(own *accumulator, e affine.Expr, values []loop.Expr) []loop.Stmt {
	return l.joinedTo(own, e, loadsOf(l, own.buffers, e), values)
}

// joinedTo puts what comes of two lists of values in an element of accumulators.
func (l *lowerer) joinedTo(own *accumulator, e affine.Expr, left, right []loop.Expr) []loop.Stmt {
	x := &context{l: l, c: l.f.Body[own.statement], sc: &scope{}, locals: map[*ein.Local]loop.Expr{}, lanes: 1}
	combined := x.joined(own.op, left, right)
	list := x.before
	for k, b := range own.buffers {
		list = append(list, &loop.Store{Buffer: b, Index: l.toLoop(e, 1), Value: combined[k]})
	}
	return list
}
