package ein

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/source"
)

// A SizeTest is what a function assumes about its sizes: that Expr is at least 0, or 0 where Zero is set.
type SizeTest struct {
	Expr affine.Expr
	Zero bool
	Text string // says so for people
	Code source.Code
	Pos  source.Span
}

// SizeTests lists what Bind tests, for those who test it without Bind. Sizes that are known have their values put in: a
// condition that holds then is left out, as is one that an earlier one implies; one that does not hold is a constant.
func (f *Func) SizeTests(known map[string]affine.Expr) []SizeTest {
	l := &sizeTests{known: known}
	l.ofSizes(f)
	for _, r := range f.Requires {
		why := ""
		if r.Reason != "" {
			why = ": " + r.Reason
		}
		l.require(r.Expr, source.ConditionFailed, r.Pos, "%s must hold%s", affine.Inequality(r.Expr.Subst(known)), why)
	}
	for _, c := range f.Body {
		for _, i := range c.Indices {
			if e := i.Extent.AddConst(-1); !i.MayBeEmpty {
				l.require(e, source.EmptyRange, i.Pos, "%s must hold: the range of %s is not empty", affine.Inequality(dividend(e.Subst(known))), i.Name)
			}
		}
	}
	for _, t := range f.Tensors {
		for i, d := range t.Dims {
			l.require(d.Extent, source.NegativeExtent, t.Pos, "%s must hold: it is the extent of dimension %d of %s", affine.Inequality(d.Extent.Subst(known)), i, t.Name)
		}
	}
	return l.list
}

type sizeTests struct {
	known map[string]affine.Expr
	list  []SizeTest
}

// ofSizes lists what is assumed of single sizes.
func (l *sizeTests) ofSizes(f *Func) {
	for _, s := range f.Sizes {
		value, fixed := l.known[s.Name]
		switch {
		case s.Dim == ScalarValue && fixed && s.Tensor != nil && s.Tensor.Role == Input:
			l.list = append(l.list, SizeTest{Expr: affine.Symbol(s.Name).Sub(value), Zero: true, Code: source.ConditionFailed, Pos: s.Pos,
				Text: fmt.Sprintf("%s must be %s", s.Tensor.Name, value)})
		case s.Dim == ScalarValue && s.Tensor != nil:
		case s.MayBeZero:
			l.require(affine.Symbol(s.Name), source.EmptySize, s.Pos, "%s must not be negative", s.Name)
		default:
			l.require(affine.Symbol(s.Name).AddConst(-1), source.EmptySize, s.Pos, "%s must be at least 1", s.Name)
		}
	}
}

func (l *sizeTests) require(e affine.Expr, code source.Code, pos source.Span, format string, args ...any) {
	e = dividend(e.Subst(l.known))
	if n, constant := e.IsConst(); constant && n >= 0 || !constant && l.implied(e) {
		return
	}
	l.list = append(l.list, SizeTest{Expr: e, Code: code, Pos: pos, Text: fmt.Sprintf(format, args...)})
}

// implied reports whether an earlier condition is at least as strict.
func (l *sizeTests) implied(e affine.Expr) bool {
	for _, t := range l.list {
		if n, constant := e.Sub(t.Expr).IsConst(); constant && n >= 0 {
			return true
		}
	}
	return false
}

// dividend returns an expression that is at least 0 exactly when e is, without
// the division: X/c + k >= 0 means X + k·c >= 0.
func dividend(e affine.Expr) affine.Expr {
	for {
		terms := e.Terms()
		if len(terms) == 0 || len(terms) > 2 || len(terms[0].Atoms) != 1 || terms[0].Coefficient != 1 {
			return e
		}
		quotient := terms[0].Atoms[0]
		divisor, constant := quotient.Y.IsConst()
		if quotient.Op != affine.FloorDiv || !constant || divisor <= 0 || (len(terms) == 2 && len(terms[1].Atoms) > 0) {
			return e
		}
		next := quotient.X
		if len(terms) == 2 {
			next = next.Add(affine.Const(terms[1].Coefficient).Scale(divisor))
		}
		e = next
	}
}
