package native

import (
	"context"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/tensor"
)

// advance runs one super-step, and the block of the world behind it. A context that ends meanwhile is seen before the next one.
func (w *World) advance(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	next := w.step + 1
	if err := w.show(); err != nil {
		w.ended = err
		return err
	}
	if err := w.launch(ctx, false, next); err != nil {
		return err
	}
	w.step = next
	if err := w.blocks(ctx, false); err != nil {
		return err
	}
	w.compact()
	return nil
}

// blocks runs a block of the world, and has strands be as that wants.
func (w *World) blocks(ctx context.Context, start bool) error {
	w.ended = w.outline.Blocks(ctx, start, w.step, &standing{w, data[uint8](w.only(lower.Status))})
	return w.ended
}

// renew writes what is the same for all strands, which blocks of the world have changed.
func (w *World) renew() error {
	for k, a := range w.kernel.Arguments {
		switch a.Kind {
		case lower.Scalars:
			w.number(k, len(w.outline.Sequence(a.Sequence)))
		case lower.Reals, lower.Integers:
			w.fill(w.array(k), a, w.behind(a.Kind))
		case lower.Elements:
			if !w.varies(a.Sequence) {
				continue
			}
			if err := w.elements(k, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// varies reports whether blocks of the world change a sequence.
func (w *World) varies(v *strand.Variable) bool {
	return slices.ContainsFunc(w.kernel.Arguments, func(a lower.Argument) bool { return a.Kind == lower.Scalars && a.Sequence == v })
}

// elements writes a sequence of the world, which may have become longer.
func (w *World) elements(k int, a lower.Argument) error {
	list := w.outline.Sequence(a.Sequence)
	if w.array(k).Len() <= len(list) {
		t, err := tensor.New(a.Type, 2*len(list)+1)
		if err != nil {
			return err
		}
		w.put(k, t)
	}
	for n, v := range list {
		set(w.array(k), n, v)
	}
	return nil
}

// standing are the strands of a world as its blocks see them.
type standing struct {
	*World
	status []uint8
}

// Status implements strand.Standing.
func (s *standing) Status(n int) (alive, stable bool) {
	status := s.status[n]
	return status == lower.Running || status == lower.Stabilized, status == lower.Stabilized
}

// Number implements strand.Standing.
func (s *standing) Number(n int) int { return s.name(n) }

// Read implements strand.Standing.
func (s *standing) Read(l *ein.Local) func(n int) ein.Number {
	return reader(s.component(l))
}

// Sequence implements strand.Standing.
func (s *standing) Sequence(v *strand.Variable) func(n int) []ein.Number {
	return s.sequence(s.listOf(v, false))
}

// SetSequence implements strand.Standing.
func (s *standing) SetSequence(v *strand.Variable, n int, list []ein.Number) error {
	return s.setSequence(s.listOf(v, false), n, list)
}

// Write implements strand.Standing.
func (s *standing) Write(l *ein.Local) func(n int, v ein.Number) {
	t := s.component(l)
	return func(n int, v ein.Number) { set(t, n, v) }
}

// End implements strand.Standing.
func (s *standing) End(n int, kind strand.ExitKind) {
	status := map[strand.ExitKind]uint8{strand.Stabilize: lower.Stabilized, strand.Die: lower.Died}[kind]
	s.counts[s.status[n]]--
	s.counts[status]++
	s.status[n] = status
	data[int64](s.only(lower.Ended))[n] = int64(s.step)
}

// component is the array of a scalar of strands.
func (w *World) component(l *ein.Local) *tensor.Tensor {
	for k, a := range w.kernel.Arguments {
		if a.Kind == lower.Component && a.Locals[0] == l {
			return w.array(k)
		}
	}
	return nil
}
