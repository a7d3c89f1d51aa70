package tc

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// A prover collects what a statement needs of the sizes. It works on copies, so
// that an attempt that has to wait for other statements leaves nothing behind.
type prover struct {
	facts *affine.Facts // what holds in every call
	// inside is what holds besides where the value is computed: no range is empty.
	// It says nothing about writes, which happen even when a reduction is empty,
	// and it contradicts itself when a range is always empty.
	inside     *affine.Facts
	box        []affine.Range
	conditions []*ein.Condition
}

func newProver(d *def) *prover {
	return &prover{facts: d.facts.Clone(), inside: d.facts.Clone()}
}

// commit makes the conditions part of the def.
func (p *prover) commit(d *def) {
	d.facts = p.facts
	d.conditions = append(d.conditions, p.conditions...)
}

func (p *prover) assume(e affine.Expr) {
	p.facts.Assume(e)
	p.inside.Assume(e)
}

// require notes that e ≥ 0 must hold and returns what is known: Always needs
// nothing, Never is for the caller to report, everything else became a condition.
func (p *prover) require(e affine.Expr, pos source.Span, reason string) affine.Verdict {
	return p.requireUnder(p.facts, e, pos, reason)
}

func (p *prover) requireUnder(known *affine.Facts, e affine.Expr, pos source.Span, reason string) affine.Verdict {
	verdict := verdictOf(known, e)
	if verdict == affine.Always || verdict == affine.Never {
		return verdict
	}
	for _, part := range conjuncts(p.withoutDivision(e)) {
		switch verdictOf(known, part) {
		case affine.Always:
			continue
		case affine.Never:
			return affine.Never
		}
		part = inLowestTerms(p.withoutDivision(part))
		p.conditions = append(p.conditions, &ein.Condition{Pos: pos, Expr: part, Reason: reason})
		p.assume(part)
	}
	return verdict
}

// inLowestTerms divides by a common factor: 2·N - 3 ≥ 0 of whole numbers is N - 2 ≥ 0.
func inLowestTerms(e affine.Expr) affine.Expr {
	factor := int64(0)
	for _, t := range e.Terms() {
		if len(t.Atoms) == 0 {
			continue
		}
		for rest := t.Coefficient; rest != 0; {
			factor, rest = rest, factor%rest
		}
	}
	if factor = max(factor, -factor); factor < 2 {
		return e
	}
	return affine.Div(e, affine.Const(factor))
}

// conjuncts writes min(x, y) + r ≥ 0 as x + r ≥ 0 and y + r ≥ 0, and r − max(x, y)
// likewise, which is easier to read.
func conjuncts(e affine.Expr) []affine.Expr {
	for _, t := range e.Terms() {
		if len(t.Atoms) != 1 {
			continue
		}
		a := t.Atoms[0]
		if a.Op == affine.Min && t.Coefficient > 0 || a.Op == affine.Max && t.Coefficient < 0 {
			rest := e.Sub(affine.Apply(a.Op, a.X, a.Y).Scale(t.Coefficient))
			return append(conjuncts(rest.Add(a.X.Scale(t.Coefficient))), conjuncts(rest.Add(a.Y.Scale(t.Coefficient)))...)
		}
	}
	return []affine.Expr{e}
}

// verdictOf is Facts.Sign without the search for examples that tells Sometimes
// from Unknown: both become conditions.
func verdictOf(known *affine.Facts, e affine.Expr) affine.Verdict {
	switch {
	case known.Proves(e):
		return affine.Always
	case known.Proves(e.Scale(-1).AddConst(-1)):
		return affine.Never
	}
	return affine.Unknown
}

// withoutDivision writes c·⌊x/y⌋ + n ≥ 0 as x + ⌊n/c⌋·y ≥ 0, which is the same for
// positive y and easier to read.
func (p *prover) withoutDivision(e affine.Expr) affine.Expr {
	for _, t := range e.Terms() {
		if t.Coefficient < 1 || len(t.Atoms) != 1 || t.Atoms[0].Op != affine.FloorDiv {
			continue
		}
		x, y := t.Atoms[0].X, t.Atoms[0].Y
		if t.Coefficient > 1 {
			n, isConst := e.Sub(affine.Div(x, y).Scale(t.Coefficient)).IsConst()
			if !isConst {
				continue
			}
			rest, _ := affine.Div(affine.Const(n), affine.Const(t.Coefficient)).IsConst()
			e = affine.Div(x, y).AddConst(rest) // the same of whole numbers
		}
		rest, isConst := e.Sub(affine.Div(x, y)).IsConst()
		if isConst && p.facts.Proves(y.AddConst(-1)) {
			return p.withoutDivision(x.Add(y.Scale(rest)))
		}
	}
	return e
}

