package compile

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/source"
)

// HostMachine describes the machine that the program runs on, with the speeds that were measured.
func HostMachine(o Options) string {
	m := machine.Detect()
	m.WithPeaks(o.measured(machine.Host()))
	return m.Text()
}

// DeviceMachine describes the device of the options: by its own description, or as the machine that the program runs on.
func DeviceMachine(ctx context.Context, o Options) (string, error) {
	drivers, err := o.choice()
	if err != nil {
		return "", err
	}
	if len(drivers) == 0 || drivers[0].Machine == nil {
		return HostMachine(o), nil
	}
	m, err := drivers[0].Machine(ctx, device.Settings{Threads: int(o.ThreadCount()), Ready: device.Asked, Cache: o.openCache(), Notice: o.Notice})
	switch {
	case err != nil && o.Device != "":
		return "", o.unavailable(err)
	case err != nil:
		return "", err
	}
	return m.Text(), nil
}

// measured are the peaks of a machine that the cache knows, nil without.
func (o Options) measured(m *machine.Processor) *machine.Peaks {
	if o.NoCache {
		return nil
	}
	c, err := cache.Open(o.CacheDir, nil)
	if err != nil {
		return nil
	}
	return device.LoadPeaks(c, m)
}

// described is the machine of the options; nil where they have none.
func (o Options) described() (*machine.Processor, error) {
	if o.Machine == "" {
		return nil, nil
	}
	name := o.MachineFile
	if name == "" {
		name = "machine"
	}
	m, err := machine.ParseMachine(source.NewFile(name, o.Machine))
	if err != nil {
		return nil, err
	}
	p, err := m.Scheduled()
	if err != nil {
		d := &source.Diagnostic{Code: source.MachineUnfit, Message: err.Error()}
		return nil, source.ErrorList{d.WithHelp("begin with what 'ricci doctor --machine' prints; the parameters of MDH have other machines, by name: docs/machines.md")}
	}
	return p, nil
}

// checkMachine reports a machine that has what the device lacks where something is to run.
func (o Options) checkMachine(s *site, described *machine.Processor) error {
	if described == nil || o.Shown {
		return nil
	}
	missing := slices.DeleteFunc(slices.Clone(described.Features), func(f string) bool {
		return slices.Contains(s.here.Features, f) || described.Grid != nil && s.here.Grid == nil // whose grids are evaluated
	})
	what := ""
	switch {
	case len(missing) > 0:
		what = "the instructions " + strings.Join(missing, ", ")
	case described.VectorBytes > s.here.VectorBytes:
		what = fmt.Sprintf("vectors of %d bytes", described.VectorBytes)
	default:
		return nil
	}
	d := &source.Diagnostic{Code: source.MachineUnfit, Message: s.name() + " cannot be the one that is described: it lacks " + what}
	return source.ErrorList{d.WithHelp("'ricci show' takes any machine; leave out what is lacking to run something")}
}
