package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How a tile is stored whose vectors run across the rows of the result
//
// Lane by lane it would take an instruction for every element. Where the tile has some
// points along the rows, its vectors are written down one after the other, and squares
// are transposed on the way to the result.

// storedAcross returns the statements that store a block of accumulators through a
// transposition; ok is false where it is stored as it lies.
func (l *lowerer) storedAcross(a *accumulator, vector string, sc *scope) (list []loop.Stmt, ok bool) {
	s, c := a.statement, l.f.Body[a.statement]
	if l.grids || len(a.buffers) != 1 || a.buffers[0].Region != loop.Register || a.along != "" || a.lanes < 2 || c.Accumulate != nil || sc.accumulator(s) != nil {
		return nil, false
	}
	w := c.Writes[0]
	along, across := l.rowOf(a, w, sc), a.dim(vector)
	stride, known := l.stepOf(w.Tensor, w.Subscripts, vector, sc)
	if sc.storage[w.Tensor].through != nil || along == nil || across == nil || !known || stride <= 1 || across.size%int64(a.lanes) != 0 || along.size < schedule.SmallestSquare ||
		a.buffers[0].Type.Elem != w.Tensor.Type || !l.isWhole(a, sc) {
		return nil, false
	}
	length := int64(1)
	for _, d := range a.dims {
		length *= d.size
	}
	tile := l.fresh.Buffer(w.Tensor.Name+"_tile", loop.Scalar(w.Tensor.Type), length, loop.Private)
	list = l.overBlock(a, vector, a.lanes, sc, func(inner *scope) []loop.Stmt {
		x := l.context(s, inner)
		values := a.scaled(x, a.read(x))
		at := a.element(inner).Scale(int64(a.lanes))
		return append(x.before, &loop.Store{Buffer: tile, Index: l.toLoop(at, 1), Value: broadcast(values[0], a.lanes)})
	})
	plane := sc.clone()
	var others []*schedule.Member
	for _, d := range a.dims {
		switch p := (point{s, d.index}); {
		case d.index == vector || d.index == along.index:
			plane.blocks[p] = block{base: d.base, size: affine.Const(1)}
		case d.size > 1:
			others = append(others, &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: d.index}}, Tile: 1, Unroll: true})
		}
	}
	plane.statements = []int{s}
	rowStep, _ := along.stride.IsConst()
	list = append(list, l.nest(others, nil, plane, func(inner *scope) []loop.Stmt {
		x := l.context(s, inner)
		to, _ := x.linear(w.Tensor, w.Subscripts)
		var from affine.Expr
		for _, d := range a.dims {
			from = from.Add(inner.blocks[point{s, d.index}].base.Sub(d.base).Mul(d.stride))
		}
		return append(x.before, &loop.Transpose{Dst: sc.storage[w.Tensor].buffer, At: to, Stride: int64Const(stride), Src: tile, SrcAt: l.toLoop(from, 1),
			SrcStride: int64Const(rowStep), Rows: int64Const(along.size), Cols: int64Const(across.size)})
	})...)
	return []loop.Stmt{&loop.Alloc{Buffer: tile, Body: list}}, true
}

func (a *accumulator) dim(index string) *accumulatorDim {
	for k := range a.dims {
		if a.dims[k].index == index {
			return &a.dims[k]
		}
	}
	return nil
}

// rowOf returns the dimension of a block along which results are neighbours, or nil.
func (l *lowerer) rowOf(a *accumulator, w *ein.Write, sc *scope) *accumulatorDim {
	for k := range a.dims {
		if step, known := l.stepOf(w.Tensor, w.Subscripts, a.dims[k].index, sc); known && step == 1 {
			return &a.dims[k]
		}
	}
	return nil
}

// stepOf returns how far apart the elements of a tensor are for neighbours along an index,
// where that is a constant.
func (l *lowerer) stepOf(t *ein.Tensor, subscripts []ein.Expr, index string, sc *scope) (total int64, known bool) {
	for d, sub := range subscripts {
		e, affine := ein.AffineOf(sub)
		if !affine {
			return 0, false
		}
		coefficient, _, linear := e.Linear(index)
		stride, constant := sc.storage[t].strides[d].IsConst()
		if !linear || !constant && coefficient != 0 {
			return 0, false
		}
		total += coefficient * stride
	}
	return total, true
}

// isWhole reports whether all points of a block exist and have an accumulator.
func (l *lowerer) isWhole(a *accumulator, sc *scope) bool {
	for _, d := range a.dims {
		b := sc.blocks[point{a.statement, d.index}]
		if n, known := b.size.IsConst(); !known || n != d.size || b.ragged || b.partial || b.lanes > 0 {
			return false
		}
	}
	return true
}
