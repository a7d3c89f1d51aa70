package teil

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
)

// How equations work
//
// An Equation rewrites one operation, read from left to right; it looks at most two
// operations deep and only at ranks, so that each is a theorem of proofs/Equations.v
// of the same form. Strategy is separate. The simplifications are applied wherever
// they match, from below, until none does; each of them makes an expression smaller or
// moves an operation that chooses values towards the names. The others are applied
// where fewer operations result (nest.go), some of them in both directions.
//
// The equations hold in every commutative semiring, so for integers, which wrap, they
// are exact. Floats are rounded at other places after rewriting, as in every
// reordering of sums; a program that is direct is computed as it stands.

// An Equation is a law of the operations.
type Equation struct {
	Law     string // as it is written in the documents
	Theorem string // of proofs/Theorems.v
	// Integers says that the law is not used for floats: the proofs compare all values, and a
	// minimum or maximum leaves out NaN, so that of NaN alone is infinite.
	Integers bool
	// apply returns the right side, or nil where the law does not match.
	apply func(c *Context, e *syntax.Operation) syntax.Expr
}

// Equations returns the table of all laws that rewriting uses.
func Equations() []*Equation {
	var list []*Equation
	for n := range simplifications {
		list = append(list, &simplifications[n])
	}
	for n := range sinkings {
		list = append(list, &sinkings[n])
	}
	return append(append(list, sumOfSums, prodAssociates), append(exchanges, liftingLaw)...)
}

// liftingLaw is applied by lift.
var liftingLaw = &Equation{Law: "x = e[p]  becomes  t = p; x = e[t]", Theorem: "lifting"}

// simplifications are applied wherever they match.
var simplifications = [...]Equation{
	{Law: "proj i m (expa i n e) = e", Theorem: "proj_expa", apply: dropExpansion("proj")},
	{Law: "redmin i (expa i n e) = e, integers", Theorem: "min_expa", Integers: true, apply: dropExpansion("redmin")},
	{Law: "redmax i (expa i n e) = e, integers", Theorem: "max_expa", Integers: true, apply: dropExpansion("redmax")},
	{Law: "red+ i (expa i n e) = mul n e", Theorem: "sum_expa", apply: sumOfExpansion},
	{Law: "transp i0 i1 (transp i0 i1 e) = e", Theorem: "transp_transp", apply: transposedTwice},
	{Law: "diag i0 i1 (transp i0 i1 e) = diag i0 i1 e", Theorem: "diag_transp", apply: diagonalOfTransposed},
	{Law: "diag i0 i1 (expa i1 n e) = e", Theorem: "diag_expa", apply: diagonalOfExpansion},
	{Law: "red+ i (mul e0 e1) = mul e0 (red+ i e1), e0 a scalar", Theorem: "sum_scale", apply: sumOfMultiple},
	{Law: "red+ i0 (diag i0 i1 e) = contr i0 i1 e", Theorem: "contr_red_diag", apply: recogniseContraction},
	{Law: "diag i0 i1 (prod e0 e1) = prod (diag i0 i1 e0) e1", Theorem: "diag_prod_left", apply: intoFactor("diag", 0)},
	{Law: "diag i0 i1 (prod e0 e1) = prod e0 (diag j0 j1 e1)", Theorem: "diag_prod_right", apply: intoFactor("diag", 1)},
	{Law: "proj i m (prod e0 e1) = prod (proj i m e0) e1", Theorem: "proj_prod_left", apply: intoFactor("proj", 0)},
	{Law: "proj i m (prod e0 e1) = prod e0 (proj j m e1)", Theorem: "proj_prod_right", apply: intoFactor("proj", 1)},
}

// sumOfSums is applied where fewer operations result.
var sumOfSums = &Equation{Law: "red+ i (add e0 e1) = add (red+ i e0) (red+ i e1)", Theorem: "sum_add", apply: func(_ *Context, e *syntax.Operation) syntax.Expr {
	if x, ok := below(e, "red+", "add"); ok {
		return x.WithOperands(e.WithOperands(x.Operands[0]), e.WithOperands(x.Operands[1]))
	}
	return nil
}}

// prodAssociates is applied by split, in both directions.
var prodAssociates = &Equation{Law: "prod (prod e0 e1) e2 = prod e0 (prod e1 e2)", Theorem: "prod_assoc"}

// sinkings move sums into the factors of products; flatten reads them from the right.
var sinkings = [...]Equation{
	{Law: "red+ i (prod e0 e1) = prod (red+ i e0) e1", Theorem: "sum_prod_left", apply: intoFactor("red+", 0)},
	{Law: "red+ i (prod e0 e1) = prod e0 (red+ j e1)", Theorem: "sum_prod_right", apply: intoFactor("red+", 1)},
	{Law: "contr i0 i1 (prod e0 e1) = prod (contr i0 i1 e0) e1", Theorem: "contr_prod_left", apply: intoFactor("contr", 0)},
	{Law: "contr i0 i1 (prod e0 e1) = prod e0 (contr j0 j1 e1)", Theorem: "contr_prod_right", apply: intoFactor("contr", 1)},
}

// exchanges move a sum past a contraction across a product, towards a factor.
var exchanges = []*Equation{
	exchange("contr", "contr i0 i1 (contr j0 j1 e) = contr k0 k1 (contr l0 l1 e)", "contr_contr"),
	exchange("red+", "red+ i (contr j0 j1 e) = contr k0 k1 (red+ l e)", "sum_contr"),
}

