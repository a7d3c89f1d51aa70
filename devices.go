package ricci

import (
	"context"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/machine"
)

// A DeviceReport says what is there of a device.
type DeviceReport = device.Report

// Devices reports on all devices that Ricci knows, those first that are taken unasked.
func Devices(ctx context.Context, o Options) []DeviceReport {
	return compile.Inspect(ctx, o.internal())
}

// DeviceNames lists the values of Options.Device.
func DeviceNames() []string { return devices.Names() }

// AutoTarget is the target that Auto stands for here: that of the best device that can be used, or Eval.
func AutoTarget(ctx context.Context, o Options) Target {
	return Target(compile.AutoTarget(ctx, o.internal()))
}

// HostMachine describes the machine that the program runs on, with the speeds that `ricci doctor --measure` left in the
// cache of the options, as a text for Options.Machine (docs/machines.md).
func HostMachine(o Options) string { return compile.HostMachine(o.internal()) }

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
