package card

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/machine"
)

// A Limit is what a device says of its groups; 0 where it says nothing.
type Limit struct {
	Region string // of the memory that a group shares, in the model
	Bytes  int64  // of it
	Items  int64  // that a group may have
	// Along is how many items a group may have along x, y and z, and Groups how many groups a launch may have.
	Along, Groups [3]int64
	Cores         int64 // that run groups
	Instructions  []string
	// Quantities are what it says of its speeds, and of what its cores have; 0 is nothing.
	Quantities map[machine.Quantity]float64
}

// Describe is the model of a name with the limits of a device. A group has no more items than the model's, whatever the device says: on
// processors that are devices each one costs.
func Describe(model string, l Limit) *machine.Machine {
	m := machine.Named(model)
	if n := m.Find(machine.GroupLayer); n > 0 && l.Cores > 0 {
		m.Layer(n).Units = l.Cores
	}
	if l.Instructions != nil {
		m.Layers[len(m.Layers)-1].Instructions = l.Instructions
	}
	for q, value := range l.Quantities {
		m.SetQuantity(q, value)
	}
	for i := range m.Layers {
		if memory := &m.Layers[i]; memory.Region == l.Region && l.Bytes > 0 {
			memory.Bytes = l.Bytes
		}
	}
	for i := range m.Constraints {
		switch c := &m.Constraints[i]; {
		case c.Kind == machine.Capacity && slices.Contains(c.Regions, l.Region) && l.Bytes > 0:
			c.Limit = l.Bytes
		case c.Kind == machine.PartsTogether && l.Items > 0:
			c.Limit = min(c.Limit, l.Items)
		}
	}
	cores := slices.DeleteFunc(slices.Clone(m.Layers), func(l machine.Layer) bool { return !l.Core })
	along(m, cores[0].Name, l.Groups)
	along(m, cores[len(cores)-1].Name, l.Along)
	return m
}

// along sets the limits of a layer along the axes.
func along(m *machine.Machine, layer string, most [3]int64) {
	for axis, n := range most {
		if n <= 0 {
			continue
		}
		known := slices.IndexFunc(m.Constraints, func(c machine.Constraint) bool {
			return c.Kind == machine.PartsAlong && c.Axis == axis+1 && slices.Equal(c.Layers, []string{layer})
		})
		if known >= 0 {
			m.Constraints[known].Limit = n
			continue
		}
		m.Constraints = append(m.Constraints, machine.Constraint{Kind: machine.PartsAlong, Parameter: "0", Layers: []string{layer}, Axis: axis + 1, Limit: n,
			Reason: "the driver says that there are no more along an axis"})
	}
}
