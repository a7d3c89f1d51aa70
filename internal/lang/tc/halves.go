package tc

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// halfSum warns of a sum that nobody gave a type, in a 16-bit float: beyond 65504, or with 8 bits, little of it is left.
func (s *statement) halfSum() {
	t, op := s.targets[0], s.syntax.Assign.Op
	if op != "+" && op != "*" || len(s.reduced()) == 0 && len(s.syntax.Scan) == 0 || t.typed || !t.Type.IsHalf() {
		return
	}
	if t.Type == tensor.Float16 && op == "+" && s.isMean() {
		return // no greater than what is averaged
	}
	lost := "is infinite beyond 65504"
	if t.Type == tensor.BFloat16 {
		lost = "keeps 8 bits of the result"
	}
	s.def.diags.Warnf(source.CodeSmallSum, s.syntax.Value.Span(), "%s has the type of what it combines, %s, and %s", t.Name, t.Type, lost).
		WithHelp("declare the type of %s: float32, or %s where this is meant", t.Name, t.Type)
}

// isMean reports whether a sum adds quotients by a size, as m +=! x(i)/N.
func (s *statement) isMean() bool {
	var q quotient
	q.collect(s.syntax.Value, false)
	return slices.ContainsFunc(q.divisors, func(e syntax.Expr) bool { return !s.types[e].constant && s.ofSizes(e) })
}
