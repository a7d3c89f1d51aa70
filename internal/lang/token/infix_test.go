package token

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
)

var arithmetic = Language{
	Code: source.CodeTeILSyntax, Comments: []string{"#"}, Signs: Spellings("(", ")", "<", "+", "-", "*", "!"),
	Reserved: func(string) bool { return false }, MaxDepth: 50, MaxHeight: 10000, TooDeep: "write less",
}

// readInfix reads an expression and writes it with all parentheses; "!" stands behind its operand.
func readInfix(text string) (string, *source.Diagnostics) {
	p, _ := arithmetic.NewParser(source.NewFile("infix", text))
	n := Infix[int]{Levels: map[string]int{"<": 1, "+": 2, "-": 2, "*": 3}, Apart: 1, Instead: "compare twice"}
	var out []string // by the numbers of expressions
	add := func(text string) int {
		if len(text) > 100 {
			text = "…" // what is deep need not be written
		}
		out = append(out, text)
		return len(out) - 1
	}
	n.Operand = func() (e int) {
		p.Enter()
		defer p.Leave()
		if p.Accept("(") {
			e = n.Read(&p, 1)
			p.Expect(")", "")
		} else {
			e = add(p.Name("a name").Name)
		}
		for p.Is("!") {
			p.Raise(p.Take())
			e = add(out[e] + "!")
		}
		return e
	}
	n.Join = func(_ int, t *Token, x, y int) int { return add("(" + out[x] + t.Text + out[y] + ")") }
	e := -1
	p.Guard(func() { e = n.Read(&p, 1) }, func() {})
	if e < 0 {
		return "", p.Diagnostics
	}
	return out[e], p.Diagnostics
}

// TestInfix checks levels, association, comparisons and the bounds of depth and height.
func TestInfix(t *testing.T) {
	row := strings.Repeat("a+", 6000) + "a"
	for text, want := range map[string]string{
		"a-b-c*d+e":                          "(((a-b)-(c*d))+e)",
		"a*(b+c)!*d":                         "((a*(b+c)!)*d)",
		"a+b<c-d":                            "((a+b)<(c-d))",
		"(a<b)<(c<d)":                        "((a<b)<(c<d))",
		"a<b+c<d":                            "found '<', expected one comparison: compare twice",
		"a+":                                 "found the end of the file, expected a name: ",
		strings.Repeat("(", 60):              "the expression is nested more than 50 deep: write less",
		strings.Repeat("a*", 10001) + "a":    "the expression has more than 10000 operators in a row: write less",
		"a" + strings.Repeat("!", 1e5):       "the expression has more than 10000 operators in a row: write less",
		row:                                  "…",
		row + "<" + row:                      "(…<…)",
		"(" + row + ")*b+" + row:             "the expression has more than 10000 operators in a row: write less",
		"b-(c*(" + row + "))!-(" + row + ")": "((b-(c*…)!)-…)",
	} {
		got, diagnostics := readInfix(text)
		for _, d := range diagnostics.List {
			got = d.Message + ": " + d.Help
		}
		if got != want {
			t.Errorf("%.80s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}
