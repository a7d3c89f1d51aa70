package native

import (
	"context"

	"github.com/ricci-lang/ricci/internal/strand/lower"
)

// A call says which strands the kernel runs, and how.
type call struct{ wanted, fresh, from, limit int }

// launch creates strands, or runs those that are active up to a step. It creates those that these create, writes what they have
// printed, counts strands, and finds the first that has failed. A context that has ended is seen before, and not between the
// calls of the kernel that this takes: the world stands between two steps, and goes on when it is asked again.
func (w *World) launch(ctx context.Context, fresh bool, limit int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := w.take(context.WithoutCancel(ctx), fresh, limit)
	if err == nil && w.lost != nil {
		w.ended = w.lost
		return w.lost
	}
	return err
}

func (w *World) take(ctx context.Context, fresh bool, limit int) error {
	if w.steps {
		if err := w.renew(); err != nil {
			return err
		}
	}
	c := call{wanted: lower.Running, from: w.step, limit: limit}
	if fresh {
		c.wanted, c.fresh = lower.Waiting, 1
	}
	if err := w.runAll(ctx, c); err != nil {
		w.ended = err // in the middle of a step
		return err
	}
	failed := w.failed(0)
	creators, err := w.bear(ctx, failed, limit)
	if err != nil {
		w.ended = err
		return err
	}
	who := failed
	if n := w.failed(w.outline.Count - len(creators)); n >= 0 { // which is the fault of its creator
		failed, who = n, creators[n-(w.outline.Count-len(creators))]
	}
	if failed < 0 {
		w.step = max(w.step, w.last(limit))
		w.print(w.step, creators)
		return nil
	}
	step := int(data[int64](w.only(lower.Ended))[failed])
	w.print(step-1, creators)
	w.step = max(0, step-1)
	w.ended = w.fault(ctx, failed, w.name(who), step)
	return w.ended
}

// runAll calls the kernel for the strands of a status, and again for those that want more room.
func (w *World) runAll(ctx context.Context, c call) error {
	for kind, value := range map[lower.Kind]int{lower.Count: w.outline.Count, lower.Fresh: c.fresh, lower.From: c.from, lower.Limit: c.limit} {
		w.number(w.places[kind][0], value)
	}
	for {
		w.number(w.places[lower.Wanted][0], c.wanted)
		if err := w.run(ctx); err != nil {
			return err
		}
		if w.count(); w.lost != nil {
			return w.lost
		}
		if w.counts[lower.Full] == 0 {
			return nil
		}
		if err := w.widen(); err != nil {
			return err
		}
		c.wanted = lower.Full
	}
}

// failed finds the first strand that has failed, by step and number, from one on; -1 is none.
func (w *World) failed(from int) int {
	status, ended, failed := data[uint8](w.only(lower.Status)), data[int64](w.only(lower.Ended)), -1
	if w.counts[lower.Failed] == 0 {
		return failed
	}
	for n, s := range status[from:w.outline.Count] {
		if n += from; s == lower.Failed && (failed < 0 || ended[n] < ended[failed]) {
			failed = n
		}
	}
	return failed
}

// count counts the strands.
func (w *World) count() {
	clear(w.counts[:])
	for _, s := range data[uint8](w.only(lower.Status))[:w.outline.Count] {
		w.counts[s]++
	}
}

// last is the last step that a strand has run in a call.
func (w *World) last(limit int) (last int) {
	if w.counts[lower.Running] > 0 || w.steps {
		return limit
	}
	for _, at := range data[int64](w.only(lower.Ended))[:w.outline.Count] {
		last = max(last, int(at))
	}
	return last
}
