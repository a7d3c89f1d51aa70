package strandtest

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// globals declares what blocks of the world change, and strands read.
func (d *drawer) globals() {
	total := d.variable("total", strand.Global, strand.Type{Elem: strand.Real, Shape: []int{2}})
	turn := d.variable("turn", strand.Global, strand.Type{Elem: strand.Int})
	all := d.variable("all", strand.Global, strand.Type{Elem: strand.Bool})
	d.real = append(d.real, total.Parts...)
	d.integer, d.bools = append(d.integer, turn.Parts[0]), append(d.bools, all.Parts[0])
	d.p.Initialize = strand.Block{assign(total.Parts[0], ein.FloatConst(d.p.Real, 0.5)), assign(total.Parts[1], ein.FloatConst(d.p.Real, -1)),
		assign(turn.Parts[0], d.number(0)), assign(all.Parts[0], ein.IntConst(tensor.Bool, 1))}
}

// counts has strands count each other, which shows in a state.
func (d *drawer) counts() (b strand.Block) {
	for range 1 + d.pick(2) {
		l := d.temporary(strand.Int).Parts[0]
		b = append(b, &strand.Count{To: l, Set: strand.Set(d.pick(3))})
		d.integer = append(d.integer, l)
		count := d.p.Variable("count").Parts[0]
		b = append(b, assign(count, binary(ein.Add, ref(count), ref(l))))
	}
	return b
}

// world draws the blocks of the world.
func (d *drawer) world() {
	p := d.p
	if d.chance(40) {
		p.GlobalStart = d.look()
		if d.chance(30) {
			return
		}
	}
	p.GlobalUpdate = append(d.look(), assign(p.Variable("turn").Parts[0], binary(ein.Add, ref(p.Variable("turn").Parts[0]), d.number(1))))
	if d.chance(40) {
		kind := strand.Stabilize
		if p.Create.Collection && d.chance(60) {
			kind = strand.Die
		}
		now := binary(ein.Ge, ref(p.Variable("turn").Parts[0]), d.number(int64(1+d.pick(4))))
		p.GlobalUpdate = append(p.GlobalUpdate, &strand.If{Cond: now, Then: strand.Block{&strand.AllExit{Kind: kind}}})
	}
}

// look changes globals by folds over states of strands, and by how many there are.
func (d *drawer) look() (b strand.Block) {
	p := d.p
	var to []*ein.Local
	for _, name := range []string{"total", "turn", "all"} {
		to = append(to, p.Variable(name).Parts...)
	}
	for range 1 + d.pick(3) {
		l := to[d.pick(len(to))]
		d.names++
		who := d.variable(fmt.Sprintf("who%d", d.names), strand.Temporary, strand.Type{Elem: strand.Ref})
		state, fold := d.folded(l)
		of := d.variable(fmt.Sprintf("of%d", d.names), strand.Temporary, state.Type)
		got := d.variable(fmt.Sprintf("got%d", d.names), strand.Temporary, strand.Type{Elem: elemOf(l, p)})
		b = append(b, &strand.Reduce{To: got.Parts[0], Fold: fold, Set: strand.Set(d.pick(3)), Strand: who,
			Body: strand.Block{&strand.Get{To: of, Strand: who, State: state}}, Value: ref(of.Parts[len(of.Parts)-1])}, assign(l, ref(got.Parts[0])))
	}
	if d.chance(50) {
		c := d.temporary(strand.Int).Parts[0]
		b = append(b, &strand.Count{To: c, Set: strand.Set(d.pick(3))}, assign(to[2], binary(ein.Add, ref(to[2]), ref(c))))
	}
	if d.chance(25) {
		open := p.Variable("open")
		one := strand.Item{Parts: []ein.Expr{ref(to[0]), ref(to[1])}}
		items := []strand.Item{{Sequence: open}, one}
		if d.chance(15) {
			items[0] = one
		}
		b = append(b, &strand.Build{To: open, Items: items})
	}
	return b
}

func elemOf(l *ein.Local, p *strand.Program) strand.Elem {
	switch {
	case l.DType == tensor.Bool:
		return strand.Bool
	case l.DType == p.Real:
		return strand.Real
	}
	return strand.Int
}

// folded draws a state whose values are of the type of a local, and a fold of them.
func (d *drawer) folded(l *ein.Local) (*strand.Variable, strand.Fold) {
	switch elemOf(l, d.p) {
	case strand.Bool:
		return d.p.Variable("flag"), []strand.Fold{strand.FoldAll, strand.FoldExists}[d.pick(2)]
	case strand.Real:
		return d.p.Variable("value"), strand.Fold(d.pick(int(strand.FoldVariance) + 1))
	}
	return d.p.Variable([]string{"age", "count"}[d.pick(2)]), strand.Fold(d.pick(int(strand.FoldMax) + 1))
}
