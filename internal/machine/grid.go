package machine

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/units"
)

// The layers that quantities of machines with groups of items are about, by the names of CUDA's models; others have them as aliases.
const (
	DeviceMemory = "DEV" // of all groups
	GroupMemory  = "SHR"
	GroupLayer   = "BLK"
	ItemLayer    = "THR"
)

// A Grid is what makers of schedules read of a machine whose programs are grids of groups and items: a memory that each group has
// for itself, one that each item has, and how many there may be. It follows from the machine: the outermost cores run groups, and
// have a memory of their own to which data is copied; the innermost run items. Constraints say how many. What is 0 is not known.
type Grid struct {
	Local   int64    // bytes of memory that the items of a group share
	Private int64    // bytes of memory, or registers, of an item
	Items   int64    // of a group
	Width   int64    // items of a sub-group, where there is a layer of them
	Along   [3]int64 // items of a group along x, y and z
	Groups  [3]int64 // of a grid along x, y and z
	Cores   int64    // that run groups
}

// usualItems is how many items a group may have where the machine does not say.
const usualItems = 64

// Grid returns what a machine has for groups and items; ok is false where it does not run such programs.
func (m *Machine) Grid() (g Grid, ok bool) {
	cores := slices.DeleteFunc(slices.Clone(m.Layers), func(l Layer) bool { return !l.Core })
	if m.Trees || len(cores) < 2 {
		return g, false
	}
	g.Cores = cores[0].Units
	group, item := cores[0].Name, cores[len(cores)-1].Name
	var inGroup []string
	for _, c := range cores[1:] {
		inGroup = append(inGroup, c.Name)
	}
	for _, l := range m.Layers {
		switch {
		case l.Core || !l.Copied:
		case l.PrivateTo == group:
			g.Local, ok = l.Bytes, true
		case l.PrivateTo == item:
			g.Private = l.Bytes
		}
	}
	for _, c := range m.Constraints {
		axis := c.Axis - 1
		switch {
		case c.Kind == PartsTogether && slices.Equal(c.Layers, inGroup):
			g.Items = c.Limit
		case c.Kind == PartsTogether && len(inGroup) > 1 && slices.Equal(c.Layers, []string{item}):
			g.Width = c.Limit
		case c.Kind == PartsAlong && axis >= 0 && axis < len(g.Along) && slices.Equal(c.Layers, []string{item}):
			g.Along[axis] = c.Limit
		case c.Kind == PartsAlong && axis >= 0 && axis < len(g.Groups) && slices.Equal(c.Layers, []string{group}):
			g.Groups[axis] = c.Limit
		}
	}
	if g.Items == 0 {
		g.Items = usualItems
	}
	return g, ok
}

// OfGrid returns a machine of which Grid is what there is of groups and items: it has the layers of the paper's models, and is, as
// Of is, the one for which schedules are made.
func OfGrid(g Grid) *Machine {
	const group, team, item = "BLK", "WRP", "THR"
	m := &Machine{Name: HostName, Layers: []Layer{memory("DEV", "DM"), copied("SHR", "SM", group, g.Local), copied("REG", "RM", item, g.Private), core(group)}}
	m.Layers[len(m.Layers)-1].Units = g.Cores
	inGroup := []string{item}
	if g.Width > 0 {
		inGroup = []string{team, item}
	}
	limit := func(layers []string, most int64, reason string) {
		if most > 0 {
			m.Constraints = append(m.Constraints, Constraint{Kind: PartsTogether, Parameter: "0", Layers: layers, Limit: most, Reason: reason})
		}
	}
	for _, name := range inGroup {
		m.Layers = append(m.Layers, core(name))
	}
	limit(inGroup, g.Items, "so many items has a group at most")
	if g.Width > 0 {
		limit([]string{item}, g.Width, "so many items has a sub-group")
	}
	along := func(layer string, most [3]int64) {
		for axis, n := range most {
			if n > 0 {
				m.Constraints = append(m.Constraints, Constraint{Kind: PartsAlong, Parameter: "0", Layers: []string{layer}, Axis: axis + 1, Limit: n, Reason: "so many are there along an axis at most"})
			}
		}
	}
	along(item, g.Along)
	along(group, g.Groups)
	m.Constraints = append(m.Constraints,
		combine(group, "groups combine in device memory", "DM"), combine(inGroup[0], "items combine in device or shared memory", "DM", "SM"),
		Constraint{Kind: Visible, Parameter: "D3", Layers: []string{group}, Regions: []string{"SM"}, Reason: "shared memory belongs to a group"},
		Constraint{Kind: Visible, Parameter: "D3", Layers: []string{group, item}, Regions: []string{"RM"}, Reason: "registers belong to an item"})
	for _, region := range []struct {
		name, of string
		bytes    int64
	}{{"SM", "a group", g.Local}, {"RM", "an item", g.Private}} {
		for _, parameter := range []string{"D3", "R3"} {
			if region.bytes > 0 {
				m.Constraints = append(m.Constraints, Constraint{Kind: Capacity, Parameter: parameter, Regions: []string{region.name}, Limit: region.bytes, Reason: region.of + " has " + units.Bytes(region.bytes) + " of " + region.name})
			}
		}
	}
	return m
}

// Scheduled returns what makers of schedules read of a machine: Processor, or for one that runs grids a processor of which
// Grid says what there is. An error says what the machine lacks.
func (m *Machine) Scheduled() (*Processor, error) {
	g, ok := m.Grid()
	if !ok {
		return m.Processor()
	}
	p := &Processor{VectorBytes: vectorOfItems, VectorRegisters: registersOfItems, Cores: 1, Grid: &g}
	p.L1 = max(g.Private, vectorOfItems*registersOfItems)
	p.L2 = max(p.L1, g.Local)
	p.L3 = p.L2
	last := m.Layers[len(m.Layers)-1]
	if last.Width > 0 {
		p.VectorBytes = int(last.Width)
	}
	if last.Registers > 0 {
		p.VectorRegisters = int(last.Registers)
	}
	p.readQuantities(m)
	return p, nil
}

// An item loads 16 bytes at once, as all devices do.
const (
	vectorOfItems    = 16
	registersOfItems = 32
)

// InLocal is what a buffer of so many bytes takes of local memory, where each lies at a multiple of the widest vector that is loaded at
// once.
func InLocal(bytes int64) int64 {
	const widest = 16
	return (bytes + widest - 1) / widest * widest
}
