package compile

import (
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

// processor describes what to make schedules for: the machine of the options, or that at hand. What is wrong with
// the former checkMachine reports.
func (o Options) processor() *machine.Processor {
	m, err := o.described()
	if m == nil || err != nil {
		m = machine.Host()
		m.Peaks = o.measured(m)
		m.Cores = int(o.ThreadCount())
	} else if o.Threads > 0 {
		m.Cores = o.Threads
	}
	if o.Level == "" && o.levelOfCode() != "" {
		m = m.Within(m.InstructionLevel())
	}
	if l, found := o.level(m); o.Level != "" && found {
		return m.With(l.VectorBytes, l.VectorRegisters, l.Features)
	}
	return m
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
	p, err := m.Processor()
	if err != nil {
		d := &source.Diagnostic{Code: source.MachineUnfit, Message: err.Error()}
		return nil, source.ErrorList{d.WithHelp("begin with what 'ricci doctor --machine' prints; the parameters of MDH have other machines, by name: docs/machines.md")}
	}
	return p, nil
}

// checkMachine reports a machine that cannot be read, is no processor, or has what this one lacks where something is to run.
func (o Options) checkMachine() error {
	m, err := o.described()
	if m == nil || err != nil || o.Shown {
		return err
	}
	host := machine.Host()
	missing := slices.DeleteFunc(slices.Clone(m.Features), func(f string) bool { return slices.Contains(host.Features, f) })
	what := ""
	switch {
	case len(missing) > 0:
		what = "the instructions " + strings.Join(missing, ", ")
	case m.VectorBytes > host.VectorBytes:
		what = fmt.Sprintf("vectors of %d bytes", m.VectorBytes)
	default:
		return nil
	}
	d := &source.Diagnostic{Code: source.MachineUnfit, Message: "this machine cannot be the one that is described: it lacks " + what}
	return source.ErrorList{d.WithHelp("'ricci show' takes any machine; leave out what this one lacks to run something")}
}
