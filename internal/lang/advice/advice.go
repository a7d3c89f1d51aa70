// Package advice warns of comprehensions that compute to the letter what their author hardly
// means, in every notation alike.
package advice

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// What a front end has lowered says for each node what it computes in, and where it stands in the text. So
// that arithmetic of few bits wraps before it is used as a number (narrow.go), and that a sum rounds
// or repeats its terms (terms.go), is seen there once for all notations; their ways of saying "I mean it" differ, and a Notation has the words. Nothing is said of
// what the program itself has no text for.

// A Notation is what the warnings have to know of the language of a program. What is left
// empty is not looked for.
type Notation struct {
	// Wide says how arithmetic is done in more bits, those of TYPE, and Wraps how wrapping in TYPE
	// is meant where arithmetic is done in WIDE.
	Wide, Wraps string
	// Whole says how a sum is written whose terms are not rounded, Once one that adds a term
	// once, and Meant how the letter is.
	Whole, Once, Meant string
	// Parentheses around what a reduction combines say that it is meant.
	Parentheses bool
	// Index names an index, as the text does; nil takes that of ein.
	Index func(*ein.Index) string
}

// A look is one at a comprehension.
type look struct {
	*Notation
	comprehension *ein.Comprehension
	diagnostics   *source.Diagnostics
	values        map[*ein.Local]ein.Expr
	intervals     map[*ein.Local]interval
	looked        map[ein.Expr]bool // what was asked whether it wraps
	known         []order           // what the conditions say under which an expression stands
}

// Of warns of a comprehension.
func (n *Notation) Of(c *ein.Comprehension, diagnostics *source.Diagnostics) {
	l := &look{
		Notation: n, comprehension: c, diagnostics: diagnostics, values: map[*ein.Local]ein.Expr{},
		intervals: map[*ein.Local]interval{}, looked: map[ein.Expr]bool{},
	}
	for _, v := range c.Values {
		ein.Walk(v, func(e ein.Expr) bool {
			if let, ok := e.(*ein.Let); ok {
				l.values[let.Var] = let.Value
			}
			return true
		})
	}
	for k, v := range c.Values {
		if n.Wide != "" {
			l.narrow(v)
			l.smallFold(k)
		}
		if n.Once != "" {
			l.terms(k)
		}
	}
}

// warn adds a warning, once for each place.
func (l *look) warn(code source.Code, at source.Span, format string, args ...any) *source.Diagnostic {
	d := (&source.Diagnostics{}).Warnf(code, at, format, args...)
	if !d.IsAmong(l.diagnostics.List) {
		l.diagnostics.List = append(l.diagnostics.List, d)
	}
	return d
}

// place is where an expression stands; what a library wrote stands where that is used. Of an access
// that may be the place where the tensor is declared, so it is none.
func (l *look) place(e ein.Expr) source.Span {
	at := e.Span()
	if _, access := e.(*ein.Access); access || at.File != l.comprehension.Pos.File {
		return l.comprehension.Pos
	}
	return at
}

// text is an expression as the program has it, in one line.
func (l *look) text(e ein.Expr) string {
	if a, ok := e.(*ein.Access); ok {
		return a.Tensor.Name
	}
	text := strings.Join(strings.Fields(l.place(e).Text()), " ")
	const longest = 60
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return text
}

// name is that of an index in the program.
func (l *look) name(i *ein.Index) string {
	if l.Index != nil {
		return l.Index(i)
	}
	return i.Name
}

// plain is the value of a local, or the expression itself.
func (l *look) plain(e ein.Expr) ein.Expr {
	for {
		switch x := e.(type) {
		case *ein.Let:
			e = x.Body
		case *ein.LocalRef:
			value := l.values[x.Local]
			if value == nil {
				return e
			}
			e = value
		default:
			return e
		}
	}
}

// uses reports whether a value depends on an index.
func (l *look) uses(e ein.Expr, index *ein.Index) bool {
	asked := map[*ein.Local]bool{}
	var ask func(e ein.Expr) bool
	ask = func(e ein.Expr) bool {
		return ein.Contains(e, func(e ein.Expr) bool {
			switch e := e.(type) {
			case *ein.IndexRef:
				return e.Index == index
			case *ein.LocalRef:
				if value := l.values[e.Local]; value != nil && !asked[e.Local] {
					asked[e.Local] = true
					return ask(value)
				}
			}
			return false
		})
	}
	return ask(e)
}

// enclosed reports whether an expression stands in parentheses of its own.
func enclosed(at source.Span) bool {
	if !at.IsValid() || at.File == nil {
		return false
	}
	before := strings.TrimRight(at.File.Text[:at.Start], " \t\n")
	after := strings.TrimLeft(at.File.Text[at.End:], " \t\n")
	return strings.HasSuffix(before, "(") && strings.HasPrefix(after, ")")
}
