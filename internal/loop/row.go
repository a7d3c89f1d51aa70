package loop

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How rows that begin within lines are written past the caches
//
// A store past the caches takes whole lines, and the vectors of a register tile lie where the
// tile does. Where a row of what they write begins ph elements behind a line, a line is the
// last ph elements of one vector and the first ones of the next. So each vector of the row
// stays in a register until the next one comes: a store writes the line that ends within its
// vector. The first store of a row writes what it has of the row's first line, and an EndRow
// writes what is left of the last vector. Nobody may read the row before.
//
// Where one row begins right behind the other, they are one long row but for the last vector of
// each, its tail, of which only some lanes exist. These wait at the end of the vector that is kept,
// and the first vector of the next row is so much further, or less far, behind a line.
//
// The rows of a tile are gone along at once. Where they lie end to end, too, the line between two
// of them is stored when the first of both ends: until then the first vector of the second one is
// kept.

// A Row is what the stores of vectors that follow one another in memory have in common: they
// are written past the caches by lines. Rest is a Private or Register buffer of vectors like
// those that are stored; element Slot of it holds the vector before, but where First, a scalar
// bool, says that there is none. Element Slot of Behind, of int64, is how many elements behind
// a line every vector of the row is, fewer than it has lanes; elements lie at multiples of
// their size. With Tail > 0 only so many lanes of a vector exist, those that the store's mask
// lets through: element Slot of Behind changes, and the row goes on behind them. With Heads, vectors
// like those of Rest but for one fewer, the row of every Slot > 0 begins where the one before ends:
// its first vector is left in element Slot - 1 of Heads, and what it has of a line that begins
// before it is for the EndRow of that row to store.
type Row struct {
	Rest, Behind, Heads *Buffer
	Slot                Expr
	First               Expr
	Tail                int
}

// An EndRow stores what is left of the last vector of a Row, which was stored at Index minus
// the lanes of Rest. It is not reached where there was none. With Heads the next row begins at
// Index, and element Slot of Heads completes the line in which it does.
type EndRow struct {
	Buffer              *Buffer
	Index               Expr
	Rest, Behind, Heads *Buffer
	Slot                Expr
}

func (*EndRow) stmt() {}

// row checks the Row of a store of so many lanes to a buffer.
func (v *verifier) row(b *Buffer, r *Row, mask Expr, lanes int) {
	v.require((mask != nil) == (r.Tail > 0) && r.Tail < lanes, "a row has a tail of %d of %d lanes", r.Tail, lanes)
	v.rest(b, r.Rest, r.Behind, r.Slot)
	v.require(r.Rest.Type.Lanes == lanes, "a row of %d lanes, of which %s keeps %d", lanes, r.Rest.Name, r.Rest.Type.Lanes)
	v.require(v.expr(r.First) == Scalar(tensor.Bool), "whether a vector is the first of a row is a %s", r.First.Type())
	if r.Heads != nil {
		v.heads(r.Heads, r.Rest)
	}
}

// heads checks where the first vectors of rows are kept.
func (v *verifier) heads(heads, rest *Buffer) {
	_, live := v.live[heads]
	v.require(live && (heads.Region == Private || heads.Region == Register), "the first vectors of rows are kept in %s", heads.Name)
	v.require(heads.Type == rest.Type && heads.Length == rest.Length-1, "the first ones of %d vectors of %s are kept in %d of %s", rest.Length, rest.Type, heads.Length, heads.Type)
}

// rest checks where the vectors of a row wait.
func (v *verifier) rest(b, rest, behind *Buffer, slot Expr) {
	v.require(rest.Region == Private || rest.Region == Register, "the vectors of a row wait in %s", rest.Name)
	v.require(rest.Type.Lanes > 1 && rest.Type.Elem == b.Type.Elem, "vectors of %s wait in %s of %s", b.Name, rest.Name, rest.Type)
	v.access(rest, slot, nil, rest.Type.Lanes, "waiting in")
	v.require(behind.Type == Scalar(tensor.Int64), "how far rows are behind lines is in %s of %s", behind.Name, behind.Type)
	v.access(behind, slot, nil, 1, "a row in")
}

