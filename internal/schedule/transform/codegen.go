package transform

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/fetch"
	"github.com/ricci-lang/ricci/internal/source"
)

// Options say how nests become a tree.
type Options struct {
	Machine *machine.Processor // nil: this one
	// Unchecked leaves out the test of the dependences. That every point is enumerated
	// once, and that accesses stay in bounds, is tested anyway.
	Unchecked bool
	Pos       source.Span // where the program asks for code; may be zero
}

// Tree joins nests, in the order of the list, to a schedule of their function, which
// is checked. It says of a dependence that the tree breaks which transformation broke it, and
// of marks that have no effect, as warnings, which step made them.
func Tree(f *ein.Func, nests []*Nest, options Options) (*schedule.Tree, []*source.Diagnostic, error) {
	options = options.complete()
	if err := covered(f, nests, options.Pos); err != nil {
		return nil, nil, err
	}
	x, err := settle(f, nests, options)
	if err != nil {
		return nil, nil, blame(f, nests, x.tree, options, err)
	}
	fetch.Mark(f, x.tree, options.Machine, nil)
	if options.Unchecked {
		return x.tree, x.warnings(), nil
	}
	for _, v := range x.alone() {
		alone, g, _ := generate(f, nests, options, v)
		if err := schedule.CheckOrder(f, alone, g.words); err != nil {
			return nil, nil, blame(f, nests, alone, options, err)
		}
	}
	return x.tree, x.warnings(), nil
}

// complete puts in what is left out.
func (o Options) complete() Options {
	if o.Machine == nil {
		o.Machine = machine.Host()
	}
	return o
}

// isIllegal reports whether an error is a dependence that is broken.
func isIllegal(err error) bool {
	var list source.ErrorList
	return errors.As(err, &list) && list[0].Code == source.ScheduleIllegal
}

// covered checks that the nests have each statement of the function once.
func covered(f *ein.Func, nests []*Nest, pos source.Span) error {
	seen := map[int]bool{}
	errs := &source.Diagnostics{}
	for _, n := range nests {
		if n.f != f {
			return source.Internalf(stage, pos, "a nest of %s in a schedule of %s", n.f.Name, f.Name)
		}
		for _, s := range n.Statements() {
			if seen[s] {
				errs.Errorf(source.TransformMisfit, pos, "the statement of %s is generated twice", written(f, s)).
					WithHelp("every statement belongs to one of the nests; branches of one nest are alternatives")
			}
			seen[s] = true
		}
	}
	missing := slices.DeleteFunc(seq(len(f.Body)), func(s int) bool { return seen[s] })
	if len(missing) > 0 {
		names, builds := make([]string, len(missing)), make([]string, len(missing))
		for k, s := range missing {
			names[k], builds[k] = written(f, s), "build("+Which(f, s)+")"
		}
		what := "statement of " + names[0]
		if len(names) > 1 {
			what = "statements of " + strings.Join(names, ", ")
		}
		d := errs.Errorf(source.TransformMisfit, pos, "no nest has the %s", what)
		for k, s := range missing {
			if at := f.Body[s].Pos; k == 0 || at != f.Body[missing[k-1]].Pos {
				d.WithNote(at, "%s is assigned here", names[k])
			}
		}
		d.WithHelp("build a nest for each, and generate that too, in its place: %s; show --stage ein prints the statements", strings.Join(builds, ", "))
	}
	return errs.Err()
}

// seq is the list of the numbers below n.
func seq(n int) []int {
	list := make([]int, n)
	for k := range list {
		list[k] = k
	}
	return list
}

const stage = "transform"

// A variant is another tree of the same nests.
type variant struct {
	inOutput bool   // partial results are in what is written where that can be
	early    bool   // and where it cannot, the last points pass results on
	noUnits  bool   // loops over blocks as large as the range are left out
	left     []mark // out
	alone    int    // the number of the only loop that is parallel, or a vector; 0: those that are marked
	asVector bool
}

