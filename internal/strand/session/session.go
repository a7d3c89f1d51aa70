// Package session runs a program of strands between files: it makes what a world is given out of
// arrays and files, runs super-steps with snapshots, and names and writes what comes out.
package session

import (
	"context"
	"strconv"
	"sync"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// How it works
//
// Inputs (inputs.go) collects values, images and sequences by the names that a program gives them,
// and completes them with the files that the program names. A Run (here) takes a world from step to
// step. Writing (outputs.go) turns outputs into images whose axes have the kinds of the original's
// files. Who asks for all this is a command line: that of the original (package commandline) or
// Ricci's own.

// A World is a running program, whoever runs it.
type World interface {
	Step(ctx context.Context) error
	Run(ctx context.Context, limit int) (int, error)
	Steps() int
	Count(set strand.Set) int
	Outputs() ([]*strand.Output, error)
	Snapshot() ([]*strand.Output, error)
}

// A Run takes a world to its end.
type Run struct {
	World World
	// Limit is the most super-steps; 0 is any number.
	Limit int
	// Every is how many super-steps lie between snapshots; 0 is none. The first one is that of the
	// initial states, the last one that of the last step.
	Every int
	// Snapshot takes one away while the next step runs; calls do not overlap.
	Snapshot func(step int, outputs []*strand.Output) error
	// Stepped, if it is there, hears of each step.
	Stepped func()
}

// Run returns the number of steps. After an error of the world, snapshots that were taken before are
// complete.
func (r *Run) Run(ctx context.Context) (steps int, err error) {
	if r.Every == 0 && r.Stepped == nil {
		return r.World.Run(ctx, r.Limit)
	}
	saver := &saver{take: r.Snapshot}
	defer func() {
		if failed := saver.wait(); err == nil {
			err = failed
		}
	}()
	for {
		steps, isOver := r.World.Steps(), r.isOver()
		if r.Every > 0 && (steps%r.Every == 0 || isOver) {
			if err := saver.save(r.World, steps); err != nil {
				return steps, err
			}
		}
		if isOver {
			return steps, nil
		}
		if err := r.World.Step(ctx); err != nil {
			return steps, err
		}
		if r.Stepped != nil {
			r.Stepped()
		}
	}
}

func (r *Run) isOver() bool {
	return r.World.Count(strand.Active) == 0 || r.Limit > 0 && r.World.Steps() >= r.Limit
}

// A saver takes snapshots away, one after the other.
type saver struct {
	take    func(int, []*strand.Output) error
	working sync.WaitGroup
	err     error // read after working
}

// save copies the states, waits for the snapshot before, and begins to write.
func (s *saver) save(w World, step int) error {
	outputs, err := w.Snapshot()
	if err != nil {
		return err
	}
	if err := s.wait(); err != nil {
		return err
	}
	s.working.Add(1)
	go func() {
		defer s.working.Done()
		defer source.RecoverInternal("a snapshot", &s.err)
		s.err = s.take(step, outputs)
	}()
	return nil
}

func (s *saver) wait() error {
	s.working.Wait()
	return s.err
}

// NoneStable is the error of a world of a program that has ended without outputs. It stands where strands would become
// stable, or where there are none.
func NoneStable(p *strand.Program, w World) error {
	steps := "1 super-step was"
	if n := w.Steps(); n != 1 {
		steps = strconv.Itoa(n) + " super-steps were"
	}
	d := problem(source.StrandNoOutput, p.Stable(), "%v: %s run, %d strands are still active", strand.ErrNoneStable, steps, w.Count(strand.Active))
	if w.Count(strand.Active) == 0 {
		return d.WithHelp("all strands have died, or there were none")
	}
	return d.WithHelp("strands become stable by stabilize; a limit of super-steps may end a run before")
}
