package loop

import (
	"errors"
	"fmt"
)

// How races are found
//
// Two accesses to an element race if at least one writes, different items make them, and nothing orders the two: items
// of different groups are never ordered, those of one group by a barrier between. Groups run one after the other, and so do
// the items of a group from barrier to barrier, so for each element it is enough to keep the last write, two readers since the last
// barrier, and one from an earlier group, and likewise of who updates it: whatever races, races with one of these. Readers do not race
// among each other, and neither do atomic updates, which have one operator.

// What grids do wrong; errors of Evaluate are one of these, or say what is out of bounds.
var (
	ErrRace      = errors.New("data race")
	ErrDivergent = errors.New("divergent barrier")
	ErrUndefined = errors.New("undefined memory is read")
)

// An access is who touched an element, and where.
type access struct {
	stmt        Stmt // nil: nobody has
	group, item int64
	epoch       int // the number of barriers before it
}

// races reports whether nothing orders two accesses of different items.
func (a access) races(b access) bool {
	if a.stmt == nil || a.group == b.group && a.item == b.item {
		return false
	}
	return a.group != b.group || a.epoch == b.epoch
}

// A cell is what is known of an element.
type cell struct {
	write             access
	readers, updaters party
}

// A party is who does to an element what does not race among themselves.
type party struct {
	recent  [2]access // different items, since the last barrier of this group
	earlier access    // one of another group
}

// note adds an access.
func (p *party) note(a access) {
	switch last := p.recent[0]; {
	case last.stmt != nil && last.group != a.group:
		p.earlier, p.recent = last, [2]access{a}
	case last.stmt == nil || last.epoch != a.epoch:
		p.recent = [2]access{a}
	case last.item != a.item:
		p.recent[1] = a
	}
}

// racing returns one that races with an access; the zero access is none.
func (p *party) racing(a access) access {
	for _, o := range [...]access{p.recent[0], p.recent[1], p.earlier} {
		if o.races(a) {
			return o
		}
	}
	return access{}
}

// A watch looks after the elements of a buffer while a grid runs.
type watch struct {
	length  int64
	cells   []cell // of memory that items share and write, made when it is touched
	defined []bool // of memory that starts undefined
	// Copies on their way, by the element that they go to, and come from (copy.go).
	coming map[uint64]*flight
	going  map[uint64][]*flight
}

// newWatch watches memory of the items of a grid.
func newWatch(b *Buffer, length int64) *watch {
	w := &watch{length: length * int64(b.Type.Lanes)}
	if b.Region != Argument && b.Region != Workspace {
		w.defined = make([]bool, w.length)
	}
	return w
}

// cell returns what is known of an element; nil where items do not share it, or nobody writes it.
func (w *watch) cell(b *Buffer, at uint64) *cell {
	if b.ReadOnly || b.Region != Argument && b.Region != Workspace && b.Region != Local {
		return nil
	}
	if w.cells == nil {
		w.cells = make([]cell, w.length)
	}
	return &w.cells[at]
}

// here is the access that the present item makes to a buffer.
func (ev *evaluator) here(b *Buffer) access {
	a := access{stmt: ev.stmt, group: ev.item.run.group, item: ev.item.number, epoch: ev.item.run.epoch}
	if b.Region != Local {
		a.epoch = ev.item.run.globalEpoch
	}
	return a
}

// reads notes that an element is read, outside of grids nothing.
func (ev *evaluator) reads(b *Buffer, at uint64) {
	if c := ev.needed(b, at); c != nil {
		a := ev.here(b)
		ev.unordered(b, at, "reads", a, "writes", c.write)
		ev.unordered(b, at, "reads", a, "updates", c.updaters.racing(a))
		c.readers.note(a)
	}
}

// updates notes that an element is updated by an atomic operation.
func (ev *evaluator) updates(b *Buffer, at uint64) {
	if c := ev.needed(b, at); c != nil {
		a := ev.here(b)
		ev.unordered(b, at, "updates", a, "writes", c.write)
		ev.unordered(b, at, "updates", a, "reads", c.readers.racing(a))
		c.updaters.note(a)
	}
}

// needed notes that somebody needs what is in an element, and returns what is known of it; nil where nobody can race.
func (ev *evaluator) needed(b *Buffer, at uint64) *cell {
	w := ev.memory[b].watch
	if w == nil || ev.item == nil {
		return nil
	}
	if w.defined != nil && !w.defined[at] {
		ev.fail("%w: %s[%d]%s", ErrUndefined, b.Name, ev.memory[b].low*int64(b.Type.Lanes)+int64(at), w.missing(at))
	}
	return w.cell(b, at)
}

// unordered ends the run if an access races with another one.
func (ev *evaluator) unordered(b *Buffer, at uint64, does string, a access, other string, o access) {
	if o.races(a) {
		ev.race(b, at, does, a, other, o)
	}
}

// writes notes that an element is written.
func (ev *evaluator) writes(b *Buffer, at uint64) {
	w := ev.memory[b].watch
	if w == nil || ev.item == nil {
		return
	}
	ev.undisturbed(b, at)
	if w.defined != nil {
		w.defined[at] = true
	}
	c := w.cell(b, at)
	if c == nil {
		return
	}
	a := ev.here(b)
	ev.unordered(b, at, "writes", a, "writes", c.write)
	ev.unordered(b, at, "writes", a, "reads", c.readers.racing(a))
	ev.unordered(b, at, "writes", a, "updates", c.updaters.racing(a))
	c.write = a
}

func (ev *evaluator) race(b *Buffer, at uint64, does string, a access, other string, before access) {
	run := ev.item.run
	ev.fail("%w: %s[%d] is touched by two items that nothing orders: %s of %s %s it, and %s of %s %s it", ErrRace, b.Name, ev.memory[b].low*int64(b.Type.Lanes)+int64(at),
		headText(before.stmt), run.place(before.group, before.item), other, headText(a.stmt), run.place(a.group, a.item), does)
}

// inItem says of an error in a grid whose it is.
func (ev *evaluator) inItem(err error) error {
	if ev.item == nil || errors.Is(err, ErrRace) || errors.Is(err, ErrDivergent) {
		return err
	}
	return fmt.Errorf("%w, by %s of %s", err, headText(ev.stmt), ev.item.run.place(ev.item.run.group, ev.item.number))
}