// Require and RequireEqual are what calls ask of a prover.
func (p *prover) Require(e affine.Expr, at source.Span, reason string) affine.Verdict {
	return p.require(e, at, reason)
}

// RequireEqual requires e = f.
func (p *prover) RequireEqual(e, f affine.Expr, at source.Span, reason string) affine.Verdict {
	return p.requireEqual(e, f, at, reason)
}

// requireEqual requires e = f; Never means that they differ for all sizes.
func (p *prover) requireEqual(e, f affine.Expr, pos source.Span, reason string) affine.Verdict {
	difference := e.Sub(f)
	if n, ok := difference.IsConst(); ok {
		if n == 0 {
			return affine.Always
		}
		return affine.Never
	}
	above, below := verdictOf(p.facts, difference), verdictOf(p.facts, difference.Scale(-1))
	switch {
	case above == affine.Always && below == affine.Always:
		return affine.Always
	case above == affine.Never || below == affine.Never:
		return affine.Never
	}
	if p.require(difference, pos, reason) == affine.Never || p.require(difference.Scale(-1), pos, reason) == affine.Never {
		return affine.Never
	}
	return affine.Sometimes
}

// equal reports whether two intervals are proved to be the same.
func (p *prover) equal(a, b ein.Dim) bool {
	same := func(x affine.Expr) bool { return p.facts.Proves(x) && p.facts.Proves(x.Scale(-1)) }
	return same(a.Min.Sub(b.Min)) && same(a.Extent.Sub(b.Extent))
}

// The limits keep proofs from overflowing and from growing beyond all bounds: a
// subscript with larger numbers or more terms counts as one that is not affine and
// is tested while running.
const (
	largestFactor = 1 << 24
	largestNumber = 1 << 36
	mostTerms     = 64
	deepest       = 6 // functions (/ % min max) in functions
)

// moderate reports whether an expression is within the limits.
func moderate(e affine.Expr) bool {
	if len(e.Terms()) > mostTerms || functionDepth(e) > deepest {
		return false
	}
	for _, t := range e.Terms() {
		limit := int64(largestFactor)
		if len(t.Atoms) == 0 {
			limit = largestNumber
		}
		if t.Coefficient > limit || t.Coefficient < -limit {
			return false
		}
	}
	return true
}

// functionDepth counts how deep functions are nested in functions.
func functionDepth(e affine.Expr) int {
	deep := 0
	for _, t := range e.Terms() {
		for _, a := range t.Atoms {
			if a.Op != "" {
				deep = max(deep, 1+functionDepth(a.X), 1+functionDepth(a.Y))
			}
		}
	}
	return deep
}

// affineOf is ein.AffineOf that also divides by size expressions: they must be
// positive, which is proved or becomes a condition.
func (p *prover) affineOf(e ein.Expr) (affine.Expr, bool) {
	x, ok := p.affineNode(e)
	return x, ok && moderate(x)
}

func (p *prover) affineNode(e ein.Expr) (affine.Expr, bool) {
	b, ok := e.(*ein.Binary)
	if !ok || (b.Op != ein.Div && b.Op != ein.Mod) {
		return p.affineParts(e)
	}
	x, okX := p.affineOf(b.X)
	y, okY := p.affineOf(b.Y)
	if !okX || !okY {
		return affine.Expr{}, false
	}
	if n, ok := y.IsConst(); ok && n == 0 {
		return affine.Expr{}, false // ein defines x/0, affine does not
	} else if !ok && usesIndices(b.Y) {
		if !p.inside.ProvesWhere(y.AddConst(-1), nil, p.box) {
			return affine.Expr{}, false
		}
	} else if !ok {
		reason := fmt.Sprintf("the divisor %s in %s must be positive", y, oneLine(b.Pos.Text()))
		if p.require(y.AddConst(-1), b.Pos, reason) == affine.Never {
			return affine.Expr{}, false
		}
	}
	if b.Op == ein.Div {
		return affine.Div(x, y), true
	}
	return affine.Rem(x, y), true
}

