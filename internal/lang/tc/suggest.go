package tc

import (
	"fmt"
	"maps"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How ranges are suggested
//
// A help that names a range must not lead into the next error, so a suggestion is
// tried: the statement is solved again with the range in place, on a copy of
// everything that the attempt writes, and only what succeeds is said.

// suggestRanges returns where clauses for unresolved indices with which the
// statement can be solved, or "".
func (s *statement) suggestRanges(l *lowering, list []*constraint) string {
	open := s.unresolved()
	var reduced []*index
	for _, i := range open {
		if !i.target {
			reduced = append(reduced, i)
		}
	}
	sets := [][]*index{open[:1], open}
	if len(reduced) > 0 {
		sets = append([][]*index{reduced[:1], reduced}, sets...)
	}
	for _, set := range sets {
		options := make([][]textRange, len(set))
		longest := 0
		for n, i := range set {
			options[n] = s.likelyRanges(i, l, list)
			longest = max(longest, len(options[n]))
		}
		for choice := range longest {
			ranges := map[*index]*syntax.RangeClause{}
			clauses := make([]string, len(set))
			for n, i := range set {
				option := options[n][min(choice, len(options[n])-1)]
				clauses[n] = fmt.Sprintf("%s in %s:%s", i.Name, option.lo, option.end)
				ranges[i] = option.clause(i)
			}
			if s.solvable(ranges) {
				return strings.Join(clauses, ", ")
			}
			// With these, others may have a range that begins below 0, which must be said.
			if below := s.below; len(below) > 0 {
				maps.Copy(ranges, clausesOf(below))
				if s.solvable(ranges) {
					return strings.Join(append(clauses, s.beginningRanges(below, true)), ", ")
				}
			}
		}
	}
	return ""
}

// A textRange is a range as it would be written.
type textRange struct{ lo, end string }

// clause is the range of an index, for a trial.
func (r textRange) clause(i *index) *syntax.RangeClause {
	return &syntax.RangeClause{Pos: i.pos, Index: syntax.Ident{Pos: i.pos, Name: i.Name}, Lo: parseBound(r.lo), Hi: parseBound(r.end)}
}

// likelyRanges lists ranges that somebody may mean for an index, the best first: to the
// size with the name of the index; those of the dimensions that it alone runs over; to
// any size; to a number.
func (s *statement) likelyRanges(i *index, l *lowering, list []*constraint) []textRange {
	window := []textRange{{"0", "3"}, {"0", "2"}, {"0", "1"}}
	var ranges []textRange
	for _, z := range s.def.fn.Sizes {
		if strings.EqualFold(z.Name, i.Name) {
			ranges = append(ranges, textRange{"0", z.Name})
		}
	}
	if len(s.siblings(i, list)) > 0 || s.inPower(i, list) {
		return append(ranges, window...)
	}
	for _, site := range l.sites {
		for k, sub := range site.access.Subscripts {
			if k < len(site.target.Dims) && usesIndex(sub, i.Index) {
				dim := site.target.Dims[k]
				ranges = append(ranges, textRange{dim.Min.String(), dim.Min.Add(dim.Extent).String()}, textRange{"0", dim.Extent.String()})
			}
		}
	}
	for _, z := range s.def.fn.Sizes {
		if z.Dim != ein.ScalarValue {
			ranges = append(ranges, textRange{"0", z.Name})
		}
	}
	return append(ranges, window...)
}

// inPower reports whether a constraint is not linear in the index, functions
// aside.
func (s *statement) inPower(i *index, list []*constraint) bool {
	for _, c := range list {
		for _, t := range c.offset.Terms() {
			power := 0
			for _, a := range t.Atoms {
				if a.Symbol == i.Name {
					power++
				}
			}
			if power > 1 {
				return true
			}
		}
	}
	return false
}

func usesIndex(e ein.Expr, i *ein.Index) bool {
	if ref, ok := e.(*ein.IndexRef); ok {
		return ref.Index == i
	}
	for _, child := range ein.Children(e) {
		if usesIndex(child, i) {
			return true
		}
	}
	return false
}

func parseBound(text string) syntax.Expr {
	e, _ := syntax.ParseExpr(source.NewFile("suggestion", text), 0, len(text))
	return e
}

// solvable tries the statement with ranges for some of its indices.
func (s *statement) solvable(ranges map[*index]*syntax.RangeClause) bool {
	if s.trying {
		return false
	}
	diags, failed := s.def.diags, s.failed
	s.def.diags, s.failed, s.trying, s.below = &source.Diagnostics{}, false, true, nil
	before := map[*index]*syntax.RangeClause{}
	for i, r := range ranges {
		before[i], i.explicit = i.explicit, r
	}
	defer func() {
		s.def.diags, s.failed, s.trying = diags, failed, false
		for i, r := range before {
			i.explicit = r
		}
	}()
	for _, r := range ranges {
		if r.Hi == nil {
			return false
		}
	}
	p := newProver(s.def)
	l, _ := s.lower()
	if !s.findShifts(p) {
		return false
	}
	list := l.constraints(true, p)
	if s.failed || !s.inferRanges(l, list, p) {
		return false
	}
	for _, c := range list {
		if !c.solved && !s.failed {
			s.proveAccess(c, p)
		}
	}
	for n, t := range s.targets {
		for k := range s.syntax.Targets[n].Indices {
			r := s.targetRange(n, k)
			if t.shaped && !s.failed && !s.def.decidesSize(t, k, r) {
				s.agree(n, k, r, p)
			}
		}
	}
	return !s.failed
}

// partOf returns the range lo:end of an index that lies inside of a dimension, if
// a statement may write a part of its target and the part is not empty.
func (s *statement) partOf(i *index, dim ein.Dim) (lo, end affine.Expr, ok bool) {
	p := newProver(s.def)
	lo = p.facts.Larger(i.min, dim.Min)
	end = p.facts.Smaller(i.end, dim.Min.Add(dim.Extent))
	text := &syntax.RangeClause{Pos: i.pos, Index: syntax.Ident{Pos: i.pos, Name: i.Name}, Lo: parseBound(lo.String()), Hi: parseBound(end.String())}
	if text.Lo == nil || text.Hi == nil {
		return lo, end, false
	}
	return lo, end, s.solvable(map[*index]*syntax.RangeClause{i: text})
}
