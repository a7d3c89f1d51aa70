package schedule

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/affine/integer"
	"github.com/ricci-lang/ricci/internal/ein"
)

// instancePairs is the set of pairs of points, of the accesses x and y, that touch the
// same element: a system of integer constraints over "x$i", "y$i" and the sizes.
// A minimum or maximum, such as that of a subscript at a border, is a variable that is one of two
// values: each choice of them is a system. What is not linear (products of sizes) is a
// variable of its own there, about which the prover of package affine may know more; what depends on
// data puts no constraint at all. The set is then larger than the true one: relaxed.
type instancePairs struct {
	system  *integer.System
	choices []choice
	relaxed bool
	known   *affine.Facts
	env     map[string]affine.Expr // equations that were solved for a symbol of y
	inside  map[string]affine.Expr // by symbol of a point: where it is in the current block
	ofY     []affine.Range         // the indices of y
	blocks  map[string]affine.Expr // the blocks of tiles, by place and size
	cuts    map[string]cutting     // by symbol of a point, and size
}

// A cutting is the number of the block that a point is in, and its place there.
type cutting struct{ block, rest affine.Expr }

// symbol names an index of one of the two accesses.
func symbol(side, index string) string { return side + "$" + index }

// A choice says that one of two sums is zero: the distances of a minimum or maximum from what it is of.
type choice [2]integer.Sum

// maxChoices is how many choices of a set are tried, in a number of systems that is exponential in that.
const maxChoices = 8

func newInstancePairs(c *checker, x, y Access) *instancePairs {
	s := &instancePairs{system: &integer.System{}, known: FactsOf(c.f), env: map[string]affine.Expr{}, inside: map[string]affine.Expr{}, blocks: map[string]affine.Expr{}, cuts: map[string]cutting{}}
	for _, size := range c.f.Sizes {
		switch {
		case size.Dim == ein.ScalarValue:
		case size.MayBeZero:
			s.assume(affine.Symbol(size.Name))
		default:
			s.assume(affine.Symbol(size.Name).AddConst(-1))
		}
	}
	for _, r := range c.f.Requires {
		s.assume(r.Expr)
	}
	s.points(c, "x", x)
	s.ofY = s.points(c, "y", y)
	for d := range x.Subscripts {
		ex, okX := ein.AffineOf(x.Subscripts[d])
		ey, okY := ein.AffineOf(y.Subscripts[d])
		if okX && okY {
			s.equate(rename(c, "x", x, ex).Sub(rename(c, "y", y, ey)))
		} else {
			s.relaxed = true
		}
	}
	return s
}

// points adds the ranges of the indices of an access.
func (s *instancePairs) points(c *checker, side string, a Access) []affine.Range {
	var ranges []affine.Range
	for _, i := range c.f.Body[a.Statement].Indices {
		r := affine.Range{Symbol: symbol(side, i.Name), Min: i.Min, Extent: i.Extent}
		if a.Writes && i.Combine.Kind == ein.Reduce && MayBeNone(i) {
			r.Extent = affine.MaxOf(r.Extent, affine.Const(1)) // nothing to reduce is written too
		}
		at := affine.Symbol(r.Symbol)
		frame := c.frames.Of(a.Statement, i)
		s.inside[r.Symbol] = at.Sub(frame.Min)
		for _, p := range frame.By {
			s.inside[r.Symbol] = s.inside[r.Symbol].Add(affine.Symbol(symbol(side, p.Index.Name)).Scale(p.Factor))
		}
		s.assume(at.Sub(r.Min))
		s.assume(r.Last().Sub(at))
		if a.last && i.Combine.Kind == ein.Reduce {
			s.assume(at.Sub(r.Last()))
		}
		ranges = append(ranges, r)
	}
	return ranges
}

// rename puts the symbols of a point for the indices of its statement.
func rename(c *checker, side string, a Access, e affine.Expr) affine.Expr {
	env := map[string]affine.Expr{}
	for _, i := range c.f.Body[a.Statement].Indices {
		env[i.Name] = affine.Symbol(symbol(side, i.Name))
	}
	return e.Subst(env)
}

