// Package teiltest tests TeIL: a direct reading of the paper's figures as a slow
// interpreter and type checker, and random programs, well- and ill-typed.
package teiltest

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// Shape follows Figure 8, Value Figure 6 and Run Figure 9, line by line, over
// programs with literal sizes; indices count from 1 and memory is a partial function.
// Nothing is shared with package teil, which is judged by it. The generator
// (generate.go) is directed by shapes: it chooses an operation and draws operands of
// the shapes that the rule wants. Spoil makes an ill-typed program of a well-typed
// one by changing one thing.

// A Domain is D, the numbers of a program.
type Domain[D any] interface {
	Number(text string) D
	// Binary computes one of the operations of ein. A comparison gives 0 or 1.
	Binary(op ein.BinaryOp, x, y D) D
	// Convert returns the number of another type that x becomes.
	Convert(to tensor.DType, x D) D
	Negate(x D) D
	Count(op ein.UnaryOp, x D) D
	IsTrue(x D) bool
	// Place returns the place, from 1, that a number stands for as a subscript, which counts from 0,
	// in a dimension of a size; false where it stands for none.
	Place(x D, size int) (place int, inside bool)
}

// A Tensor is the part of memory under one name: a map from the indices κ ≤ ι.
type Tensor[D any] struct {
	Shape  []int
	Values []D // row-major
}

// A Memory is μ.
type Memory[D any] map[string]*Tensor[D]

// At returns the value at κ, if κ ≤ ι.
func (t *Tensor[D]) At(k []int) (value D, defined bool) {
	place, ok := t.place(k)
	if !ok {
		return value, false
	}
	return t.Values[place], true
}

func (t *Tensor[D]) place(k []int) (int, bool) {
	if len(k) != len(t.Shape) {
		return 0, false
	}
	place := 0
	for n, j := range k {
		if j < 1 || j > t.Shape[n] {
			return 0, false
		}
		place = place*t.Shape[n] + j - 1
	}
	return place, true
}

// Context is Γ.
type Context map[string][]int

// ContextOf returns the context of the allocations.
func ContextOf(p *syntax.Program) Context {
	g := Context{}
	for _, a := range p.Allocs {
		shape := []int{}
		for _, d := range a.Dims {
			n, _ := d.Value.IsConst()
			shape = append(shape, int(n))
		}
		g[a.Name.Name] = shape
	}
	return g
}

// argument returns a literal argument.
func argument(e *syntax.Operation, k int) int {
	n, _ := e.Args[k].Value.IsConst()
	return int(n)
}

func without(s []int, i int) []int {
	return append(append([]int{}, s[:i-1]...), s[i:]...)
}

func with(s []int, i, n int) []int {
	return append(append(append([]int{}, s[:i-1]...), n), s[i-1:]...)
}

func replaced(s []int, i, n int) []int {
	s = slices.Clone(s)
	s[i-1] = n
	return s
}

func swapped(s []int, i, j int) []int {
	s = slices.Clone(s)
	s[i-1], s[j-1] = s[j-1], s[i-1]
	return s
}

// Shape is type_Γ (Figure 8); ok is false where no rule applies.
func Shape(g Context, e syntax.Expr) (shape []int, ok bool) {
	switch e := e.(type) {
	case *syntax.Var:
		shape, ok = g[e.Name]
		return shape, ok
	case *syntax.Number:
		return []int{}, true
	}
	o, isOperation := e.(*syntax.Operation)
	if !isOperation {
		return nil, false
	}
	var operands [][]int
	for _, c := range o.Operands {
		s, ok := Shape(g, c)
		if !ok {
			return nil, false
		}
		operands = append(operands, s)
	}
	return result(o, operands)
}

// result is the shape of an operation on operands of some shapes; false where its rule does
// not apply.
func result(o *syntax.Operation, operands [][]int) ([]int, bool) {
	switch o.Op.Name {
	case "iota":
		return []int{argument(o, 0)}, argument(o, 0) >= 1
	case "size":
		return []int{}, true
	case "mul":
		return operands[1], len(operands[0]) == 0 || slices.Equal(operands[0], operands[1])
	case "prod":
		return slices.Concat([]int{}, operands[0], operands[1]), true
	case "gather":
		if i := argument(o, 0); i >= 1 && i <= len(operands[1]) {
			return slices.Concat([]int{}, operands[0], without(operands[1], i)), true
		}
		return nil, false
	case "red+", "red*", "redmin", "redmax", "contr", "transp", "diag", "expa", "proj":
		return reranked(o, operands[0])
	case "replace":
		return operands[0], hasPart(o, operands[0], operands[1])
	case "shift", "window", "stride", "flip", "pad", "clamp", "mirror", "wrap", "repeat", "step":
		return resized(o, operands[0])
	}
	if o.Op.Class == syntax.Folding {
		return foldShape(argument(o, 0), operands)
	}
	return operands[0], allEqual(operands)
}

