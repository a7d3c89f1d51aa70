package tc

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// How a tensor is defined piece by piece
//
// Several statements may each write a part of a tensor, with explicit ranges. When
// all ranges are known the statements are walked in the order of the text: what is
// read, and at the end the whole of every output, must have been written. Parts are
// boxes with symbolic ends, and what a box leaves of another is again a list of
// boxes; a rest that may or may not be empty becomes a condition on the sizes.

// A region is a box of elements of a tensor.
type region []span

// A span is an interval [lo, end).
type span struct{ lo, end affine.Expr }

// A use is a region of a tensor that a statement reads or writes.
type use struct {
	*symbol
	region region
	pos    source.Span
	fresh  bool // a write that does not need the old value
	// recurrent marks a read by the statement that writes the tensor, at writes.
	recurrent bool
	writes    source.Span
}

func (t *symbol) all() region {
	r := make(region, len(t.Dims))
	for k, dim := range t.Dims {
		r[k] = span{dim.Min, dim.Min.Add(dim.Extent)}
	}
	return r
}

// with returns a copy whose dimension k is another interval.
func (r region) with(k int, s span) region {
	copied := slices.Clone(r)
	copied[k] = s
	return copied
}

// empty reports whether a region is proved to have no elements.
func (r region) empty(facts *affine.Facts) bool {
	return slices.ContainsFunc(r, func(s span) bool { return facts.Proves(s.lo.Sub(s.end)) })
}

// without returns what a part leaves of a region, regions that may overlap. Where it is
// not known which of two ends is the lesser a region may be too large, which refuses
// too much; minima of minima would make every proof harder than the one before.
func (r region) without(part region, facts *affine.Facts) []region {
	var rest []region
	add := func(k int, s span) {
		if left := r.with(k, s); !left.empty(facts) {
			rest = append(rest, left)
		}
	}
	whole := r
	for k, p := range part {
		own := r[k]
		if facts.Proves(p.lo.Sub(own.end)) || facts.Proves(own.lo.Sub(p.end)) {
			return []region{whole}
		}
		before, behind, both := span{own.lo, p.lo}, span{p.end, own.end}, own
		if facts.Proves(own.lo.Sub(p.lo)) {
			before.end = own.lo
		}
		if facts.Proves(p.end.Sub(own.end)) {
			behind.lo = own.end
		}
		add(k, before)
		add(k, behind)
		if facts.Proves(p.lo.Sub(own.lo)) {
			both.lo = p.lo
		}
		if facts.Proves(own.end.Sub(p.end)) {
			both.end = p.end
		}
		r = r.with(k, both)
	}
	return rest
}

// uncovered returns what the parts leave of a region.
func uncovered(r region, parts []region, facts *affine.Facts) []region {
	rest := []region{r}
	if r.empty(facts) {
		rest = nil
	}
	for _, part := range parts {
		var left []region
		for _, piece := range rest {
			left = append(left, piece.without(part, facts)...)
		}
		if len(left) > mostRegions {
			return rest // more than there is, which refuses too much and nothing wrong
		}
		rest = left
	}
	return rest
}

// mostRegions bounds what parts of which nothing is known leave: each could halve
// every region again.
const mostRegions = 64

// hasPieces reports whether several statements give a tensor its first values, of
// which this one has an explicit range.
func (s *statement) hasPieces(t *symbol) bool {
	writers := 0
	for _, other := range s.def.statements {
		if at := slices.Index(other.targets, t); at >= 0 && !other.updates(at) && other.kind != defCall && other.kind != concatenation {
			writers++
		}
	}
	return writers > 1 && t.Role != ein.InOut
}

// hull widens the range of a dimension of an undeclared tensor to those that other
// statements give to it explicitly, where they are proved to reach further. None of
// these is empty, unless it says so, which their statements will require.
func (s *statement) hull(t *symbol, k int, own ein.Dim, p *prover) ein.Dim {
	facts := p.facts.Clone()
	var pieces []span
	for _, other := range s.def.statements {
		if piece, mayBeEmpty, ok := other.piece(t, k, p); ok && other != s {
			pieces = append(pieces, piece)
			if !mayBeEmpty {
				facts.Assume(piece.end.Sub(piece.lo).AddConst(-1))
			}
		}
	}
	all := span{own.Min, own.Min.Add(own.Extent)}
	for _, piece := range pieces {
		if facts.Proves(all.lo.Sub(piece.lo)) {
			all.lo = piece.lo
		}
		if facts.Proves(piece.end.Sub(all.end)) {
			all.end = piece.end
		}
	}
	return ein.Dim{Min: all.lo, Extent: all.end.Sub(all.lo)}
}

