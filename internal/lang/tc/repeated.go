package tc

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How terms that a sum repeats are noticed
//
// y(i) +=! W(i,k)*x(k) + b(i) adds b(i) for each k: a statement sums all of its value. On paper the sign of the sum
// often ends before the bias. The same happens to terms with an index each, A(i,k) + B(l,j), of which one may be
// misspelt. What is made of literals, sizes and indices may well be added for each value, as in 1 - p(k), but hardly a share of the whole, 0.15/N.
// A mean may be subtracted, x(k) - m, but not the right side of an equation, A(i,k)*x(k) - b(i). A scan adds the start p0 of
// x(i) + p0 at each of its steps. Parentheses around the whole say that all is meant; a range does not, since
// many write one down for other reasons.

// warnRepeated warns of a term that does not depend on a reduced index that others depend on.
func (s *statement) warnRepeated() bool {
	for _, k := range append(s.reduced(), s.scanned()...) {
		if t, other, ok := s.repeatedOver(k); ok {
			s.tellRepeated(t, other, k)
			return true
		}
	}
	return false
}

// scanned are the indices along which the statement scans.
func (s *statement) scanned() (list []*index) {
	for _, name := range s.syntax.Scan {
		if i := s.byName[name.Name]; i != nil {
			list = append(list, i)
		}
	}
	return list
}

// repeatedOver finds a term that is hardly meant to be added for each value of a reduced index, and another that has the index.
func (s *statement) repeatedOver(k *index) (t, other term, ok bool) {
	if s.isWhole() || k.target && !slices.Contains(s.scanned(), k) || s.kind != comprehension || s.syntax.Assign.Op != "+" {
		return
	}
	terms := s.termsOf(s.syntax.Value, false, nil)
	for _, t := range terms {
		if s.namesIn(t.expr)[k.Name] || !s.readsTensor(t.expr) && !s.isPartOfWhole(t) {
			continue
		}
		for _, other := range terms {
			if s.namesIn(other.expr)[k.Name] && s.isRepeated(t, other) {
				return t, other, true
			}
		}
	}
	return
}

// sayRange is how a range lo:end of an index is written down. A term that is hardly meant for each of its values goes elsewhere
// at once.
func (s *statement) sayRange(k *index, lo, end affine.Expr) string {
	return fmt.Sprintf("where %s in %s:%s", k.Name, lo, end) + s.exceptRepeated(k)
}

// exceptRepeated says what is left out of a statement where one of some indices gets a range: nothing, or a term.
func (s *statement) exceptRepeated(list ...*index) string {
	for _, k := range list {
		if t, other, ok := s.repeatedOver(k); ok && s.ownIndex(t, other) != nil {
			return ", with each term in a statement of its own"
		} else if ok {
			return ", without " + inLine(t.expr.Span().Text()) + ", which is added once, " + s.addedOnce(t)
		}
	}
	return ""
}

// addedOnce says where a term is added once.
func (s *statement) addedOnce(t term) string {
	text := s.alone(t)
	rounds := slices.ContainsFunc(t.scales, func(by scale) bool { return by.op == "/" && s.types[t.expr].isInteger() && s.types[by.by].isInteger() })
	if rounds || len(text) > longestHelp { // the quotient of a sum of integers is not that of its terms
		return "in a statement behind this one"
	}
	sign := map[bool]string{false: "+= ", true: "+= -"}[t.negative]
	return "in a statement behind this one: " + s.targetText(0) + " " + sign + text
}

// isWhole reports whether parentheses around the value say that all of it is summed.
func (s *statement) isWhole() bool {
	_, ok := s.syntax.Value.(*syntax.Paren)
	return ok
}

// inParentheses writes the value so.
func (s *statement) inParentheses() string {
	text := inLine(s.syntax.Value.Span().Text())
	if len(text) > longestHelp {
		text = "…"
	}
	return s.targetText(0) + " " + s.syntax.Assign.String() + " (" + text + ")"
}

// isPartOfWhole reports whether a term is a number divided by a size.
func (s *statement) isPartOfWhole(t term) bool {
	b, ok := withoutParens(t.expr).(*syntax.Binary)
	if !ok || b.Op != "/" || t.negative {
		return false
	}
	name, ok := withoutParens(b.Y).(*syntax.Name)
	return ok && s.def.sizes[name.Name] != nil
}

// isRepeated reports whether a term is hardly meant to be added for each value of an index of other.
func (s *statement) isRepeated(t, other term) bool {
	if s.ownIndex(t, other) != nil {
		return true
	}
	return s.readsTensor(other.expr) && !t.negative || s.isRead(t.expr) && s.isContraction(other.expr)
}

// ownIndex is a reduced index of t that other lacks.
func (s *statement) ownIndex(t, other term) *index {
	mine, theirs := s.namesIn(t.expr), s.namesIn(other.expr)
	for _, i := range s.reduced() {
		if mine[i.Name] && !theirs[i.Name] {
			return i
		}
	}
	return nil
}

func (s *statement) tellRepeated(t, other term, k *index) {
	text := oneLine(t.expr.Span().Text())
	diag := s.def.warnOnce(s, source.CodeRepeated, t.expr.Span(), "%s does not depend on %s, and is summed once for each %s in %s:%s", text, k.Name, k.Name, k.min, k.end).
		WithNote(other.expr.Span(), "%s depends on it", oneLine(other.expr.Span().Text()))
	if own := s.ownIndex(t, other); own != nil {
		diag.WithHelp("write one name for %s and %s if one index is meant, and sum each term in a statement of its own otherwise; or say that all of it is meant by parentheses: %s",
			own.Name, k.Name, s.inParentheses())
		return
	}
	diag.WithHelp("add it once, %s; if it is meant for each %s, say so by parentheses: %s", s.addedOnce(t), k.Name, s.inParentheses())
}

// readsTensor reports whether an expression has an element of a tensor, or a scalar, in it.
func (s *statement) readsTensor(e syntax.Expr) bool {
	for name := range s.namesIn(e) {
		if s.def.symbols[name] != nil {
			return true
		}
	}
	return false
}

// isRead reports whether an expression is an element of a tensor, or a scalar.
func (s *statement) isRead(e syntax.Expr) bool {
	switch e := withoutParens(e).(type) {
	case *syntax.Name:
		return s.def.symbols[e.Name] != nil
	case *syntax.Apply:
		return s.def.symbols[e.Func.Name] != nil
	}
	return false
}

// isContraction reports whether an expression is a product with elements of different tensors.
func (s *statement) isContraction(e syntax.Expr) bool {
	tensors := map[string]bool{}
	for _, factor := range productOf(e, nil) {
		if a, ok := withoutParens(factor).(*syntax.Apply); ok && s.def.symbols[a.Func.Name] != nil {
			tensors[a.Func.Name] = true
		}
	}
	return len(tensors) > 1
}

// onlyExists warns of indices that stand in an exists clause and nowhere else: the sum is repeated for each value.
func (s *statement) onlyExists(indices []*index) {
	if s.syntax.Assign.Op == "" { // refused, as no index is on the left
		return
	}
	for _, i := range indices {
		s.def.diags.Warnf(source.CodeUnused, i.pos, "the index %s is used by exists only: the statement is repeated for each of its values", i.Name).
			WithHelp("write a number or a size for %s, unless this is meant", i.Name)
	}
}
