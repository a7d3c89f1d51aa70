package mdh

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/machine"
)

// A Phase is one of the three phases of a computation.
type Phase int

// The phases.
const (
	Decompose Phase = iota
	Scalar
	Recompose
)

// orderNames and assignNames are the parameters of the phases in Table 1.
var (
	orderNames  = [...]string{"D1", "S1", "R1"}
	assignNames = [...]string{"D2", "S2", "R2"}
)

// A Level is an MDH level: a partition layer and a dimension, counted from 1.
type Level struct{ Layer, Dim int }

// String writes a level as the paper does.
func (l Level) String() string { return fmt.Sprintf("(%d,%d)", l.Layer, l.Dim) }

// AnyParts as Row.Parts stands for as many parts as a size that is not known needs.
const AnyParts = 0

// A Place is a memory region and the order in which the dimensions of a buffer are
// laid out there, slowest first, counted from 1: [1 2] is row-major.
type Place struct {
	Region int
	Layout []int
}

func (p Place) same(q Place) bool { return p.Region == q.Region && slices.Equal(p.Layout, q.Layout) }

// A Row holds the parameters of one MDH level.
type Row struct {
	Parts  int64            // 0, the paper's #PRT
	Size   int64            // beyond the paper: of the parts, where those inside make more; 0 for none
	Pad    bool             // beyond the paper: the last part is computed in the size of the others
	Order  [3]int           // D1, S1, R1: the position of the level in a phase, from 0
	Assign [3]machine.Level // D2, S2, R2: who walks the parts
	In     []Place          // D3, D4: where and how each input is read
	Out    []Place          // R3, R4: where and how each output is written
	Marks  Marks            // beyond the paper, too
}

// A Configuration gives the 15 parameters for one computation on one model. Rows are
// the MDH levels in lexicographic order.
type Configuration struct {
	Model         *machine.Machine
	Layers, Dims  int
	Inputs        []string // names of the buffers, in the order of Row.In
	Outputs       []string
	Rows          []Row
	ScalarInputs  []Place // S3, S4
	ScalarOutputs []Place // S5, S6
	// Names and Operators are what a text calls the dimensions and combines them with; tables
	// leave both to the computation.
	Names, Operators []string
}

// Row returns the parameters of a level.
func (c *Configuration) Row(l Level) *Row { return &c.Rows[(l.Layer-1)*c.Dims+l.Dim-1] }

// LevelOf returns the level of row number k.
func (c *Configuration) LevelOf(k int) Level { return Level{k/c.Dims + 1, k%c.Dims + 1} }

// Ordered lists the levels of a phase, outermost first. The orders must be
// permutations.
func (c *Configuration) Ordered(p Phase) []Level {
	list := make([]Level, len(c.Rows))
	for k, r := range c.Rows {
		list[r.Order[p]] = c.LevelOf(k)
	}
	return list
}

// Active lists the levels of a phase with more than one part, outermost first.
func (c *Configuration) Active(p Phase) []Level {
	return slices.DeleteFunc(c.Ordered(p), func(l Level) bool { return c.Row(l).Parts == 1 })
}

// Tile returns the size of the parts of a level: the product of the parts of the inner
// layers, unless it is given.
func (c *Configuration) Tile(l Level) int64 {
	size := int64(1)
	for layer := c.Layers; ; layer-- {
		r := c.Row(Level{layer, l.Dim})
		if r.Size > 0 {
			size = r.Size
		}
		if layer == l.Layer {
			return size
		}
		size = saturate(size, r.Parts)
	}
}

// saturate multiplies two positive numbers, as far as they go.
func saturate(a, b int64) int64 {
	const most = int64(1) << 60
	if b > 0 && a > most/b {
		return most
	}
	return a * b
}

// Clone returns a deep copy.
func (c *Configuration) Clone() *Configuration {
	d := *c
	d.Rows = slices.Clone(c.Rows)
	for k := range d.Rows {
		d.Rows[k].In, d.Rows[k].Out = clonePlaces(d.Rows[k].In), clonePlaces(d.Rows[k].Out)
	}
	d.ScalarInputs, d.ScalarOutputs = clonePlaces(c.ScalarInputs), clonePlaces(c.ScalarOutputs)
	return &d
}

func clonePlaces(list []Place) []Place {
	copies := slices.Clone(list)
	for k := range copies {
		copies[k].Layout = slices.Clone(copies[k].Layout)
	}
	return copies
}

