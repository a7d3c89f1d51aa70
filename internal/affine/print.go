package affine

import (
	"strconv"
	"strings"
)

// String returns the canonical text, such as "(H - KH)/2 + 1"; it is valid TC
// syntax, and different expressions have different texts. What is added comes
// before what is subtracted, and a number last: "W - KW + 1", but "5 - N".
func (e Expr) String() string {
	if len(e.terms) == 0 {
		return "0"
	}
	var b strings.Builder
	for i, t := range e.readable() {
		switch {
		case i == 0 && t.Coefficient < 0:
			b.WriteString("-")
		case i > 0 && t.Coefficient < 0:
			b.WriteString(" - ")
		case i > 0:
			b.WriteString(" + ")
		}
		// In TC a leading minus belongs to the operand: -x/2 is (-x)/2.
		b.WriteString(t.magnitude(i == 0 && t.Coefficient < 0))
	}
	return b.String()
}

// readable returns the terms in the order of the text.
func (e Expr) readable() []Term {
	var positive, negative, number []Term
	for _, t := range e.terms {
		switch {
		case len(t.Atoms) == 0:
			number = []Term{t}
		case t.Coefficient > 0:
			positive = append(positive, t)
		default:
			negative = append(negative, t)
		}
	}
	if len(positive) == 0 && len(number) > 0 && number[0].Coefficient > 0 {
		return append(number, negative...)
	}
	return append(append(positive, negative...), number...)
}

// magnitude returns the text of a term without its sign. A quotient is bare only
// when it is the whole term and no minus binds to it.
func (t Term) magnitude(negated bool) string {
	number := strings.TrimPrefix(strconv.FormatInt(t.Coefficient, 10), "-")
	if len(t.Atoms) == 0 {
		return number
	}
	factors := make([]string, 0, len(t.Atoms)+1)
	if number != "1" {
		factors = append(factors, number)
	}
	bare := len(t.Atoms) == 1 && number == "1" && !negated
	for _, a := range t.Atoms {
		text := a.String()
		if a.isQuotient() && !bare {
			text = "(" + text + ")"
		}
		factors = append(factors, text)
	}
	return strings.Join(factors, "*")
}

func (a Atom) isQuotient() bool { return a.Op == FloorDiv || a.Op == Mod }

// String returns the text of an atom; a quotient needs parentheses as a factor.
func (a Atom) String() string {
	if a.Op == "" {
		return a.Symbol
	}
	return a.text
}

func (a Atom) format() string {
	if a.Op == Min || a.Op == Max {
		return string(a.Op) + "(" + a.X.String() + ", " + a.Y.String() + ")"
	}
	return operand(a.X, true) + string(a.Op) + operand(a.Y, false)
}

// operand writes a side of a quotient. Factors associate to the left, so that a
// product needs no parentheses in front: 2*N/3 is (2*N)/3.
func operand(e Expr, left bool) string {
	text := e.String()
	bare := len(e.terms) == 0
	if len(e.terms) == 1 {
		t := e.terms[0]
		factors := len(t.Atoms)
		if t.Coefficient != 1 || factors == 0 {
			factors++
		}
		quotient := factors == 1 && len(t.Atoms) == 1 && t.Atoms[0].isQuotient()
		bare = t.Coefficient > 0 && !quotient && (left || factors == 1)
	}
	if bare {
		return text
	}
	return "(" + text + ")"
}

// Inequality writes the condition e >= 0 as people do: nothing is subtracted on
// the left, as in "H >= KH" for H - KH and "A + C <= 5" for 5 - A - C.
func Inequality(e Expr) string { return relation(e, ">=", "<=") }

// Equation writes the condition e = 0 in the same way, as in "M == N"; it is the
// same text for e and -e.
func Equation(e Expr) string {
	if len(e.terms) > 0 && e.terms[0].Coefficient < 0 {
		e = e.Scale(-1)
	}
	return relation(e, "==", "==")
}

func relation(e Expr, operator, reversed string) string {
	var positive, negative, constant Expr
	for _, t := range e.terms {
		term := Expr{terms: []Term{t}}
		switch {
		case len(t.Atoms) == 0:
			constant = term
		case t.Coefficient > 0:
			positive = positive.Add(term)
		default:
			negative = negative.Sub(term)
		}
	}
	switch {
	case len(positive.terms) > 0:
		return positive.String() + " " + operator + " " + negative.Sub(constant).String()
	case len(negative.terms) > 0:
		return negative.String() + " " + reversed + " " + constant.String()
	}
	return constant.String() + " " + operator + " 0"
}
