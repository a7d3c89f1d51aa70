package strand

import (
	"context"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// A flow is how a statement ends.
type flow uint8

const (
	onward flow = iota // the next statement runs
	continued
	stabilized
	died
	failed // the runner has a fault
)

// A code runs a statement in the current state of a runner.
type code func() flow

// A runner holds the values of all variables while a block runs.
type runner struct {
	w         *World
	scalar    *ein.Scalar
	sequences map[*Variable][]ein.Number // of dynamic sequences; elements are never changed
	appended  map[*Variable]*ein.Number  // the last element of the list that a variable was made by appending
	holding   [][]ein.Number             // lists that run out of sight: of loops, and of a strand that creates another one
	self      *strand                    // nil in blocks of the world
	fault     *Fault
	ctx       context.Context
	ticks     int
	err       error // of the compilation

	initialize, before, body, begin, start, update, stabilize, globalStart, globalUpdate code

	low, high []func() ein.Number // of the iterators
	arguments []func() ein.Number
	layout    []int       // the places of what a strand keeps: parameters, then states
	kept      []*Variable // its dynamic sequences
}

// compile turns the blocks of a program into codes.
func compile(w *World) (*runner, error) {
	p := w.program
	r := &runner{w: w, scalar: ein.NewScalar(), sequences: map[*Variable][]ein.Number{}, appended: map[*Variable]*ein.Number{}}
	for _, role := range []Role{Parameter, State} {
		for _, v := range p.ByRole(role) {
			for _, l := range v.Parts {
				r.layout = append(r.layout, r.scalar.Slot(l))
			}
			if v.Type.Dynamic {
				r.kept = append(r.kept, v)
			}
		}
	}
	r.initialize, r.before, r.body = r.block(p.Initialize), r.block(p.Create.Before), r.block(p.Create.Body)
	r.begin, r.start, r.update, r.stabilize = r.block(p.Begin), r.block(p.Start), r.block(p.Update), r.block(p.Stabilize)
	r.globalStart, r.globalUpdate = r.block(p.GlobalStart), r.block(p.GlobalUpdate)
	for _, i := range p.Create.Iterators {
		r.low, r.high = append(r.low, r.expr(i.Low)), append(r.high, r.expr(i.High))
	}
	r.arguments = r.exprs(p.Create.Arguments)
	return r, r.err
}

func (r *runner) block(b Block) code {
	codes := make([]code, len(b))
	for k, s := range b {
		codes[k] = r.stmt(s)
	}
	return func() flow {
		for _, c := range codes {
			if f := c(); f != onward {
				return f
			}
		}
		return onward
	}
}

func (r *runner) expr(e ein.Expr) func() ein.Number {
	f, err := r.scalar.Compile(e)
	if err != nil && r.err == nil {
		r.err = err
	}
	return f
}

func (r *runner) exprs(list []ein.Expr) []func() ein.Number {
	codes := make([]func() ein.Number, len(list))
	for k, e := range list {
		codes[k] = r.expr(e)
	}
	return codes
}

func (r *runner) slots(locals []*ein.Local) []int {
	slots := make([]int, len(locals))
	for k, l := range locals {
		slots[k] = r.scalar.Slot(l)
	}
	return slots
}

func (r *runner) stmt(s Stmt) code {
	switch s := s.(type) {
	case *Assign:
		to, value := r.scalar.Slot(s.To), r.expr(s.Value)
		return func() flow { r.scalar.Set(to, value()); return onward }
	case *If:
		cond, yes, no := r.expr(s.Cond), r.block(s.Then), r.block(s.Else)
		return func() flow {
			if cond().Int != 0 {
				return yes()
			}
			return no()
		}
	case *ForRange:
		return r.forRange(s)
	case *Exit:
		f := map[ExitKind]flow{Continue: continued, Stabilize: stabilized, Die: died}[s.Kind]
		return func() flow { return f }
	case *AllExit:
		return func() flow { r.w.exitAll = append(r.w.exitAll, s.Kind); return onward }
	case *New:
		arguments := r.exprs(s.Arguments)
		return func() flow { return r.create(arguments, s.Pos) }
	case *Message:
		return func() flow { return r.w.print(r, s) }
	case *Count:
		to := r.scalar.Slot(s.To)
		return func() flow { r.scalar.Set(to, ein.Number{Int: int64(r.w.Count(s.Set))}); return onward }
	case *Query:
		return r.query(s)
	case *Get:
		return r.get(s)
	case *Reduce:
		return r.reduce(s)
	case *Sample:
		return r.sample(s)
	case *Eigen:
		return r.eigen(s)
	}
	return r.sequenceStmt(s)
}

func (r *runner) forRange(s *ForRange) code {
	variable, low, high, body := r.scalar.Slot(s.Variable.Parts[0]), r.expr(s.Low), r.expr(s.High), r.block(s.Body)
	return func() flow {
		last := high().Int
		for i := low().Int; i <= last; i++ {
			r.scalar.Set(variable, ein.Number{Int: i})
			if f := body(); f != onward {
				return f
			}
			if r.expired() || i == last {
				break
			}
		}
		return r.outcome()
	}
}

// outcome is how a loop ends that no exit has ended.
func (r *runner) outcome() flow {
	if r.fault != nil {
		return failed
	}
	return onward
}

// expired asks now and then whether the context has ended, which ends a run as a fault does.
func (r *runner) expired() bool {
	if r.ticks++; r.ticks%1024 == 0 && r.ctx.Err() != nil {
		r.stop(r.ctx.Err())
	}
	return r.fault != nil
}

// load puts the values that a strand keeps into their places.
func (r *runner) load(values *values) {
	for k, slot := range r.layout {
		r.scalar.Set(slot, values.scalars[k])
	}
	for k, v := range r.kept {
		r.sequences[v] = values.sequences[k]
	}
}

// store takes them from there.
func (r *runner) store() *values {
	v := &values{scalars: make([]ein.Number, len(r.layout)), sequences: make([][]ein.Number, len(r.kept))}
	for k, slot := range r.layout {
		v.scalars[k] = r.scalar.Get(slot)
	}
	for k, kept := range r.kept {
		v.sequences[k] = r.sequences[kept]
	}
	return v
}

// create makes a strand, which is initialised but does not run, and goes back to the one that runs.
func (r *runner) create(arguments []func() ein.Number, pos source.Span) flow {
	if !r.takes(r.w.perStrand(), pos, "a strand is created") {
		return failed
	}
	born := &strand{fresh: true}
	given := make([]ein.Number, len(arguments))
	for k, a := range arguments {
		given[k] = a()
	}
	creator := r.self
	var own *values
	if creator == nil { // one of the first
		born.number = r.w.lowest + len(r.w.strands)
		r.w.strands = append(r.w.strands, born)
		r.self = born
	} else {
		own = r.store()
		r.holding = append(r.holding, own.sequences...)
		creator.born = append(creator.born, born)
	}
	for k, v := range given {
		r.scalar.Set(r.layout[k], v)
	}
	f := r.begin()
	born.in = r.store()
	born.seen = born.in
	if r.self = creator; own != nil {
		r.holding = r.holding[:len(r.holding)-len(own.sequences)]
		r.load(own)
	}
	if f == failed {
		return failed
	}
	return onward
}
