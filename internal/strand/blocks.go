package strand

import (
	"context"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// Standing are the strands of a program where others than a World keep them, at places in their order.
type Standing interface {
	// Number is that of the strand at place n.
	Number(n int) int
	// Status says whether it is alive, and stable.
	Status(n int) (alive, stable bool)
	// Read returns what reads a scalar of a parameter or a state of strands, and Write what writes it.
	Read(l *ein.Local) func(n int) ein.Number
	Write(l *ein.Local) func(n int, v ein.Number)
	// Sequence returns what reads a sequence of any length, which strands keep, and SetSequence writes that of a strand.
	Sequence(v *Variable) func(n int) []ein.Number
	SetSequence(v *Variable, n int, list []ein.Number) error
	// End has a strand become stable or die.
	End(n int, kind ExitKind)
}

// Blocks runs the global start, or else the global update, behind a step of the strands, and has them end where that says so.
func (o *Outline) Blocks(ctx context.Context, start bool, step int, s Standing) error {
	w := o.w
	block, run := w.program.GlobalUpdate, w.run.globalUpdate
	if start {
		block, run = w.program.GlobalStart, w.run.globalStart
	}
	w.step, w.run.ctx = step, ctx
	sees, states, sequences := seen(block)
	if sees {
		o.look(s)
		o.load(s, states, sequences)
	}
	if run(); w.run.fault != nil {
		return w.run.fault
	}
	if len(w.exitAll) == 0 {
		return nil
	}
	active := slices.DeleteFunc(slices.Clone(w.strands), func(s *strand) bool { return s.isStable })
	if slices.Contains(w.exitAll, Stabilize) {
		o.load(s, o.scalars(), w.run.kept)
	}
	kinds := w.exitAll
	w.exitAll = nil
	for _, kind := range kinds {
		if err := w.endAll(kind); err != nil {
			return err
		}
	}
	return o.end(s, active)
}

// seen says whether a block sees strands, and which scalars and sequences of their states.
func seen(b Block) (sees bool, states []*ein.Local, sequences []*Variable) {
	Walk(b, func(s Stmt) {
		switch s := s.(type) {
		case *Count, *Reduce, *AllExit:
			sees = true
		case *Get:
			if states = append(states, s.State.Parts...); s.State.Type.Dynamic {
				sequences = append(sequences, s.State)
			}
		}
	})
	return sees, states, sequences
}

// scalars are those that a strand keeps, in the order of runner.layout.
func (o *Outline) scalars() (list []*ein.Local) {
	for _, role := range []Role{Parameter, State} {
		for _, v := range o.w.program.ByRole(role) {
			list = append(list, v.Parts...)
		}
	}
	return list
}

// look lists the strands that are alive, out of those that were.
func (o *Outline) look(s Standing) {
	w := o.w
	for ; o.known < o.Count; o.known++ {
		v := &values{scalars: make([]ein.Number, len(w.run.layout)), sequences: make([][]ein.Number, len(w.run.kept))}
		o.kept = append(o.kept, &strand{number: s.Number(o.known), place: o.known, in: v, seen: v})
	}
	w.active = 0
	o.kept = slices.DeleteFunc(o.kept, func(k *strand) bool {
		alive, stable := s.Status(k.place)
		if k.isStable = stable; alive && !stable {
			w.active++
		}
		return !alive
	})
	w.strands = append(w.strands[:0], o.kept...)
}

// Moved says that strands have other places; -1 are those of strands that are no more.
func (o *Outline) Moved(to []int) {
	o.kept = slices.DeleteFunc(o.kept, func(k *strand) bool {
		k.place = to[k.place]
		return k.place < 0
	})
	known := 0
	for _, place := range to[:o.known] {
		if place >= 0 {
			known++
		}
	}
	o.known = known
}

// load reads scalars and sequences of the strands that are alive.
func (o *Outline) load(s Standing, list []*ein.Local, sequences []*Variable) {
	for _, v := range sequences {
		at, read := slices.Index(o.w.run.kept, v), s.Sequence(v)
		for _, k := range o.w.strands {
			k.in.sequences[at] = read(k.place)
		}
	}
	layout := o.w.run.layout
	for _, l := range list {
		at, read := slices.Index(layout, o.w.run.scalar.Slot(l)), s.Read(l)
		for _, k := range o.w.strands {
			k.in.scalars[at] = read(k.place)
		}
	}
}

// end writes strands that were active.
func (o *Outline) end(s Standing, list []*strand) error {
	scalars := o.scalars()
	for _, k := range list {
		if !k.isStable {
			s.End(k.place, Die)
			continue
		}
		s.End(k.place, Stabilize)
	}
	for at, l := range scalars {
		write := s.Write(l)
		for _, k := range list {
			if k.isStable {
				write(k.place, k.in.scalars[at])
			}
		}
	}
	for at, v := range o.w.run.kept {
		for _, k := range list {
			if !k.isStable {
				continue
			}
			if err := s.SetSequence(v, k.place, k.in.sequences[at]); err != nil {
				return err
			}
		}
	}
	return nil
}
