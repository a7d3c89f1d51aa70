package tc

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// shortByLag warns of a reduced index that an access with an index of the left side as well narrows, for all values of
// that: in r(k) +=! x(i)*x(i+k) the greatest lag decides how far i runs for all the others, and no shape shows it.
func (s *statement) shortByLag(i *index, p *prover) bool {
	if i.target || s.kind != comprehension {
		return false
	}
	var alone []bound
	for _, b := range i.origin {
		if b.site != nil && s.laggedBy(b, i) == nil {
			alone = append(alone, b)
		}
	}
	own, ok := common(alone, p)
	whole := bound{lo: i.min, end: i.end}
	if !ok || !leavesOut(whole, own, p) {
		return false
	}
	at := slices.IndexFunc(i.origin, func(b bound) bool { return b.site != nil && s.laggedBy(b, i) != nil && leavesOut(b, own, p) })
	if at < 0 {
		return false
	}
	short := i.origin[at]
	lag, value := s.laggedBy(short, i), s.syntax.Value.Span().Text()
	diag := s.def.warnOnce(s, source.CodeNarrowed, short.span, "%s runs over %s:%s for every %s, so that %s is in bounds for all of them; what else is read allows %s:%s",
		i.Name, i.min, i.end, lag.Name, oneLine(short.span.Text()), own.lo, own.end)
	meant := "say that the short range is meant: " + s.sayRange(i, i.min, i.end)
	if s.syntax.Assign.Op == "+" {
		diag.WithHelp("for all that is in bounds write pad(%s, 0) with %s in %s:%s in the where clause, or %s", inLine(value), i.Name, own.lo, own.end, meant)
	} else {
		diag.WithHelp("%s", meant)
	}
	return true
}

// laggedBy returns an index of the left side that the subscript of a bound has beside i, or nil.
func (s *statement) laggedBy(b bound, i *index) *index {
	e, ok := ein.AffineOf(b.site.access.Subscripts[b.dim])
	if !ok {
		return nil
	}
	for _, other := range s.indices {
		if other.target && other != i && e.Uses(other.Name) {
			return other
		}
	}
	return nil
}
