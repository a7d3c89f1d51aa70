package field

import (
	"fmt"
	"strings"
)

// letters name indices, in the order in which they are given out.
const letters = "ijklmnpqrstuvwabcdefgh"

func letter(n int) string {
	if n < len(letters) {
		return letters[n : n+1]
	}
	return fmt.Sprintf("i%d", n-len(letters))
}

// indexName names an index outside of any operator.
func indexName(i Index) string {
	switch i.Class {
	case Constant:
		return fmt.Sprint(i.Number)
	case Free:
		return letter(i.Number)
	case Bound:
		return fmt.Sprintf("b%d", i.Number)
	}
	return fmt.Sprintf("?%d", i.Number)
}

// String writes an operator as the paper does; ParseOperator reads it.
func (o *Operator) String() string {
	var b strings.Builder
	b.WriteString("λ ")
	for n, p := range o.Params {
		if n > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.Name + ":" + p.Type.String())
		if p.Fixed {
			b.WriteString("!")
		}
	}
	p := printer{names: map[Index]string{}}
	b.WriteString(" ⟨ ")
	var ranges []string
	for n, size := range o.Shape {
		i := Axis(n, size)
		ranges = append(ranges, fmt.Sprintf("%s:%d", p.bind(i), size))
	}
	b.WriteString(p.text(o.Body, levelAdd) + " ⟩")
	if len(ranges) > 0 {
		b.WriteString("_{" + strings.Join(ranges, ",") + "}")
	}
	return b.String()
}

// String writes a term. Its free indices have the names that they have in an operator.
func (t *Term) String() string {
	p := printer{names: map[Index]string{}}
	for _, i := range t.free {
		if i.Class == Free {
			p.used = max(p.used, i.Number+1)
		}
	}
	return p.text(t, levelAdd)
}

// The levels of operators, from the loosest to the tightest.
const (
	levelAdd = iota
	levelMul
	levelProbe
	levelPower
	levelPrefix
	levelAtom
)

type printer struct {
	names map[Index]string
	used  int
}

func (p *printer) bind(i Index) string {
	p.names[i] = letter(p.used)
	p.used++
	return p.names[i]
}

func (p *printer) indices(list []Index) string {
	names := make([]string, len(list))
	for n, i := range list {
		if name, ok := p.names[i]; ok {
			names[n] = name
		} else {
			names[n] = indexName(i)
		}
	}
	return strings.Join(names, ",")
}

func (p *printer) component(name string, indices []Index) string {
	if len(indices) == 0 {
		return name
	}
	return name + "[" + p.indices(indices) + "]"
}

// text writes a term in a place that takes operators of a level and tighter ones.
func (p *printer) text(t *Term, place int) string {
	text, level := p.open(t)
	if level < place {
		return "(" + text + ")"
	}
	return text
}

func (p *printer) open(t *Term) (text string, level int) {
	switch t.Op {
	case Rational:
		text = strings.Replace(t.Value.RatString(), "/", "÷", 1)
		if t.Value.Sign() < 0 {
			text = "(" + text + ")"
		}
		return text, levelAtom
	case Epsilon, Delta, Position:
		name := t.Op.String()
		if t.Op == Position {
			name = fmt.Sprintf("pos%d", t.Power)
		}
		return p.component(name, t.Indices), levelAtom
	case Tensor, Field:
		return p.component(t.Param.Name, t.Indices), levelAtom
	case Conv:
		text = p.component(t.Param.Name, t.Indices) + " ⊛ " + t.Kernel.Name
		if len(t.Orders) > 0 {
			text += "^{" + p.indices(t.Orders) + "}"
		}
		return text, levelPrefix
	case Partial:
		return "∂[" + p.indices(t.Indices) + "] ⋄ " + p.text(t.Args[0], levelPrefix), levelPrefix
	case Compose:
		return p.text(t.Args[0], levelProbe) + " ∘ " + p.place(t), levelProbe
	case Probe:
		if t.Param == nil {
			return p.text(t.Args[0], levelProbe) + " @ " + p.place(t), levelProbe
		}
		return p.text(t.Args[0], levelProbe) + " @ " + t.Param.Name, levelProbe
	case Power:
		return p.text(t.Args[0], levelAtom) + fmt.Sprintf("^%d", t.Power), levelPower
	case Neg:
		if t.Args[0].Op == Rational {
			return "-(" + p.text(t.Args[0], levelAdd) + ")", levelAdd
		}
		return "-" + p.text(t.Args[0], levelMul), levelAdd
	case Div:
		return p.text(t.Args[0], levelMul) + "/" + p.text(t.Args[1], levelProbe), levelMul
	case Min, Max:
		return fmt.Sprintf("%s(%s, %s)", t.Op, p.text(t.Args[0], levelAdd), p.text(t.Args[1], levelAdd)), levelAtom
	case Sum:
		return p.sum(t), levelAdd
	case Add, Mul:
		return p.list(t)
	}
	return fmt.Sprintf("%s(%s)", t.Op, p.text(t.Args[0], levelAdd)), levelAtom // lift and functions
}

// place writes the coordinates of a place that is computed.
func (p *printer) place(t *Term) string {
	coordinates := make([]string, len(t.Args)-1)
	for n, c := range t.Args[1:] {
		coordinates[n] = p.text(c, levelAdd)
	}
	return "[" + strings.Join(coordinates, ", ") + "]"
}

func (p *printer) list(t *Term) (string, int) {
	var b strings.Builder
	for n, a := range t.Args {
		switch {
		case t.Op == Mul:
			if n > 0 {
				b.WriteString("*")
			}
			place := levelProbe
			if n == 0 && a.Op == Div {
				place = levelMul
			}
			b.WriteString(p.text(a, place))
		case n > 0 && a.Op == Neg:
			b.WriteString(" - " + p.text(a.Args[0], levelMul))
		default:
			if n > 0 {
				b.WriteString(" + ")
			}
			place := levelMul
			if a.Op == Neg && n == 0 {
				place = levelAdd
			}
			b.WriteString(p.text(a, place))
		}
	}
	if t.Op == Mul {
		return b.String(), levelMul
	}
	return b.String(), levelAdd
}

func (p *printer) sum(t *Term) string {
	outside := map[Index]string{}
	before := p.used
	var ranges []string
	for _, i := range t.Indices {
		outside[i] = p.names[i]
		ranges = append(ranges, fmt.Sprintf("%s:%d", p.bind(i), i.Range))
	}
	text := "Σ_{" + strings.Join(ranges, ",") + "} " + p.text(t.Args[0], levelMul)
	p.used = before
	for i, name := range outside {
		if name == "" {
			delete(p.names, i)
		} else {
			p.names[i] = name
		}
	}
	return text
}
