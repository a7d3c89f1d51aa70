package transform

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// What the paper leaves to the future (its Section 7), as far as a schedule says it:
// where data lies, padding, and the layers of the machine.

// regions are those that a tensor can be put in.
var regions = [...]schedule.Region{schedule.Register, schedule.Private, schedule.Workspace, schedule.Local}

func regionNamed(name string) (schedule.Region, error) {
	names := make([]string, len(regions))
	for k, r := range regions {
		if names[k] = r.String(); names[k] == name {
			return r, nil
		}
	}
	return 0, fmt.Errorf("found the region %s, expected one of %s", name, strings.Join(names, ", "))
}

// promote gives the block of a tensor that the loops inside of level r use a place of
// its own.
func promote(c *call) error {
	p := &schedule.Place{Tensor: c.args[1].Name, Region: schedule.Private}
	if len(c.args) > 2 {
		var err error
		if p.Region, err = regionNamed(c.args[2].Name); err != nil {
			return err
		}
	}
	return c.place(p)
}

// pack copies the blocks of a tensor that the loops inside of level r use, with the
// dimensions in another order, the slowest first: those of an input all beforehand, where
// they are equal.
func pack(c *call) error {
	p := &schedule.Place{Tensor: c.args[1].Name, Region: schedule.Workspace}
	for _, d := range c.args[2:] {
		p.Layout = append(p.Layout, int(d.Int))
	}
	if t := c.f.Tensor(p.Tensor); t != nil && p.Layout != nil {
		sorted := slices.Sorted(slices.Values(p.Layout))
		for k, d := range sorted {
			if d != k+1 || len(sorted) != len(t.Dims) {
				return fmt.Errorf("the layout names each of the %s of %s once, counted from 1, the slowest first", count(len(t.Dims), "dimension"), t.Name)
			}
		}
	}
	return c.place(p)
}

// place puts a place inside of the level that the first argument says, 0 being around
// all loops.
func (c *call) place(p *schedule.Place) error {
	t := c.f.Tensor(p.Tensor)
	if t == nil {
		names := make([]string, len(c.f.Tensors))
		for k, t := range c.f.Tensors {
			names[k] = t.Name
		}
		return fmt.Errorf("there is no tensor %s; the tensors are %s", p.Tensor, strings.Join(names, ", "))
	}
	from := &origin{c.step}
	if c.args[0].Int == 0 {
		c.list = []*node{{between: p, origin: from, body: c.list}}
		return nil
	}
	n, err := c.level(0)
	if err != nil {
		return err
	}
	n.body = []*node{{between: p, origin: from, body: n.body}}
	return nil
}

// pad makes the last block of level r as large as the others. What does not exist of it
// is computed and thrown away, so that the loops inside have constant sizes.
func pad(c *call) error {
	n, err := c.level(0)
	if err != nil {
		return err
	}
	if n.loop.Tile == 1 {
		return fmt.Errorf("%s enumerates points; pad a loop over blocks", n.loop.name)
	}
	n.loop.Pad = true
	n.loop.mark(padMark, c.step)
	return nil
}

// vectors is the level that an argument says, which vectors compute.
func (c *call) vectors(k int) (*node, error) {
	n, err := c.level(k)
	if err == nil && n.loop.Vector == 0 {
		err = fmt.Errorf("%s is not computed by vectors; vectorize it first", n.loop.name)
	}
	return n, err
}

// stream lets what vectors write go past the caches.
func stream(c *call) error {
	n, err := c.vectors(0)
	if err == nil {
		n.loop.Stream = true
	}
	return err
}

// ahead lets vectors ask for the lines of memory that they reach some bytes later.
func ahead(c *call) error {
	n, err := c.vectors(0)
	if err != nil {
		return err
	}
	if n.loop.Ahead = c.args[1].Int; n.loop.Ahead < 1 || n.loop.Ahead > schedule.MostAhead {
		return fmt.Errorf("found %d bytes ahead, expected from 1 to %d", n.loop.Ahead, schedule.MostAhead)
	}
	return nil
}

