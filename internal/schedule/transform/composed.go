package transform

import (
	"fmt"
	"slices"
)

// The transformations that the paper derives from others (Section 4.1), and those beyond it
// that are compositions too, are defined in TeML itself: std.teml of package teml composes
// them, for scripts and for Go. Here is what they ask for, so that errors speak of what was
// called.

// stripmineN asks for what equation (27) does.
func stripmineN(c *call) error {
	if err := atLeastOne(c.args[1].Int); err != nil {
		return err
	}
	n, depth := c.args[0].Int, len(chain(c.list))
	if n < 0 || n > int64(depth) {
		return fmt.Errorf("found %d levels to cut, expected a number from 0 to those of the nest, %d", n, depth)
	}
	return nil
}

// interchangeN asks for what equation (28) does.
func interchangeN(c *call) error {
	r, n := c.args[0].Int, c.args[1].Int
	if n < 0 {
		return fmt.Errorf("a loop moves inwards by %d levels, expected at least 0", n)
	}
	_, err := levelOf(c.list, r+n)
	return err
}

// tile asks for what equation (29) does, and for no more sizes than levels.
func tile(c *call) error {
	depth := len(chain(c.list))
	switch {
	case depth == 0:
		return fmt.Errorf("there is no loop to tile")
	case len(c.args) > depth:
		return fmt.Errorf("found %d sizes of blocks for a chain of %s", len(c.args), count(depth, "loop"))
	case len(c.args) > 1:
		depth = len(c.args)
	}
	if err := c.limit(depth); err != nil {
		return err
	}
	for _, size := range c.args {
		if err := atLeastOne(size.Int); err != nil {
			return err
		}
	}
	return nil
}

func atLeastOne(size int64) error {
	if size < 1 {
		return fmt.Errorf("the blocks have %d iterations, expected at least 1", size)
	}
	return nil
}

// permute asks for levels that are there, each once.
func permute(c *call) error {
	for k, a := range c.args {
		if slices.Contains(c.args[:k], a) {
			return fmt.Errorf("the level %d is named twice", a.Int)
		}
		if _, err := c.level(k); err != nil {
			return err
		}
	}
	return nil
}

// blocks asks for a level and a size of its blocks.
func blocks(c *call) error {
	if err := atLeastOne(c.args[1].Int); err != nil {
		return err
	}
	_, err := c.level(0)
	return err
}
