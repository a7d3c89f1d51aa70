package strandtest

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
)

// sequence declares one of any length, of pairs of numbers.
func (d *drawer) sequence(name string, role strand.Role) *strand.Variable {
	return d.variable(name, role, strand.Type{Elem: strand.Real, Shape: []int{2}, Dynamic: true})
}

// items draws what a sequence is built of. A sequence that is built in a loop grows by one element at most.
func (d *drawer) items(to *strand.Variable, known bool) (list []strand.Item) {
	one := func() strand.Item { return strand.Item{Parts: []ein.Expr{d.expr(d.p.Real, 2), d.expr(d.p.Real, 2)}} }
	if known && d.chance(70) {
		list = append(list, strand.Item{Sequence: to}, one())
		if d.chance(30) {
			list[0], list[1] = list[1], list[0]
		}
		return list
	}
	for range d.pick(4) {
		switch {
		case d.chance(50):
			list = append(list, one())
		case d.loops == 0 && len(d.lists) > 0:
			list = append(list, strand.Item{Sequence: d.lists[d.pick(len(d.lists))]})
		}
	}
	return list
}

// build sets a sequence: the one that strands keep, or a new one.
func (d *drawer) build() strand.Block {
	if len(d.setLists) > 0 && d.chance(70) {
		to := d.setLists[d.pick(len(d.setLists))]
		return strand.Block{&strand.Build{To: to, Items: d.items(to, true)}}
	}
	d.names++
	to := d.sequence(fmt.Sprintf("s%d", d.names), strand.Temporary)
	b := strand.Block{&strand.Build{To: to, Items: d.items(to, false)}}
	d.lists, d.setLists = append(d.lists, to), append(d.setLists, to)
	return b
}

// length reads how long a sequence is.
func (d *drawer) length() strand.Block {
	of := d.lists[d.pick(len(d.lists))]
	l := d.temporary(strand.Int).Parts[0]
	b := strand.Block{&strand.Length{To: l, Sequence: of}}
	d.know(l)
	return b
}

// each draws a loop over a sequence, which may set it.
func (d *drawer) each(body func(*ein.Local) strand.Block) strand.Block {
	v, of := d.pair(), d.lists[d.pick(len(d.lists))]
	b := body(v.Parts[1])
	if slices.Contains(d.setLists, of) && d.chance(40) {
		b = append(strand.Block{&strand.Build{To: of, Items: []strand.Item{{Parts: []ein.Expr{ref(v.Parts[1]), ref(v.Parts[0])}}}}}, b...)
		b = append(b, d.within(func() strand.Block { return d.use(v.Parts...) })...)
	}
	return strand.Block{&strand.ForEach{Variable: v, Sequence: of, Body: b}}
}

// elementOf reads an element of a sequence, mostly one that is there: a sequence that has none is not read then.
func (d *drawer) elementOf() strand.Block {
	of, count := d.lists[d.pick(len(d.lists))], d.temporary(strand.Int).Parts[0]
	b := strand.Block{&strand.Length{To: count, Sequence: of}}
	read := func() strand.Block {
		to := d.pair()
		var at ein.Expr = binary(ein.Mod, d.expr(d.p.Int, 2), ref(count))
		if d.chance(3) {
			at = d.expr(d.p.Int, 2)
		}
		e := &strand.Element{To: to, Sequence: of, At: at}
		return append(strand.Block{e}, d.use(to.Parts...)...)
	}
	return append(b, &strand.If{Cond: binary(ein.Gt, ref(count), d.number(0)), Then: d.within(read)})
}

// use has numbers that were read show in a state.
func (d *drawer) use(list ...*ein.Local) (b strand.Block) {
	for _, l := range list {
		d.know(l)
	}
	for _, l := range list {
		if to := d.p.Variable("value").Parts[d.pick(2)]; l.DType == d.p.Real && slices.Contains(d.set, to) { // begin has given it a value
			b = append(b, assign(to, binary(ein.Add, binary(ein.Mul, ref(to), ein.FloatConst(d.p.Real, 0.5)), ref(l))))
		}
	}
	return b
}
