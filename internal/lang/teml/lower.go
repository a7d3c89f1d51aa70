package teml

import (
	"fmt"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A lowering makes comprehensions of assignments, over tensors of one function.
type lowering struct {
	tensors map[*real]*ein.Tensor
	sizes   map[string]*size
	calls   map[*importedCall][]*ein.Comprehension
}

// tensor returns the tensor of a function for a real one.
func (l *lowering) tensor(r *real) *ein.Tensor {
	t := l.tensors[r]
	if t == nil {
		t = &ein.Tensor{Pos: r.pos, Name: r.name, Type: r.dtype, Role: ein.Temp}
		for _, e := range r.shape {
			t.Dims = append(t.Dims, ein.Dim{Extent: e})
		}
		l.tensors[r] = t
	}
	return t
}

// indexName is the name of the loop at a level: i1, i2, … as build numbers them.
func (l *lowering) indexName(level int) string {
	name := fmt.Sprintf("i%d", level)
	for l.sizes[name] != nil {
		name += "_"
	}
	return name
}

// comprehension lowers an assignment. fresh says that a fold starts anew although the
// assignment continues one, because what was there is the neutral element.
func (l *lowering) comprehension(a *assignment, fresh bool) *ein.Comprehension {
	if a.fill != nil {
		return l.fill(a)
	}
	if a.part != nil {
		return l.part(a.part)
	}
	c := &ein.Comprehension{Pos: a.pos}
	dtype := a.real.dtype.Compute()
	indices := map[string]*ein.Index{}
	var op *ein.Operator
	if a.fold != "" {
		op = ein.BuiltinOperator(folds[a.fold], dtype)
	}
	for n, name := range a.order {
		b := a.ranges.of[name]
		i := &ein.Index{Pos: a.pos, Name: l.indexName(n + 1), Min: b.Min, Extent: b.Extent}
		if slices.Contains(a.reduced, name) {
			i.Combine = ein.Combine{Kind: ein.Reduce, Op: op}
		}
		indices[name] = i
		c.Indices = append(c.Indices, i)
	}
	value := l.expr(a.value, indices, dtype)
	if a.fold == "-" {
		value = &ein.Unary{Pos: a.pos, Op: ein.Neg, X: value}
	}
	if a.fold != "" && !a.fresh && !fresh {
		c.Accumulate = op
	}
	c.Values = []ein.Expr{value}
	c.Writes = []*ein.Write{{Pos: a.pos, Tensor: l.tensor(a.real), Subscripts: l.subscripts(a.subscripts, indices, a.pos)}}
	return c
}

func (l *lowering) subscripts(list []affine.Expr, indices map[string]*ein.Index, pos source.Span) []ein.Expr {
	var out []ein.Expr
	for _, e := range list {
		out = append(out, ein.FromAffine(e, indices, pos))
	}
	return out
}

// binaryOps are the operations of trees.
var binaryOps = map[string]ein.BinaryOp{"+": ein.Add, "-": ein.Sub, "*": ein.Mul, "/": ein.Div, "max": ein.Max, "min": ein.Min,
	"&": ein.BitAnd, "|": ein.BitOr, "^": ein.BitXor, "<<": ein.Shl, ">>": ein.Shr}

func (l *lowering) expr(t *Tree, indices map[string]*ein.Index, dtype tensor.DType) ein.Expr {
	switch {
	case t.constant != nil:
		return l.constant(t, dtype)
	case t.isLeaf():
		var e ein.Expr = &ein.Access{Pos: t.pos, Tensor: l.tensor(t.real), Subscripts: l.subscripts(t.iters.list, indices, t.pos)}
		if e.Type() != dtype {
			e = &ein.Cast{Pos: t.pos, To: dtype, X: e}
		}
		return e
	}
	return &ein.Binary{Pos: t.pos, Op: binaryOps[t.op], X: l.expr(t.children[0], indices, dtype), Y: l.expr(t.children[1], indices, dtype)}
}

func (l *lowering) constant(t *Tree, dtype tensor.DType) ein.Expr {
	switch v := t.constant.value.(type) {
	case literal:
		if dtype.IsFloat() {
			return ein.FloatConst(dtype, float64(v))
		}
		return ein.IntConst(dtype, int64(v))
	case number:
		if n, ok := v.IsConst(); !ok {
			return &ein.Cast{Pos: t.pos, To: dtype, X: &ein.SizeRef{Pos: t.pos, Size: v.Expr}}
		} else if dtype.IsFloat() {
			return ein.FloatConst(dtype, float64(n))
		} else {
			return ein.IntConst(dtype, n)
		}
	}
	panic(source.Internalf("teml", t.pos, "a constant of no kind"))
}

// fits reports whether a constant is a value of the type.
func (c *constant) fits(dtype tensor.DType) bool {
	f, ok := asFloat(c.value)
	return !ok || dtype.IsFloat() || f == math.Trunc(f) && math.Abs(f) < 1<<53
}
