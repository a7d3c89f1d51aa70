package field

import (
	"fmt"
	"slices"
	"strings"
)

// A Splitting is an operator taken apart into small ones, each of one operation on those before it: what the paper calls
// Split, and Slice. Terms that differ in the names of their indices are one operator, t3 say, and stand elsewhere as its
// components, t3[j,i]. So do leaves that differ in constant indices: V[0] ⊛ H and V[i] ⊛ H are components of one.
//
// Nothing is lost by taking everything apart, since equal terms are one already; Expand computes exactly these components,
// those that are asked for.
type Splitting struct {
	Parts  []*Param    // t1, t2, …
	Bodies []*Operator // what each is
	Result *Operator   // the operator itself
}

// Split takes an operator in normal form apart.
func (s *Store) Split(o *Operator) *Splitting {
	d := &divider{Store: s, parts: map[*Term]*Param{}, done: map[*Term]*Term{}, prefix: "t"}
	d.result = &Splitting{}
	for slices.ContainsFunc(o.Params, func(p *Param) bool { return strings.HasPrefix(p.Name, d.prefix) }) {
		d.prefix += "'"
	}
	body := d.term(o.Body)
	d.result.Result = s.Operator(o.Shape, body)
	return d.result
}

type divider struct {
	*Store
	parts  map[*Term]*Param // what a term with its own indices has become
	done   map[*Term]*Term
	result *Splitting
	prefix string // of the names of parts
}

// term is a term as a component of a part.
func (d *divider) term(t *Term) *Term {
	if r, ok := d.done[t]; ok {
		return r
	}
	r := d.divide(t)
	d.done[t] = r
	return r
}

func (d *divider) divide(t *Term) *Term {
	switch t.Op {
	case Rational, Delta, Epsilon, Tensor:
		return t
	case Probe, Field, Conv:
		return d.leaf(t)
	case Sum:
		variables, body := d.Open(t)
		return d.part(d.Sum(variables, d.factors(body)))
	}
	return d.part(d.factors(t))
}

// factors is a term whose parts are components of parts.
func (d *divider) factors(t *Term) *Term {
	if t.Op == Tensor || len(t.Args) == 0 || t.Op == Probe || t.Op == Sum {
		return d.term(t)
	}
	args := make([]*Term, len(t.Args))
	for i, a := range t.Args {
		args[i] = d.term(a)
	}
	return d.with(t, args...)
}

// part makes a term a part of its own, with its free indices as axes.
func (d *divider) part(t *Term) *Term {
	return d.component(t, slices.Clone(t.free))
}

// component makes a part of a term, whose axes are some indices in it.
func (d *divider) component(t *Term, axes []Index) *Term {
	names := map[Index]Index{}
	shape := make([]int, len(axes))
	for n, i := range axes {
		names[i] = Axis(n, i.Range)
		shape[n] = i.Range
	}
	own := d.Rename(t, names)
	p, ok := d.parts[own]
	if !ok {
		p = d.Param(fmt.Sprint(d.prefix, len(d.result.Parts)+1), TensorOf(shape...))
		d.parts[own] = p
		d.result.Parts = append(d.result.Parts, p)
		d.result.Bodies = append(d.result.Bodies, d.Operator(shape, own))
	}
	return d.Component(p, axes...)
}

// leaf is a component of what is reconstructed from all components of an image, differentiated along all axes.
func (d *divider) leaf(t *Term) *Term {
	inside := t
	if t.Op == Probe {
		inside = t.Args[0]
		t = d.placed(t)
	}
	if inside.Op != Conv {
		return d.part(t)
	}
	var axes, at []Index
	general := func(indices []Index, size func(n int) int) []Index {
		made := make([]Index, len(indices))
		for n, i := range indices {
			made[n] = Axis(len(axes), size(n))
			axes, at = append(axes, made[n]), append(at, i)
		}
		return made
	}
	alpha := general(inside.Indices, func(n int) int { return inside.Param.Shape[n] })
	beta := general(inside.Orders, func(int) int { return inside.Param.Dim })
	whole := d.Conv(inside.Param, inside.Kernel, alpha, beta)
	if t.Op == Probe {
		whole = d.with(t, append([]*Term{whole}, t.Args[1:]...)...)
	}
	return d.Component(d.component(whole, axes).Param, at...)
}

// placed is a probe whose place, if that is computed, consists of components of parts.
func (d *divider) placed(t *Term) *Term {
	args := slices.Clone(t.Args)
	for n, p := range args[1:] {
		args[n+1] = d.term(p)
	}
	return d.with(t, args...)
}

// String writes the parts, each on a line, and the result.
func (p *Splitting) String() string {
	var b strings.Builder
	for n, part := range p.Parts {
		fmt.Fprintf(&b, "%s = %s\n", part.Name, p.Bodies[n])
	}
	fmt.Fprintf(&b, "%s\n", p.Result)
	return b.String()
}
