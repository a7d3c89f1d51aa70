package tc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How range inference works
//
// Every dimension of every access with an affine subscript is a constraint
// 0 ≤ subscript − min < extent. Indices with a range in the where clause are
// resolved. A round looks at the constraints with exactly one unresolved index,
// solves each for the largest interval that holds for all values of the resolved
// indices, and intersects the intervals of an index; then these indices count as
// resolved. When no round gets further, an index of the left side takes the range
// of the dimension it writes, if the tensor has its shape, and the rounds go on;
// then an index that is a whole subscript under pad, clamp, mirror or wrap takes
// the range of that dimension, and the rounds go on.
// Constraints that determined an index hold by construction; all others are
// proved afterwards (prove.go).

// A constraint is 0 ≤ offset < extent for one dimension of one access.
type constraint struct {
	site           *site
	dim            int
	offset, extent affine.Expr
	solved         bool             // it determined the range of an index
	where          ein.Alternatives // what the conditions around the access say
	complete       bool             // where has all of it
	spokenOf       map[string]bool  // the indices that they speak of, whose ranges it does not narrow
}

// A bound is an interval [lo, end) that a place gives to an index.
type bound struct {
	lo, end affine.Expr
	span    source.Span
	what    string
	// declared is set where the index alone is the subscript of a dimension that
	// the user has written down: such dimensions are meant to be equal.
	declared bool
	site     *site // the access, if it is one, and its dimension
	dim      int
}

// constraints lists what the accesses demand of tensors whose shape was known, or
// not known, when the statement was begun: a target that is read may get its shape
// from the statement itself. An access with a subscript that is not affine is
// tested while running.
func (l *lowering) constraints(known bool, p *prover) []*constraint {
	var list []*constraint
	for _, s := range l.sites {
		if s.mode != plain || s.known != known {
			continue
		}
		where, complete := l.where(s, p)
		spokenOf := l.spokenOf(s, p)
		for k, sub := range s.access.Subscripts {
			e, ok := p.affineOf(sub)
			if !ok {
				s.access.Checked = true
				continue
			}
			dim := s.access.Tensor.Dims[k]
			list = append(list, &constraint{site: s, dim: k, offset: e.Sub(dim.Min), extent: dim.Extent, where: where, complete: complete, spokenOf: spokenOf})
		}
	}
	return list
}

// inferRanges resolves the indices; false means that some stay unresolved or an
// error was reported.
func (s *statement) inferRanges(l *lowering, list []*constraint, p *prover) bool {
	for _, i := range s.indices {
		i.resolved, i.origin = false, nil
		if i.explicit != nil && !s.explicitRange(i, l, p) {
			return false
		}
	}
	for {
		for s.round(list, p) {
			if s.failed {
				return false
			}
		}
		if !s.rangesOfTarget(p) && !s.rangesOfMoved(l, list, p) {
			break
		}
	}
	return !s.failed && len(s.unresolved()) == 0
}

func (s *statement) unresolved() []*index {
	var list []*index
	for _, i := range s.indices {
		if !i.resolved {
			list = append(list, i)
		}
	}
	return list
}

// explicitRange evaluates "i in lo:hi".
func (s *statement) explicitRange(i *index, l *lowering, p *prover) bool {
	lo, bad := l.sizeExpr(i.explicit.Lo, p)
	hi := affine.Expr{}
	if bad == nil {
		hi, bad = l.sizeExpr(i.explicit.Hi, p)
	}
	if s.failed {
		return false
	}
	if bad != nil && s.undeclaredBound(i, bad) {
		return false
	}
	if bad != nil {
		diag := s.errorf(source.CodeRangeBound, bad.Span(), "the range of %s may not use %s", i.Name, oneLine(bad.Span().Text()))
		if name, ok := bad.(*syntax.Name); ok && s.byName[name.Name] != nil {
			diag.WithHelp("%s", s.boxHelp(i))
			return false
		}
		diag.WithHelp("bounds are made of numbers, sizes (also A.0), integer scalar inputs and + - * / %% min max")
		return false
	}
	if !moderate(lo) || !moderate(hi) {
		s.errorf(source.CodeRangeBound, i.explicit.Pos, "the range of %s has numbers beyond %d", i.Name, int64(largestNumber))
		return false
	}
	s.resolve(i, bound{lo: lo, end: hi, span: i.explicit.Pos, what: "the where clause"}, p)
	return !s.failed
}

