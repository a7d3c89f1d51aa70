package tc

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// boundaryFunctions move or guard the accesses in their argument.
var boundaryFunctions = map[string]boundary{"pad": padded, "clamp": clamped, "mirror": mirrored, "wrap": wrapped}

// name is the function of a mode.
func (b boundary) name() string {
	for name, mode := range boundaryFunctions {
		if mode == b {
			return name
		}
	}
	return ""
}

// concatName joins tensors; it is called like a def.
const concatName = "concat"

// functionOfLanguage reports whether a name belongs to a function of the language,
// unless a tensor or a def has it.
func functionOfLanguage(name string) bool {
	_, builtin := ein.LookupFunction(name)
	_, boundary := boundaryFunctions[name]
	_, onBits := ein.BitFunctions()[name]
	return builtin || boundary || onBits || name == concatName || name == ein.AbsoluteName
}

// lengthName is the function of len(b), which is b.0.
const lengthName = "len"

// length returns the size access that len(b) stands for, or nil.
func (d *def) length(e *syntax.Apply) *syntax.SizeAccess {
	if e.Func.Name != lengthName || d.symbols[lengthName] != nil || len(e.Args) != 1 {
		return nil
	}
	name, ok := e.Args[0].(*syntax.Name)
	if !ok || d.symbols[name.Name] == nil {
		return nil
	}
	return &syntax.SizeAccess{Pos: e.Pos, Tensor: syntax.Ident{Pos: name.Pos, Name: name.Name}}
}

// nearest returns the candidate that a misspelt name most likely means, or "".
func nearest(name string, candidates []string) string {
	limit := len(name) / 3 // short names differ by intention
	best, bestDistance := "", limit+1
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(name), strings.ToLower(c)); c != name && d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours.
func editDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// operands returns the direct sub-expressions in the order of the text.
func operands(e syntax.Expr) []syntax.Expr {
	switch e := e.(type) {
	case *syntax.Apply:
		return e.Args
	case *syntax.Unary:
		return []syntax.Expr{e.X}
	case *syntax.Binary:
		return []syntax.Expr{e.X, e.Y}
	case *syntax.Conditional:
		return []syntax.Expr{e.Cond, e.Then, e.Else}
	case *syntax.CastExpr:
		return []syntax.Expr{e.X}
	case *syntax.Paren:
		return []syntax.Expr{e.X}
	}
	return nil
}

// eachName calls visit for every name in e that could be a tensor or a let, with
// apply set for the function part of f(…).
func eachName(e syntax.Expr, visit func(name string, pos source.Span, apply bool)) {
	switch e := e.(type) {
	case *syntax.Name:
		visit(e.Name, e.Pos, false)
	case *syntax.Apply:
		visit(e.Func.Name, e.Func.Pos, true)
	case *syntax.SizeAccess:
		visit(e.Tensor.Name, e.Tensor.Pos, true)
	}
	for _, x := range operands(e) {
		eachName(x, visit)
	}
}

// oneLine is program text without line ends, shortened for a message.
func oneLine(text string) string {
	text = inLine(text)
	const longest = 60
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return text
}

// inLine is a text in one line with nothing left out, for what a help writes.
func inLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// nameOf returns the name that an expression is, parentheses aside.
func nameOf(e syntax.Expr) (string, bool) {
	switch e := e.(type) {
	case *syntax.Name:
		return e.Name, true
	case *syntax.Paren:
		return nameOf(e.X)
	}
	return "", false
}

// parseAxis reads the number of a dimension.
func parseAxis(e syntax.Expr) (int, bool) {
	number, ok := e.(*syntax.Number)
	if !ok {
		return 0, false
	}
	v, ok := parseNumber(number.Text)
	const most = 1 << 16
	return int(min(v.integer, most)), ok && v.weak == weakInt
}