// prefetch lets the vectors of a level fetch what they read and write in the next
// iteration of a loop around them. For those of several statements there is no code: Tree
// lets the mark give way.
func prefetch(c *call) error {
	around, err := c.level(0)
	if err != nil {
		return err
	}
	n, err := c.vectors(1)
	switch {
	case err != nil:
		return err
	case c.args[0].Int >= c.args[1].Int:
		return fmt.Errorf("the first level must be smaller than the second")
	}
	by, _ := around.loop.IndexOf(n.loop.Loops[0].Statement)
	if n.loop.Prefetch, n.loop.PrefetchTile = by.Index, 0; around.loop.Tile > 1 {
		n.loop.PrefetchTile = around.loop.Tile
	}
	n.loop.mark(prefetchMark, c.step)
	return nil
}

// whole reports whether a level is, for all of its statements, the only loop over its index, over points.
func (c *call) whole(n *node) bool {
	levels := levelsIn(c.list)
	return !slices.ContainsFunc(n.loop.Loops, func(l schedule.Loop) bool {
		times := 0
		for _, o := range levels {
			if o.over(l) {
				times++
			}
		}
		return times != 1
	})
}

// skew runs level r2 over the sum of its iterator and f times the iterator at level r1.
// Interchanged, the two are a wavefront. Loops over all points change their coordinates,
// which blocks can be made of then; others the numbers of their blocks.
func skew(c *call) error {
	if c.args[0].Int >= c.args[1].Int {
		return fmt.Errorf("the first level must be smaller than the second")
	}
	by, err := c.level(0)
	if err != nil {
		return err
	}
	n, err := c.level(1)
	if err != nil {
		return err
	}
	factor := c.args[2].Int
	if factor == 0 || isLarge(factor) {
		return fmt.Errorf("found the factor %d, expected another number than 0, and not a large one", factor)
	}
	for _, m := range []*node{by, n} {
		if m.loop.Vector != 0 {
			return fmt.Errorf("%s is computed by vectors; skew first, and stripmine and vectorize then", m.loop.name)
		}
	}
	if c.whole(by) && c.whole(n) && len(by.loop.Skews)+len(n.loop.Skews) == 0 {
		err = c.skewPoints(by.loop, n.loop, factor)
	} else {
		err = c.skewBlocks(by.loop, n.loop, factor)
	}
	n.loop.name += "_" + by.loop.name
	return err
}

// skewPoints adds a multiple of the coordinate of one loop to that of another.
func (c *call) skewPoints(by, n *level, factor int64) error {
	for k := range n.Loops {
		l := &n.Loops[k]
		other, _ := by.IndexOf(l.Statement)
		add(l, other.Index, factor)
		for _, t := range other.By {
			add(l, t.Index, factor*t.Factor)
		}
		l.Shift += factor * other.Shift // the iterator of level r1 is shifted too
		if slices.ContainsFunc(l.By, func(t schedule.Term) bool { return isLarge(t.Factor) }) || isLarge(l.Shift) {
			return errLarge
		}
	}
	return nil
}

// errLarge is the error of coordinates that grew too large.
var errLarge = errors.New("the factors of all skews together are too large")

func isLarge(factor int64) bool { return factor < -1<<20 || factor > 1<<20 }

// add adds a multiple of an index to a coordinate.
func add(l *schedule.Loop, index string, factor int64) {
	if k := slices.IndexFunc(l.By, func(t schedule.Term) bool { return t.Index == index }); k < 0 {
		l.By = append(l.By, schedule.Term{Index: index, Factor: factor})
	} else if l.By[k].Factor += factor; l.By[k].Factor == 0 {
		l.By = slices.Delete(l.By, k, k+1)
	}
}

