package strandtest

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
)

// position declares the place of strands, and sets it near those of their neighbours, or anywhere.
func (d *drawer) position(n *ein.Local) (b strand.Block) {
	pos := d.variable("pos", strand.State, strand.Type{Elem: strand.Real, Shape: []int{1 + d.pick(3)}})
	if len(pos.Parts) == 1 {
		pos.Type.Shape = nil
		pos.Parts[0].Name = "pos"
	}
	for k, l := range pos.Parts {
		at := binary(ein.Mul, &ein.Cast{To: d.p.Real, X: binary(ein.Mod, ref(n), d.number(int64(3+2*k)))}, ein.FloatConst(d.p.Real, 0.5))
		if d.chance(20) {
			at = binary(ein.Add, at, d.expr(d.p.Real, 2))
		}
		b = append(b, assign(l, at))
	}
	return b
}

// move has strands take another place.
func (d *drawer) move() strand.Block {
	pos := d.p.Variable("pos").Parts
	l := pos[d.pick(len(pos))]
	by := ein.Expr(ein.FloatConst(d.p.Real, []float64{0.25, -0.5, 0}[d.pick(3)]))
	if d.chance(30) {
		by = d.expr(d.p.Real, 2)
	}
	return strand.Block{assign(l, binary(ein.Add, ref(l), by))}
}

// near asks for strands around, and reads states of theirs.
func (d *drawer) near(exits bool) strand.Block {
	d.names++
	near := d.variable(fmt.Sprintf("near%d", d.names), strand.Temporary, strand.Type{Elem: strand.Ref, Dynamic: true})
	who := d.variable(fmt.Sprintf("who%d", d.names), strand.Temporary, strand.Type{Elem: strand.Ref})
	q := &strand.Query{To: near, Radius: ein.FloatConst(d.p.Real, []float64{0.6, 0.75, 1.1, 100}[d.pick(4)])}
	if d.chance(30) {
		q.Radius = d.expr(d.p.Real, 2)
	}
	if d.chance(40) {
		for range d.p.Variable("pos").Parts {
			q.Center = append(q.Center, d.expr(d.p.Real, 2))
		}
	}
	b := strand.Block{q}
	if d.chance(30) {
		l := d.temporary(strand.Int).Parts[0]
		count := d.p.Variable("count").Parts[0]
		b = append(b, &strand.Length{To: l, Sequence: near}, assign(count, binary(ein.Add, ref(count), ref(l))))
		d.know(l)
	}
	d.loops++
	defer func() { d.loops-- }()
	return append(b, &strand.ForEach{Variable: who, Sequence: near, Body: d.within(func() strand.Block {
		b := d.get(who)
		if d.chance(40) {
			b = append(b, d.stmts(1, exits)...)
		}
		return b
	})})
}

// get reads a state of another strand.
func (d *drawer) get(who *strand.Variable) strand.Block {
	states := d.p.ByRole(strand.State)
	of := states[d.pick(len(states))]
	d.names++
	to := d.variable(fmt.Sprintf("got%d", d.names), strand.Temporary, of.Type)
	b := strand.Block{&strand.Get{To: to, Strand: who, State: of}}
	if of.Type.Dynamic {
		d.lists = append(d.lists, to)
		return append(b, d.length()...)
	}
	return append(b, d.use(to.Parts...)...)
}
