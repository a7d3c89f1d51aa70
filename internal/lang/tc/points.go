package tc

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
)

// How points on the left are written
//
// B(0) = 1 is B(i) = 1 where i in 0:1: a point gets an index of its own with a range of
// one value, and the statement defines a part of B (pieces.go).

// expandPoints gives every point on the left an index. Targets of one statement share
// their indices, and so do their points.
func (d *def) expandPoints(stmt *syntax.Stmt) *syntax.Stmt {
	changed := *stmt
	changed.Targets = nil
	seen := map[int]bool{}
	for _, target := range stmt.Targets {
		copied := *target
		copied.Points = nil
		copied.Indices = append([]syntax.Ident(nil), target.Indices...)
		for k := range copied.Indices {
			point := target.Point(k)
			if point == nil {
				continue
			}
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