func allEqual(shapes [][]int) bool {
	return !slices.ContainsFunc(shapes, func(s []int) bool { return !slices.Equal(s, shapes[0]) })
}

// reranked is result of an operation that adds, removes or exchanges dimensions of a shape.
func reranked(o *syntax.Operation, s []int) ([]int, bool) {
	arg, k := func(n int) int { return argument(o, n) }, len(s)
	dimension := func(n int) bool { return 1 <= arg(n) && arg(n) <= k }
	ascending := func() bool { return 1 <= arg(0) && arg(0) < arg(1) && arg(1) <= k }
	switch o.Op.Name {
	case "red+", "red*", "redmin", "redmax":
		if !dimension(0) {
			return nil, false
		}
		return without(s, arg(0)), true
	case "contr":
		if !ascending() || s[arg(0)-1] != s[arg(1)-1] {
			return nil, false
		}
		return without(without(s, arg(1)), arg(0)), true
	case "transp":
		if !ascending() {
			return nil, false
		}
		return swapped(s, arg(0), arg(1)), true
	case "diag":
		if !ascending() || s[arg(0)-1] != s[arg(1)-1] {
			return nil, false
		}
		return without(s, arg(1)), true
	case "expa":
		if arg(0) < 1 || arg(0) > k+1 || arg(1) < 1 {
			return nil, false
		}
		return with(s, arg(0), arg(1)), true
	case "proj":
		if !dimension(0) || arg(1) < 1 || arg(1) > s[arg(0)-1] {
			return nil, false
		}
		return without(s, arg(0)), true
	}
	return nil, false
}

// resized is result of an operation that changes one dimension of a shape, or reads it by
// windows.
func resized(o *syntax.Operation, s []int) ([]int, bool) {
	arg := func(n int) int { return argument(o, n) }
	if arg(0) < 1 || arg(0) > len(s) {
		return nil, false
	}
	switch o.Op.Name {
	case "shift":
		if arg(1) < 0 || arg(2) < 1 || arg(1)+arg(2) > s[arg(0)-1] {
			return nil, false
		}
		return replaced(s, arg(0), arg(2)), true
	case "window":
		if arg(1) < 1 || arg(1) > s[arg(0)-1] {
			return nil, false
		}
		return with(replaced(s, arg(0), arg(1)), arg(0), s[arg(0)-1]-arg(1)+1), true
	case "stride":
		if arg(1) < 1 {
			return nil, false
		}
		return replaced(s, arg(0), (s[arg(0)-1]+arg(1)-1)/arg(1)), true
	case "step":
		if arg(1) < 0 || arg(2) < 1 || (arg(2)-1)*arg(1)+1 > s[arg(0)-1] {
			return nil, false
		}
		return replaced(s, arg(0), arg(2)), true
	case "repeat":
		if arg(1) < 1 {
			return nil, false
		}
		return replaced(s, arg(0), s[arg(0)-1]*arg(1)), true
	case "flip":
		return s, true
	case "pad", "clamp", "mirror", "wrap":
		if arg(1) < 0 || arg(2) < 0 {
			return nil, false
		}
		return replaced(s, arg(0), arg(1)+s[arg(0)-1]+arg(2)), true
	}
	return nil, false
}

// hasPart reports whether a part fits where replace puts it.
func hasPart(o *syntax.Operation, whole, part []int) bool {
	i, first, step := argument(o, 0), argument(o, 1), argument(o, 2)
	if i < 1 || i > len(whole) || len(part) != len(whole) || first < 0 || step < 1 {
		return false
	}
	return slices.Equal(replaced(part, i, whole[i-1]), whole) && first+(part[i-1]-1)*step < whole[i-1]
}

// WellTyped reports whether a program is ok: names are distinct, dimensions are not
// empty, every statement has the shape of its name, inputs are not assigned.
func WellTyped(p *syntax.Program) bool {
	g := ContextOf(p)
	if len(g) != len(p.Allocs) {
		return false
	}
	for _, shape := range g {
		for _, n := range shape {
			if n < 1 {
				return false
			}
		}
	}
	for _, s := range p.Statements {
		want, allocated := g[s.Targets[0].Name]
		got, typed := Shape(g, s.Value)
		if !allocated || !typed || !slices.Equal(want, got) {
			return false
		}
	}
	return true
}