// skewBlocks adds a multiple of the number of one loop to that of another.
func (c *call) skewBlocks(by, n *level, factor int64) error {
	if n.once || by.once {
		return fmt.Errorf("%s or %s has one iteration, so there is nothing to skew", by.name, n.name)
	}
	terms := append([]schedule.Skew{{Index: "", Tile: by.Tile, Factor: factor}}, by.Skews...)
	first := n.Loops[0].Statement
	own, _ := by.IndexOf(first)
	terms[0].Index = own.Index
	for k, t := range terms {
		if k > 0 {
			index, ok := renamed(levelsIn(c.list), by.Loops[0].Statement, first, t)
			if !ok {
				return fmt.Errorf("%s is skewed by a loop that %s does not share", by.name, n.name)
			}
			t.Index, t.Factor = index, t.Factor*factor
		}
		at := slices.IndexFunc(n.Skews, func(s schedule.Skew) bool { return s.Index == t.Index && s.Tile == t.Tile })
		if at < 0 {
			n.Skews = append(n.Skews, t)
		} else {
			n.Skews[at].Factor += t.Factor
		}
	}
	n.Skews = slices.DeleteFunc(n.Skews, func(s schedule.Skew) bool { return s.Factor == 0 })
	if slices.ContainsFunc(n.Skews, func(s schedule.Skew) bool { return isLarge(s.Factor) }) {
		return errLarge
	}
	return nil
}

// skewedBy reports whether some loop is skewed by the blocks of another one.
func skewedBy(levels []*level, l *level) bool {
	return slices.ContainsFunc(levels, func(o *level) bool { return o.isSkewedBy(l) })
}

// isSkewedBy reports whether a loop is skewed by the blocks of another one.
func (l *level) isSkewedBy(o *level) bool {
	return slices.ContainsFunc(l.Skews, func(s schedule.Skew) bool {
		return o.Tile == s.Tile && o.over(schedule.Loop{Statement: l.Loops[0].Statement, Index: s.Index})
	})
}

// renamed returns the index of another statement that has the loop of a skew.
func renamed(levels []*level, from, to int, s schedule.Skew) (string, bool) {
	for _, l := range levels {
		if l.over(schedule.Loop{Statement: from, Index: s.Index}) && l.Tile == s.Tile {
			o, ok := l.IndexOf(to)
			return o.Index, ok
		}
	}
	return "", false
}

// shift adds n to the iterator at level r: where the loop is fused with others, its
// iteration i meets their i + n.
func shift(c *call) error {
	n, err := c.level(0)
	if err != nil {
		return err
	}
	if !c.whole(n) {
		return fmt.Errorf("%s is cut into blocks already; shift first, and stripmine then", n.loop.name)
	}
	by := c.args[1].Int
	if isLarge(by) {
		return fmt.Errorf("a shift by %d is too large", by)
	}
	for k := range n.loop.Loops {
		l := &n.loop.Loops[k]
		if l.Shift += by; isLarge(l.Shift) {
			return fmt.Errorf("the shifts of %s are too large together", n.loop.name)
		}
	}
	return nil
}

// fuseUnion is fuse_outer for loops over different ranges: the shared loop runs over
// all of them, and each body where its own range is.
func fuseUnion(c *call) error {
	return c.fuse(func(c *call, above []*level, a, b *node) error {
		switch {
		case a.loop.once && b.loop.once:
			return sameOrder(a.loop, b.loop)
		case a.loop.once:
			return c.makeSingle(a, b, above)
		case b.loop.once:
			return c.makeSingle(b, a, above)
		}
		return haveUnion(c.f, a.loop, b.loop, c.sameBlocks(above, a, b))
	})
}

// haveUnion reports why two loops of several iterations do not share the union of their ranges.
func haveUnion(f *ein.Func, a, b *level, blocks error) error {
	switch {
	case blocks != nil:
		return blocks
	case a.Tile != b.Tile || !schedule.HaveUnion(f, a.Loops[0], b.Loops[0]):
		return fmt.Errorf("the ranges of %s and %s differ in their blocks, or it is not known for all sizes which begins first and ends last", a.name, b.name)
	}
	return sameOrder(a, b)
}

