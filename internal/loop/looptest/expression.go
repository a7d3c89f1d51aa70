package looptest

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// exactFunctions are the builtins whose results have no freedom.
var exactFunctions = []string{"fabs", "floor", "ceil", "trunc", "round", "sqrt"}

// expr returns a random expression of a type.
func (g *generator) expr(t loop.Type, depth int) loop.Expr {
	if depth <= 0 || g.chance(15) {
		return g.leaf(t)
	}
	switch g.pick(8) {
	case 0:
		return g.load(t, depth)
	case 1:
		return &loop.Cast{To: t.Elem, X: g.expr(loop.Type{Elem: g.dtype(false), Lanes: t.Lanes}, depth-1)}
	case 2:
		cond := loop.Type{Elem: tensor.Bool, Lanes: t.Lanes}
		if g.chance(30) {
			cond.Lanes = 1
		}
		return &loop.Select{Cond: g.expr(cond, depth-1), Then: g.expr(t, depth-1), Else: g.expr(t, depth-1)}
	case 3:
		if t.Lanes == 1 {
			return g.fold(t.Elem, depth)
		}
		if t.Elem != tensor.Bool && g.chance(50) {
			by := 1 + g.pick(t.Lanes-1)
			if g.chance(30) {
				by = -by
			}
			return &loop.Shift{X: g.expr(t, depth-1), By: by, Fill: g.expr(loop.Scalar(t.Elem), depth-1)}
		}
		return &loop.Broadcast{X: g.expr(loop.Scalar(t.Elem), depth-1), Lanes: t.Lanes}
	case 4:
		if op := ein.Neg; t.Elem != tensor.Bool {
			return &loop.Unary{Op: op, X: g.expr(t, depth-1)}
		}
		return &loop.Unary{Op: ein.Not, X: g.expr(t, depth-1)}
	}
	if t.Elem == tensor.Bool {
		return g.condition(t.Lanes, depth)
	}
	if t.Elem.IsFloat() && g.chance(15) {
		b, _ := ein.LookupBuiltin(exactFunctions[g.pick(len(exactFunctions))])
		return &loop.Call{Func: b, Args: []loop.Expr{g.expr(t, depth-1)}}
	}
	if t.Elem == tensor.Int32 && t.Lanes > 1 && g.chance(20) {
		return g.dot(t, depth)
	}
	if t.Elem.IsInteger() && g.chance(25) {
		return g.bits(t, depth)
	}
	if g.chance(10) {
		return &loop.MulAdd{X: g.expr(t, depth-1), Y: g.expr(t, depth-1), Z: g.expr(t, depth-1)}
	}
	ops := []ein.BinaryOp{ein.Add, ein.Sub, ein.Mul, ein.Div, ein.Mod, ein.Min, ein.Max}
	return &loop.Binary{Op: ops[g.pick(len(ops))], X: g.expr(t, depth-1), Y: g.expr(t, depth-1)}
}

// bits draws an operator on bits, half of the counts for all lanes.
func (g *generator) bits(t loop.Type, depth int) loop.Expr {
	x := g.expr(t, depth-1)
	if g.chance(20) {
		return &loop.Unary{Op: []ein.UnaryOp{ein.Popcount, ein.Clz}[g.pick(2)], X: x}
	}
	op := []ein.BinaryOp{ein.BitAnd, ein.BitOr, ein.BitXor, ein.Shl, ein.Shr}[g.pick(5)]
	if g.chance(50) {
		return &loop.Binary{Op: op, X: x, Y: g.expr(t, depth-1)}
	}
	var y loop.Expr = &loop.Const{Elem: t.Elem, Bits: uint64(g.pick(8*t.Elem.Size() + 2))}
	if t.Lanes > 1 {
		y = &loop.Broadcast{X: y, Lanes: t.Lanes}
	}
	return &loop.Binary{Op: op, X: x, Y: y}
}

func (g *generator) leaf(t loop.Type) loop.Expr {
	if g.chance(60) {
		var fitting []*loop.Var
		for _, v := range g.vars {
			if v.Type == t {
				fitting = append(fitting, v)
			}
		}
		if len(fitting) > 0 {
			return &loop.VarRef{Var: fitting[g.pick(len(fitting))]}
		}
	}
	if t.Lanes == 1 {
		return g.constant(t.Elem)
	}
	if t.Elem == tensor.Int64 && g.chance(50) {
		return &loop.Ramp{Base: g.leaf(loop.Scalar(tensor.Int64)), Stride: int64(g.pick(5) - 1), Lanes: t.Lanes}
	}
	return &loop.Broadcast{X: g.leaf(loop.Scalar(t.Elem)), Lanes: t.Lanes}
}

