package tc

import (
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How a misspelt index of a difference is noticed
//
// d(i,j) +=! fabs(x(i,k) - y(j,l)) sums over all pairs of k and l, where one index was probably meant: two reduced indices over
// one range, each on one side of sums and differences of two tensors and nowhere else. All pairs are
// meant at times, and an explicit range of one of the two says so. Terms of a sum are another matter (repeated.go).

// warnPairs warns of two reduced indices whose elements meet in sums and differences only.
func (s *statement) warnPairs() {
	reduced := s.reduced()
	for n, k := range reduced {
		for _, l := range reduced[:n] {
			if k.explicit != nil || l.explicit != nil || !k.min.Equal(l.min) || !k.end.Equal(l.end) {
				continue
			}
			m := &pairing{statement: s, first: l.Name, second: k.Name}
			if m.look(s.syntax.Value, s.syntax.Assign.Op == "+"); m.at == nil || m.elsewhere {
				continue
			}
			s.def.warnOnce(s, source.CodeApart, k.pos, "%s and %s are two indices, so that %s is computed for all pairs of them", l.Name, k.Name, oneLine(m.at.Pos.Text())).
				WithNote(l.pos, "%s runs over %s:%s as %s does", l.Name, l.min, l.end, k.Name).
				WithHelp("write %s for %s if one index is meant; if all pairs are, say so: where %[2]s in %s:%s", l.Name, k.Name, k.min, k.end)
			return
		}
	}
}

// A pairing is what is found about two indices in a value.
type pairing struct {
	*statement
	first, second string
	at            *syntax.Binary // where they meet
	elsewhere     bool           // one of them is somewhere else, too
}

// look visits a value; term is set in what a sum adds as it is.
func (m *pairing) look(e syntax.Expr, term bool) {
	switch e := e.(type) {
	case *syntax.Paren:
		m.look(e.X, term)
		return
	case *syntax.Name:
		m.elsewhere = m.elsewhere || m.namesIn(e)[m.first] || m.namesIn(e)[m.second]
	case *syntax.Binary:
		sum := e.Op == "+" || e.Op == "-"
		if sum && m.apart(e) {
			m.at, m.elsewhere = e, m.elsewhere || term
			return
		}
		term = term && sum
		m.look(e.X, term)
		m.look(e.Y, term)
		return
	}
	for _, x := range operands(e) {
		m.look(x, false)
	}
}

// apart reports whether each operand has one of the indices, in tensors of its own.
func (m *pairing) apart(e *syntax.Binary) bool {
	own, other := m.first, m.second
	if !m.namesIn(e.X)[own] {
		own, other = other, own
	}
	return m.namesIn(e.X)[own] && !m.namesIn(e.X)[other] && m.namesIn(e.Y)[other] && !m.namesIn(e.Y)[own] && !m.shareTensor(e.X, e.Y)
}

func (m *pairing) shareTensor(x, y syntax.Expr) bool {
	read, share := map[string]bool{}, false
	eachName(x, func(name string, _ source.Span, apply bool) { read[name] = m.def.symbols[name] != nil })
	eachName(y, func(name string, _ source.Span, apply bool) { share = share || read[name] })
	return share
}