// boxHelp writes a statement in which the range of an index depends on another one with
// a condition instead.
func (s *statement) boxHelp(i *index) string {
	condition := ""
	for _, end := range []struct {
		e        syntax.Expr
		operator string
	}{{i.explicit.Lo, ">="}, {i.explicit.Hi, "<"}} {
		depends := false
		eachName(end.e, func(name string, _ source.Span, apply bool) { depends = depends || !apply && s.byName[name] != nil })
		switch {
		case depends && condition != "":
			condition += " && "
			fallthrough
		case depends:
			condition += fmt.Sprintf("%s %s %s", i.Name, end.operator, oneLine(end.e.Span().Text()))
		}
	}
	nothing, known := map[string]string{"": "0", "+": "0", "*": "1", "|": "0", "^": "0", "&": "~0"}[s.syntax.Assign.Op]
	if !known {
		nothing = "…"
	}
	help := fmt.Sprintf("ranges do not depend on other indices: give %s its whole range and choose, %s %s %s ? %s : %s", i.Name, s.targetText(0), s.syntax.Assign, condition,
		oneLine(s.syntax.Value.Span().Text()), nothing)
	if len(s.syntax.Targets[0].Indices) > 0 {
		help += fmt.Sprintf("; sums over all values up to one are scans: S(%s) scan(%[1]s) +=! A(%[1]s)", s.syntax.Targets[0].Indices[0].Name)
	}
	return help
}

// round solves the constraints with one unresolved index; it reports whether an
// index was resolved.
func (s *statement) round(list []*constraint, p *prover) bool {
	found, wide := map[*index][]bound{}, map[*index]bool{}
	var below []beginning
	for _, c := range list {
		i := s.onlyUnresolved(c.offset)
		if i == nil || c.spokenOf[i.Name] {
			continue
		}
		if lo, end, ok := s.solve(c, i, p); ok {
			c.solved = true
			what := fmt.Sprintf("dimension %d of %s", c.dim, c.site.target.Name)
			wide[i] = wide[i] || !c.extent.Equal(affine.Const(1))
			if s.belowZero(c, lo, p) {
				below = append(below, beginning{i, c, bound{lo: lo, end: end}})
			}
			declared := c.site.target.declared && c.offset.Equal(affine.Symbol(i.Name))
			found[i] = append(found[i], bound{p.facts.Larger(lo, affine.Const(0)), end, c.site.span, what, declared, c.site, c.dim})
		}
	}
	s.refuseBeginnings(below)
	s.resolveFound(found, p)
	for _, i := range s.indices {
		if wide[i] && !s.failed && i.end.Sub(i.min).Equal(affine.Const(1)) {
			s.warnCollapsed(i)
		}
	}
	return len(found) > 0
}

// warnCollapsed says that an index, of whose range nothing is written, has one value whatever the
// sizes are: another index has taken all of the dimension, or a dimension of size 1 is meant to be
// repeated, which it never is.
func (s *statement) warnCollapsed(i *index) {
	diag := s.def.warnOnce(s, source.CodeCollapsed, i.pos, "%s has only the value %s, whatever the sizes are", i.Name, i.min)
	noteBounds(diag, i.origin)
	diag.WithHelp("give %s the range that is meant, and leave that of the other indices to be inferred; or say that it has one value: where %[1]s in %s:%s", i.Name, i.min, i.end)
}

