package loop

import (
	"fmt"
	"slices"
)

// How copies run ahead
//
// A Copy starts to move some bytes from memory that all groups see to the local memory of a group, and does not wait for them: they arrive later,
// while the item does something else, and take no registers on their way. An item commits the copies that it has started since
// the last time as one batch, and waits until at most so many of its youngest batches are on their way. Behind the wait the item sees what its own
// copies have brought, and behind a barrier after it so do the others.
//
// Until then nobody reads or writes the place that a copy goes to, or writes the one that it comes from. A copy may arrive at any
// time between its start and the wait for it, so a target without such copies moves the bytes at once. Evaluate does
// the opposite: nothing arrives before an item has to wait for it. So a wait that is missing, or too short, is a read of undefined memory,
// and what is touched too early a data race.

// A Copy starts to copy Lanes elements, 4, 8 or 16 bytes in all, from From to local memory. The bytes are those of memory: nothing is converted.
type Copy struct {
	To    *Buffer // of Region Local
	At    Expr
	From  *Buffer // an Argument, or in the Workspace, of the same elements
	Index Expr
	Lanes int
}

// A Commit makes a batch of the copies that an item has started since the last one, perhaps of none.
type Commit struct{}

// A Wait lets an item wait until at most Batches of those that it has committed last are on their way.
type Wait struct{ Batches int64 }

func (*Copy) stmt()   {}
func (*Commit) stmt() {}
func (*Wait) stmt()   {}

// MostBatches is how many batches an item can leave on their way when it waits.
const MostBatches = 7

// CanCopy reports whether a Copy moves so many elements of a buffer.
func CanCopy(b *Buffer, lanes int) bool {
	bytes := lanes * b.Type.Elem.Size()
	return b.Type.Lanes == 1 && (bytes == 4 || bytes == 8 || bytes == 16)
}

// copied checks a Copy.
func (v *verifier) copied(s *Copy) {
	v.require(v.inGrid != nil, "%s is outside of a grid", headText(s))
	v.require(s.To.Region == Local && (s.From.Region == Argument || s.From.Region == Workspace), "%s is from region %s to %s", headText(s), regionNames[s.From.Region], regionNames[s.To.Region])
	v.require(s.To.Type == s.From.Type && CanCopy(s.To, s.Lanes), "%s moves %d elements of %s to some of %s, and not 4, 8 or 16 bytes as they are", headText(s), s.Lanes, s.From.Type, s.To.Type)
	v.require(s.At.Type().Lanes == 1 && s.Index.Type().Lanes == 1, "%s has a place for each lane", headText(s))
	v.access(s.To, s.At, nil, s.Lanes, "copy to")
	v.access(s.From, s.Index, nil, s.Lanes, "copy from")
}

// waits checks a Wait or a Commit; that all items come to it, uniformity checks.
func (v *verifier) waits(s Stmt) {
	v.require(v.inGrid != nil, "%s is outside of a grid", headText(s))
	if w, ok := s.(*Wait); ok {
		v.require(w.Batches >= 0 && w.Batches <= MostBatches, "a wait that leaves %d batches on their way", w.Batches)
	}
}

// A flight is a copy that has been started.
type flight struct {
	copy     *Copy
	owner    access
	from, to []uint64 // elements
}

// flights are the copies of an item that have not arrived.
type flights struct {
	open    []*flight   // started, not committed
	batches [][]*flight // the oldest first
}

// start starts a copy of the present item.
func (ev *evaluator) start(s *Copy) {
	if ev.item == nil {
		ev.fail("%s is outside of a grid", headText(s))
	}
	f := &flight{copy: s, owner: ev.here(s.To)}
	f.from = slices.Clone(ev.places(s.From, s.Index, nil, s.Lanes))
	f.to = slices.Clone(ev.places(s.To, s.At, nil, s.Lanes))
	from, to := ev.memory[s.From].watch, ev.memory[s.To].watch
	for l := range f.to {
		ev.reads(s.From, f.from[l])
		ev.writes(s.To, f.to[l])
		to.defined[f.to[l]] = false
		to.arrives(f.to[l], f)
		if !s.From.ReadOnly {
			from.leaves(f.from[l], f, 1)
		}
	}
	ev.item.flights.open = append(ev.item.flights.open, f)
}

