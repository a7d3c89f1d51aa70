package syntax

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/source"
)

// generator draws random trees, without places and without parentheses, so that
// the printer must put them where precedence asks for them.
type generator struct{ t *rapid.T }

func (g generator) pick(texts ...string) string {
	return rapid.SampledFrom(texts).Draw(g.t, "word")
}

func (g generator) number(low, high int) int { return rapid.IntRange(low, high).Draw(g.t, "n") }

func (g generator) name() string {
	return g.pick("A", "i", "2LUT", "3E", "x_1", "or", "empty", "argmin", "a_rather_long_name_that_fills_lines")
}

func (g generator) ident() Ident { return Ident{Name: g.name()} }

func (g generator) idents(low int) []Ident {
	names := make([]Ident, g.number(low, 3))
	for i := range names {
		names[i] = g.ident()
	}
	return names
}

func (g generator) exprs(low, depth int) []Expr {
	exprs := make([]Expr, g.number(low, 3))
	for i := range exprs {
		exprs[i] = g.expr(depth)
	}
	return exprs
}

func (g generator) expr(depth int) Expr {
	kinds := 8
	if depth == 0 {
		kinds = 2
	}
	switch g.number(0, kinds) {
	case 0:
		return &Number{Text: g.pick("3", "0x1F", "1.5", ".5", "1.", "3e-5", "1.0f", "1e5", "0")}
	case 1:
		return &Name{Name: g.name()}
	case 2:
		return &SizeAccess{Tensor: g.ident(), Dim: g.number(0, 12)}
	case 3:
		if g.number(0, 5) == 0 {
			return &Apply{Func: g.ident(), Args: g.exprs(0, depth-1), Old: true}
		}
		return &Apply{Func: Ident{Name: g.pick("A", "min", "max", "exp", "2LUT")}, Args: g.exprs(0, depth-1)}
	case 4:
		return &Unary{Op: g.pick("-", "!", "~"), X: g.expr(depth - 1)}
	case 5:
		return &Conditional{Cond: g.expr(depth - 1), Then: g.expr(depth - 1), Else: g.expr(depth - 1)}
	case 6:
		return &CastExpr{To: g.pick("float", "int32"), X: g.expr(depth - 1)}
	default:
		op := g.pick("||", "&&", "<", ">", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")
		return &Binary{Op: op, X: g.expr(depth - 1), Y: g.expr(depth - 1)}
	}
}

func (g generator) typeExpr() *TypeExpr {
	t := &TypeExpr{Scalar: g.pick("float", "int64", "bool")}
	for range g.number(0, 3) {
		t.Dims = append(t.Dims, rapid.SampledFrom([]Expr{&Name{Name: "N"}, &Number{Text: "4"}}).Draw(g.t, "dim"))
	}
	return t
}

func (g generator) clause() Clause {
	switch g.number(0, 3) {
	case 0:
		return &RangeClause{Index: g.ident(), Lo: g.expr(2), Hi: g.expr(2), OrEmpty: g.number(0, 1) == 1}
	case 1:
		return &LetClause{Name: g.ident(), Value: g.expr(2)}
	case 2:
		return &ExistsClause{Value: g.expr(2)}
	}
	return &EmptyClause{Index: g.ident()}
}

func (g generator) stmt() *Stmt {
	s := &Stmt{Value: g.expr(4), Assign: assignments[g.pick("=", "+=", "+=!", "*=!", "min=", "max=!", "argmin=!", "argmax=", "|=!", "^=", "&=!")]}
	targets := g.number(1, 2)
	if targets == 1 && g.number(0, 5) == 0 {
		s.Type = g.typeExpr() // several targets in parentheses would read as its dimensions
	}
	for range targets {
		target := &Target{Name: g.ident(), Listed: g.number(0, 4) > 0}
		if target.Listed {
			target.Indices = g.idents(0)
			if k := len(target.Indices) - 1; k >= 0 && g.number(0, 3) == 0 {
				target.Indices[k], target.Points = Ident{}, make([]Expr, k+1)
				target.Points[k] = rapid.SampledFrom([]Expr{&Number{Text: "0"}, &Binary{Op: "+", X: &Number{Text: "1"}, Y: &SizeAccess{Tensor: Ident{Name: "A"}}}}).Draw(g.t, "point")
				if g.number(0, 1) == 0 {
					target.Indices[k] = Ident{Name: "i"}
					target.Points[k] = &Binary{Op: "-", X: &Name{Name: "i"}, Y: &Number{Text: "2"}}
				}
			}
		}
		s.Targets = append(s.Targets, target)
	}
	if g.number(0, 5) == 0 {
		s.Scan = g.idents(1)
	}
	if g.number(0, 5) == 0 {
		s.Equivalent = &Apply{Func: g.ident(), Args: g.exprs(0, 1)}
	}
	for range g.number(-3, 3) {
		s.Where = append(s.Where, g.clause())
	}
	return s
}

func (g generator) file() *File {
	f := &File{}
	for range g.number(0, 1) {
		f.Imports = append(f.Imports, &Import{Path: g.pick("mlp.tc", `a\b.tc`, "ünï.tc")})
	}
	for range g.number(0, 3) {
		def := &Def{Name: g.ident()}
		for range g.number(0, 6) {
			def.Inputs = append(def.Inputs, &Param{Type: g.typeExpr(), Name: g.ident()})
		}
		for range g.number(1, 3) {
			output := &Param{Name: g.ident()}
			if g.number(0, 2) == 0 {
				output.Type = g.typeExpr()
			}
			def.Outputs = append(def.Outputs, output)
		}
		for range g.number(0, 4) {
			def.Body = append(def.Body, g.stmt())
		}
		f.Defs = append(f.Defs, def)
	}
	return f
}

// sameTree compares two trees, regardless of places and parentheses.
func sameTree(a, b *File) string {
	return cmp.Diff(bare(Tree(a)), bare(Tree(b)))
}

// bare removes places and parentheses from a tree.
func bare(n *Node) *Node {
	for n.Kind == "paren" {
		n = n.Children[0]
	}
	n.Line, n.Column = 0, 0
	for i, child := range n.Children {
		n.Children[i] = bare(child)
	}
	return n
}

func TestFormatGenerated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := generator{t}.file()
		text := Format(tree)
		again, diagnostics := Parse(source.NewFile("generated.tc", text))
		if diagnostics.HasErrors() {
			t.Fatalf("the formatted tree does not parse: %v\n%s", diagnostics.Err(), text)
		}
		if diff := sameTree(tree, again); diff != "" {
			t.Fatalf("formatting changes the tree:\n%s\n%s", diff, text)
		}
		if second := Format(again); second != text {
			t.Fatalf("formatting is not idempotent: %s", cmp.Diff(text, second))
		}
	})
}
