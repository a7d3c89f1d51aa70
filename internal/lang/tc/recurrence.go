package tc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How recurrences are told from updates
//
// A statement computes all values before it writes any (section 2.1 of the paper),
// so y(i) = a*y(i-1) + x(i) is no recurrence: every element reads what its left
// neighbour held before. In other languages the same text is a recurrence, so that
// a statement which reads what it writes at another point is warned of, unless
// old(y)(i-1) says which value is meant.

// warnRecurrences warns of the first such access.
func (l *lowering) warnRecurrences(p *prover) {
	for _, site := range l.sites {
		if site.exists || site.old || !l.writes(site.target) || l.samePoint(site, p) || l.apart(site, p) {
			continue
		}
		read, t := oneLine(site.span.Text()), site.target.Name
		at := slices.Index(l.targets, site.target)
		diag := l.def.warnOnce(l.statement, source.CodeRecurrence, site.span, "%s is what %s held before this statement: all values are computed before any is written", read, t).
			WithNote(l.syntax.Targets[at].Pos, "%s is written here, and %s is read: another point", l.targetText(at), read).
			WithHelp("%swrite %s where the value before is meant", l.recurrenceWays(site, p), oldText(site))
		if site.target.Role == ein.InOut && (site.target.first == nil || site.target.first == l.statement) {
			diag.WithNote(site.target.Pos, "nothing has written %s before: the caller gives what it held, and it is an in-out argument", t)
		}
		return
	}
}

// oldText writes an access as one to the value before the statement.
func oldText(site *site) string {
	text := oneLine(site.span.Text())
	return strings.Replace(text, site.target.Name, "old("+site.target.Name+")", 1)
}

// withoutOld is the list of subscripts behind old(y).
func withoutOld(e *syntax.Apply) string {
	_, subscripts, _ := strings.Cut(e.Pos.Text()[e.Func.Pos.End-e.Pos.Start:], ")")
	return oneLine(subscripts)
}

// samePoint reports whether an access reads the element that is written.
func (l *lowering) samePoint(site *site, p *prover) bool {
	indices := l.syntax.Targets[0].Indices
	for k, sub := range site.access.Subscripts {
		bare := site.bare[k]
		if k < len(indices) && l.syntax.Targets[0].Shifted(k) {
			e, ok := p.affineOf(sub)
			if site.mode != plain || !ok || !e.Equal(affine.Symbol(indices[k].Name).Add(l.shifts[0][k])) {
				return false
			}
			continue
		}
		if e, ok := p.affineOf(sub); bare == nil && site.mode == plain && ok {
			if name, isSymbol := e.IsSymbol(); isSymbol && l.byName[name] != nil {
				bare = l.byName[name].Index
			}
		}
		if bare == nil || k >= len(indices) || bare.Name != indices[k].Name {
			return false
		}
	}
	return true
}

// apart reports whether an access reads no element that the statement writes: y(0)
// where i begins at 1.
func (l *lowering) apart(site *site, p *prover) bool {
	for k, sub := range site.access.Subscripts {
		e, ok := p.affineOf(sub)
		if !ok || k >= len(l.syntax.Targets[0].Indices) {
			continue
		}
		lo, hi, ok := p.inside.Extremes(e, p.box)
		if at := l.targetRange(0, k); ok && (p.inside.Proves(at.Min.Sub(hi).AddConst(-1)) || p.inside.Proves(lo.Sub(at.Min.Add(at.Extent)))) {
			return true
		}
	}
	return false
}

// recurrenceWays says how a recurrence is written, where an access has the form of
// one: it reads at a distance that is the same for all points.
func (l *lowering) recurrenceWays(site *site, p *prover) string {
	for k, ident := range l.syntax.Targets[0].Indices {
		if k >= len(site.access.Subscripts) || !l.behind(site, k, p) {
			continue
		}
		scan := fmt.Sprintf("%s scan(%s) +=! …", l.targetText(0), ident.Name)
		return "a running sum, product, minimum or maximum is a scan, " + scan + "; other recurrences take an ordered operator of MDH (docs/mdh.md); "
	}
	return ""
}

// behind reports whether an access reads dimension k at a fixed distance.
func (l *lowering) behind(site *site, k int, p *prover) bool {
	i := l.byName[l.syntax.Targets[0].Indices[k].Name]
	e, ok := p.affineOf(site.access.Subscripts[k])
	if !ok || site.mode != plain && site.mode != padded {
		return site.bare[k] == nil && usesIndex(site.access.Subscripts[k], i.Index)
	}
	distance, isConst := e.Sub(affine.Symbol(i.Name)).Sub(l.shifts[0][k]).IsConst()
	return isConst && distance != 0
}

// outsideOfTarget is the way out where a statement leaves the tensor that it writes.
func (s *statement) outsideOfTarget(c *constraint) string {
	text, t := oneLine(c.site.span.Text()), c.site.target
	help := fmt.Sprintf("%s is what %s held before this statement, which has no such element. A running sum, product, minimum or maximum is a scan, %s scan(%s) +=! …; other recurrences take an ordered operator of MDH (docs/mdh.md)",
		text, t.Name, s.targetText(0), s.syntax.Targets[0].Indices[min(c.dim, len(s.syntax.Targets[0].Indices)-1)].Name)
	if t.declared {
		help += fmt.Sprintf("; where the value before is meant, say what lies outside: pad(%s, 0)", oldText(c.site))
	}
	return help
}

// noShape reports a tensor that no statement gives a shape before it is read.
func (s *statement) noShape(r read) {
	help := s.def.declarationHelp(r.symbol)
	diag := s.errorf(source.CodeNoShape, r.pos, "the shape of %s is not known", r.Name)
	if s.writes(r.symbol) {
		diag.WithNote(s.syntax.Pos, "this statement writes %s, and reads what it held before", r.Name)
		help += fmt.Sprintf(", and write old(%s) for %s where the value before is meant", r.Name, r.Name)
	}
	diag.WithHelp("no statement decides it before it is needed; %s", help)
}

// declarationHelp says where the type and the shape of a tensor are declared.
func (d *def) declarationHelp(t *symbol) string {
	dtype, rank := t.Type, max(t.rank, 0)
	if dtype == tensor.Invalid {
		dtype = tensor.Float32
	}
	declared := fmt.Sprintf("%s %s", dtype, t.Name)
	if rank > 0 {
		names := make([]string, rank)
		for k := range names {
			names[k] = d.likelySize(k)
		}
		declared = fmt.Sprintf("%s(%s) %s", dtype, strings.Join(names, ", "), t.Name)
	}
	if t.Role == ein.Temp {
		return "declare it where it is first written: " + declared + strings.TrimPrefix((&symbol{Tensor: t.Tensor, rank: rank}).example(), t.Name) + " = …"
	}
	return "declare it among the outputs: -> (" + declared + ")"
}

// likelySize is the name of a size for dimension k of a declaration.
func (d *def) likelySize(k int) string {
	for _, z := range d.fn.Sizes {
		if z.Dim == k {
			return z.Name
		}
	}
	return string(rune('M' + k%8))
}
