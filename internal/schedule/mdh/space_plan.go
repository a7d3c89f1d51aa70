package mdh

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
)

// A choice is a point of a group, decoded.
type choice struct {
	fuse      bool
	simd      int
	registers []int64   // by dimension of the lead
	apart     int       // the reduced dimension whose points in the register tile are combined last; -1 for none
	cores     int64     // see coreChoices
	blocks    [][]int64 // by dimension and partition layer; WholeBlock where not cut
	orders    [][]int   // by partition layer
	copies    []int64   // by input, see copyChoices
	turned    []bool    // by input: the other layout
}

// decode reads the values of a point.
func (s *groupSpace) decode(point []int64) *choice {
	c := &choice{fuse: s.fused, simd: -1, apart: -1, orders: make([][]int, s.laneLayer()+1), copies: make([]int64, len(s.lead.Inputs)), turned: make([]bool, len(s.lead.Inputs))}
	for range s.lead.Dims {
		c.registers = append(c.registers, 1)
		sizes := make([]int64, s.laneLayer()+1)
		for l := range sizes {
			sizes[l] = WholeBlock
		}
		c.blocks = append(c.blocks, sizes)
	}
	for i, p := range s.parameters {
		switch v := point[i]; p.role {
		case fuse:
			c.fuse = v == 1
		case simd:
			c.simd = int(v)
		case registers:
			c.registers[p.dim] = v
		case apart:
			c.apart = int(v) - 1
		case cores:
			c.cores = v
		case block:
			c.blocks[p.dim][p.layer] = v
		case order:
			c.orders[p.layer] = s.orders(p.layer)[v]
		case copyFrom:
			c.copies[p.layer] = v
		case copyLayout:
			c.turned[p.layer] = v == 1
		}
	}
	return c
}

func (s *groupSpace) values() int { return len(s.parameters) }

// wanted is the inverse of decode for the configuration that a plan has of the lead: the numbers of a
// point, some of which may not be offered.
func (s *groupSpace) wanted(p *Plan) []int64 {
	var k *Configuration
	fused := false
	for _, g := range p.Groups {
		for _, m := range g.Members {
			if m.Statement == s.lead.Statement {
				k, fused = m.Configuration, len(g.Members) > 1
			}
		}
	}
	point := make([]int64, len(s.parameters))
	for i, p := range s.parameters {
		switch p.role {
		case fuse:
			if fused {
				point[i] = 1
			}
		case simd:
			point[i] = -1
			for d := range s.lead.Dims {
				if k != nil && k.Row(Level{s.laneLayer(), d + 1}).Parts > 1 {
					point[i] = int64(d)
				}
			}
		case registers:
			point[i] = 1
			if k != nil {
				point[i] = k.Row(Level{s.registerLayer(), p.dim + 1}).Parts
			}
		case apart:
			for d := range s.lead.Dims {
				if k != nil && nestOf(s.lead, k).keep[Level{s.registerLayer(), d + 1}] > 0 {
					point[i] = int64(1 + d)
				}
			}
		case cores:
			point[i] = s.coresOf(k)
		case block:
			point[i] = WholeBlock
			for layer := 1; k != nil && layer <= p.layer; layer++ {
				if l := (Level{layer, p.dim + 1}); k.Row(l).Parts != 1 {
					point[i] = k.Tile(l)
				}
			}
		case order:
			if k != nil {
				o := s.orderOf(k, p.layer)
				point[i] = int64(max(0, slices.IndexFunc(s.orders(p.layer), func(x []int) bool { return slices.Equal(x, o) })))
			}
		case copyFrom:
			point[i] = s.copyOf(k, p.layer)
		case copyLayout:
			if k != nil && s.copyOf(k, p.layer) > 0 {
				last := k.Row(k.Active(Decompose)[len(k.Active(Decompose))-1]).In[p.layer]
				if !slices.Equal(last.Layout, s.lead.vectorLayout(s.lead.Inputs[p.layer], s.laneDim(k))) {
					point[i] = 1
				}
			}
		}
	}
	return point
}

func (s *groupSpace) laneDim(k *Configuration) int {
	for d := range s.lead.Dims {
		if k.Row(Level{s.laneLayer(), d + 1}).Parts > 1 {
			return d
		}
	}
	return -1
}

func (s *groupSpace) coresOf(k *Configuration) int64 {
	if k == nil {
		return 0
	}
	for at, l := range k.Active(Decompose) {
		switch {
		case k.kind(l) != coresLoop:
		case s.lead.Dims[l.Dim-1].Reduced() && at > 0:
			return int64(insideBatches + 1 - l.Dim)
		case s.lead.Dims[l.Dim-1].Reduced():
			return int64(-l.Dim)
		case at > 0 && k.kind(k.Active(Decompose)[0]) != coresLoop:
			return 2
		default:
			return 1
		}
	}
	return 0
}

// copyOf is the first layer on which an input is copied, as a value of copyChoices.
func (s *groupSpace) copyOf(k *Configuration, b int) int64 {
	if k == nil {
		return 0
	}
	for _, l := range k.Active(Decompose) {
		if k.Model.Layer(k.Row(l).In[b].Region).Copied {
			return int64(16 * min(l.Layer, s.registerLayer()))
		}
	}
	return 0
}

// plan makes the groups of a point.
func (s *groupSpace) plan(point []int64) []*Group {
	c := s.decode(point)
	g := &Group{}
	for i := range s.members {
		g.Members = append(g.Members, Member{s.members[i].Statement, s.configuration(i, c)})
	}
	if s.fused && c.fuse {
		g.Shared = s.shared(g)
		if g.Shared > 0 {
			g.Placed = s.contracted(g)
			return []*Group{g}
		}
	}
	var list []*Group
	for _, m := range g.Members {
		list = append(list, Single(m.Statement, m.Configuration))
	}
	return list
}

