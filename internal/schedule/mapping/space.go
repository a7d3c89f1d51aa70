package mapping

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/space"
)

// A Space is what a tuner may choose of the mapping options of a function, as the
// autotuner of Tensor Comprehensions does: tile sizes among divisors and powers of two,
// powers of two for unrolling, threads and blocks, and the switches. Options that are pinned
// have no parameter.
type Space struct {
	Groups []space.Group

	f       *ein.Func
	machine *machine.Processor
	base    Options // what no parameter sets
	set     []func(o *Options, value int64)
	get     []func(o *Options) int64
}

// strategies are the fusion strategies by the value of their parameter.
var strategies = []Fusion{Max, Preserve3Coincident, Min}

// NewSpace returns the space of mapping options of a function in which the options that are given
// have their values.
func NewSpace(f *ein.Func, m *machine.Processor, pinned Options) *Space {
	s := &Space{f: f, machine: m, base: pinned}
	if len(f.Body) > 1 {
		s.add("fuse", []int64{0, 1, 2}, func(v int64) string { return string(strategies[v]) },
			func(o *Options, v int64) { o.Fusion = strategies[v] },
			func(o *Options) int64 { return int64(slices.Index(strategies, o.Fusion)) })
	}
	s.addTiles()
	s.add("unroll", []int64{1, 2, 4, 8, 16, 32}, nil, func(o *Options, v int64) { o.Unroll = v }, func(o *Options) int64 { return o.Unroll })
	s.addThreads()
	s.add("blocks", []int64{0, 1, 2, 4, 8, 16, 64}, nil, func(o *Options, v int64) {
		if o.Blocks = nil; v > 0 {
			o.Blocks = []int64{v}
		}
	}, func(o *Options) int64 { return at(o.Blocks, 0, 0) })
	s.add("shared", []int64{0, 1}, nil, func(o *Options, v int64) { o.Shared = v == 1 }, func(o *Options) int64 { return number(o.Shared) })
	s.add("private", []int64{1, 0}, nil, func(o *Options, v int64) { o.Private = v == 1 }, func(o *Options) int64 { return number(o.Private) })
	return s
}

// at is an entry of a list, or what stands for none.
func at(list []int64, n int, none int64) int64 {
	if n < len(list) {
		return list[n]
	}
	return none
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// addTiles adds the sizes of tiles, by entry of the tile.
func (s *Space) addTiles() {
	extents := [][]int64{} // by entry of the tile, of all statements
	for _, c := range s.f.Body {
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
		s.add(fmt.Sprintf("tile.%d", n), tileSizes(sizes), nil, func(o *Options, v int64) {
			o.Tile = slices.Clone(o.Tile)
			for len(o.Tile) <= n {
				o.Tile = append(o.Tile, 0)
			}
			o.Tile[n] = v
		}, func(o *Options) int64 { return at(o.Tile, n, 0) })
	}
}

// addThreads adds the numbers of threads: lanes of a vector, or the items of a group along x and y.
func (s *Space) addThreads() {
	if s.machine.Grid == nil {
		s.add("threads", []int64{1, 4, 8, 16, 32}, nil, func(o *Options, v int64) { o.Threads = []int64{v} }, func(o *Options) int64 { return at(o.Threads, 0, 32) })
		return
	}
	for axis, values := range [][]int64{{1, 4, 8, 16, 32, 64, 128, 256}, {1, 2, 4, 8, 16, 32}} {
		s.add(fmt.Sprintf("threads.%c", "xy"[axis]), values, nil, func(o *Options, v int64) {
			o.Threads = []int64{at(o.Threads, 0, 1), at(o.Threads, 1, 1)}
			o.Threads[axis] = v
		}, func(o *Options) int64 { return at(o.Threads, axis, []int64{32, 8}[axis]) })
	}
}

func (s *Space) add(name string, values []int64, text func(int64) string, set func(*Options, int64), get func(*Options) int64) {
	if option, _, _ := strings.Cut(name, "."); s.base.Given[option] {
		return
	}
	s.Groups = append(s.Groups, space.Group{{Name: name, Uses: []string{}, Text: text, Values: func([]int64) []int64 { return values }}})
	s.set, s.get = append(s.set, set), append(s.get, get)
}

// tileSizes lists 0 for a dimension that is not cut, 1, the powers of two and the divisors below any
// of some sizes, but not so large that a tile is everything.
func tileSizes(extents []int64) []int64 {
	most := int64(256) // of sizes that are not known
	if len(extents) > 0 {
		most = min(max(1, slices.Max(extents)), 4096)
	}
	list := []int64{0}
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
	o := s.base
	if len(point) != len(s.set) {
		return o, fmt.Errorf("a point has %d values, found %d", len(s.set), len(point))
	}
	for i, v := range point {
		s.set[i](&o, v)
	}
	return o, nil
}

// Point returns the values of options, which are perhaps none of those that the parameters have.
func (s *Space) Point(o Options) []int64 {
	point := make([]int64, len(s.get))
	for i, get := range s.get {
		point[i] = get(&o)
	}
	return point
}

// Starts returns the points from which a search begins: the options that are not pinned as they
// were given, and those of the presets.
func (s *Space) Starts() [][]int64 {
	points := [][]int64{s.Point(s.base)}
	for _, p := range presets {
		if o, err := Preset(p.Name); err == nil {
			points = append(points, s.Point(o))
		}
	}
	return points
}

// Tree returns the schedule of a point.
func (s *Space) Tree(point []int64) (*schedule.Tree, error) {
	o, err := s.Options(point)
	if err != nil {
		return nil, err
	}
	return Make(s.f, s.machine, o)
}
