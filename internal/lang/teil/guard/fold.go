package guard

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
)

// How reductions of tuples are lowered
//
// An operator of ein becomes a fold of TeIL: its expressions over two tuples, with an operation
// for each component. The values of the statement are brought to one shape, and every component
// is an expression over all of them. Between two reduced indices the components are locals, so
// that they are not written again for each of them.

// reduced folds the values of a statement along its indices, from the last to the first.
func (s *statement) reduced(values []value) ([]value, error) {
	for k := len(s.c.Indices) - 1; k >= 0; k-- {
		i := s.c.Indices[k]
		if i.Combine.Kind == ein.Concat {
			continue
		}
		op, place := i.Combine.Op, i
		if i.Combine.Kind == ein.Scan {
			copied := *i
			place = &copied
		}
		name, builtin := reductions[op.Kind]
		var err error
		switch {
		case !builtin:
			values, err = s.folded(values, i, place)
		case place != i:
			values[0], err = s.prefixes(values[0], i, place, op, 0)
			fallthrough
		default:
			if err == nil {
				values[0] = values[0].reduce(s.c.Pos, name, place, s.c.Indices)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return values, nil
}

// folded reduces a tuple of values along an index, or along the places of its prefixes.
func (s *statement) folded(values []value, i, place *ein.Index) ([]value, error) {
	op, count := i.Combine.Op, len(values)
	values = slices.Clone(values)
	if place != i {
		if op.Identity == nil { // a component more says whether there is a value yet
			if s.complete[op] == nil {
				s.complete[op] = op.WithIdentity()
			}
			op = s.complete[op]
			some := ein.IntConst(op.Left[count].DType, 1)
			values = append(values, value{expr: constant(some)})
		}
		for n := range values {
			var err error
			if values[n], err = s.prefixes(values[n], i, place, op, n); err != nil {
				return nil, err
			}
		}
	}
	f, err := s.fold(op)
	if err != nil {
		return nil, err
	}
	labels := s.union(values)
	if !slices.Contains(labels, place) {
		order := slices.DeleteFunc(slices.Clone(s.c.Indices), func(o *ein.Index) bool { return o != place && !slices.Contains(labels, o) })
		for _, l := range labels {
			if !slices.Contains(order, l) {
				order = append(order, l)
			}
		}
		labels = order
	}
	operands := make([]syntax.Expr, len(values))
	for n, v := range values {
		operands[n] = v.arrange(s.c.Pos, labels).expr
	}
	p := slices.Index(labels, place)
	last := !slices.ContainsFunc(s.c.Indices[:slices.Index(s.c.Indices, i)], func(o *ein.Index) bool { return o.Combine.Kind != ein.Concat })
	for n := range count {
		e := &syntax.Operation{Pos: s.c.Pos, Op: f.Operation(f.Names[n].Name, n), Args: []syntax.Size{syntax.Literal(p + 1)}, Operands: operands}
		values[n] = value{e, slices.Delete(slices.Clone(labels), p, p+1)}
	}
	values = values[:count]
	if !last {
		for n, v := range values {
			values[n] = s.local(s.c.Pos, f.Names[n].Name, op.Left[n].DType, v)
		}
	}
	return values, nil
}

// fold returns the fold for an operator, which is declared once.
func (s *statement) fold(op *ein.Operator) (*syntax.Fold, error) {
	if f := s.folds[op]; f != nil {
		return f, nil
	}
	f := &syntax.Fold{Pos: s.c.Pos}
	inner := s.inline()
	taken := map[string]bool{}
	parameter := func(l *ein.Local) syntax.Name {
		name := word(l.Name)
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", word(l.Name), n)
		}
		taken[name] = true
		inner.locals[l] = value{expr: &syntax.Var{Pos: s.c.Pos, Name: name}}
		return syntax.Name{Pos: s.c.Pos, Name: name}
	}
	base := op.Name
	if !strings.ContainsFunc(base, unicode.IsLetter) {
		base = "fold_by" // that of a sign
	}
	for k, l := range op.Left {
		f.Left = append(f.Left, syntax.Scalar{Name: parameter(l), Type: &syntax.Name{Pos: s.c.Pos, Name: l.DType.String()}})
		name := base
		if len(op.Left) > 1 {
			name = base + "_" + op.Left[k].Name
		}
		f.Names = append(f.Names, syntax.Name{Pos: s.c.Pos, Name: s.fresh(name)})
	}
	for _, l := range op.Right {
		f.Right = append(f.Right, parameter(l))
	}
	all := func(list []ein.Expr) (expressions []syntax.Expr, err error) {
		for _, e := range list {
			if !isScalar(e) {
				return nil, missing(operatorObstacle(op), s.c.Pos)
			}
			v, err := inner.scalar(e)
			if err != nil {
				return nil, err
			}
			expressions = append(expressions, v.expr)
		}
		return expressions, nil
	}
	var err error
	if f.Bodies, err = all(op.Body); err != nil {
		return nil, err
	}
	if f.From, err = all(op.Identity); err != nil {
		return nil, err
	}
	s.folds[op] = f
	s.program.Folds = append(s.program.Folds, f)
	return f, nil
}

// isScalar reports whether an expression is made of parameters and numbers.
func isScalar(e ein.Expr) bool {
	scalar := true
	ein.Walk(e, func(e ein.Expr) bool {
		switch e.(type) {
		case *ein.Access, *ein.IndexRef, *ein.SizeRef:
			scalar = false
		}
		return scalar
	})
	return scalar
}

// inline returns a statement for expressions that have no statements of their own: what is shared
// in them is written where it is used.
func (s *statement) inline() *statement {
	return &statement{
		lowering: s.lowering, c: &ein.Comprehension{Pos: s.c.Pos}, written: true,
		locals: map[*ein.Local]value{}, values: map[*ein.Local]ein.Expr{}, path: ein.Alternatives{nil},
	}
}

// joined combines the old values of the targets with the new ones, by the operator of the statement.
func (s *statement) joined(op *ein.Operator, n int, old, new []value) (value, error) {
	if !isScalar(op.Body[n]) {
		return value{}, missing(operatorObstacle(op), s.c.Pos)
	}
	inner := s.inline()
	for k := range old {
		inner.locals[op.Left[k]], inner.locals[op.Right[k]] = old[k], new[k]
	}
	return inner.scalar(op.Body[n])
}
