package search

import (
	"math/big"

	"github.com/ricci-lang/ricci/internal/space"
)

// exhaustive walks the whole space.
type exhaustive struct {
	config
	next *big.Int
}

func newExhaustive(c config) Strategy { return &exhaustive{config: c, next: new(big.Int)} }

func (e *exhaustive) Next() (space.Point, bool) {
	if e.next.Cmp(e.space.Count()) >= 0 {
		return nil, false
	}
	p := e.space.At(e.next)
	e.next.Add(e.next, big.NewInt(1))
	return p, true
}

func (e *exhaustive) Report(space.Point, float64, bool) {}
