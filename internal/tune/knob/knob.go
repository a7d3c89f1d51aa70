// Package knob makes a search space of a schedule tree: the same tree with other
// tiles and other orders of its loops.
package knob

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/fetch"
	"github.com/ricci-lang/ricci/internal/space"
)

// How it works
//
// The default maker has decided what is vectorised, what is parallel, where
// accumulators and copies live. The knobs are the numbers and orders in its tree:
//
//   - the tiles of one index on a path from the root form a chain, a group of
//     parameters. Each divides the one above it; an equal one, or one as large as
//     the range, means that there is no such loop, and 1 that the loop enumerates
//     points. Around a vector loop the tiles are multiples of its lanes.
//   - the members of a band may stand in another order, a permutation by number.
//     Members that are parallel stay in front, and orders that break a dependence are none.
//
// Every knob can keep the value of the tree that was given, so that tree is a point
// of the space. Loops that are written out, and tiles that are not whole, multiply code: how much of
// the room for code each chain of a statement leaves to the next one is a parameter, too (code.go), so that
// no point has more than there is room for. In trees of grids the numbers of items are knobs, too (grid.go). The space knows nothing of dependences and stacks: schedule.Check
// judges each tree, and what it refuses is a candidate that failed without being
// compiled.

// A Space makes trees of points.
type Space struct {
	f      *ein.Func
	tree   *schedule.Tree
	chains []chain
	orders []order
	chunks map[*schedule.Member]bool // whose iterations have partial results of their own: there are several
	// ordered are the bands whose members stay where they are.
	ordered map[*schedule.Band]bool
	// machine is that for which trees say what they ask for ahead, as the one does around which the space is; nil where
	// that one does not.
	machine *machine.Processor
	// grids are the launches of a tree for a machine with groups, which has so many items.
	grids []*launch
	room  machine.Grid
}

// A chain holds the tiled members of one loop, outermost first.
type chain struct {
	loop    schedule.Loop
	members []*schedule.Member
	point   *schedule.Member // the loop over points inside; nil when that is a vector loop
	vector  *schedule.Member // that one
	unit    int64            // tiles are multiples of it
	extent  int64            // 0 when it is not known
	chunks  bool             // of the first of them: that loop stays
}

// An order is a band with several members that may be exchanged.
type order struct {
	band  *schedule.Band
	first int // the members before it stay
}

// mostOrdered is the most members of a band whose order is tried: their
// permutations have to be listed.
const mostOrdered = 5

// Of returns the space around a legal tree of f for a machine.
func Of(f *ein.Func, tree *schedule.Tree, m *machine.Processor) *Space {
	s := &Space{f: f, tree: tree, chunks: map[*schedule.Member]bool{}, ordered: map[*schedule.Band]bool{}}
	if fetch.Asks(tree.Root) {
		s.machine = m
	}
	s.collect(tree.Root, nil)
	if m != nil && m.Grid != nil {
		s.room = *m.Grid
		s.launches(tree.Root, nil, nil, 0)
	}
	return s
}

// collect finds the knobs below a node; path has the members above.
func (s *Space) collect(n schedule.Node, path []*schedule.Member) {
	if a, ok := n.(*schedule.Accumulate); ok && a.Region == schedule.Workspace {
		if b := schedule.InChunks(a); b != nil {
			s.chunks[b.Members[0]] = true
		}
		if b, is := a.Child.(*schedule.Band); is { // the launch that combines goes by their order
			s.ordered[b] = b.Members[0].Groups
		}
	}
	band, isBand := n.(*schedule.Band)
	if isBand {
		for _, m := range band.Members {
			s.member(m, path)
			path = append(path[:len(path):len(path)], m)
		}
		first := 0
		for first < len(band.Members) && band.Members[first].Parallel {
			first++
		}
		if n := len(band.Members) - first; n > 1 && n <= mostOrdered && !s.ordered[band] {
			s.orders = append(s.orders, order{band, first})
		}
	}
	for _, child := range schedule.Children(n) {
		s.collect(child, path)
	}
}

