package transform

import (
	"fmt"
	"slices"
)

// The transformations that the paper derives from others (Section 4.1) are
// compositions here too, of the functions of core.go on one copy of the nest.

// then applies another transformation to the nest of the call.
func (c *call) then(apply func(*call) error, args ...int64) error {
	c.args = Ints(args...)
	return apply(c)
}

// stripmineN is equation (27): the first n levels are cut.
func stripmineN(c *call) error {
	if n := c.args[0].Int; n > 0 {
		return c.stripmineAll(slices.Repeat([]int64{c.args[1].Int}, int(min(n, maxLevels))))
	}
	return nil
}

// maxLevels is more than any nest has.
const maxLevels = 1 << 10

// stripmineAll cuts the first levels into blocks of these sizes.
func (c *call) stripmineAll(sizes []int64) error {
	for k, v := range sizes {
		if err := c.then(stripmine, int64(2*k+1), v); err != nil {
			return err
		}
	}
	return nil
}

// interchangeN is equation (28): level r moves inwards by n levels.
func interchangeN(c *call) error {
	r, n := c.args[0].Int, c.args[1].Int
	if n < 0 {
		return fmt.Errorf("a loop moves inwards by %d levels, expected at least 0", n)
	}
	if _, err := levelOf(c.list, r+n); err != nil {
		return err
	}
	for k := r; k < r+n; k++ {
		if err := c.then(interchange, k, k+1); err != nil {
			return err
		}
	}
	return nil
}

// tile is equation (29): all levels are cut, and the loops over blocks move outside. With
// several sizes it is the first levels, each into blocks of its own.
func tile(c *call) error {
	depth := len(chain(c.list))
	var sizes []int64
	for _, a := range c.args {
		sizes = append(sizes, a.Int)
	}
	switch {
	case depth == 0:
		return fmt.Errorf("there is no loop to tile")
	case len(sizes) == 1:
		sizes = slices.Repeat(sizes, depth)
	case len(sizes) > depth:
		return fmt.Errorf("found %d sizes of blocks for a chain of %s", len(sizes), count(depth, "loop"))
	}
	if err := c.stripmineAll(sizes); err != nil {
		return err
	}
	// T1 P1 … Td Pd: each P moves to the end in its turn.
	d := int64(len(sizes))
	for j := int64(1); j <= d; j++ {
		if err := c.then(interchangeN, j+1, 2*d-(j+1)); err != nil {
			return err
		}
	}
	return nil
}

// permute brings the levels into a new order: one after the other moves outwards to its
// place, so that no loop leaves the one that its range depends on unless the order says so.
func permute(c *call) error {
	var order []int64
	for k, a := range c.args {
		if slices.Contains(order, a.Int) {
			return fmt.Errorf("the level %d is named twice", a.Int)
		}
		if _, err := c.level(k); err != nil {
			return err
		}
		order = append(order, a.Int)
	}
	for p, from := range order {
		at := from // those that were named before and stood further in have passed it
		for _, earlier := range order[:p] {
			if earlier > from {
				at++
			}
		}
		for to := int64(p + 1); at > to; at-- {
			if err := c.then(interchange, at-1, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// unrollPartial writes out the iterations of level r in blocks of f.
func unrollPartial(c *call) error {
	r, f := c.args[0].Int, c.args[1].Int
	if err := c.then(stripmine, r, f); err != nil {
		return err
	}
	return c.then(unroll, r+1)
}

// unrollJam is unrollPartial, with the copies inside of one innermost loop.
func unrollJam(c *call) error {
	r, depth := c.args[0].Int, int64(len(chain(c.list)))
	if err := unrollPartial(c); err != nil {
		return err
	}
	for k := r + 1; k <= depth; k++ {
		if err := c.then(fuseInner, k); err != nil {
			return err
		}
	}
	return nil
}
