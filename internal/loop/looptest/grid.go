package looptest

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// Grids returns a random program of grids, with the parameters of Program, that has no races: items write elements of their own,
// and read those of others behind a barrier.
func Grids(source Source, name string) *loop.Func {
	g := &generator{source: source, f: &loop.Func{Name: name}, grids: true}
	return g.program()
}

// launches draws grids, perhaps in a loop of the host.
func (g *generator) launches() []loop.Stmt {
	g.parallel = &loop.Var{Name: "nobody"} // so that nothing reads what the grid writes
	var body []loop.Stmt
	for range 1 + g.pick(2) {
		var s loop.Stmt
		if g.chance(30) {
			end := g.modulo(g.expr(loop.Scalar(tensor.Int64), 0), 3)
			t := g.variable("t", loop.Scalar(tensor.Int64))
			g.vars = append(g.vars, t)
			s = &loop.For{Var: t, Lo: loop.Int(0), Hi: end, Step: 1, Body: []loop.Stmt{g.grid()}}
			g.vars = g.vars[:len(g.vars)-1]
		} else {
			s = g.grid()
		}
		body = append(body, s)
	}
	return body
}

func ref(v *loop.Var) loop.Expr { return &loop.VarRef{Var: v} }

func binary(op ein.BinaryOp, x, y loop.Expr) loop.Expr { return &loop.Binary{Op: op, X: x, Y: y} }

// linear is the number of a place on axes of which the last one runs fastest.
func linear(vars []*loop.Var, counts []loop.Expr) loop.Expr {
	n := ref(vars[0])
	for i := 1; i < len(vars); i++ {
		n = binary(ein.Add, binary(ein.Mul, n, counts[i]), ref(vars[i]))
	}
	return n
}

// grid draws a launch: local memory is filled, changed and read, with barriers between, and each item stores what it has.
func (g *generator) grid() loop.Stmt {
	scope := len(g.vars)
	s := &loop.Grid{}
	var counts []loop.Expr
	for range 1 + g.pick(loop.MostAxes) {
		n := loop.Expr(loop.Int(int64(1 + g.pick(3))))
		if g.chance(30) {
			n = g.modulo(ref(g.vars[0]), 3)
		}
		s.Groups = append(s.Groups, loop.GroupAxis{Var: g.variable("g", loop.Scalar(tensor.Int64)), Count: n})
		counts = append(counts, n)
	}
	var sizes []loop.Expr
	for range 1 + g.pick(loop.MostAxes) {
		n := int64([]int{1, 2, 4}[g.pick(3)])
		s.Items = append(s.Items, loop.ItemAxis{Var: g.variable("i", loop.Scalar(tensor.Int64)), Count: n})
		sizes = append(sizes, loop.Int(n))
	}
	if n := s.GroupItems(); n > 1 && g.chance(50) {
		for s.Width = 2; s.Width < n && g.chance(50); s.Width *= 2 {
		}
	}
	vars := s.Vars()
	g.vars = append(g.vars, vars...)
	group, item := g.variable("group", loop.Scalar(tensor.Int64)), g.variable("item", loop.Scalar(tensor.Int64))
	s.Body = append(s.Body,
		&loop.Let{Var: group, Value: linear(vars[:len(s.Groups)], counts)},
		&loop.Let{Var: item, Value: linear(vars[len(s.Groups):], sizes)})
	g.vars = append(g.vars, group, item)
	for range g.pick(3) {
		s.Local = append(s.Local, g.local(s))
		s.Body = append(s.Body, g.fill(s, len(s.Local)-1, item)...)
	}
	s.Body = append(s.Body, &loop.Barrier{})
	private := len(g.private)
	g.private = append(g.private, s.Local...)
	s.Body = append(s.Body, g.inGroup(s, item, 2)...)
	s.Body = append(s.Body, g.results(s, group, item)...)
	s.Local = append(s.Local, g.copied...)
	g.private, g.vars, g.copied = g.private[:private], g.vars[:scope], nil
	return s
}

// local makes a buffer that consists of as many elements for each item.
func (g *generator) local(s *loop.Grid) *loop.Buffer {
	b := &loop.Buffer{Name: "local", Type: loop.Type{Elem: g.dtype(true), Lanes: g.lanes()}, Region: loop.Local, Length: s.GroupItems()}
	for b.Type.Lanes == 1 && b.Length < maxLanes {
		b.Length *= 2
	}
	g.f.Buffers = append(g.f.Buffers, b)
	return b
}

// fill gives the elements of an item values; none of them reads others.
func (g *generator) fill(s *loop.Grid, n int, item *loop.Var) []loop.Stmt {
	b, k := s.Local[n], g.variable("k", loop.Scalar(tensor.Int64))
	value := g.expr(loop.Type{Elem: b.Type.Elem.Compute(), Lanes: b.Type.Lanes}, 2)
	at := binary(ein.Add, ref(item), binary(ein.Mul, ref(k), loop.Int(s.GroupItems())))
	return []loop.Stmt{&loop.For{Var: k, Lo: loop.Int(0), Hi: loop.Int(b.Length / s.GroupItems()), Step: 1, Body: []loop.Stmt{&loop.Store{Buffer: b, Index: at, Value: value}}}}
}

