package expression

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

var language = token.Language{
	Code: source.CodeTeMLSyntax, Signs: token.Spellings("(", ")", "[", "]", ",", "==", "+", "*", "-", "!"),
	Reserved: func(word string) bool { return strings.Contains(" if then else not do ", " "+word+" ") }, MaxDepth: 50, MaxHeight: 1000, TooDeep: "write less",
}

// A bracket is x[y], do x, or (x): nodes that are not those of the package.
type bracket struct {
	Unary
	number Expr
}

// parse reads an expression of a notation that has a form, an operand and a postfix of its own.
func parse(text string) (e Expr, diagnostics *source.Diagnostics) {
	p := &Parser{}
	p.Begin(&language, source.NewFile("text", text), Grammar{
		Levels: map[string]int{"or": 1, "==": 2, "+": 3, "-": 3, "*": 4}, Apart: 2, Instead: "compare twice",
		Prefix: []string{"-", "!", "not"}, Signs: map[string]string{"not": "!", "or": "|"},
		Forms: map[string]func() Expr{"do": func() Expr {
			p.Take()
			return &bracket{Unary: Unary{Op: "do", X: p.Expr()}}
		}},
		Primary: func() Expr {
			if !p.Accept("(") {
				return nil
			}
			x := p.Expr()
			p.Expect(")", "")
			return &bracket{Unary: Unary{Op: "()", X: x}}
		},
		Postfix: func(start int, x Expr) Expr {
			for p.Accept("[") {
				n := p.Expr()
				p.Expect("]", "")
				x = &bracket{Unary{Pos: p.From(start), Op: "[]", X: x}, n}
			}
			return x
		},
		Argument: p.Expr,
	})
	p.Guard(func() {
		if e = p.Expr(); p.Peek().Kind != token.End {
			p.Fail("", "the end")
		}
	}, func() {})
	return e, p.Diagnostics
}

// show writes a tree with an operator before its operands.
func show(e Expr) string {
	switch e := e.(type) {
	case *Number:
		return e.Text
	case *Ref:
		return e.Name
	case *Unary:
		return "(" + e.Op + " " + show(e.X) + ")"
	case *Binary:
		return "(" + e.Op + " " + show(e.X) + " " + show(e.Y) + ")"
	case *If:
		return "(if " + show(e.Cond) + " " + show(e.Then) + " " + show(e.Else) + ")"
	case *Call:
		words := []string{"(" + e.Name.Name}
		for _, a := range e.Args {
			words = append(words, show(a))
		}
		return strings.Join(words, " ") + ")"
	case *bracket:
		if e.number != nil {
			return "([] " + show(e.X) + " " + show(e.number) + ")"
		}
		return "(" + e.Op + " " + show(e.X) + ")"
	}
	return "?"
}

func TestTrees(t *testing.T) {
	for text, want := range map[string]string{
		"a + b * 2 - c":                       "(- (+ a (* b 2)) c)",
		"not a or -b[1][i] == !true":          "(| (! a) (== (- ([] ([] b 1) i)) (! true)))",
		"f(x, if a then b else c + 1,)":       "(f x (if a b (+ c 1)))",
		"1 + if a then b else c * d":          "(+ 1 (if a b (* c d)))",
		"2 * do x + y":                        "(* 2 (do (+ x y)))",
		"g()[0] * (a + b)":                    "(* ([] (g) 0) (() (+ a b)))",
		"if if a then b else c then d else e": "(if (if a b c) d e)",
	} {
		if e, diagnostics := parse(text); diagnostics.Err() != nil || show(e) != want {
			t.Errorf("%s is %s, expected %s: %v", text, show(e), want, diagnostics.Err())
		}
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"a + then":                    "found 'then', expected an expression",
		"f(a b":                       "found 'b', expected ')' after the arguments of f",
		"if a else b":                 "found 'else', expected 'then' after the condition",
		"a == b == c":                 "expected one comparison",
		"a b":                         "expected the end",
		strings.Repeat("-", 51) + "a": "nested more than 50 deep",
		strings.Repeat("1 + if a then b else ", 51) + "c": "nested more than 50 deep",
	} {
		if _, diagnostics := parse(text); diagnostics.Err() == nil || !strings.Contains(diagnostics.Err().Error(), want) {
			t.Errorf("%s: %v, expected %s", text, diagnostics.Err(), want)
		}
	}
}

// TestPlaces parses the text of each node of random expressions: it is the node again.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, diagnostics := parse(draw(t, 4))
		if err := diagnostics.Err(); err != nil {
			t.Fatal(err)
		}
		check(t, e)
	})
}

func check(t *rapid.T, e Expr) {
	if again, _ := parse(e.Span().Text()); again == nil || show(again) != show(e) {
		t.Fatalf("%q is not the text of %s", e.Span().Text(), show(e))
	}
	last := e.Span().Start
	for _, part := range Parts(e) {
		if check(t, part); part.Span().Start < last {
			t.Fatalf("%q stands before another part of %q", part.Span().Text(), e.Span().Text())
		}
		last = part.Span().End
	}
}

// draw writes a random expression that nests at most so deep.
func draw(t *rapid.T, depth int) string {
	forms := []string{"a", "2", "true", "f(_, _)", "g()", "-_", "not _", "_ + _", "_ * _", "_ or _", "_ - _", "if _ then _ else _"}
	if depth == 0 {
		forms = forms[:3]
	}
	var out strings.Builder
	for _, r := range rapid.SampledFrom(forms).Draw(t, "form") {
		if r == '_' {
			out.WriteString(draw(t, depth-1))
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}
