package teil

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
)

// replacement is T-Replace: the operands have one shape but for dimension i, where N places
// have room for the n of the part: o ≥ 0, s ≥ 1, o + (n − 1)·s + 1 ≤ N.
func replacement(j *judgement) (Shape, *Refusal) {
	if r := j.positions(1); r != nil {
		return nil, r
	}
	i, o, s := j.e.Position(0), j.e.Args[1].Value, j.e.Args[2].Value
	whole, part := j.operands[0], j.operands[1]
	if len(part) != len(whole) || !j.sameShape(whole.without(i), part.without(i)) {
		return nil, j.refuse([]int{i}, nil, fmt.Sprintf("the part has the shape %s, but for dimension %d", whole, i), "the operands have the shapes %s and %s, which differ in other dimensions than %d", whole, part, i)
	}
	size, n := whole.at(i), part.at(i)
	end := o.Add(n.AddConst(-1).Mul(s)).AddConst(1)
	switch {
	case !j.require(o, j.e.Args[1].Pos, fmt.Sprintf("T-Replace: the offset %s is not negative", o)):
		return nil, j.refuse([]int{i}, []affine.Expr{o}, "the first place has the offset 0", "the offset %s is negative", o)
	case !j.require(s.AddConst(-1), j.e.Args[2].Pos, fmt.Sprintf("T-Replace: the step %s is at least 1", s)):
		return nil, j.refuse([]int{i}, []affine.Expr{s}, "a step of 1 takes every place", "the step %s is not positive", s)
	case !j.require(size.Sub(end), j.e.Pos, fmt.Sprintf("T-Replace: dimension %d of size %s has %s places", i, size, end)):
		return nil, j.refuse([]int{i}, []affine.Expr{end, size}, fmt.Sprintf("%s places behind the first %s, each %s behind the one before, end with place %s", n, o, s, end), "dimension %d of size %s has no room for the part, which reaches place %s", i, size, end)
	}
	return whole, nil
}

// replaced is the part where the index is in it, and the first operand elsewhere.
func (l *lowerer) replaced(e *syntax.Operation, at []ein.Expr) ein.Expr {
	b, i, step := maker{e}, e.Position(0), e.Args[2].Value
	size := l.shape(e.Operands[1]).at(i)
	zero, behind := b.size(affine.Expr{}), at[i-1]
	var tests []ein.Expr
	if offset := e.Args[1].Value; !offset.Equal(affine.Expr{}) {
		behind = b.binary(ein.Sub, behind, b.size(offset))
		tests = append(tests, b.binary(ein.Ge, behind, zero))
	}
	place := behind
	if !step.Equal(affine.Const(1)) {
		place = b.binary(ein.Div, behind, b.size(step))
		tests = append(tests, b.binary(ein.Eq, b.binary(ein.Mod, behind, b.size(step)), zero))
	}
	inside := b.binary(ein.Lt, place, b.size(size))
	for k := len(tests) - 1; k >= 0; k-- {
		inside = b.binary(ein.And, tests[k], inside)
	}
	within := append([]ein.Expr{}, at...)
	within[i-1] = place
	return &ein.Select{Pos: e.Pos, Cond: inside, Then: l.value(e.Operands[1], within), Else: l.value(e.Operands[0], at)}
}

// A place is what a statement writes in one dimension: every step-th place from offset on.
type place struct {
	index        *ein.IndexRef
	offset, step affine.Expr
}

func (p place) affine() affine.Expr {
	return p.offset.Add(p.step.Mul(affine.Symbol(p.index.Index.Name)))
}

func (p place) subscript() ein.Expr {
	var s ein.Expr = p.index
	if !p.step.Equal(affine.Const(1)) {
		s = &ein.Binary{Pos: p.index.Pos, Op: ein.Mul, X: sizeValue(p.step, p.index.Pos), Y: s}
	}
	if !p.offset.Equal(affine.Expr{}) {
		s = &ein.Binary{Pos: p.index.Pos, Op: ein.Add, X: s, Y: sizeValue(p.offset, p.index.Pos)}
	}
	return s
}

// narrow finds what of x a statement changes: x = replace i o s x e writes the places of the part
// alone, and so on in e. It returns the expression that is written there.
func (l *lowerer) narrow(e syntax.Expr, x *ein.Tensor, at []ein.Expr, places []place) syntax.Expr {
	for {
		o, ok := e.(*syntax.Operation)
		if !ok || o.Op.Name != "replace" || !l.keeps(o.Operands[0], x, at, places) {
			return e
		}
		p := &places[o.Position(0)-1]
		p.offset = p.offset.Add(p.step.Mul(o.Args[1].Value))
		p.step = p.step.Mul(o.Args[2].Value)
		p.index.Index.Extent = l.shape(o.Operands[1]).at(o.Position(0))
		e = o.Operands[1]
	}
}

// keeps reports whether an expression reads of x just what the statement writes there.
func (l *lowerer) keeps(e syntax.Expr, x *ein.Tensor, at []ein.Expr, places []place) bool {
	for inner := e; ; {
		o, ok := inner.(*syntax.Operation)
		if !ok {
			break
		}
		if !once[o.Op.Name] {
			return false
		}
		inner = o.Operands[0]
	}
	value := l.value(e, at)
	if c, ok := value.(*ein.Cast); ok && x.Type.IsHalf() {
		value = c.X
	}
	a, ok := value.(*ein.Access)
	if !ok || a.Tensor != x {
		return false
	}
	for k, p := range places {
		if s, ok := ein.AffineOf(a.Subscripts[k]); !ok || !s.Equal(p.affine()) {
			return false
		}
	}
	return true
}