// member adds a member to the chain of its loop, or makes one. A vector loop only
// tells the chain its lanes.
func (s *Space) member(m *schedule.Member, path []*schedule.Member) {
	at := slices.IndexFunc(s.chains, func(c chain) bool {
		last := c.members[len(c.members)-1]
		return c.loop.Equal(m.Loops[0]) && slices.Contains(path, last)
	})
	switch {
	case m.Groups || m.Items > 0: // grid.go
	case at >= 0 && max(m.Vector, m.Group) > 0:
		s.chains[at].unit, s.chains[at].vector = int64(max(m.Vector, m.Group)), m
	case at >= 0 && m.Tile == 1:
		s.chains[at].point = m
	case at >= 0:
		s.chains[at].members = append(s.chains[at].members, m)
	case m.Tile > 1:
		s.chains = append(s.chains, chain{loop: m.Loops[0], members: []*schedule.Member{m}, unit: 1, extent: s.extent(m.Loops[0]), chunks: s.chunks[m]})
	}
}

func (s *Space) extent(l schedule.Loop) int64 {
	for _, i := range s.f.Body[l.Statement].Indices {
		if n, known := i.Extent.IsConst(); i.Name == l.Index && known {
			return n
		}
	}
	return 0
}

// tileSizes are the tiles that are tried: small ones of all kinds for registers,
// powers of two and three halves of them for caches.
func tileSizes() []int64 {
	list := []int64{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14}
	for n := int64(16); n <= 1<<14; n *= 2 {
		list = append(list, n, n+n/2)
	}
	return list
}

