package syntax

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// How computed subscripts on the left are answered
//
// A statement says what each element of its target is. O(2*i) = A(i) says where each
// value goes; the help turns it round: every element looks for its value.

// A scatter is a subscript on the left that is no index, whose help needs the whole statement.
type scatter struct {
	diagnostic *source.Diagnostic
	subscript  string
	expr       Expr
}

func isAccess(e Expr) bool {
	switch e := e.(type) {
	case *Apply:
		return true
	case *Binary:
		return isAccess(e.X) || isAccess(e.Y)
	case *CastExpr:
		return isAccess(e.X)
	case *Paren:
		return isAccess(e.X)
	}
	return false
}

// finishScatter shows how a sum of scattered values is written: every element of
// the target looks for what belongs to it.
func (p *parser) finishScatter(stmt *Stmt) {
	if len(stmt.Targets) != 1 || slices.ContainsFunc(p.scatters, func(s scatter) bool { return !isAccess(s.expr) }) {
		p.finishComputed(stmt)
		return
	}
	target := stmt.Targets[0]
	plain := slices.DeleteFunc(slices.Clone(target.Indices), func(i Ident) bool { return i.Name == "_" })
	if len(p.scatters) == 0 || stmt.Assign.Op != "" && stmt.Assign.Op != "+" || len(stmt.Targets) != 1 || len(target.Indices)-len(plain) != len(p.scatters) {
		return
	}
	names := p.freeIndices(target)
	var equal, ranges, bounds []string
	indices := make([]string, len(target.Indices))
	for n, i := range target.Indices {
		if indices[n] = i.Name; i.Name != "_" {
			continue
		}
		name := names()
		bound := strings.ToUpper(name)
		indices[n] = name
		equal = append(equal, p.scatters[len(equal)].subscript+" == "+name)
		ranges = append(ranges, name+" in 0:"+bound)
		bounds = append(bounds, bound)
	}
	plural := ""
	if len(bounds) > 1 {
		plural = "s"
	}
	for _, s := range p.scatters {
		s.diagnostic.WithHelp("let every element look for its values: %s(%s) +=! %s ? %s : 0 where %s, with your bound%s for %s",
			target.Name.Name, strings.Join(indices, ","), strings.Join(equal, " && "), stmt.Value.Span().Text(), strings.Join(ranges, ", "), plural, strings.Join(bounds, " and "))
	}
}

// freeIndices returns a source of names for indices, whose capitals are free for bounds.
func (p *parser) freeIndices(target *Target) func() string {
	taken := map[string]bool{}
	for _, t := range p.Tokens[:p.At] {
		taken[t.Text] = taken[t.Text] || t.Start > target.Name.Pos.Start
	}
	letter := 'k'
	return func() string {
		for ; letter < 'z' && (taken[string(letter)] || taken[strings.ToUpper(string(letter))]); letter++ {
		}
		letter++
		return string(letter - 1)
	}
}

// finishComputed writes the statement for one subscript that is computed from an index.
func (p *parser) finishComputed(stmt *Stmt) {
	target := stmt.Targets[0]
	if len(p.scatters) != 1 || len(stmt.Targets) != 1 || len(stmt.Where) > 0 || stmt.Value == nil || stmt.Assign.Op != "" && stmt.Assign.Op != "+" {
		return
	}
	s := p.scatters[0]
	name := p.freeIndices(target)()
	indices := make([]string, len(target.Indices))
	for n, i := range target.Indices {
		if indices[n] = i.Name; i.Name == "_" {
			indices[n] = name
		} else if point := target.Point(n); point != nil {
			indices[n] = point.Span().Text()
		}
	}
	left := target.Name.Name + "(" + strings.Join(indices, ",") + ")"
	bound := fmt.Sprintf("where %s in 0:%s, with your bound for %s", name, strings.ToUpper(name), strings.ToUpper(name))
	if index := p.mirroredIndex(s.expr); index != "" {
		s.diagnostic.WithHelp("turn it round: %s %s %s", strings.Replace(left, name, index, 1), stmt.Assign, withName(stmt.Value, index, s.subscript))
		return
	}
	if index, factor, rest := p.multiple(s.expr); index != "" {
		from := name + rest
		if rest != "" {
			from = "(" + from + ")"
		}
		s.diagnostic.WithHelp("let every element look for its value: %s %s %s %% %s == 0 ? %s : 0 %s", left, stmt.Assign, from, factor,
			withName(stmt.Value, index, from+"/"+factor), bound)
		return
	}
	if first, second := indexSum(s.expr); first != "" && !p.sizes[first] && !p.sizes[second] && stmt.Assign.Op == "+" {
		s.diagnostic.WithHelp("let every element look for its values: %s %s pad(%s, 0) %s", left, stmt.Assign, withName(stmt.Value, second, name+" - "+first), bound)
	}
}

// mirroredIndex returns i for N-1-i.
func (p *parser) mirroredIndex(e Expr) string {
	if b, ok := e.(*Binary); ok && b.Op == "-" && p.isPoint(b.X) {
		return p.shiftedBare(b.Y)
	}
	return ""
}

func (p *parser) shiftedBare(e Expr) string {
	if name, ok := e.(*Name); ok && !p.sizes[name.Name] {
		return name.Name
	}
	return ""
}

// multiple takes c*i + s apart: i, c, and what gives c*i back, " - s".
func (p *parser) multiple(e Expr) (index, factor, rest string) {
	b, ok := e.(*Binary)
	switch {
	case !ok:
		return "", "", ""
	case b.Op == "*" && p.isPoint(b.X):
		return p.shiftedBare(b.Y), operandText(b.X), ""
	case b.Op == "*" && p.isPoint(b.Y):
		return p.shiftedBare(b.X), operandText(b.Y), ""
	case (b.Op == "+" || b.Op == "-") && p.isPoint(b.Y):
		index, factor, rest = p.multiple(b.X)
		back := map[string]string{"+": " - ", "-": " + "}[b.Op]
		return index, factor, back + operandText(b.Y) + rest
	}
	return "", "", ""
}

// operandText is the text of an operand of a product or a difference.
func operandText(e Expr) string {
	text := e.Span().Text()
	if _, compound := e.(*Binary); compound {
		return "(" + text + ")"
	}
	return text
}

// indexSum returns the names of i+j.
func indexSum(e Expr) (first, second string) {
	b, ok := e.(*Binary)
	if !ok || b.Op != "+" {
		return "", ""
	}
	x, isName := b.X.(*Name)
	y, isOther := b.Y.(*Name)
	if !isName || !isOther {
		return "", ""
	}
	return x.Name, y.Name
}

// withName is the text of an expression with another text for a name.
func withName(e Expr, name, text string) string {
	span := e.Span()
	whole, at := span.Text(), span.Start
	var b strings.Builder
	Walk(e, func(e Expr) bool {
		if n, ok := e.(*Name); ok && n.Name == name {
			b.WriteString(whole[at-span.Start : n.Pos.Start-span.Start])
			b.WriteString(text)
			at = n.Pos.End
		}
		return true
	})
	return b.String() + whole[at-span.Start:]
}
