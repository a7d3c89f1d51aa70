package ein

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/tensor"
)

// Alternatives is what a condition says of indices and sizes: in at least one of them all expressions
// are ≥ 0. An alternative without expressions says nothing; no alternative at all says that the
// condition never has the value.
type Alternatives [][]affine.Expr

// unknownAlternatives say nothing.
func unknownAlternatives() Alternatives { return Alternatives{nil} }

// mostAlternatives bounds how many are told apart; what would make more says nothing.
const mostAlternatives = 16

// Known reports whether anything is said.
func (a Alternatives) Known() bool {
	for _, facts := range a {
		if len(facts) == 0 {
			return false
		}
	}
	return true
}

// And is what holds where both do.
func (a Alternatives) And(b Alternatives) Alternatives {
	switch {
	case len(a)*len(b) <= mostAlternatives:
	case len(a) <= len(b):
		return a
	default:
		return b
	}
	all := Alternatives{}
	for _, x := range a {
		for _, y := range b {
			all = append(all, append(x[:len(x):len(x)], y...))
		}
	}
	return all
}

// AllOf is what holds where all of a list do, those with few alternatives first: they say most. Complete says
// that all of them are in it.
func AllOf(list []Alternatives) (all Alternatives, complete bool) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Alternatives) int { return len(a) - len(b) })
	all, complete = unknownAlternatives(), true
	for _, a := range list {
		if len(all)*len(a) <= mostAlternatives {
			all = all.And(a)
		} else {
			complete = false
		}
	}
	return all, complete
}

// Or is what holds where one of them does.
func (a Alternatives) Or(b Alternatives) Alternatives {
	if len(a)+len(b) > mostAlternatives || len(a) > 0 && !a.Known() || len(b) > 0 && !b.Known() {
		return unknownAlternatives()
	}
	return append(a[:len(a):len(a)], b...)
}

// Says returns what holds where a condition has a value. Comparisons of 64-bit integers count, which
// do not wrap around; of converts an operand, and locals has the values of locals that are known.
func Says(condition Expr, holds bool, of func(Expr) (affine.Expr, bool), locals map[*Local]Expr) Alternatives {
	says := func(e Expr, holds bool) Alternatives { return Says(e, holds, of, locals) }
	switch e := condition.(type) {
	case *Const:
		if (e.Bits != 0) != holds {
			return Alternatives{}
		}
	case *LocalRef:
		if value := locals[e.Local]; value != nil {
			return says(value, holds)
		}
	case *Cast:
		if e.X.Type() == tensor.Bool {
			return says(e.X, holds)
		}
	case *Unary:
		if e.Op == Not {
			return says(e.X, !holds)
		}
	case *Select:
		if e.Type() == tensor.Bool {
			return says(e.Cond, true).And(says(e.Then, holds)).Or(says(e.Cond, false).And(says(e.Else, holds)))
		}
	case *Binary:
		switch {
		case e.Op == And && holds, e.Op == Or && !holds:
			return says(e.X, holds).And(says(e.Y, holds))
		case e.Op == And || e.Op == Or:
			return says(e.X, holds).Or(says(e.Y, holds))
		case e.Op.IsComparison():
			return compares(e, holds, of)
		}
	}
	return unknownAlternatives()
}

// Compared lists, as differences, the comparisons of 64-bit integers that a condition is made of, also
// those of which nothing follows: that A(i) < 0 || i > 0 holds says nothing about i.
func Compared(condition Expr, of func(Expr) (affine.Expr, bool), locals map[*Local]Expr) []affine.Expr {
	var list []affine.Expr
	seen := map[*Local]bool{}
	var visit func(e Expr)
	visit = func(e Expr) {
		switch e := e.(type) {
		case *LocalRef:
			if value := locals[e.Local]; value != nil && !seen[e.Local] {
				seen[e.Local] = true
				visit(value)
			}
		case *Cast:
			if e.X.Type() == tensor.Bool {
				visit(e.X)
			}
		case *Unary:
			if e.Op == Not {
				visit(e.X)
			}
		case *Select:
			if e.Type() == tensor.Bool {
				visit(e.Cond)
				visit(e.Then)
				visit(e.Else)
			}
		case *Binary:
			switch {
			case e.Op == And || e.Op == Or:
				visit(e.X)
				visit(e.Y)
			case e.Op.IsComparison() && e.X.Type() == tensor.Int64:
				x, okX := of(e.X)
				if y, okY := of(e.Y); okX && okY {
					list = append(list, x.Sub(y))
				}
			}
		}
	}
	visit(condition)
	return list
}

// negations are the comparisons that hold where others do not.
var negations = map[BinaryOp]BinaryOp{Lt: Ge, Ge: Lt, Gt: Le, Le: Gt, Eq: Ne, Ne: Eq}

// compares is what a comparison says of 64-bit integers, or of truth values.
func compares(e *Binary, holds bool, of func(Expr) (affine.Expr, bool)) Alternatives {
	if e.X.Type() != tensor.Int64 {
		return unknownAlternatives()
	}
	x, okX := of(e.X)
	y, okY := of(e.Y)
	if !okX || !okY {
		return unknownAlternatives()
	}
	op := e.Op
	if !holds {
		op = negations[op]
	}
	difference := x.Sub(y)
	atLeast, atMost := difference, difference.Scale(-1)
	switch op {
	case Lt:
		return Alternatives{{atMost.AddConst(-1)}}
	case Le:
		return Alternatives{{atMost}}
	case Gt:
		return Alternatives{{atLeast.AddConst(-1)}}
	case Ge:
		return Alternatives{{atLeast}}
	case Eq:
		return Alternatives{{atLeast, atMost}}
	}
	return Alternatives{{atMost.AddConst(-1)}, {atLeast.AddConst(-1)}}
}
