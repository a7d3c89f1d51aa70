package ricci

import (
	"context"
	"errors"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

// A DeviceReport says what is there of a device.
type DeviceReport = device.Report

// A DevicePart is something that a device is made of: a compiler, a driver, a library.
type DevicePart = device.Part

// Devices reports on all devices that Ricci knows, those first that are taken unasked.
func Devices(ctx context.Context, o Options) []DeviceReport {
	return compile.Inspect(ctx, o.internal())
}

// DeviceNames lists the values of Options.Device. Of devices that are numbered only the first has a name there: IsDevice knows the others.
func DeviceNames() []string { return devices.Names() }

// IsDevice reports whether Options.Device may have a value. Whether the device is there Devices and OpenDevice say.
func IsDevice(name string) bool {
	_, known := devices.Named(name)
	return known
}

// AutoTarget is the target that Auto stands for here: that of the best device that can be used, or Eval.
func AutoTarget(ctx context.Context, o Options) Target {
	return Target(compile.AutoTarget(ctx, o.internal()))
}

// A Device is a device that a program has opened, for Options.On. It may be used from any number of goroutines.
type Device struct{ opened device.Device }

// OpenDevice opens the device of the options, with the target, level and numerics that they name; empty means the best one that is
// there. Kernels that are compiled with Options.On work on its memory, each with options of its own.
func OpenDevice(ctx context.Context, o Options) (*Device, error) {
	opened, err := o.internal().Open(ctx, device.Proven)
	switch {
	case err != nil:
		return nil, err
	case opened == nil:
		return nil, errors.New("there is no device: the reference evaluator runs programs")
	}
	return &Device{opened.Device}, nil
}

// Name is that of Options.Device.
func (d *Device) Name() string { return d.opened.Driver().Name }

// nameFor is the name of the device where the options name none.
func (d *Device) nameFor(named string) string {
	if named != "" {
		return named
	}
	return d.Name()
}

// Allocator gives memory of the device, for tensor.NewOn and Tensor.To; nil, which these take for the host, where the device
// works in the memory of the host.
func (d *Device) Allocator() tensor.Allocator {
	if a := d.opened.Allocator(); a != nil {
		return a
	}
	return nil
}

// Wait ends when the device has done all that it was asked for, with the error of what went wrong since somebody waited last. Calls on tensors in
// the memory of a device are queued, and return before they are done (docs/devices.md): who reads such a tensor waits for them, too.
func (d *Device) Wait(ctx context.Context) error {
	if waits, is := d.opened.(device.Waits); is {
		return waits.Wait(ctx)
	}
	return ctx.Err()
}

// Transfers are copies between the host and the memory of a device.
type Transfers = device.Transferred

// Transfers counts the copies to the device and from it, whoever asked for them. A copy from one device to another is one of each. Where the device works in the
// memory of the host there are none.
func (d *Device) Transfers() Transfers {
	if counts, is := d.opened.(device.Transfers); is {
		return counts.Transferred()
	}
	return Transfers{}
}

// Close lets go of the device. Tensors in its memory and kernels stay.
func (d *Device) Close() error { return d.opened.Close() }

// HostMachine describes the machine that the program runs on, with the speeds that `ricci doctor --measure` left in the
// cache of the options, as a text for Options.Machine (docs/machines.md).
func HostMachine(o Options) string { return compile.HostMachine(o.internal()) }

// DeviceMachine describes the device of the options as a text for Options.Machine: by its own description where it has one, else
// as HostMachine does.
func DeviceMachine(ctx context.Context, o Options) (string, error) {
	return compile.DeviceMachine(ctx, o.internal())
}

// Machines lists the machines that are described beforehand: those of MDH's paper, and some processors.
func Machines() []string { return machine.Names() }

// MachineText describes a machine of Machines; ok is false where there is none of that name.
func MachineText(name string) (text string, ok bool) {
	m := machine.Named(name)
	if m == nil {
		return "", false
	}
	return m.Text(), true
}

// Levels lists the levels of instructions that the machine can run, the least first: the values
// of Options.Level, and those that libraries of Build have kernels for.
func Levels() []string { return compile.Levels() }

// AllLevels lists the levels that Ricci knows: those for which Stage shows what would be made, whatever
// the machine can run.
func AllLevels() []string { return compile.AllLevels() }