// affineParts converts sums, products, minima and maxima by their operands.
func (p *prover) affineParts(e ein.Expr) (affine.Expr, bool) {
	if u, ok := e.(*ein.Unary); ok && u.Op == ein.Neg {
		x, ok := p.affineOf(u.X)
		return x.Scale(-1), ok
	}
	b, ok := e.(*ein.Binary)
	if !ok || b.Op > ein.Max {
		return ein.AffineOf(e)
	}
	x, okX := p.affineOf(b.X)
	y, okY := p.affineOf(b.Y)
	if !okX || !okY {
		return affine.Expr{}, false
	}
	switch b.Op {
	case ein.Add:
		return x.Add(y), true
	case ein.Sub:
		return x.Sub(y), true
	case ein.Mul:
		return x.Mul(y), true
	case ein.Min:
		return affine.MinOf(x, y), true
	}
	return affine.MaxOf(x, y), true
}

// inBounds reports which ends of a dimension a subscript is proved to respect.
func (p *prover) inBounds(sub ein.Expr, dim ein.Dim) (low, high bool) {
	e, ok := p.affineOf(sub)
	if !ok {
		return false, false
	}
	lo, hi, ok := p.inside.Extremes(e, p.box)
	if !ok {
		return false, false
	}
	return p.inside.Proves(lo.Sub(dim.Min)), p.inside.Proves(dim.Min.Add(dim.Extent).AddConst(-1).Sub(hi))
}

// proveAccess settles a constraint that no round has used: it is proved, refuted
// (an error), turned into a condition, or left to a test while running.
func (s *statement) proveAccess(c *constraint, p *prover) {
	if c.where.Known() {
		s.proveUnder(c, p)
		return
	}
	lo, hi, ok := p.inside.Extremes(c.offset, p.box)
	if !ok {
		// The later stages prove no more than Extremes does, so the test stays
		// where the condition makes it superfluous.
		c.site.access.Checked = true
		if lo, hi, ok = p.monotone(c.offset); !ok {
			c.site.unproved = true
			return
		}
	}
	dim := c.site.access.Tensor.Dims[c.dim]
	for _, need := range c.needs(dim, lo, hi) {
		if p.requireUnder(p.inside, need.least, c.site.span, need.reason) == affine.Never {
			s.outOfBounds(c, need.reason)
			return
		}
	}
}

// A boundNeed says that an expression must not be negative.
type boundNeed struct {
	least  affine.Expr
	reason string
}

// needs are what keeps an access in a dimension whose offset lies between lo and hi.
func (c *constraint) needs(dim ein.Dim, lo, hi affine.Expr) []boundNeed {
	text, name := oneLine(c.site.span.Text()), c.site.target.Name
	first, last := dim.Min.Add(lo), dim.Min.Add(hi)
	low := fmt.Sprintf("%s reads dimension %d of %s from %s, and it begins at %s", text, c.dim, name, first, dim.Min)
	high := fmt.Sprintf("%s reads dimension %d of %s up to %s, and it ends at %s", text, c.dim, name, last, dim.Min.Add(dim.Extent).AddConst(-1))
	return []boundNeed{{lo, low}, {c.extent.AddConst(-1).Sub(hi), high}}
}

// monotone bounds a polynomial with powers of one index that is never negative
// where all its terms grow, or all shrink, with the index.
func (p *prover) monotone(e affine.Expr) (lo, hi affine.Expr, ok bool) {
	var only *affine.Range
	for n, r := range p.box {
		switch {
		case !e.Uses(r.Symbol):
		case only != nil:
			return lo, hi, false
		default:
			only = &p.box[n]
		}
	}
	if only == nil || !p.inside.Proves(only.Min) {
		return lo, hi, false
	}
	grows, shrinks := true, true
	for _, t := range e.Terms() {
		factor, power := affine.Const(t.Coefficient), 0
		for _, a := range t.Atoms {
			switch {
			case a.Op != "":
				return lo, hi, false
			case a.Symbol == only.Symbol:
				power++
			default:
				factor = factor.Mul(affine.Symbol(a.Symbol))
			}
		}
		if power > 0 {
			grows = grows && p.inside.Proves(factor)
			shrinks = shrinks && p.inside.Proves(factor.Scale(-1))
		}
	}
	first := e.Subst(map[string]affine.Expr{only.Symbol: only.Min})
	last := e.Subst(map[string]affine.Expr{only.Symbol: only.Last()})
	if shrinks {
		return last, first, true
	}
	return first, last, grows
}