// onlyUnresolved returns the unresolved index of e if there is exactly one.
func (s *statement) onlyUnresolved(e affine.Expr) *index {
	var only *index
	for _, i := range s.indices {
		if i.resolved || !e.Uses(i.Name) {
			continue
		}
		if only != nil {
			return nil
		}
		only = i
	}
	return only
}

// solve finds the interval [lo, end) of the index that a constraint allows. A
// coefficient that is a size expression of unknown sign must be positive, which
// becomes a condition.
func (s *statement) solve(c *constraint, i *index, p *prover) (lo, end affine.Expr, ok bool) {
	next := c.offset.Subst(map[string]affine.Expr{i.Name: affine.Symbol(i.Name).AddConst(1)})
	if factor := next.Sub(c.offset); s.onlySizes(factor) {
		if _, isConst := factor.IsConst(); !isConst && !p.facts.Proves(factor.Scale(-1).AddConst(-1)) {
			reason := fmt.Sprintf("the step %s of %s in %s must be positive", factor, i.Name, oneLine(c.site.span.Text()))
			if p.require(factor.AddConst(-1), c.site.span, reason) == affine.Never {
				return lo, end, false
			}
		}
	}
	lo, hi, ok := p.inside.SolveInterval(c.offset, i.Name, c.extent, p.box)
	return lo, hi.AddConst(1), ok
}

func (s *statement) onlySizes(e affine.Expr) bool {
	for _, i := range s.indices {
		if e.Uses(i.Name) {
			return false
		}
	}
	return true
}

// intersect takes the largest lower and the smallest upper ends.
func (s *statement) intersect(i *index, bounds []bound, p *prover) bound {
	all := bounds[0]
	for _, b := range bounds[1:] {
		all.lo, all.end = p.facts.Larger(all.lo, b.lo), p.facts.Smaller(all.end, b.end)
	}
	decided, single := false, all.end.Sub(all.lo).Equal(affine.Const(1))
	for _, b := range bounds {
		decided = decided || b.end.Equal(all.end)
	}
	if i.lesser = !decided || differ(bounds, p) && !single; i.lesser {
		diag := s.def.warnOnce(s, source.CodeLesser, i.pos, "%s runs over the lesser of several sizes, %s:%s", i.Name, all.lo, all.end)
		noteBounds(diag, bounds)
		diag.WithHelp("give the dimensions the same name if they are equal, or say what is meant: %s", s.sayRange(i, all.lo, all.end))
	}
	return all
}

// differ reports whether dimensions that are meant to be equal are not: the index
// silently leaves out what only one of them has.
func differ(bounds []bound, p *prover) bool {
	var first *bound
	for n, b := range bounds {
		switch {
		case !b.declared:
		case first == nil:
			first = &bounds[n]
		case !b.end.Equal(first.end):
			if difference := b.end.Sub(first.end); !p.facts.Proves(difference) || !p.facts.Proves(difference.Scale(-1)) {
				return true
			}
		}
	}
	return false
}

// noteBounds tells what each access allows, of accesses that allow the same the first.
func noteBounds(diag *source.Diagnostic, bounds []bound) {
	told := map[string]bool{}
	for _, b := range bounds {
		text := fmt.Sprintf("%s allows %s:%s", b.what, b.lo, b.end)
		if !told[text] {
			diag.WithNote(b.span, "%s", text)
		}
		told[text] = true
	}
}

// resolve fixes the range of an index and demands that it is not empty.
func (s *statement) resolve(i *index, b bound, p *prover) {
	i.resolved, i.min, i.end = true, b.lo, b.end
	if len(i.origin) == 0 {
		i.origin = []bound{b}
	}
	extent := b.end.Sub(b.lo)
	if i.MayBeEmpty {
		s.mayBeEmpty(i, extent, p)
	} else {
		reason := fmt.Sprintf("the range %s:%s of %s is not empty", b.lo, b.end, i.Name)
		if p.require(extent.AddConst(-1), i.where(), reason) == affine.Never {
			s.emptyRange(i)
			return
		}
	}
	p.box = append(p.box, affine.Range{Symbol: i.Name, Min: b.lo, Extent: extent})
}

