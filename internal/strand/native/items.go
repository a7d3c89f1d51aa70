package native

import (
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/ordering"
	"github.com/ricci-lang/ricci/internal/target"
)

// How strands run on devices with groups of items
//
// Such a device runs each strand by an item, and a block of the order is a group: the kernel is one grid. All else is as on a processor, and
// what strands leave is looked at by the host behind each call. So strands that notice each other, which wants the host between any two
// super-steps, are refused there.

// runsItems reports whether the kernel for a machine and a target is a grid.
func runsItems(m *machine.Processor, t target.Target) bool {
	return m.Grid != nil || target.RunsItems(t)
}

// mostItems is how many items a group has at most on a machine.
func mostItems(m *machine.Processor) int {
	if m.Grid == nil || m.Grid.Items == 0 {
		return ordering.Items
	}
	most := m.Grid.Items
	if x := m.Grid.Along[0]; x > 0 {
		most = min(most, x)
	}
	return int(most)
}

// orderOn is the order of a kernel for a machine and a target: what is chosen, and else what is usual there.
func orderOn(m *machine.Processor, t target.Target, p *strand.Program, chosen ordering.Order) (ordering.Order, error) {
	if !runsItems(m, t) {
		return chosen.Over(ordering.Default(m.VectorBytes, p.Real)), nil
	}
	most := mostItems(m)
	o := chosen.Over(ordering.OfItems(most))
	refuse := func(help, format string, args ...any) (ordering.Order, error) {
		var list source.Diagnostics
		list.Errorf(source.StrandOrder, source.Span{}, format, args...).WithHelp("%s", help)
		return o, list.Err()
	}
	switch {
	case o.Lanes > 1:
		return refuse("write packets 1", "packets of %d strands, and an item of the device runs one", o.Lanes)
	case o.Block > most:
		return refuse("write smaller blocks", "blocks of %d strands, and a group of the device has at most %d items", o.Block, most)
	}
	return o, nil
}

// separate refuses programs whose strands notice each other.
func separate(p *strand.Program, on string) error {
	at, how := p.Communication()
	if how == "" {
		return nil
	}
	return refusedOn(at, on, "its strands "+how)
}

// refusedOn is the error of a program that a device of items does not run.
func refusedOn(at source.Span, on, why string) error {
	var list source.Diagnostics
	list.Errorf(source.StrandDevice, at, "the program does not run on %s, where each strand is an item of its own: %s", on, why).
		WithHelp("run it on the processor: leave out --device and --target, or give --device host")
	return list.Err()
}
