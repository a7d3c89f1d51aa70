package ein

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
)

// How it is proved that a comprehension writes no element twice
//
// The subscripts map the points of the kept indices to elements; the map must be
// injective. A subscript determines an index when what its other indices add varies
// by less than the coefficient, as i in 3·i + j with j < 3. The index is then known
// in the others; when every index is determined the map is injective for all sizes. A quotient and a remainder by the same number together
// are worth their dividend.
//
// Otherwise the question is decided for numbers. Two points x and y write the same
// element of linear subscripts M exactly if their distance d = x − y solves
// M·d = 0; a distance of two points of a box is any with |d_i| < extent_i. The
// search for such a d ≠ 0 tries the index with the largest coefficients first and
// stops where what is left cannot reach zero any more, so that it is short for
// numbers with mixed radices. Subscripts that are not linear are tried point by
// point. Constant sizes must pass; symbolic ones are tried at two sizes, which
// finds errors but proves nothing.

// A trial ends after so many points or distances.
const trialPoints = 1 << 16

// trialSizes are the values that are tried for symbolic sizes.
var trialSizes = [...]int64{3, 7}

// injective reports a write of which two points may write the same element.
func (v *verifier) injective(c *Comprehension, w *Write) {
	m := writeOf(c, w, v.positive)
	if m.triangular() {
		return
	}
	if len(m.sizes()) == 0 {
		first, second, answer := m.collision(nil)
		v.check(answer != found, w.Pos, "the points (%s) and (%s) write the same element of %s", first, second, w.Tensor.Name)
		v.check(answer != unknown, w.Pos, "it is not proved that all points write different elements of %s", w.Tensor.Name)
		return
	}
	for _, size := range trialSizes {
		env := map[string]int64{}
		for name := range v.sizes {
			env[name] = size
		}
		if v.possible(env) {
			first, second, answer := m.collision(env)
			if !v.check(answer != found, w.Pos, "with all sizes %d, the points (%s) and (%s) write the same element of %s", size, first, second, w.Tensor.Name) {
				return
			}
		}
	}
}

// positive reports whether a divisor of sizes is at least 1 in every call.
func (v *verifier) positive(divisor affine.Expr) bool {
	facts, used := affine.NewFacts(), map[string]bool{}
	divisor.Symbols(used)
	for _, s := range v.f.Sizes {
		if !s.MayBeZero && s.Dim != ScalarValue {
			facts.AtLeast(s.Name, 1)
		}
		delete(used, s.Name)
	}
	return len(used) == 0 && facts.Proves(divisor.AddConst(-1))
}

// possible reports whether a call may have the sizes.
func (v *verifier) possible(env map[string]int64) bool {
	for _, r := range v.f.Requires {
		if n, err := r.Expr.Eval(env); err != nil || n < 0 {
			return false
		}
	}
	return true
}

// WritesOnce reports whether it is proved that no two points of c write the same
// element with w.
func WritesOnce(c *Comprehension, w *Write) bool {
	m := writeOf(c, w, func(affine.Expr) bool { return false })
	if m.triangular() {
		return true
	}
	if len(m.sizes()) > 0 {
		return false
	}
	_, _, answer := m.collision(nil)
	return answer == none
}

// A written is the map from the kept indices to the elements of a write.
type written struct {
	kept       []*Index
	subscripts []affine.Expr
}

// writeOf takes quotients by what is positive for affine ones.
func writeOf(c *Comprehension, w *Write, positive func(divisor affine.Expr) bool) *written {
	m := &written{}
	for _, i := range c.Indices {
		if i.Combine.Kind != Reduce {
			m.kept = append(m.kept, i)
		}
	}
	for _, s := range w.Subscripts {
		if e, ok := AffineWhere(s, positive); ok {
			m.subscripts = append(m.subscripts, e)
		}
	}
	m.subscripts = append(m.subscripts, dividends(m.subscripts)...)
	return m
}

