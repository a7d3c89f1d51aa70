package guard

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// An indexMap is an operation of TeIL through which a subscript reads a dimension: x % n wraps, x / n
// repeats, a minimum and a maximum clamp, and min(x % 2n, 2n - 1 - x % 2n) mirrors. The subscript
// inside is a sum of terms, which reaches span places from low on.
type indexMap struct {
	op          string
	by          affine.Expr // the divisor of a quotient
	terms       []term
	low, span   affine.Expr
	endsAreRead bool // the first and the last of the places that the map reads are read, for all that is known
}

// mapOf returns the map that a function of indices is, with the places that it reads.
func (s *statement) mapOf(a affine.Atom, pos source.Span) (term, error) {
	zero := affine.Expr{}
	switch a.Op {
	case affine.Mod, affine.FloorDiv:
		if s.usesIndex(a.Y) || !s.sizes.Proves(a.Y.AddConst(-1)) {
			return term{}, missing(curvedSubscript, pos)
		}
		if a.Op == affine.Mod {
			return s.mapped("wrap", a.X, pos, func(*indexMap) (first, size affine.Expr) { return zero, a.Y })
		}
		return s.mapped("repeat", a.X, pos, func(m *indexMap) (first, size affine.Expr) {
			m.by = a.Y
			first = affine.Div(m.low, a.Y)
			return first, affine.Div(m.low.Add(m.span).AddConst(-1), a.Y).Sub(first).AddConst(1)
		})
	}
	if inner, size, ok := mirrored(a); ok && !s.usesIndex(size) && s.sizes.Proves(size.AddConst(-1)) {
		return s.mapped("mirror", inner, pos, func(*indexMap) (affine.Expr, affine.Expr) { return zero, size })
	}
	return s.clamped(a, pos)
}

// mapped is a map of a subscript, which reads size places from first on.
func (s *statement) mapped(op string, inner affine.Expr, pos source.Span, places func(*indexMap) (first, size affine.Expr)) (term, error) {
	terms, low, err := s.split(inner, pos)
	if err != nil {
		return term{}, err
	}
	m := &indexMap{op: op, terms: terms, low: low, span: spanOf(terms)}
	t := term{through: m}
	t.min, t.extent = places(m)
	covers := s.sizes.Proves(t.min.Sub(low)) && s.sizes.Proves(low.Add(m.span).Sub(t.min).Sub(t.extent))
	switch plain := len(terms) == 1 && terms[0].isPlain(); op {
	case "repeat":
		m.endsAreRead = endsAreRead(terms)
	case "clamp":
		m.endsAreRead = endsAreRead(terms) && covers
	case "mirror":
		m.endsAreRead = plain && covers
	case "wrap":
		m.endsAreRead = plain && s.sizes.Proves(m.span.Sub(t.extent))
	}
	return t, nil
}

// mirrored recognises min(x % 2n, 2n - 1 - x % 2n).
func mirrored(a affine.Atom) (inner, size affine.Expr, ok bool) {
	if a.Op != affine.Min {
		return inner, size, false
	}
	for _, side := range []affine.Expr{a.X, a.Y} {
		around, ok := function(side)
		if !ok || around.Op != affine.Mod {
			continue
		}
		size := affine.Div(around.Y, affine.Const(2))
		if size.Scale(2).Equal(around.Y) && a.X.Add(a.Y).Equal(around.Y.AddConst(-1)) {
			return around.X, size, true
		}
	}
	return inner, size, false
}

// function returns the function that an expression is.
func function(x affine.Expr) (affine.Atom, bool) {
	if terms := x.Terms(); len(terms) == 1 && terms[0].Coefficient == 1 && len(terms[0].Atoms) == 1 {
		return terms[0].Atoms[0], terms[0].Atoms[0].Op != ""
	}
	return affine.Atom{}, false
}

// held recognises a subscript that a minimum, a maximum or both hold in a range, and returns its ends.
func (s *statement) held(a affine.Atom) (inner affine.Expr, ends map[affine.Op]affine.Expr, ok bool) {
	ends = map[affine.Op]affine.Expr{}
	inner = affine.Apply(a.Op, a.X, a.Y)
	for {
		f, ok := function(inner)
		if _, seen := ends[f.Op]; !ok || f.Op != affine.Min && f.Op != affine.Max || seen {
			break
		}
		end, other := f.X, f.Y
		if s.usesIndex(end) {
			end, other = f.Y, f.X
		}
		if s.usesIndex(end) || !s.usesIndex(other) {
			break
		}
		ends[f.Op] = end
		if len(ends) == 2 && !s.sizes.Proves(ends[affine.Min].Sub(ends[affine.Max])) { // what is outside decides
			delete(ends, f.Op)
			break
		}
		inner = other
	}
	return inner, ends, len(ends) > 0
}

// clamped is a subscript that is held in a range; a side that is open ends where the subscript does.
func (s *statement) clamped(a affine.Atom, pos source.Span) (term, error) {
	inner, ends, ok := s.held(a)
	if !ok {
		return term{}, missing(curvedSubscript, pos)
	}
	return s.mapped("clamp", inner, pos, func(m *indexMap) (first, size affine.Expr) {
		first, low := ends[affine.Max]
		last, high := ends[affine.Min]
		if !low {
			first = affine.MinOf(m.low, last)
		}
		if !high {
			last = affine.MaxOf(m.low.Add(m.span).AddConst(-1), first)
		}
		return s.decided(first), s.decided(last.Sub(first).AddConst(1))
	})
}

// mapThrough reads dimension at, which has the places that a map reads, by its subscript.
func (s *statement) mapThrough(e syntax.Expr, at int, pos source.Span, t term) (syntax.Expr, []*ein.Index) {
	m := t.through
	if m.op == "repeat" {
		e = operation(pos, "repeat", []int{at}, []affine.Expr{m.by}, e)
		e = s.part(e, at, pos, m.low.Sub(t.min.Mul(m.by)), m.span, t.extent.Mul(m.by))
	} else {
		e = s.grown(e, m.op, at, pos, m.low.Sub(t.min), m.span, t.extent)
	}
	return s.spread(e, at, pos, m.terms)
}

// grown puts as many places before and behind a dimension as a subscript leaves it by,
// and cuts out what it reaches.
func (s *statement) grown(e syntax.Expr, op string, at int, pos source.Span, low, span, size affine.Expr) syntax.Expr {
	beyond := func(n affine.Expr) affine.Expr {
		if s.sizes.Proves(n.Scale(-1)) {
			return affine.Expr{}
		}
		if s.sizes.Proves(n) {
			return n
		}
		return affine.MaxOf(affine.Expr{}, n)
	}
	before, behind := beyond(low.Scale(-1)), beyond(low.Add(span).Sub(size))
	if nothing := (affine.Expr{}); !before.Equal(nothing) || !behind.Equal(nothing) {
		e = operation(pos, op, []int{at}, []affine.Expr{before, behind}, e)
	}
	return s.part(e, at, pos, low.Add(before), span, before.Add(size).Add(behind))
}

// part cuts out span places from low on, unless these are all.
func (s *statement) part(e syntax.Expr, at int, pos source.Span, low, span, size affine.Expr) syntax.Expr {
	if s.equal(low, affine.Expr{}) && s.equal(span, size) {
		return e
	}
	return operation(pos, "shift", []int{at}, []affine.Expr{low, span}, e)
}
