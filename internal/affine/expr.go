// Package affine is exact integer arithmetic over symbolic sizes: expressions,
// proofs about them, boxes, and the dependences of affine accesses.
package affine

import (
	"fmt"
	"math"
	"math/big"
	"sort"
	"strings"
)

// How it works
//
// An Expr is kept in one canonical form, a polynomial with integer coefficients
//
//	Σ coefficient · atom₁ · … · atomₙ
//
// whose atoms are symbols (sizes, indices, run-time scalars) or applications of
// floor division, floor modulo, minimum and maximum to canonical expressions.
// Two expressions that are equal as polynomials over their atoms have the same
// canonical text, so equality, hashing and cache keys are string comparisons.
// Expressions are immutable values; the zero Expr is the number 0.

// An Op is the function of a non-symbol atom.
type Op string

// The atom functions. FloorDiv and Mod round toward minus infinity; a divisor of
// zero is an evaluation error.
const (
	FloorDiv Op = "/"
	Mod      Op = "%"
	Min      Op = "min"
	Max      Op = "max"
)

// An Atom is a factor of a term: a symbol (Op == "") or a function of two
// expressions.
type Atom struct {
	Symbol string
	Op     Op
	X, Y   Expr

	text string // of a function; kept, because making it again at every level would be exponential in the depth
}

func (a Atom) key() string { return a.String() }

// A Term is a coefficient times a product of atoms, sorted by their text.
type Term struct {
	Coefficient int64
	Atoms       []Atom
}

func (t Term) key() string {
	parts := make([]string, len(t.Atoms))
	for i, a := range t.Atoms {
		parts[i] = a.key()
	}
	return strings.Join(parts, "*")
}

// Expr is a symbolic integer in canonical form.
type Expr struct {
	terms []Term // sorted by key; no zero coefficients; the constant term has key ""
}

// Const returns the expression for a number.
func Const(n int64) Expr {
	if n == 0 {
		return Expr{}
	}
	return Expr{terms: []Term{{Coefficient: n}}}
}

// Symbol returns the expression for a named unknown.
func Symbol(name string) Expr {
	return Expr{terms: []Term{{Coefficient: 1, Atoms: []Atom{{Symbol: name}}}}}
}

// Terms returns the canonical terms; the caller must not change them.
func (e Expr) Terms() []Term { return e.terms }

// IsConst reports whether e is a number, and which.
func (e Expr) IsConst() (int64, bool) {
	switch {
	case len(e.terms) == 0:
		return 0, true
	case len(e.terms) == 1 && len(e.terms[0].Atoms) == 0:
		return e.terms[0].Coefficient, true
	}
	return 0, false
}

// IsSymbol reports whether e is a single symbol, and which.
func (e Expr) IsSymbol() (string, bool) {
	if len(e.terms) == 1 && e.terms[0].Coefficient == 1 && len(e.terms[0].Atoms) == 1 && e.terms[0].Atoms[0].Op == "" {
		return e.terms[0].Atoms[0].Symbol, true
	}
	return "", false
}

// Equal reports whether two expressions have the same canonical form.
func (e Expr) Equal(f Expr) bool { return e.String() == f.String() }

// normal sorts and merges terms.
func normal(terms []Term) Expr {
	sums := map[string]int{}
	var merged []Term
	for _, t := range terms {
		k := t.key()
		if i, ok := sums[k]; ok {
			sum := merged[i].Coefficient + t.Coefficient
			if (sum > merged[i].Coefficient) != (t.Coefficient > 0) && t.Coefficient != 0 {
				return tooLarge()
			}
			merged[i].Coefficient = sum
			continue
		}
		sums[k] = len(merged)
		merged = append(merged, t)
	}
	kept := merged[:0]
	for _, t := range merged {
		if t.Coefficient != 0 {
			kept = append(kept, t)
		}
	}
	sort.Slice(kept, func(i, j int) bool {
		if len(kept[i].Atoms) == 0 || len(kept[j].Atoms) == 0 {
			return len(kept[i].Atoms) > len(kept[j].Atoms) // constant last
		}
		return kept[i].key() < kept[j].key()
	})
	return Expr{terms: kept}
}

