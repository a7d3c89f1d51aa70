package diderot

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// A list is a sequence of any length that need not be anywhere yet: items one behind the other, a
// range of integers, the strands of a set, or what a body makes of the elements of another list. So
// a sum over a range or a comprehension is a loop, without a sequence in memory.
type list struct {
	element   strand.Type
	items     []strand.Item
	low, high ein.Expr
	set       *strand.Set
	domain    *list
	name      string
	body      func(element value) value
}

// listOf makes the elements of a sequence a list.
func (l *lowering) listOf(x value) *list {
	if x.list != nil {
		return x.list
	}
	s := &list{element: x.typ.Element()}
	if x.from != nil {
		s.items = []strand.Item{{Sequence: x.from}}
		return s
	}
	for k := range x.count() {
		s.items = append(s.items, strand.Item{Parts: x.element(k).parts})
	}
	return s
}

// dynamic is the value of a list.
func dynamic(s *list) value {
	t := s.element
	t.Dynamic = true
	return value{typ: t, list: s}
}

// each runs body for the elements of a list, one after the other.
func (l *lowering) each(pos source.Span, name string, s *list, body func(element value)) {
	switch {
	case s.domain != nil:
		l.each(pos, s.name, s.domain, func(element value) { body(s.body(element)) })
	case s.set != nil:
		panic(source.Internalf("diderot", pos, "a set of strands is no sequence"))
	case s.low != nil:
		v := l.temp(pos, name, strand.Type{Elem: strand.Int})
		low, high := l.name(pos, "low", v.Type, s.low), l.name(pos, "high", v.Type, s.high)
		l.emit(&strand.ForRange{Pos: pos, Variable: v, Low: low, High: high, Body: l.into(func() { body(of(v)) })})
	default:
		sequence := l.sequence(pos, name, s)
		v := l.temp(pos, name, s.element)
		l.emit(&strand.ForEach{Pos: pos, Variable: v, Sequence: sequence, Body: l.into(func() { body(of(v)) })})
	}
}

// sequence returns a variable that has the elements of a list.
func (l *lowering) sequence(pos source.Span, name string, s *list) *strand.Variable {
	if len(s.items) == 1 && s.items[0].Sequence != nil {
		return s.items[0].Sequence
	}
	t := s.element
	t.Dynamic = true
	v := l.temp(pos, name+"s", t)
	if s.low == nil && s.domain == nil {
		l.emit(&strand.Build{Pos: pos, To: v, Items: s.items})
		return v
	}
	l.emit(&strand.Build{Pos: pos, To: v})
	l.each(pos, name, s, func(element value) {
		item := strand.Item{Parts: element.parts}
		l.emit(&strand.Build{Pos: pos, To: v, Items: []strand.Item{{Sequence: v}, item}})
	})
	return v
}

// items are the elements of a list, to be put behind others.
func (l *lowering) items(pos source.Span, x value) []strand.Item {
	s := l.listOf(x)
	if s.low != nil || s.domain != nil {
		return []strand.Item{{Sequence: l.sequence(pos, "element", s)}}
	}
	return s.items
}

// A piece is a sequence, or one element, of a concatenation.
type piece struct {
	value
	isElement bool
}

// concat puts sequences and elements one behind the other.
func (l *lowering) concat(pos source.Span, element strand.Type, pieces ...piece) value {
	s := &list{element: element, items: []strand.Item{}}
	for _, x := range pieces {
		if x.isElement {
			s.items = append(s.items, strand.Item{Parts: x.parts})
		} else {
			s.items = append(s.items, l.items(pos, x.value)...)
		}
	}
	return dynamic(s)
}

// length is how many elements a sequence has.
func (l *lowering) length(pos source.Span, x value) value {
	integer := strand.Type{Elem: strand.Int}
	if x.list == nil {
		return scalar(strand.Int, l.integer(int64(x.count())))
	}
	if s := x.list; s.low != nil {
		extent := binary(pos, ein.Add, binary(pos, ein.Sub, s.high, s.low), l.integer(1))
		return scalar(strand.Int, binary(pos, ein.Max, extent, l.integer(0)))
	}
	v := l.temp(pos, "length", integer)
	l.emit(&strand.Length{Pos: pos, To: v.Parts[0], Sequence: l.sequence(pos, "element", x.list)})
	return of(v)
}

// subscript reads an element of a sequence.
func (l *lowering) subscript(pos source.Span, x value, at ein.Expr) value {
	if c, ok := at.(*ein.Const); ok && x.list == nil && c.Int() >= 0 && c.Int() < int64(x.count()) {
		return x.element(int(c.Int()))
	}
	sequence := x.from
	switch {
	case sequence != nil:
	case x.list != nil:
		sequence = l.sequence(pos, "element", x.list)
	default:
		sequence, _ = l.keep(pos, "elements", x)
	}
	v := l.temp(pos, "element", x.typ.Element())
	l.emit(&strand.Element{Pos: pos, To: v, Sequence: sequence, At: at})
	return of(v)
}