// dividends returns the x of which both x/c and x%c are subscripts.
func dividends(subscripts []affine.Expr) []affine.Expr {
	var list []affine.Expr
	for _, q := range subscripts {
		for _, t := range q.Terms() {
			if len(t.Atoms) != 1 || len(q.Terms()) != 1 || t.Coefficient != 1 || t.Atoms[0].Op != affine.FloorDiv {
				continue
			}
			x := t.Atoms[0].X
			if r := affine.Rem(x, t.Atoms[0].Y); slices.ContainsFunc(subscripts, r.Equal) {
				list = append(list, x)
			}
		}
	}
	return list
}

// sizes returns the symbols that are no indices.
func (m *written) sizes() map[string]bool {
	used := map[string]bool{}
	for _, s := range m.subscripts {
		s.Symbols(used)
	}
	for _, i := range m.kept {
		delete(used, i.Name)
	}
	for _, i := range m.kept {
		i.Min.Symbols(used)
		i.Extent.Symbols(used)
	}
	return used
}

// triangular reports whether the subscripts can be solved for the indices one
// after the other.
func (m *written) triangular() bool {
	open := map[string]*Index{}
	for _, i := range m.kept {
		if n, known := i.Extent.IsConst(); !known || n != 1 { // else its only value is known
			open[i.Name] = i
		}
	}
	for solved := true; solved; {
		solved = false
		for _, s := range m.subscripts {
			if i := determined(s, open); i != nil {
				delete(open, i.Name)
				solved = true
			}
			for _, i := range radix(s, m.kept, open) {
				delete(open, i.Name)
				solved = true
			}
		}
	}
	return len(open) == 0
}

// determined returns an open index that s determines: what the other open ones
// add varies by less than its coefficient.
func determined(s affine.Expr, open map[string]*Index) *Index {
	coefficients, span := map[string]int64{}, int64(0)
	used := map[string]bool{}
	s.Symbols(used)
	var largest *Index
	for name := range used {
		i := open[name]
		if i == nil {
			continue
		}
		c, _, ok := s.Linear(name)
		if !ok || c == math.MinInt64 {
			return nil
		}
		coefficients[name] = max(c, -c)
		if largest == nil || coefficients[name] > coefficients[largest.Name] {
			largest = i
		}
	}
	for name, c := range coefficients {
		if open[name] == largest {
			continue
		}
		n, known := open[name].Extent.IsConst()
		if !known || n > 0 && n-1 > (coefficients[largest.Name]-1-span)/c {
			return nil
		}
		span += c * max(0, n-1)
	}
	return largest
}

// An answer says whether two points write the same element.
type answer int

const (
	none answer = iota
	found
	unknown
)

// collision looks for two points that write the same element where the sizes have
// the values of env.
func (m *written) collision(env map[string]int64) (first, second string, result answer) {
	low, extent := make([]int64, len(m.kept)), make([]int64, len(m.kept))
	for k, i := range m.kept {
		var errLow, errExtent error
		low[k], errLow = i.Min.Eval(env)
		extent[k], errExtent = i.Extent.Eval(env)
		switch {
		case errLow != nil || errExtent != nil:
			return "", "", unknown
		case extent[k] <= 0:
			return "", "", none
		}
	}
	if rows, ok := m.linear(env); ok {
		d, result := distanceInKernel(rows, extent)
		if result != found {
			return "", "", result
		}
		x, y := slices.Clone(low), slices.Clone(low)
		for k := range d {
			x[k], y[k] = low[k]+max(0, -d[k]), low[k]+max(0, d[k])
		}
		return m.text(x), m.text(y), found
	}
	return m.enumerate(env, low, extent)
}

// linear returns the coefficients of the indices in every subscript.
func (m *written) linear(env map[string]int64) (rows [][]int64, ok bool) {
	sizes := map[string]affine.Expr{}
	for name, n := range env {
		sizes[name] = affine.Const(n)
	}
	for _, s := range m.subscripts {
		rest, row := s.Subst(sizes), make([]int64, len(m.kept))
		for k, i := range m.kept {
			if row[k], rest, ok = rest.Linear(i.Name); !ok {
				return nil, false
			}
		}
		if _, ok := rest.IsConst(); !ok {
			return nil, false
		}
		rows = append(rows, row)
	}
	return rows, true
}

