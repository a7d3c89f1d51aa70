package lower

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// numberOf adds a parameter that is a number.
func (g *generator) numberOf(kind Kind, name string) loop.Expr {
	v := g.fresh.Var(name, loop.Scalar(tensor.Int64))
	g.f.Params = append(g.f.Params, &loop.Param{Var: v, Origin: "size " + name, NonNegative: true})
	g.kernel.Arguments = append(g.kernel.Arguments, Argument{Kind: kind, Name: v.Name, Type: tensor.Int64})
	return &loop.VarRef{Var: v}
}

// array adds a parameter that is an array, of a length or of as many elements as there are strands.
func (g *generator) array(a Argument, length int64, count loop.Expr) *loop.Buffer {
	b := g.fresh.Buffer(a.Name, loop.Scalar(a.Type), length, loop.Argument)
	if b.LengthExpr = count; count == nil {
		b.ReadOnly = true
	}
	a.Name = b.Name
	g.f.Params = append(g.f.Params, &loop.Param{Buffer: b})
	g.kernel.Arguments = append(g.kernel.Arguments, a)
	return b
}

// program emits the kernel.
func (g *generator) program() {
	count := g.numberOf(Count, "strands")
	fresh, from, limit := g.numberOf(Fresh, "fresh"), g.numberOf(From, "from"), g.numberOf(Limit, "limit")
	wanted := g.numberOf(Wanted, "wanted")
	g.count = count
	grid := g.uniforms()
	g.imageArguments()
	g.listsOfSequences()
	g.sequences()
	g.effects()
	g.seen()
	taps := len(g.kernel.Arguments)
	if len(g.p.Images) > 0 && !g.o.Exact {
		g.taps = g.array(Argument{Kind: Taps, Name: "taps", Type: g.p.Real}, 1, nil)
	}
	for _, role := range []strand.Role{strand.Parameter, strand.State} {
		for _, v := range g.p.ByRole(role) {
			for _, l := range v.Parts {
				g.states[l] = g.array(Argument{Kind: Component, Name: l.Name, Type: l.DType, Locals: []*ein.Local{l}}, 0, count)
			}
		}
	}
	g.status = g.array(Argument{Kind: Status, Name: "status", Type: tensor.Uint8}, 0, count)
	g.ended = g.array(Argument{Kind: Ended, Name: "ended", Type: tensor.Int64}, 0, count)
	g.which = g.array(Argument{Kind: Which, Name: "failed_by", Type: tensor.Int32}, 0, count)
	axes := 1
	for _, i := range g.p.Images {
		axes = max(axes, i.Dim)
	}
	for axis := range axes {
		g.positions = append(g.positions, g.array(Argument{Kind: Position, Name: fmt.Sprintf("failed_at%d", axis), Type: g.p.Real, Axis: axis}, 0, count))
	}
	for axis := range g.numbersNoted() {
		g.numbers = append(g.numbers, g.array(Argument{Kind: Noted, Name: fmt.Sprintf("failed_with%d", axis), Type: tensor.Int64, Axis: axis}, 0, count))
	}
	one := packet{fresh: fresh, from: from, limit: limit, wanted: wanted, grid: grid}
	if g.o.Items {
		g.items(one)
	} else {
		g.blocks(one)
	}
	g.f.Body = g.out
	if g.taps != nil {
		g.taps.Length = int64(max(1, len(g.coefficients)))
		g.kernel.Arguments[taps].Table = g.coefficients
	}
}

// blocks emits the loop over blocks of packets.
func (g *generator) blocks(one packet) {
	block := g.fresh.Var("block", loop.Scalar(tensor.Int64))
	body := g.block(func() {
		first := g.let("first", binary(ein.Mul, &loop.VarRef{Var: block}, loop.Int(int64(g.o.Block))))
		behind := g.let("behind", binary(ein.Min, binary(ein.Add, first, loop.Int(int64(g.o.Block))), g.count))
		n := g.fresh.Var("n", loop.Scalar(tensor.Int64))
		g.emit(&loop.For{Var: n, Lo: first, Hi: behind, Step: int64(g.lanes), Body: g.block(func() {
			one.n, one.slot = &loop.VarRef{Var: n}, binary(ein.Mul, &loop.VarRef{Var: block}, loop.Int(int64(g.lanes)))
			g.packet(&one)
		})})
	})
	g.emit(&loop.For{Var: block, Lo: loop.Int(0), Hi: g.countBlocks(), Step: 1, Kind: loop.Parallel, Body: body})
}

// items emits the grid whose items are strands. What is the same for all they read themselves: nothing around a grid reads memory.
func (g *generator) items(one packet) {
	common := g.out
	g.out = nil
	group, item := g.fresh.Var("group", loop.Scalar(tensor.Int64)), g.fresh.Var("item", loop.Scalar(tensor.Int64))
	body := g.block(func() {
		n := g.let("n", binary(ein.Add, binary(ein.Mul, &loop.VarRef{Var: group}, loop.Int(int64(g.o.Block))), &loop.VarRef{Var: item}))
		one.n, one.slot = n, n
		g.emit(&loop.If{Cond: binary(ein.Lt, n, g.count), Then: g.block(func() { g.packet(&one) })})
	})
	g.emit(&loop.Grid{Groups: []loop.GroupAxis{{Var: group, Count: g.countBlocks()}}, Items: []loop.ItemAxis{{Var: item, Count: int64(g.o.Block)}}, Body: append(common, body...)})
}

// countBlocks is how many blocks of strands there are.
func (g *generator) countBlocks() loop.Expr {
	return &loop.Binary{Op: ein.Div, X: binary(ein.Add, g.count, loop.Int(int64(g.o.Block-1))), Y: loop.Int(int64(g.o.Block))}
}

// numbersNoted is how many integers a fault has: the place in a sequence, and its length.
func (g *generator) numbersNoted() (n int) {
	for _, b := range strandBlocks(g.p) {
		strand.Walk(b, func(s strand.Stmt) {
			if _, is := s.(*strand.Element); is {
				n = 2
			}
		})
	}
	return n
}

// imageArguments adds the arrays of samples.
func (g *generator) imageArguments() {
	for _, i := range g.p.Images {
		sizes := g.o.Images[i.Name]
		if len(sizes) != i.Dim {
			g.fail("the image %s has the sizes %v", i.Name, sizes)
		}
		length := int64(i.Components())
		for _, n := range sizes {
			length *= int64(n)
		}
		d := g.p.Real
		if g.o.Exact {
			d = tensor.Float64
		}
		g.images[i] = g.array(Argument{Kind: Pixels, Name: i.Name, Type: d, Image: i}, length+Tail, nil)
	}
}

// Tail is how many elements of no meaning stand behind the samples of an image, so that rows of
// vectors may be read at its end.
const Tail = 8
