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
}

// Describe is the model of a name with the limits of a device. A group has no more items than the model's, whatever the device says: on
// processors that are devices each one costs.
func Describe(model string, l Limit) *machine.Machine {
	m := machine.Named(model)
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
	return m
}