// rowMajor returns the layout [1 … rank].
func rowMajor(rank int) []int {
	layout := make([]int, rank)
	for d := range layout {
		layout[d] = d + 1
	}
	return layout
}

func layoutText(layout []int) string {
	words := make([]string, len(layout))
	for k, d := range layout {
		words[k] = fmt.Sprint(d)
	}
	return "[" + strings.Join(words, ",") + "]"
}

// Plain returns the configuration that computes point after point in the order of the
// program: all parts on the fastest memory layer that is no register, in one nest,
// with the results in the fastest region.
func Plain(c *Computation, m *machine.Machine) *Configuration {
	k := New(c, m)
	layer := k.memoryLayer()
	for d, dim := range c.Dims {
		r := k.Row(Level{layer, d + 1})
		r.Parts = max(1, dim.N)
		if dim.N < 0 {
			r.Parts = AnyParts
		}
	}
	k.SetOrder(c.programOrder(k))
	for l := layer; l <= k.Layers; l++ {
		for d := range c.Dims {
			for o := range k.Outputs {
				if c.Dims[d].Reduced() || l > layer {
					k.Row(Level{l, d + 1}).Out[o].Region = m.Memories()
				}
			}
		}
	}
	return k
}

// memoryLayer is the partition layer on which Plain puts all parts: the last one that
// is assigned to a memory and not to registers.
func (c *Configuration) memoryLayer() int {
	last := 1
	for l := 1; l <= c.Layers && c.Dims > 0; l++ {
		if n := c.Row(Level{l, 1}).Assign[0].Layer; n < c.Model.Memories() || c.Model.Memories() == 1 && n == 1 {
			last = l
		}
	}
	return last
}

// programOrder lists the levels so that concatenated dimensions come before reduced
// ones, each with its layers from the outer to the inner; a layer whose parts belong
// together in one nest.
func (c *Computation) programOrder(k *Configuration) []Level {
	var list []Level
	for _, reduced := range []bool{false, true} {
		for d, dim := range c.Dims {
			if dim.Reduced() != reduced {
				continue
			}
			for l := 1; l <= k.Layers; l++ {
				list = append(list, Level{l, d + 1})
			}
		}
	}
	return list
}

// SetOrder sets D1, S1 and R1 to a list of all levels, outermost first.
func (c *Configuration) SetOrder(levels []Level) {
	for at, l := range levels {
		c.Row(l).Order = [3]int{at, at, at}
	}
}

// New returns a configuration with one part everywhere: core layers that are not
// lanes take the outermost partition layers, then memories from slow to fast, then
// lanes. All buffers are in the slowest region.
func New(c *Computation, m *machine.Machine) *Configuration {
	k := &Configuration{Model: m, Layers: len(m.Layers), Dims: len(c.Dims), Rows: make([]Row, len(m.Layers)*len(c.Dims))}
	for _, b := range c.Inputs {
		k.Inputs = append(k.Inputs, b.Name())
		k.ScalarInputs = append(k.ScalarInputs, Place{m.Memories(), rowMajor(b.Rank())})
	}
	for _, b := range c.Outputs {
		k.Outputs = append(k.Outputs, b.Name())
		k.ScalarOutputs = append(k.ScalarOutputs, Place{m.Memories(), rowMajor(b.Rank())})
	}
	for layer, asm := range partitionLayers(m) {
		for d := range c.Dims {
			r := k.Row(Level{layer + 1, d + 1})
			at := layer*k.Dims + d
			r.Parts, r.Order = 1, [3]int{at, at, at}
			level := machine.Level{Layer: asm, Dim: d + 1}
			r.Assign = [3]machine.Level{level, level, level}
			for _, b := range c.Inputs {
				r.In = append(r.In, Place{1, rowMajor(b.Rank())})
			}
			for _, b := range c.Outputs {
				r.Out = append(r.Out, Place{1, rowMajor(b.Rank())})
			}
		}
	}
	return k
}

// partitionLayers lists the layers of a model in the order in which New partitions
// for them.
func partitionLayers(m *machine.Machine) []int {
	var outer, memories, lanes []int
	for n := range m.Layers {
		switch l := m.Layers[n]; {
		case !l.Core:
			memories = append(memories, n+1)
		case l.Name == "SIMD":
			lanes = append(lanes, n+1)
		default:
			outer = append(outer, n+1)
		}
	}
	return slices.Concat(outer, memories, lanes)
}