// generate makes the tree; what else is known of it is in the generator.
func generate(f *ein.Func, nests []*Nest, options Options, v variant) (*schedule.Tree, *generator, error) {
	g := &generator{f: withSingles(f, nests), options: options, inOutput: v.inOutput, early: v.early, depth: map[*level]int{}, words: words{f, map[*schedule.Member]string{}}}
	for _, n := range nests {
		body := clone(n.body)
		depths(body, 0, g.depth)
		g.levels = schedule.LevelsOf(&schedule.Tree{Root: bare(body)})
		number := len(g.all)
		g.join(body, &number)
		eachLoop(body, func(inner *node) { g.all = append(g.all, inner.loop) })
		eachPlace(body, func(inner *node) { g.asked = append(g.asked, inner) })
		g.list = append(g.list, body...)
	}
	list := g.list
	g.marks = marksOf(list)
	without(list, v.left)
	if v.noUnits {
		g.withoutUnits(list)
	}
	g.measure(list)
	if v.alone > 0 {
		g.alone(list, v)
	}
	g.serialise(list, g.begin(), nesting{})
	for s, c := range g.f.Body {
		if slices.Contains(statements(list), s) && len(ein.Reduced(c)) > 0 && !hasAccumulate(list, s) {
			g.accumulators(s, list)
		}
	}
	t := &schedule.Tree{Statements: schedule.Domain(f), Unchecked: options.Unchecked}
	t.Root = g.nodes(list, g.begin())
	return t, g, g.err
}

// withSingles is the function with the coordinates of one value that nests speak of.
func withSingles(f *ein.Func, nests []*Nest) *ein.Func {
	for _, n := range nests {
		f = schedule.WithSingles(f, &schedule.Tree{Root: bare(n.body)})
	}
	return f
}

// measure notes the levels and frames of the loops of a list.
func (g *generator) measure(list []*node) {
	loops := &schedule.Tree{Root: bare(list)}
	g.levels, g.frames = schedule.LevelsOf(loops), schedule.FramesOf(g.f, loops)
}

// withoutUnits leaves out the loops over blocks of which there is one: those inside of them
// enumerate the whole range.
func (g *generator) withoutUnits(list []*node) {
	frames := schedule.FramesOf(g.f, &schedule.Tree{Root: bare(list)})
	levels := levelsIn(list)
	for _, l := range levels {
		l.once = l.once || l.Tile > 1 && len(l.Skews) == 0 && !skewedBy(levels, l) && !slices.ContainsFunc(l.Loops, func(lp schedule.Loop) bool {
			n, known := frames.Of(lp.Statement, indexOf(g.f, lp)).Extent.IsConst()
			return !known || n > l.Tile
		})
	}
}

// A generator makes nodes of a tree.
type generator struct {
	f        *ein.Func
	options  Options
	inOutput bool
	early    bool
	levels   schedule.Levels
	frames   schedule.Frames
	depth    map[*level]int
	words    words
	list     []*node  // of all nests
	all      []*level // their loops
	marks    []mark   // of all loops and places, before some are left out
	asked    []*node  // the places, of which some may be left out
	places   []placed // of the tree
	joined   []int    // the numbers of vector loops that are parallel as well
	loops    int      // so far
	idles    []idle   // marks without effect
	err      error
}

func (g *generator) fail(s int, format string, args ...any) {
	if g.err == nil {
		errs := &source.Diagnostics{}
		errs.Errorf(source.ScheduleMisfit, g.f.Body[s].Pos, "%s", fmt.Sprintf(format, args...))
		g.err = errs.Err()
	}
}

// A path is what is left to enumerate of the indices: a block of so many values; an
// index that is not there is whole.
type path struct {
	left  map[axis]int64
	count schedule.Count
}

// begin is the path to the root.
func (g *generator) begin() path { return path{map[axis]int64{}, g.levels.Begin()} }

// An axis is an index of a statement.
type axis struct {
	statement int
	index     string
}

func axisOf(l schedule.Loop) axis { return axis{l.Statement, l.Index} }

