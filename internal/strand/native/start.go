package native

import (
	"context"
	"errors"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/internal/strand/session"
)

// A Started is a world that runs, and what runs it.
type Started struct {
	session.World
	// By is the device of a kernel, or "strand evaluator".
	By string
	// Why says why no kernel runs where the options ask for one; empty: one runs, or they do not.
	Why   string
	close func() error
}

// Evaluator is what By says where no kernel runs.
const Evaluator = "strand evaluator"

// Close gives up what runs the world.
func (s *Started) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// Start makes a world: by a kernel on the device of the options, or, where the program has no native form or the options
// ask for the reference evaluator, strand after strand.
func Start(ctx context.Context, p *strand.Program, given strand.Given, how strand.Options, o compile.Options) (*Started, error) {
	how.Memory = o.MemoryLimit()
	chosen, err := orderOf(o)
	if err != nil {
		return nil, err
	}
	why := sequential(p, how)
	if why != "" && o.Device == "" && o.Target == "" {
		return evaluated(ctx, p, given, how, why)
	}
	opened, machine, mode, err := o.OpenFor(ctx)
	if err != nil {
		return nil, err
	}
	if opened == nil {
		return evaluated(ctx, p, given, how, "")
	}
	if why != "" {
		err := opened.Device.Close()
		if runsItems(machine, opened.Target) {
			err = errors.Join(refusedOn(p.Pos, opened.Device.Driver().Name, why), err)
		}
		if err != nil {
			return nil, err
		}
		return evaluated(ctx, p, given, how, why)
	}
	w, err := New(ctx, p, given, Options{Device: opened.Device, Target: opened.Target, Machine: machine, Numerics: mode, Cache: opened.Cache,
		Compile: opened.CompileOptions(), Notice: o.Notice, Memory: how.Memory, Print: how.Print, Order: chosen})
	if err != nil {
		return nil, errors.Join(err, opened.Device.Close())
	}
	return &Started{World: w, By: opened.Device.Driver().Name, close: func() error { return errors.Join(w.Close(), opened.Device.Close()) }}, nil
}

// sequential says why no kernel runs a program, but the evaluator one strand after the other; nothing where one does.
func sequential(p *strand.Program, how strand.Options) string {
	var refused *lower.Refused
	switch err := lower.Check(p); {
	case errors.As(err, &refused):
		return refused.Error()
	case how.ShowStable: // the outcome is that of one order of strands
		return "strands see others as these end, one after the other"
	}
	return ""
}

func evaluated(ctx context.Context, p *strand.Program, given strand.Given, how strand.Options, why string) (*Started, error) {
	w, err := strand.NewWorld(ctx, p, given, how)
	if err != nil {
		return nil, err
	}
	return &Started{World: w, By: Evaluator, Why: why}, nil
}
