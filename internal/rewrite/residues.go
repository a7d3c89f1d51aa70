package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How statements are parted by residues: index sets are split
//
// The gradient of a convolution with stride 2 to its image adds up, for every point of the image,
// those products whose window lay there:
//
//	G[c,y] = Σ f,r  ((y - r) % 2 == 0 ? D[f, (y-r)/2] · K[f,c,r] : 0)
//
// Half of the terms are zero, and which depends on the residue of y: for y = 2·y' + p only
// those with r = 2·r' + p are not. With one statement for each p the condition holds
// always, and the quotient is affine:
//
//	G[c,2·y'+p] = Σ f,r'  D[f, y'-r'] · K[f,c,2·r'+p]
//
// which are ordinary contractions. Remainders and quotients by numbers are periodic in the
// indices; an index is parted by its period. Terms that are left out are the identity of the
// reduction (why that changes no bit says ein/indicator.go), and those that stay keep their order.

const (
	mostResidues = 8  // of an index
	mostParts    = 16 // of a statement
)

// SplitResidues parts reductions whose terms depend on the residues of their indices.
func SplitResidues(f *ein.Func) *ein.Func {
	f = f.Clone()
	var body []*ein.Comprehension
	for _, c := range f.Body {
		if pieces := splitByResidues(c); pieces != nil {
			body = append(body, pieces...)
		} else {
			body = append(body, c)
		}
	}
	f.Body = body
	return f
}

// splitByResidues returns the pieces of a statement, or nil where all of its terms are needed.
func splitByResidues(c *ein.Comprehension) []*ein.Comprehension {
	op := onlyOperator(c)
	if op == nil || len(op.Identity) != len(c.Values) || !isPlain(c) || contains(c, isChecked) {
		return nil
	}
	periods, parts := periodsOf(c), int64(1)
	var along []*ein.Index
	for _, i := range c.ByKind(ein.Concat) {
		if n, _ := i.Extent.IsConst(); periods[i] > 1 && n > 1 {
			along = append(along, i)
			parts *= min(n, periods[i])
		}
	}
	if len(along) == 0 || parts > mostParts {
		return nil
	}
	p := &parting{op: op, along: along, period: map[string]int64{}}
	for i, n := range periods {
		p.period[i.Name] = n
	}
	p.part(c, 0)
	if !p.isLess {
		return nil
	}
	return p.pieces
}

// A parting is a statement while it is parted.
type parting struct {
	op     *ein.Operator
	along  []*ein.Index     // of the results
	period map[string]int64 // by index
	pieces []*ein.Comprehension
	isLess bool // some terms are left out
}

// part parts a piece along the indices from number k on, but for one that has no terms: that is not
// cut further, so that it is written row by row.
func (p *parting) part(c *ein.Comprehension, k int) {
	if len(c.ByKind(ein.Reduce)) > 0 {
		c = p.neededTerms(c)
	}
	if k == len(p.along) || len(c.ByKind(ein.Reduce)) == 0 {
		decide(c)
		p.pieces = append(p.pieces, rewritten(withoutSingles(c), nil))
		return
	}
	i := indexNamed(c, p.along[k].Name)
	n, _ := c.Indices[i].Extent.IsConst()
	period := p.period[p.along[k].Name]
	for class := range min(n, period) {
		p.part(ofResidue(c, i, period, class), k+1)
	}
}

// neededTerms leaves out those terms of a reduction that are the identity of its operator because of
// the residue of what is reduced.
func (p *parting) neededTerms(c *ein.Comprehension) *ein.Comprehension {
	if isIdentity(c, p.op) {
		p.isLess = true
		return withoutTerms(c)
	}
	for _, i := range c.ByKind(ein.Reduce) {
		s := p.period[i.Name]
		if s < 2 {
			continue
		}
		n, _ := i.Extent.IsConst()
		var some []*ein.Comprehension
		for class := range min(s, n) {
			if piece := ofResidue(c, indexNamed(c, i.Name), s, class); !isIdentity(piece, p.op) {
				some = append(some, piece)
			}
		}
		switch {
		case len(some) == 0:
			p.isLess = true
			return withoutTerms(c)
		case len(some) == 1 && n > 1:
			c, p.isLess = some[0], true
		}
	}
	return c
}

// isIdentity reports whether all terms of a statement are the identity of an operator.
func isIdentity(c *ein.Comprehension, op *ein.Operator) bool {
	for k, v := range c.Values {
		if !isConstant(v, op.Identity[k]) {
			return false
		}
	}
	return true
}

// withoutTerms returns a reduction of no terms at all.
func withoutTerms(c *ein.Comprehension) *ein.Comprehension {
	empty := &ein.Comprehension{Pos: c.Pos, Indices: c.ByKind(ein.Concat), Writes: c.Writes, Accumulate: c.Accumulate}
	for _, i := range c.Indices {
		if i.Combine.Kind == ein.Reduce {
			empty.Values = i.Combine.Op.Identity
		}
	}
	return empty
}

// withoutSingles returns a statement without the indices of one value that it reduces; one of them stays
// where there are no others, since a fold starts from the identity.
func withoutSingles(c *ein.Comprehension) *ein.Comprehension {
	for _, i := range c.ByKind(ein.Reduce) {
		n, _ := i.Extent.IsConst()
		if first, known := i.Min.IsConst(); n != 1 || !known || len(c.ByKind(ein.Reduce)) == 1 {
			continue
		} else {
			c = rewritten(c, map[*ein.Index]ein.Expr{i: ein.IntConst(tensor.Int64, first)})
		}
		c.Indices = slices.DeleteFunc(c.Indices, func(j *ein.Index) bool { return j.Name == i.Name })
	}
	return c
}

