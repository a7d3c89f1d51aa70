package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How lines are asked for step by step
//
// A core keeps track of a few lines that are on their way. Those of all results of a register
// tile, asked for at once where the tile begins, hold up its first steps, which counts where it
// has few of them. So where the results of a tile are one run of memory, whole rows one after the
// other, and about as many lines as the reduction has steps, each step asks for one. What the
// next tile reads, if that is such a run, too, is asked for by this one: behind the end of a run
// the hardware prefetchers of the nearest cache are late. 500 products of 72 x 26 x 26 floats
// with a transposed operand take 0.85 of the time.
//
// Where the lines are not one run, their addresses would cost more than they gain: arithmetic on
// integers takes the place of that on vectors (a step of 6 x 4 vectors took 1.1 of the time).

// A lineRun is memory that a register tile reads or writes from end to end.
type lineRun struct {
	rows   point // whose points are the rows
	count  int64
	length int64 // elements of a row
}

// spreadOf returns the run of results that the steps of a register tile ask for; nil where they
// are asked for when the tile begins, or not at all.
func (l *lowerer) spreadOf(a *accumulator, n *schedule.Accumulate, sc *scope) *lineRun {
	if !n.Spread {
		return nil
	}
	row := l.fetchedRow(a, sc)
	_, steps, ok := l.onlySteps(a.statement, n.Child, sc)
	if row == nil || !ok || steps < n.Fetch {
		return nil
	}
	w := l.f.Body[a.statement].Writes[0]
	r := l.runOf(a.statement, w.Tensor, w.Subscripts, point{a.statement, row.index}, sc)
	line := l.line() / int64(w.Tensor.Type.Size())
	if r == nil || r.perStep(steps) > line || 2*r.perStep(steps) < line {
		return nil
	}
	return r
}

// perStep is how many elements of a run each of so many steps gets.
func (r *lineRun) perStep(steps int64) int64 { return (r.count*r.length + steps - 1) / steps }

// runOf returns the run that a register tile has of a tensor: of rows whose elements are the
// points of one index, all of which it has.
func (l *lowerer) runOf(s int, t *ein.Tensor, subscripts []ein.Expr, along point, sc *scope) *lineRun {
	var ok bool
	r := &lineRun{}
	if step, linear := l.stepOf(t, subscripts, along.index, sc); !linear || step != 1 {
		return nil
	}
	if r.length, ok = l.index(along).Extent.IsConst(); !ok || !sc.blocks[along].size.Equal(affine.Const(r.length)) {
		return nil
	}
	for _, i := range l.f.Body[s].ByKind(ein.Concat) {
		p := point{s, i.Name}
		b := sc.blocks[p]
		if p == along || b.isPoint() && b.lanes == 0 || !ein.AnyDependsOn(subscripts, i) {
			continue
		}
		step, linear := l.stepOf(t, subscripts, i.Name, sc)
		n, known := b.size.IsConst()
		if !known || !linear || step != r.length || r.rows.index != "" || b.lanes > 0 || b.partial || b.ragged || b.value != nil {
			return nil
		}
		r.rows, r.count = p, n
	}
	if r.rows.index == "" {
		return nil
	}
	return r
}

// onlySteps returns the reduced index over whose points, so many, the one loop of a reduction
// with more than one iteration runs; ok is false where there is another one.
func (l *lowerer) onlySteps(s int, below schedule.Node, sc *scope) (step point, steps int64, ok bool) {
	for _, i := range ein.Reduced(l.f.Body[s]) {
		p := point{s, i.Name}
		n, known := sc.blocks[p].size.IsConst()
		switch {
		case !known || steps > 1 && n > 1:
			return point{}, 0, false
		case n > 1 || steps == 0:
			step, steps = p, n
		}
	}
	members := schedule.MembersOver(step.statement, step.index, below)
	return step, steps, len(members) == 1 && members[0].Tile == 1 && members[0].Vector == 0 && members[0].Group == 0
}

// prefetchRuns asks, in a step of a reduction, for its share of the results and of what the next
// register tile reads.
func (l *lowerer) prefetchRuns(a *accumulator, band *schedule.Band, outer, sc *scope) []loop.Stmt {
	s := a.statement
	c := l.f.Body[s]
	step, steps, ok := l.onlySteps(s, band, outer)
	if a.spread == nil || !ok {
		return nil
	}
	m := band.Members[len(band.Members)-1]
	number := sc.blocks[step].base.Sub(outer.blocks[step].base)
	list := l.askRun(s, a.spread, c.Writes[0].Tensor, c.Writes[0].Subscripts, number, steps, &loop.Prefetch{Write: true}, outer)
	for _, read := range c.Accesses() {
		_, asked := m.FetchOf(schedule.FetchRun, read.Tensor.Name)
		if st := sc.storage[read.Tensor]; !asked || !isOutside(st.buffer) || !l.context(s, sc).alwaysInBounds(read) {
			continue
		}
		if r := l.runOf(s, read.Tensor, read.Subscripts, step, outer); r != nil {
			list = append(list, l.askRun(s, r, read.Tensor, read.Subscripts, number, steps, &loop.Prefetch{Ahead: r.count * r.length}, outer)...)
		}
	}
	return list
}

// askRun asks for the share of a step of a run.
func (l *lowerer) askRun(s int, r *lineRun, t *ein.Tensor, subscripts []ein.Expr, number affine.Expr, steps int64, ask *loop.Prefetch, outer *scope) []loop.Stmt {
	first := outer.clone()
	for _, i := range l.f.Body[s].Indices {
		p := point{s, i.Name}
		if b := first.blocks[p]; !b.isPoint() {
			first.blocks[p] = block{base: b.base, size: affine.Const(1)}
		}
	}
	x := l.context(s, first)
	at, others := x.position(t, subscripts)
	if len(others) > 0 {
		return nil
	}
	share, line := r.perStep(steps), l.line()/int64(t.Type.Size())
	at = at.Add(atMost(number.Scale(share), (steps-1)*share+1, r.count*r.length))
	ask.Buffer, ask.Index = outer.storage[t].buffer, l.toLoop(at, 1)
	list := x.before
	for n := int64(0); n < share; n += line {
		next := *ask
		next.Ahead += n
		list = append(list, &next)
	}
	return list
}

// atMost is a number below values, or where that is more than there are the last one of most.
func atMost(number affine.Expr, values, most int64) affine.Expr {
	if values <= most {
		return number
	}
	return affine.MinOf(number, affine.Const(most-1))
}
