package mdh

import (
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/machine"
)

// checks has the test of every kind of constraint that the models use.
var checks = map[machine.Kind]func(*validator, machine.Constraint){
	machine.PartsTogether: (*validator).partsTogether,
	machine.PartsAlong:    (*validator).partsAlong,
	machine.PowerOfTwo:    (*validator).powerOfTwo,
	machine.OneDimension:  (*validator).oneDimension,
	machine.CombineIn:     (*validator).combineIn,
	machine.Visible:       (*validator).visible,
	machine.Capacity:      (*validator).capacity,
	machine.Fused:         (*validator).fused,
	machine.Nested:        (*validator).nested,
	machine.Adjacent:      (*validator).adjacent,
	machine.Neighbours:    (*validator).neighbours,
	machine.SameUnits:     (*validator).sameUnits,
	machine.Innermost:     (*validator).innermost,
	machine.Falling:       (*validator).falling,
	machine.ReduceAlone:   (*validator).reduceAlone,
	machine.Trees:         (*validator).trees,
}

// model checks the constraints of the model, until one is broken.
func (v *validator) model() {
	for _, constraint := range v.k.Model.Constraints {
		if len(v.found) > 0 {
			return
		}
		checks[constraint.Kind](v, constraint)
	}
}

// on lists the levels that a phase assigns to one of some layers.
func (v *validator) on(p Phase, layers []string) []Level {
	var list []Level
	for at, r := range v.k.Rows {
		if slices.Contains(layers, v.k.Model.Layer(r.Assign[p].Layer).Name) {
			list = append(list, v.k.LevelOf(at))
		}
	}
	return list
}

// active keeps the levels with more than one part.
func (v *validator) active(list []Level) []Level {
	return slices.DeleteFunc(slices.Clone(list), func(l Level) bool { return v.k.Row(l).Parts == 1 })
}

// phaseOf is the phase to which a parameter belongs; the number of parts counts for the first.
func phaseOf(parameter string) Phase {
	switch parameter[0] {
	case 'S':
		return Scalar
	case 'R':
		return Recompose
	}
	return Decompose
}

func (v *validator) reduced(l Level) bool { return v.c.Dims[l.Dim-1].Reduced() }

func (v *validator) partsTogether(c machine.Constraint) {
	for p := Decompose; p <= Recompose; p++ {
		product := int64(1)
		for _, l := range v.on(p, c.Layers) {
			if v.k.Row(l).Parts == AnyParts {
				v.add(c.Parameter, l, "the number of parts on %s must be known: %s", strings.Join(c.Layers, " and "), c.Reason)
				return
			}
			product = saturate(product, v.k.Row(l).Parts)
		}
		if product > c.Limit {
			v.add(c.Parameter, v.on(p, c.Layers)[0], "%d parts on %s, at most %d: %s", product, strings.Join(c.Layers, " and "), c.Limit, c.Reason)
			return
		}
	}
}

func (v *validator) partsAlong(c machine.Constraint) {
	for p := Decompose; p <= Recompose; p++ {
		for _, l := range v.on(p, c.Layers) {
			if n := v.k.Row(l).Parts; v.k.Row(l).Assign[p].Dim == c.Axis && n > c.Limit {
				v.add(c.Parameter, l, "%d parts on %s, at most %d: %s", n, v.k.Model.LevelName(v.k.Row(l).Assign[p]), c.Limit, c.Reason)
				return
			}
		}
	}
}

func (v *validator) powerOfTwo(c machine.Constraint) {
	for p := Decompose; p <= Recompose; p++ {
		for _, l := range v.on(p, c.Layers) {
			if n := v.k.Row(l).Parts; n < 1 || n&(n-1) != 0 {
				v.add(c.Parameter, l, "%d parts on %s: %s", n, c.Layers[0], c.Reason)
				return
			}
		}
	}
}

func (v *validator) oneDimension(c machine.Constraint) {
	for p := Decompose; p <= Recompose; p++ {
		if list := v.active(v.on(p, c.Layers)); len(list) > 1 {
			v.add(c.Parameter, list[1], "a second dimension on %s: %s", c.Layers[0], c.Reason)
			return
		}
	}
}