func indexNamed(c *ein.Comprehension, name string) int {
	return slices.IndexFunc(c.Indices, func(i *ein.Index) bool { return i.Name == name })
}

// ofResidue returns a copy of c for every period-th value of index number k, from value number class on.
func ofResidue(c *ein.Comprehension, k int, period, class int64) *ein.Comprehension {
	first, _ := c.Indices[k].Min.IsConst()
	n, _ := c.Indices[k].Extent.IsConst()
	copied := restricted(c, k, 0, (n-class+period-1)/period)
	i := copied.Indices[k]
	value := affine.Symbol(i.Name).Scale(period).AddConst(first + class)
	return rewritten(copied, map[*ein.Index]ein.Expr{i: ein.FromAffine(value, map[string]*ein.Index{i.Name: i}, i.Pos)})
}

// rewritten replaces indices by expressions of indices, and folds the quotients and remainders that
// become affine.
func rewritten(c *ein.Comprehension, env map[*ein.Index]ein.Expr) *ein.Comprehension {
	indices := map[string]*ein.Index{}
	for _, i := range c.Indices {
		indices[i.Name] = i
	}
	fold := func(e ein.Expr) ein.Expr { return simplifyNode(foldQuotient(e, indices)) }
	for n, v := range c.Values {
		c.Values[n] = ein.Map(substitute(v, env), fold)
	}
	for _, w := range c.Writes {
		for n, s := range w.Subscripts {
			w.Subscripts[n] = ein.Map(substitute(s, env), fold)
		}
	}
	return c
}

// foldQuotient makes a quotient or remainder of indices by a number affine where the number divides
// their coefficients.
func foldQuotient(e ein.Expr, indices map[string]*ein.Index) ein.Expr {
	op, x, n, ok := quotient(e)
	if !ok {
		return e
	}
	q := affine.Apply(op, x, affine.Const(n))
	if number, isConst := q.IsConst(); isConst {
		return &ein.Const{Pos: e.Span(), DType: e.Type(), Bits: uint64(number)}
	}
	if value := ein.FromAffine(q, indices, e.Span()); e.Type() != tensor.Int64 {
		return &ein.Cast{Pos: e.Span(), To: e.Type(), X: value}
	} else {
		return value
	}
}

// quotient returns what a quotient or remainder of indices by a number is made of.
func quotient(e ein.Expr) (op affine.Op, x affine.Expr, n int64, ok bool) {
	b, isBinary := e.(*ein.Binary)
	if !isBinary || b.Op != ein.Div && b.Op != ein.Mod || magnitude(b.X) >= small {
		return "", x, 0, false
	}
	number, isNumber := b.Y.(*ein.Const)
	if x, ok = ein.AffineOf(withoutCasts(b.X)); !ok || !isNumber || number.Int() < 1 || number.Int() >= small {
		return "", x, 0, false
	}
	if op = affine.FloorDiv; b.Op == ein.Mod {
		op = affine.Mod
	}
	return op, x, number.Int(), true
}

// periodsOf returns the indices on which quotients and remainders by numbers depend, with how far apart
// values of them are from which to the next all remainders are the same, and all quotients
// change by the same; no index with more of them than residues are told apart.
func periodsOf(c *ein.Comprehension) map[*ein.Index]int64 {
	periods := map[*ein.Index]int64{}
	collect := func(e ein.Expr) bool {
		_, x, n, ok := quotient(e)
		if !ok {
			return true
		}
		for _, i := range c.Indices {
			if x.Uses(i.Name) {
				periods[i] = commonPeriod(periods[i], period(x, i.Name, n))
			}
		}
		return true
	}
	for _, v := range c.Values {
		ein.Walk(v, collect)
	}
	for _, w := range c.Writes {
		for _, s := range w.Subscripts {
			ein.Walk(s, collect)
		}
	}
	for i, n := range periods {
		if n > mostResidues {
			delete(periods, i)
		}
	}
	return periods
}

// period returns by how much a symbol changes while e changes by a multiple of a modulus; small where
// that is not known.
func period(e affine.Expr, symbol string, modulus int64) int64 {
	all := int64(1)
	for _, t := range e.Terms() {
		for _, a := range t.Atoms {
			least := int64(1)
			step := modulus / commonDivisor(t.Coefficient, modulus)
			divisor, _ := a.Y.IsConst()
			switch {
			case a.Op == "" && a.Symbol != symbol, a.Op != "" && !a.X.Uses(symbol) && !a.Y.Uses(symbol):
			case len(t.Atoms) > 1, a.Op == affine.Min, a.Op == affine.Max:
				return small
			case a.Op == "":
				least = step
			case a.Op == affine.FloorDiv && divisor > 0 && divisor*step < small:
				least = period(a.X, symbol, divisor*step)
			case a.Op == affine.Mod && divisor > 0:
				least = period(a.X, symbol, divisor)
			default:
				return small
			}
			all = commonPeriod(all, least)
		}
	}
	return all
}

// commonPeriod is the least common multiple, at most small; 0 is no period yet.
func commonPeriod(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	if a >= small || b >= small {
		return small
	}
	return min(small, a/commonDivisor(a, b)*b)
}

func commonDivisor(a, b int64) int64 {
	for a, b = distance(a), distance(b); b != 0; {
		a, b = b, a%b
	}
	return a
}