// text writes a point.
func (m *written) text(point []int64) string {
	parts := make([]string, len(point))
	for k, x := range point {
		parts[k] = fmt.Sprintf("%s=%d", m.kept[k].Name, x)
	}
	return strings.Join(parts, ", ")
}

// enumerate compares the elements of all points.
func (m *written) enumerate(env map[string]int64, low, extent []int64) (first, second string, result answer) {
	points := int64(1)
	for _, n := range extent {
		if points *= min(n, trialPoints+1); points > trialPoints {
			return "", "", unknown
		}
	}
	at := maps.Clone(env)
	if at == nil {
		at = map[string]int64{}
	}
	seen, point := map[string]string{}, slices.Clone(low)
	for n := int64(0); n < points; n++ {
		rest := n
		for k := len(point) - 1; k >= 0; k-- {
			point[k], rest = low[k]+rest%extent[k], rest/extent[k]
			at[m.kept[k].Name] = point[k]
		}
		var element strings.Builder
		for _, s := range m.subscripts {
			x, err := s.Eval(at)
			if err != nil {
				return "", "", unknown
			}
			fmt.Fprint(&element, x, ",")
		}
		if other, ok := seen[element.String()]; ok {
			return other, m.text(point), found
		}
		seen[element.String()] = m.text(point)
	}
	return "", "", none
}

// distanceInKernel looks for d ≠ 0 with rows·d = 0 and |d_k| < extent_k.
func distanceInKernel(rows [][]int64, extent []int64) (d []int64, result answer) {
	const most = int64(1) << 55 // sums of products of coefficients and distances stay in 64 bits
	s := &distanceSearch{rows: rows, extent: extent, d: make([]int64, len(extent)), sum: make([]int64, len(rows))}
	weight := make([]int64, len(extent))
	for k, n := range extent {
		s.order = append(s.order, k)
		for _, row := range rows {
			size := max(row[k], -row[k], 1)
			if row[k] < -most || n > most/size {
				return nil, unknown
			}
			weight[k] = max(weight[k], size)
		}
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	switch {
	case s.from(0, true):
		return s.d, found
	case s.steps > trialPoints:
		return nil, unknown
	}
	return nil, none
}

type distanceSearch struct {
	rows   [][]int64
	extent []int64
	order  []int   // of the indices
	d      []int64 // the distance so far
	sum    []int64 // rows·d
	steps  int
}

// from chooses the components of d from position k of the order on. While all
// components before are zero only positive ones are tried, because −d is a
// solution too.
func (s *distanceSearch) from(k int, zero bool) bool {
	if k == len(s.order) {
		return !zero && !slices.ContainsFunc(s.sum, func(x int64) bool { return x != 0 })
	}
	i := s.order[k]
	lo, hi := -(s.extent[i] - 1), s.extent[i]-1
	if zero {
		lo = 0
	}
	for r, row := range s.rows {
		rest := int64(0) // what the components behind can add or take away
		for _, j := range s.order[k+1:] {
			rest += max(row[j], -row[j]) * (s.extent[j] - 1)
		}
		a, b := row[i], s.sum[r] // −rest ≤ a·d + b ≤ rest
		if a < 0 {
			a, b = -a, -b
		}
		switch {
		case a > 0:
			lo, hi = max(lo, -floorDivide(rest+b, a)), min(hi, floorDivide(rest-b, a))
		case b > rest || b < -rest:
			return false
		}
	}
	for x := lo; x <= hi; x++ {
		if s.steps++; s.steps > trialPoints {
			return false
		}
		s.move(i, x-s.d[i])
		if s.from(k+1, zero && x == 0) {
			return true
		}
	}
	s.move(i, -s.d[i])
	return false
}

// move changes component i of the distance.
func (s *distanceSearch) move(i int, by int64) {
	s.d[i] += by
	for r, row := range s.rows {
		s.sum[r] += row[i] * by
	}
}

// floorDivide rounds toward minus infinity; b is positive.
func floorDivide(a, b int64) int64 {
	if a < 0 && a%b != 0 {
		return a/b - 1
	}
	return a / b
}
