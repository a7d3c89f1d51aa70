package diderot

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// probe lowers F(x): one operator for all of it, in normal form, as samples and definitions.
func (l *lowering) probe(e *typed.Probe) value {
	f := l.expr(e.Field)
	at := l.toReal(e.Pos, l.expr(e.At))
	if at.field != nil {
		return l.compose(e.Pos, f, at)
	}
	position := l.position(e.Pos, at)
	t, err := field.Verify(f.field)
	l.must(e.Pos, err)
	if t.Dim == 0 { // a constant field is one over any space
		t.Dim = max(1, len(at.parts))
	}
	outer, err := l.store.Generic("probe", []field.Type{t, position.Type})
	l.must(e.Pos, err)
	probed, err := l.store.Apply(outer, f.field, l.store.Variable(position))
	l.must(e.Pos, err)
	normal, counters, err := l.store.Normalise(probed, l.techniques)
	l.must(e.Pos, err)
	x, err := field.Expand([]*field.Operator{normal}, l.binding(e.Pos, normal.Params))
	l.must(e.Pos, err)
	l.probed = append(l.probed, &probing{e, probed, normal, counters, x})
	l.stages(e.Pos, e.Field.Span().Text(), x.Stages)
	l.define(e.Pos, x.Definitions)
	return value{typ: typeOf(e.T), parts: x.Results[0]}
}

// stages samples images, one stage after the other.
func (l *lowering) stages(pos source.Span, of string, list []field.Stage) {
	for _, stage := range list {
		l.define(pos, stage.Places)
		for _, s := range stage.Samples {
			l.sample(pos, of, s)
		}
	}
}

// A probing is what a probe became, for people.
type probing struct {
	expr          *typed.Probe
	fused, normal *field.Operator
	counters      field.Counters
	expansion     *field.Expansion
}

// position is the parameter that stands for where a field is probed.
func (l *lowering) position(pos source.Span, at value) *field.Param {
	at = l.bind(pos, "x", at)
	named := l.tensorParam(at)
	p := l.store.FixedParam(named.Name, field.TensorOf(at.typ.Shape...))
	l.symbols.tensors[p] = at.parts
	return p
}

// binding says what the parameters of an operator are.
func (l *lowering) binding(pos source.Span, params []*field.Param) *field.Binding {
	return &field.Binding{
		Real: l.p.Real, Tensors: l.symbols.tensors, Grids: l.symbols.grids, Kernels: l.symbols.kernels,
		Local: func(name string) *ein.Local { return l.temp(pos, name, strand.Type{Elem: strand.Real}).Parts[0] },
	}
}

func (l *lowering) define(pos source.Span, list []field.Definition) {
	for _, d := range list {
		l.assign(pos, d.To, ein.Map(d.Value, fold))
	}
}

// sample probes an image; its faults name the field as the program does.
func (l *lowering) sample(pos source.Span, of string, s *field.Sample) {
	i := l.symbols.images[s.Grid]
	sample := &strand.Sample{Pos: pos, Image: i.image, Border: i.border, Kernel: l.pieces(s.Kernel), At: s.At, Field: of}
	for _, e := range i.outside {
		r, ok := e.(*ein.LocalRef)
		if !ok {
			v, _ := l.keep(pos, "outside", scalar(strand.Real, e))
			r = &ein.LocalRef{Local: v.Parts[0]}
		}
		sample.Outside = append(sample.Outside, r.Local)
	}
	for _, w := range s.Wanted {
		sample.Wanted = append(sample.Wanted, strand.Component{To: w.To, Voxel: w.Voxel, Orders: w.Orders})
	}
	l.emit(sample)
}

// pieces is a kernel of the program.
func (l *lowering) pieces(k *field.Kernel) *strand.Kernel {
	n := slices.IndexFunc(l.p.Kernels, func(known *strand.Kernel) bool { return known.Name == k.Name })
	if n >= 0 {
		return l.p.Kernels[n]
	}
	l.p.Kernels = append(l.p.Kernels, &strand.Kernel{Name: k.Name, Support: k.Support, Pieces: k.Pieces})
	return l.p.Kernels[len(l.p.Kernels)-1]
}

// inside is the test whether a field can be probed at a position. Where a field is composed, samples of one that it is composed
// with are read where that can be probed only.
func (l *lowering) inside(pos source.Span, at, f value) value {
	position := l.position(pos, l.toReal(pos, at))
	tests, err := l.store.Inside(f.field, position, l.binding(pos, f.field.Params))
	l.must(pos, err)
	if len(tests) == 0 { // a field that is closed is everywhere
		return scalar(strand.Bool, truth(true))
	}
	l.stages(pos, "", tests[0].Stages)
	if len(tests) == 1 {
		return scalar(strand.Bool, tests[0].Holds)
	}
	v := l.temp(pos, "within", strand.Type{Elem: strand.Bool})
	l.set(pos, v, scalar(strand.Bool, tests[0].Holds))
	l.insideRest(pos, v, tests[1:])
	return of(v)
}

// insideRest makes the tests that those before must allow.
func (l *lowering) insideRest(pos source.Span, v *strand.Variable, tests []field.Test) {
	if len(tests) == 0 {
		return
	}
	then := l.into(func() {
		l.stages(pos, "", tests[0].Stages)
		l.set(pos, v, scalar(strand.Bool, tests[0].Holds))
		l.insideRest(pos, v, tests[1:])
	})
	l.emit(&strand.If{Pos: pos, Cond: of(v).parts[0], Then: then})
}

// compose is a field at a place that is a field: F ∘ G, and F(G(x)) in the formula of a closed form.
func (l *lowering) compose(pos source.Span, f, at value) value {
	place := make([]*field.Term, max(1, f.space))
	for k := range place {
		place[k] = at.field.Body
		if len(at.field.Shape) > 0 {
			place[k] = l.store.Rename(at.field.Body, map[field.Index]field.Index{field.Axis(0, len(place)): field.At(k)})
		}
	}
	composed := l.store.Operator(f.field.Shape, l.store.Compose(f.field.Body, place...))
	_, err := field.Verify(composed)
	l.must(pos, err)
	return value{field: composed, space: at.space}
}
