// Package system describes machines as abstract system models: their layers of
// memory and of cores, and what each restricts, all of it as data.
package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/units"
)

// How it works
//
// A model (Rasch, "(De/Re)-Composition of Data-Parallel Computations", Definition
// 11) lists layers: memory layers from the slowest to the fastest, then core layers
// from the outermost to the innermost. Each layer is seen as an arrangement in as
// many dimensions as the computation has, so a place of the machine is a Level, a
// pair of layer and dimension. A computation is partitioned on as many layers as
// the machine has, and every part is assigned to a level.
//
// What the paper leaves out of the model stands here too where it is known: how
// much a memory holds, how many units a core layer has, whose units a memory
// belongs to. Restrictions are Constraints, one record each; package mdh evaluates
// them and names them by the parameter that they restrict. The models of the paper
// are functions in models.go; host.go makes the model of the machine at hand.

// A Machine is an abstract system model.
type Machine struct {
	Name   string
	Layers []Layer // memory layers, slow to fast, then core layers, outer to inner
	// Axes are the names of the dimensions of a level, such as "xyz"; without, and
	// behind the last name, dimensions are numbered from 0.
	Axes string
	// Trees says that the programs of the machine are schedule trees, as those of processors
	// are. What a tree expresses restricts the parameters beside Constraints (trees.go).
	Trees       bool
	Constraints []Constraint
}

// A Layer is a kind of memory or of core. What is 0 or empty is not known.
type Layer struct {
	Name    string
	Aliases []string // other names that the literature has for it
	Core    bool

	// Region is the name of a memory as the place of a buffer. The paper keeps the
	// two apart: partitioning for a layer does not copy into its region.
	Region string
	// Copied says that a buffer gets into the region by a copy that the program
	// makes. Other memories are caches, and tags that name them only say what is meant.
	Copied bool
	// PrivateTo names the core layer each unit of which has such a memory for
	// itself; "" is shared by all.
	PrivateTo string
	Bytes     int64 // what one memory holds
	// Reach is how much of it is as fast as Bandwidths say: a virtual machine gets a part of a
	// cache that it shares.
	Reach int64
	Bandwidths

	Units        int64    // cores or lanes
	Width        int64    // bytes of a register of lanes
	Registers    int64    // of lanes, for each core
	Instructions []string // that the lanes have, the widest vectors first
	Rates        []Rate   // of the arithmetic units of lanes
	Ratios       Ratios   // of ways in which lanes compute
	// MeasuredWith is how many units of a core layer the second number of speeds is of.
	MeasuredWith int

	// Quantities are further numbers that are known of it (quantities.go).
	Quantities map[Quantity]float64

	// Origins say where facts come from, by the words of the text form (layer.go).
	Origins map[string]Origin
}

// An Origin says who knows a fact.
type Origin string

// The origins of facts.
const (
	Given    Origin = ""         // whoever wrote the machine
	System   Origin = "system"   // the operating system or the processor says so
	Measured Origin = "measured" // by ricci doctor --measure
	Assumed  Origin = "assumed"  // a guess
)

// IsLanes reports whether a core layer has lanes: the loop on it is inside of all others.
func (m *Machine) IsLanes(layer string) bool {
	return slices.ContainsFunc(m.Constraints, func(c Constraint) bool {
		return (c.Kind == Innermost || c.Kind == Neighbours) && slices.Contains(c.Layers, layer)
	})
}

// A Level is a layer of a model, counted from 1 as in the paper, in a dimension,
// counted from 1.
type Level struct{ Layer, Dim int }

// A Kind says what a constraint restricts.
type Kind uint8

