package strand

import (
	"context"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// Standing are the first strands of a program where others than a World keep them.
type Standing interface {
	// Status says whether strand n is alive, and whether it is stable.
	Status(n int) (alive, stable bool)
	// Read returns what reads a scalar of a parameter or a state of strands, and Write what writes it.
	Read(l *ein.Local) func(n int) ein.Number
	Write(l *ein.Local) func(n int, v ein.Number)
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
	sees, states := seen(block)
	if sees {
		o.look(s)
		o.load(s, states)
	}
	if run(); w.run.fault != nil {
		return w.run.fault
	}
	if len(w.exitAll) == 0 {
		return nil
	}
	active := slices.DeleteFunc(slices.Clone(w.strands), func(s *strand) bool { return s.isStable })
	if slices.Contains(w.exitAll, Stabilize) {
		o.load(s, o.scalars())
	}
	kinds := w.exitAll
	w.exitAll = nil
	for _, kind := range kinds {
		if err := w.endAll(kind); err != nil {
			return err
		}
	}
	o.end(s, active)
	return nil
}

// seen says whether a block sees strands, and which scalars of their states.
func seen(b Block) (sees bool, states []*ein.Local) {
	Walk(b, func(s Stmt) {
		switch s := s.(type) {
		case *Count, *Reduce, *AllExit:
			sees = true
		case *Get:
			states = append(states, s.State.Parts...)
		}
	})
	return sees, states
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
	if o.kept == nil {
		o.kept = make([]*strand, o.Count)
		for n := range o.kept {
			v := &values{scalars: make([]ein.Number, len(w.run.layout)), sequences: make([][]ein.Number, len(w.run.kept))}
			o.kept[n] = &strand{number: n, in: v, seen: v}
		}
	}
	w.active = 0
	o.kept = slices.DeleteFunc(o.kept, func(k *strand) bool {
		alive, stable := s.Status(k.number)
		if k.isStable = stable; alive && !stable {
			w.active++
		}
		return !alive
	})
	w.strands = append(w.strands[:0], o.kept...)
}

// load reads scalars of the strands that are alive.
func (o *Outline) load(s Standing, list []*ein.Local) {
	layout := o.w.run.layout
	for _, l := range list {
		at, read := slices.Index(layout, o.w.run.scalar.Slot(l)), s.Read(l)
		for _, k := range o.w.strands {
			k.in.scalars[at] = read(k.number)
		}
	}
}

// end writes strands that were active.
func (o *Outline) end(s Standing, list []*strand) {
	scalars := o.scalars()
	for _, k := range list {
		if !k.isStable {
			s.End(k.number, Die)
			continue
		}
		s.End(k.number, Stabilize)
	}
	for at, l := range scalars {
		write := s.Write(l)
		for _, k := range list {
			if k.isStable {
				write(k.number, k.in.scalars[at])
			}
		}
	}
}