// warnUnproved says which accesses are tested while running although their
// subscripts do not depend on data.
func (l *lowering) warnUnproved(p *prover) {
	for _, s := range l.sites {
		if s.mode != plain || !s.access.Checked || s.exists {
			continue
		}
		unproved := s.unproved
		for _, sub := range s.access.Subscripts {
			if ein.DependsOnData(sub) {
				unproved = false
				break
			}
			if _, ok := p.affineOf(sub); !ok {
				unproved = true
			}
		}
		if unproved {
			l.def.warnOnce(l.statement, source.CodeUnproved, s.span, "%s is not proved to be in bounds, and is tested while running", oneLine(s.span.Text())).
				WithHelp("a subscript of sums, products with sizes, /, %%, min and max is proved; clamp(…), wrap(…) and pad(…, value) keep any in range")
		}
	}
}

func (s *statement) outOfBounds(c *constraint, reason string) {
	diag := s.errorf(source.CodeOutOfBounds, c.site.span, "%s: out of bounds for all sizes", reason)
	s.noteRanges(diag, c)
	if s.writes(c.site.target) && len(s.syntax.Targets[0].Indices) > 0 {
		diag.WithHelp("%s", s.outsideOfTarget(c))
		return
	}
	if help := s.countedOtherwise(c); help != "" {
		diag.WithHelp("%s", help)
		return
	}
	diag.WithHelp("change the subscript or the range, or say what lies outside: pad(%s, 0)", inLine(c.site.span.Text()))
}

// countedOtherwise is the help for a subscript that counts from 1, or back from
// the end; for others it is "".
func (s *statement) countedOtherwise(c *constraint) string {
	t, extent := c.site.target, c.extent.String()
	if start, ok := t.Dims[c.dim].Min.IsConst(); !ok || start != 0 {
		return ""
	}
	if n, ok := c.offset.IsConst(); ok && n < 0 && len(t.Dims) == 1 {
		return fmt.Sprintf("subscripts do not count from the end: the last element is %s(%s)", t.Name, c.extent.AddConst(-1))
	}
	fromOne := c.offset.Equal(c.extent)
	if name, ok := c.offset.IsSymbol(); ok {
		if i := s.byName[name]; i != nil && i.explicit != nil {
			lo, isNumber := i.min.IsConst()
			fromOne = isNumber && lo == 1 && i.end.Equal(c.extent.AddConst(1))
		}
	}
	if !fromOne {
		return ""
	}
	return fmt.Sprintf("elements are counted from 0, so that the last of %s is %s", extent, c.extent.AddConst(-1))
}

// noteRanges says over what the indices of an access run.
func (s *statement) noteRanges(diag *source.Diagnostic, c *constraint) {
	for _, i := range s.indices {
		if c.offset.Uses(i.Name) {
			diag.WithNote(i.where(), "%s runs over %s:%s", i.Name, i.min, i.end)
		}
	}
}

// where is the place that decided the range of an index.
func (i *index) where() source.Span {
	if i.explicit != nil {
		return i.explicit.Pos
	}
	if len(i.origin) > 0 {
		return i.origin[0].span
	}
	return i.pos
}

// essentialConditions drops conditions that follow from the others.
func (d *def) essentialConditions() []*ein.Condition {
	kept := append([]*ein.Condition(nil), d.conditions...)
	for n := len(kept) - 1; n >= 0; n-- {
		facts := affine.NewFacts()
		for _, z := range d.fn.Sizes {
			d.boundSize(facts, z)
		}
		for m, other := range kept {
			if m != n {
				facts.Assume(other.Expr)
			}
		}
		if facts.Proves(kept[n].Expr) {
			kept = append(kept[:n], kept[n+1:]...)
		}
	}
	return kept
}
