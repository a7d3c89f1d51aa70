package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
)

// How a team of items combines what each has
//
// The items of a group that reduce to the same results are a team; there may be several in a group, beside each other. Each item has
// accumulators of its own. In local memory there is a part for each item: of n parts the last n/2 are added to the first ones, with a
// barrier before each step. So the order is the same in every run, and the first item of the team has the result.

// A team is the items of a group that reduce together.
type team struct {
	number affine.Expr // of the present item in its team
	count  int64       // how many items a team has
	beside affine.Expr // the number of the team in the group
	width  int64       // how many teams a group has
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
	if t.count == 1 {
		return nil
	}
	elements := own.buffers[0].Length
	shared := &accumulator{statement: own.statement, op: own.op, lanes: 1, units: 1}
	for k, typ := range own.op.Types() {
		name := accumulatorName(l.f.Body[own.statement], k) + "s"
		b := l.fresh.Buffer(name, loop.Scalar(typ.Compute()), t.count*t.width*elements, loop.Local)
		shared.buffers, sc.launch.grid.Local = append(shared.buffers, b), append(sc.launch.grid.Local, b)
	}
	at := func(number affine.Expr) affine.Expr { return number.Scale(t.width).Add(t.beside).Scale(elements) }
	body := l.eachElement(elements, func(e affine.Expr) []loop.Stmt {
		return l.moved(shared.buffers, at(t.number).Add(e), own.buffers, e)
	})
	for left := t.count; left > 1; {
		half := (left + 1) / 2
		add := l.eachElement(elements, func(e affine.Expr) []loop.Stmt {
			list := l.joinedFrom(own, e, loadsOf(l, shared.buffers, at(t.number.AddConst(half)).Add(e)))
			if half > 1 {
				list = append(list, l.moved(shared.buffers, at(t.number).Add(e), own.buffers, e)...)
			}
			return list
		})
		body = append(body, &loop.Barrier{})
		body = append(body, when(l.compare(t.number, ein.Lt, affine.Const(left-half)), add, nil)...)
		left = half
	}
	return body
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
	x := &context{l: l, c: l.f.Body[own.statement], sc: &scope{}, locals: map[*ein.Local]loop.Expr{}, lanes: 1}
	combined := x.joined(own.op, loadsOf(l, own.buffers, e), values)
	list := x.before
	for k, b := range own.buffers {
		list = append(list, &loop.Store{Buffer: b, Index: l.toLoop(e, 1), Value: combined[k]})
	}
	return list
}
