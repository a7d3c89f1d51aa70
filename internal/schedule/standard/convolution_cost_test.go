package standard

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestDistinctSums compares with all sums.
func TestDistinctSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var terms []progression
		sums := map[int64]bool{0: true}
		for range rapid.IntRange(0, 3).Draw(t, "terms") {
			step := rapid.Int64Range(1, 12).Draw(t, "step") * rapid.SampledFrom([]int64{1, -1}).Draw(t, "sign")
			p := progression{step, rapid.Int64Range(1, 16).Draw(t, "count")}
			terms = append(terms, p)
			next := map[int64]bool{}
			for sum := range sums {
				for n := range p.count {
					next[sum+n*p.step] = true
				}
			}
			sums = next
		}
		if got := distinctSums(terms); got != int64(len(sums)) {
			t.Fatalf("%v: %d sums, found %d", terms, len(sums), got)
		}
	})
}

// TestTestsShortenTiles asks for shorter bodies where each point of a window tests whether it may read.
func TestTestsShortenTiles(t *testing.T) {
	m := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2}
	points := func(value string) int64 { // that are written out
		f := parseFunc(t, fmt.Sprintf(`func f {
  size K = dim 2 of I
  in I: float32[16, 17, K]
  in b: float32[64]
  out O: float32[64, 15, K - 2]
  for n in 0:64, x in 0:15, y in 0:K - 2, p in 0:16 reduce +, q in 0:3 reduce +, r in 0:3 reduce + { O[n, x, y] = (%s) * b[n] }
}`, value))
		tile := newMaker(f, m, schedule.Options{}).designTile(0, tileProblem{copies: 1, size: func(i *ein.Index) int64 { return estimate(i.Extent) }})
		if tile == nil {
			t.Fatal("no tile")
		}
		n := int64(1)
		for _, p := range tile.points {
			n *= p.count
		}
		if tile.unrolled != nil {
			n *= estimate(tile.unrolled.Extent)
		}
		return n
	}
	plain, tested := points("I[p, x + q, y + r]"), points("y + r >= 1i64 && y + r < {K - 1} ? I[p, x + q, y + r] : 0f32")
	if tested > longestBody/(1+2*testLength) || plain <= tested {
		t.Errorf("bodies have %d points, with two tests each %d", plain, tested)
	}
}
