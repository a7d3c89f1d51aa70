package schedule

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// Check reports whether the tree enumerates every point of f exactly once, in
// an order that keeps all dependences. An error names the node and, for a
// dependence, the two accesses. Of an unchecked tree dependences are left out, but for
// the orders of reductions.
func Check(f *ein.Func, t *Tree) error { return CheckFor(f, t, treeWords{}) }

// CheckFor is Check with other words in its messages.
func CheckFor(f *ein.Func, t *Tree, words Words) error {
	c := newChecker(f, t)
	c.words = words
	return c.check()
}

func (c *checker) check() error {
	c.domain()
	if !c.errs.HasErrors() {
		c.node(c.tree.Root, state{active: all(len(c.f.Body)), left: c.extents(), paths: map[place][]*Member{}, accumulators: map[int]Node{}, vectors: map[int]*ein.Index{}, groups: map[int]*grouped{}, count: c.levels.Begin()})
	}
	if !c.errs.HasErrors() {
		c.dependences()
	}
	if !c.errs.HasErrors() {
		c.threads()
	}
	if !c.errs.HasErrors() {
		return c.ordered.Err()
	}
	return c.errs.Err()
}

// CheckOrder reports whether a tree keeps all dependences, even if f has no code for it.
func CheckOrder(f *ein.Func, t *Tree, words Words) error {
	c := newChecker(f, t)
	c.words = words
	c.dependences()
	return c.errs.Err()
}

type checker struct {
	f    *ein.Func
	tree *Tree
	errs *source.Diagnostics
	// ordered are misfits of loops over what is reduced in a fixed order: that they do not
	// keep it is the better reason, where they do not.
	ordered *source.Diagnostics
	frames  Frames
	levels  Levels
	words   Words
	early   map[int]bool       // statements whose results are passed on by their last points
	names   map[*Member]string // of symbols
	// contracted has the places that are all the storage of a temporary; nil: not yet known.
	contracted map[*Place]bool
	grids      bool // the tree has groups
	placements map[*Place]Placement
	accesses   map[*ein.Tensor][]Access // by accessesTo; nil: not yet known
}

// accessesTo lists the uses of a tensor.
func (c *checker) accessesTo(t *ein.Tensor) []Access {
	if c.accesses == nil {
		c.accesses = map[*ein.Tensor][]Access{}
		for _, a := range Accesses(c.f) {
			c.accesses[a.Tensor] = append(c.accesses[a.Tensor], a)
		}
	}
	return c.accesses[t]
}

func newChecker(f *ein.Func, t *Tree) *checker {
	f = WithSingles(f, t)
	return &checker{f: f, tree: t, errs: &source.Diagnostics{}, ordered: &source.Diagnostics{}, frames: FramesOf(f, t), levels: LevelsOf(t), words: treeWords{}, early: earlyIn(t.Root, map[int]bool{}), names: map[*Member]string{}, placements: map[*Place]Placement{}, grids: HasGrids(t.Root)}
}

// nameOf is the symbol that stands for the block of a member.
func (c *checker) nameOf(m *Member) string {
	if c.names[m] == "" {
		c.names[m] = fmt.Sprintf("$%d", len(c.names))
	}
	return c.names[m]
}

// misfit reports a node that does not fit the function.
func (c *checker) misfit(n Node, format string, args ...any) *report {
	return c.misfitIn(c.errs, n, format, args...)
}

// A report is a message about a node, to which an advice may come.
type report struct {
	c *checker
	d *source.Diagnostic
}

// advise says how to write the tree, where it is written.
func (r *report) advise(format string, args ...any) {
	if text := r.c.words.Advice(fmt.Sprintf(format, args...)); text != "" {
		r.d.WithHelp("%s", text)
	}
}

func (c *checker) misfitIn(errs *source.Diagnostics, n Node, format string, args ...any) *report {
	message := fmt.Sprintf(format, args...)
	pos := c.tree.TextPositions.of(n)
	if !pos.IsValid() {
		pos = c.f.Pos
	}
	if where := c.nodeWords(n); where != "" {
		message = where + ": " + message
	}
	return &report{c, errs.Errorf(source.ScheduleMisfit, pos, "%s", message)}
}

func (c *checker) domain() {
	want := newTree(c.f)
	same := len(want.Statements) == len(c.tree.Statements)
	for i := 0; same && i < len(want.Statements); i++ {
		same = slices.Equal(want.Statements[i].Indices, c.tree.Statements[i].Indices)
	}
	if !same {
		want.Root = &Leaf{}
		domain, _, _ := strings.Cut(Print(want), "\n")
		pos := c.tree.TextPositions.ofDomain()
		if !pos.IsValid() {
			pos = c.f.Pos
		}
		c.errs.Errorf(source.ScheduleMisfit, pos, "the domain of the schedule is not that of %s", c.f.Name).
			WithHelp("the first line for %s is: %s", c.f.Name, domain)
	}
}

