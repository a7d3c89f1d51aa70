package rewrite

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How operands are padded
//
// A padded convolution reads each element of its image for many points, and tests each time
// whether it is there:
//
//	O[f,y,x] = Σ c,r,s  (y+r ≥ 1 && y+r ≤ H && x+s ≥ 1 && x+s ≤ W ? I[c,y+r-1,x+s-1] : 0) · K[f,c,r,s]
//
// What is read depends on the sums y+r and x+s alone. So the operand may as well be a tensor
// of its own, with a border, which is computed once for each value of these:
//
//	P[c,v,w] = v ≥ 1 && v ≤ H && w ≥ 1 && w ≤ W ? I[c,v-1,w-1] : 0
//	O[f,y,x] = Σ c,r,s  P[c,y+r,x+s] · K[f,c,r,s]
//
// The convolution then has windows without conditions, and a single piece, however many
// points lie near the boundary: of 7 x 7 points 24 do (split.go would cut them off). An index
// that is reduced and counts the window backwards, as in gradients, is turned round.

const (
	leastPadded = 32 // points for each element of the tensor, beside which it costs little
	mostBorder  = 4  // times as many elements as the operand has
	// Of smaller images much is boundary, and a tensor is worth it for fewer points: depthwise layers
	// take 0.45 to 0.8 of the time at 28 x 28 points and less, and 1.4 and more at 56 x 56.
	leastOfSmall  = 4
	smallInterior = 0.8
)

// PadOperands gives operands of reductions that are read within limits, by many points each, a
// tensor with a border. Statements that read the same operand within the same limits share it.
func PadOperands(f *ein.Func) *ein.Func {
	f = f.Clone()
	before := make([][]*ein.Comprehension, len(f.Body))
	for shared := worthPadding(f); shared != nil; shared = worthPadding(f) {
		at := shared[0].at
		before[at] = append(before[at], statement(f, shared))
	}
	var body []*ein.Comprehension
	for at, c := range f.Body {
		body = append(append(body, before[at]...), c)
	}
	f.Body = body
	return f
}

// worthPadding returns the first operands for which one tensor is worth it, of one statement each,
// since the indices of a second one may be turned round; nil where there are none.
func worthPadding(f *ein.Func) []*padded {
	var found []*padded
	for at, c := range f.Body {
		if len(c.Writes) != 1 || len(c.ByKind(ein.Reduce)) == 0 || len(c.ByKind(ein.Scan)) > 0 || !isPlain(c) || contains(c, isChecked) {
			continue
		}
		for _, s := range alwaysEvaluated(c.Values[0]) {
			if p := newPadded(c, s); p != nil {
				p.at = at
				found = append(found, p)
			}
		}
	}
	for len(found) > 0 {
		var others []*padded
		shared := found[:1:1]
		for _, p := range found[1:] {
			if p.sharesWith(shared[0], f.Body) && shared[len(shared)-1].at < p.at {
				shared = append(shared, p)
			} else {
				others = append(others, p)
			}
		}
		if list := worthy(shared); list != nil {
			return list
		}
		found = others
	}
	return nil
}

// sharesWith reports whether two operands can be read from one tensor with a border, that of the
// first being computed before it.
func (p *padded) sharesWith(first *padded, body []*ein.Comprehension) bool {
	return p.read.Tensor == first.read.Tensor && slices.Equal(p.there, first.there) && ein.SameExpr(p.value.Else, first.value.Else) &&
		!slices.ContainsFunc(body[first.at:p.at], func(c *ein.Comprehension) bool { return writes(c, p.read.Tensor) })
}

