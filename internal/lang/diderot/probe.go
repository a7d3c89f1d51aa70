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
		return l.compose(e, f, at)
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
	l.define(e.Pos, x.Places)
	for _, s := range x.Samples {
		l.sample(e, s)
	}
	l.define(e.Pos, x.Definitions)
	return value{typ: typeOf(e.T), parts: x.Results[0]}
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
func (l *lowering) sample(e *typed.Probe, s *field.Sample) {
	i := l.symbols.images[s.Grid]
	sample := &strand.Sample{Pos: e.Pos, Image: i.image, Border: i.border, Kernel: l.pieces(s.Kernel), At: s.At, Field: e.Field.Span().Text()}
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

// inside is the test whether a field can be probed at a position.
func (l *lowering) inside(pos source.Span, at, f value) value {
	position := l.position(pos, l.toReal(pos, at))
	places, test, err := field.Inside(f.field, position, l.binding(pos, f.field.Params))
	l.must(pos, err)
	l.define(pos, places)
	return scalar(strand.Bool, test)
}

// compose is a field probed at what depends on the position of a closed form.
func (l *lowering) compose(e *typed.Probe, f, at value) value {
	if p := at.field.Body; p.Op == field.Position && at.field.Shape == nil || p.Op == field.Position && p.Indices[0].Class == field.Free {
		return f
	}
	l.problems.Errorf(source.CodeDiderotMissing, e.At.Span(), "a field is probed at %s, which depends on the position, and fields are not composed yet", e.At.Span().Text()).
		WithHelp("probe it at the position itself, or write a function of the position, which can be probed at any place but has no derivatives")
	return f
}
