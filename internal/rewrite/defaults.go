package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How terms by default are taken out
//
// The greatest term of those that meet a condition often has a default, which is not the identity:
//
//	Out[b] = max e  key[e] == bin[b] ? t(e) : -1
//
// To take the default once or many times is the same for a minimum or maximum. So it is joined to
// the result where some term has it, which is where not all of them meet the condition:
//
//	M[b], n[b] = (max, +) e  key[e] == bin[b] ? (t(e), 1) : (identity, 0)
//	Out[b] = n[b] < extent(e) ? max(M[b], -1) : M[b]
//
// The terms of M and n are the identity but where the condition holds, which is worth it where
// that is an equality (keys.go, and the loops over determined indices of package schedule).

// leastDetermined is how many values an index has at least for which defaults are taken out.
const leastDetermined = 16

// TakeDefaultsOut gives minima and maxima with a default terms that are the identity elsewhere.
func TakeDefaultsOut(f *ein.Func) *ein.Func {
	f = f.Clone()
	var body []*ein.Comprehension
	for _, c := range f.Body {
		if reduction, result := withoutDefault(f, c); reduction != nil {
			body = append(body, reduction, result)
		} else {
			body = append(body, c)
		}
	}
	f.Body = body
	return f
}

// withoutDefault splits a comprehension; nil where it has no default, or it is no use.
func withoutDefault(f *ein.Func, c *ein.Comprehension) (reduction, result *ein.Comprehension) {
	op := onlyOperator(c)
	if op == nil || op.Kind != ein.MinOp && op.Kind != ein.MaxOp || contains(c, isChecked) || !isPlain(c) {
		return nil, nil
	}
	s, ok := c.Values[0].(*ein.Select)
	if !ok {
		return nil, nil
	}
	terms := int64(1)
	for _, i := range c.ByKind(ein.Reduce) {
		n, _ := i.Extent.IsConst()
		if terms *= n; terms >= small {
			return nil, nil
		}
	}
	for _, holds := range []bool{true, false} {
		term, other := s.Then, s.Else
		if !holds {
			term, other = s.Else, s.Then
		}
		if isConstant(other, op.Identity[0]) || !isFixed(c, other) {
			continue
		}
		counted := countedTerms(c, op, s.Cond, term, holds)
		if isLookedUp(f, counted) {
			return counted.stored(f, c, op, other, terms)
		}
	}
	return nil, nil
}

func isConstant(e, constant ein.Expr) bool {
	x, ok := e.(*ein.Const)
	y, okY := constant.(*ein.Const)
	return ok && okY && x.Bits == y.Bits
}

// isFixed reports whether an expression is the same for all that is reduced.
func isFixed(c *ein.Comprehension, e ein.Expr) bool {
	fixed := true
	ein.Walk(e, func(e ein.Expr) bool {
		switch e := e.(type) {
		case *ein.LocalRef:
			fixed = false
		case *ein.IndexRef:
			fixed = fixed && e.Index.Combine.Kind == ein.Concat
		}
		return fixed
	})
	return fixed
}

// A counted reduction has the number of its terms as a second value.
type counted struct{ *ein.Comprehension }

// countedTerms makes the terms that meet a condition, or do not, with their number.
func countedTerms(c *ein.Comprehension, op *ein.Operator, condition, term ein.Expr, holds bool) counted {
	pair := withCount(op)
	choose := func(yes, no ein.Expr) ein.Expr {
		if !holds {
			yes, no = no, yes
		}
		return &ein.Select{Pos: c.Pos, Cond: condition, Then: yes, Else: no}
	}
	r := &ein.Comprehension{Pos: c.Pos}
	env := map[*ein.Index]ein.Expr{}
	for _, i := range c.Indices {
		copied := *i
		if i.Combine.Kind != ein.Concat {
			copied.Combine.Op = pair
		}
		r.Indices, env[i] = append(r.Indices, &copied), &ein.IndexRef{Pos: i.Pos, Index: &copied}
	}
	r.Values = substituteAll([]ein.Expr{choose(term, pair.Identity[0]), choose(ein.IntConst(tensor.Int32, 1), pair.Identity[1])}, env)
	return counted{r}
}

// withCount is an operator with a sum beside it.
func withCount(op *ein.Operator) *ein.Operator {
	sum := ein.BuiltinOperator(ein.SumOp, tensor.Int32)
	return &ein.Operator{
		Name: op.Name + "_counted", Left: slices.Concat(op.Left, sum.Left), Right: slices.Concat(op.Right, sum.Right),
		Body: slices.Concat(op.Body, sum.Body), Identity: slices.Concat(op.Identity, sum.Identity), Associative: true, Commutative: true,
	}
}

// isLookedUp reports whether an equality leaves most of the terms out.
func isLookedUp(f *ein.Func, r counted) bool {
	op := onlyOperator(r.Comprehension)
	for _, i := range r.Indices {
		if n, known := i.Extent.IsConst(); known && n >= leastDetermined && r.Determined(op, i) != nil {
			return true
		}
	}
	return newKeyed(f, r.Comprehension) != nil
}

// stored gives the reduction its tensors, and the results their statement.
func (r counted) stored(f *ein.Func, c *ein.Comprehension, op *ein.Operator, other ein.Expr, terms int64) (reduction, result *ein.Comprehension) {
	concat := c.ByKind(ein.Concat)
	var reads []*ein.Access
	for k, name := range []string{"_chosen", "_count"} {
		t := &ein.Tensor{Pos: c.Pos, Name: freshName(f, c.Writes[0].Tensor.Name+name), Type: r.Values[k].Type(), Role: ein.Temp}
		f.Tensors = append(f.Tensors, t)
		write, read := &ein.Write{Pos: c.Pos, Tensor: t}, &ein.Access{Pos: c.Pos, Tensor: t}
		for _, i := range r.ByKind(ein.Concat) {
			t.Dims = append(t.Dims, ein.Dim{Min: i.Min, Extent: i.Extent})
			write.Subscripts = append(write.Subscripts, &ein.IndexRef{Pos: i.Pos, Index: i})
		}
		for _, i := range concat {
			read.Subscripts = append(read.Subscripts, &ein.IndexRef{Pos: i.Pos, Index: i})
		}
		r.Writes, reads = append(r.Writes, write), append(reads, read)
	}
	joined := binary(map[ein.OperatorKind]ein.BinaryOp{ein.MinOp: ein.Min, ein.MaxOp: ein.Max}[op.Kind], reads[0], other)
	value := &ein.Select{Pos: c.Pos, Cond: binary(ein.Lt, reads[1], ein.IntConst(tensor.Int32, terms)), Then: joined, Else: reads[0]}
	return r.Comprehension, owned(&ein.Comprehension{Pos: c.Pos, Indices: concat, Writes: c.Writes, Values: []ein.Expr{value}, Accumulate: c.Accumulate})
}