// mayBeEmpty lets a range vanish: a size that is the whole range may then be
// zero, and within the statement the range counts as not empty.
func (s *statement) mayBeEmpty(i *index, extent affine.Expr, p *prover) {
	if name, ok := extent.IsSymbol(); ok && s.def.sizes[name] != nil && s.def.sizes[name].Dim != ein.ScalarValue {
		s.def.zeroFound[name] = true
	}
	if !p.facts.Proves(extent) {
		i.end = i.min.Add(affine.MaxOf(affine.Const(0), extent))
	}
	p.inside.Assume(extent.AddConst(-1))
}

func (s *statement) emptyRange(i *index) {
	if i.explicit != nil {
		s.errorf(source.CodeEmptyRange, i.explicit.Pos, "the range %s:%s of %s is empty for all sizes", i.min, i.end, i.Name).
			WithHelp("a range is written from its first value to one beyond its last, 0:N; one that may be empty says so: where %s in %s:%s or empty", i.Name, i.min, i.end)
		return
	}
	diag := s.errorf(source.CodeEmptyRange, i.where(), "no value of %s is in bounds: its range %s:%s is empty for all sizes", i.Name, i.min, i.end)
	noteBounds(diag, i.origin)
	diag.WithHelp("change the subscripts or the dimensions, or say what lies outside with pad, clamp, mirror or wrap")
}

// rangesOfTarget gives unresolved indices of the left side the range of the
// dimension that they write.
func (s *statement) rangesOfTarget(p *prover) bool {
	progress := false
	for n, t := range s.targets {
		if !t.shaped {
			continue
		}
		for k, ident := range s.syntax.Targets[n].Indices {
			i := s.byName[ident.Name]
			if i == nil || i.resolved || k >= len(t.Dims) {
				continue
			}
			dim := t.Dims[k]
			s.def.markSizes(dim.Extent)
			lo := dim.Min.Sub(s.shifts[n][k])
			s.resolve(i, bound{lo: lo, end: lo.Add(dim.Extent), span: ident.Pos, what: fmt.Sprintf("dimension %d of %s", k, t.Name)}, p)
			progress = true
		}
	}
	return progress && !s.failed
}

// rangesOfMoved gives unresolved indices that are whole subscripts under a
// boundary function, like n in pad(A(n, i-1), 0), or under a condition that speaks of
// them, like i in i > 0 ? A(i-1) : A(i), the range of the dimension.
func (s *statement) rangesOfMoved(l *lowering, list []*constraint, p *prover) bool {
	found := map[*index][]bound{}
	for _, site := range l.sites {
		guarded := slices.ContainsFunc(list, func(c *constraint) bool { return c.site == site && len(c.spokenOf) > 0 })
		if site.mode == plain && !guarded || !site.known {
			continue
		}
		for k, bare := range site.bare {
			if bare == nil || s.byName[bare.Name].resolved {
				continue
			}
			dim := site.access.Tensor.Dims[k]
			i := s.byName[bare.Name]
			what := fmt.Sprintf("dimension %d of %s", k, site.target.Name)
			found[i] = append(found[i], bound{dim.Min, dim.Min.Add(dim.Extent), site.span, what, site.target.declared, site, k})
		}
	}
	s.resolveFound(found, p)
	return len(found) > 0 && !s.failed
}

// resolveFound intersects and fixes the intervals found for indices.
func (s *statement) resolveFound(found map[*index][]bound, p *prover) {
	for _, i := range s.indices {
		if bounds := found[i]; bounds != nil && !s.failed {
			i.origin = bounds
			s.resolve(i, s.intersect(i, bounds, p), p)
		}
	}
}