// commit makes a batch of what the present item has started.
func (ev *evaluator) commit() {
	if ev.item == nil {
		ev.fail("a commit is outside of a grid")
	}
	all := &ev.item.flights
	all.batches, all.open = append(all.batches, all.open), nil
}

// wait lets the copies of the present item arrive, but for those of the youngest batches.
func (ev *evaluator) wait(s *Wait) {
	if ev.item == nil {
		ev.fail("a wait is outside of a grid")
	}
	all := &ev.item.flights
	for int64(len(all.batches)) > s.Batches {
		for _, f := range all.batches[0] {
			ev.arrive(f)
		}
		all.batches = all.batches[1:]
	}
}

// arrive moves the bytes of a copy, which reads and writes now.
func (ev *evaluator) arrive(f *flight) {
	s, size := f.copy, uint64(f.copy.To.Type.Elem.Size())
	from, to := ev.memory[s.From], ev.memory[s.To]
	for l, at := range f.to {
		to.watch.arrives(at, nil)
		if !s.From.ReadOnly {
			from.watch.leaves(f.from[l], f, -1)
		}
		ev.reads(s.From, f.from[l])
		ev.writes(s.To, at)
		copy(to.bytes[at*size:(at+1)*size], from.bytes[f.from[l]*size:])
	}
}

// arrives notes the copy that is on its way to an element; nil: none is.
func (w *watch) arrives(at uint64, f *flight) {
	if w.coming == nil {
		w.coming = map[uint64]*flight{}
	}
	if f == nil {
		delete(w.coming, at)
	} else {
		w.coming[at] = f
	}
}

// leaves notes that one copy more, or less, reads an element on its way.
func (w *watch) leaves(at uint64, f *flight, change int) {
	if w.going == nil {
		w.going = map[uint64][]*flight{}
	}
	if change > 0 {
		w.going[at] = append(w.going[at], f)
		return
	}
	if w.going[at] = slices.DeleteFunc(w.going[at], func(other *flight) bool { return other == f }); len(w.going[at]) == 0 {
		delete(w.going, at)
	}
}

// undisturbed ends the run where a copy that is on its way meets a write.
func (ev *evaluator) undisturbed(b *Buffer, at uint64) {
	w := ev.memory[b].watch
	f := w.coming[at]
	if going := w.going[at]; f == nil && len(going) > 0 {
		f = going[0]
	}
	if f != nil {
		ev.fail("%w: %s writes %s[%d] while what %s of %s moves is on its way", ErrRace, headText(ev.stmt), b.Name, ev.memory[b].low+int64(at), headText(f.copy), ev.item.run.place(f.owner.group, f.owner.item))
	}
}

// missing says of an element that is read too early which copy brings it.
func (w *watch) missing(at uint64) string {
	if f := w.coming[at]; f != nil {
		return fmt.Sprintf(", where what %s brings has not arrived", headText(f.copy))
	}
	return ""
}

// landed ends the run if copies of a group are on their way when it has ended: its memory is that of another group then.
func (run *gridRun) landed() {
	for _, it := range run.items {
		if all := append(slices.Concat(it.flights.batches...), it.flights.open...); len(all) > 0 && it.fault == nil {
			run.enter(it)
			run.ev.stmt = all[0].copy
			run.ev.fail("%w: the group ends while what %s of %s moves is on its way", ErrRace, headText(all[0].copy), run.place(run.group, it.number))
		}
	}
}

func (p *printer) copied(s *Copy) {
	lanes := ""
	if s.Lanes > 1 {
		lanes = fmt.Sprintf("; %d", s.Lanes)
	}
	p.line("copy %s[%s] = %s[%s%s]", p.buffer(s.To), p.expr(s.At, 0), p.buffer(s.From), p.expr(s.Index, 0), lanes)
}

// copied reads a Copy behind its first word.
func (p *parser) copied() *Copy {
	s := &Copy{To: p.buffer(), Lanes: 1}
	p.expect("[")
	s.At = p.expr()
	p.expect("]")
	p.expect("=")
	s.From = p.buffer()
	p.expect("[")
	s.Index = p.expr()
	if p.Accept(";") {
		s.Lanes = int(p.integer())
	}
	p.expect("]")
	return s
}
