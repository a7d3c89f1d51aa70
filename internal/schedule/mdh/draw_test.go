package mdh

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/machine"
)

func below(t *rapid.T, n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) }

// drawParts partitions every dimension, from the innermost layer on.
func drawParts(t *rapid.T, c *Computation, k *Configuration) {
	for d, dim := range c.Dims {
		tile := int64(1)
		for layer := k.Layers; layer >= 1; layer-- {
			l := Level{layer, d + 1}
			need := max(1, (dim.N+tile-1)/tile)
			parts := rapid.Int64Range(1, min(need, 4)).Draw(t, "parts")
			if layer == 1 {
				parts = need
			}
			k.Row(l).Parts = parts
			if tile *= parts; layer > 1 && parts > 1 && below(t, 4, "sized") == 0 {
				if size := rapid.Int64Range(tile-tile/parts+1, tile).Draw(t, "size"); size < tile {
					tile = size
					k.Row(Level{layer - 1, d + 1}).Size = size
				}
			}
		}
		if dim.Reduced() && !dim.Index.Combine.Op.Associative { // one layer of parts
			for layer := 1; layer <= k.Layers; layer++ {
				k.Row(Level{layer, d + 1}).Parts, k.Row(Level{layer, d + 1}).Size = 1, 0
			}
			k.Row(Level{1 + below(t, k.Layers, "layer"), d + 1}).Parts = max(1, dim.N)
		}
	}
}

func drawPermutation(t *rapid.T, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	if n < 2 {
		return list
	}
	return rapid.Permutation(list).Draw(t, "permutation")
}

func drawLayout(t *rapid.T, rank int) []int {
	list := drawPermutation(t, rank)
	for i := range list {
		list[i]++
	}
	return list
}

// inOrder moves the levels of the reduced dimensions of an ordered computation among
// their positions, so that they are walked in the order of the program.
func inOrder(c *Computation, k *Configuration, p Phase) {
	if !c.Ordered {
		return
	}
	var positions, rows []int
	for d, dim := range c.Dims {
		for layer := 1; layer <= k.Layers && dim.Reduced(); layer++ {
			at := (layer-1)*k.Dims + d
			rows, positions = append(rows, at), append(positions, k.Rows[at].Order[p])
		}
	}
	slices.Sort(positions)
	for i, at := range rows {
		k.Rows[at].Order[p] = positions[i]
	}
}

// drawAny draws a configuration that satisfies the algorithmic constraints.
func drawAny(t *rapid.T, c *Computation, m *machine.Machine) *Configuration {
	k := New(c, m)
	drawParts(t, c, k)
	for p := Decompose; p <= Recompose; p++ {
		order, assign := drawPermutation(t, len(k.Rows)), drawPermutation(t, len(k.Rows))
		for at := range k.Rows {
			k.Rows[at].Order[p] = order[at]
			l := k.LevelOf(assign[at])
			k.Rows[at].Assign[p] = machine.Level{Layer: l.Layer, Dim: l.Dim}
		}
		inOrder(c, k, p)
	}
	place := func(b *Buffer) Place { return Place{1 + below(t, m.Memories(), "region"), drawLayout(t, b.Rank())} }
	for at := range k.Rows {
		for b := range c.Inputs {
			k.Rows[at].In[b] = place(c.Inputs[b])
		}
		for b := range c.Outputs {
			k.Rows[at].Out[b] = place(c.Outputs[b])
		}
	}
	for b := range c.Inputs {
		k.ScalarInputs[b] = place(c.Inputs[b])
	}
	for b := range c.Outputs {
		k.ScalarOutputs[b] = place(c.Outputs[b])
	}
	return k
}