// shared sets and returns how many loops a fused group has in common.
func (s *groupSpace) shared(g *Group) int {
	n := 0
	for _, l := range g.Members[0].Configuration.Active(Decompose) {
		if l.Layer > s.sharedLayers() {
			break
		}
		n++
	}
	g.Shared = n
	if g.fits(s.f, 0) != nil { // no common blocks: loops of their own
		g.Shared = 0
	}
	return g.Shared
}

// sharedLayers is the last partition layer whose loops a fused group shares.
func (s *groupSpace) sharedLayers() int { return max(1, s.model.Memories()-2) }

// contracted lists the temporaries whose block is small enough for the stack.
func (s *groupSpace) contracted(g *Group) []Placed {
	const most, mostTogether = machine.StackBytes * 3 / 32, machine.StackBytes / 4
	var list []Placed
	together := int64(0)
	for _, name := range s.placed {
		bytes := int64(unknownSize)
		for i, c := range s.members {
			for _, b := range c.Outputs {
				if b.Name() != name {
					continue
				}
				v := &validator{c: c, k: g.Members[i].Configuration}
				blocks := v.blocks()
				for _, l := range v.k.Active(Decompose)[:g.Shared] {
					blocks.enter(l)
				}
				if n, ok := c.blockBytes(b, blocks); ok {
					bytes = n
				}
			}
		}
		if bytes <= most && together+bytes <= mostTogether {
			list, together = append(list, Placed{Name: name}), together+bytes
		}
	}
	return list
}

// configuration makes the configuration of member i.
func (s *groupSpace) configuration(i int, c *choice) *Configuration {
	m := s.members[i]
	if m != s.lead {
		c = s.follow(i, c)
	}
	if !m.isFree() {
		return s.ordered(m, s.models[i], c)
	}
	k := New(m, s.models[i])
	k.innerCores(c.outside())
	for d := range m.Dims {
		s.cut(m, k, c, d)
	}
	s.arrange(m, k, c)
	s.combine(m, k, c)
	s.regions(m, k, c)
	if list := Validate(m, k, Options{}); len(list) > 0 {
		c.copies = make([]int64, len(m.Inputs)) // a copy that does not fit
		s.regions(m, k, c)
	}
	if m.scan != nil && len(Validate(m, k, Options{})) > 0 { // carries that do not fit
		return s.ordered(m, s.models[i], c)
	}
	return k
}

// follow makes the choice for a member that is not the lead: its blocks along the
// shared dimensions are those of the lead, and so are its lanes where they can.
func (s *groupSpace) follow(i int, lead *choice) *choice {
	m, at := s.members[i], slices.Index(s.members, s.lead)
	c := &choice{fuse: lead.fuse, simd: -1, apart: -1, cores: max(0, lead.cores), orders: make([][]int, len(lead.orders)), copies: make([]int64, len(m.Inputs)), turned: make([]bool, len(m.Inputs))}
	for range m.Dims {
		c.registers = append(c.registers, 1)
		c.blocks = append(c.blocks, slices.Repeat([]int64{WholeBlock}, s.laneLayer()+1))
	}
	lanes := s.models[i].Layer(s.models[i].Find("SIMD")).Units
	for _, column := range s.columns {
		d := column[i]
		unit := lead.registers[column[at]]
		if column[at] == lead.simd {
			unit *= s.lanes()
			if m.mayHaveLanes(d, lanes) && unit%lanes == 0 {
				c.simd = d
			}
		}
		for layer := 1; layer <= s.sharedLayers(); layer++ {
			if n := lead.blocks[column[at]][layer]; n != WholeBlock {
				c.blocks[d][layer] = roundUp(max(n, unit), unit)
			}
		}
	}
	for d := len(m.Dims) - 1; d >= 0 && c.simd < 0; d-- { // lanes of its own
		if m.mayHaveLanes(d, lanes) && !slices.ContainsFunc(s.columns, func(column []int) bool { return column[i] == d }) && m.unitStride(d) {
			c.simd = d
		}
	}
	for layer := range c.orders { // the shared loops in the lead's order
		order := lead.orders[layer]
		for d := range s.lead.Dims {
			if !slices.Contains(order, d) {
				order = append(slices.Clone(order), d)
			}
		}
		for _, d := range order {
			for _, column := range s.columns {
				if column[at] == d {
					c.orders[layer] = append(c.orders[layer], column[i])
				}
			}
		}
	}
	return c
}

// unitStride reports whether neighbours along a dimension are neighbours in an output,
// or in an input where the dimension is reduced.
func (c *Computation) unitStride(d int) bool {
	buffers := c.Outputs
	if c.Dims[d].Reduced() {
		buffers = c.Inputs
	}
	return slices.ContainsFunc(buffers, func(b *Buffer) bool {
		layout := c.vectorLayout(b, d)
		return b.Rank() > 0 && layout[b.Rank()-1] == b.Rank() && c.uses(b, b.Rank()-1, d)
	})
}

func (c *Computation) uses(b *Buffer, k, d int) bool {
	used := false
	for _, subscripts := range b.Accesses {
		ein.Walk(subscripts[k], func(e ein.Expr) bool {
			if r, ok := e.(*ein.IndexRef); ok && r.Index == c.Dims[d].Index {
				used = true
			}
			return !used
		})
	}
	return used
}

func roundUp(n, multiple int64) int64 { return (n + multiple - 1) / multiple * multiple }