// condition compares or combines.
func (g *generator) condition(lanes, depth int) loop.Expr {
	t := loop.Type{Elem: tensor.Bool, Lanes: lanes}
	if g.chance(30) {
		ops := []ein.BinaryOp{ein.And, ein.Or, ein.Eq, ein.Ne}
		return &loop.Binary{Op: ops[g.pick(len(ops))], X: g.expr(t, depth-1), Y: g.expr(t, depth-1)}
	}
	operand := loop.Type{Elem: g.dtype(false), Lanes: lanes}
	if operand.Elem == tensor.Bool {
		operand.Elem = tensor.Int64
	}
	ops := []ein.BinaryOp{ein.Lt, ein.Le, ein.Gt, ein.Ge, ein.Eq, ein.Ne}
	return &loop.Binary{Op: ops[g.pick(len(ops))], X: g.expr(operand, depth-1), Y: g.expr(operand, depth-1)}
}

// dot adds dot products of bytes or of words, of which one side may be the same for all, or distances
// of bytes.
func (g *generator) dot(t loop.Type, depth int) loop.Expr {
	narrow := []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int16}
	x := narrow[g.pick(len(narrow))]
	y := narrow[g.pick(len(narrow))]
	if x.Size() != y.Size() {
		y = x
	}
	operand := func(d tensor.DType) loop.Expr {
		lanes := ein.DotGroup(d)
		if g.chance(50) {
			lanes *= t.Lanes
		}
		return g.expr(loop.Type{Elem: d, Lanes: lanes}, depth-1)
	}
	if g.chance(20) {
		bytes := loop.Type{Elem: tensor.Uint8, Lanes: 4 * t.Lanes}
		return &loop.Distances{X: g.expr(bytes, depth-1), Y: g.expr(bytes, depth-1), Z: g.expr(t, depth-1)}
	}
	return &loop.Dot{X: operand(x), Y: operand(y), Z: g.expr(t, depth-1)}
}

// fold reduces a vector; sums of floats are in the order of the halves.
func (g *generator) fold(d tensor.DType, depth int) loop.Expr {
	ops := []ein.BinaryOp{ein.Add, ein.Mul, ein.Min, ein.Max}
	switch {
	case d == tensor.Bool:
		ops = []ein.BinaryOp{ein.And, ein.Or}
	case d.IsInteger():
		ops = append(ops, ein.BitAnd, ein.BitOr, ein.BitXor)
	}
	lanes := []int{2, 4, 8, maxLanes}[g.pick(4)]
	x := g.expr(loop.Type{Elem: d, Lanes: lanes}, depth-1)
	if d != tensor.Bool && g.chance(30) {
		return &loop.Lane{X: x, Number: g.pick(lanes)}
	}
	return &loop.Fold{Op: ops[g.pick(len(ops))], X: x}
}

// load reads a buffer of the wanted type, or casts what another holds.
func (g *generator) load(t loop.Type, depth int) loop.Expr {
	buffers := append(append([]*loop.Buffer(nil), g.inputs...), g.private...)
	if g.parallel == nil {
		buffers = append(buffers, g.outputs...)
	}
	b := buffers[g.pick(len(buffers))]
	for _, c := range buffers { // prefer one that needs no cast
		if c.Type.Elem.Compute() == t.Elem && g.chance(50) {
			b = c
		}
	}
	l := g.loadLanes(b, t.Lanes, depth)
	if l == nil {
		return g.leaf(t)
	}
	if l.Type().Elem != t.Elem {
		return &loop.Cast{To: t.Elem, X: l}
	}
	return l
}

func (g *generator) loadLanes(b *loop.Buffer, lanes, depth int) *loop.Load {
	length := int(b.Length)
	scalar, vector := loop.Scalar(tensor.Int64), loop.Type{Elem: tensor.Int64, Lanes: lanes}
	if b.Type.Lanes > 1 {
		if b.Type.Lanes != lanes {
			return nil
		}
		return &loop.Load{Buffer: b, Index: g.modulo(g.expr(scalar, depth-1), length), Lanes: lanes}
	}
	l := &loop.Load{Buffer: b, Lanes: lanes}
	mask := loop.Type{Elem: tensor.Bool, Lanes: lanes}
	switch choice := g.pick(5); {
	case choice == 0 && lanes > 1: // a gather
		l.Index = g.modulo(g.expr(vector, depth-1), length)
	case choice == 1 && lanes > 1: // the tail of an array
		base := &loop.Binary{Op: ein.Mod, X: g.expr(scalar, depth-1), Y: loop.Int(int64(length))}
		l.Index = base
		l.Mask = &loop.Binary{Op: ein.Lt, X: &loop.Ramp{Base: base, Stride: 1, Lanes: lanes}, Y: &loop.Broadcast{X: loop.Int(int64(length)), Lanes: lanes}}
	case choice == 2 && lanes > 1 && lanes*3 <= length: // every third element
		l.Index = &loop.Ramp{Base: g.modulo(g.expr(scalar, depth-1), length-3*lanes+1), Stride: 3, Lanes: lanes}
	case lanes > length:
		return nil
	default:
		l.Index = g.modulo(g.expr(scalar, depth-1), length-lanes+1)
	}
	if l.Mask == nil && g.chance(20) {
		l.Mask = g.expr(mask, depth-1)
	}
	return l
}