// worthy returns the operands with one tensor where that is worth it, or the first that is worth one
// of its own.
func worthy(shared []*padded) []*padded {
	all := *shared[0]
	all.all = slices.Clone(all.all)
	reads, least := 0.0, 0.0
	for _, p := range shared {
		for d, s := range p.all {
			all.all[d] = span{min(s.low, all.all[d].low), max(s.high, all.all[d].high)}
		}
		reads += points(p.c.Indices)
		least = max(least, p.leastPoints())
	}
	if all.isWorth(reads, least) {
		for _, p := range shared {
			p.all = all.all
		}
		return shared
	}
	for _, p := range shared {
		if p.isWorth(points(p.c.Indices), p.leastPoints()) {
			return []*padded{p}
		}
	}
	return nil
}

// alwaysEvaluated lists the selects of a value that are evaluated whatever its conditions say.
func alwaysEvaluated(e ein.Expr) (list []*ein.Select) {
	switch e := e.(type) {
	case *ein.Select:
		return []*ein.Select{e}
	case *ein.Cast:
		return alwaysEvaluated(e.X)
	case *ein.Binary:
		if e.Op == ein.Mul || e.Op == ein.Add || e.Op == ein.Sub {
			return append(alwaysEvaluated(e.X), alwaysEvaluated(e.Y)...)
		}
	}
	return nil
}

// replaced puts a value in the place of one of those selects.
func replaced(e ein.Expr, s *ein.Select, by ein.Expr) ein.Expr {
	switch e := e.(type) {
	case *ein.Select:
		if e == s {
			return by
		}
	case *ein.Cast:
		return &ein.Cast{Pos: e.Pos, To: e.To, X: replaced(e.X, s, by)}
	case *ein.Binary:
		return &ein.Binary{Pos: e.Pos, Op: e.Op, X: replaced(e.X, s, by), Y: replaced(e.Y, s, by)}
	}
	return e
}

// A padded operand is an element of a tensor where that exists, and a number elsewhere.
type padded struct {
	c     *ein.Comprehension
	at    int // its number
	value *ein.Select
	read  *ein.Access
	sums  []affine.Expr // its subscripts
	all   []span        // by dimension: the values of the sum
	there []span        // those for which the operand is read
}

// A span is the numbers from low to high.
type span struct{ low, high int64 }

// newPadded returns nil where a value is no such operand, or exists everywhere.
func newPadded(c *ein.Comprehension, s *ein.Select) *padded {
	read := converted(s.Then)
	other, isConst := s.Else.(*ein.Const)
	if read == nil || !isConst || read != s.Then && other.Bits != 0 || len(read.Subscripts) == 0 {
		return nil
	}
	p := &padded{c: c, value: s, read: read}
	windows, seen := false, map[*ein.Index]bool{}
	for _, sub := range read.Subscripts {
		sum, ok := ein.AffineOf(sub)
		if !ok {
			return nil
		}
		values, isWindow, ok := p.values(sum, seen)
		if !ok {
			return nil
		}
		windows = windows || isWindow
		p.sums, p.all = append(p.sums, sum), append(p.all, values)
	}
	if !windows || !p.limits(s.Cond) || slices.Equal(p.there, p.all) {
		return nil
	}
	return p
}

// converted returns the access of which a value is a conversion, or nil. A zero is one in all types.
func converted(e ein.Expr) *ein.Access {
	switch e := e.(type) {
	case *ein.Access:
		return e
	case *ein.Cast:
		return converted(e.X)
	}
	return nil
}

// values returns between which numbers a sum of indices is, if no other dimension has one of
// them, and whether it is that of a window.
func (p *padded) values(sum affine.Expr, seen map[*ein.Index]bool) (s span, isWindow, ok bool) {
	kinds := map[ein.CombineKind]bool{}
	for _, i := range p.c.Indices {
		step, rest, linear := sum.Linear(i.Name)
		if !linear {
			return s, false, false
		}
		if step == 0 {
			continue
		}
		first, known := i.Min.IsConst()
		n, _ := i.Extent.IsConst()
		if seen[i] || !known || distance(step) >= small || distance(first) >= small || n >= small || step < 0 && !mayTurn(i) {
			return s, false, false
		}
		seen[i], kinds[i.Combine.Kind], sum = true, true, rest
		at := []int64{step * first, step * (first + n - 1)}
		if distance(at[0]) >= small || distance(at[1]) >= small {
			return s, false, false
		}
		s.low, s.high = s.low+slices.Min(at), s.high+slices.Max(at)
	}
	n, known := sum.IsConst()
	return span{s.low + n, s.high + n}, kinds[ein.Concat] && kinds[ein.Reduce], known && distance(n) < small
}

