package teiltest

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
)

// foldShape is result of an operation that a fold declares: operands of one shape lose
// dimension i.
func foldShape(i int, operands [][]int) ([]int, bool) {
	if !allEqual(operands) || i < 1 || i > len(operands[0]) {
		return nil, false
	}
	return without(operands[0], i), true
}

// foldValue is the element of such an operation: a component of n tuples that are combined from the
// first on, each by each expression of the fold over scalars.
func foldValue[D any](d Domain[D], o *syntax.Operation, n int, tuple func(j int) ([]D, bool)) (value D, defined bool) {
	f := o.Op.Fold
	scalars := func(left, right []D) Memory[D] {
		m := Memory[D]{}
		for k, s := range f.Left {
			m[s.Name.Name] = &Tensor[D]{Values: left[k : k+1]}
			m[f.Right[k].Name] = &Tensor[D]{Values: right[k : k+1]}
		}
		return m
	}
	g := Context{}
	for k, s := range f.Left {
		g[s.Name.Name], g[f.Right[k].Name] = []int{}, []int{}
	}
	all := func(list []syntax.Expr, m Memory[D]) (values []D, ok bool) {
		for _, e := range list {
			v, defined := Value(d, g, m, e, nil)
			if !defined {
				return nil, false
			}
			values = append(values, v)
		}
		return values, true
	}
	sum, defined := all(f.From, nil)
	for j := 1; j <= n && defined; j++ {
		next, ok := tuple(j)
		switch {
		case !ok:
			return value, false
		case sum == nil:
			sum = next
		default:
			sum, defined = all(f.Bodies, scalars(sum, next))
		}
	}
	if !defined {
		return value, false
	}
	return sum[o.Op.Component], true
}

// fold declares a random fold of one or two components in the program: with a neutral tuple,
// or with any expressions.
func (g *generator) fold(number int) {
	name := func(word string) syntax.Name { return syntax.Name{Name: fmt.Sprintf("%s%d", word, number)} }
	f := &syntax.Fold{Names: []syntax.Name{name("f")}, Left: []syntax.Scalar{{Name: name("a")}}, Right: []syntax.Name{name("b")}}
	if g.IntN(3) > 0 {
		f.Names, f.Left, f.Right = append(f.Names, name("g")), append(f.Left, syntax.Scalar{Name: name("c")}), append(f.Right, name("d"))
	}
	inner := &generator{Rand: g.Rand, options: g.options, program: &syntax.Program{}, context: Context{}}
	for k := range f.Left {
		f.Left[k].Type = &syntax.Name{Name: g.options.Element}
		for _, n := range []syntax.Name{f.Left[k].Name, f.Right[k]} {
			inner.program.Allocs = append(inner.program.Allocs, &syntax.Alloc{Name: n})
			inner.context[n.Name] = []int{}
		}
	}
	inner.options.Without = append([]string{
		"mul", "prod", "gather", "red+", "red*", "redmin", "redmax", "contr", "transp", "diag", "expa", "proj", "iota", "size", "fold",
	}, g.options.Without...)
	neutral := []struct{ op, from string }{{"add", "0"}, {"mul", "1"}}
	for k := range f.Left {
		choice := neutral[g.IntN(len(neutral))]
		if g.options.Element == "int64" && number%2 == 1 {
			f.Bodies = append(f.Bodies, inner.typed(nil, 3))
			continue
		}
		f.Bodies = append(f.Bodies, syntax.Operate(choice.op, nil, &syntax.Var{Name: f.Left[k].Name.Name}, &syntax.Var{Name: f.Right[k].Name}))
		f.From = append(f.From, &syntax.Number{Text: choice.from})
	}
	g.program.Folds = append(g.program.Folds, f)
}

// folded draws an operation of one of the folds; nil where the program has none.
func (g *generator) folded(s []int, depth, place, n int) syntax.Expr {
	if len(g.program.Folds) == 0 || !fits(with(s, place, n)) {
		return nil
	}
	f := g.program.Folds[g.IntN(len(g.program.Folds))]
	e := &syntax.Operation{Op: f.Operations()[g.IntN(len(f.Names))], Args: []syntax.Size{syntax.Literal(place)}}
	for range f.Left {
		e.Operands = append(e.Operands, g.typed(with(s, place, n), depth))
	}
	return e
}
