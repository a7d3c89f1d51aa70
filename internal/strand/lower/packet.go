package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// A packet is what the statements of some strands need to know: that of the first one, and what
// the parameters of the kernel say.
type packet struct {
	n, slot, fresh, from, limit, wanted loop.Expr
	grid                                []loop.Expr
	step                                *loop.Buffer
}

// packet emits the whole life of the strands of a packet, if there are some that are wanted.
func (g *generator) packet(k *packet) {
	g.first, g.index, g.slot = k.n, k.n, k.slot
	g.mask, g.valid = nil, nil
	status := func(mask loop.Expr) loop.Expr {
		return cast(tensor.Int64, &loop.Load{Buffer: g.status, Index: k.n, Lanes: g.lanes, Mask: mask})
	}
	if g.lanes == 1 {
		g.emit(&loop.If{Cond: binary(ein.Eq, status(nil), k.wanted), Then: g.block(func() { g.strands(k) })})
		return
	}
	g.index = g.let("index", &loop.Ramp{Base: k.n, Stride: 1, Lanes: g.lanes})
	if g.mayFill {
		g.slot = g.let("slot", &loop.Ramp{Base: k.slot, Stride: 1, Lanes: g.lanes})
	}
	is := g.let("is", binary(ein.Lt, g.index, g.count))
	g.valid = g.let("valid", binary(ein.And, is, binary(ein.Eq, status(is), k.wanted)))
	g.emit(&loop.If{Cond: anyLane(g.valid), Then: g.block(func() { g.strands(k) })})
}

// strands emits the packet behind that test.
func (g *generator) strands(k *packet) {
	g.registers = map[*ein.Local]*loop.Buffer{}
	g.phases = g.findOnce()
	var buffers []*loop.Buffer
	keep := func(name string, d tensor.DType) *loop.Buffer {
		b := g.register(name, d)
		buffers = append(buffers, b)
		return b
	}
	for _, l := range g.varying() {
		g.registers[l] = keep(l.Name, l.DType)
	}
	g.end, g.last, g.site = keep("end", tensor.Int32), keep("last", tensor.Int32), keep("site", tensor.Int32)
	g.places = nil
	for range g.positions {
		g.places = append(g.places, keep("place", g.p.Real))
	}
	g.noted = nil
	for range g.numbers {
		g.noted = append(g.noted, keep("noted", tensor.Int64))
	}
	for _, v := range g.listed() {
		buffers = append(buffers, g.lists[v].length)
	}
	for _, l := range g.left {
		buffers = append(buffers, l.length)
	}
	k.step = g.fresh.Buffer("step", loop.Scalar(tensor.Int64), 1, loop.Register)
	buffers = append(buffers, k.step)
	g.scope = nil
	body := g.block(func() { g.life(k) })
	g.emit(allocate(append(buffers, g.scope...), body)...)
}

// varying lists the locals that need registers: parameters, states, and temporaries that are no values in some block.
func (g *generator) varying() (list []*ein.Local) {
	kept := map[*ein.Local]bool{}
	for _, role := range []strand.Role{strand.Parameter, strand.State} {
		for _, v := range g.p.ByRole(role) {
			for _, l := range v.Parts {
				list, kept[l] = append(list, l), true
			}
		}
	}
	for _, once := range g.phases {
		for l := range kept {
			delete(once, l)
		}
	}
	for _, v := range g.p.ByRole(strand.Temporary) {
		for _, l := range v.Parts {
			if slices.ContainsFunc(g.phases, func(once map[*ein.Local]bool) bool { value, assigned := once[l]; return assigned && !value }) {
				list = append(list, l)
			}
		}
	}
	return list
}

// findOnce says for the blocks of strands which locals are values in each: creation, begin, start, update, stabilize.
func (g *generator) findOnce() (list []map[*ein.Local]bool) {
	p := g.p
	list = append(list, onceIn(g.creation(), p.Create.Arguments...))
	for _, b := range []strand.Block{p.Begin, p.Start, p.Update, p.Stabilize} {
		list = append(list, onceIn(b))
	}
	return list
}

// creation is the block that computes what a strand is created from, with the iterators as assignments.
func (g *generator) creation() strand.Block {
	var b strand.Block
	for _, i := range g.p.Create.Iterators {
		b = append(b, &strand.Assign{To: i.Variable.Parts[0], Value: i.Low})
	}
	return append(b, g.p.Create.Body...)
}