// reportUnresolved explains why the ranges cannot be inferred.
func (s *statement) reportUnresolved(l *lowering, list []*constraint) {
	open, why := s.unresolved(), s.whyUnresolved(l, list)
	names := make([]string, len(open))
	for n, i := range open {
		names[n] = i.Name
	}
	first := open[0]
	subject := "the range of " + first.Name
	if len(names) > 1 {
		subject = "the ranges of " + strings.Join(names, " and ")
	}
	diag := s.errorf(source.CodeUnresolved, first.pos, "%s cannot be inferred: %s", subject, why)
	noted := map[*constraint]bool{}
	for _, i := range open {
		for _, c := range list {
			if c.offset.Uses(i.Name) && !noted[c] {
				noted[c] = true
				diag.WithNote(c.site.span, "dimension %d of %s demands 0 <= %s < %s", c.dim, c.site.target.Name, c.offset, c.extent)
			}
		}
		if i != first {
			diag.WithNote(i.pos, "%s is unknown as well", i.Name)
		}
	}
	ranges := s.suggestRanges(l, list)
	switch best := nearest(first.Name, s.def.names()); {
	case best != "" && len(first.Name) > 2 && ranges == "":
		diag.WithHelp("did you mean %s?", best)
	case best != "" && len(first.Name) > 2:
		diag.WithHelp("did you mean %s? Otherwise give a range, for instance: where %s%s", best, ranges, s.exceptRepeated(open...))
	case ranges == "":
		diag.WithHelp("give a range to %s in the where clause%s", strings.Join(names, " and "), s.exceptRepeated(open...))
	default:
		diag.WithHelp("give a range, for instance: where %s%s", ranges, s.exceptRepeated(open...))
	}
}

// siblings lists the constraints of an index that have other unresolved indices.
func (s *statement) siblings(i *index, list []*constraint) []*constraint {
	var found []*constraint
	for _, c := range list {
		if c.offset.Uses(i.Name) && s.onlyUnresolved(c.offset) == nil {
			found = append(found, c)
		}
	}
	return found
}

func (s *statement) whyUnresolved(l *lowering, list []*constraint) string {
	i := s.unresolved()[0]
	for _, c := range list {
		if c.offset.Uses(i.Name) && s.onlyUnresolved(c.offset) != nil && !c.spokenOf[i.Name] {
			return fmt.Sprintf("%s is not linear in %s", oneLine(c.site.span.Text()), i.Name)
		}
	}
	switch {
	case len(s.siblings(i, list)) > 0:
		return i.Name + " occurs only together with other unknown indices"
	case i.target && !s.targets[0].shaped && s.onRight(i) && s.readsTarget():
		return "nothing but " + s.targets[0].Name + " depends on " + i.Name + ", and its shape is not known"
	case i.target && !s.targets[0].shaped && !s.onRight(i):
		return i.Name + " is only on the left side, and the shape of " + s.targets[0].Name + " is not known"
	}
	for n, site := range l.sites {
		for _, sub := range site.access.Subscripts {
			switch {
			case !usesIndex(sub, i.Index):
			case slices.ContainsFunc(list, func(c *constraint) bool { return c.site == site && c.spokenOf[i.Name] }):
				return "the condition around " + oneLine(site.span.Text()) + " says where it is read, so that it does not constrain " + i.Name
			case site.mode != plain:
				return "accesses under " + site.mode.name() + " may leave the tensor and do not constrain " + i.Name
			case dependsOnData(l.sites[n : n+1]):
				return "subscripts that depend on data do not constrain " + i.Name
			}
		}
	}
	return "no access that must be in bounds depends on " + i.Name
}

// readsTarget reports whether the value uses the old value of the target.
func (s *statement) readsTarget() bool {
	for _, r := range s.reads() {
		if r.symbol == s.targets[0] {
			return true
		}
	}
	return false
}

// onRight reports whether an index occurs in the value.
func (s *statement) onRight(i *index) bool {
	found := false
	eachName(s.syntax.Value, func(name string, _ source.Span, apply bool) { found = found || !apply && name == i.Name })
	return found
}
