// Package looptest makes random loop programs for tests.
package looptest

import (
	"fmt"
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// Programs are well typed and in bounds by construction: a subscript is any
// integer expression modulo the room in its buffer, or guarded by a mask. Memory
// is written only where no other iteration of a Parallel loop looks. Functions are
// left out whose results targets may round differently, so that a compiled program
// without contractions must agree with the evaluator bit for bit (NaNs aside).

// A Source makes choices: a math/rand Rand, or an adapter of a property test.
type Source interface{ IntN(n int) int }

// Length is the number of elements of every argument buffer.
const Length = 64

// maxLanes bounds the vectors.
const maxLanes = 16

type generator struct {
	source  Source
	f       *loop.Func
	inputs  []*loop.Buffer
	outputs []*loop.Buffer
	vars    []*loop.Var    // in scope
	private []*loop.Buffer // in scope and filled
	copied  []*loop.Buffer // of local memory of the grid, to which items copy ahead
	// parallel is the variable of the enclosing Parallel loop; stores then go to
	// elements of its own.
	parallel *loop.Var
	names    int
	whiles   bool // loops with conditions are drawn, too
	grids    bool // the program is one of grids
}

// Program returns a random program with three read-only buffers, three buffers
// that it writes and one int64 variable, in this order of Params.
func Program(source Source, name string) *loop.Func {
	return (&generator{source: source, f: &loop.Func{Name: name}}).program()
}

// WithWhile is Program with loops that conditions end among the others.
func WithWhile(source Source, name string) *loop.Func {
	return (&generator{source: source, f: &loop.Func{Name: name}, whiles: true}).program()
}

func (g *generator) program() *loop.Func {
	for i := range 6 {
		b := &loop.Buffer{Name: fmt.Sprintf("A%d", i), Type: loop.Scalar(g.dtype(true)), Length: Length, ReadOnly: i < 3}
		g.f.Buffers = append(g.f.Buffers, b)
		g.f.Params = append(g.f.Params, &loop.Param{Buffer: b})
		if i < 3 {
			g.inputs = append(g.inputs, b)
		} else {
			g.outputs = append(g.outputs, b)
		}
	}
	n := &loop.Var{Name: "n", Type: loop.Scalar(tensor.Int64)}
	g.f.Params = append(g.f.Params, &loop.Param{Var: n, Origin: "size n"})
	g.vars = append(g.vars, n)
	g.f.Sites = []loop.Site{{Tensor: "A0", Dim: 0, Lo: 0, Hi: Length, Text: "A0(i)"}}
	if g.grids {
		g.f.Body = g.launches()
		return g.f
	}
	g.f.Body = g.block(3)
	return g.f
}

func (g *generator) pick(n int) int { return g.source.IntN(n) }

func (g *generator) chance(percent int) bool { return g.pick(100) < percent }

// dtype chooses an element type; the 16-bit floats only where memory is meant.
func (g *generator) dtype(stored bool) tensor.DType {
	for {
		if d := tensor.DTypes()[g.pick(len(tensor.DTypes()))]; stored || !d.IsHalf() {
			return d
		}
	}
}

func (g *generator) lanes() int { return []int{1, 1, 2, 4, 8, maxLanes}[g.pick(6)] }

func (g *generator) variable(prefix string, t loop.Type) *loop.Var {
	g.names++
	return &loop.Var{Name: fmt.Sprintf("%s%d", prefix, g.names%7), Type: t} // names repeat on purpose
}

func (g *generator) block(depth int) []loop.Stmt {
	vars, private := len(g.vars), len(g.private)
	var body []loop.Stmt
	for range 1 + g.pick(3) {
		body = append(body, g.stmt(depth)...)
	}
	g.vars, g.private = g.vars[:vars], g.private[:private]
	return body
}

func (g *generator) stmt(depth int) []loop.Stmt {
	choice := g.pick(10)
	if depth == 0 {
		choice = g.pick(4)
	}
	switch choice {
	case 0, 1:
		v := g.variable("t", loop.Type{Elem: g.dtype(false), Lanes: g.lanes()})
		let := &loop.Let{Var: v, Value: g.expr(v.Type, 3)}
		g.vars = append(g.vars, v)
		return []loop.Stmt{let}
	case 4:
		return []loop.Stmt{g.loop(depth)}
	case 5:
		if g.whiles && g.chance(40) {
			return []loop.Stmt{g.while(depth)}
		}
		return []loop.Stmt{g.loop(depth)}
	case 6:
		return []loop.Stmt{&loop.If{Cond: g.expr(loop.Scalar(tensor.Bool), 2), Then: g.block(depth - 1), Else: g.block(depth - 1)}}
	case 7:
		return g.alloc(depth)
	case 8:
		return []loop.Stmt{
			&loop.Comment{Text: "a remark */ with \"quotes\""},
			&loop.Check{Cond: &loop.Binary{Op: ein.Lt, X: g.expr(loop.Scalar(tensor.Int8), 2), Y: &loop.Const{Elem: tensor.Int8, Bits: 120}}, Site: 0, Value: g.expr(loop.Scalar(tensor.Int64), 1)},
		}
	}
	return []loop.Stmt{g.store()}
}

func (g *generator) loop(depth int) *loop.For {
	s := &loop.For{Var: g.variable("i", loop.Scalar(tensor.Int64)), Step: 1 + int64(g.pick(3)), Kind: loop.LoopKind(g.pick(3))}
	lo := int64(g.pick(5) - 2)
	s.Lo, s.Hi = loop.Int(lo), loop.Int(lo+int64(g.pick(6)))
	if s.Kind == loop.Parallel && g.parallel != nil {
		s.Kind = loop.Serial
	}
	if s.Kind == loop.Parallel {
		s.Step, s.Lo, s.Hi = 1, loop.Int(0), loop.Int(int64(g.pick(1+Length/maxLanes)))
		g.parallel = s.Var
		defer func() { g.parallel = nil }()
	}
	g.vars = append(g.vars, s.Var)
	if s.Kind == loop.Parallel && g.chance(40) {
		g.turns(s, depth)
	} else {
		s.Body = g.block(depth - 1)
	}
	s.Hold = s.FromZero() && g.names%2 == 0
	g.vars = g.vars[:len(g.vars)-1]
	return s
}

// while makes a loop that a count in memory ends, if nothing else does before.
func (g *generator) while(depth int) loop.Stmt {
	count := &loop.Buffer{Name: "count", Type: loop.Scalar(tensor.Int64), Region: loop.Register, Length: 1}
	g.f.Buffers = append(g.f.Buffers, count)
	load := func() loop.Expr { return &loop.Load{Buffer: count, Index: loop.Int(0), Lanes: 1} }
	cond := loop.Expr(&loop.Binary{Op: ein.Lt, X: load(), Y: loop.Int(int64(1 + g.pick(5)))})
	if g.chance(40) {
		cond = &loop.Binary{Op: ein.And, X: cond, Y: g.expr(loop.Scalar(tensor.Bool), 2)}
	}
	v := g.variable("turn", loop.Scalar(tensor.Int64))
	g.vars = append(g.vars, v)
	body := append([]loop.Stmt{&loop.Let{Var: v, Value: load()}}, g.block(depth-1)...)
	g.vars = g.vars[:len(g.vars)-1]
	next := &loop.Binary{Op: ein.Add, X: load(), Y: loop.Int(1)}
	body = append(body, &loop.Store{Buffer: count, Index: loop.Int(0), Value: next})
	return &loop.Alloc{Buffer: count, Body: []loop.Stmt{&loop.Store{Buffer: count, Index: loop.Int(0), Value: loop.Int(0)}, &loop.While{Cond: cond, Body: body}}}
}

// turns makes the body of a parallel loop whose iterations take turns: in these they read
// and write any element of a buffer that nothing else in the loop uses.
func (g *generator) turns(s *loop.For, depth int) {
	all, mine := g.outputs, g.pick(len(g.outputs))
	s.Next = g.variable("next", loop.Scalar(tensor.Int64))
	fetch := &loop.Prefetch{Buffer: g.inputs[0], Index: g.modulo(&loop.VarRef{Var: s.Next}, Length)}
	g.outputs = append(append([]*loop.Buffer(nil), all[:mine]...), all[mine+1:]...)
	before, after := g.block(depth-1), g.block(depth-1)
	g.outputs, g.parallel = all[mine:mine+1], nil
	turn := &loop.Turn{Body: []loop.Stmt{g.store(), g.store()}}
	g.outputs, g.parallel = all, s.Var
	s.Body = append(append(append(before, turn), fetch), after...)
}

// alloc makes a buffer and fills it before anything else uses it.
func (g *generator) alloc(depth int) []loop.Stmt {
	b := &loop.Buffer{Name: "tile", Type: loop.Type{Elem: g.dtype(true), Lanes: g.lanes()}, Region: loop.Private + loop.Region(g.pick(2)), Length: 4}
	if b.Type.Lanes == 1 {
		b.Length = 4 * maxLanes
	}
	g.f.Buffers = append(g.f.Buffers, b)
	i := g.variable("k", loop.Scalar(tensor.Int64))
	fill := &loop.For{Var: i, Lo: loop.Int(0), Hi: loop.Int(b.Length), Step: 1, Kind: loop.Unrolled, Body: []loop.Stmt{
		&loop.Store{Buffer: b, Index: &loop.VarRef{Var: i}, Value: g.expr(loop.Type{Elem: b.Type.Elem.Compute(), Lanes: b.Type.Lanes}, 2)},
	}}
	g.private = append(g.private, b)
	body := append([]loop.Stmt{fill}, g.block(depth-1)...)
	g.private = g.private[:len(g.private)-1]
	return []loop.Stmt{&loop.Alloc{Buffer: b, Body: body}}
}

func (g *generator) store() *loop.Store {
	b := g.outputs[g.pick(len(g.outputs))]
	lanes := g.lanes()
	s := &loop.Store{Buffer: b, Value: g.expr(loop.Type{Elem: b.Type.Elem.Compute(), Lanes: lanes}, 3)}
	if g.chance(20) {
		s.Mask = g.expr(loop.Type{Elem: tensor.Bool, Lanes: lanes}, 2)
	}
	switch {
	case g.parallel != nil:
		s.Index = &loop.Binary{Op: ein.Mul, X: &loop.VarRef{Var: g.parallel}, Y: loop.Int(maxLanes)}
	case lanes > 1 && g.chance(30): // a scatter
		s.Index = g.modulo(g.expr(loop.Type{Elem: tensor.Int64, Lanes: lanes}, 2), Length)
	default:
		s.Index = g.modulo(g.expr(loop.Scalar(tensor.Int64), 2), Length-lanes+1)
	}
	s.Stream = s.Mask == nil && lanes > 1 && s.Index.Type().Lanes == 1 && g.chance(30)
	return s
}

// modulo brings an integer expression into [0, n).
func (g *generator) modulo(e loop.Expr, n int) loop.Expr {
	var divisor loop.Expr = loop.Int(int64(n))
	if lanes := e.Type().Lanes; lanes > 1 {
		divisor = &loop.Broadcast{X: divisor, Lanes: lanes}
	}
	return &loop.Binary{Op: ein.Mod, X: e, Y: divisor}
}

// constant chooses among the values where arithmetic has its corners.
func (g *generator) constant(d tensor.DType) *loop.Const {
	if d.IsFloat() {
		values := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 3, -7.25, 1e30, -1e10, 100.75, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, 16777217, 3e9, -3e9}
		c := ein.FloatConst(d, values[g.pick(len(values))])
		return &loop.Const{Elem: d, Bits: c.Bits}
	}
	if d == tensor.Bool {
		return &loop.Const{Elem: d, Bits: uint64(g.pick(2))}
	}
	bits := uint(8 * d.Size())
	if d.Kind() == tensor.KindUint {
		values := []uint64{0, 1, 2, 3, 7, 100, ^uint64(0) >> (64 - bits), 1 << (bits - 1)}
		return &loop.Const{Elem: d, Bits: values[g.pick(len(values))]}
	}
	values := []int64{0, 1, -1, 2, 5, -7, 16, 100, 1<<(bits-1) - 1, -1 << (bits - 1)}
	return &loop.Const{Elem: d, Bits: uint64(values[g.pick(len(values))])}
}