// product multiplies two coefficients; ok is false when the result overflows.
func product(x, y int64) (int64, bool) {
	if x == 0 || y == 0 {
		return 0, true
	}
	p := x * y
	return p, p/y == x && !(x == -1 && y == math.MinInt64) && !(y == -1 && x == math.MinInt64)
}

// tooLarge stands for an expression whose coefficients left 64 bits. It is a
// symbol that nobody can declare, so proofs about it fail and Eval reports it.
func tooLarge() Expr { return Symbol(beyond) }

const beyond = "<a number beyond 64 bits>"

// Fits reports whether all coefficients of e stayed in 64 bits.
func (e Expr) Fits() bool { return !e.Uses(beyond) }

// Add returns e + f.
func (e Expr) Add(f Expr) Expr {
	return normal(append(append([]Term(nil), e.terms...), f.terms...))
}

// AddConst returns e + n.
func (e Expr) AddConst(n int64) Expr { return e.Add(Const(n)) }

// Scale returns n·e.
func (e Expr) Scale(n int64) Expr {
	if n == 0 {
		return Expr{}
	}
	terms := append([]Term(nil), e.terms...)
	for i := range terms {
		c, ok := product(terms[i].Coefficient, n)
		if !ok {
			return tooLarge()
		}
		terms[i].Coefficient = c
	}
	return Expr{terms: terms}
}

// Sub returns e − f.
func (e Expr) Sub(f Expr) Expr { return e.Add(f.Scale(-1)) }

// Mul returns e·f.
func (e Expr) Mul(f Expr) Expr {
	var terms []Term
	for _, s := range e.terms {
		for _, t := range f.terms {
			c, ok := product(s.Coefficient, t.Coefficient)
			if !ok {
				return tooLarge()
			}
			atoms := append(append([]Atom(nil), s.Atoms...), t.Atoms...)
			sort.Slice(atoms, func(i, j int) bool { return atoms[i].key() < atoms[j].key() })
			terms = append(terms, Term{Coefficient: c, Atoms: atoms})
		}
	}
	return normal(terms)
}

// Apply returns op(e, f), folded when the result is known exactly.
func Apply(op Op, e, f Expr) Expr {
	if x, ok := e.IsConst(); ok {
		if y, ok := f.IsConst(); ok {
			if v, err := applyInt(op, x, y); err == nil {
				return Const(v)
			}
		}
	}
	if folded, ok := foldDivision(op, e, f); ok {
		return folded
	}
	if op == Min || op == Max {
		if d, ok := e.Sub(f).IsConst(); ok {
			if (d <= 0) == (op == Min) {
				return e
			}
			return f
		}
		if f.String() < e.String() {
			e, f = f, e
		}
	}
	a := Atom{Op: op, X: e, Y: f}
	a.text = a.format()
	return atomExpr(a)
}

// foldDivision splits off the part of e that a positive constant divisor
// divides: (c·q + r)/c = q + r/c and (c·q + r)%c = r%c.
func foldDivision(op Op, e, f Expr) (Expr, bool) {
	if n, ok := e.IsConst(); ok && n == 0 && (op == FloorDiv || op == Mod) {
		return Expr{}, true
	}
	c, ok := f.IsConst()
	if !ok || c <= 0 || (op != FloorDiv && op != Mod) {
		return Expr{}, false
	}
	if c == 1 {
		if op == Mod {
			return Expr{}, true
		}
		return e, true
	}
	var quotient, rest []Term
	for _, t := range e.terms {
		q := t.Coefficient / c // a symbol keeps its sign: (H - KH)/2 stays
		if len(t.Atoms) == 0 {
			q = floorDiv(t.Coefficient, c)
		}
		if q != 0 {
			quotient = append(quotient, Term{Coefficient: q, Atoms: t.Atoms})
		}
		if r := t.Coefficient - q*c; r != 0 {
			rest = append(rest, Term{Coefficient: r, Atoms: t.Atoms})
		}
	}
	if len(quotient) == 0 {
		return Expr{}, false
	}
	r := Apply(op, normal(rest), f)
	if op == Mod {
		return r, true
	}
	return normal(quotient).Add(r), true
}

