package syntax

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/lang/langtest"
	"github.com/ricci-lang/ricci/internal/source"
)

func addSeeds(f *testing.F) { langtest.Seeds(f, "", "testdata/*/*.*", "../../../../examples/tc/*.tc") }

// FuzzParse checks that any text gives a tree and diagnostics whose places are
// in the text and whose codes are documented.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		file := source.NewFile("fuzz.tc", text)
		tree, diagnostics := Parse(file)
		inside := func(s source.Span) {
			if s.File != file || s.Start < 0 || s.Start > s.End || s.End > len(text) {
				t.Fatalf("the place %d:%d is outside of the text of %d bytes", s.Start, s.End, len(text))
			}
		}
		for _, d := range diagnostics.List {
			if _, ok := source.Lookup(d.Code); !ok {
				t.Fatalf("unknown code %s", d.Code)
			}
			inside(d.Span)
			for _, note := range d.Notes {
				inside(note.Span)
			}
		}
		for _, c := range tree.Comments {
			inside(c.Pos)
		}
		for _, def := range tree.Defs {
			inside(def.Pos)
			for _, stmt := range def.Body {
				inside(stmt.Pos)
				for _, e := range stmtExprs(stmt) {
					Walk(e, func(e Expr) bool { inside(e.Span()); return true })
				}
			}
		}
	})
}

// stmtExprs returns the expressions of a statement.
func stmtExprs(s *Stmt) []Expr {
	exprs := []Expr{s.Value}
	for _, clause := range s.Where {
		switch c := clause.(type) {
		case *RangeClause:
			exprs = append(exprs, c.Lo, c.Hi)
		case *LetClause:
			exprs = append(exprs, c.Value)
		case *ExistsClause:
			exprs = append(exprs, c.Value)
		}
	}
	return exprs
}

// FuzzFormat checks that formatting a program keeps its meaning and comments and
// has a fixed point.
func FuzzFormat(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		tree, diagnostics := Parse(source.NewFile("fuzz.tc", text))
		if diagnostics.HasErrors() {
			t.Skip()
		}
		checkFormatted(t, text, Format(tree))
	})
}