// mayTurn reports whether an index may count backwards: the results do not hang on the order.
func mayTurn(i *ein.Index) bool {
	op := i.Combine.Op
	return i.Combine.Kind != ein.Reduce || op.Associative && op.Commutative
}

// limits finds out where the operand is read; it reports whether the condition consists of
// limits of the sums, some of which lie beyond them, within which all elements exist, those too that
// no point reads.
func (p *padded) limits(cond ein.Expr) bool {
	p.there = slices.Clone(p.all)
	if !p.limit(cond) {
		return false
	}
	for d, dim := range p.read.Tensor.Dims {
		first, okMin := dim.Min.IsConst()
		n, okExtent := dim.Extent.IsConst()
		if s := p.there[d]; !okMin || !okExtent || s.low > s.high || s.low < first || s.high >= first+n {
			return false
		}
	}
	return !slices.Equal(p.there, p.all) // else the condition always holds
}

// limit narrows where the operand is read by a condition.
func (p *padded) limit(cond ein.Expr) bool {
	if b, ok := cond.(*ein.Binary); ok && b.Op == ein.And {
		return p.limit(b.X) && p.limit(b.Y)
	}
	g, ok := inequality(cond)
	if !ok {
		return false
	}
	for d, sum := range p.sums {
		if n, known := g.Sub(sum).IsConst(); known { // sum + n ≥ 0
			p.there[d].low = max(p.there[d].low, -n)
			return true
		}
		if n, known := g.Add(sum).IsConst(); known { // n - sum ≥ 0
			p.there[d].high = min(p.there[d].high, n)
			return true
		}
	}
	return false
}

// isWorth reports whether the tensor has few elements beside so many points that read it, and
// beside the operand itself.
func (p *padded) isWorth(points, least float64) bool {
	elements, operand := 1.0, 1.0
	for d, s := range p.all {
		n, _ := p.read.Tensor.Dims[d].Extent.IsConst()
		elements *= float64(s.high - s.low + 1)
		operand *= float64(n)
	}
	return points >= least*elements && elements <= mostBorder*operand
}

// leastPoints is for how many points an element of the tensor is worth it.
func (p *padded) leastPoints() float64 {
	if p.interior() < smallInterior {
		return leastOfSmall
	}
	return leastPadded
}

// interior is the share of the results for which all of the operand exists.
func (p *padded) interior() float64 {
	share := 1.0
	for d, sum := range p.sums {
		var along *ein.Index
		step, others := int64(0), p.all[d]
		for _, i := range p.c.ByKind(ein.Concat) {
			if n, _, _ := sum.Linear(i.Name); n != 0 {
				along, step = i, n
			}
		}
		if step <= 0 {
			continue
		}
		// Value k of the index, counted from 0, reads from k·step + others.low to k·step + others.high.
		n, _ := along.Extent.IsConst()
		others.high -= step * (n - 1)
		first := max(0, -floor(others.low-p.there[d].low, step))
		last := min(n-1, floor(p.there[d].high-others.high, step))
		share *= float64(max(0, last-first+1)) / float64(n)
	}
	return share
}

