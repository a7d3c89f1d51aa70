package standard

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// How vectors that are not whole are stored
//
// What is left of a row behind its last whole vector is stored under a mask, which takes AMD's processors with AVX2 as
// long as a dozen stores of single lanes (machine.Ratios.MaskedStores). Where fewer lanes are left, and it is known how
// many, they are stored one by one: a million products of 3 x 3 matrices have nothing else. Bytes and words have no
// masked stores in AVX2, and are stored lane by lane anyway.
//
// On a Zen 4 with AVX-512, where a masked store takes as long as two stores of a lane, 10007 rows of 17 or 18 floats take
// 0.72 of the time with one or two lanes stored by themselves, and 10007 products of 2 x 2 x 17 0.81. Three lanes stay under
// the mask there: of rows of 19 they would take 0.82 of the time, but of 10007 products of 3 x 3 x 3 1.1; four and more lose.

// storeSingly marks the vectors of a tree whose last lanes are better stored one by one.
func storeSingly(f *ein.Func, t *schedule.Tree, m *machine.Processor) {
	single := m.Ratios().MaskedStores
	if single <= 1 {
		return
	}
	eachVector(t.Root, func(member *schedule.Member) {
		for _, l := range member.Loops {
			left := lanesLeft(f.Body[l.Statement], l.Index, int64(member.Vector))
			if left > 0 && float64(left) < single {
				member.Singly = true
			}
		}
	})
}

// lanesLeft is how many lanes the last vector of a row of results has, 0 where it is whole or that is not known.
func lanesLeft(c *ein.Comprehension, index string, lanes int64) int64 {
	for _, i := range c.ByKind(ein.Concat) {
		n, known := i.Extent.IsConst()
		if i.Name == index && known && c.Writes[0].Tensor.Type.Size() >= tensor.Float32.Size() {
			return n % lanes
		}
	}
	return 0
}