func (v *validator) combineIn(c machine.Constraint) {
	for _, l := range v.active(v.on(Recompose, c.Layers)) {
		if !v.reduced(l) {
			continue
		}
		for b, p := range v.k.Row(l).Out {
			if name := v.k.Model.RegionName(p.Region); !slices.Contains(c.Regions, name) {
				v.add(c.Parameter, l, "%s is combined in %s, expected %s: %s", v.k.Outputs[b], name, strings.Join(c.Regions, " or "), c.Reason)
				return
			}
		}
	}
}

// visible checks that a region that belongs to a unit is used inside of the loops of
// the unit's layer.
func (v *validator) visible(c machine.Constraint) {
	phase, places := Decompose, func(r *Row) []Place { return r.In }
	names := v.k.Inputs
	if c.Parameter == "R3" {
		phase, places, names = Recompose, func(r *Row) []Place { return r.Out }, v.k.Outputs
	}
	outside := v.active(v.on(phase, c.Layers))
	for _, l := range v.k.Active(phase) {
		r := v.k.Row(l)
		if c.Parameter == "R3" && v.c.scan != nil && slices.ContainsFunc(outside, v.reduced) {
			continue // what is carried from pieces to pieces is that of the unit that starts them
		}
		below := !slices.ContainsFunc(outside, func(o Level) bool { return v.k.Row(o).Order[phase] >= r.Order[phase] })
		for b, p := range places(r) {
			if !below && slices.Contains(c.Regions, v.k.Model.RegionName(p.Region)) {
				v.add(c.Parameter, l, "%s is in %s outside of the loops of %s: %s", names[b], v.k.Model.RegionName(p.Region), strings.Join(c.Layers, " and "), c.Reason)
				return
			}
		}
	}
}

// capacity adds up the blocks that a region holds, each where it is largest.
func (v *validator) capacity(c machine.Constraint) {
	if c.Parameter == "R3" {
		v.accumulatorCapacity(c)
		return
	}
	total := int64(0)
	for b, input := range v.c.Inputs {
		blocks := v.blocks()
		for _, l := range v.k.Active(Decompose) {
			if !slices.Contains(c.Regions, v.k.Model.RegionName(v.k.Row(l).In[b].Region)) {
				if !v.sharedBy(c.Regions[0], l, Decompose) {
					blocks.enter(l)
				}
				continue
			}
			bytes, ok := v.c.blockBytes(input, blocks)
			if !ok {
				v.add(c.Parameter, l, "the block of %s in %s has no known size", input.Name(), c.Regions[0])
				return
			}
			if total = min(total+bytes, 1<<60); total > c.Limit {
				v.add(c.Parameter, l, "%d bytes of %s: %s", total, c.Regions[0], c.Reason)
				return
			}
			break
		}
	}
}

// sharedBy reports whether the units that walk the parts of a level share one memory
// of a region, which holds the data of them all.
func (v *validator) sharedBy(region string, l Level, p Phase) bool {
	m := v.k.Model
	owner, walker := m.Find(m.Layer(m.Region(region)).PrivateTo), v.k.Row(l).Assign[p].Layer
	return m.Layer(walker).Core && walker > owner
}

// blockBytes is the size of what a block of the computation reads of a buffer.
func (c *Computation) blockBytes(b *Buffer, blocks *blockSizes) (int64, bool) {
	bytes := int64(b.Tensor.Type.Size())
	for dim := range b.Rank() {
		n, ok := c.footprint(b, dim, blocks.size)
		if !ok || n >= unknownSize {
			return 0, false
		}
		bytes = saturate(bytes, n)
	}
	return bytes, true
}

// accumulatorCapacity adds up the results in a region, which are partial ones where the machine has no buffers for
// others. Those of a matrix unit are in its own tiles, one after the other, so that their block has any size.
func (v *validator) accumulatorCapacity(c machine.Constraint) {
	if slices.ContainsFunc(v.k.Rows, func(r Row) bool { return r.Marks.Matrix }) {
		return
	}
	blocks := v.blocks()
	for _, l := range v.k.Active(Recompose) {
		r := v.k.Row(l)
		total := int64(0)
		for b, output := range v.c.Outputs {
			if slices.Contains(c.Regions, v.k.Model.RegionName(r.Out[b].Region)) && (v.c.Op != nil || v.c.scan != nil || !v.k.Model.Trees) {
				total = min(total+saturate(v.c.points(v.k, blocks), int64(output.Tensor.Type.Compute().Size())), 1<<60)
			}
		}
		if total > c.Limit {
			v.add(c.Parameter, l, "%d bytes of partial results in %s: %s", total, c.Regions[0], c.Reason)
			return
		}
		if total > 0 {
			return
		}
		if !v.sharedBy(c.Regions[0], l, Recompose) {
			blocks.enter(l)
		}
	}
}

