package strand

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// sequenceStmt compiles the statements about sequences.
func (r *runner) sequenceStmt(s Stmt) code {
	switch s := s.(type) {
	case *ForEach:
		return r.forEach(s)
	case *Build:
		return r.build(s)
	case *Length:
		to, read, width := r.scalar.Slot(s.To), r.elements(s.Sequence), s.Sequence.Type.Element().Width()
		return func() flow {
			r.scalar.Set(to, ein.Number{Int: int64(len(read()) / width)})
			return onward
		}
	case *Element:
		return r.element(s)
	}
	return func() flow { return failed } // unreachable: Verify knows all statements
}

// elements returns the function that reads all scalars of a sequence, which are not to be changed.
func (r *runner) elements(v *Variable) func() []ein.Number {
	if v.Type.Dynamic {
		return func() []ein.Number { return r.sequences[v] }
	}
	slots := r.slots(v.Parts)
	return func() []ein.Number {
		list := make([]ein.Number, len(slots))
		for k, slot := range slots {
			list[k] = r.scalar.Get(slot)
		}
		return list
	}
}

// setter returns the function that sets a variable to the scalars of a value.
func (r *runner) setter(v *Variable) func([]ein.Number) {
	if v.Type.Dynamic {
		return func(list []ein.Number) { r.sequences[v] = list }
	}
	slots := r.slots(v.Parts)
	return func(list []ein.Number) {
		for k, slot := range slots {
			r.scalar.Set(slot, list[k])
		}
	}
}

func (r *runner) forEach(s *ForEach) code {
	read, set, body := r.elements(s.Sequence), r.setter(s.Variable), r.block(s.Body)
	width := s.Variable.Type.Width()
	return func() flow {
		list := read()
		r.holding = append(r.holding, list)
		defer func() { r.holding = r.holding[:len(r.holding)-1] }()
		for k := 0; k+width <= len(list); k += width {
			set(list[k : k+width])
			if f := body(); f != onward {
				return f
			}
			if r.expired() {
				break
			}
		}
		return r.outcome()
	}
}

// build makes a list out of others, of which who holds them keeps the elements.
func (r *runner) build(s *Build) code {
	items := s.Items
	appends := len(items) > 0 && items[0].Sequence == s.To
	if appends {
		items = items[1:]
	}
	var lists []func() []ein.Number
	var values [][]func() ein.Number
	numbers := 0 // that are no lists
	for _, item := range items {
		var list func() []ein.Number
		if item.Sequence != nil {
			list = r.elements(item.Sequence)
		}
		lists, values = append(lists, list), append(values, r.exprs(item.Parts))
		numbers += len(item.Parts)
	}
	return func() flow {
		var list []ein.Number
		if appends {
			list = r.sequences[s.To]
		}
		more := numbers
		for _, read := range lists {
			if read != nil {
				more += len(read())
			}
		}
		list, ok := r.roomFor(s, list, more)
		if !ok {
			return failed
		}
		made := list
		for k, read := range lists {
			if read != nil {
				made = append(made, read()...)
			}
			for _, value := range values[k] {
				made = append(made, value())
			}
		}
		r.sequences[s.To] = made
		if len(made) > 0 {
			r.appended[s.To] = &made[len(made)-1]
		}
		return onward
	}
}

// roomFor returns a list with room for more numbers, its own array where nobody else can have put any there: that is the
// last one to which this variable has appended, as in a loop, so that such a loop takes linear time.
func (r *runner) roomFor(s *Build, list []ein.Number, more int) ([]ein.Number, bool) {
	size := len(list) + more
	isLast := len(list) > 0 && r.appended[s.To] == &list[len(list)-1]
	if isLast && size <= cap(list) {
		return list, true
	}
	room := size
	if isLast { // more will follow: the array grows by its own size, or by less where that does not fit
		room = max(size, 2*len(list))
		if !r.w.fits(int64(room) * numberCost) {
			room = max(size, len(list)+len(list)/8)
		}
	}
	if !r.takes(int64(room)*numberCost, s.Pos, "a sequence of %d elements is made", size/s.To.Type.Element().Width()) {
		return nil, false
	}
	return append(make([]ein.Number, 0, room), list...), true
}

func (r *runner) element(s *Element) code {
	read, set, at, width := r.elements(s.Sequence), r.setter(s.To), r.expr(s.At), s.To.Type.Width()
	return func() flow {
		list, k := read(), at().Int
		if count := int64(len(list) / width); k < 0 || k >= count {
			return r.fail(source.StrandElement, s.Pos, elementHelp, elementOutside, k, s.Sequence.Name, count)
		}
		set(list[int(k)*width : (int(k)+1)*width])
		return onward
	}
}

// What is said of an element that is not there.
const (
	elementOutside = "element %d of %s is read, which has %d"
	elementHelp    = "elements are numbered from 0"
)
