// Package estimate predicts from a schedule alone how long a function takes, and
// what holds it up: the analytical cost model.
package estimate

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How it works
//
// A Model is made once for a function and a machine: the accesses of every
// statement as coefficients of its indices, what a point costs in instructions
// (model.go), and the speeds of the machine (machine.go), measured ones where there
// are any. It then judges any number of trees, each by one walk over it.
//
// The walk (walk.go) carries, for every index of every statement, how large the
// block is that is left to enumerate. Coming back from the leaves it adds up two
// things for one execution of a subtree.
//
// Instructions (work.go). The unrolled and vector members around a leaf form a body
// (body.go). A load that does not depend on some of them is shared by their iterations,
// and one that does not depend on the loop outside is hoisted (moves.go). Factors of a
// sum that all of its loops leave alone are taken out of it. A body takes as
// long as the busiest of the arithmetic units, the load ports, the store port, the
// front end, and the chain of accumulations that wait for one another. Accumulators
// that do not fit into registers are loaded and stored with every term. Around the bodies
// come the control of loops, the life of accumulators (accumulators.go), and copies into
// placed blocks (copies.go).
//
// Lines (footprint.go, region.go). A subtree touches a region of each tensor, whose lines can
// be counted from the sizes of the blocks. If what one iteration of a loop touches
// fits into a layer of memory, the layer keeps it until the next iteration, and the
// whole loop loads its region once; otherwise every iteration loads its own again.
// The change is gradual around the capacity. Rows that lie a multiple of a part of a
// page apart compete for the same lines of the first layer, and count more. What writing
// a line costs follows from the measured speeds of copies; a stream passes the caches by.
//
// The parts of a function that run one after the other are added. The time of a part
// is the largest of its components and a share of the others, since a processor
// overlaps them, but not completely. A report is not below the floor of the machine: layers
// keep a part of what they are too small for, where the floor goes by their measured
// speeds, and a shared one that was measured with more than a guest has of it is supposed to
// be faster.

// Estimate judges one tree; for several of a function, make a Model.
func Estimate(f *ein.Func, t *schedule.Tree, m *machine.Processor) (*Report, error) {
	model, err := New(f, m, schedule.Options{})
	if err != nil {
		return nil, err
	}
	return model.Estimate(t)
}

// New prepares the estimates for a function whose schedules Check has accepted or
// will. Sizes that are not known are supposed to be of medium size.
func New(f *ein.Func, m *machine.Processor, options schedule.Options) (*Model, error) {
	model := &Model{f: f, machine: m}
	model.compile(options)
	model.speeds = speedsOf(m, model.widest())
	return model, nil
}

// Estimate predicts the time of the function under a tree, which must be one of the
// function.
func (m *Model) Estimate(t *schedule.Tree) (*Report, error) {
	r, err := m.parts(t)
	if err != nil {
		return nil, err
	}
	if m.machine.Grid != nil {
		m.gridFloor(r)
	} else {
		m.floor(r)
	}
	r.Seconds = max(r.Seconds, r.Floor.Seconds)
	return r, nil
}

// parts estimates the parts of a tree and adds them up.
func (m *Model) parts(t *schedule.Tree) (*Report, error) {
	if len(t.Statements) != len(m.statements) {
		return nil, fmt.Errorf("the schedule is for %d statements, and %s has %d", len(t.Statements), m.f.Name, len(m.statements))
	}
	if m.machine.Grid != nil {
		return m.gridParts(t)
	}
	w := m.newWalker()
	r := &Report{Function: m.f.Name, Measured: m.machine.Peaks != nil}
	for _, part := range parts(t.Root) {
		u := w.node(part)
		if w.err != nil {
			return nil, w.err
		}
		p := m.part(w, u)
		r.Parts = append(r.Parts, p)
		r.Seconds += p.Seconds
	}
	return r, nil
}

// Seconds is Estimate without the explanation, and without the floor, at which all schedules
// would be equal.
func (m *Model) Seconds(t *schedule.Tree) (float64, error) {
	r, err := m.parts(t)
	if err != nil {
		return 0, err
	}
	return r.Seconds, nil
}

// parts returns the subtrees that run one after the other.
func parts(root schedule.Node) []schedule.Node {
	s, ok := root.(*schedule.Sequence)
	if !ok {
		return []schedule.Node{root}
	}
	var list []schedule.Node
	for _, c := range s.Children {
		list = append(list, c)
	}
	return list
}
