package lift

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// write stores the results.
func (l *lifter) write(outputs []*ein.Tensor) error {
	var roots []*node
	for _, v := range l.p.Results {
		for _, part := range v.Parts {
			n := l.now[part]
			if n == nil {
				return &NotPure{v.Pos, fmt.Sprintf("%s, which has no value at the end,", v.Name)}
			}
			roots = append(roots, l.add(&node{value: &ein.LocalRef{Local: n.local}}, part.DType))
		}
	}
	l.share(roots)
	next := 0
	for n, v := range l.p.Results {
		for part := range v.Parts {
			l.store(roots[next], outputs[n], componentOf(part, shapeOf(v.Type))...)
			next++
		}
	}
	return nil
}

// keep stores the nodes, each at an element of the axis of a temporary, which it returns.
func (l *lifter) keep(name string, nodes []*node) *ein.Tensor {
	l.share(nodes)
	t := l.perPoint(name, nodes[0].local.DType, ein.Temp, len(nodes))
	for k, n := range nodes {
		copied := l.add(&node{value: &ein.LocalRef{Local: n.local}}, n.local.DType)
		l.store(copied, t, k)
		if n.perPoint && n.tensor == nil {
			n.tensor, n.at = t, []int{k}
		}
	}
	return t
}

// worth is how many operations a node has to save to be stored: less is computed again where it is needed.
const worth = 8

// share stores what several of the roots need, in the order of dependence: nodes of some cost that neither one root nor one other
// that is stored is all that needs.
func (l *lifter) share(roots []*node) {
	several := &node{}
	need := func(n, by *node) {
		switch n.root {
		case nil:
			n.root = by
		case by:
		default:
			n.root = several
		}
	}
	for _, r := range roots {
		need(r, r)
	}
	costs := l.costs()
	for k := len(l.nodes) - 1; k >= 0; k-- {
		n := l.nodes[k]
		if n.root == nil || n.value == nil || n.tensor != nil {
			continue
		}
		by := n.root
		if by == several && costs[n] >= worth {
			by = n
		}
		l.operands(n, func(o *node) { need(o, by) })
	}
	for _, n := range slices.Clone(l.nodes) {
		if n.root == several && n.value != nil && n.tensor == nil && costs[n] >= worth {
			l.storeTemporary(n)
		}
		n.root = nil
	}
}

// costs are how many operations nodes have where those of which they are made stand inside of them, if they are not worth to be
// stored.
func (l *lifter) costs() map[*node]int {
	costs := map[*node]int{}
	for _, n := range l.nodes {
		if n.value == nil || n.tensor != nil {
			continue
		}
		ein.Walk(n.value, func(e ein.Expr) bool {
			switch e := e.(type) {
			case *ein.LocalRef:
				if o := l.of[e.Local]; o != nil && costs[o] < worth {
					costs[n] += costs[o]
				}
			case *ein.Const:
			case *ein.Call:
				costs[n] += worth // a function is one that costs
			default:
				costs[n]++
			}
			return true
		})
	}
	return costs
}

// computes reports whether a value is more than another one.
func computes(e ein.Expr) bool {
	switch e.(type) {
	case *ein.LocalRef, *ein.Const:
		return false
	}
	return true
}

// operands are the nodes in the value of one.
func (l *lifter) operands(n *node, visit func(*node)) {
	ein.Walk(n.value, func(e ein.Expr) bool {
		if r, ok := e.(*ein.LocalRef); ok && l.of[r.Local] != nil {
			visit(l.of[r.Local])
		}
		return true
	})
}

// storeTemporary stores a node where others find it.
func (l *lifter) storeTemporary(n *node) {
	if n.perPoint {
		l.store(n, l.perPoint("t", n.local.DType, ein.Temp))
		return
	}
	t := l.declare("t", n.local.DType, ein.Temp)
	l.statement(nil, t, l.expr(n, nil))
	n.tensor = t
}

// store computes a node for all points.
func (l *lifter) store(n *node, t *ein.Tensor, at ...int) {
	i := l.index("n", l.number)
	l.statement([]*ein.Index{i}, t, l.expr(n, i), ofPoint(t, ref(i), literals(at)...)...)
	n.tensor, n.perPoint, n.at = t, true, at
}

