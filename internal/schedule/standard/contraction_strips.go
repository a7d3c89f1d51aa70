package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How a contraction is scheduled whose row operands stay near
//
// Few rows, such as the filters of a convolution with one point, stay in the second-level
// cache whatever else is read. So nothing is gained by large blocks of columns: one strip
// of them, as wide as a register tile, is copied and stays in the nearest caches while all
// rows pass by, in streams. Of the rows, a constant operand lies in panels from an earlier
// call on. On one thread 64 x 3136 x 256 floats take 0.98 of the time of blocks of
// columns, 256 x 3136 x 64 take 0.86, 256 x 196 x 1024 take 0.76, and 1000 x 1000 x 48
// take 0.8.

const (
	leastStrips     = 2  // of columns
	leastStripTiles = 8  // of rows
	leastStripSteps = 24 // of the reduction
	tilesAsTheyLie  = 48 // steps from which on a copy pays where keepsStrip reads strips as they lie
	wideColumns     = 4  // columns for each row from which on blocks of them gain nothing
)

// inStrips reports whether the columns are to be copied strip by strip.
func (k *contraction) inStrips() bool {
	if k.group != nil || len(k.outer) > 0 || len(k.inner) == 0 || k.steps() < leastStripSteps {
		return false
	}
	if k.isShallow() || k.steps() < tilesAsTheyLie && k.keepsStrip() || k.depth > 0 && k.partialSums() != schedule.Output {
		return false
	}
	if estimate(k.vector.Extent) < leastStrips*k.tileOf(k.vector) || k.rowTiles() < leastStripTiles || len(k.tiledColumns()) > 1 {
		return false
	}
	last := k.inner[len(k.inner)-1]
	rows, all, near := int64(0), extentOf(k.c.ByKind(ein.Concat))*k.operandBytes(), false
	for _, a := range k.operands {
		bytes := pointsOf(k.c, a) * int64(a.Tensor.Type.Size())
		all += bytes
		if k.onColumns(a) {
			if !k.packable(a) || k.converts(a) || k.mk.along(k.c, a.Tensor, a.Subscripts, k.vector) != unit {
				return false
			}
			near = near || k.farthest(a) < k.mk.farApart()
			continue
		}
		rows += bytes
		if !k.isPanel(a) && (k.converts(a) || k.mk.along(k.c, a.Tensor, a.Subscripts, last) != unit) {
			return false
		}
		near = near || k.isPanel(a)
	}
	if all <= k.mk.m.L2/2 || rows > k.mk.m.L2 {
		return false
	}
	strip, wide := k.steps()*k.tileOf(k.vector)*k.operandBytes(), extentOf(k.columns) >= wideColumns*extentOf(k.rows)
	return near || rows <= k.mk.m.L2/2 && (wide || strip <= k.mk.m.L1)
}

// narrowStrip makes a register tile that is wider than it is high one of the same number
// of sums that is not: 64 x 3136 x 64 floats take 0.88 of the time, 144 x 3136 x 24 take 0.92.
func (k *contraction) narrowStrip() {
	const widest, vectors, points = 5, 4, 6
	for _, i := range k.rows {
		if k.tileOf(i) > 1 && k.tileOf(k.vector) > widest*k.lanes && k.tileOf(i)*k.tileOf(k.vector) >= vectors*points*k.lanes && estimate(i.Extent) >= points {
			k.tile[k.vector], k.tile[i] = vectors*k.lanes, points
		}
	}
}

// isPanel reports whether an operand of the rows is copied once for all calls.
func (k *contraction) isPanel(a *ein.Access) bool {
	return !k.onColumns(a) && k.mk.isConstant(a.Tensor) && k.packable(a)
}

// strips makes the schedule. Where the strips are too few for all cores, the rows are
// divided, too, and if that makes equal shares for all cores, a core gets rows: the last strip may
// be narrow (1 x 1 layers of 512 channels at 14 x 14 take 0.87 of the time on two threads).
func (k *contraction) strips() schedule.Node {
	k.narrowStrip()
	k.depth = 0
	if most := min(k.mk.m.L2, machine.StackBytes) / 4 / (k.tileOf(k.vector) * k.operandBytes()); k.steps() > most {
		k.cutDepth(most)
	}
	var tasks []*schedule.Member
	add := func(m *schedule.Member) {
		m.Parallel, m.Coincident = k.parallel, true
		tasks = append(tasks, m)
	}
	have := int64(1)
	for _, i := range slices.Concat(k.batch, k.columns) {
		m, n := k.padded(i, k.tileOf(i)), estimate(i.Extent)
		add(m)
		have *= (n + m.Tile - 1) / m.Tile
	}
	if want := int64(k.mk.m.Cores) * tasksPerCore; k.parallel && have < want {
		for _, i := range k.rows {
			pieces := k.cut(i, estimate(i.Extent), (want+have-1)/have, have)
			have *= pieces
			if block := k.block[i]; block > 0 {
				add(k.padded(i, block))
			}
			if n := len(tasks); pieces > 1 && pieces%int64(k.mk.m.Cores) == 0 {
				tasks = slices.Insert(tasks[:n-1], 0, tasks[n-1])
			}
		}
	}
	nest := k.accumulate()
	for _, a := range k.operands {
		if k.isPanel(a) {
			nest = &schedule.Place{Tensor: a.Tensor.Name, Region: schedule.Workspace, Layout: k.panelLayout(a), Child: nest}
		}
	}
	nest = wrap(k.loops(k.rows), nest)
	for _, a := range k.operands {
		if k.onColumns(a) {
			nest = &schedule.Place{Tensor: a.Tensor.Name, Region: schedule.Private, Child: nest}
		}
	}
	if k.depth > 0 {
		nest = &schedule.Accumulate{Statement: k.s, Region: schedule.Output, Child: &schedule.Band{Members: []*schedule.Member{k.padded(k.inner[0], k.depth)}, Child: nest}}
	}
	return wrap(tasks, nest)
}

// panelLayout orders the dimensions of an operand of the rows so that what a step of a
// register tile reads lies together.
func (k *contraction) panelLayout(a *ein.Access) []int {
	var steps, points []int
	for d, sub := range a.Subscripts {
		if i, _, plain := schedule.IndexPlusConstant(k.c, sub); plain && slices.Contains(k.rows, i) {
			points = append(points, d+1)
		} else {
			steps = append(steps, d+1)
		}
	}
	return append(steps, points...)
}