// inGroup draws what items do together.
func (g *generator) inGroup(s *loop.Grid, item *loop.Var, depth int) (body []loop.Stmt) {
	for range 1 + g.pick(2) {
		switch choice := g.pick(7); {
		case choice == 0 && depth > 0:
			k := g.variable("k", loop.Scalar(tensor.Int64))
			end := g.modulo(ref(s.Groups[0].Var), 3)
			scope, private := len(g.vars), len(g.private)
			g.vars = append(g.vars, k)
			body = append(body, &loop.For{Var: k, Lo: loop.Int(0), Hi: end, Step: 1, Body: g.inGroup(s, item, depth-1)})
			g.vars, g.private = g.vars[:scope], g.private[:private]
		case choice == 1 && depth > 0:
			scope, private := len(g.vars), len(g.private)
			then := g.inGroup(s, item, depth-1)
			g.vars, g.private = g.vars[:scope], g.private[:private]
			body = append(body, &loop.If{Cond: binary(ein.Lt, ref(s.Groups[0].Var), loop.Int(1)), Then: then})
		case choice == 2 && s.Width > 0:
			v := g.variable("s", loop.Scalar(g.dtype(false)))
			if v.Type.Elem == tensor.Bool {
				v.Type.Elem = tensor.Int32
			}
			body = append(body, &loop.Shuffle{Var: v, X: g.expr(v.Type, 2), Kind: loop.ShuffleKind(g.pick(3)), By: int64(1 + g.pick(int(s.Width)-1))})
			g.vars = append(g.vars, v)
		case choice == 3:
			v := g.variable("t", loop.Type{Elem: g.dtype(false), Lanes: g.lanes()})
			body = append(body, &loop.Let{Var: v, Value: g.expr(v.Type, 3)})
			g.vars = append(g.vars, v)
		case choice == 6 && depth > 0:
			body = append(body, g.ahead(s, item, depth-1)...)
		case choice == 4 && g.counters(s) != nil: // items update any elements
			b := g.counters(s)
			place, value := g.modulo(g.expr(loop.Scalar(tensor.Int64), 2), int(b.Length)), g.expr(b.Type, 2)
			update := &loop.Atomic{Buffer: b, Index: place, Op: ein.Add, Value: value}
			if readsBuffer(update, b) {
				continue
			}
			body = append(body, &loop.Barrier{}, update, &loop.Barrier{})
		case len(s.Local) > 0: // elements change when all have read them
			b := s.Local[g.pick(len(s.Local))]
			v := g.variable("new", loop.Type{Elem: b.Type.Elem.Compute(), Lanes: b.Type.Lanes})
			body = append(body, &loop.Let{Var: v, Value: g.expr(v.Type, 3)}, &loop.Barrier{},
				&loop.Store{Buffer: b, Index: ref(item), Value: ref(v)}, &loop.Barrier{Global: g.chance(20)})
		}
	}
	return body
}

// counters is a buffer in local memory that items may update; nil: there is none.
func (g *generator) counters(s *loop.Grid) *loop.Buffer {
	k := slices.IndexFunc(s.Local, func(b *loop.Buffer) bool { return b.Type.Lanes == 1 && loop.IsAtomic(b.Type.Elem) })
	if k < 0 {
		return nil
	}
	return s.Local[k]
}

// readsBuffer reports whether a statement reads a buffer.
func readsBuffer(s loop.Stmt, b *loop.Buffer) (reads bool) {
	for _, e := range loop.StmtExprs(s) {
		loop.WalkExpr(e, loop.Visitor{Expr: func(e loop.Expr) { reads = reads || loop.ExprBuffer(e) == b }})
	}
	return reads
}

// results stores what an item has where nobody else does, as far as there is room.
func (g *generator) results(s *loop.Grid, group, item *loop.Var) []loop.Stmt {
	own := g.variable("own", loop.Scalar(tensor.Int64))
	let := &loop.Let{Var: own, Value: binary(ein.Add, binary(ein.Mul, ref(group), loop.Int(s.GroupItems())), ref(item))}
	var stores []loop.Stmt
	for _, b := range g.outputs {
		stores = append(stores, &loop.Store{Buffer: b, Index: ref(own), Value: g.expr(loop.Scalar(b.Type.Elem.Compute()), 3)})
	}
	inside := binary(ein.And, binary(ein.Ge, ref(own), loop.Int(0)), binary(ein.Lt, ref(own), loop.Int(Length)))
	return []loop.Stmt{let, &loop.If{Cond: inside, Then: stores}}
}
