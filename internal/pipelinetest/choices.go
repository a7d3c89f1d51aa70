package pipelinetest

import "math/rand/v2"

// Choices is where a generator takes its decisions from.
type Choices struct {
	random *rand.Rand // nil: the bytes decide
	bytes  []byte
}

// Seeded returns choices that depend on a number.
func Seeded(seed uint64) *Choices { return &Choices{random: rand.New(rand.NewPCG(seed, 11))} }

// FromBytes returns choices that are spelled out; where the bytes end, every
// choice is the first one, the simplest.
func FromBytes(data []byte) *Choices { return &Choices{bytes: data} }

// Below returns a number from 0 to n-1.
func (c *Choices) Below(n int) int {
	switch {
	case n <= 1:
		return 0
	case c.random != nil:
		return c.random.IntN(n)
	case len(c.bytes) == 0:
		return 0
	}
	b := c.bytes[0]
	c.bytes = c.bytes[1:]
	return int(b) % n
}

// OneIn is true once in n times.
func (c *Choices) OneIn(n int) bool { return c.Below(n) == n-1 }

// Between returns a number from lo to hi.
func (c *Choices) Between(lo, hi int) int { return lo + c.Below(hi-lo+1) }

// Pick returns one of a list.
func Pick[T any](c *Choices, list ...T) T { return list[c.Below(len(list))] }
