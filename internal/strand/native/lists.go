package native

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/tensor"
)

// How lists get room
//
// A slot of a list begins small. Strands that want more end as Full, and are what they were before the call: their list gets twice the room,
// and they alone are run again, until none is Full. So a step is done whole before anything is seen of it.

// firstRoom is how many elements a slot has at first, mostBytes how much memory a column may take.
const (
	firstRoom = 16
	mostBytes = int64(1) << 40
)

// slots is how many slots a list has.
func (w *World) slots(l lower.List) int {
	if l.Strands || w.items {
		return w.capacity
	}
	blocks := (w.capacity + w.order.Block - 1) / w.order.Block
	return blocks * w.order.Lanes
}

// column makes a column of a list, with the elements that an older one has where strands have slots.
func (w *World) column(a lower.Argument, old *tensor.Tensor, oldRoom int) (*tensor.Tensor, error) {
	l, room := w.kernel.Lists[a.List], w.rooms[a.List]
	slots := w.slots(l)
	if slots > 0 && int64(room) > mostBytes/int64(a.Type.Size())/int64(slots) {
		return nil, &source.Diagnostic{Code: source.StrandTooMany, Span: w.program.Pos, Message: "the sequences " + l.Name + " of all strands have no room",
			Help: "shorten them, or create fewer strands"}
	}
	t, err := tensor.New(a.Type, slots*room+1)
	if err != nil || old == nil || !l.Strands {
		return t, err
	}
	width := a.Type.Size()
	from, to := raw(old), raw(t)
	if oldRoom == room {
		copy(to, from)
		return t, nil
	}
	for n := 0; (n+1)*oldRoom*width < len(from); n++ {
		copy(to[n*room*width:], from[n*oldRoom*width:(n+1)*oldRoom*width])
	}
	return t, nil
}

// widen gives the lists that strands want more of twice the room.
func (w *World) widen() error {
	wanted := map[int]int{} // the first strand that wants more of each list
	which := data[int32](w.only(lower.Which))
	for n, s := range data[uint8](w.only(lower.Status))[:w.outline.Count] {
		if s == lower.Full {
			if _, is := wanted[int(which[n])]; !is {
				wanted[int(which[n])] = n
			}
		}
	}
	for list, n := range wanted {
		if err := w.crowded(list, 2*w.rooms[list], w.name(n)); err != nil {
			return err
		}
		if err := w.setRoom(list, 2*w.rooms[list]); err != nil {
			return err
		}
	}
	return nil
}

// setRoom gives the slots of a list another room.
func (w *World) setRoom(list, room int) error {
	old := w.rooms[list]
	w.rooms[list] = room
	for k, a := range w.kernel.Arguments {
		if a.Kind != lower.Column || a.List != list {
			continue
		}
		t, err := w.column(a, w.array(k), old)
		if err != nil {
			return err
		}
		w.put(k, t)
	}
	w.sizeLists()
	return nil
}

// sizeLists tells the kernel how large lists are.
func (w *World) sizeLists() {
	for k, a := range w.kernel.Arguments {
		switch a.Kind {
		case lower.Room:
			w.number(k, w.rooms[a.List])
		case lower.Size:
			w.number(k, w.slots(w.kernel.Lists[a.List])*w.rooms[a.List])
		}
	}
}

// listOf is the list of a sequence that strands keep, or its copy that others see.
func (w *World) listOf(v *strand.Variable, before bool) int {
	for k, l := range w.kernel.Lists {
		if l.Sequence == v && l.Before == before {
			return k
		}
	}
	return -1
}

// columnsOf are the columns of a list, and its lengths.
func (w *World) columnsOf(list int) (columns []*tensor.Tensor, lengths []int64) {
	for k, a := range w.kernel.Arguments {
		switch {
		case a.List != list:
		case a.Kind == lower.Column:
			columns = append(columns, w.array(k))
		case a.Kind == lower.Lengths:
			lengths = data[int64](w.array(k))
		}
	}
	return columns, lengths
}

// sequence has the scalars of a sequence of a strand.
func (w *World) sequence(list int) func(n int) []ein.Number {
	columns, lengths := w.columnsOf(list)
	var read []func(int) ein.Number
	for _, c := range columns {
		read = append(read, reader(c))
	}
	room := w.rooms[list]
	return func(n int) []ein.Number {
		numbers := []ein.Number{}
		for k := range int(lengths[n]) {
			for _, r := range read {
				numbers = append(numbers, r(n*room+k))
			}
		}
		return numbers
	}
}

// setSequence writes the sequence of a strand.
func (w *World) setSequence(list, n int, numbers []ein.Number) error {
	columns, lengths := w.columnsOf(list)
	count := len(numbers) / len(columns)
	if room := w.rooms[list]; count > room {
		if err := w.crowded(list, max(count, 2*room), -1); err != nil {
			return err
		}
		if err := w.setRoom(list, max(count, 2*room)); err != nil {
			return err
		}
		columns, lengths = w.columnsOf(list)
	}
	lengths[n] = int64(count)
	for k, v := range numbers {
		set(columns[k%len(columns)], n*w.rooms[list]+k/len(columns), v)
	}
	return nil
}