// points counts the partial results of a block: its concatenated points, and a vector
// for each register part where lanes lie along a reduced dimension.
func (c *Computation) points(k *Configuration, b *blockSizes) int64 {
	n := int64(1)
	for d, dim := range c.Dims {
		if !dim.Reduced() {
			n = saturate(n, b.size(d))
		}
	}
	for at, r := range k.Rows {
		if l := k.LevelOf(at); r.Parts > 1 && c.Dims[l.Dim-1].Reduced() && k.Model.Layer(r.Assign[Recompose].Layer).Name == "SIMD" {
			n = saturate(n, r.Parts)
		}
	}
	return n
}

// unknownSize stands for the size of a block that is not known.
const unknownSize = int64(1) << 60

// A blockSizes holds the size of the block of every dimension at a place of the nest:
// the parts of the levels whose loops are not entered yet.
type blockSizes struct {
	c       *Computation
	k       *Configuration
	entered []bool // by row
}

func (v *validator) blocks() *blockSizes {
	return &blockSizes{v.c, v.k, make([]bool, len(v.k.Rows))}
}

// enter goes into the loop over a level.
func (b *blockSizes) enter(l Level) { b.entered[(l.Layer-1)*b.k.Dims+l.Dim-1] = true }

func (b *blockSizes) size(d int) int64 {
	n := int64(1)
	for layer := b.k.Layers; layer >= 1; layer-- {
		r := b.k.Row(Level{layer, d + 1})
		if r.Size > 0 { // the levels inside are cut off there
			n = min(n, r.Size)
		}
		switch {
		case b.entered[(layer-1)*b.k.Dims+d]:
		case r.Parts == AnyParts:
			return unknownSize
		default:
			n = saturate(n, r.Parts)
		}
	}
	if whole := b.c.Dims[d].N; whole >= 0 {
		n = min(n, max(1, whole))
	}
	return n
}

func (v *validator) fused(c machine.Constraint) {
	for at, r := range v.k.Rows {
		for p := Scalar; p <= Recompose; p++ {
			if r.Order[p] != r.Order[Decompose] {
				v.add(orderNames[p], v.k.LevelOf(at), "the order differs from D1: %s", c.Reason)
				return
			}
			if r.Assign[p] != r.Assign[Decompose] {
				v.add(assignNames[p], v.k.LevelOf(at), "the assignment differs from D2: %s", c.Reason)
				return
			}
		}
	}
}

func (v *validator) nested(c machine.Constraint) {
	last := make([]int, v.k.Dims+1)
	for _, l := range v.k.Active(phaseOf(c.Parameter)) {
		if l.Layer < last[l.Dim] {
			v.add(c.Parameter, l, "its parts are larger than those of layer %d of %s, whose loop is outside: %s", last[l.Dim], v.c.Dims[l.Dim-1].Name(), c.Reason)
			return
		}
		last[l.Dim] = l.Layer
	}
}

func (v *validator) adjacent(c machine.Constraint) {
	layers := v.on(phaseOf(c.Parameter), c.Layers)
	seen, left := false, false
	for _, l := range v.k.Active(phaseOf(c.Parameter)) {
		switch is := slices.Contains(layers, l); {
		case is && left:
			v.add(c.Parameter, l, "another loop stands between those of %s: %s", c.Layers[0], c.Reason)
			return
		case is:
			seen = true
		default:
			left = seen
		}
	}
}

// neighbours checks that the parts of levels are points.
func (v *validator) neighbours(c machine.Constraint) {
	for p := Decompose; p <= Recompose; p++ {
		for _, l := range v.active(v.on(p, c.Layers)) {
			if v.k.Tile(l) != 1 {
				v.add(assignNames[p], l, "the parts of %s have %d points: %s", c.Layers[0], v.k.Tile(l), c.Reason)
				return
			}
		}
	}
}

