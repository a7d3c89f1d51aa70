package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How a contraction is scheduled whose results are finished at once
//
// What follows adds a bias, say, and applies a function, point by point. The blocks of
// the columns are tasks, as they are of a contraction alone; the results of a block
// wait in an array of the task until the sums are complete, and what follows finds them
// near. It is for few rows: the array, a slice of the row operands and the panels share
// the second-level cache. Three layers of 128 x 1024 floats take 0.95 of the time that
// blocks made for convolutions need.

// mostFinished is the size of the array of results, which the stack of a task has.
const mostFinished = 96 << 10

// finished makes the subtree of a group that is one contraction of known sizes and
// point-wise statements after it.
func (mk *maker) finished(p *plan) Node {
	heavy := mk.heaviest(p)
	if heavy != 0 || len(p.g.statements) < 2 || !mk.pointwiseBeside(p, heavy) {
		return nil
	}
	k := mk.newContraction(p, p.g.statements[heavy])
	if mk.windowed(k.c) || !mk.contraction(k.c) || !k.isRegular() {
		return nil
	}
	k.factorise()
	if len(k.outer) > 0 || !k.chooseTile(p) {
		return nil
	}
	k.chooseRoles()
	if len(k.rows) == 0 || len(k.columns) == 0 {
		return nil
	}
	k.chooseDepth()
	if k.columnBlocks = k.blocksColumns(); !k.columnBlocks || !k.cutFinished() {
		return nil
	}
	return k.finishedTree(p)
}

// pointwiseBeside reports whether all statements of a group enumerate its columns, and
// nothing else but for the reduced indices of number heavy.
func (mk *maker) pointwiseBeside(p *plan, heavy int) bool {
	for k, s := range p.g.statements {
		c := mk.f.Body[s]
		if len(c.ByKind(ein.Concat)) != len(p.g.columns) || k != heavy && len(Reduced(c)) > 0 {
			return false
		}
	}
	return true
}

// cutFinished cuts the columns into tasks; false means that there are too many rows.
func (k *contraction) cutFinished() bool {
	size, rows := int64(k.c.Writes[0].Tensor.Type.Size()), extentOf(k.rows)
	slice := rows * k.stepsInBlock() * size
	tile := int64(1)
	for _, i := range k.columns {
		tile *= k.tileOf(i)
	}
	room := min(mostFinished/(size*rows), (k.mk.m.L2*5/8-slice)/(size*(k.stepsInBlock()+rows))) / tile * tile
	if room < tile {
		return false
	}
	tasks, have := int64(1), extentOf(k.batch)
	if k.parallel {
		tasks = int64(k.mk.m.Cores) * 2
	}
	for n, i := range k.columns {
		have *= k.cut(i, max(1, room/extentOf(k.columns[n+1:])), (tasks+have-1)/have, have)
	}
	return true
}

// finishedTree assembles the loops.
func (k *contraction) finishedTree(p *plan) Node {
	v := &convolution{mk: k.mk, c: k.c, p: &plan{g: p.g, lanes: int(k.lanes), tiles: make([]int64, len(p.tiles)), parallel: p.parallel}}
	v.p.vector = v.column(k.vector)
	var tasks []*Member
	for _, i := range slices.Concat(k.batch, k.rows, k.columns) {
		col, block := v.column(i), k.span(i)
		if slices.Contains(k.batch, i) {
			block = 1
		}
		v.p.tiles[col] = block
		if block < estimate(i.Extent) {
			m := p.column(col, block)
			m.Parallel = k.parallel
			tasks = append(tasks, m)
		}
	}
	sum := k.pack(wrap(append(k.loops(k.rows), k.loops(k.columns)...), k.accumulate()), true)
	if k.depth > 0 {
		sum = &Accumulate{Statement: k.s, Region: Private, Child: &Band{Members: []*Member{k.padded(k.inner[0], k.depth)}, Child: sum}}
	}
	return wrap(tasks, v.inOrder(sum, v.p, nil))
}
