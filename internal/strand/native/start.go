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
	var refused *lower.Refused
	if err := lower.Check(p); errors.As(err, &refused) {
		return evaluated(ctx, p, given, how, refused.Error())
	}
	if how.ShowStable {
		return evaluated(ctx, p, given, how, "strands see others as these end, one after the other")
	}
	opened, machine, mode, err := o.OpenFor(ctx)
	if err != nil {
		return nil, err
	}
	if opened == nil {
		return evaluated(ctx, p, given, how, "")
	}
	w, err := New(ctx, p, given, Options{Device: opened.Device, Target: opened.Target, Machine: machine, Numerics: mode, Cache: opened.Cache,
		Compile: opened.CompileOptions(), Notice: o.Notice, Memory: how.Memory, Print: how.Print, Order: chosen})
	if err != nil {
		return nil, errors.Join(err, opened.Device.Close())
	}
	return &Started{World: w, By: opened.Device.Driver().Name, close: func() error { return errors.Join(w.Close(), opened.Device.Close()) }}, nil
}

func evaluated(ctx context.Context, p *strand.Program, given strand.Given, how strand.Options, why string) (*Started, error) {
	w, err := strand.NewWorld(ctx, p, given, how)
	if err != nil {
		return nil, err
	}
	return &Started{World: w, By: Evaluator, Why: why}, nil
}