// enter returns the path below a loop; ok is false for a loop of one iteration, which
// enumerates nothing.
func (p path) enter(l *level) (inner path, ok bool) {
	if l.once {
		return p, false
	}
	inner.left = maps.Clone(p.left)
	var now []schedule.Known
	inner.count, now = p.count.Enter(&l.Member)
	for _, k := range now {
		for _, lp := range k.Member.Loops {
			if k.Block {
				inner.left[axisOf(lp)] = k.Member.Tile
			}
		}
	}
	return inner, true
}

// nodes makes the tree of nodes that stand side by side.
func (g *generator) nodes(list []*node, p path) schedule.Node {
	if len(list) == 0 {
		return &schedule.Leaf{}
	}
	if len(list) == 1 {
		return g.node(list[0], p)
	}
	seq := &schedule.Sequence{}
	for _, n := range list {
		one := []*node{n}
		seq.Children = append(seq.Children, &schedule.Filter{Statements: slices.Sorted(slices.Values(statements(one))), Child: g.nodes(one, p)})
	}
	return seq
}

func (g *generator) node(n *node, p path) schedule.Node {
	switch between := n.between.(type) {
	case *schedule.Accumulate:
		return &schedule.Accumulate{Statement: between.Statement, Region: between.Region, Child: g.nodes(n.body, p)}
	case *schedule.Place:
		if n.idle {
			return g.nodes(n.body, p)
		}
		place := &schedule.Place{Tensor: between.Tensor, Region: between.Region, Layout: between.Layout, Child: g.nodes(n.body, p)}
		g.places = append(g.places, placed{place, n.origin, statements(n.body)})
		return place
	}
	if n.loop == nil {
		return &schedule.Leaf{}
	}
	inner, ok := p.enter(n.loop)
	child := g.nodes(n.body, inner)
	if !ok {
		return child
	}
	m := n.loop.Member
	if m.Vector = g.lanes(n.loop); m.Vector == 0 {
		m.WholeLines = 0
		m.Stream, m.Hold, m.Words, m.Singly, m.Ahead, m.Prefetch, m.PrefetchTile = false, false, false, false, 0, "", 0
	}
	m.Pad = m.Pad && !g.levels.Counted(&n.loop.Member) // which has whole blocks anyway
	g.words.levels[&m] = levelText(n.loop, g.depth[n.loop])
	b := &schedule.Band{Members: []*schedule.Member{&m}, Child: child}
	if below, ok := child.(*schedule.Band); ok { // one band for a chain of loops
		b.Members, b.Child = append(b.Members, below.Members...), below.Child
	}
	return b
}

// lanes are those of a vector loop: as many as were asked for, or of those that the machine has
// as many as make the fewest vectors of a block, of which the last may be a partial one. One value
// is no vector: its loop is a scalar one, which other accumulators fit.
func (g *generator) lanes(l *level) int {
	lanes := l.Vector
	if block, known := g.block(l); known && block <= 1 {
		return 0
	}
	if lanes != automatic {
		return lanes
	}
	lanes = 64
	for _, lp := range l.Loops {
		lanes = min(lanes, g.options.Machine.Lanes(g.f.Body[lp.Statement]))
	}
	if block, known := g.block(l); known {
		for lanes > 1 && (block+int64(lanes)-1)/int64(lanes) == (block+int64(lanes/2)-1)/int64(lanes/2) {
			lanes /= 2
		}
	}
	if lanes < 2 {
		return 0
	}
	return lanes
}

// block is how many values a loop has at most.
func (g *generator) block(l *level) (int64, bool) {
	n, known := int64(0), true
	for _, lp := range l.Loops {
		extent, constant := indexOf(g.f, lp).Extent.IsConst()
		n, known = max(n, extent), known && constant
	}
	if around := g.levels.Around(&l.Member, l.Loops[0]); around != nil && (!known || around.Tile < n) {
		return around.Tile, true
	}
	return n, known
}

// hasAccumulate reports whether accumulators of a statement have their places.
func hasAccumulate(list []*node, s int) bool {
	return slices.ContainsFunc(list, func(n *node) bool {
		a, ok := n.between.(*schedule.Accumulate)
		return ok && a.Statement == s || hasAccumulate(n.body, s)
	})
}
