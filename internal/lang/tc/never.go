package tc

import (
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// constantMinMax warns of max(x, 0) of an unsigned x, which is x, and of min(x, 0), which is 0: a negative difference has
// wrapped before, where wrapsBefore does not tell of it.
func (t *typer) constantMinMax(e *syntax.Apply, x, y valueType) {
	u, zero, of := x, y, e.Args[0]
	if x.isZero() {
		u, zero, of = y, x, e.Args[1]
	}
	if _, compound := withoutParens(of).(*syntax.Binary); !t.report || !zero.isZero() || !isUnsigned(u) || compound && (isSmall(u) || wrapsBelow(of)) {
		return
	}
	result := oneLine(of.Span().Text())
	if e.Func.Name == "min" {
		result = "0"
	}
	t.statement.def.warnOnce(t.statement, source.CodeDecided, e.Pos, "%s is always %s: %s has no negative numbers, and differences wrap", oneLine(e.Pos.Text()), result, article(u.dtype.String())).
		WithHelp("leave it out, or convert an operand of the difference: int64(…)")
}

// isZero reports whether a type is that of the literal 0.
func (t valueType) isZero() bool { return t.constant && t.weak == weakInt && t.integer == 0 }
