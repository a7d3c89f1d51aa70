package transform

import "fmt"

// The transformations that the paper derives from others (Section 4.1) are
// compositions here too, of the functions of core.go on one copy of the nest.

// then applies another transformation to the nest of the call.
func (c *call) then(apply func(*call) error, args ...int64) error {
	c.args = Ints(args...)
	return apply(c)
}

// stripmineN is equation (27): the first n levels are cut.
func stripmineN(c *call) error {
	n, v := c.args[0].Int, c.args[1].Int
	for k := range n {
		if err := c.then(stripmine, 2*k+1, v); err != nil {
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

// tile is equation (29): all levels are cut, and the loops over blocks move outside.
func tile(c *call) error {
	d, v := int64(len(chain(c.list))), c.args[0].Int
	if d == 0 {
		return fmt.Errorf("there is no loop to tile")
	}
	if err := c.then(stripmineN, d, v); err != nil {
		return err
	}
	// T1 P1 … Td Pd: each P moves to the end in its turn.
	for j := int64(1); j <= d; j++ {
		if err := c.then(interchangeN, j+1, 2*d-(j+1)); err != nil {
			return err
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
