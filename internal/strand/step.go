package strand

import (
	"context"
	"errors"
	"slices"

	"github.com/ricci-lang/ricci/internal/source"
)

// Run runs super-steps until no strand is active, at most limit of them where it is not 0, and
// returns how many the world has run. Strands that print run step by step, so that texts are written as soon as they are
// due, and none is kept for long.
func (w *World) Run(ctx context.Context, limit int) (int, error) {
	if uses := w.program.Uses(); !w.options.ForceBSP && w.step == 0 && !uses.Communicates() && !uses.Prints {
		return w.step, w.lasting(ctx, func() error { return w.complete(ctx, limit) })
	}
	for w.active > 0 && (limit == 0 || w.step < limit) {
		if err := w.Step(ctx); err != nil {
			return w.step, err
		}
	}
	return w.step, nil
}

// Step runs one super-step. After an error there are no more of them, but where the context has ended: what the strands have
// done of the step does not count then, and the step may be run again.
func (w *World) Step(ctx context.Context) error {
	return w.lasting(ctx, func() error { return w.advance(ctx) })
}

// lasting runs steps unless an error has ended the world, which one of these steps does, too; an interrupt leaves it as it was.
func (w *World) lasting(ctx context.Context, steps func() error) error {
	if w.ended != nil {
		return w.Ended()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	before := w.remember()
	err := steps()
	if interrupt := (*Fault)(nil); errors.As(err, &interrupt) && interrupt.IsInterrupt() {
		w.restore(before)
		return err
	}
	w.ended = err
	return err
}

// remember keeps what steps change of strands before they are finished. Values are not copied: steps make new ones.
func (w *World) remember() []strand {
	before := make([]strand, len(w.strands))
	for k, s := range w.strands {
		before[k] = *s
	}
	return before
}

// restore has strands be as they were before steps that were not finished.
func (w *World) restore(before []strand) {
	for k, s := range w.strands {
		*s = before[k]
	}
	w.lookup, w.moved, w.run.fault, w.run.self = nil, nil, nil, nil
}

// Ended returns why a world takes no more steps, or nil.
func (w *World) Ended() error {
	if w.ended == nil {
		return nil
	}
	d := problem(source.StrandEnded, w.program.Pos, "the world has ended in step %d", w.step+1)
	if cause := (*source.Diagnostic)(nil); errors.As(w.ended, &cause) {
		return d.WithNote(cause.Span, "%s", cause.Message).WithHelp("make a new world")
	}
	return d.WithNote(source.Span{}, "%v", w.ended).WithHelp("make a new world")
}

func (w *World) advance(ctx context.Context) error {
	w.run.ctx, w.lookup, w.moved = ctx, nil, nil
	var first *Fault
	for _, k := range w.order() {
		s := w.strands[k]
		if s.isStable {
			continue
		}
		w.enter(s, w.step+1)
		w.update(s)
		if s.seen != s.in {
			w.moved = append(w.moved, k)
		}
		if f := w.run.fault; f != nil {
			if f.IsInterrupt() {
				return f
			}
			if first == nil || f.Strand < first.Strand {
				first = f
			}
			w.run.fault = nil
			if f.isMemory() { // the others would fill it, too
				break
			}
		}
	}
	w.run.self = nil
	if first != nil {
		return first
	}
	w.step++
	w.run.ctx = context.WithoutCancel(ctx) // the step is done, and what ends it cannot be undone
	if err := w.finish(); err != nil {
		return err
	}
	return w.global(w.run.globalUpdate)
}

// order is that in which the strands of a step run.
func (w *World) order() []int {
	if w.options.Order != nil {
		return w.options.Order(len(w.strands))
	}
	order := make([]int, len(w.strands))
	for k := range order {
		order[k] = k
	}
	return order
}

// enter begins a step of a strand, or a method outside of one.
func (w *World) enter(s *strand, step int) {
	w.run.self, s.step, s.born = s, step, nil
	w.run.load(s.in)
}

// update runs the methods of a strand for a step.
func (w *World) update(s *strand) {
	end := onward
	if s.fresh {
		s.fresh = false
		end = w.run.start()
	}
	if end == onward || end == continued {
		end = w.run.update()
	}
	w.conclude(s, end)
}

// conclude runs the stabilize method of a strand that ends so, and keeps what the step made.
func (w *World) conclude(s *strand, end flow) {
	if end == stabilized && w.run.stabilize() == failed {
		end = failed
	}
	s.end, s.out = end, w.run.store()
	if end == stabilized && w.options.ShowStable {
		s.seen = s.out
	}
}

// finish adds new strands, removes dead ones, freezes stable ones, and swaps states.
func (w *World) finish() error {
	w.run.self = nil
	if w.run.fault != nil {
		return w.run.fault
	}
	w.flush(w.step)
	var born []*strand
	for _, s := range w.strands {
		if s.isStable {
			continue
		}
		born = append(born, s.born...)
		s.in, s.seen, s.out, s.born = s.out, s.out, nil, nil
		s.isStable = s.end == stabilized
	}
	w.strands = slices.DeleteFunc(w.strands, func(s *strand) bool { return !s.isStable && s.end == died })
	for _, s := range born {
		s.number = w.created
		w.created++
	}
	w.strands = append(w.strands, born...)
	w.active, w.lookup = 0, nil
	for _, s := range w.strands {
		if !s.isStable {
			w.active++
		}
	}
	return nil
}

// complete runs each strand to its end, which is right where strands cannot notice each other.
func (w *World) complete(ctx context.Context, limit int) error {
	w.run.ctx = ctx
	var first *Fault
	last := 0
	for _, k := range w.order() {
		s := w.strands[k]
		for step := 1; !s.isStable && s.end != died && (limit == 0 || step <= limit) && (first == nil || step <= first.Step); step++ {
			if w.run.expired() {
				return w.run.fault
			}
			w.enter(s, step)
			w.update(s)
			if f := w.run.fault; f != nil {
				if f.IsInterrupt() {
					return f
				}
				if first == nil || f.Step < first.Step || f.Step == first.Step && f.Strand < first.Strand {
					first = f
				}
				w.run.fault = nil
				break
			}
			s.in, s.isStable = s.out, s.end == stabilized
			last = max(last, step)
		}
	}
	if first != nil {
		last = first.Step - 1
	}
	w.flush(last)
	w.step = last
	if first != nil {
		return first
	}
	for _, s := range w.strands {
		s.out = s.in
	}
	return w.finish()
}

// flush writes what strands have printed up to a step, in the order of super-steps.
func (w *World) flush(last int) {
	var all []text
	for _, s := range w.strands {
		all = append(all, s.printed...)
		s.printed = nil
	}
	slices.SortStableFunc(all, func(a, b text) int { return a.step - b.step })
	for _, t := range all {
		if t.step <= last {
			w.write(t.data)
		}
	}
}

func (w *World) write(text []byte) {
	if w.options.Print != nil && len(text) > 0 {
		_, _ = w.options.Print.Write(text) // who prints to what fails sees it there
	}
}