// index is an index that a comprehension has side by side.
func (l *lifter) index(name string, extent affine.Expr) *ein.Index {
	for l.names[name] {
		name += "_"
	}
	return &ein.Index{Pos: l.p.Pos, Name: name, Min: affine.Const(0), Extent: extent}
}

// summed is an index along which is summed.
func (l *lifter) summed(name string, extent int, t tensor.DType) *ein.Index {
	i := l.index(name, affine.Const(int64(extent)))
	i.Combine = ein.Combine{Kind: ein.Reduce, Op: ein.BuiltinOperator(ein.SumOp, t)}
	return i
}

func (l *lifter) statement(indices []*ein.Index, t *ein.Tensor, value ein.Expr, at ...ein.Expr) {
	l.f.Body = append(l.f.Body, &ein.Comprehension{Pos: l.p.Pos, Indices: indices, Values: []ein.Expr{value},
		Writes: []*ein.Write{{Pos: l.p.Pos, Tensor: t, Subscripts: at}}})
}

// expr is the value of a node at the point i. What it needs more than once is bound by a Let.
func (l *lifter) expr(n *node, i *ein.Index) ein.Expr {
	b := &builder{lifter: l, i: i, uses: map[*node]int{}, bound: map[*node]*ein.Local{}}
	b.count(n)
	return b.nest(n)
}

type builder struct {
	*lifter
	i     *ein.Index
	uses  map[*node]int
	order []*node // operands first
	bound map[*node]*ein.Local
}

func (b *builder) count(n *node) {
	if b.uses[n]++; b.uses[n] > 1 || n.value == nil || n.tensor != nil {
		return
	}
	b.operands(n, b.count)
	b.order = append(b.order, n)
}

func (b *builder) nest(root *node) ein.Expr {
	var lets []*ein.Let
	for _, n := range b.order {
		if n != root && b.uses[n] > 1 && computes(n.value) {
			value := b.inline(n.value)
			b.bound[n] = &ein.Local{Name: n.local.Name, DType: n.local.DType}
			lets = append(lets, &ein.Let{Pos: b.p.Pos, Var: b.bound[n], Value: value})
		}
	}
	result := b.read(root)
	for k := len(lets) - 1; k >= 0; k-- {
		lets[k].Body = result
		result = lets[k]
	}
	return result
}

// inline puts the values of nodes into an expression.
func (b *builder) inline(e ein.Expr) ein.Expr {
	return ein.Map(e, func(e ein.Expr) ein.Expr {
		if r, ok := e.(*ein.LocalRef); ok && b.of[r.Local] != nil {
			return b.read(b.of[r.Local])
		}
		return e
	})
}

func (b *builder) read(n *node) ein.Expr {
	switch {
	case n.size != nil:
		return n.size
	case n.tensor != nil:
		at := literals(n.at)
		if n.perPoint {
			at = ofPoint(n.tensor, ref(b.i), at...)
		}
		return &ein.Access{Pos: b.p.Pos, Tensor: n.tensor, Subscripts: at}
	case b.bound[n] != nil:
		return &ein.LocalRef{Local: b.bound[n]}
	}
	return b.inline(n.value)
}

func ref(i *ein.Index) ein.Expr { return &ein.IndexRef{Pos: i.Pos, Index: i} }

func literals(at []int) []ein.Expr {
	list := make([]ein.Expr, len(at))
	for k, n := range at {
		list[k] = whole(n)
	}
	return list
}

func whole(n int) ein.Expr { return ein.IntConst(tensor.Int64, int64(n)) }

// locals are the nodes that locals are now.
func (l *lifter) locals(list []*ein.Local, s *strand.Sample) ([]*node, error) {
	nodes := make([]*node, len(list))
	for k, at := range list {
		if nodes[k] = l.now[at]; nodes[k] == nil {
			return nil, &NotPure{s.Pos, fmt.Sprintf("a probe at %s, which has no value here,", at.Name)}
		}
	}
	return nodes, nil
}
