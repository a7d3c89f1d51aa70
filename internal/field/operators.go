package field

import (
	"fmt"
	"math/big"
	"slices"
)

// A Row is a generic operator: for types of arguments, and numbers that are part of it, it gives an operator. A new
// operator of the language is a row.
type Row struct {
	Name    string
	Operand int // how many, or −1
	Make    func(g *generic) *Operator
}

// generic is what rows make operators of.
type generic struct {
	*Store
	types   []Type
	numbers []int
	params  []*Param
	field   bool // one of the operands is a field; tensors are lifted
	dim     int
	failed  string
}

// Generic makes the operator of a row for operands of given types. Numbers are an exponent (^), sizes (identity, zeros), or
// the components of slice, −1 where an axis stays.
func (s *Store) Generic(name string, types []Type, numbers ...int) (*Operator, error) {
	n := slices.IndexFunc(rows, func(r Row) bool { return r.Name == name })
	if n < 0 {
		return nil, fmt.Errorf("no operator is named %s", name)
	}
	row := rows[n]
	if row.Operand >= 0 && row.Operand != len(types) {
		return nil, fmt.Errorf("%s takes %d operands, not %d", name, row.Operand, len(types))
	}
	g := &generic{Store: s, types: types, numbers: numbers}
	for n, t := range types {
		g.params = append(g.params, s.Param("abcdefgh"[n%8:n%8+1]+suffix(n/8), t))
		if t.Kind == FieldParam {
			g.field = true
			if g.dim != 0 && g.dim != t.Dim {
				return nil, fmt.Errorf("%s: fields over spaces of %d and %d dimensions", name, g.dim, t.Dim)
			}
			g.dim = t.Dim
		}
	}
	o := row.Make(g)
	if g.failed != "" {
		return nil, fmt.Errorf("%s: %s", name, g.failed)
	}
	// All operands are parameters, whether they occur or not.
	if name != "conv" && name != "probe" {
		o.Params = g.params
	}
	_, err := Verify(o)
	return o, err
}

func suffix(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// want notes what is wrong with the operands.
func (g *generic) want(ok bool, expected string) bool {
	if !ok && g.failed == "" {
		g.failed = fmt.Sprintf("%s expected, not %v", expected, g.types)
	}
	return ok
}

func (g *generic) none() *Operator { return g.Operator(nil, g.Int(0)) }

func (g *generic) shape(n int) []int { return g.types[n].Shape }

// at is a component of an operand.
func (g *generic) at(n int, alpha ...Index) *Term {
	if n >= len(g.params) || len(alpha) != len(g.shape(n)) || g.types[n].Kind > FieldParam {
		g.want(false, "another shape")
		return g.Int(0)
	}
	t := g.Component(g.params[n], alpha...)
	if g.field && g.types[n].Kind == TensorParam {
		return g.Unary(Lift, t)
	}
	return t
}

// matrix asks for a square matrix of at most 3 rows and gives its size.
func (g *generic) matrix() int {
	s := g.shape(0)
	if !g.want(len(s) == 2 && s[0] == s[1] && s[0] <= 3, "a square matrix of 2 or 3 rows") {
		return 0
	}
	return s[0]
}

func (g *generic) half() *Term { return g.Rational(big.NewRat(1, 2)) }

func (g *generic) each(f func(alpha []Index) *Term) *Operator {
	alpha := Axes(0, g.shape(0))
	return g.Operator(g.shape(0), f(alpha))
}

// freshAll gives variables for the axes of a shape.
func (g *generic) freshAll(shape []int) []Index {
	list := make([]Index, len(shape))
	for n, size := range shape {
		list[n] = g.Fresh(size)
	}
	return list
}

// norm is |x|.
func (g *generic) norm(n int) *Term {
	if len(g.shape(n)) == 0 {
		return g.Unary(Abs, g.at(n))
	}
	alpha := g.freshAll(g.shape(n))
	return g.Unary(Sqrt, g.Sum(alpha, g.Mul(g.at(n, alpha...), g.at(n, alpha...))))
}

// contract is the product of two operands that sums over the last axes of one and the first of the other.
func (g *generic) contract(axes int) *Operator {
	a, b := g.shape(0), g.shape(1)
	if !g.want(len(a) >= axes && len(b) >= axes && slices.Equal(a[len(a)-axes:], b[:axes]), "operands whose inner axes agree") {
		return g.none()
	}
	left := Axes(0, a[:len(a)-axes])
	right := Axes(len(left), b[axes:])
	inner := g.freshAll(b[:axes])
	body := g.Mul(g.at(0, slices.Concat(left, inner)...), g.at(1, slices.Concat(inner, right)...))
	return g.Operator(slices.Concat(a[:len(a)-axes], b[axes:]), g.Sum(inner, body))
}

// cross is Σ ε a b, where a may be the derivative.
func (g *generic) cross(a func(Index) func(*Term) *Term, b int) *Operator {
	if !g.want(slices.Equal(g.shape(b), []int{2}) || slices.Equal(g.shape(b), []int{3}), "vectors of 2 or 3 components") {
		return g.none()
	}
	n := g.shape(b)[0]
	j, k := g.Fresh(n), g.Fresh(n)
	part := a(j)(g.at(b, k))
	if n == 2 {
		return g.Operator(nil, g.Sum([]Index{j, k}, g.Mul(g.Epsilon(j, k), part)))
	}
	return g.Operator([]int{3}, g.Sum([]Index{j, k}, g.Mul(g.Epsilon(Axis(0, 3), j, k), part)))
}

func (g *generic) det() *Term {
	switch n := g.matrix(); n {
	case 2:
		return g.Sub(g.Mul(g.at(0, At(0), At(0)), g.at(0, At(1), At(1))), g.Mul(g.at(0, At(0), At(1)), g.at(0, At(1), At(0))))
	case 3:
		i, j, k := g.Fresh(3), g.Fresh(3), g.Fresh(3)
		return g.Sum([]Index{i, j, k}, g.Mul(g.Epsilon(i, j, k), g.at(0, At(0), i), g.at(0, At(1), j), g.at(0, At(2), k)))
	}
	return g.Int(0)
}

func (g *generic) trace() *Term {
	i := g.Fresh(g.shape(0)[0])
	return g.Sum([]Index{i}, g.at(0, i, i))
}

// inverse is by Cayley and Hamilton.
func (g *generic) inverse() *Operator {
	if len(g.shape(0)) == 0 {
		return g.Operator(nil, g.Binary(Div, g.Int(1), g.at(0)))
	}
	n := g.matrix()
	if n < 2 {
		return g.none()
	}
	i, j := Axis(0, n), Axis(1, n)
	upper := g.Sub(g.Mul(g.trace(), g.Delta(i, j)), g.at(0, i, j))
	if n == 3 {
		k, l, m := g.Fresh(3), g.Fresh(3), g.Fresh(3)
		squares := g.Sum([]Index{k, l}, g.Mul(g.at(0, k, l), g.at(0, l, k)))
		half := g.Mul(g.half(), g.Sub(g.PowerOf(g.trace(), 2), squares), g.Delta(i, j))
		upper = g.Add(half, g.Unary(Neg, g.Mul(g.trace(), g.at(0, i, j))), g.Sum([]Index{m}, g.Mul(g.at(0, i, m), g.at(0, m, j))))
	}
	return g.Operator([]int{n, n}, g.Binary(Div, upper, g.det()))
}

// isField asks for a field among the operands.
func (g *generic) isField() bool { return g.want(g.field, "a field") }