// drawAllowed draws a configuration that its model allows, too: regions that a constraint forbids become
// the slowest one, and where parts are too many all is drawn again. It is nil where no draw is one.
func drawAllowed(t *rapid.T, c *Computation, m *machine.Machine) *Configuration {
	slowest := func(places []Place) {
		for b := range places {
			places[b].Region = 1
		}
	}
	for range 4 {
		k := drawAny(t, c, m)
		for range 1 + 2*len(k.Rows) {
			list := Validate(c, k, Options{})
			if len(list) == 0 {
				return k
			}
			switch list[0].Parameter {
			case "D3":
				slowest(k.Row(list[0].Level).In)
			case "R3":
				slowest(k.Row(list[0].Level).Out)
			}
		}
	}
	return nil
}

// drawHost draws a configuration of the host in the direction of its constraints; the
// caller validates.
func drawHost(t *rapid.T, c *Computation, m *machine.Machine) *Configuration {
	k := New(c, m)
	drawParts(t, c, k)
	for d := range c.Dims { // lanes along one dimension or none
		r := k.Row(Level{k.Layers, d + 1})
		r.Parts = 1
	}
	if len(c.Dims) > 0 && below(t, 2, "vector") == 1 {
		d := below(t, len(c.Dims), "lanes along")
		k.Row(Level{k.Layers, d + 1}).Parts = 2
	}
	for d, dim := range c.Dims { // cover again, from the outside
		cores := k.Row(Level{1, d + 1})
		cores.Parts = 1
		rest := k.Tile(Level{1, d + 1})
		need := max(1, (dim.N+rest-1)/rest)
		for layer := 2; layer <= k.Layers && rest > max(1, dim.N); layer++ { // too much now
			r := k.Row(Level{layer, d + 1})
			r.Parts = 1
			rest = k.Tile(Level{1, d + 1})
			need = max(1, (dim.N+rest-1)/rest)
		}
		if below(t, 2, "parallel") == 1 {
			cores.Parts = need
		} else {
			k.Row(Level{2, d + 1}).Parts *= need
		}
	}
	// Levels in any order with the layers of each dimension in theirs; cores outermost
	// or behind the first memory layer, lanes innermost.
	var order []Level
	middle := k.Layers - 2
	next := make([]int, k.Dims)
	for range middle * k.Dims {
		var open []int
		for d := range next {
			if next[d] < middle {
				open = append(open, d)
			}
		}
		d := open[below(t, len(open), "next")]
		next[d]++
		order = append(order, Level{next[d] + 1, d + 1})
	}
	var first, last []Level
	for _, d := range drawPermutation(t, k.Dims) {
		first, last = append(first, Level{1, d + 1}), append(last, Level{k.Layers, d + 1})
	}
	order = slices.Concat(first, order, last)
	if c.Ordered {
		slices.SortStableFunc(order, func(a, b Level) int {
			ra, rb := c.Dims[a.Dim-1].Reduced(), c.Dims[b.Dim-1].Reduced()
			switch {
			case ra && rb && a.Dim != b.Dim:
				return a.Dim - b.Dim
			case ra == rb:
				return 0
			case ra:
				return 1
			}
			return -1
		})
	}
	k.SetOrder(order)
	drawChains(t, c, k)
	return k
}

// drawChains draws regions that become faster from loop to loop.
func drawChains(t *rapid.T, c *Computation, k *Configuration) {
	active := k.Active(Decompose)
	memories := k.Model.Memories()
	for b, buffer := range c.Inputs {
		region, layout := 1, rowMajor(buffer.Rank())
		for _, l := range active {
			if k.kind(l) != coresLoop && below(t, 4, "copy") == 3 {
				region, layout = min(memories, region+below(t, 3, "region")), drawLayout(t, buffer.Rank())
			}
			k.Row(l).In[b] = Place{region, layout}
		}
	}
	for b, buffer := range c.Outputs {
		region := 1
		for _, l := range active {
			if k.kind(l) != coresLoop && below(t, 3, "deliver") == 2 {
				region = min(memories, region+below(t, memories, "region"))
			}
			k.Row(l).Out[b] = Place{region, rowMajor(buffer.Rank())}
		}
	}
}