// sameUnits checks that a phase which uses private regions assigns the levels to a core layer that the scalar
// function does; partial results of units are combined by others where they are in the memory of all.
func (v *validator) sameUnits(c machine.Constraint) {
	phase := phaseOf(c.Parameter)
	uses := slices.ContainsFunc(v.k.Active(phase), func(l Level) bool {
		places := v.k.Row(l).In
		if phase == Recompose {
			places = v.k.Row(l).Out
		}
		return slices.ContainsFunc(places, func(p Place) bool { return slices.Contains(c.Regions, v.k.Model.RegionName(p.Region)) })
	})
	own, computed := v.active(v.on(phase, c.Layers)), v.active(v.on(Scalar, c.Layers))
	for _, l := range v.k.Active(phase) {
		if uses && slices.Contains(own, l) != slices.Contains(computed, l) && (phase == Decompose || !v.reduced(l)) {
			v.add(c.Parameter, l, "the assignment to %s differs from S2, and what is in %s is of one phase then: %s", strings.Join(c.Layers, " and "), c.Regions[0], c.Reason)
			return
		}
	}
}

func (v *validator) innermost(c machine.Constraint) {
	order := v.k.Active(Decompose)
	for _, l := range v.active(v.on(Decompose, c.Layers)) {
		// What is written out may be inside, and what is combined in order follows inside.
		after := slices.DeleteFunc(slices.Clone(order[slices.Index(order, l)+1:]), func(o Level) bool {
			return v.k.kind(o) == writtenOutLoop || v.c.Ordered && v.reduced(o)
		})
		if len(after) > 0 {
			v.add(c.Parameter, l, "the loop over level %s is inside of that of %s: %s", after[0], c.Layers[0], c.Reason)
			return
		}
		if v.k.Tile(l) != 1 {
			v.add("D2", l, "the parts of %s have %d points: %s", c.Layers[0], v.k.Tile(l), c.Reason)
			return
		}
	}
}

func (v *validator) falling(c machine.Constraint) {
	phase, count := Decompose, len(v.k.Inputs)
	names, scalar, scalarName := v.k.Inputs, v.k.ScalarInputs, "S3"
	at := func(l Level, b int) int { return v.k.Row(l).In[b].Region }
	if c.Parameter == "R3" {
		phase, count, names, scalar, scalarName = Recompose, len(v.k.Outputs), v.k.Outputs, v.k.ScalarOutputs, "S5"
		at = func(l Level, b int) int { return v.k.Row(l).Out[b].Region }
	}
	for b := range count {
		last := 1
		for _, l := range v.k.Active(phase) {
			if c.Parameter == "R3" && v.c.scan != nil && v.reduced(l) && v.k.kind(l) == coresLoop {
				last = 1 // the pieces of a scan are handed their carries
			}
			if at(l, b) < last {
				v.add(c.Parameter, l, "%s goes from %s back to %s: %s", names[b], v.k.Model.RegionName(last), v.k.Model.RegionName(at(l, b)), c.Reason)
				return
			}
			last = at(l, b)
		}
		if scalar[b].Region < last {
			v.add(scalarName, Level{}, "%s goes from %s back to %s: %s", names[b], v.k.Model.RegionName(last), v.k.Model.RegionName(scalar[b].Region), c.Reason)
			return
		}
	}
}

func (v *validator) reduceAlone(c machine.Constraint) {
	list := v.active(v.on(phaseOf(c.Parameter), c.Layers))
	at := slices.IndexFunc(list, v.reduced)
	if at < 0 {
		return
	}
	if len(list) > 1 {
		v.add(c.Parameter, list[at], "%s and another dimension are on %s: %s", v.c.Dims[list[at].Dim-1].Name(), c.Layers[0], c.Reason)
		return
	}
	for _, l := range v.k.Active(phaseOf(c.Parameter)) {
		if l == list[at] || v.c.scan != nil { // which is carried on from some pieces to the next ones
			return
		}
		if v.reduced(l) {
			v.add(c.Parameter, l, "a loop over the reduced %s is outside of that of %s: %s", v.c.Dims[l.Dim-1].Name(), c.Layers[0], c.Reason)
			return
		}
	}
}
