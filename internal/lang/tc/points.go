package tc

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How points and shifted indices on the left are written
//
// B(0) = 1 is B(i) = 1 where i in 0:1: a point gets an index of its own with a range of
// one value, and the statement defines a part of B (pieces.go).
//
// B(i-2) = A(i) writes at i - 2 what it computes for i, whose range is found as ever. All
// that concerns the shape of B, and which part is written, asks for the range of the
// subscript (targetRange).

// findShifts computes what is added to the indices on the left; false after an error.
func (s *statement) findShifts(p *prover) bool {
	if s.shifts != nil {
		return true
	}
	shifts := make([][]affine.Expr, len(s.syntax.Targets))
	for n, t := range s.syntax.Targets {
		shifts[n] = make([]affine.Expr, len(t.Indices))
		for k := range t.Indices {
			if !t.Shifted(k) {
				continue
			}
			amount, bad := (&lowering{statement: s}).sizeExpr(withoutIndex(t.Point(k), t.Indices[k].Name), p)
			if bad != nil {
				s.errorf(source.CodeTarget, bad.Span(), "an index on the left may not be shifted by %s", oneLine(bad.Span().Text())).
					WithHelp("what is added is made of numbers, sizes (also A.0), integer scalar inputs and + - * / %% min max")
				return false
			}
			s.def.markSizes(amount)
			shifts[n][k] = amount
		}
	}
	s.shifts = shifts
	return true
}

// withoutIndex is a shifted index less the index.
func withoutIndex(e syntax.Expr, index string) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Name:
		if e.Name == index {
			return &syntax.Number{Pos: e.Pos, Text: "0"}
		}
	case *syntax.Paren:
		return withoutIndex(e.X, index)
	case *syntax.Binary:
		return &syntax.Binary{Pos: e.Pos, Op: e.Op, OpPos: e.OpPos, X: withoutIndex(e.X, index), Y: withoutIndex(e.Y, index)}
	}
	return e
}

// targetRange is the range of subscript k of a target, whose index has its range.
func (s *statement) targetRange(n, k int) ein.Dim {
	i := s.byName[s.syntax.Targets[n].Indices[k].Name]
	return ein.Dim{Min: i.min.Add(s.shifts[n][k]), Extent: i.end.Sub(i.min)}
}

// expandPoints gives every point on the left an index. Targets of one statement share
// their indices, and so do their points.
func (d *def) expandPoints(stmt *syntax.Stmt) *syntax.Stmt {
	changed := *stmt
	changed.Targets = nil
	seen := map[int]bool{}
	for _, target := range stmt.Targets {
		copied := *target
		copied.Points = slices.Clone(target.Points)
		copied.Indices = append([]syntax.Ident(nil), target.Indices...)
		for k := range copied.Indices {
			point := target.Point(k)
			if point == nil || target.Shifted(k) {
				continue
			}
			copied.Points[k] = nil
			index := syntax.Ident{Pos: point.Span(), Name: d.pointName(stmt, k)}
			copied.Indices[k] = index
			if !seen[k] {
				seen[k] = true
				end := &syntax.Binary{Pos: index.Pos, Op: "+", OpPos: index.Pos, X: point, Y: &syntax.Number{Pos: index.Pos, Text: "1"}}
				changed.Where = append(changed.Where[:len(changed.Where):len(changed.Where)], &syntax.RangeClause{Pos: index.Pos, Index: index, Lo: point, Hi: end})
			}
		}
		changed.Targets = append(changed.Targets, &copied)
	}
	if len(seen) == 0 {
		return stmt
	}
	return &changed
}

// pointName is a name for the index of a point that nothing else in the statement has.
func (d *def) pointName(stmt *syntax.Stmt, k int) string {
	taken := map[string]bool{}
	note := func(e syntax.Expr) {
		syntax.Walk(e, func(e syntax.Expr) bool {
			if name, ok := e.(*syntax.Name); ok {
				taken[name.Name] = true
			}
			return true
		})
	}
	note(stmt.Value)
	for _, clause := range stmt.Where {
		switch c := clause.(type) {
		case *syntax.RangeClause:
			taken[c.Index.Name] = true
		case *syntax.LetClause:
			taken[c.Name.Name] = true
			note(c.Value)
		case *syntax.ExistsClause:
			note(c.Value)
		}
	}
	for _, i := range stmt.Targets[0].Indices {
		taken[i.Name] = true
	}
	name := fmt.Sprintf("%s%d", indexLetter(0), k)
	for taken[name] || d.symbols[name] != nil || d.sizes[name] != nil {
		name += "_"
	}
	return name
}
