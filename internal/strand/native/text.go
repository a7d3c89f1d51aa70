package native

import (
	"context"
	"fmt"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/internal/strand/ordering"
	"github.com/ricci-lang/ricci/internal/target"
)

// OrderText is the order in which a kernel for the options runs the strands of a program: a text that they take. The
// error is a *lower.Refused where the program has no native form.
func OrderText(ctx context.Context, p *strand.Program, o compile.Options) (string, error) {
	if err := lower.Check(p); err != nil {
		return "", fmt.Errorf("strands of %s have no kernel: %w", p.Name, err)
	}
	on, machine, _, err := o.ShownFor(ctx)
	if err != nil {
		return "", err
	}
	chosen, err := orderOf(o)
	if err != nil {
		return "", err
	}
	order, err := orderOn(machine, on, p, chosen)
	return order.Text(), err
}

// LoopText is the loop program of the kernel for a world that is given this: for the sizes of its images. Its errors are
// those of OrderText and of strand.NewOutline.
func LoopText(ctx context.Context, p *strand.Program, given strand.Given, o compile.Options) (string, error) {
	w, _, err := shown(ctx, p, given, o)
	if err != nil {
		return "", err
	}
	return loop.Print(w.kernel.Loop), nil
}

// CodeText is the code that the target of the options makes of the loop program.
func CodeText(ctx context.Context, p *strand.Program, given strand.Given, o compile.Options) (string, error) {
	w, how, err := shown(ctx, p, given, o)
	if err != nil {
		return "", err
	}
	if err := target.Check(how.Target, w.kernel.Loop); err != nil {
		return "", err
	}
	module, err := how.Target.Print(w.kernel.Loop, target.Options{Machine: how.Machine, Numerics: how.Numerics})
	return module.Code, err
}

// shown makes a world as far as its kernel depends on it, without a device.
func shown(ctx context.Context, p *strand.Program, given strand.Given, o compile.Options) (w *World, how Options, err error) {
	if err := lower.Check(p); err != nil {
		return nil, how, fmt.Errorf("strands of %s have no kernel: %w", p.Name, err)
	}
	if how.Target, how.Machine, how.Numerics, err = o.ShownFor(ctx); err != nil {
		return nil, how, err
	}
	if how.Order, err = orderOf(o); err != nil {
		return nil, how, err
	}
	if runsItems(how.Machine, how.Target) {
		if err := separate(p, "items of "+how.Target.Name()); err != nil {
			return nil, how, err
		}
	}
	outline, err := strand.NewOutline(ctx, p, given, strand.Options{})
	if err != nil {
		return nil, how, err
	}
	w = &World{program: p, outline: outline}
	return w, how, w.lower(how)
}

// orderOf reads the order that the options have; what it does not say is chosen for the machine.
func orderOf(o compile.Options) (ordering.Order, error) {
	if o.Schedule == "" {
		return ordering.Order{}, nil
	}
	name := o.ScheduleFile
	if name == "" {
		name = "order"
	}
	return ordering.Parse(source.NewFile(name, o.Schedule))
}