func (s *instancePairs) clone() *instancePairs {
	c := *s
	c.system, c.known, c.choices = s.system.Clone(), s.known.Clone(), slices.Clip(s.choices)
	c.env, c.inside, c.blocks, c.cuts = maps.Clone(s.env), maps.Clone(s.inside), maps.Clone(s.blocks), maps.Clone(s.cuts)
	return &c
}

// assume adds e ≥ 0.
func (s *instancePairs) assume(e affine.Expr) {
	e = e.Subst(s.env)
	s.known.Assume(e)
	s.system.AtLeast(s.sum(e))
}

// equate adds e = 0. A symbol of y with the coefficient ±1 is replaced everywhere,
// so that what is not linear cancels.
func (s *instancePairs) equate(e affine.Expr) {
	e = e.Subst(s.env)
	s.system.Equal(s.sum(e))
	for _, r := range s.ofY {
		coefficient, rest, ok := e.Linear(r.Symbol)
		if !ok || coefficient != 1 && coefficient != -1 {
			continue
		}
		value := rest.Scale(-coefficient)
		for k, v := range s.env {
			s.env[k] = v.Subst(map[string]affine.Expr{r.Symbol: value})
		}
		s.env[r.Symbol] = value
		s.known.Assume(value.Sub(r.Min))
		s.known.Assume(r.Last().Sub(value))
		return
	}
	s.known.Assume(e)
	s.known.Assume(e.Scale(-1))
}

// position is where an index of a point is in the block around, which is the smallest of
// the larger ones: the point's place there, or the number of its block of a size, of which
// the block around has one if it is as large.
func (s *instancePairs) position(side, index string, tile int64, larger []int64) affine.Expr {
	name := symbol(side, index)
	at := s.inside[name]
	for _, size := range larger {
		at = s.cut(name, at, size).rest
	}
	switch {
	case tile <= 1:
		return at.Subst(s.env)
	case slices.Contains(larger, tile):
		return affine.Expr{}
	}
	return s.cut(name, at, tile).block
}

// cut returns the block of a size that a point is in. Points that are known to be at the
// same place are in the same block.
func (s *instancePairs) cut(name string, at affine.Expr, size int64) cutting {
	id := fmt.Sprintf("%s#%d", name, size)
	if c, known := s.cuts[id]; known {
		return c
	}
	at = at.Subst(s.env)
	key := fmt.Sprintf("%v#%d", at, size)
	block, known := s.blocks[key]
	rest := at.Sub(block.Scale(size))
	if !known {
		block = affine.Symbol(id)
		s.blocks[key] = block
		rest = at.Sub(block.Scale(size))
		s.assume(rest)
		s.assume(affine.Const(size - 1).Sub(rest))
	}
	s.cuts[id] = cutting{block, rest}
	return s.cuts[id]
}

// possible reports whether there may be a pair of points for which all of the
// expressions are not negative, and one such pair when that is certain.
func (s *instancePairs) possible(least ...affine.Expr) (example map[string]int64, ok bool) {
	for _, e := range least {
		if n, known := e.Subst(s.env).IsConst(); known && n < 0 {
			return nil, false
		}
	}
	q := s
	if len(least) > 0 {
		q = &instancePairs{system: s.system.Clone(), choices: slices.Clip(s.choices), relaxed: s.relaxed, env: s.env, known: affine.NewFacts()}
		for _, e := range least {
			q.assume(e)
		}
	}
	answer, values := choose(q.system, q.choices)
	switch {
	case answer == integer.Empty:
		return nil, false
	case answer == integer.Found && !q.relaxed:
		return values, true
	}
	for _, e := range least {
		if s.known.Proves(e.Subst(s.env).Scale(-1).AddConst(-1)) {
			return nil, false
		}
	}
	return nil, true
}