// whole says that nothing of an index is enumerated yet.
const whole = int64(1) << 62

type place struct {
	statement int
	index     string
}

// state is what is known on the way from the root.
type state struct {
	active       []int
	above        Node                // the last node
	left         map[place]int64     // the size of the block that is left to enumerate; 1 is a point
	paths        map[place][]*Member // the members over an index whose blocks are known
	count        Count
	accumulators map[int]Node       // the innermost accumulate of a statement
	vectors      map[int]*ein.Index // the vector loop of a statement further up
	groups       map[int]*grouped   // the loop over groups of a statement further up
	arranged     []string           // placed tensors with a layout of the tree
	placed       []string           // tensors with storage of their own
	packed       []string           // inputs whose blocks lie in the workspace
	copies       int64              // of what is here, by loops that are written out; 0 for one
	stack        int64              // bytes that a thread has on its stack
	largest      buffer             // the largest of them
	parallel     bool
	level        gridLevel
	launch       *launch   // around, if level is not onHost
	parts        []*Filter // of the pipeline right above, but for places
}

func (c *checker) extents() map[place]int64 {
	left := map[place]int64{}
	for s, comp := range c.f.Body {
		for _, i := range comp.Indices {
			left[place{s, i.Name}] = whole
		}
	}
	return left
}

func (s state) clone() state {
	s.left, s.paths = maps.Clone(s.left), maps.Clone(s.paths)
	s.accumulators, s.vectors, s.groups = maps.Clone(s.accumulators), maps.Clone(s.vectors), maps.Clone(s.groups)
	return s
}

// node checks a subtree up to the first node that does not fit: what follows from it is
// no error of its own.
func (c *checker) node(n Node, st state) {
	if c.errs.HasErrors() {
		return
	}
	if leaf, ok := n.(*Leaf); ok {
		c.leaf(end{leaf, st.above}, st)
		return
	}
	st.above = n
	switch n := n.(type) {
	case *Sequence:
		c.sequence(n, st)
	case *Filter:
		c.filter(n, st)
	case *Band:
		st = st.clone()
		for i, m := range n.Members {
			if c.member(n, i, m, &st); c.errs.HasErrors() {
				return
			}
		}
		c.node(n.Child, st)
	case *Accumulate:
		c.accumulate(n, st)
	case *Place:
		c.place(n, st)
	}
}

func (c *checker) sequence(n *Sequence, st state) {
	var covered []int
	for _, child := range n.Children {
		covered = append(covered, child.Statements...)
	}
	slices.Sort(covered)
	if !slices.Equal(covered, st.active) {
		c.misfit(n, "its filters must name each of the statements %s once", c.statements(st.active))
		return
	}
	st.parts = nil
	for _, child := range n.Children {
		c.filter(child, st)
	}
}

func (c *checker) filter(n *Filter, st state) {
	var active []int
	for _, s := range n.Statements {
		if !slices.Contains(st.active, s) {
			c.misfit(n, "%s is not enumerated here", c.words.Statement(s))
			return
		}
		active = append(active, s)
	}
	slices.Sort(active)
	st.active, st.above = active, n
	c.node(n.Child, st)
}

func (c *checker) index(p place) *ein.Index { return indexNamed(c.f, p.statement, p.index) }

func (c *checker) leaf(n end, st state) {
	if len(st.active) == 0 {
		return // a function without statements
	}
	if len(st.active) != 1 {
		c.misfit(n, "the order of %s is open; put a sequence above", c.statements(st.active))
		return
	}
	s := st.active[0]
	for _, i := range c.f.Body[s].Indices {
		if st.left[place{s, i.Name}] != 1 {
			c.misfit(n, "index %s of %s is not enumerated to its points: a loop over it without a tile is missing", i.Name, c.words.Statement(s))
		}
	}
	if len(ein.Reduced(c.f.Body[s])) > 0 && st.accumulators[s] == nil {
		c.misfit(n, "the reduction %s has no accumulate", c.words.Statement(s))
	}
	c.groupLeaf(s, st)
}

// FactsOf returns what is known about the sizes of a function.
func FactsOf(f *ein.Func) *affine.Facts {
	known := affine.NewFacts()
	for _, s := range f.Sizes {
		switch {
		case s.Dim == ein.ScalarValue:
		case s.MayBeZero:
			known.AtLeast(s.Name, 0)
		default:
			known.AtLeast(s.Name, 1)
		}
	}
	for _, r := range f.Requires {
		known.Assume(r.Expr)
	}
	return known
}
