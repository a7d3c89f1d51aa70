package tc

import (
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How ranges that leave something out are noticed
//
// The range of an index is where all accesses are in bounds. Of a target the signature shows what came of that. Two
// kinds of narrowing are not meant by those who have not written the range down. A sum of terms, as in
// s +=! x(i)*x(i) - x(i)*x(i+1), leaves out values of the one because the other has none there. And an access
// that is not always evaluated, as in m(i) > 0 ? A(i-1) : 0, takes elements from what is always there, unless && or || make
// a window of it: x(i) > x(i-1) && x(i) > x(i+1).

// warnNarrowed warns of inferred ranges that leave out what a term, or what stands outside of a condition, has.
func (s *statement) warnNarrowed(p *prover) {
	for _, i := range s.indices {
		if i.explicit == nil && len(i.origin) > 1 && !i.lesser && !s.shortTerm(i, p) && !s.shortByLag(i, p) {
			s.shortByCondition(i, p)
		}
	}
}

// isPart reports whether a reduced index has an inferred range that is not that of a dimension it reads.
func (s *statement) isPart(i *index) bool {
	if i.target || i.explicit != nil || !i.resolved {
		return false
	}
	return !slices.ContainsFunc(i.origin, func(b bound) bool {
		return b.site == nil || slices.ContainsFunc(b.site.access.Tensor.Dims, func(dim ein.Dim) bool {
			return dim.Min.Equal(i.Min) && dim.Extent.Equal(i.Extent)
		})
	})
}

// common is the range that bounds have in common, of which at least one is needed.
func common(bounds []bound, p *prover) (all bound, ok bool) {
	for n, b := range bounds {
		if n == 0 {
			all = b
			continue
		}
		all.lo, all.end = p.facts.Larger(all.lo, b.lo), p.facts.Smaller(all.end, b.end)
	}
	return all, len(bounds) > 0
}

// leavesOut reports whether the range inner lacks a value of outer, for some sizes at least.
func leavesOut(inner, outer bound, p *prover) bool {
	return !p.facts.Proves(inner.end.Sub(outer.end)) || !p.facts.Proves(outer.lo.Sub(inner.lo))
}

// shortTerm warns of a sum whose terms have different ranges of a reduced index.
func (s *statement) shortTerm(i *index, p *prover) bool {
	if i.target || s.kind != comprehension || s.syntax.Assign.Op != "+" {
		return false
	}
	terms := s.termsOf(s.syntax.Value, false, nil)
	for _, t := range terms {
		own, ok := common(s.boundsIn(t.expr, i.origin), p)
		whole := bound{lo: i.min, end: i.end}
		if !ok || !leavesOut(whole, own, p) {
			continue
		}
		narrow := slices.IndexFunc(i.origin, func(b bound) bool { return leavesOut(b, own, p) })
		if narrow < 0 {
			return false
		}
		diag := s.def.warnOnce(s, source.CodeNarrowed, t.expr.Span(), "the sum runs over %s in %s:%s, and leaves out what %s has beyond: it is in bounds for %s in %s:%s",
			i.Name, i.min, i.end, oneLine(t.expr.Span().Text()), i.Name, own.lo, own.end)
		diag.WithNote(i.origin[narrow].span, "%s allows %s:%s only", oneLine(i.origin[narrow].span.Text()), i.origin[narrow].lo, i.origin[narrow].end)
		diag.WithHelp("sum each term in a statement of its own, write %s for a sum over all, or say that the short range is meant: %s",
			padded0(s.shortTerms(terms, own, i, p)), s.sayRange(i, i.min, i.end))
		return true
	}
	return false
}

// shortTerms are the terms that lack a value of the range own. Each adds 0 where it is out of bounds: an access in it
// that is 0 there would not do, as |0 - u(i)| is not.
func (s *statement) shortTerms(terms []term, own bound, i *index, p *prover) (short []source.Span) {
	for _, t := range terms {
		if all, ok := common(s.boundsIn(t.expr, i.origin), p); ok && leavesOut(all, own, p) {
			short = append(short, t.expr.Span())
		}
	}
	return short
}

// padded0 writes expressions so that they are 0 where they are out of bounds.
func padded0(list []source.Span) string {
	var texts []string
	for _, at := range list {
		if text := "pad(" + inLine(at.Text()) + ", 0)"; !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " and ")
}

// boundsIn are the bounds of accesses in an expression.
func (s *statement) boundsIn(e syntax.Expr, bounds []bound) (list []bound) {
	for _, b := range bounds {
		if s.contains(e, b.span) {
			list = append(list, b)
		}
	}
	return list
}

// shortByCondition warns of an access under a condition that narrows what is evaluated without it.
func (s *statement) shortByCondition(i *index, p *prover) {
	for _, b := range i.origin {
		if b.site == nil || len(b.site.asked) == 0 {
			continue
		}
		var without []bound
		for _, o := range i.origin {
			if o.site != nil && !isUnder(o.site.asked, b.site.asked) {
				without = append(without, o)
			}
		}
		if slices.ContainsFunc(without, func(o bound) bool { return inOneWindow(b.site, o.site) }) {
			continue
		}
		own, ok := common(without, p)
		if !ok || !leavesOut(b, own, p) {
			continue
		}
		text := oneLine(b.span.Text())
		diag := s.def.warnOnce(s, source.CodeNarrowed, b.span, "%s keeps %s in %s:%s, also where the condition around it says that it is not read; what else is read allows %s:%s",
			text, i.Name, b.lo, b.end, own.lo, own.end)
		if cond := b.site.asked[len(b.site.asked)-1].cond; cond.Span().IsValid() {
			diag.WithNote(cond.Span(), "the condition is here")
		}
		diag.WithHelp("say what is meant: %s; or, for all, %s, or a condition on %s that keeps it in bounds", s.sayRange(i, i.min, i.end), padded0(shorter(i, own, p)), i.Name)
		return
	}
}

// shorter are the accesses under conditions that lack a value of the range own.
func shorter(i *index, own bound, p *prover) (list []source.Span) {
	for _, b := range i.origin {
		if b.site != nil && len(b.site.asked) > 0 && leavesOut(b, own, p) {
			list = append(list, b.span)
		}
	}
	return list
}

// inOneWindow reports whether && and || join comparisons of one tensor, as in x(i) > x(i-1) && x(i) > x(i+1): a
// window that is as long as its accesses allow, as that of x(i-1) + x(i+1) is.
func inOneWindow(inner, outer *site) bool {
	beyond := inner.asked[sharedConditions(inner.asked, outer.asked):]
	return inner.target == outer.target && !slices.ContainsFunc(beyond, func(c pathCondition) bool { return !c.joins })
}

// isUnder reports whether what stands under the conditions path is evaluated only where those of outer hold.
func isUnder(path, outer []pathCondition) bool {
	return len(path) >= len(outer) && slices.Equal(path[:len(outer)], outer)
}

// sharedConditions counts the conditions that two paths begin with.
func sharedConditions(a, b []pathCondition) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
