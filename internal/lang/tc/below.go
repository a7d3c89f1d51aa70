package tc

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How ranges begin
//
// An inferred range begins at 0 at the least: indices count from 0, as those of
// arrays do. A tensor of the program may begin below 0, where a range says so. An
// index that reads it without a range of its own would then leave its first
// elements out, and a sum would be one over a part, in silence. Such a statement
// is refused, and the help has both ranges that may be meant.

//
// Calls and concat take tensors as arrays, whose elements count from 0: where a
// tensor begins elsewhere its elements get other indices, which is warned of.

// A beginning is an index that would not reach the first elements of a tensor.
type beginning struct {
	index *index
	at    *constraint
	bound bound // as the access allows it, from below 0
}

// belowZero reports whether a constraint allows values below 0 because its tensor
// begins there. Of a tensor that begins at 0 nothing is lost: A(i+1) allows i = -1,
// and nobody counts from there.
func (s *statement) belowZero(c *constraint, lo affine.Expr, p *prover) bool {
	return !p.facts.Proves(c.site.access.Tensor.Dims[c.dim].Min) && !p.facts.Proves(lo)
}

// refuseBeginnings reports the indices of a round that would leave out the first
// elements of a tensor.
func (s *statement) refuseBeginnings(list []beginning) {
	if len(list) == 0 || s.failed {
		return
	}
	s.below = list
	first := list[0]
	c := first.at
	help := "say what is meant: where " + s.beginningRanges(list, false)
	if s.solvable(clausesOf(list)) {
		help = fmt.Sprintf("say what is meant: where %s for all of %s, or where %s", s.beginningRanges(list, true), c.site.target.Name, s.beginningRanges(list, false))
	}
	s.errorf(source.CodeBelowZero, c.site.span, "%s reads %s from %s = 0, but dimension %d of %s begins at %s: what lies before would be left out",
		first.index.Name, oneLine(c.site.span.Text()), first.index.Name, c.dim, c.site.target.Name, c.site.access.Tensor.Dims[c.dim].Min).
		WithNote(c.site.target.shapedAt, "%s gets its shape here; an inferred range begins at 0 at the least", c.site.target.Name).
		WithHelp("%s", help)
}

// beginningRanges writes the ranges of the indices, from the beginning of the
// tensors or from 0.
func (s *statement) beginningRanges(list []beginning, all bool) string {
	var texts []string
	seen := map[*index]bool{}
	for _, b := range list {
		lo := "0"
		if all {
			lo = b.bound.lo.String()
		}
		if !seen[b.index] {
			texts = append(texts, fmt.Sprintf("%s in %s:%s", b.index.Name, lo, b.bound.end))
		}
		seen[b.index] = true
	}
	return strings.Join(texts, ", ")
}

// clausesOf are the ranges from the beginning of the tensors, to be tried.
func clausesOf(list []beginning) map[*index]*syntax.RangeClause {
	ranges := map[*index]*syntax.RangeClause{}
	for _, b := range list {
		if i := b.index; ranges[i] == nil {
			ranges[i] = &syntax.RangeClause{Pos: i.pos, Index: syntax.Ident{Pos: i.pos, Name: i.Name}, Lo: parseBound(b.bound.lo.String()), Hi: parseBound(b.bound.end.String())}
		}
	}
	return ranges
}

// warnShifted says that a tensor which does not begin at 0 is taken as an array.
// A dimension along which tensors are joined gets other indices anyway, and those
// before from have subscripts.
func (s *statement) warnShifted(t *symbol, span source.Span, from, joined int) {
	for k, dim := range t.Dims {
		if first, isConst := dim.Min.IsConst(); k < from || k == joined || isConst && first == 0 {
			continue
		}
		s.def.warnOnce(s, source.CodeShifted, span, "dimension %d of %s begins at %s, and %s counts its elements from 0", k, t.Name, dim.Min, s.apply.Func.Name).
			WithNote(t.shapedAt, "%s gets its shape here: its range is %s:%s", t.Name, dim.Min, dim.Min.Add(dim.Extent)).
			WithHelp("say so: %s, and give t to %s; its results count from 0, too", t.fromZero(from, joined), s.apply.Func.Name)
		return
	}
}

// fromZero writes the copy of a tensor whose dimensions begin at 0, but for those before
// from and the one along which tensors are joined. A call among the arguments is written
// as a statement.
func (t *symbol) fromZero(from, joined int) string {
	left, right := make([]string, len(t.Dims)), make([]string, len(t.Dims))
	for n, dim := range t.Dims {
		left[n] = indexLetter(n)
		right[n] = left[n]
		if n >= from && n != joined {
			right[n] = affine.Symbol(left[n]).Add(dim.Min).String()
		}
	}
	name, first := t.Name, ""
	if !affine.IsWord(name) {
		name, first = "u", "u = "+t.Name+", then "
	}
	return fmt.Sprintf("%st(%s) = %s(%s)", first, strings.Join(left, ","), name, strings.Join(right, ","))
}