// choose decides whether a system has a solution for some of its choices.
func choose(system *integer.System, choices []choice) (integer.Answer, map[string]int64) {
	answer, values := system.Solve()
	if answer == integer.Empty || len(choices) == 0 {
		return answer, values
	}
	if len(choices) > maxChoices {
		return integer.Unknown, nil
	}
	answer = integer.Empty
	for _, zero := range choices[0] {
		one := system.Clone()
		one.Equal(zero)
		switch found, values := choose(one, choices[1:]); found {
		case integer.Found:
			return found, values
		case integer.Unknown:
			answer = found
		}
	}
	return answer, nil
}

// sum is a linear expression for the integer system. A minimum or maximum is exact with its choice. A floor division or remainder
// by a number is exact there, by its quotient; other functions and products are
// variables that may be anything.
func (s *instancePairs) sum(e affine.Expr) integer.Sum {
	sum := integer.Sum{Coefficients: map[int]int64{}}
	for _, t := range e.Terms() {
		switch {
		case len(t.Atoms) == 0:
			sum.Constant = t.Coefficient
		case len(t.Atoms) == 1:
			v, ok := s.atom(t.Atoms[0])
			if ok {
				sum.Coefficients[v] += t.Coefficient
				continue
			}
			fallthrough
		default:
			s.relaxed = true
			sum.Coefficients[s.system.Var(productText(t.Atoms))] += t.Coefficient
		}
	}
	return sum
}

func productText(atoms []affine.Atom) string {
	parts := make([]string, len(atoms))
	for i, a := range atoms {
		parts[i] = a.String()
	}
	return strings.Join(parts, "*")
}

// atom returns the variable for a symbol, a quotient or a remainder; ok is false for
// what is not linear.
func (s *instancePairs) atom(a affine.Atom) (variable int, ok bool) {
	if a.Op == "" {
		return s.system.Var(a.Symbol), true
	}
	if a.Op == affine.Min || a.Op == affine.Max {
		return s.extreme(a), true
	}
	divisor, known := a.Y.IsConst()
	if !known || divisor <= 0 || a.Op != affine.FloorDiv && a.Op != affine.Mod {
		return 0, false
	}
	quotient, remainder := affine.Div(a.X, a.Y).String(), affine.Rem(a.X, a.Y).String()
	seen := s.system.Has(quotient)
	q, r := s.system.Var(quotient), s.system.Var(remainder)
	if !seen {
		// x = divisor·q + r with 0 ≤ r < divisor
		x := s.sum(a.X)
		x.Coefficients[q] -= divisor
		x.Coefficients[r]--
		s.system.Equal(x)
		s.system.AtLeast(integer.Sum{Coefficients: map[int]int64{r: 1}})
		s.system.AtLeast(integer.Sum{Coefficients: map[int]int64{r: -1}, Constant: divisor - 1})
	}
	if a.Op == affine.Mod {
		return r, true
	}
	return q, true
}

// extreme is the variable of a minimum or maximum.
func (s *instancePairs) extreme(a affine.Atom) int {
	name := a.String()
	if s.system.Has(name) {
		return s.system.Var(name)
	}
	v, sign := s.system.Var(name), int64(1)
	if a.Op == affine.Max {
		sign = -1
	}
	var zero choice
	for k, of := range []affine.Expr{a.X, a.Y} {
		zero[k] = s.sum(of.Scale(sign)) // no smaller than the minimum
		zero[k].Coefficients[v] -= sign
		s.system.AtLeast(zero[k])
	}
	s.choices = append(s.choices, zero)
	return v
}

// pointText shows the point of an access in an example.
func (p *pair) pointText(side string, a Access, example map[string]int64) string {
	if example == nil {
		return ""
	}
	var parts []string
	for _, i := range p.c.f.Body[a.Statement].Indices {
		parts = append(parts, fmt.Sprintf("%s = %d", i.Name, example[symbol(side, i.Name)]))
	}
	text := fmt.Sprintf(", for example in %s at %s", p.c.words.Statement(a.Statement), strings.Join(parts, ", "))
	parts = nil
	for _, size := range p.c.f.Sizes {
		if n, ok := example[size.Name]; ok {
			parts = append(parts, fmt.Sprintf("%s = %d", size.Name, n))
		}
	}
	if len(parts) > 0 {
		text += " with " + strings.Join(parts, ", ")
	}
	return text
}
