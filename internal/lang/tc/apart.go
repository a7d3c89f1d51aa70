package tc

import (
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How a misspelt index of a sum is noticed
//
// C(i,j) +=! A(i,k) * B(l,j) sums over k and over l: a name that nothing declares is a
// new index. The sum is then the product of two sums, which nobody writes in one
// statement. Where two factors have an index each that no other factor has, and the
// two have the same range, one index was probably meant.

// warnApart warns of factors that are summed independently over the same range.
func (s *statement) warnApart() {
	if s.syntax.Assign.Op != "+" || len(s.reduced()) < 2 {
		return
	}
	private := map[*index]int{} // the only factor that an index stands in
	factors := productOf(s.syntax.Value, nil)
	for _, i := range s.reduced() {
		if at, ok := s.onlyFactor(i, factors); ok && i.explicit == nil {
			private[i] = at
		}
	}
	for n, k := range s.reduced() {
		for _, l := range s.reduced()[:n] {
			first, ok := private[l]
			second, also := private[k]
			if !ok || !also || first == second || !k.min.Equal(l.min) || !k.end.Equal(l.end) {
				continue
			}
			s.def.warnOnce(s, source.CodeApart, k.pos, "%s and %s are two indices, so that %s and %s are summed independently", l.Name, k.Name,
				oneLine(factors[first].Span().Text()), oneLine(factors[second].Span().Text())).
				WithNote(l.pos, "%s runs over %s:%s as %s does", l.Name, l.min, l.end, k.Name).
				WithHelp("write %s for %s if one index is meant; otherwise sum each in a statement of its own and multiply the sums", l.Name, k.Name)
			return
		}
	}
}

// productOf lists the factors of a product, parentheses aside.
func productOf(e syntax.Expr, list []syntax.Expr) []syntax.Expr {
	switch e := e.(type) {
	case *syntax.Paren:
		return productOf(e.X, list)
	case *syntax.Binary:
		if e.Op == "*" {
			return productOf(e.Y, productOf(e.X, list))
		}
	}
	return append(list, e)
}

// onlyFactor returns the factor that an index stands in, if it is one and lets do not
// hide others.
func (s *statement) onlyFactor(i *index, factors []syntax.Expr) (at int, ok bool) {
	at = -1
	for n, factor := range factors {
		found, hidden := false, false
		eachName(factor, func(name string, _ source.Span, apply bool) {
			found = found || !apply && name == i.Name
			hidden = hidden || s.lets[name] != nil
		})
		if hidden || found && at >= 0 {
			return 0, false
		}
		if found {
			at = n
		}
	}
	return at, at >= 0
}
