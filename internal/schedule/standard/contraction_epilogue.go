package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How a contraction is scheduled whose results are finished at once: its epilogue is fused
//
// What follows adds a bias, say, and applies a function, point by point. Columns of one
// register tile are a task; their results wait in an array of the task until the sums
// are complete, and what follows finds them near. It is for few rows: a slice of the row
// operands and the panel share the second-level cache. The sums are cut only where a
// slice of all of the reduction has no room there, for every cut reads and writes the
// array once more, and wider blocks of columns gain nothing where the rows stay: two
// layers of 128 x 1024 floats take 0.92 of the time that blocks made for convolutions
// need, and 0.96 with cuts of 512 steps and blocks of two tiles.

const (
	mostFinished = 96 << 10 // bytes of the array of results, which the stack of a task has
	finishedRows = 128      // of the results; blocks made for convolutions are faster for more
)

// contractionWithEpilogue makes the subtree of a group that is one contraction of known sizes and
// point-wise statements after it.
func (mk *maker) contractionWithEpilogue(p *plan) schedule.Node {
	k := mk.epilogueContraction(p)
	if k == nil || !k.cutForEpilogue() {
		return nil
	}
	if k.overflowsNearest(p) {
		tasks := k.tasks()
		for _, m := range tasks {
			m.Pad = false // panels of the last columns are narrower
		}
		return k.epilogueTilesTree(p, tasks)
	}
	return k.epilogueTree(p)
}

// overflowsNearest reports whether the panel of a task has room in the nearest cache, but not its
// results beside it: these leave the cache before they are finished, where they may be finished tile
// by tile instead (a layer of 128 x 64 x 128 floats takes 0.93 of the time).
func (k *contraction) overflowsNearest(p *plan) bool {
	size := int64(k.c.Writes[0].Tensor.Type.Size())
	results, panel := size, k.steps()*k.operandBytes()
	for _, i := range k.c.ByKind(ein.Concat) {
		results *= k.span(i)
	}
	for _, i := range k.columns {
		panel *= k.span(i)
	}
	return k.depth == 0 && panel <= k.mk.m.L1 && panel+results > k.mk.m.L1 && k.mk.followsVector(p.g, 0, k.vector)
}

// epilogueContraction returns the contraction with which a group begins, if its columns stay
// in blocks and point-wise statements follow, or nil.
func (mk *maker) epilogueContraction(p *plan) *contraction {
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
	if k.columnBlocks = k.blocksColumns(); !k.columnBlocks {
		return nil
	}
	return k
}

// pointwiseBeside reports whether all statements of a group enumerate its columns, and
// nothing else but for the reduced indices of number heavy.
func (mk *maker) pointwiseBeside(p *plan, heavy int) bool {
	for k, s := range p.g.statements {
		c := mk.f.Body[s]
		if len(c.ByKind(ein.Concat)) != len(p.g.columns) || k != heavy && len(ein.Reduced(c)) > 0 {
			return false
		}
	}
	return true
}

// cutForEpilogue cuts the columns into tasks, and the reduction if it must; false means
// that there are too many rows.
func (k *contraction) cutForEpilogue() bool {
	size, rows := int64(k.c.Writes[0].Tensor.Type.Size()), extentOf(k.rows)
	tile := int64(1)
	for _, i := range k.columns {
		tile *= k.tileOf(i)
	}
	most := min(k.mk.m.L2, machine.StackBytes) * 3 / 4 / (size * (rows + tile))
	if rows > finishedRows || rows*tile*size > min(mostFinished, k.mk.m.L2*3/8) || most < min(k.steps(), k.mk.run()/size) {
		return false
	}
	if k.steps() > most && k.mk.mayAccumulateInOutput(k.c) {
		k.cutDepth(most)
	}
	if k.stepsInBlock() > most {
		return false
	}
	have := extentOf(k.batch)
	for n, i := range k.columns {
		have *= k.cut(i, max(1, tile/extentOf(k.columns[n+1:])), 1, 1)
	}
	if cores := int64(k.mk.m.Cores); k.parallel && have < cores { // narrow layers
		for _, i := range k.rows {
			have *= k.cut(i, estimate(i.Extent), (cores+have-1)/have, have)
		}
	}
	return true
}

// epilogueTree assembles the loops.
func (k *contraction) epilogueTree(p *plan) schedule.Node {
	v := &convolution{mk: k.mk, c: k.c, p: &plan{g: p.g, lanes: int(k.lanes), tiles: make([]int64, len(p.tiles)), parallel: p.parallel}}
	v.p.vector = v.column(k.vector)
	var tasks []*schedule.Member
	for _, i := range slices.Concat(k.batch, k.rows, k.columns) {
		n := estimate(i.Extent)
		if n == 1 { // a loop of all statements goes to the point
			k.block[i] = 1
		}
		col, block := v.column(i), k.span(i)
		if slices.Contains(k.batch, i) {
			block = 1
		}
		v.p.tiles[col] = block
		if block < n || n == 1 {
			m := p.column(col, block)
			m.Parallel = k.parallel
			tasks = append(tasks, m)
		}
	}
	sum := k.pack(k.convertRows(k.loops(k.rows), k.loops(k.columns), k.accumulate()), true)
	if k.depth > 0 {
		sum = &schedule.Accumulate{Statement: k.s, Region: schedule.Private, Child: &schedule.Band{Members: []*schedule.Member{k.padded(k.inner[0], k.depth)}, Child: sum}}
	}
	return wrap(tasks, v.inOrder(sum, v.p, nil))
}
