package loop

import (
	"fmt"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A prover turns the integer expressions of a program into forms. A vector has
// the form of its lane number "lane", which is an atom like any other.
//
// Arithmetic on int64 is taken not to wrap: subscripts are far from the ends of
// the type, and what comes out of memory is compared in the same form in which it
// is used. Narrower types are checked.
type prover struct {
	atoms  int
	shared map[string]*atom // atoms of equal operations
	forms  map[*Var]affineForm
	bools  map[*Var]Expr // definitions of bool variables
	lanes  map[int]*atom
	// here has the values that have no form, by the text of their expressions. It
	// is for one statement, while memory does not change.
	here    map[string]affineForm
	text    *printer
	masks   map[string]bool // the texts of conditions that hold in the lanes of the present access
	assumed []affineForm    // what holds where the present statement is
	choices [][]facts       // and of each of these one
	extents []affineForm    // sizes, and sums that are required not to be negative
	// slack has the sizes that are expressed by sums which are atoms for monotone,
	// kept the other sizes in these sums.
	slack map[*atom]polynomial
	kept  map[*atom]bool
	// open says that sizes are not known. What follows from tests and ends of loops is noted
	// then, which would make the systems of constant ones longer than the limits allow.
	open bool
}

func newProver() *prover {
	return &prover{shared: map[string]*atom{}, forms: map[*Var]affineForm{}, bools: map[*Var]Expr{}, lanes: map[int]*atom{},
		here: map[string]affineForm{}, slack: map[*atom]polynomial{}, kept: map[*atom]bool{}, text: newPrinter()}
}

// forget begins a new statement.
func (p *prover) forget() { clear(p.here) }

// opaque returns an atom for the value of an expression that has no form.
func (p *prover) opaque(e Expr) affineForm {
	key := p.text.expr(e, 0)
	f, ok := p.here[key]
	if !ok {
		f = p.unknown(key, e.Type().Elem)
		p.here[key] = f
	}
	return f
}

// atom makes an atom with known numeric bounds.
func (p *prover) atom(name string, op atomOp, x, y affineForm, lo, hi int64) *atom {
	p.atoms++
	a := &atom{number: p.atoms, name: name, op: op, x: x, y: y, lo: lo, hi: hi}
	a.facts = a.between()
	return a
}

// between returns the facts that an atom is between its numeric bounds.
func (a *atom) between() (facts []affineForm) {
	if a.lo != math.MinInt64 {
		facts = append(facts, atomForm(a).plus(-a.lo))
	}
	if a.hi != math.MaxInt64 {
		facts = append(facts, atomForm(a).scale(-1).plus(a.hi))
	}
	return facts
}

// share returns the atom of an operation, which it makes when it is new.
func (p *prover) share(op atomOp, x, y affineForm, make func() *atom) affineForm {
	key := fmt.Sprintf("%d %s|%s", op, x.key(), y.key())
	a, ok := p.shared[key]
	if !ok {
		a = make()
		p.shared[key] = a
	}
	return atomForm(a)
}

func (f affineForm) key() string {
	key := fmt.Sprint(f.constant, f.overflow)
	for _, t := range f.terms {
		key += fmt.Sprintf(" %d*%d", t.coefficient, t.atom.number)
	}
	return key
}

// lane returns the atom of the lane number in vectors of n lanes.
func (p *prover) lane(n int) affineForm {
	if n == 1 {
		return affineForm{}
	}
	a, ok := p.lanes[n]
	if !ok {
		a = p.atom("lane", atomVariable, affineForm{}, affineForm{}, 0, int64(n-1))
		p.lanes[n] = a
	}
	return atomForm(a)
}

// integerRange returns the least and greatest value of a type as far as int64
// goes; the ends of int64 itself count as unknown.
func integerRange(d tensor.DType) (lo, hi int64) {
	bits := 8 * d.Size()
	switch {
	case d == tensor.Bool:
		return 0, 1
	case d == tensor.Uint64:
		return math.MinInt64, math.MaxInt64 // it may look negative as an int64
	case d.Kind() == tensor.KindUint:
		return 0, 1<<bits - 1
	case d == tensor.Int64:
		return math.MinInt64, math.MaxInt64
	}
	return -1 << (bits - 1), 1<<(bits-1) - 1
}

// unknown returns a new atom for a value of which only the type is known.
func (p *prover) unknown(name string, d tensor.DType) affineForm {
	lo, hi := integerRange(d)
	return atomForm(p.atom(name, atomVariable, affineForm{}, affineForm{}, lo, hi))
}

// parameter returns the atom of a variable that the caller gives.
func (p *prover) parameter(param *Param) affineForm {
	p.open = true
	lo := int64(math.MinInt64)
	if param.NonNegative {
		lo = 0
	}
	return atomForm(p.atom(param.Var.Name, atomVariable, affineForm{}, affineForm{}, lo, math.MaxInt64))
}

// form returns the form of an integer expression.
func (p *prover) form(e Expr) affineForm {
	d := e.Type().Elem
	f, ok := p.linear(e)
	if !ok || f.overflow {
		return p.opaque(e)
	}
	lo, hi := f.rangeOf()
	least, greatest := integerRange(d)
	if d != tensor.Int64 && (lo < least || hi > greatest || d == tensor.Uint64 && lo < 0) {
		return p.opaque(e) // the arithmetic may wrap
	}
	return f
}

// linear returns the form of an expression, false when it has none.
func (p *prover) linear(e Expr) (affineForm, bool) {
	if !e.Type().Elem.IsInteger() {
		return affineForm{}, false
	}
	switch e := e.(type) {
	case *Const:
		return p.constant(int64(e.Bits)), true
	case *VarRef:
		f, ok := p.forms[e.Var]
		return f, ok
	case *Unary:
		return p.form(e.X).scale(-1), e.Op == ein.Neg
	case *MulAdd:
		return p.product(p.form(e.X), p.form(e.Y)).add(p.form(e.Z)), true
	case *Binary:
		return p.binary(e.Op, p.form(e.X), p.form(e.Y))
	case *Broadcast:
		return p.form(e.X), true
	case *Ramp:
		return p.form(e.Base).add(p.lane(e.Lanes).scale(e.Stride)), true
	case *Cast:
		return p.cast(e)
	case *Select:
		return p.either(e), true
	case *Load:
		return p.loaded(e), true
	case *Lead:
		return p.lead(e), true
	}
	return affineForm{}, false
}

// constant returns the form of a number. One to which nothing can be added without a wrap is an
// atom, so that conditions on its sums, which are false most often, still prove what is below them.
func (p *prover) constant(v int64) affineForm {
	const most = math.MaxInt64 / 2
	if v <= most && v >= -most {
		return constantForm(v)
	}
	key := fmt.Sprint("number ", v)
	a, ok := p.shared[key]
	if !ok {
		lo, hi := min(v, math.MaxInt64-1), max(v, math.MinInt64+1) // the ends stand for no bound
		a = p.atom(key, atomVariable, affineForm{}, affineForm{}, lo, hi)
		p.shared[key] = a
	}
	return atomForm(a)
}

func (p *prover) cast(e *Cast) (affineForm, bool) {
	switch from := e.X.Type().Elem; {
	case from.IsInteger():
		return p.form(e.X), true
	case from == tensor.Bool:
		return p.opaque(e.X), true
	}
	return affineForm{}, false
}

// loaded gives equal loads from read-only memory one atom, whose masks hold where it is looked at.
func (p *prover) loaded(e *Load) affineForm {
	if !e.Buffer.ReadOnly || e.Mask != nil && !p.masked(e.Mask) {
		return p.opaque(e)
	}
	index := p.form(e.Index)
	if e.Lanes > 1 && e.Index.Type().Lanes == 1 {
		index = index.add(p.lane(e.Lanes))
	}
	key := fmt.Sprintf("load %p %s", e.Buffer, index.key())
	a, ok := p.shared[key]
	if !ok {
		a = p.unknown(e.Buffer.Name+"[…]", e.Buffer.Type.Elem).last().atom
		p.shared[key] = a
	}
	return atomForm(a)
}

func (p *prover) either(e *Select) affineForm {
	key := p.text.expr(e, 0)
	if f, ok := p.here[key]; ok {
		return f
	}
	x, y := p.form(e.Then), p.form(e.Else)
	x1, x2 := x.rangeOf()
	y1, y2 := y.rangeOf()
	yes, no := p.guards(e.Cond, true), p.guards(e.Cond, false)
	a := p.atom("", atomEither, x, y, min(x1, y1), max(x2, y2))
	a.whenX, a.whenY = yes, no
	p.here[key] = atomForm(a)
	return p.here[key]
}

func (p *prover) binary(op ein.BinaryOp, x, y affineForm) (affineForm, bool) {
	switch op {
	case ein.Add:
		return x.add(y), true
	case ein.Sub:
		return x.sub(y), true
	case ein.Mul:
		return p.product(x, y), true
	case ein.Min, ein.Max:
		return p.extreme(op == ein.Min, x, y), true
	case ein.Div, ein.Mod:
		return p.division(op == ein.Mod, x, y)
	case ein.BitAnd, ein.BitOr, ein.BitXor:
		return p.bits(op, x, y), true
	case ein.Shl, ein.Shr:
		return p.shift(op == ein.Shl, x, y)
	}
	return affineForm{}, false
}

// bits gives an operator on bits the range that it has, and the operands that are ends of a conjunction.
func (p *prover) bits(op ein.BinaryOp, x, y affineForm) affineForm {
	key := map[ein.BinaryOp]atomOp{ein.BitAnd: atomBitAnd, ein.BitOr: atomBitOr, ein.BitXor: atomBitXor}[op]
	return p.share(key, x, y, func() *atom {
		x1, x2 := x.rangeOf()
		y1, y2 := y.rangeOf()
		lo, hi := ein.BitRange(op, x1, x2, y1, y2)
		a := p.atom("", atomVariable, x, y, lo, hi)
		if op == ein.BitAnd && x1 >= 0 {
			a.facts = append(a.facts, x.sub(atomForm(a)))
		}
		if op == ein.BitAnd && y1 >= 0 {
			a.facts = append(a.facts, y.sub(atomForm(a)))
		}
		return a
	})
}

// shift is a product or a quotient where the count is known. Of narrow types, a product that loses bits does not fit.
func (p *prover) shift(left bool, x, y affineForm) (affineForm, bool) {
	count, known := y.isConstant()
	switch {
	case !known || count < 0 || count > 61:
		return affineForm{}, false
	case left:
		return x.scale(1 << count), true
	}
	return p.division(false, x, constantForm(1<<count))
}

// product multiplies out, so that (i - 1)·(i - 1) and i·i - 2·i + 1 are one form.
func (p *prover) product(x, y affineForm) affineForm {
	if len(x.terms)*len(y.terms) > maxProductTerms {
		return p.productAtom(x, y)
	}
	sum := combine(y.constant, affineForm{terms: x.terms, overflow: x.overflow}, x.constant, y)
	for _, a := range x.terms {
		for _, b := range y.terms {
			c, ok := mulExact(a.coefficient, b.coefficient)
			sum = combine(1, sum, c, p.productOf(append(a.atom.factors(), b.atom.factors()...)))
			sum.overflow = sum.overflow || !ok
		}
	}
	return sum
}

// maxProductTerms is how many terms a product that is multiplied out may have.
const maxProductTerms = 64

// factors returns the atoms that an atom is the product of.
func (a *atom) factors() []*atom {
	if a.op == atomProduct && a.x.isAtom() && a.y.isAtom() {
		return append(a.x.last().atom.factors(), a.y.last().atom.factors()...)
	}
	return []*atom{a}
}

func (f affineForm) isAtom() bool {
	return len(f.terms) == 1 && f.terms[0].coefficient == 1 && f.constant == 0 && !f.overflow
}

// productOf multiplies atoms in the order of their numbers.
func (p *prover) productOf(factors []*atom) affineForm {
	slices.SortFunc(factors, func(a, b *atom) int { return a.number - b.number })
	f := atomForm(factors[0])
	for _, a := range factors[1:] {
		f = p.productAtom(f, atomForm(a))
	}
	return f
}

func (p *prover) productAtom(x, y affineForm) affineForm {
	return p.share(atomProduct, x, y, func() *atom {
		x1, x2 := x.rangeOf()
		y1, y2 := y.rangeOf()
		lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
		if x1 >= 0 && y1 >= 0 {
			lo = 0
			if v, ok := mulExact(x2, y2); ok && x2 != math.MaxInt64 && y2 != math.MaxInt64 {
				hi = v
			}
		}
		return p.atom("", atomProduct, x, y, lo, hi)
	})
}

func (p *prover) extreme(isMin bool, x, y affineForm) affineForm {
	switch lo, hi := x.sub(y).rangeOf(); {
	case lo >= 0 && isMin, hi <= 0 && !isMin:
		return y
	case lo >= 0, hi <= 0:
		return x
	}
	op, sign := atomMax, int64(1)
	if isMin {
		op, sign = atomMin, -1
	}
	return p.share(op, x, y, func() *atom {
		x1, x2 := x.rangeOf()
		y1, y2 := y.rangeOf()
		lo, hi := max(x1, y1), max(x2, y2)
		if isMin {
			lo, hi = min(x1, y1), min(x2, y2)
		}
		a := p.atom("", op, x, y, lo, hi)
		// The third says that the extreme is beyond the mean.
		a.facts = append(a.facts, atomForm(a).sub(x).scale(sign), atomForm(a).sub(y).scale(sign), atomForm(a).scale(2).sub(x).sub(y).scale(sign).reduced())
		return a
	})
}

// division is floor division or modulo. For a positive constant the part of x
// that it divides is split off; the rest has q with c·q ≤ x ≤ c·q + c − 1.
func (p *prover) division(modulo bool, x, y affineForm) (affineForm, bool) {
	c, ok := y.isConstant()
	if !ok {
		return p.symbolicDivision(modulo, x, y), true
	}
	if c <= 0 || x.overflow {
		return affineForm{}, c == 0 // x/0 = x%0 = 0
	}
	whole, rest := affineForm{constant: floorDivide(x.constant, c)}, affineForm{}
	rest.constant = x.constant - c*whole.constant
	for _, t := range x.terms {
		q := floorDivide(t.coefficient, c)
		if q != 0 {
			whole.terms = append(whole.terms, formTerm{t.atom, q})
		}
		if r := t.coefficient - q*c; r != 0 {
			rest.terms = append(rest.terms, formTerm{t.atom, r})
		}
	}
	lo, hi := rest.rangeOf()
	if lo >= 0 && hi < c {
		if modulo {
			return rest, true
		}
		return whole, true
	}
	quotient := p.quotient(rest, c)
	if !modulo {
		return whole.add(quotient), true
	}
	return p.share(atomMod, rest, y, func() *atom {
		a := p.atom("", atomMod, rest, y, 0, c-1)
		equal := atomForm(a).sub(rest).add(quotient.scale(c))
		a.facts = append(a.facts, equal, equal.scale(-1))
		return a
	}), true
}

// symbolicDivision is division by a form. Where the form is at least 1, q has
// y·q ≤ x ≤ y·q + y − 1; where it may be 0 nothing is known.
func (p *prover) symbolicDivision(modulo bool, x, y affineForm) affineForm {
	unknown := func() *atom { return p.atom("", atomVariable, x, y, math.MinInt64, math.MaxInt64) }
	if !p.proves(y.plus(-1)) {
		if modulo {
			return p.share(atomMod, x, y, unknown)
		}
		return p.share(atomDiv, x, y, unknown)
	}
	// The facts hold where y is positive only: equal operations elsewhere have other atoms.
	quotient := p.share(atomPositiveDiv, x, y, func() *atom {
		lo := int64(math.MinInt64)
		if least, _ := x.rangeOf(); least >= 0 {
			lo = 0
		}
		ends := p.quotientEnds(x, y)
		a := p.atom("", atomDiv, x, y, lo, math.MaxInt64)
		rest := x.sub(p.product(y, atomForm(a)))
		a.facts = append(a.facts, rest, y.plus(-1).sub(rest))
		a.endsBefore(ends)
		return a
	})
	if !modulo {
		return quotient
	}
	return p.share(atomPositiveMod, x, y, func() *atom {
		a := p.atom("", atomMod, x, y, 0, math.MaxInt64)
		equal := atomForm(a).sub(x).add(p.product(y, quotient))
		a.facts = append(a.facts, y.plus(-1).sub(atomForm(a)), equal, equal.scale(-1))
		return a
	})
}

func (p *prover) quotient(x affineForm, c int64) affineForm {
	return p.share(atomDiv, x, constantForm(c), func() *atom {
		lo, hi := x.rangeOf()
		if lo != math.MinInt64 {
			lo = floorDivide(lo, c)
		}
		if hi != math.MaxInt64 {
			hi = floorDivide(hi, c)
		}
		ends := p.quotientEnds(x, constantForm(c))
		a := p.atom("", atomDiv, x, constantForm(c), lo, hi)
		q := atomForm(a).scale(c)
		a.facts = append(a.facts, x.sub(q), q.sub(x).plus(c-1))
		a.endsBefore(ends)
		return a
	})
}

// guards returns facts that hold where a condition has a truth value.
func (p *prover) guards(cond Expr, truth bool) []affineForm {
	switch e := cond.(type) {
	case *Const:
		if (e.Bits != 0) != truth {
			return []affineForm{constantForm(-1)}
		}
	case *VarRef:
		if d, ok := p.bools[e.Var]; ok {
			return p.guards(d, truth)
		}
	case *Broadcast:
		return p.guards(e.X, truth)
	case *Fold:
		if e.Op == ein.And && truth || e.Op == ein.Or && !truth {
			return p.guards(e.X, truth) // of every lane
		}
	case *Unary:
		if e.Op == ein.Not {
			return p.guards(e.X, !truth)
		}
	case *Select: // by a condition that is a conjunction or disjunction
		if c, value, rest, ok := e.conjunction(truth); ok {
			return append(p.guards(c, value), p.guards(rest, truth)...)
		}
	case *Binary:
		switch {
		case e.Op == ein.And && truth, e.Op == ein.Or && !truth:
			return append(p.guards(e.X, truth), p.guards(e.Y, truth)...)
		case e.Op.IsComparison() && e.X.Type().Elem.IsInteger() && e.X.Type().Elem != tensor.Uint64:
			return comparisonFacts(e.Op, truth, p.form(e.X), p.form(e.Y))
		}
	}
	return nil
}

// negated is the comparison that holds where another does not.
var negated = map[ein.BinaryOp]ein.BinaryOp{
	ein.Lt: ein.Ge, ein.Ge: ein.Lt, ein.Le: ein.Gt, ein.Gt: ein.Le, ein.Eq: ein.Ne, ein.Ne: ein.Eq,
}

func comparisonFacts(op ein.BinaryOp, truth bool, x, y affineForm) []affineForm {
	if !truth {
		op = negated[op]
	}
	switch op {
	case ein.Lt:
		return []affineForm{y.sub(x).plus(-1)}
	case ein.Le:
		return []affineForm{y.sub(x)}
	case ein.Gt:
		return []affineForm{x.sub(y).plus(-1)}
	case ein.Ge:
		return []affineForm{x.sub(y)}
	case ein.Eq:
		return []affineForm{x.sub(y), y.sub(x)}
	}
	return nil
}
