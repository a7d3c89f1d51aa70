package compile

import (
	"context"
	"errors"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/source"
)

// How a device decides
//
// Schedules are made for the machine of the options or, where they have none, for that of the device: its own, by
// device.Driver.Machine, or the machine at hand. Which device that is has to be known before one is opened, since steps are shown
// without any. Where another one turns out to be there (Job.Open), the job moves.

// A site is what a def is compiled for.
type site struct {
	driver  *device.Driver     // the device, as far as it is known before one is opened; nil: the reference evaluator
	here    *machine.Processor // what that device is, or the machine at hand
	machine *machine.Processor // what schedules are made for: here, or the machine of the options, at their level
	other   bool               // it is not the machine at hand
}

// name is what here is called in messages.
func (s *site) name() string {
	if s.driver == nil || s.driver.Machine == nil {
		return "this machine"
	}
	return "the device " + s.driver.Name
}

// site finds out about the device that will run, and its machine.
func (o Options) site(ctx context.Context) (*site, error) {
	s, err := o.atDevice(ctx)
	if err != nil {
		return nil, err
	}
	described, err := o.described()
	if err != nil {
		return nil, err
	}
	if s.machine = s.here; described != nil {
		if s.machine, s.other = described, true; o.Threads > 0 {
			described.Cores = o.Threads
		}
	}
	if err := errors.Join(o.checkLevel(s, described), o.checkMachine(s, described)); err != nil {
		return nil, err
	}
	if o.Level == "" && o.levelOfCode(s.here) != "" {
		s.machine = s.machine.Within(s.machine.InstructionLevel())
	}
	if l, found := o.level(s.machine); o.Level != "" && found {
		s.machine = s.machine.With(l.VectorBytes, l.VectorRegisters, l.Features)
	}
	return s, nil
}

// atDevice asks the devices of the options, the best first, which machine they are; the first that answers will run. Devices
// that are not there, and what is wrong about the choice, Open reports.
func (o Options) atDevice(ctx context.Context) (*site, error) {
	drivers, _ := o.choice()
	for _, d := range drivers {
		if d.Machine == nil {
			s := o.atHand()
			s.driver = d
			return s, nil
		}
		m, err := d.Machine(ctx, device.Settings{Threads: int(o.ThreadCount()), Ready: device.Asked, Cache: o.openCache(), Notice: o.Notice})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		switch {
		case err != nil && o.Device != "":
			return nil, o.unavailable(err)
		case err != nil:
			continue
		}
		p, err := m.Scheduled()
		if err != nil {
			return nil, source.Internalf("device", source.Span{}, "the machine of the device %s: %w", d.Name, err)
		}
		if o.Threads > 0 {
			p.Cores = min(p.Cores, o.Threads)
		}
		return &site{driver: d, here: p, other: true}, nil
	}
	return o.atHand(), nil
}

// atHand is the machine that Ricci runs on.
func (o Options) atHand() *site {
	m := machine.Host()
	m.Peaks = o.measured(m)
	m.Cores = int(o.ThreadCount())
	return &site{here: m}
}

// moveTo has schedules made for the device of the options.
func (j *Job) moveTo(ctx context.Context, options Options) (err error) {
	if j.site, err = options.site(ctx); err == nil {
		j.Machine = j.site.machine
	}
	return err
}

// Open opens the device that the options ask for, which is another one than was expected where that cannot be used; nil means that
// the reference evaluator runs the kernel.
func (j *Job) Open(ctx context.Context, ready device.Readiness) (*Opened, error) {
	a, err := j.Options.Open(ctx, ready)
	if err != nil || a == nil {
		return nil, err
	}
	if driver := a.Device.Driver(); j.site.driver == nil || j.site.driver.Name != driver.Name {
		options := j.Options
		options.Target, options.Device = driver.Target, driver.Name
		if err := j.moveTo(ctx, options); err != nil {
			return nil, errors.Join(err, a.Device.Close())
		}
	}
	return a, nil
}
