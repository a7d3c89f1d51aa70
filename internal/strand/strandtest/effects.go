package strandtest

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// message prints some values.
func (d *drawer) message() (b strand.Block) {
	m := &strand.Message{Parts: []strand.MessagePart{{Text: "at "}}}
	show := func(v *strand.Variable) {
		m.Parts = append(m.Parts, strand.MessagePart{Variable: v}, strand.MessagePart{Text: "\n"})
	}
	show(d.p.Variable("n"))
	for range d.pick(3) {
		elem := []strand.Elem{strand.Real, strand.Int, strand.Bool}[d.pick(3)]
		e := d.expr(d.p.DType(elem), 2)
		v := d.temporary(elem)
		b = append(b, assign(v.Parts[0], e))
		show(v)
	}
	if len(d.lists) > 0 && d.chance(40) {
		show(d.lists[d.pick(len(d.lists))])
	}
	if d.chance(20) {
		show(d.p.Variable("list"))
	}
	return append(b, m)
}

// bear creates a strand. Only those of the first and the second generation do, which their numbers say.
func (d *drawer) bear() strand.Block {
	n, age := d.p.Variable("n").Parts[0], d.p.Variable("age").Parts[0]
	s := &strand.New{Arguments: []ein.Expr{binary(ein.Add, ref(n), d.number(25)), d.expr(d.p.Real, 2)}}
	may := binary(ein.And, binary(ein.Lt, ref(n), d.number(45)), binary(ein.Lt, ref(age), d.number(2)))
	if d.chance(60) {
		may = binary(ein.And, may, d.expr(tensor.Bool, 2))
	}
	return strand.Block{&strand.If{Cond: may, Then: strand.Block{s}}}
}