// below returns the operand of e as the operation inner, where e is the operation outer,
// which has one operand.
func below(e *syntax.Operation, outer, inner string) (*syntax.Operation, bool) {
	if e.Op.Name != outer {
		return nil, false
	}
	return operation(e.Operands[0], inner)
}

// operation returns e as the operation of a name.
func operation(e syntax.Expr, name string) (*syntax.Operation, bool) {
	o, ok := e.(*syntax.Operation)
	return o, ok && o.Op.Name == name
}

// rank returns the number of dimensions of a well-typed expression.
func (c *Context) rank(e syntax.Expr) int {
	shape, _ := c.Type(e)
	return len(shape)
}

// dropExpansion is for operations that undo a repetition along the same dimension.
func dropExpansion(name string) func(*Context, *syntax.Operation) syntax.Expr {
	return func(_ *Context, e *syntax.Operation) syntax.Expr {
		if x, ok := below(e, name, "expa"); ok && x.Position(0) == e.Position(0) {
			return x.Operands[0]
		}
		return nil
	}
}

// sumOfExpansion needs a literal size, which becomes a factor.
func sumOfExpansion(_ *Context, e *syntax.Operation) syntax.Expr {
	x, ok := below(e, "red+", "expa")
	if !ok || x.Position(0) != e.Position(0) {
		return nil
	}
	n, literal := x.Args[1].Value.IsConst()
	if !literal || n > maxExact {
		return nil
	}
	return operate(e.Pos, "mul", nil, &syntax.Number{Pos: x.Args[1].Pos, Text: x.Args[1].Value.String()}, x.Operands[0])
}

// maxExact bounds sizes that become factors: they are numbers of all element types.
const maxExact = 100

func transposedTwice(_ *Context, e *syntax.Operation) syntax.Expr {
	if x, ok := below(e, "transp", "transp"); ok && samePositions(e, x) {
		return x.Operands[0]
	}
	return nil
}

func diagonalOfTransposed(_ *Context, e *syntax.Operation) syntax.Expr {
	if x, ok := below(e, "diag", "transp"); ok && samePositions(e, x) {
		return e.WithOperands(x.Operands[0])
	}
	return nil
}

func diagonalOfExpansion(_ *Context, e *syntax.Operation) syntax.Expr {
	if x, ok := below(e, "diag", "expa"); ok && e.Position(1) == x.Position(0) {
		return x.Operands[0]
	}
	return nil
}

func sumOfMultiple(c *Context, e *syntax.Operation) syntax.Expr {
	if x, ok := below(e, "red+", "mul"); ok && c.rank(x.Operands[0]) == 0 {
		return x.WithOperands(x.Operands[0], e.WithOperands(x.Operands[1]))
	}
	return nil
}

func samePositions(e, x *syntax.Operation) bool {
	return e.Position(0) == x.Position(0) && e.Position(1) == x.Position(1)
}

// recogniseContraction is Equation (6), from right to left.
func recogniseContraction(_ *Context, e *syntax.Operation) syntax.Expr {
	if x, ok := below(e, "red+", "diag"); ok && e.Position(0) == x.Position(0) {
		return operate(e.Pos, "contr", x.Args, x.Operands[0])
	}
	return nil
}

// acting returns the positions of an operation, which are its first arguments.
func acting(e *syntax.Operation) []int {
	var positions []int
	for k, p := range e.Op.Parameters {
		if p.Kind == syntax.Position {
			positions = append(positions, e.Position(k))
		}
	}
	return positions
}

// moved returns an operation with other positions and another operand.
func moved(e *syntax.Operation, positions []int, operand syntax.Expr) *syntax.Operation {
	c := e.WithOperands(operand)
	c.Args = slices.Clone(e.Args)
	for k, i := range positions {
		c.Args[k] = position(i)
	}
	return c
}

// intoFactor moves an operation into a factor of an outer product that has all of its
// dimensions.
func intoFactor(name string, factor int) func(*Context, *syntax.Operation) syntax.Expr {
	return func(c *Context, e *syntax.Operation) syntax.Expr {
		p, ok := below(e, name, "prod")
		if !ok {
			return nil
		}
		rank := c.rank(p.Operands[0])
		positions := acting(e)
		inner := make([]int, len(positions))
		for k, i := range positions {
			if (i <= rank) != (factor == 0) {
				return nil
			}
			inner[k] = i - factor*rank
		}
		operands := slices.Clone(p.Operands)
		operands[factor] = moved(e, inner, operands[factor])
		return p.WithOperands(operands...)
	}
}

// exchange moves an operation into a contraction of other dimensions.
func exchange(outer, law, theorem string) *Equation {
	return &Equation{Law: law, Theorem: theorem, apply: func(_ *Context, e *syntax.Operation) syntax.Expr {
		x, ok := below(e, outer, "contr")
		if !ok {
			return nil
		}
		positions, others := acting(e), acting(x)
		inside := make([]int, len(positions))
		for k, i := range positions {
			inside[k] = insertedPosition(i, others)
		}
		above := make([]int, len(others))
		for k, i := range others {
			above[k] = i
			for _, r := range inside {
				if r < i {
					above[k]--
				}
			}
		}
		return moved(x, above, moved(e, inside, x.Operands[0]))
	}}
}

// insertedPosition returns which dimension of the operand is dimension i of the
// result, where some dimensions, in ascending order, are removed.
func insertedPosition(i int, removed []int) int {
	for _, r := range removed {
		if i >= r {
			i++
		}
	}
	return i
}
