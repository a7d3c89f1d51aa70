package mapping

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/tune/space"
)

// A Space is what a tuner may choose of the mapping options of a function, as the
// autotuner of Tensor Comprehensions does: tile sizes among divisors and powers of two,
// powers of two for unrolling, threads and blocks, and the switches.
type Space struct {
	Groups []space.Group

	f       *ein.Func
	machine *schedule.Machine
	set     []func(o *Options, value int64)
}

// strategies are the fusion strategies by the value of their parameter.
var strategies = []Fusion{Max, Preserve3Coincident, Min}

// NewSpace returns the space of mapping options of a function.
func NewSpace(f *ein.Func, m *schedule.Machine) *Space {
	s := &Space{f: f, machine: m}
	if len(f.Body) > 1 {
		s.add("fuse", []int64{0, 1, 2}, func(v int64) string { return string(strategies[v]) }, func(o *Options, v int64) { o.Fusion = strategies[v] })
	}
	extents := [][]int64{} // by entry of the tile, of all statements
	for _, c := range f.Body {
		n := 0
		for _, reduced := range []bool{false, true} {
			for _, i := range c.Indices {
				if (i.Combine.Kind != ein.Concat) != reduced {
					continue
				}
				if n == len(extents) {
					extents = append(extents, nil)
				}
				if size, ok := i.Extent.IsConst(); ok {
					extents[n] = append(extents[n], size)
				}
				n++
			}
		}
	}
	for n, sizes := range extents {
		s.add(fmt.Sprintf("tile.%d", n), tileSizes(sizes), nil, func(o *Options, v int64) { o.Tile = append(o.Tile, v) })
	}
	s.add("unroll", []int64{1, 2, 4, 8, 16, 32}, nil, func(o *Options, v int64) { o.Unroll = v })
	s.add("threads", []int64{1, 4, 8, 16, 32}, nil, func(o *Options, v int64) { o.Threads = []int64{v} })
	s.add("blocks", []int64{0, 1, 2, 4, 8, 16, 64}, nil, func(o *Options, v int64) {
		if v > 0 {
			o.Blocks = []int64{v}
		}
	})
	s.add("shared", []int64{0, 1}, nil, func(o *Options, v int64) { o.Shared = v == 1 })
	s.add("private", []int64{1, 0}, nil, func(o *Options, v int64) { o.Private = v == 1 })
	return s
}

func (s *Space) add(name string, values []int64, text func(int64) string, set func(*Options, int64)) {
	s.Groups = append(s.Groups, space.Group{{Name: name, Uses: []string{}, Text: text, Values: func([]int64) []int64 { return values }}})
	s.set = append(s.set, set)
}

// tileSizes lists 1, the powers of two and the divisors below any of some sizes, but
// not so large that a tile is everything.
func tileSizes(extents []int64) []int64 {
	most := int64(256) // of sizes that are not known
	if len(extents) > 0 {
		most = min(max(1, slices.Max(extents)), 4096)
	}
	list := []int64{}
	for n := int64(1); n <= most; n++ {
		divides := false
		for _, e := range extents {
			divides = divides || e > 0 && e%n == 0 && n < e
		}
		if n&(n-1) == 0 || divides {
			list = append(list, n)
		}
	}
	return list
}

// Options returns the mapping options of a point.
func (s *Space) Options(point []int64) (Options, error) {
	o := Default()
	if len(point) != len(s.set) {
		return o, fmt.Errorf("a point has %d values, found %d", len(s.set), len(point))
	}
	for i, v := range point {
		s.set[i](&o, v)
	}
	return o, nil
}

// Tree returns the schedule of a point.
func (s *Space) Tree(point []int64) (*schedule.Tree, error) {
	o, err := s.Options(point)
	if err != nil {
		return nil, err
	}
	return Make(s.f, s.machine, o)
}