// Value is ⟦e⟧ Γ μ κ (Figure 6).
func Value[D any](d Domain[D], g Context, m Memory[D], e syntax.Expr, k []int) (value D, defined bool) {
	switch e := e.(type) {
	case *syntax.Var:
		t, ok := m[e.Name]
		if !ok {
			return value, false
		}
		return t.At(k)
	case *syntax.Number:
		return d.Number(e.Text), true
	}
	return operationValue(d, g, m, e.(*syntax.Operation), k)
}

// operationValue is Value of an operation.
func operationValue[D any](d Domain[D], g Context, m Memory[D], o *syntax.Operation, k []int) (value D, defined bool) {
	arg := func(n int) int { return argument(o, n) }
	at := func(n int, k []int) (D, bool) { return Value(d, g, m, o.Operands[n], k) }
	binary := func(op ein.BinaryOp, k0, k1 []int) (D, bool) {
		x, ok0 := at(0, k0)
		y, ok1 := at(1, k1)
		if !ok0 || !ok1 {
			return value, false
		}
		return d.Binary(op, x, y), true
	}
	switch o.Op.Name {
	case "iota":
		return d.Number(strconv.Itoa(k[0] - 1)), true
	case "size":
		return d.Number(strconv.Itoa(arg(0))), true
	}
	shape, typed := Shape(g, o.Operands[0])
	if !typed {
		return value, false
	}
	if o.Op.Class == syntax.Folding {
		return foldValue(d, o, shape[arg(0)-1], func(j int) (tuple []D, ok bool) {
			for n := range o.Operands {
				x, defined := at(n, with(k, arg(0), j))
				if !defined {
					return nil, false
				}
				tuple = append(tuple, x)
			}
			return tuple, true
		})
	}
	if o.Op.Cast != tensor.Invalid {
		x, ok := at(0, k)
		return d.Convert(o.Op.Cast, x), ok
	}
	switch o.Op.Name {
	case "neg":
		x, ok := at(0, k)
		return d.Negate(x), ok
	case "abs":
		x, ok := at(0, k)
		return d.Binary(ein.Max, x, d.Negate(x)), ok
	case "popcount", "clz":
		x, ok := at(0, k)
		return d.Count(ein.BitFunctions()[o.Op.Name], x), ok
	case "bitnot":
		x, ok := at(0, k)
		return d.Binary(ein.BitXor, x, d.Number("-1")), ok
	case "not":
		x, ok := at(0, k)
		return d.Binary(ein.Eq, x, d.Number("0")), ok
	case "select":
		return choose(d, func(n int) (D, bool) { return at(n, k) })
	case "mul":
		if len(shape) == 0 {
			return binary(ein.Mul, nil, k)
		}
		return binary(ein.Mul, k, k)
	case "prod":
		if len(k) < len(shape) {
			return value, false
		}
		return binary(ein.Mul, k[:len(shape)], k[len(shape):])
	case "gather":
		other, typed := Shape(g, o.Operands[1])
		x, ok := at(0, k[:len(shape)])
		if !typed || !ok {
			return value, false
		}
		if place, inside := d.Place(x, other[arg(0)-1]); inside {
			return at(1, with(k[len(shape):], arg(0), place))
		}
		return d.Number("0"), true
	case "red+", "red*", "redmin", "redmax", "contr":
		return folded(d, o, shape[arg(0)-1], k, at)
	case "pad":
		if j := k[arg(0)-1] - arg(1); 1 <= j && j <= shape[arg(0)-1] {
			return at(0, replaced(k, arg(0), j))
		}
		return d.Number("0"), true
	case "replace": // the last statement that wrote the place, of one for each place of the part
		part, _ := Shape(g, o.Operands[1])
		for n := 1; n <= part[arg(0)-1]; n++ {
			if k[arg(0)-1] == arg(1)+1+(n-1)*arg(2) {
				return at(1, replaced(k, arg(0), n))
			}
		}
		return at(0, k)
	}
	if from, moves := origin(o, shape, k); moves {
		return at(0, from)
	}
	return binary(o.Op.Binary, k, k)
}