// makeSingle makes a level of one iteration one that shares a longer loop: the coordinates of one
// value that its statements have there meet the value 0, and where the loop is over blocks, or inside
// of larger ones, their first one.
func (c *call) makeSingle(n, with *node, above []*level) error {
	own, other, levels := n.loop, with.loop, append(levelsIn(c.list), levelsIn(c.other)...)
	shift := int64(0)
	if first, known := c.firstOf(other); known && other.Tile > 1 {
		shift = first
	}
	var singles []schedule.Loop
	for _, l := range own.Loops {
		singles = append(singles, schedule.Loop{Statement: l.Statement, Index: freshSingle(levels, l.Statement), Shift: shift})
	}
	switch {
	case len(other.Skews) > 0 || skewedBy(levels, other):
		return fmt.Errorf("of the loops %s and %s one runs along diagonals of blocks; fuse first, and skew then", own.name, other.name)
	case around(c.f, above, with) != aroundOf(above, other):
		return fmt.Errorf("%s counts within blocks whose loop is further in, and %s has one iteration; fuse first, and interchange then", other.name, own.name)
	case around(c.f, above, with) == nil && !schedule.HaveUnion(c.f, other.Loops[0], singles[0]):
		return fmt.Errorf("%s has one iteration, from 0 to 0, and it is not known for all sizes whether the range of %s begins or ends before or behind that", own.name, other.name)
	}
	own.Tile, own.Reverse, own.Loops, own.once = other.Tile, other.Reverse, singles, false
	if own.Tile > 1 {
		n.body = aroundStatements(&level{Member: schedule.Member{Loops: singles, Tile: 1}, name: own.name}, n.body)
	}
	return nil
}

// firstOf is the first value of the coordinate of a loop of a nest, if it is a number.
func (c *call) firstOf(l *level) (first int64, known bool) {
	lp := l.Loops[0]
	list := c.list
	if slices.Contains(statements(c.other), lp.Statement) {
		list = c.other
	}
	frame := schedule.FramesOf(c.f, &schedule.Tree{Root: bare(list)}).Of(lp.Statement, indexOf(c.f, lp))
	return frame.Min.AddConst(lp.Shift).IsConst()
}

// freshSingle names a coordinate of one value that a statement of some levels does not have yet.
func freshSingle(levels []*level, statement int) string {
	for k := 0; ; k++ {
		l := schedule.Loop{Statement: statement, Index: schedule.SingleName(k)}
		if !slices.ContainsFunc(levels, func(o *level) bool { return o.over(l) }) {
			return l.Index
		}
	}
}

// reverse runs level r from the last iteration to the first.
func reverse(c *call) error {
	n, err := c.level(0)
	if err != nil {
		return err
	}
	if n.loop.Vector != 0 {
		return fmt.Errorf("%s is computed by vectors, whose lanes have no direction; reverse the loop over its blocks", n.loop.name)
	}
	n.loop.Reverse = !n.loop.Reverse
	return nil
}

// bind runs level r on a core layer of the host's model: a layer whose units are neighbours
// inside of everything else has lanes, the others have threads.
func bind(c *call) error {
	const elementBytes = 4 // how many lanes a layer has is left to vectorize
	model := machine.Of(machine.Host(), elementBytes)
	var names []string
	for k := range model.Layers {
		layer := model.Layer(k + 1)
		apply := parallelize
		if model.IsLanes(layer.Name) {
			apply = vectorize
		}
		switch {
		case layer.Name != c.args[1].Name && !slices.Contains(layer.Aliases, c.args[1].Name):
		case !layer.Core:
			return fmt.Errorf("%s is a memory of the host, not a core layer; promote puts a tensor into a memory", layer.Name)
		default:
			c.args = c.args[:1]
			return apply(c)
		}
		if layer.Core {
			names = append(names, layer.Name)
		}
	}
	return fmt.Errorf("the host has no layer %s; its core layers are %s", c.args[1].Name, strings.Join(names, " and "))
}
