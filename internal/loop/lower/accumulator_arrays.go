package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// How whole arrays of accumulators work
//
// Where the loops below an accumulate visit results in an order that no block of
// accumulators has, or in several threads, there is one accumulator for every result: in
// the written tensors, where these may hold partial results, or in an array of the same
// shape in the workspace. Its elements are found by the values of the indices, so that the
// loops over these may be cut, skewed, shared and parallel in any way.

// wholeArray makes accumulators for all results of a statement; behind those that its
// vectors run along are those of the inner indices.
func (l *lowerer) wholeArray(n *schedule.Accumulate, op *ein.Operator, name func(*ein.Comprehension, int) string, sc *scope, inner ...*ein.Index) *accumulator {
	c := l.f.Body[n.Statement]
	a := &accumulator{statement: n.Statement, op: op, lanes: 1, units: 1, byValue: true}
	indices := append(l.vectorLast(n, sc), inner...)
	a.dims = make([]accumulatorDim, len(indices))
	length := affine.Const(1)
	for k := len(indices) - 1; k >= 0; k-- {
		i := indices[k]
		a.dims[k] = accumulatorDim{index: i.Name, base: i.Min, stride: length}
		length = length.Mul(i.Extent)
	}
	if n.Region == schedule.Shared && len(inner) == 0 {
		length = l.keepPartial(a, n, length)
	}
	for k, t := range op.Types() {
		a.buffers = append(a.buffers, l.array(name(c, k)+"s", t.Compute(), length))
	}
	return a
}

// array makes a buffer in the workspace.
func (l *lowerer) array(name string, elem tensor.DType, length affine.Expr) *loop.Buffer {
	b := &loop.Buffer{Name: l.fresh.Name(name), Type: loop.Scalar(elem), Region: loop.Workspace}
	l.setLength(b, length)
	l.reserve(b, length)
	return b
}

// vectorLast lists the indices of the results of a statement, the one of its vectors last.
func (l *lowerer) vectorLast(n *schedule.Accumulate, sc *scope) []*ein.Index {
	vector, _ := l.vectorIndex(n.Statement, n.Child, sc)
	var list, last []*ein.Index
	for _, i := range l.f.Body[n.Statement].ByKind(ein.Concat) {
		if i.Name == vector {
			last = append(last, i)
		} else {
			list = append(list, i)
		}
	}
	return append(list, last...)
}

// overResults makes the loops over the results for which an accumulate is.
func (l *lowerer) overResults(n *schedule.Accumulate, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	s := n.Statement
	if l.grids && !sc.inItem {
		return l.sharedResults(n, l.unskewed(s, sc), func(inner *scope) []loop.Stmt { return l.delivered(s, inner, body(inner)) })
	}
	vector, w := l.vectorIndex(s, n.Child, sc)
	over := &accumulator{statement: s}
	for _, i := range l.vectorLast(n, sc) {
		over.dims = append(over.dims, accumulatorDim{index: i.Name, size: 1 << 20})
	}
	return l.overBlock(over, vector, w, l.unskewed(s, sc), func(inner *scope) []loop.Stmt { return l.delivered(s, inner, body(inner)) })
}

// accumulateInArray keeps partial results in an array, and passes them on at the end.
func (l *lowerer) accumulateInArray(n *schedule.Accumulate, op *ein.Operator, sc *scope) []loop.Stmt {
	a := l.wholeArray(n, op, accumulatorName, sc)
	list := l.overResults(n, sc, func(at *scope) []loop.Stmt {
		return l.overCopies(a.kept, 0, at, func(at *scope) []loop.Stmt { return l.reset(a, at) })
	})
	list = append(list, l.node(n.Child, sc.withAccumulator(n.Statement, a))...)
	return append(list, l.overResults(n, sc, func(at *scope) []loop.Stmt { return append(l.combinePoint(a, at), l.finish(a, at)...) })...)
}

// accumulateEarly keeps partial results in an array, from which the last points pass them on,
// or, where there is nothing to reduce, the first moment.
func (l *lowerer) accumulateEarly(n *schedule.Accumulate, op *ein.Operator, sc *scope) []loop.Stmt {
	s := n.Statement
	a := l.wholeArray(n, op, accumulatorName, sc)
	a.early = true
	list := l.overResults(n, sc, func(at *scope) []loop.Stmt { return l.reset(a, at) })
	empty, always := l.empty(s)
	if always || empty != nil {
		results := l.overResults(n, sc, func(at *scope) []loop.Stmt { return l.finish(a, at) })
		if !always {
			results = when(empty, results, nil)
		}
		list = append(list, results...)
	}
	return append(list, l.node(n.Child, sc.withAccumulator(s, a))...)
}

// unlessEmpty leaves out what passes a block on where there was nothing to reduce for it: its results were
// passed on at the first moment.
func (l *lowerer) unlessEmpty(p schedule.Placement, sc *scope, list []loop.Stmt) []loop.Stmt {
	for _, u := range p.Uses {
		of := sc.accumulators[u.Statement]
		if !u.Writes || !slices.ContainsFunc(of, func(a *accumulator) bool { return a.early }) {
			continue
		}
		switch empty, always := l.empty(u.Statement); {
		case always:
			return nil
		case empty != nil:
			return when(empty, nil, list)
		}
	}
	return list
}

// finishLast passes a result on at its last point.
func (l *lowerer) finishLast(a *accumulator, sc *scope) []loop.Stmt {
	top := *sc
	top.accumulators = nil
	last := l.atPoint(a.statement, sc, ein.Reduced(l.f.Body[a.statement]), lastOf)
	return when(last, l.finish(a, &top), nil)
}