// folded is the element at k of an operation that folds n elements of its operand.
func folded[D any](d Domain[D], o *syntax.Operation, n int, k []int, at func(operand int, k []int) (D, bool)) (value D, defined bool) {
	op := map[string]ein.BinaryOp{"red+": ein.Add, "red*": ein.Mul, "redmin": ein.Min, "redmax": ein.Max, "contr": ein.Add}[o.Op.Name]
	index := func(m int) []int {
		list := with(k, argument(o, 0), m)
		if o.Op.Name == "contr" {
			list = with(list, argument(o, 1), m)
		}
		return list
	}
	value, defined = at(0, index(1))
	for m := 2; m <= n && defined; m++ {
		var x D
		x, defined = at(0, index(m))
		value = d.Binary(op, value, x)
	}
	return value, defined
}

// origin returns the index at which an operation that only moves elements reads its
// operand, of a shape, for the element of its result at k; moves is false for others.
func origin(o *syntax.Operation, shape, k []int) (from []int, moves bool) {
	arg := func(n int) int { return argument(o, n) }
	switch o.Op.Name {
	case "transp":
		return swapped(k, arg(0), arg(1)), true
	case "diag":
		return with(k, arg(1), k[arg(0)-1]), true
	case "expa":
		return without(k, arg(0)), true
	case "proj":
		return with(k, arg(0), arg(1)), true
	case "shift":
		return replaced(k, arg(0), k[arg(0)-1]+arg(1)), true
	case "window":
		return replaced(without(k, arg(0)+1), arg(0), k[arg(0)-1]+k[arg(0)]-1), true
	case "stride":
		return replaced(k, arg(0), (k[arg(0)-1]-1)*arg(1)+1), true
	case "flip":
		return replaced(k, arg(0), shape[arg(0)-1]+1-k[arg(0)-1]), true
	case "clamp":
		return replaced(k, arg(0), min(max(1, k[arg(0)-1]-arg(1)), shape[arg(0)-1])), true
	case "mirror": // step by step from one reflection to the next
		j, n := k[arg(0)-1]-arg(1), shape[arg(0)-1]
		for j < 1 || j > n {
			if j < 1 {
				j = 1 - j
			} else {
				j = 2*n + 1 - j
			}
		}
		return replaced(k, arg(0), j), true
	case "wrap":
		j, n := k[arg(0)-1]-arg(1), shape[arg(0)-1]
		for j < 1 {
			j += n
		}
		for j > n {
			j -= n
		}
		return replaced(k, arg(0), j), true
	case "step":
		return replaced(k, arg(0), (k[arg(0)-1]-1)*arg(1)+1), true
	case "repeat":
		return replaced(k, arg(0), (k[arg(0)-1]+arg(1)-1)/arg(1)), true
	}
	return nil, false
}

// choose is select: all three operands have values, and one of the last two is the result.
func choose[D any](d Domain[D], at func(n int) (D, bool)) (value D, defined bool) {
	c, defined := at(0)
	x, defined1 := at(1)
	y, defined2 := at(2)
	if d.IsTrue(c) {
		value = x
	} else {
		value = y
	}
	return value, defined && defined1 && defined2
}

// Run executes a program (Figure 9): it returns the memory after it, or an error if a
// statement is stuck. The given memory is not changed.
func Run[D any](d Domain[D], p *syntax.Program, m Memory[D]) (Memory[D], error) {
	g := ContextOf(p)
	current := Memory[D]{}
	for name, t := range m {
		current[name] = t
	}
	for _, s := range p.Statements {
		x := s.Targets[0].Name
		shape, ok := g[x]
		if !ok {
			return nil, fmt.Errorf("%s is not allocated", x)
		}
		t := &Tensor[D]{Shape: shape}
		for k := range Indices(shape) {
			v, defined := Value(d, g, current, s.Value, k)
			if !defined {
				return nil, fmt.Errorf("%s is not defined at %v", syntax.PrintStatement(s), k)
			}
			t.Values = append(t.Values, v)
		}
		current[x] = t // after all values: the whole tensor is replaced
	}
	return current, nil
}

// Indices enumerates the indices κ ≤ ι in row-major order.
func Indices(shape []int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		if slices.Contains(shape, 0) {
			return
		}
		k := make([]int, len(shape))
		for n := range k {
			k[n] = 1
		}
		for {
			if !yield(slices.Clone(k)) {
				return
			}
			n := len(k) - 1
			for n >= 0 && k[n] == shape[n] {
				k[n] = 1
				n--
			}
			if n < 0 {
				return
			}
			k[n]++
		}
	}
}