// piece is the explicit range of dimension k where a statement gives first values to
// a tensor.
func (s *statement) piece(t *symbol, k int, p *prover) (piece span, mayBeEmpty, ok bool) {
	at := slices.Index(s.targets, t)
	if at < 0 || s.failed || s.updates(at) || k >= len(s.syntax.Targets[at].Indices) {
		return piece, false, false
	}
	i := s.byName[s.syntax.Targets[at].Indices[k].Name]
	if i == nil || i.explicit == nil {
		return piece, false, false
	}
	s.budget = budgetNodes
	l := &lowering{statement: s}
	lo, bad := l.sizeExpr(i.explicit.Lo, p)
	if bad != nil {
		return piece, false, false
	}
	end, bad := l.sizeExpr(i.explicit.Hi, p)
	if bad != nil || !s.findShifts(p) {
		return piece, false, false
	}
	return span{lo.Add(s.shifts[at][k]), end.Add(s.shifts[at][k])}, i.MayBeEmpty, true
}

// noteUses records which elements a solved statement reads and writes.
func (l *lowering) noteUses(p *prover) {
	s := l.statement
	s.read, s.wrote = nil, nil
	for n, t := range s.targets {
		r := make(region, len(s.syntax.Targets[n].Indices))
		for k := range r {
			dim := s.targetRange(n, k)
			r[k] = span{dim.Min, dim.Min.Add(dim.Extent)}
		}
		fresh := !s.updates(n)
		s.wrote = append(s.wrote, use{symbol: t, region: r, pos: s.syntax.Targets[n].Pos, fresh: fresh})
		if !fresh {
			s.read = append(s.read, use{symbol: t, region: r, pos: s.syntax.Targets[n].Pos})
		}
	}
	for _, site := range l.sites {
		if !site.exists && site.target.Role != ein.Input {
			s.read = append(s.read, use{symbol: site.target, region: site.region(p), pos: site.span, recurrent: s.writes(site.target), writes: s.syntax.Targets[0].Pos})
		}
	}
}

// region is what an access may read: all of the tensor where that is not known.
func (s *site) region(p *prover) region {
	r := s.target.all()
	for k, sub := range s.access.Subscripts {
		if s.target.writers < 2 {
			break // all or nothing is written
		}
		e, ok := p.affineOf(sub)
		if !ok || k >= len(r) {
			continue
		}
		if lo, hi, ok := p.inside.Extremes(e, p.box); ok {
			r[k] = span{p.inside.Larger(r[k].lo, lo), p.inside.Smaller(r[k].end, hi.AddConst(1))}
		}
	}
	return r
}

// noteCallUses records that a call or concat reads and writes whole tensors.
func (s *statement) noteCallUses() {
	s.read, s.wrote = nil, nil
	for _, r := range s.reads() {
		s.read = append(s.read, use{symbol: r.symbol, region: r.all(), pos: r.pos})
	}
	for n, t := range s.targets {
		s.wrote = append(s.wrote, use{symbol: t, region: t.all(), pos: s.syntax.Targets[n].Pos, fresh: !s.updates(n)})
		if s.updates(n) {
			s.read = append(s.read, use{symbol: t, region: t.all(), pos: s.syntax.Targets[n].Pos})
		}
	}
}

// checkPieces walks the solved statements: what is read of tensors that are written
// piece by piece must have been written, and so must all of the outputs.
func (d *def) checkPieces() {
	if d.incomplete || d.diags.HasErrors() {
		return
	}
	written := map[*symbol][]use{}
	for _, s := range d.statements {
		for _, u := range s.read {
			if u.pieces && !d.diags.HasErrors() {
				d.requireWritten(u, written[u.symbol])
			}
		}
		for _, u := range s.wrote {
			written[u.symbol] = append(written[u.symbol], u)
		}
	}
	for _, t := range d.order {
		if pieces := written[t]; t.pieces && t.Role == ein.Output && !d.diags.HasErrors() {
			d.requireWritten(use{symbol: t, region: t.all(), pos: pieces[len(pieces)-1].pos}, pieces)
		}
	}
}

