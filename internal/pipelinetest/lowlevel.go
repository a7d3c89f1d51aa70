package pipelinetest

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule/mdh"
)

// PrepareLowLevel takes the steps before the printer with a schedule that is written as
// low-level expressions of the MDH paper, whose parameters are drawn at random. Refused is
// why they are not valid, or break a dependence; the default schedule stays then.
func (c *Case) PrepareLowLevel(from *Choices) (refused, err error) {
	if err := c.start(from.OneIn(3)); err != nil {
		return nil, err
	}
	text := ""
	for n := range c.Special.Body {
		computation := mdh.ComputationOf(c.Special, n)
		k := drawConfiguration(from, computation, machine.Of(c.Machine, computation.ElementBytes()))
		if from.OneIn(2) {
			text += k.Expression(computation)
		} else {
			text += k.BriefExpression(computation)
		}
	}
	if text == "" {
		return nil, c.lower()
	}
	plan, err := mdh.ParsePlan(text, func(n int) *machine.Machine {
		return machine.Of(c.Machine, mdh.ComputationOf(c.Special, n).ElementBytes())
	})
	if err != nil {
		return nil, fmt.Errorf("the expressions do not read back: %w\n%s", err, text)
	}
	tree, refused := mdh.Make(c.Special, plan)
	if refused == nil {
		c.Tree = tree
	}
	if err := c.lower(); err != nil {
		return refused, fmt.Errorf("%w\n%s", err, text)
	}
	return refused, nil
}

// drawConfiguration draws the 15 parameters, in the direction of what the host can do.
func drawConfiguration(from *Choices, c *mdh.Computation, m *machine.Machine) *mdh.Configuration {
	k := mdh.New(c, m)
	lanes := -1
	if from.OneIn(2) && len(c.Dims) > 0 {
		lanes = from.Below(len(c.Dims))
	}
	cores := from.Below(2 * (len(c.Dims) + 1))
	for d, dim := range c.Dims {
		tile := int64(1)
		for layer := k.Layers; layer >= 1; layer-- {
			r := k.Row(mdh.Level{Layer: layer, Dim: d + 1})
			need := max(1, (dim.N+tile-1)/tile)
			if dim.N < 0 { // as many parts as the size needs, outside of some
				if need = 7; layer <= 2 {
					need = mdh.AnyParts
				}
			}
			switch {
			case layer == 1 && d == cores: // all that is left
				r.Parts = need
			case layer == 1:
			case layer == 2 && d != cores:
				r.Parts = need
			case layer == k.Layers:
				if d == lanes {
					r.Parts = Pick(from, 2, 4, 8, 16, int64(3))
				}
			default:
				r.Parts = min(need, int64(Pick(from, 1, 1, 1, 2, 3, 4, 7)))
			}
			if tile *= max(1, r.Parts); from.OneIn(12) && layer > 1 && r.Parts > 1 { // parts that are not a multiple
				if size := tile - 1; size > 0 {
					k.Row(mdh.Level{Layer: layer - 1, Dim: d + 1}).Size, tile = size, size
				}
			}
		}
	}
	drawOrder(from, c, k)
	drawPlaces(from, k)
	if from.OneIn(3) {
		spoilConfiguration(from, k)
	}
	return k
}

// drawOrder walks the layers of each dimension from the outer to the inner, cores first and
// lanes last, reductions of a computation that keeps its order as the program has them.
func drawOrder(from *Choices, c *mdh.Computation, k *mdh.Configuration) {
	var levels []mdh.Level
	next := make([]int, k.Dims)
	for range k.Dims * (k.Layers - 2) {
		d := from.Below(k.Dims)
		for next[d] == k.Layers-2 {
			d = (d + 1) % k.Dims
		}
		next[d]++
		levels = append(levels, mdh.Level{Layer: next[d] + 1, Dim: d + 1})
	}
	var first, last []mdh.Level
	for d := range k.Dims {
		at := from.Below(len(first) + 1)
		first = slices.Insert(first, at, mdh.Level{Layer: 1, Dim: d + 1})
		last = append(last, mdh.Level{Layer: k.Layers, Dim: d + 1})
	}
	order := slices.Concat(first, levels, last)
	if c.Ordered && !from.OneIn(4) {
		slices.SortStableFunc(order, func(a, b mdh.Level) int {
			rank := func(l mdh.Level) int {
				if c.Dims[l.Dim-1].Reduced() {
					return l.Dim
				}
				return 0
			}
			return rank(a) - rank(b)
		})
	}
	k.SetOrder(order)
}

// drawPlaces draws regions that become faster from loop to loop, and layouts.
func drawPlaces(from *Choices, k *mdh.Configuration) {
	memories := k.Model.Memories()
	active := k.Active(mdh.Decompose)
	for b := range k.Inputs {
		place := mdh.Place{Region: 1, Layout: slices.Clone(k.ScalarInputs[b].Layout)}
		for _, l := range active {
			if l.Layer > 1 && from.OneIn(5) {
				place.Region = min(memories, place.Region+from.Below(4))
				if n := len(place.Layout); n > 1 && from.OneIn(3) {
					place.Layout = slices.Clone(place.Layout)
					i, j := from.Below(n), from.Below(n)
					place.Layout[i], place.Layout[j] = place.Layout[j], place.Layout[i]
				}
			}
			k.Row(l).In[b] = place
		}
	}
	for b := range k.Outputs {
		region := 1
		for _, l := range active {
			if l.Layer > 1 && from.OneIn(3) {
				region = min(memories, region+from.Below(memories))
			}
			k.Row(l).Out[b].Region = region
		}
	}
}

// spoilConfiguration changes a value of a parameter, so that most often a constraint is broken.
func spoilConfiguration(from *Choices, k *mdh.Configuration) {
	if len(k.Rows) == 0 {
		return
	}
	r, other := &k.Rows[from.Below(len(k.Rows))], &k.Rows[from.Below(len(k.Rows))]
	phase := from.Below(3)
	switch from.Below(7) {
	case 0:
		r.Parts = max(1, r.Parts+int64(from.Between(-2, 2)))
	case 1:
		r.Order, other.Order = other.Order, r.Order
	case 2:
		r.Order[phase], other.Order[phase] = other.Order[phase], r.Order[phase]
	case 3:
		r.Assign, other.Assign = other.Assign, r.Assign
	case 4:
		r.Assign[phase] = other.Assign[phase]
	case 5:
		for b := range r.In {
			r.In[b].Region = from.Between(1, k.Model.Memories())
		}
	case 6:
		for b := range r.Out {
			r.Out[b].Region = from.Between(1, k.Model.Memories())
		}
	}
}
