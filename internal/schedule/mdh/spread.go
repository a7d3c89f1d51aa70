package mdh

import "slices"

// WholeBlock stands for the size that leaves a dimension uncut.
const WholeBlock = int64(1) << 40

// Spread partitions a dimension (counted from 1) of n points, or of −1 where that is
// not known, on the layers up to rest, so that every layer leaves blocks of about the
// size that sizes has for it. Sizes are rounded up to multiples of the blocks inside, so
// that the partition is valid; what is left goes to the layer rest. The parts of the
// layers inside of rest, which are set before, are taken back where they are too many.
func (c *Configuration) Spread(dim int, n int64, sizes []int64, rest int) {
	tiles := make([]int64, rest+1)
	inner := c.Tile(Level{rest, dim})
	tiles[rest] = inner
	for layer := rest - 1; layer >= 1; layer-- {
		if tiles[layer] = WholeBlock; sizes[layer] != WholeBlock {
			inner = roundUp(max(sizes[layer], inner), inner)
			tiles[layer] = inner
		}
	}
	left := n
	for layer := 1; layer <= rest; layer++ {
		r := c.Row(Level{layer, dim})
		switch tile := tiles[layer]; {
		case tile == WholeBlock:
		case left < 0:
			r.Parts, left = AnyParts, tile
		case tile < left:
			r.Parts, left = (left+tile-1)/tile, tile
		}
	}
	if n >= 0 && left < c.Tile(Level{rest, dim}) {
		c.trim(dim, rest, max(1, left))
	}
}

// trim takes back parts inside of a layer that a dimension is too small for: lanes that
// it does not fill, then parts that would be empty.
func (c *Configuration) trim(dim, rest int, n int64) {
	if lanes := c.Row(Level{c.Layers, dim}); lanes.Parts > n {
		lanes.Parts = 1
	}
	for layer := rest + 1; layer <= c.Layers; layer++ {
		l := Level{layer, dim}
		tile := c.Tile(l)
		c.Row(l).Parts = min(c.Row(l).Parts, (n+tile-1)/tile)
		n = min(n, tile)
	}
}

// Partition returns the partition layer whose parts, in the first dimension, are
// assigned to a layer of the model, or 0.
func (c *Configuration) Partition(layer string) int {
	n := c.Model.Find(layer)
	for k := 1; k <= c.Layers && c.Dims > 0; k++ {
		if c.Row(Level{k, 1}).Assign[Decompose].Layer == n {
			return k
		}
	}
	return 0
}

// ByLayers orders the loops layer by layer. The dimensions of a layer come in the order
// that dims returns for it, from 0; those that it leaves out follow.
func (c *Configuration) ByLayers(dims func(layer int) []int) {
	var list []Level
	for layer := 1; layer <= c.Layers; layer++ {
		order := slices.Clone(dims(layer))
		for d := range c.Dims {
			if !slices.Contains(order, d) {
				order = append(order, d)
			}
		}
		for _, d := range order {
			list = append(list, Level{layer, d + 1})
		}
	}
	c.SetOrder(list)
}

// Cut is Spread, but the blocks of the layers have just the sizes that are given: where those
// inside do not fill them, the last one inside is cut off (Row.Size).
func (c *Configuration) Cut(dim int, n int64, sizes []int64, rest int) {
	inner := c.Tile(Level{rest, dim})
	outer := n // what there is to partition, -1 for not known
	for layer := 1; layer <= rest; layer++ {
		r, tile := c.Row(Level{layer, dim}), sizes[layer]
		if layer == rest {
			tile = inner
		}
		switch {
		case tile == WholeBlock:
			continue
		case outer < 0:
			r.Parts = AnyParts
		case tile >= outer:
			continue
		default:
			r.Parts = (outer + tile - 1) / tile
		}
		outer = tile
		if layer < rest {
			r.Size = tile
		}
	}
	if n >= 0 && n < inner {
		c.trim(dim, rest, max(1, n))
	}
	// A size that the parts inside make says nothing.
	for layer := rest - 1; layer >= 1; layer-- {
		l := Level{layer, dim}
		if r := c.Row(l); r.Size > 0 {
			size := r.Size
			if r.Size = 0; c.Tile(l) != size {
				r.Size = size
			}
		}
	}
}
