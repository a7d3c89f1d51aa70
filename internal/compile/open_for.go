package compile

import (
	"context"
	"errors"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/target"
)

// OpenFor opens what the options ask for, as Open does, for kernels that no def makes: it says for which machine they are, and by which
// numerics. Nothing is opened where the reference evaluator is to run.
func (o Options) OpenFor(ctx context.Context) (*Opened, *machine.Processor, numerics.Mode, error) {
	mode, err := o.numerics()
	if err != nil {
		return nil, nil, mode, err
	}
	a, err := o.Open(ctx, device.Soon)
	if err != nil || a == nil {
		return nil, nil, mode, err
	}
	driver := a.Device.Driver()
	o.Target, o.Device = driver.Target, driver.Name
	s, err := o.site(ctx)
	if err != nil {
		return nil, nil, mode, errors.Join(err, a.Device.Close())
	}
	return a, s.machine, mode, nil
}

// ShownFor says for what target and machine, and by which numerics, code is that no def makes and that is shown and not run.
func (o Options) ShownFor(ctx context.Context) (target.Target, *machine.Processor, numerics.Mode, error) {
	mode, err := o.numerics()
	if err != nil {
		return nil, nil, mode, err
	}
	t, err := o.ShownTarget()
	if err != nil {
		return nil, nil, mode, err
	}
	s, err := o.site(ctx)
	if err != nil {
		return nil, nil, mode, err
	}
	return t, s.machine, mode, nil
}
