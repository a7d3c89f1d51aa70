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

// build makes a new list, so that who holds the old one keeps it.
func (r *runner) build(s *Build) code {
	var parts []func([]ein.Number) []ein.Number
	for _, item := range s.Items {
		if item.Sequence != nil {
			read := r.elements(item.Sequence)
			parts = append(parts, func(list []ein.Number) []ein.Number { return append(list, read()...) })
			continue
		}
		for _, value := range r.exprs(item.Parts) {
			parts = append(parts, func(list []ein.Number) []ein.Number { return append(list, value()) })
		}
	}
	return func() flow {
		list := []ein.Number{}
		for _, add := range parts {
			list = add(list)
		}
		r.sequences[s.To] = list
		return onward
	}
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
