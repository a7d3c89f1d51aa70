package looptest

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// ahead draws steps whose blocks of local memory are copied some steps before they are read: each item brings some elements of each block, and
// reads any. The block of the last step is stored, so that all of it is there behind the steps, where it is read as other memory is.
func (g *generator) ahead(s *loop.Grid, item *loop.Var, depth int) []loop.Stmt {
	from := g.inputs[g.pick(len(g.inputs))]
	lanes := []int{4, 8, 16}[g.pick(3)] / from.Type.Elem.Size()
	if lanes == 0 || !loop.CanCopy(from, lanes) {
		return nil
	}
	blocks, length := int64(2+g.pick(3)), s.GroupItems()*int64(lanes)
	b := &loop.Buffer{Name: "ahead", Type: from.Type, Region: loop.Local, Length: blocks * length}
	g.f.Buffers, g.copied = append(g.f.Buffers, b), append(g.copied, b)
	own := func(block loop.Expr) loop.Expr {
		return binary(ein.Add, binary(ein.Mul, block, loop.Int(length)), binary(ein.Mul, ref(item), loop.Int(int64(lanes))))
	}
	start := func(block loop.Expr) []loop.Stmt {
		c := &loop.Copy{To: b, At: own(block), From: from, Index: g.modulo(g.expr(loop.Scalar(tensor.Int64), 2), Length-lanes+1), Lanes: lanes}
		return []loop.Stmt{c, &loop.Commit{}}
	}
	value := g.expr(loop.Type{Elem: from.Type.Elem.Compute(), Lanes: lanes}, 2)
	body := []loop.Stmt{&loop.Barrier{}, &loop.Store{Buffer: b, Index: own(loop.Int(blocks - 1)), Value: value}}
	for block := range blocks - 1 {
		body = append(body, start(loop.Int(block))...)
	}
	scope, private := len(g.vars), len(g.private)
	step := g.variable("step", loop.Scalar(tensor.Int64))
	g.vars = append(g.vars, step)
	turn := func(by int64) loop.Expr {
		return binary(ein.Mod, binary(ein.Add, ref(step), loop.Int(by)), loop.Int(blocks))
	}
	steps := append([]loop.Stmt{&loop.Wait{Batches: blocks - 2}, &loop.Barrier{}}, start(turn(blocks-1))...)
	v := g.variable("t", loop.Scalar(from.Type.Elem.Compute()))
	at := binary(ein.Add, binary(ein.Mul, turn(0), loop.Int(length)), g.modulo(g.expr(loop.Scalar(tensor.Int64), 1), int(length)))
	steps = append(steps, &loop.Let{Var: v, Value: &loop.Load{Buffer: b, Index: at, Lanes: 1}})
	g.vars = append(g.vars, v)
	steps = append(steps, g.inGroup(s, item, depth)...)
	g.vars, g.private = g.vars[:scope], g.private[:private]
	end := binary(ein.Add, g.modulo(ref(s.Groups[0].Var), 3), loop.Int(int64(g.pick(4))))
	body = append(body, &loop.For{Var: step, Lo: loop.Int(0), Hi: end, Step: 1, Body: steps}, &loop.Wait{}, &loop.Barrier{})
	g.private = append(g.private, b)
	return body
}
