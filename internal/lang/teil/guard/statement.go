package guard

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
)

// A statement is the state of one comprehension's lowering.
type statement struct {
	*lowering
	c      *ein.Comprehension
	locals map[*ein.Local]value
	values map[*ein.Local]ein.Expr
	path   ein.Alternatives // what the conditions around the present expression say
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
	expressions, targets := make([]syntax.Expr, len(s.c.Writes)), make([]*target, len(s.c.Writes))
	for n, w := range s.c.Writes {
		var err error
		if expressions[n], targets[n], err = s.result(n, w); err != nil {
			return err
		}
	}
	if len(s.c.Writes) > 1 && s.readsOwnWrites() {
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
// prefix, which stays, and one for the places that it has, which is returned and is to be
// reduced. Places behind the last one count as the operator's identity.
func (s *statement) prefixes(v value, i *ein.Index) (value, *ein.Index, error) {
	pos, op := s.c.Pos, i.Combine.Op
	identity, err := s.scalar(op.Identity[0])
	if err != nil {
		return value{}, nil, err
	}
	element := op.Left[0].DType
	place := *i
	labels := slices.Clone(v.labels)
	if p := slices.Index(labels, i); p >= 0 {
		labels[p] = &place
	}
	within := s.elementwise(pos, "le", s.counted(&ein.IndexRef{Pos: pos, Index: &place}), s.counted(&ein.IndexRef{Pos: pos, Index: i}))
	v = s.elementwise(pos, "select", within, anchored(element, value{v.expr, labels}), anchored(element, identity))
	return v, &place, nil
}

func (s *statement) readsOwnWrites() bool {
	return slices.ContainsFunc(s.c.Accesses(), func(a *ein.Access) bool {
		return slices.ContainsFunc(s.c.Writes, func(w *ein.Write) bool { return w.Tensor == a.Tensor })
	})
}

// result is what a write stores: the value, reduced from the last index to the first,
// in the order of the tensor's dimensions, and joined to the old value; and where it is stored.
func (s *statement) result(n int, w *ein.Write) (syntax.Expr, *target, error) {
	v, err := s.scalar(s.c.Values[n])
	if err != nil {
		return nil, nil, err
	}
	for k := len(s.c.Indices) - 1; k >= 0; k-- {
		i := s.c.Indices[k]
		if i.Combine.Kind == ein.Concat {
			continue
		}
		op, ok := reductions[i.Combine.Op.Kind]
		if !ok {
			return nil, nil, missing(operatorObstacle(i.Combine.Op), i.Pos)
		}
		if i.Combine.Kind == ein.Scan {
			if v, i, err = s.prefixes(v, i); err != nil {
				return nil, nil, err
			}
		}
		v = v.reduce(s.c.Pos, op, i, s.c.Indices)
	}
	to, err := s.target(w)
	if err != nil {
		return nil, nil, err
	}
	v = to.arrange(v)
	value := s.c.Values[n].Type()
	if op := s.c.Accumulate; op != nil {
		name, ok := joins[op.Kind]
		if !ok {
			return nil, nil, missing(operatorObstacle(op), s.c.Pos)
		}
		old := to.slice(s.variable(w.Pos, w.Tensor), len(to.places))
		if w.Tensor.Type != value {
			old = operation(w.Pos, value.String(), nil, nil, old)
		}
		v.expr = operation(s.c.Pos, name, nil, nil, old, v.expr)
	}
	if w.Tensor.Type != value {
		v.expr = operation(w.Pos, w.Tensor.Type.String(), nil, nil, v.expr)
	}
	return v.expr, to, nil
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
	if _, simple := v.expr.(*syntax.Var); simple {
		return v
	}
	name := s.fresh(let.Var.Name)
	dims := make([]affine.Expr, len(v.labels))
	for p, i := range v.labels {
		dims[p] = i.Extent
	}
	s.allocate(let.Pos, name, let.Var.DType, dims, syntax.Unmarked)
	s.assign(let.Pos, name, v.expr)
	return value{&syntax.Var{Pos: let.Pos, Name: name}, v.labels}
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
