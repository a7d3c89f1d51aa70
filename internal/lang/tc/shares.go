package tc

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How shares and means are noticed that nobody wanted to be integers
//
// z +=! x(i) > 0, z = z/N is a result of int32, and 0 for nearly all x. Not each quotient of integers is doubtful: i/W is a
// row, (n + B-1)/B a number of blocks, s/9 the brightness of a box. A sum or a condition over a size or another sum is a share
// or a mean, and one that is a result as it stands, with a type that nobody wrote, is warned of.

// warnShares warns of outputs without a declared type that are shares.
func (d *def) warnShares() {
	for _, t := range d.order {
		r := t.rounded
		if t.Role != ein.Output || t.typed || t.broken || r == nil || !r.in.isShare(r.quotient) {
			continue
		}
		e := r.quotient
		left, right := inLine(withoutParens(e.X).Span().Text()), inLine(e.Y.Span().Text())
		diag := d.warnOnce(r.in, source.CodeRoundedQuotient, e.Pos, "%s divides integers, and %s, which has its type from that, is a whole number: %s", oneLine(e.Pos.Text()), t.Name, t.Type)
		if r.in.targets[0] != t {
			diag.WithNote(r.in.targets[0].Pos, "by way of %s", r.in.targets[0].Name)
		}
		diag.WithHelp("write %s(%s)/%s for the quotient, or declare %s %s among the outputs when the whole number is meant", d.settled(valueType{weak: weakFloat}), left, right, t.Type, t.Name)
	}
}

// scaledQuotient warns of a share that is rounded before a literal scales it, as c(v)/(H*W)*255.
func (s *statement) scaledQuotient(e *syntax.Binary) {
	for _, sides := range [][2]syntax.Expr{{e.X, e.Y}, {e.Y, e.X}} {
		q, ok := withoutParens(sides[0]).(*syntax.Binary)
		factor := s.types[sides[1]]
		if !ok || q.Op != "/" || !factor.constant || factor.weak != weakInt || !s.dropsRemainder(q) || !s.dividesCounts(q) || !s.countsIn(q.X) && !s.countsIn(q.Y) {
			continue
		}
		s.def.warnOnce(s, source.CodeRoundedQuotient, q.Pos, "%s divides integers, so that its remainder is lost before it is multiplied by %d", oneLine(q.Pos.Text()), factor.integer).
			WithHelp("write %s(%s)/%s for the quotient, or the product before the division", s.def.settled(valueType{weak: weakFloat}), inLine(withoutParens(q.X).Span().Text()), inLine(q.Y.Span().Text()))
	}
}

// isShare reports whether a quotient is one of what was counted by how many there are, or of elements by their sum.
func (s *statement) isShare(e *syntax.Binary) bool {
	sums := s.countsIn(e.Y)
	return s.dividesCounts(e) && (s.countsIn(e.X) || sums && s.isRead(e.X) || !sums && s.sums())
}

// dividesCounts reports whether a divisor is a size or a sum, and not one of blocks or of div and mod.
func (s *statement) dividesCounts(e *syntax.Binary) bool {
	names := s.namesIn(e.X)
	for name := range s.namesIn(e.Y) { // (n + B-1)/B
		if names[name] && !s.isSum(s.def.symbols[name]) {
			return false
		}
	}
	sizes := s.ofSizes(e.Y) && !s.types[e.Y].constant
	return (sizes || s.countsIn(e.Y)) && !s.def.hasRemainder(e.Y.Span().Text())
}

// countsIn reports whether an expression is a condition, or has a sum in it.
func (s *statement) countsIn(e syntax.Expr) bool {
	if s.types[e].dtype == tensor.Bool {
		return true
	}
	for name := range s.namesIn(e) {
		if s.isSum(s.def.symbols[name]) {
			return true
		}
	}
	return false
}

// isSum reports whether a statement sums into a tensor.
func (s *statement) isSum(t *symbol) bool {
	return t != nil && slices.ContainsFunc(s.def.statements, func(o *statement) bool {
		return o.kind == comprehension && len(o.targets) > 0 && o.targets[0] == t && o.syntax.Assign.Op == "+" && o.sums()
	})
}

// hasRemainder reports whether a def has a remainder of a division by what is written so.
func (d *def) hasRemainder(divisor string) bool {
	found := false
	var visit func(e syntax.Expr)
	visit = func(e syntax.Expr) {
		if b, ok := e.(*syntax.Binary); ok && b.Op == "%" && b.Y.Span().Text() == divisor {
			found = true
		}
		for _, x := range operands(e) {
			visit(x)
		}
	}
	for _, s := range d.statements {
		for _, part := range s.partsOf(s.syntax.Value) {
			visit(part)
		}
	}
	return found
}