// requireWritten demands that the parts cover what is used.
func (d *def) requireWritten(u use, parts []use) {
	p := newProver(d)
	regions := make([]region, len(parts))
	for n, part := range parts {
		regions[n] = part.region
	}
	for _, hole := range uncovered(u.region, regions, p.facts) {
		if hole.empty(p.facts) { // by a condition for another
			continue
		}
		k := hole.maybeEmpty(u.symbol, p.facts)
		reason := "no statement writes " + u.Name + " at " + hole.String()
		if k < 0 || d.onlySmall(hole[k].lo.Sub(hole[k].end)) || p.require(hole[k].lo.Sub(hole[k].end), u.pos, reason) == affine.Never {
			d.reportHole(u, parts, hole)
			return
		}
	}
	p.commit(d)
}

// onlySmall reports whether e ≥ 0 says no more than that sizes of tensors are small, as
// 2 - N ≥ 0 does: nobody means a program for those.
func (d *def) onlySmall(e affine.Expr) bool {
	for _, t := range e.Terms() {
		if len(t.Atoms) == 0 {
			continue
		}
		z := d.sizes[t.Atoms[0].Symbol]
		if t.Coefficient > 0 || len(t.Atoms) > 1 || z == nil || z.Dim == ein.ScalarValue {
			return false
		}
	}
	return true
}

// maybeEmpty returns the dimension whose interval is the reason why a region may be
// empty, or -1: the first that is a part of the dimension and not proved to have a
// value.
func (r region) maybeEmpty(t *symbol, facts *affine.Facts) int {
	all := t.all()
	for k, s := range r {
		whole := s.lo.Equal(all[k].lo) && s.end.Equal(all[k].end)
		if !whole && !facts.Proves(s.end.Sub(s.lo).AddConst(-1)) {
			return k
		}
	}
	return -1
}

// String writes a region as ranges.
func (r region) String() string {
	text := ""
	for k, s := range r {
		if k > 0 {
			text += ", "
		}
		text += s.lo.String() + ":" + s.end.String()
	}
	return text
}

func (d *def) reportHole(u use, parts []use, hole region) {
	diag := d.diags.Errorf(source.CodeHole, u.pos, "%s has no value at %s: no statement writes it there", u.Name, hole)
	for _, part := range parts {
		diag.WithNote(part.pos, "%s is written at %s", u.Name, part.region)
	}
	diag.WithHelp("write the rest of %s before, or all of it and then parts over it; its range is %s", u.Name, u.all())
	if u.recurrent {
		diag.WithNote(u.writes, "this statement computes all values before it writes any, so it is no recurrence").
			WithHelp("a running sum, product, minimum or maximum is a scan: %s scan(i) +=! …; other recurrences take an ordered operator of MDH (docs/mdh.md)", u.symbol.example())
	}
}

// warnHidden warns of statements whose results later statements overwrite before
// anything reads them.
func (d *def) warnHidden() {
	if d.incomplete || d.diags.HasErrors() {
		return
	}
	for n, s := range d.statements {
		for _, u := range s.wrote {
			if other := d.hiddenBy(u, n); other != nil {
				d.diags.Warnf(source.CodeHidden, u.pos, "what this writes to %s is overwritten before anything reads it", u.Name).
					WithNote(other.pos, "%s is written here again", u.Name).
					WithHelp("delete one of the statements, give the later one a part, or use another name")
			}
		}
	}
}

// hiddenBy returns the write that hides the last of what statement number n writes.
func (d *def) hiddenBy(u use, n int) *use {
	var over []region
	for _, later := range d.statements[n+1:] {
		if slices.ContainsFunc(later.read, func(r use) bool { return r.symbol == u.symbol }) {
			return nil
		}
		for _, w := range later.wrote {
			if w.symbol != u.symbol {
				continue
			}
			if over = append(over, w.region); len(uncovered(u.region, over, d.facts)) == 0 {
				return &w
			}
		}
	}
	return nil
}