// statement returns the statement that computes the tensor, which the comprehensions read from
// now on.
func statement(f *ein.Func, shared []*padded) *ein.Comprehension {
	p := shared[0]
	pos := p.value.Pos
	t := &ein.Tensor{Pos: pos, Name: freshName(f, p.read.Tensor.Name+"_padded"), Type: p.read.Tensor.Type, Role: ein.Temp}
	f.Tensors = append(f.Tensors, t)
	write, read := &ein.Write{Pos: pos, Tensor: t}, &ein.Access{Pos: pos, Tensor: p.read.Tensor}
	border := &ein.Comprehension{Pos: pos, Writes: []*ein.Write{write}}
	var cond ein.Expr
	for d, all := range p.all {
		i := &ein.Index{Pos: pos, Name: fmt.Sprintf("d%d", d+1), Extent: affine.Const(all.high - all.low + 1)}
		at := &ein.IndexRef{Pos: pos, Index: i}
		border.Indices, t.Dims = append(border.Indices, i), append(t.Dims, ein.Dim{Extent: i.Extent})
		write.Subscripts = append(write.Subscripts, at)
		read.Subscripts = append(read.Subscripts, ein.FromAffine(affine.Symbol(i.Name).AddConst(all.low), map[string]*ein.Index{i.Name: i}, pos))
		test := func(op ein.BinaryOp, limit int64) {
			var holds ein.Expr = &ein.Binary{Pos: pos, Op: op, X: &ein.Cast{Pos: pos, To: tensor.Int32, X: at}, Y: ein.IntConst(tensor.Int32, limit-all.low)}
			if cond != nil {
				holds = &ein.Binary{Pos: pos, Op: ein.And, X: cond, Y: holds}
			}
			cond = holds
		}
		if s := p.there[d]; s.low > all.low {
			test(ein.Ge, s.low)
		}
		if s := p.there[d]; s.high < all.high {
			test(ein.Le, s.high)
		}
	}
	then, other := ein.Expr(read), *p.value.Else.(*ein.Const)
	if other.DType = t.Type.Compute(); other.DType != t.Type {
		then = &ein.Cast{Pos: pos, To: other.DType, X: read}
	}
	border.Values = []ein.Expr{&ein.Select{Pos: pos, Cond: cond, Then: then, Else: &other}}
	for _, p := range shared {
		p.replace(t)
	}
	return border
}

// replace lets the comprehension read a tensor in place of the operand. Indices that are reduced
// and count windows backwards count them forwards from now on.
func (p *padded) replace(t *ein.Tensor) {
	indices, env := map[string]*ein.Index{}, map[*ein.Index]ein.Expr{}
	for _, i := range p.c.Indices {
		indices[i.Name] = i
	}
	a := &ein.Access{Pos: p.read.Pos, Tensor: t}
	for d, sum := range p.sums {
		for _, i := range p.c.ByKind(ein.Reduce) {
			if step, rest, _ := sum.Linear(i.Name); step < 0 {
				turned := i.Min.Scale(2).Add(i.Extent).AddConst(-1).Sub(affine.Symbol(i.Name))
				env[i] = ein.FromAffine(turned, indices, i.Pos)
				sum = rest.Add(turned.Scale(step))
			}
		}
		a.Subscripts = append(a.Subscripts, ein.FromAffine(sum.AddConst(-p.all[d].low), indices, p.read.Pos))
	}
	// The operand stands for itself while the others' subscripts change.
	local := &ein.Local{Name: t.Name, DType: p.value.Type()}
	value := replaced(p.c.Values[0], p.value, &ein.LocalRef{Pos: a.Pos, Local: local})
	if len(env) > 0 {
		value = substitute(value, env)
	}
	p.c.Values[0] = ein.Map(value, func(e ein.Expr) ein.Expr {
		if r, ok := e.(*ein.LocalRef); ok && r.Local == local {
			return conversionOf(a, p.value.Then)
		}
		return e
	})
}

// conversionOf converts an access as a value is converted.
func conversionOf(a *ein.Access, as ein.Expr) ein.Expr {
	if c, ok := as.(*ein.Cast); ok {
		return &ein.Cast{Pos: c.Pos, To: c.To, X: conversionOf(a, c.X)}
	}
	return a
}