// life creates or loads strands, runs them, and stores them.
func (g *generator) life(k *packet) {
	on := loop.Expr(integer(tensor.Int32, Running))
	if g.mask = g.valid; g.mask != nil {
		on = choose(g.mask, on, integer(tensor.Int32, Died))
	}
	g.storeWhere(g.end, on, nil)
	g.storeWhere(g.last, integer(tensor.Int32, 0), nil)
	g.storeWhere(g.site, integer(tensor.Int32, 0), nil)
	for _, b := range g.places {
		g.storeWhere(b, real(g.p.Real, 0), nil)
	}
	for _, l := range g.left {
		g.storeWhere(l.length, loop.Int(0), nil)
	}
	for _, b := range g.noted {
		g.storeWhere(b, loop.Int(0), nil)
	}
	g.storeWhere(k.step, k.from, nil)
	phases := g.phases
	create := g.block(func() {
		g.now = k.from
		g.once, g.creating = phases[0], true
		given := g.block(func() { g.create(k, g.index) })
		if g.creating = false; g.born == nil {
			g.emit(given...)
		} else {
			g.emit(&loop.If{Cond: binary(ein.Eq, k.fresh, loop.Int(1)), Then: given, Else: g.block(func() { g.loadStates(strand.Parameter) })})
		}
		g.once = phases[1]
		g.stmts(g.p.Begin)
	})
	g.emit(&loop.If{Cond: binary(ein.Ne, k.fresh, loop.Int(0)), Then: create, Else: g.block(func() { g.loadStates(strand.Parameter, strand.State) })})
	g.mask = nil
	if len(g.p.Start) > 0 {
		g.now = binary(ein.Add, k.from, loop.Int(1))
		start := func() { g.step(g.p.Start, phases[2], integer(tensor.Int32, 1), phases[4]) }
		cond, then := binary(ein.Gt, k.limit, k.from), start
		if g.born == nil {
			cond = binary(ein.And, cond, binary(ein.Eq, k.from, loop.Int(0)))
		} else {
			then = func() {
				g.mask = g.valid
				g.where(g.let("begins", g.begins(k)), start)
				g.mask = nil
			}
		}
		g.emit(&loop.If{Cond: cond, Then: g.block(then)})
	}
	g.emit(&loop.While{Cond: binary(ein.And, binary(ein.Lt, g.load(k.step), k.limit), anyLane(g.isOn())), Body: g.block(func() {
		step := g.let("step", binary(ein.Add, g.load(k.step), loop.Int(1)))
		g.storeWhere(k.step, step, nil)
		g.now = step
		g.step(g.p.Update, phases[3], cast(tensor.Int32, binary(ein.Sub, step, k.from)), phases[4])
	})})
	g.storeStates(k)
}

// step runs a method for the lanes that run, and the stabilize method of those that end so; it lets
// lanes go on that only end the step, and notes when others ended.
func (g *generator) step(b strand.Block, once map[*ein.Local]bool, number loop.Expr, behind map[*ein.Local]bool) {
	on := g.let("on", g.isOn())
	g.where(on, func() {
		g.once = once
		g.stmts(b)
	})
	ended := func(how int64) loop.Expr { return binary(ein.Eq, g.load(g.end), integer(tensor.Int32, how)) }
	g.where(binary(ein.And, on, not(g.isOn())), func() {
		if len(g.p.Stabilize) > 0 {
			g.once = behind
			g.where(ended(Stabilized), func() { g.stmts(g.p.Stabilize) })
		}
		g.store(g.last, choose(ended(Continued), g.load(g.last), number))
		g.store(g.end, choose(ended(Continued), integer(tensor.Int32, Running), g.load(g.end)))
	})
}

// create computes the arguments of strands from their numbers.
func (g *generator) create(k *packet, index loop.Expr) {
	c := g.p.Create
	iterators := len(c.Iterators)
	rest := index
	values := make([]loop.Expr, iterators)
	for i := iterators - 1; i >= 0; i-- {
		d := c.Iterators[i].Variable.Parts[0].DType
		extent := loop.Wide(k.grid[2*i+1], g.lanes)
		at := rest
		if i > 0 {
			at = g.let("at", binary(ein.Mod, rest, extent))
			rest = g.let("rest", binary(ein.Div, rest, extent))
		}
		values[i] = cast(d, binary(ein.Add, k.grid[2*i], at))
	}
	for i, it := range c.Iterators {
		g.assign(it.Variable.Parts[0], values[i])
	}
	g.stmts(c.Body)
	given := make([]loop.Expr, len(c.Arguments))
	for i, a := range c.Arguments {
		given[i] = g.named("given", a)
	}
	i := 0
	for _, v := range g.p.ByRole(strand.Parameter) {
		for _, l := range v.Parts {
			g.assign(l, given[i])
			i++
		}
	}
}
