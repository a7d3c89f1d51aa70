package tc

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How a misspelt index of a sum is noticed
//
// C(i,j) +=! A(i,k) * B(l,j) sums over k and over l: a name that nothing declares is a
// new index. The sum is then the product of two sums, which nobody writes in one
// statement. Where two factors have an index each that no other factor has, and the
// two have the same range, one index was probably meant. Terms are another matter (repeated.go).
//
// Elsewhere, as in fabs(x(i) - y(k)), all pairs may be meant, as pairs of points of one tensor are. But where an
// index is in one access only, and so is the other, and these differ in the tensor and the name alone, there
// is a warning, too. An explicit range says that both are meant.

// warnApart warns of indices that are reduced independently over the same range.
func (s *statement) warnApart() {
	if s.kind != comprehension || s.syntax.Assign.Op == "+" && s.warnRepeated() {
		return
	}
	if len(s.reduced()) == 0 || s.syntax.Assign.Op == "+" && s.warnFactors() {
		return
	}
	s.warnTwins()
}

// sameRange reports whether two indices have the same range, and nobody has written it.
func sameRange(k, l *index) bool {
	return k.explicit == nil && l.explicit == nil && k.min.Equal(l.min) && k.end.Equal(l.end)
}

// warnFactors warns of factors that are summed independently.
func (s *statement) warnFactors() bool {
	private := map[*index]int{} // the only factor that an index stands in
	factors := productOf(s.syntax.Value, nil)
	for _, i := range s.reduced() {
		if at, ok := s.onlyFactor(i, factors); ok {
			private[i] = at
		}
	}
	for n, k := range s.reduced() {
		for _, l := range s.reduced()[:n] {
			first, ok := private[l]
			second, also := private[k]
			if !ok || !also || first == second || !sameRange(k, l) {
				continue
			}
			s.def.warnOnce(s, source.CodeApart, k.pos, "%s and %s are two indices, so that %s and %s are summed independently", l.Name, k.Name,
				oneLine(factors[first].Span().Text()), oneLine(factors[second].Span().Text())).
				WithNote(l.pos, "%s runs over %s:%s as %s does", l.Name, l.min, l.end, k.Name).
				WithHelp("write %s for %s if one index is meant; otherwise sum each in a statement of its own and multiply the sums", l.Name, k.Name)
			return true
		}
	}
	return false
}

// warnTwins warns of two indices of which each is in one access only, where these are alike but for the tensors.
func (s *statement) warnTwins() {
	for n, k := range s.reduced() {
		for _, l := range s.reduced()[:n] {
			first, second := s.onlyAccess(l), s.onlyAccess(k)
			if first == nil || second == nil || !sameRange(k, l) || !areTwins(first, second, l.Name, k.Name) {
				continue
			}
			s.def.warnOnce(s, source.CodeApart, k.pos, "%s and %s are two indices, so that each element of %s meets all of %s", l.Name, k.Name, first.Func.Name, second.Func.Name).
				WithNote(l.pos, "%s runs over %s:%s as %s does", l.Name, l.min, l.end, k.Name).
				WithHelp("write %s for %s if one index is meant; if all pairs are, say so: where %[2]s in %s:%s", l.Name, k.Name, k.min, k.end)
			return
		}
	}
}

// onlyAccess returns the access that has all occurrences of an index in the value; it may be written several times.
func (s *statement) onlyAccess(i *index) *syntax.Apply {
	var only *syntax.Apply
	found, other := 0, false
	var visit func(e syntax.Expr)
	visit = func(e syntax.Expr) {
		if name, ok := e.(*syntax.Name); ok && name.Name == i.Name {
			found--
		}
		if a, ok := e.(*syntax.Apply); ok && s.def.symbols[a.Func.Name] != nil && isSubscript(a, i.Name) {
			found++
			other = other || only != nil && only.Pos.Text() != a.Pos.Text()
			only = a
		}
		for _, x := range operands(e) {
			visit(x)
		}
	}
	for _, part := range s.partsOf(s.syntax.Value) {
		visit(part)
	}
	if other || found != 0 {
		return nil
	}
	return only
}

// isSubscript reports whether an index is a whole subscript of an access.
func isSubscript(a *syntax.Apply, index string) bool {
	return slices.ContainsFunc(a.Args, func(e syntax.Expr) bool { name, ok := nameOf(e); return ok && name == index })
}

// areTwins reports whether two accesses of different tensors have the same subscripts but for the index.
func areTwins(a, b *syntax.Apply, first, second string) bool {
	if a.Func.Name == b.Func.Name || len(a.Args) != len(b.Args) {
		return false
	}
	for n := range a.Args {
		x, y := a.Args[n].Span(), b.Args[n].Span()
		if x.Text() != y.Text() && !(x.Text() == first && y.Text() == second) {
			return false
		}
	}
	return true
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
