package strandtest

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// block draws statements; what they declare may be read in them only.
func (d *drawer) block(depth int) strand.Block {
	return d.within(func() strand.Block { return d.stmts(depth, false) })
}

// withExits draws statements that may end the method.
func (d *drawer) withExits(depth int) strand.Block {
	return d.within(func() strand.Block { return d.stmts(depth, true) })
}

func (d *drawer) within(draw func() strand.Block) strand.Block {
	reals, integers, bools, set := len(d.real), len(d.integer), len(d.bools), len(d.set)
	lists, setLists := len(d.lists), len(d.setLists)
	b := draw()
	d.real, d.integer, d.bools, d.set = d.real[:reals], d.integer[:integers], d.bools[:bools], d.set[:set]
	d.lists, d.setLists = d.lists[:lists], d.setLists[:setLists]
	return b
}

func (d *drawer) stmts(depth int, exits bool) strand.Block {
	var b strand.Block
	for range 1 + d.pick(3) {
		b = append(b, d.stmt(depth, exits)...)
	}
	return b
}

// exit draws one; percent says how often it is the last step.
func (d *drawer) exit(percent int) *strand.Exit {
	switch {
	case d.p.Create.Collection && d.chance(percent):
		return &strand.Exit{Kind: strand.Die}
	case d.chance(50) || percent == 50:
		return &strand.Exit{Kind: strand.Stabilize}
	}
	return &strand.Exit{Kind: strand.Continue}
}

func (d *drawer) stmt(depth int, exits bool) strand.Block {
	choice := d.pick(16)
	if depth == 0 {
		choice = d.pick(4)
	}
	switch choice {
	case 4, 5:
		s := &strand.If{Cond: d.expr(tensor.Bool, 2)}
		branch := func() strand.Block {
			return d.within(func() strand.Block {
				b := d.stmts(depth-1, exits)
				if exits && d.chance(25) {
					b = append(b, d.exit(10))
				}
				return b
			})
		}
		if s.Then = branch(); d.chance(50) {
			s.Else = branch()
		}
		return strand.Block{s}
	case 6:
		return d.either(depth)
	case 7:
		if d.loops < 2 {
			return d.loop(depth, exits)
		}
	case 8:
		if d.chance(50) {
			return d.element()
		}
		return d.sample()
	case 9:
		return d.sample()
	case 10:
		return d.build()
	case 11:
		return d.length()
	case 12:
		if d.p.Variable("trail") != nil && d.chance(60) {
			return d.elementOf()
		}
	case 14:
		if d.chance(50) {
			return d.message()
		}
	case 15:
		if d.canBear && exits {
			return d.bear()
		}
		return d.sample()
	case 13:
		if d.canLook && d.loops == 0 {
			return append(d.near(exits), d.move()...)
		}
		return d.sample()
	}
	if len(d.set) > 0 && d.chance(60) {
		l := d.set[d.pick(len(d.set))]
		return strand.Block{assign(l, d.expr(l.DType, 3))}
	}
	return d.fresh()
}

// fresh assigns a new temporary, which may be changed later.
func (d *drawer) fresh() strand.Block {
	elem := []strand.Elem{strand.Real, strand.Real, strand.Int, strand.Bool}[d.pick(4)]
	e := d.expr(d.p.DType(elem), 3)
	l := d.temporary(elem).Parts[0]
	d.know(l)
	return strand.Block{assign(l, e)}
}

func (d *drawer) know(l *ein.Local) {
	switch {
	case l.DType == tensor.Bool:
		d.bools = append(d.bools, l)
	case l.DType.IsFloat():
		d.real = append(d.real, l)
	default:
		d.integer = append(d.integer, l)
	}
	if d.chance(50) {
		d.set = append(d.set, l)
	}
}

// either assigns a new temporary on both sides of a condition.
func (d *drawer) either(depth int) strand.Block {
	cond := d.expr(tensor.Bool, 2)
	l := d.temporary(strand.Real).Parts[0]
	side := func() strand.Block {
		return d.within(func() strand.Block { return append(d.stmts(depth-1, false), assign(l, d.expr(l.DType, 2))) })
	}
	s := &strand.If{Cond: cond, Then: side(), Else: side()}
	d.know(l)
	return strand.Block{s}
}

// loop draws a loop over a range, or over a list.
func (d *drawer) loop(depth int, exits bool) strand.Block {
	d.loops++
	defer func() { d.loops-- }()
	body := func(l *ein.Local) strand.Block {
		return d.within(func() strand.Block {
			d.know(l)
			b := d.stmts(depth-1, exits)
			if exits && d.chance(20) {
				b = append(b, &strand.If{Cond: d.expr(tensor.Bool, 1), Then: strand.Block{d.exit(10)}})
			}
			return b
		})
	}
	if d.chance(35) {
		return d.each(body)
	}
	if d.chance(30) {
		v := d.temporary(strand.Real)
		return strand.Block{&strand.ForEach{Variable: v, Sequence: d.p.Variable("list"), Body: body(v.Parts[0])}}
	}
	low := d.number(int64(d.pick(3)))
	high := d.number(int64(d.pick(5)))
	if d.chance(60) {
		high = binary(ein.Mod, d.expr(d.p.Int, 2), d.number(5))
	}
	v := d.temporary(strand.Int)
	return strand.Block{&strand.ForRange{Variable: v, Low: low, High: high, Body: body(v.Parts[0])}}
}

// pair declares a temporary of two numbers.
func (d *drawer) pair() *strand.Variable {
	d.names++
	return d.variable(fmt.Sprintf("t%d", d.names), strand.Temporary, strand.Type{Elem: strand.Real, Shape: []int{2}})
}

// element reads an element of a list, mostly one that is there.
func (d *drawer) element() strand.Block {
	of, to, count := d.p.Variable("open"), d.pair(), 3
	if d.chance(50) {
		of, to = d.p.Variable("list"), d.temporary(strand.Real)
	} else {
		count = len(of.Default) / 2
	}
	at := d.expr(d.p.Int, 2)
	if count > 0 && !d.chance(3) {
		at = binary(ein.Mod, at, d.number(int64(count)))
	}
	for _, l := range to.Parts {
		d.know(l)
	}
	return strand.Block{&strand.Element{To: to, Sequence: of, At: at}}
}