func floorDiv(x, y int64) int64 {
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

func applyInt(op Op, x, y int64) (int64, error) {
	switch op {
	case Min:
		return min(x, y), nil
	case Max:
		return max(x, y), nil
	}
	if y == 0 {
		return 0, fmt.Errorf("division by zero in %d %s %d", x, op, y)
	}
	q := floorDiv(x, y)
	if op == Mod {
		return x - q*y, nil
	}
	return q, nil
}

// Div returns floor(e / f).
func Div(e, f Expr) Expr { return Apply(FloorDiv, e, f) }

// Rem returns e − f·floor(e / f).
func Rem(e, f Expr) Expr { return Apply(Mod, e, f) }

// MinOf returns the smaller of two expressions.
func MinOf(e, f Expr) Expr { return Apply(Min, e, f) }

// MaxOf returns the larger of two expressions.
func MaxOf(e, f Expr) Expr { return Apply(Max, e, f) }

// Subst replaces symbols by expressions; symbols without an entry stay.
func (e Expr) Subst(env map[string]Expr) Expr {
	var sum Expr
	for _, t := range e.terms {
		product := Const(t.Coefficient)
		for _, a := range t.Atoms {
			product = product.Mul(a.subst(env))
		}
		sum = sum.Add(product)
	}
	return sum
}

func (a Atom) subst(env map[string]Expr) Expr {
	if a.Op != "" {
		return Apply(a.Op, a.X.Subst(env), a.Y.Subst(env))
	}
	if e, ok := env[a.Symbol]; ok {
		return e
	}
	return Symbol(a.Symbol)
}

// Eval computes the value for given symbols. It fails on an unknown symbol, a
// division by zero, and a result outside int64.
func (e Expr) Eval(env map[string]int64) (int64, error) {
	sum := new(big.Int)
	for _, t := range e.terms {
		product := big.NewInt(t.Coefficient)
		for _, a := range t.Atoms {
			v, err := a.eval(env)
			if err != nil {
				return 0, err
			}
			product.Mul(product, big.NewInt(v))
		}
		sum.Add(sum, product)
	}
	if !sum.IsInt64() {
		return 0, fmt.Errorf("the value of %s does not fit in 64 bits", e)
	}
	return sum.Int64(), nil
}

func (a Atom) eval(env map[string]int64) (int64, error) {
	if a.Op == "" {
		v, ok := env[a.Symbol]
		if !ok {
			return 0, fmt.Errorf("the size %s is not known", a.Symbol)
		}
		return v, nil
	}
	x, err := a.X.Eval(env)
	if err != nil {
		return 0, err
	}
	y, err := a.Y.Eval(env)
	if err != nil {
		return 0, err
	}
	return applyInt(a.Op, x, y)
}

// Symbols adds the names of all symbols of e to set.
func (e Expr) Symbols(set map[string]bool) {
	for _, t := range e.terms {
		for _, a := range t.Atoms {
			if a.Op == "" {
				set[a.Symbol] = true
				continue
			}
			a.X.Symbols(set)
			a.Y.Symbols(set)
		}
	}
}

// Uses reports whether the symbol occurs in e.
func (e Expr) Uses(symbol string) bool {
	set := map[string]bool{}
	e.Symbols(set)
	return set[symbol]
}

// Linear splits e as coefficient·symbol + rest where neither part uses the
// symbol; ok is false when the symbol occurs in a product with a symbol, inside
// a function or with a power.
func (e Expr) Linear(symbol string) (coefficient int64, rest Expr, ok bool) {
	var others []Term
	for _, t := range e.terms {
		if !(Expr{terms: []Term{t}}).Uses(symbol) {
			others = append(others, t)
			continue
		}
		if len(t.Atoms) != 1 || t.Atoms[0].Op != "" {
			return 0, Expr{}, false
		}
		coefficient = t.Coefficient
	}
	return coefficient, Expr{terms: others}, true
}
