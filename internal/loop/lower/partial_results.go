package lower

import (
	"maps"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How partial results are kept
//
// Accumulators below which loops keep partial results are an array of as many copies of the block
// of results as these loops have iterations together. The copies of the loop that is combined first
// are neighbours. A point adds to the copy whose number is that of the iterations around it. At the end
// the copies are combined in place, loop by loop, into the first, which is delivered as others are.

// A partialDim is a loop whose iterations have copies of a block of results.
type partialDim struct {
	member *schedule.Member
	count  int64
	stride affine.Expr // of its copies, in scalars, vectors counting as their lanes
}

// keepPartial gives accumulators for some elements what the loops below keep, and returns for how many they are then.
func (l *lowerer) keepPartial(a *accumulator, n *schedule.Accumulate, elements affine.Expr) affine.Expr {
	list := l.levels.KeptIn(l.f, n)
	for k := len(list) - 1; k >= 0; k-- {
		a.kept = append([]partialDim{{list[k].Member, list[k].Count, elements}}, a.kept...)
		elements = elements.Scale(list[k].Count)
	}
	return elements
}

// inIteration is the scope of one iteration of a loop that keeps partial results.
func (sc *scope) inIteration(m *schedule.Member, number affine.Expr) *scope {
	if m.Partial == 0 && !m.Groups {
		return sc
	}
	c := *sc
	c.kept = maps.Clone(sc.kept)
	if c.kept == nil {
		c.kept = map[*schedule.Member]affine.Expr{}
	}
	c.kept[m] = number
	return &c
}

// copyNumber is where the copy of the iterations around begins.
func (a *accumulator) copyNumber(sc *scope) (sum affine.Expr) {
	for _, d := range a.kept {
		if number, inside := sc.kept[d.member]; inside {
			sum = sum.Add(number.Mul(d.stride))
		}
	}
	return sum
}

// combinePartial combines what is kept into the first copies; elements are those of the buffers that a copy has.
func (l *lowerer) combinePartial(a *accumulator, scalars int64) (list []loop.Stmt) {
	perElement := func(n int64) int64 {
		if a.along == "" {
			return n / int64(a.lanes)
		}
		return n * a.units
	}
	block := perElement(scalars)
	copies := int64(1)
	for _, d := range a.kept {
		copies *= d.count
	}
	for k := len(a.kept) - 1; k >= 0; k-- {
		d := a.kept[k]
		copies /= d.count
		stride, _ := d.stride.IsConst() // of blocks
		apart := perElement(stride)
		outer, number, element := l.newVar("n"), l.newVar("n"), l.newVar("n")
		first := affine.Symbol(outer.Name).Scale(apart * d.count).Add(affine.Symbol(element.Name))
		body := l.combineCopies(a, first, first.Add(affine.Symbol(number.Name).Scale(apart)))
		kind := loop.Serial
		if a.buffers[0].Region == loop.Register {
			kind = loop.Unrolled
		}
		over := func(v *loop.Var, from, n int64, body []loop.Stmt) []loop.Stmt {
			return []loop.Stmt{&loop.For{Var: v, Lo: int64Const(from), Hi: int64Const(n), Step: 1, Kind: kind, Body: body}}
		}
		list = append(list, over(outer, 0, copies, over(number, 1, d.count, over(element, 0, block, body)))...)
	}
	return list
}

// combineCopies combines an element of the buffers with another one.
func (l *lowerer) combineCopies(a *accumulator, into, with affine.Expr) []loop.Stmt {
	x := &context{l: l, c: l.f.Body[a.statement], sc: &scope{}, locals: map[*ein.Local]loop.Expr{}, lanes: a.lanes}
	read := func(at affine.Expr) []loop.Expr {
		values := make([]loop.Expr, len(a.buffers))
		for k, b := range a.buffers {
			values[k] = &loop.Load{Buffer: b, Index: l.toLoop(at, 1), Lanes: b.Type.Lanes}
		}
		return values
	}
	left := x.bindAll(read(into))
	combined := x.joined(a.op, left, x.bindAll(read(with)))
	list := x.before
	for k, b := range a.buffers {
		list = append(list, &loop.Store{Buffer: b, Index: l.toLoop(into, 1), Value: broadcast(combined[k], b.Type.Lanes)})
	}
	return list
}

// overCopies makes loops over the copies of some kept loops, at a point.
func (l *lowerer) overCopies(list []partialDim, from int64, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	if len(list) == 0 {
		return body(sc)
	}
	v := l.newVar("n")
	inner := l.overCopies(list[1:], 0, sc.inIteration(list[0].member, affine.Symbol(v.Name)), body)
	return []loop.Stmt{&loop.For{Var: v, Lo: int64Const(from), Hi: int64Const(list[0].count), Step: 1, Kind: loop.Serial, Body: inner}}
}

// combinePoint combines the copies of a result into the first.
func (l *lowerer) combinePoint(a *accumulator, sc *scope) (list []loop.Stmt) {
	for k := len(a.kept) - 1; k >= 0; k-- {
		list = append(list, l.overCopies(a.kept[:k], 0, sc, func(at *scope) []loop.Stmt {
			return l.overCopies(a.kept[k:k+1], 1, at, func(with *scope) []loop.Stmt {
				x := l.context(a.statement, with)
				values := x.bindAll(a.read(x))
				return append(x.before, l.update(a, a.statement, at, values)...)
			})
		})...)
	}
	return list
}
