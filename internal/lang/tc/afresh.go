package tc

import (
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// p(0) = p0 and then p(i) scan(i) +=! v(i-1) where i in 1:N begins a sum of its own at i = 1: p0 stands in
// p(0), and no other element has it.

// warnAfresh warns of a scan that begins behind another piece of its tensor. That piece may be the
// identity of the operator, or a scan itself.
func (s *statement) warnAfresh(p *prover) {
	if len(s.syntax.Scan) == 0 || !s.syntax.Assign.Initialise {
		return
	}
	d := s.def
	for _, before := range d.statements[:slices.Index(d.statements, s)] {
		if before.kind != comprehension || before.failed || before.targets[0] != s.targets[0] || len(before.syntax.Scan) > 0 || s.isIdentity(before.syntax.Value) {
			continue
		}
		for k, ident := range s.syntax.Targets[0].Indices {
			i, last := s.byName[ident.Name], before.byName[before.syntax.Targets[0].Indices[k].Name]
			if !i.scan || !last.resolved || !last.end.Add(before.shifts[0][k]).Equal(i.min.Add(s.shifts[0][k])) {
				continue
			}
			value := oneLine(before.syntax.Value.Span().Text())
			first := last.min.Add(before.shifts[0][k])
			diag := s.def.warnOnce(s, source.CodeAfresh, s.syntax.Pos, "the scan begins afresh at %s = %s: %s is no part of it", i.Name, i.min, value).
				WithNote(before.syntax.Pos, "%s is written here, before the scan", before.targetText(0))
			if shift := s.shifts[0][k]; !shift.Equal(affine.Const(0)) {
				diag.WithHelp("write one scan from %s on: %s scan(%s) %s %s == %s ? %s : …, with %s for the %s of now", first, s.plainTarget(), i.Name, s.syntax.Assign, i.Name, first, value,
					affine.Symbol(i.Name).Sub(shift), i.Name)
				return
			}
			diag.WithHelp("write one scan from %s on: %s scan(%s) %s %s == %s ? %s : …", first, s.targetText(0), i.Name, s.syntax.Assign, i.Name, first, value)
			return
		}
	}
}

// plainTarget is the first target with its indices, without what shifts them.
func (s *statement) plainTarget() string {
	var names []string
	for _, i := range s.syntax.Targets[0].Indices {
		names = append(names, i.Name)
	}
	return s.targets[0].Name + "(" + strings.Join(names, ",") + ")"
}

// isIdentity reports whether a value is the literal that the operator of the statement begins with.
func (s *statement) isIdentity(e syntax.Expr) bool {
	number, ok := withoutParens(e).(*syntax.Number)
	if !ok {
		return false
	}
	v, _ := parseNumber(number.Text)
	return s.syntax.Assign.Op == "+" && v.float == 0 || s.syntax.Assign.Op == "*" && v.float == 1
}
