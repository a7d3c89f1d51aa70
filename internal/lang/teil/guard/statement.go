package guard

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A statement is the state of one comprehension's lowering.
type statement struct {
	*lowering
	c      *ein.Comprehension
	locals map[*ein.Local]value
	values map[*ein.Local]ein.Expr
	path   ein.Alternatives // what the conditions around the present expression say

	written bool // what a let shares is written where it is used
}

// lower turns a comprehension into statements: one for each of its writes, and
// one for each value that a let shares. All values are computed before anything is
// written, so several writes go through locals where a value reads what
// another one replaces.
func (s *statement) lower() error {
	for _, i := range s.c.Indices {
		if i.MayBeEmpty && !s.sizes.Proves(i.Extent.AddConst(-1)) {
			return missing(emptyDimension, i.Pos)
		}
	}
	expressions, targets, err := s.results()
	if err != nil {
		return err
	}
	if len(s.c.Writes) > 1 && (s.readsOwnWrites() || s.c.Accumulate != nil) {
		for n, w := range s.c.Writes {
			name := s.fresh("new_" + w.Tensor.Name)
			s.allocate(w.Pos, name, w.Tensor.Type, targets[n].extents(), syntax.Unmarked)
			s.assign(w.Pos, name, expressions[n])
			expressions[n] = &syntax.Var{Pos: w.Pos, Name: name}
		}
	}
	for n, w := range s.c.Writes {
		s.assign(s.c.Pos, s.names[w.Tensor], targets[n].replaced(s.variable(w.Pos, w.Tensor), expressions[n]))
	}
	return nil
}

// prefixes makes two dimensions of that of a scanned index: one for the last place of a
// prefix, which stays, and one for the places that it has, which is to be reduced. Places behind
// the last one count as component n of the operator's identity.
func (s *statement) prefixes(v value, i, place *ein.Index, op *ein.Operator, n int) (value, error) {
	pos := s.c.Pos
	identity, err := s.scalar(op.Identity[n])
	if err != nil {
		return value{}, err
	}
	element := op.Left[n].DType
	labels := slices.Clone(v.labels)
	if p := slices.Index(labels, i); p >= 0 {
		labels[p] = place
	}
	within := s.elementwise(pos, "le", s.counted(&ein.IndexRef{Pos: pos, Index: place}), s.counted(&ein.IndexRef{Pos: pos, Index: i}))
	return s.elementwise(pos, "select", within, anchored(element, value{v.expr, labels}), anchored(element, identity)), nil
}

func (s *statement) readsOwnWrites() bool {
	return slices.ContainsFunc(s.c.Accesses(), func(a *ein.Access) bool {
		return slices.ContainsFunc(s.c.Writes, func(w *ein.Write) bool { return w.Tensor == a.Tensor })
	})
}

// results is what the writes store: the values, reduced from the last index to the first,
// in the order of the tensors' dimensions, and joined to the old values; and where they are stored.
func (s *statement) results() ([]syntax.Expr, []*target, error) {
	values, err := s.scalars(s.c.Values...)
	if err != nil {
		return nil, nil, err
	}
	if values, err = s.reduced(values); err != nil {
		return nil, nil, err
	}
	old, targets := make([]value, len(values)), make([]*target, len(values))
	for n, w := range s.c.Writes {
		if targets[n], err = s.target(w); err != nil {
			return nil, nil, err
		}
		values[n] = targets[n].arrange(values[n])
		old[n] = value{targets[n].slice(s.variable(w.Pos, w.Tensor), len(w.Subscripts)), values[n].labels}
		if t := s.c.Values[n].Type(); w.Tensor.Type != t {
			old[n].expr = operation(w.Pos, t.String(), nil, nil, old[n].expr)
		}
	}
	expressions := make([]syntax.Expr, len(values))
	for n, w := range s.c.Writes {
		v := values[n]
		if op := s.c.Accumulate; op != nil {
			if name, builtin := joins[op.Kind]; builtin {
				v.expr = operation(s.c.Pos, name, nil, nil, old[n].expr, v.expr)
			} else if v, err = s.joined(op, n, old, values); err != nil {
				return nil, nil, err
			}
		}
		if w.Tensor.Type != s.c.Values[n].Type() {
			v.expr = operation(w.Pos, w.Tensor.Type.String(), nil, nil, v.expr)
		}
		expressions[n] = v.expr
	}
	return expressions, targets, nil
}

// reductions and joins are the operations for the built-in operators: along a
// dimension, and between the old value and the new one. On bools the least
// is the conjunction.
var (
	reductions = map[ein.OperatorKind]string{
		ein.SumOp: "red+", ein.ProductOp: "red*", ein.MinOp: "redmin", ein.MaxOp: "redmax", ein.AndOp: "redmin", ein.OrOp: "redmax",
	}
	joins = map[ein.OperatorKind]string{
		ein.SumOp: "add", ein.ProductOp: "mul", ein.MinOp: "min", ein.MaxOp: "max", ein.AndOp: "and", ein.OrOp: "or",
	}
)

func operatorObstacle(op *ein.Operator) *construct {
	if len(op.Left) > 1 {
		return tupleOperator
	}
	return userOperator
}

// share makes a value that is used several times a local.
func (s *statement) share(let *ein.Let, v value) value {
	if _, simple := v.expr.(*syntax.Var); simple || s.written {
		return v
	}
	return s.local(let.Pos, let.Var.Name, let.Var.DType, v)
}

// local assigns a value to a local of its shape.
func (s *statement) local(pos source.Span, like string, t tensor.DType, v value) value {
	name := s.fresh(like)
	dims := make([]affine.Expr, len(v.labels))
	for p, i := range v.labels {
		dims[p] = i.Extent
	}
	s.allocate(pos, name, t, dims, syntax.Unmarked)
	s.assign(pos, name, v.expr)
	return value{&syntax.Var{Pos: pos, Name: name}, v.labels}
}

func extents(t *ein.Tensor) []affine.Expr {
	list := make([]affine.Expr, len(t.Dims))
	for d, dim := range t.Dims {
		list[d] = dim.Extent
	}
	return list
}

// fresh returns a name like the given one that the program does not have yet.
func (l *lowering) fresh(like string) string {
	name := word(like)
	for n := 2; l.taken[name]; n++ {
		name = fmt.Sprintf("%s_%d", word(like), n)
	}
	l.taken[name] = true
	return name
}