// The kinds of constraints. Layers are those that Constraint.Layers names; parts are
// the values of #PRT on the MDH levels that are assigned to them.
const (
	// PartsTogether limits the product of the parts over all dimensions.
	PartsTogether Kind = iota
	// PartsAlong limits the parts along one dimension, Constraint.Axis.
	PartsAlong
	// PowerOfTwo wants a power of two of parts.
	PowerOfTwo
	// OneDimension allows more than one part in one dimension only.
	OneDimension
	// CombineIn names the regions in which results of units may be combined by an
	// operator that is not concatenation (the R3 rows of Tables 2 to 4).
	CombineIn
	// Visible wants a private region to be used below the loops of its core layer only.
	Visible
	// Capacity limits the bytes of the blocks that are copied into a region.
	Capacity
	// Fused wants one order and one assignment for all three phases.
	Fused
	// Nested wants the parts of a dimension to be visited from the outer to the inner
	// layers.
	Nested
	// Adjacent wants the loops of a core layer side by side.
	Adjacent
	// Neighbours wants the parts on a core layer to be single points.
	Neighbours
	// SameUnits wants what is in regions that belong to the units of a core layer to be copied, computed and
	// combined by the same of them.
	SameUnits
	// Innermost wants the loop of a core layer inside of all others, over neighbours.
	Innermost
	// Falling wants regions to become faster, or stay, from loop to inner loop.
	Falling
	// ReduceAlone wants a reduced dimension on a core layer to be its only one, and no
	// other reduced loop outside of it.
	ReduceAlone
	// Trees wants what a schedule tree expresses for the computation at hand: copies of
	// inputs only, vectors where values allow it, ordered reductions inside, partial
	// results where there is room for them.
	Trees
)

// A Constraint restricts tuning parameters.
type Constraint struct {
	Kind      Kind
	Parameter string   // the parameter of the paper's Table 1
	Layers    []string // of the model
	Regions   []string
	Limit     int64
	Axis      int // for PartsAlong, from 1
	Reason    string
}

// Memories returns the number of memory layers; regions are counted from 1 to it.
func (m *Machine) Memories() int {
	return len(m.Layers) - m.Cores()
}

// Cores returns the number of core layers.
func (m *Machine) Cores() int {
	n := 0
	for _, l := range m.Layers {
		if l.Core {
			n++
		}
	}
	return n
}

// Layer returns the layer with a number, counted from 1.
func (m *Machine) Layer(n int) *Layer { return &m.Layers[n-1] }

// Find returns the number of the layer of that name or alias, or 0.
func (m *Machine) Find(name string) int {
	return 1 + slices.IndexFunc(m.Layers, func(l Layer) bool { return l.is(name) })
}

// is reports whether a layer has a name.
func (l *Layer) is(name string) bool { return l.Name == name || slices.Contains(l.Aliases, name) }

// Region returns the number of the memory region of that name, or 0.
func (m *Machine) Region(name string) int {
	return 1 + slices.IndexFunc(m.Layers, func(l Layer) bool { return !l.Core && l.Region == name })
}

// RegionName returns the name of a region.
func (m *Machine) RegionName(n int) string {
	if n < 1 || n > m.Memories() {
		return "?" + strconv.Itoa(n)
	}
	return m.Layer(n).Region
}

// LevelName writes a level as the paper's tables do, such as "BLK,y".
func (m *Machine) LevelName(l Level) string {
	if l.Layer < 1 || l.Layer > len(m.Layers) {
		return fmt.Sprintf("?%d,%d", l.Layer, l.Dim-1)
	}
	return m.Layer(l.Layer).Name + "," + m.axis(l.Dim)
}

func (m *Machine) axis(dim int) string {
	if dim >= 1 && dim <= len(m.Axes) {
		return m.Axes[dim-1 : dim]
	}
	return strconv.Itoa(dim - 1)
}

// ParseLevel reads what LevelName writes.
func (m *Machine) ParseLevel(text string) (Level, bool) {
	name, axis, ok := strings.Cut(text, ",")
	l := Level{Layer: m.Find(name)}
	if !ok || l.Layer == 0 || axis == "" {
		return l, false
	}
	if at := strings.Index(m.Axes, axis); at >= 0 && len(axis) == 1 {
		l.Dim = at + 1
		return l, true
	}
	n, err := strconv.Atoi(axis)
	l.Dim = n + 1
	return l, err == nil && n >= len(m.Axes) && strconv.Itoa(n) == axis
}

// String lists the layers, such as "MM, L2, L1 | COR".
func (m *Machine) String() string {
	var b strings.Builder
	for i, l := range m.Layers {
		switch {
		case i > 0 && l.Core && !m.Layers[i-1].Core:
			b.WriteString(" | ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(l.Name)
		switch {
		case l.Bytes > 0:
			b.WriteString(" " + units.Bytes(l.Bytes))
		case l.Units > 0:
			fmt.Fprintf(&b, " ×%d", l.Units)
		}
	}
	return b.String()
}
