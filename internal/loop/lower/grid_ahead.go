package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How blocks are copied ahead
//
// Places with "async" have n blocks in turns. Before the loop over the steps the items start the copies of the first n - 1 blocks, a batch for each.
// In a step they wait until the block of that step has arrived, which leaves n - 2 batches on their way, and then for each other: what all have
// copied is there, and all have read the block of the step before. Where that was, the one goes of n - 1 steps later. So there is one barrier in
// each step. Behind the last step batches are empty. All blocks have the room of a whole tile, also where the last step has less, so that
// a block lies where its copies have put it; of what a tensor does not have nothing is copied.

// stepsAhead are the steps of a loop whose blocks are copied ahead.
type stepsAhead struct {
	places []*schedule.Place
	at     point
	block  block       // of the index, around the loop
	total  affine.Expr // how many steps there are
	tile   int64
	ragged bool // the last one has perhaps fewer points
}

// ahead is how many steps a block is copied before it is read.
func (s *stepsAhead) ahead() int64 { return s.places[0].Stages - 1 }

// isAhead reports whether blocks of the steps of a loop are copied ahead.
func (l *lowerer) isAhead(m *schedule.Member, below schedule.Node, sc *scope) bool {
	return l.grids && !sc.apart && len(schedule.AheadOf(l.tree.Root, m, below)) > 0
}

// withAhead lowers a loop, and before it what starts the copies of its first blocks.
func (l *lowerer) withAhead(m *schedule.Member, below schedule.Node, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	lp := first(m, sc)
	s := &stepsAhead{places: schedule.AheadOf(l.tree.Root, m, below), at: point{lp.Statement, lp.Index}, tile: m.Tile}
	s.block = sc.blocks[s.at]
	segs := segments(s.block, m, 0, false, func(int64) bool { return false })
	for _, seg := range segs {
		s.total = s.total.Add(seg.count)
		s.ragged = s.ragged || seg.ragged || seg.tile != m.Tile
	}
	inner := *sc
	inner.ahead = s
	var steps []loop.Stmt
	for _, seg := range segs {
		steps = append(steps, l.segmentLoop(m, seg, &inner, body)...)
	}
	if len(steps) == 0 {
		return nil
	}
	var before []loop.Stmt
	for step := range s.ahead() {
		before = append(before, l.startStep(s, affine.Const(step*s.tile), sc)...)
	}
	return append(before, steps...)
}

// inStep is a scope in which the index has the whole block of a step that begins so far from the first.
func (s *stepsAhead) inStep(offset affine.Expr, sc *scope) *scope {
	c := sc.clone()
	b := block{base: s.block.base.Add(offset), size: affine.Const(s.tile), value: s.block.value, own: s.block.own}
	if s.ragged {
		b.ragged, b.exists = true, s.block.points().Sub(offset)
	}
	c.blocks[s.at] = b
	return c
}

// startStep starts the copies of a step, if there is one, as a batch.
func (l *lowerer) startStep(s *stepsAhead, offset affine.Expr, sc *scope) []loop.Stmt {
	at := s.inStep(offset, sc)
	var copies []loop.Stmt
	for _, place := range s.places {
		if t := l.f.Tensor(place.Tensor); l.isCopied(place, t, at) {
			st, limits := l.localBlock(place, t, at)
			copies = append(copies, l.copiedTogether(place, t, st, limits, at, at)...)
		}
	}
	end := s.total.Scale(s.tile)
	if length, known := end.Sub(offset).IsConst(); known && length <= 0 {
		copies = nil
	} else if !known {
		copies = when(l.compare(offset, ein.Lt, end), copies, nil)
	}
	return append(copies, &loop.Commit{})
}

// readAhead waits for the blocks of a step, starts the copies of a later one, and lowers what reads them.
func (l *lowerer) readAhead(below schedule.Node, sc *scope) []loop.Stmt {
	s := sc.ahead
	inner := *sc
	inner.ahead = nil
	sc = &inner
	offset := sc.blocks[s.at].base.Sub(s.block.base)
	at, reads := s.inStep(offset, sc), sc
	for _, place := range s.places {
		if t := l.f.Tensor(place.Tensor); l.isCopied(place, t, at) {
			st, _ := l.localBlock(place, t, at)
			reads = reads.withStorage(t, st)
		}
		below = place.Child
	}
	body := l.node(below, reads)
	if len(body) == 0 {
		return nil
	}
	list := []loop.Stmt{&loop.Wait{Batches: s.ahead() - 1}, &loop.Barrier{}}
	list = append(list, l.startStep(s, offset.AddConst(s.ahead()*s.tile), sc)...)
	return append(list, body...)
}

// isCopied reports whether the items copy the block of a place.
func (l *lowerer) isCopied(n *schedule.Place, t *ein.Tensor, sc *scope) bool {
	return len(l.placements[n].Uses) > 0 && l.copiesNoMore(n, t, sc) && !l.gathersWritten(n, t, sc)
}
