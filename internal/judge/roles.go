package judge

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A role is what a program does with an input, as far as it decides which numbers leave its
// results exact.
type role uint8

const (
	divides    role = 1 << iota // something is divided by it
	rooted                      // its square root is taken
	fixes                       // a subscript or a bound follows from it
	reciprocal                  // rsqrt
)

// roles are those of the tensors of a function, which flow back through temporaries.
type roles struct {
	of     map[*ein.Tensor]role
	locals map[*ein.Local]role
	sizes  map[string]int64
	odd    int64 // the least common multiple of the odd parts of constant divisors
	grew   bool
}

// largestOdd is the largest multiple that numbers are drawn of.
const largestOdd = 1 << 10

func rolesOf(f *ein.Func, sizes map[string]int64) *roles {
	r := &roles{of: map[*ein.Tensor]role{}, sizes: sizes, odd: 1}
	for r.grew = true; r.grew; {
		r.grew = false
		for n := len(f.Body) - 1; n >= 0; n-- {
			r.statement(f.Body[n])
		}
	}
	return r
}

func (r *roles) statement(c *ein.Comprehension) {
	for k, w := range c.Writes {
		wanted := r.of[w.Tensor]
		if c.Accumulate != nil && c.Accumulate.Kind == ein.SumOp {
			wanted &= fixes
		}
		for _, i := range c.Indices {
			if op := i.Combine.Op; op != nil && op.Kind == ein.SumOp {
				wanted &= fixes // a sum of powers of two is none
			}
		}
		r.visit(c.Values[k], wanted)
		for _, s := range w.Subscripts {
			r.visit(s, fixes)
		}
	}
}

// visit walks an expression of which a role is wanted.
func (r *roles) visit(e ein.Expr, wanted role) {
	switch e := e.(type) {
	case *ein.Access:
		r.add(e.Tensor, wanted)
		for _, s := range e.Subscripts {
			r.visit(s, fixes)
		}
	case *ein.LocalRef:
		if r.locals != nil {
			r.locals[e.Local] |= wanted
		}
	case *ein.Let:
		if r.locals == nil {
			r.locals = map[*ein.Local]role{}
		}
		r.visit(e.Body, wanted)
		r.visit(e.Value, r.locals[e.Var])
	case *ein.Unary:
		r.visit(e.X, wanted)
	case *ein.Cast:
		r.visit(e.X, wanted)
	case *ein.Select:
		r.visit(e.Cond, wanted&fixes)
		r.visit(e.Then, wanted)
		r.visit(e.Else, wanted)
	case *ein.Binary:
		r.binary(e, wanted)
	case *ein.Call:
		r.call(e, wanted)
	}
}

func (r *roles) binary(e *ein.Binary, wanted role) {
	switch {
	case e.Op == ein.Div && e.X.Type().IsFloat():
		r.divisor(e.Y)
		if wanted&(rooted|reciprocal) != 0 {
			wanted |= reciprocal
		}
		r.visit(e.X, wanted)
		r.visit(e.Y, wanted|divides)
	case e.Op == ein.Mul || e.Op == ein.Min || e.Op == ein.Max:
		if e.Op == ein.Mul && ein.SameExpr(e.X, e.Y) {
			wanted &^= rooted // x·x is a square
		}
		r.visit(e.X, wanted)
		r.visit(e.Y, wanted)
	default:
		r.visit(e.X, wanted&fixes)
		r.visit(e.Y, wanted&fixes)
	}
}

func (r *roles) call(e *ein.Call, wanted role) {
	wanted &= fixes
	switch e.Func.Name {
	case "sqrt":
		wanted |= rooted
	case "rsqrt":
		wanted |= reciprocal
	}
	for _, x := range e.Args {
		r.visit(x, wanted)
	}
}

func (r *roles) add(t *ein.Tensor, wanted role) {
	if r.of[t]|wanted != r.of[t] {
		r.of[t] |= wanted
		r.grew = true
	}
}

// divisor notes what a constant divisor has beside a power of two.
func (r *roles) divisor(e ein.Expr) {
	for {
		cast, ok := e.(*ein.Cast)
		if !ok {
			break
		}
		e = cast.X
	}
	v := 0.0
	switch e := e.(type) {
	case *ein.Const:
		if v = e.Float(); !e.DType.IsFloat() {
			v = float64(e.Int())
		}
	case *ein.SizeRef:
		if n, err := e.Size.Eval(r.sizes); err == nil {
			v = float64(n)
		}
	}
	fraction, _ := math.Frexp(math.Abs(v))
	for fraction != math.Trunc(fraction) {
		fraction *= 2
	}
	if fraction > 1 && fraction <= largestOdd {
		odd := int64(fraction)
		if common := r.odd / gcd(r.odd, odd) * odd; common <= largestOdd {
			r.odd = common
		}
	}
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// drawn reports whether the judge may choose the numbers of an argument.
func (r *roles) drawn(t *ein.Tensor) bool {
	return t.Type.IsFloat() && r.of[t]&fixes == 0 && t.Type != tensor.Bool
}
