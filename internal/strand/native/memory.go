package native

import (
	"math"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lower"
)

// bytes is what the arrays of strands and of their lists take with the rooms that there are.
func (w *World) bytes() int64 {
	sum := 0.0 // which no product overflows
	for _, a := range w.kernel.Arguments {
		switch {
		case a.Kind == lower.Column:
			sum += float64(a.Type.Size()) * float64(w.slots(w.kernel.Lists[a.List])) * float64(w.rooms[a.List])
		case a.Kind >= lower.Shared:
			sum += float64(a.Type.Size()) * float64(w.capacity)
		}
	}
	return int64(min(sum, math.MaxInt64/4))
}

// crowded is the fault of a strand that wants another room for a list, or of the world where n is -1; nil where it fits
// beside the list that there is.
func (w *World) crowded(list, room, n int) error {
	step := w.step
	switch {
	case n < 0:
	case w.steps:
		step++
	default: // one of those of a call
		step = -1
	}
	l, old := w.kernel.Lists[list], w.rooms[list]
	w.rooms[list] += room
	bytes := w.bytes()
	w.rooms[list] = old
	if f := w.outline.MemoryFault(bytes, w.madeAt(l), n, step, "room is wanted for %d %s of each strand", room, what(l)); f != nil {
		return f
	}
	return nil
}

// what are the elements of a list.
func what(l lower.List) string {
	switch {
	case l.Born:
		return "new strands"
	case l.Printed != lower.NoWords:
		return "numbers that are printed"
	}
	return "elements of a sequence"
}

// madeAt is where a program puts elements into a list.
func (w *World) madeAt(l lower.List) source.Span {
	at := w.program.Create.Pos
	if l.Sequence != nil {
		at = l.Sequence.Pos
	}
	is := func(v *strand.Variable) bool { return v == l.Sequence || l.Sequence == nil && v.Name == l.Name }
	for _, b := range []strand.Block{w.program.Begin, w.program.Start, w.program.Update, w.program.Stabilize} {
		strand.Walk(b, func(s strand.Stmt) {
			switch s := s.(type) {
			case *strand.Build:
				if is(s.To) {
					at = s.Pos
				}
			case *strand.Query:
				if is(s.To) {
					at = s.Pos
				}
			case *strand.New:
				if l.Born {
					at = s.Pos
				}
			case *strand.Message:
				if l.Printed != lower.NoWords {
					at = s.Pos
				}
			}
		})
	}
	return at
}