// endRow checks an EndRow.
func (v *verifier) endRow(s *EndRow) {
	shared := s.Buffer.Region == Argument || s.Buffer.Region == Workspace
	v.require(shared && !s.Buffer.ReadOnly && s.Buffer.Type.Lanes == 1, "a row ends in %s", s.Buffer.Name)
	v.rest(s.Buffer, s.Rest, s.Behind, s.Slot)
	last := &Binary{Op: ein.Sub, X: s.Index, Y: Int(1)}
	v.access(s.Buffer, last, nil, 1, "a row in")
	if s.Heads != nil {
		v.heads(s.Heads, s.Rest)
		v.access(s.Heads, s.Slot, nil, s.Rest.Type.Lanes, "kept in")
		v.access(s.Buffer, s.Index, nil, s.Rest.Type.Lanes, "a row in")
	}
}

// rowStore evaluates a store of a Row: the lanes that end a line, those before them that
// waited, and leaves the vector behind.
func (ev *evaluator) rowStore(s *Store) {
	values, at := ev.expr(s.Value), int64(ev.expr(s.Index)[0])
	lanes := int64(len(values))
	old, waits := ev.waits(s.Row.Rest, s.Row.Behind, s.Row.Slot)
	exist := lanes
	if s.Row.Tail > 0 {
		exist = int64(s.Row.Tail)
		for l, bit := range ev.expr(s.Mask) {
			if (bit != 0) != (int64(l) < exist) {
				ev.fail("lane %d of a row's tail of %d lanes is masked otherwise", l, exist)
			}
		}
	}
	first, slot := ev.expr(s.Row.First)[0] != 0, int64(ev.expr(s.Row.Slot)[0])
	kept := first && s.Row.Heads != nil && slot > 0
	stores := waits+exist >= lanes && !(kept && waits > 0) // the lines that the vector ends
	for l := range lanes - waits {
		if stores {
			ev.put(s.Buffer, at+l, values[l])
		}
	}
	if stores && !first {
		for l := range waits {
			ev.put(s.Buffer, at-waits+l, old[lanes-waits+l])
		}
	}
	for l, value := range values {
		if kept {
			ev.put(s.Row.Heads, (slot-1)*lanes+int64(l), value)
		}
	}
	for l, value := range slices.Concat(old, values)[exist:][:lanes] {
		ev.put(s.Row.Rest, slot*lanes+int64(l), value)
	}
	if exist < lanes {
		ev.put(s.Row.Behind, slot, uint64((waits+exist)%lanes))
	}
}

// endRow evaluates an EndRow.
func (ev *evaluator) endRow(s *EndRow) {
	at, lanes := int64(ev.expr(s.Index)[0]), int64(s.Rest.Type.Lanes)
	old, waits := ev.waits(s.Rest, s.Behind, s.Slot)
	for l := range waits {
		ev.put(s.Buffer, at-waits+l, old[lanes-waits+l])
	}
	if s.Heads == nil || waits == 0 {
		return
	}
	head := ev.load(&Load{Buffer: s.Heads, Index: s.Slot, Lanes: s.Rest.Type.Lanes})
	for l := range lanes - waits {
		ev.put(s.Buffer, at+l, head[l])
	}
}

// waits returns the vector before, and how many of its last lanes are not stored yet.
func (ev *evaluator) waits(rest, behind *Buffer, slot Expr) (old []uint64, n int64) {
	n = int64(ev.load(&Load{Buffer: behind, Index: slot, Lanes: 1})[0])
	if lanes := int64(rest.Type.Lanes); n < 0 || n >= lanes {
		ev.fail("a row of vectors of %d lanes is %d elements behind a line", lanes, n)
	}
	return ev.load(&Load{Buffer: rest, Index: slot, Lanes: rest.Type.Lanes}), n
}

// put writes an element, counted in scalars.
func (ev *evaluator) put(b *Buffer, at int64, value uint64) {
	m := ev.memory[b]
	low, count := m.low*int64(b.Type.Lanes), m.length*int64(b.Type.Lanes)
	if at < low || at >= low+count {
		ev.fail("%s[%d] is out of bounds: the elements are [%d, %d)", b.Name, at, low, low+count)
	}
	d := b.Type.Elem
	writeElement(d, m.bytes[(at-low)*int64(d.Size()):], value)
}