// choices lists the values of the tile at a place of the chain.
func (c chain) choices(at int, prefix []int64) []int64 {
	own := c.members[at].Tile
	most := c.extent
	if most == 0 {
		most = 1 << 14
	}
	most = max(most, own)
	divides := false
	if at > 0 {
		divides = prefix[at-1] != c.extent
		most = prefix[at-1]
		if own > most || divides && prefix[at-1] != c.members[at-1].Tile {
			own = most
		}
	}
	list := []int64{own}
	if at > 0 || !c.chunks {
		list = append(list, most)
	}
	for _, n := range tileSizes() {
		if n *= c.unit; n < most && !(divides && most%n != 0) {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Groups returns the parameters, in the order of a point's values.
func (s *Space) Groups() []space.Group {
	var groups []space.Group
	for _, list := range s.together() {
		groups = append(groups, s.group(list))
	}
	for k, o := range s.orders {
		groups = append(groups, space.Group{s.orderParameter(k, o)})
	}
	for k, l := range s.grids {
		groups = append(groups, l.group(k+1, s.room))
	}
	return groups
}

// ambiguous reports whether an earlier or later chain is over the same loop.
func (s *Space) ambiguous(k int) bool {
	for other, c := range s.chains {
		if other != k && c.loop.Statement == s.chains[k].loop.Statement && c.loop.Index == s.chains[k].loop.Index {
			return true
		}
	}
	return false
}

func (s *Space) orderParameter(k int, o order) space.Parameter {
	count := int64(1)
	for n := len(o.band.Members) - o.first; n > 1; n-- {
		count *= int64(n)
	}
	values := []int64{0}
	for n := int64(1); n < count; n++ { // those that are legal with the tiles of the tree that is given
		made := maker{orders: map[*schedule.Band]permutation{o.band: {o.first, n}}}
		tree := *s.tree
		if tree.Root = made.node(s.tree.Root); schedule.Check(s.f, &tree) == nil {
			values = append(values, n)
		}
	}
	return space.Parameter{
		Name:   fmt.Sprintf("order %d", k+1),
		Values: func([]int64) []int64 { return values },
		Uses:   []string{},
		Text: func(value int64) string {
			var names []string
			for _, m := range permuted(o.band.Members[o.first:], value) {
				names = append(names, m.Loops[0].Index)
			}
			return strconv.FormatInt(value, 10) + ":" + strings.Join(names, "")
		},
	}
}

// permuted returns the permutation of a number; number 0 is the list itself.
func permuted(list []*schedule.Member, number int64) []*schedule.Member {
	rest := slices.Clone(list)
	var result []*schedule.Member
	for len(rest) > 0 {
		count := int64(1)
		for n := int64(2); n < int64(len(rest)); n++ {
			count *= n
		}
		k := number / count
		number %= count
		result = append(result, rest[k])
		rest = slices.Delete(rest, int(k), int(k)+1)
	}
	return result
}

// Origin returns the point of the tree itself.
func (s *Space) Origin() space.Point {
	var p space.Point
	for _, list := range s.together() {
		left := s.codeRoom(list)
		for _, k := range list {
			left -= s.chains[k].class(s.chains[k].own())
			p = append(append(p, left), s.chains[k].own()...)
		}
	}
	for range s.orders {
		p = append(p, 0)
	}
	for _, l := range s.grids {
		p = append(p, l.origin()...)
	}
	return p
}

// Tree returns the tree of a point. It is not checked.
func (s *Space) Tree(p space.Point) (*schedule.Tree, error) {
	if len(p) != len(s.Origin()) {
		return nil, fmt.Errorf("a point of this space has %d values, found %d", len(s.Origin()), len(p))
	}
	made := maker{tiles: map[*schedule.Member]int64{}, items: map[*schedule.Member]int64{}, orders: map[*schedule.Band]permutation{}}
	at := 0
	for _, k := range slices.Concat(s.together()...) {
		c := s.chains[k]
		at++ // what is left
		above := c.extent
		for k, m := range c.members {
			made.tiles[m] = p[at]
			if own := k == 0 && m.Tile == p[at]; p[at] == above && !own {
				made.tiles[m] = omitted
			}
			above = p[at]
			at++
		}
		c.dropPoints(made.tiles)
	}
	for _, o := range s.orders {
		made.orders[o.band] = permutation{o.first, p[at]}
		at++
	}
	for _, l := range s.grids {
		at += l.set(p[at:], &made)
	}
	tree := *s.tree
	tree.Root, tree.Fallback = made.node(s.tree.Root), nil
	if s.machine != nil {
		fetch.Mark(s.f, &tree, s.machine, nil)
	}
	return &tree, nil
}

// dropPoints omits the loop over points when a tile is a point.
func (c chain) dropPoints(tiles map[*schedule.Member]int64) {
	for _, m := range c.members {
		if c.point != nil && tiles[m] == 1 {
			tiles[c.point] = omitted
		}
	}
}

// omitted marks a tile that is as large as what is around it.
const omitted = 0

type permutation struct {
	first  int
	number int64
}

// A maker copies a tree with other numbers.
type maker struct {
	tiles  map[*schedule.Member]int64
	items  map[*schedule.Member]int64
	orders map[*schedule.Band]permutation
}

func (k *maker) node(n schedule.Node) schedule.Node {
	switch n := n.(type) {
	case *schedule.Sequence:
		s := &schedule.Sequence{}
		for _, f := range n.Children {
			s.Children = append(s.Children, k.node(f).(*schedule.Filter))
		}
		return s
	case *schedule.Filter:
		copied := *n
		copied.Child = k.node(n.Child)
		return &copied
	case *schedule.Accumulate:
		copied := *n
		copied.Child = k.node(n.Child)
		return &copied
	case *schedule.Place:
		copied := *n
		copied.Child = k.node(n.Child)
		return &copied
	case *schedule.Band:
		return k.band(n)
	}
	return n
}

func (k *maker) band(n *schedule.Band) schedule.Node {
	members := n.Members
	if o, known := k.orders[n]; known {
		members = append(slices.Clone(members[:o.first]), permuted(members[o.first:], o.number)...)
	}
	b := &schedule.Band{Permutable: n.Permutable, Child: k.node(n.Child)}
	for _, m := range members {
		copied := *m
		if tile, known := k.tiles[m]; known {
			if tile == omitted {
				continue
			}
			copied.Tile, copied.Pad = tile, m.Pad && tile > 1
		}
		if n := k.items[m]; n > 0 {
			copied.Items = n
		}
		b.Members = append(b.Members, &copied)
	}
	if len(b.Members) == 0 {
		return b.Child
	}
	return b
}
