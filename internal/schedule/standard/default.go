// Package standard makes the default schedule of a function: the one that it gets
// without tuning, chosen for a machine by rules and a small cost model. Tuners begin with it,
// and compare with it.
package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/fetch"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// Statements are grouped by fusion (fusion.go): by chains of tiny elements (elements.go) or of
// contractions by rows (fusion_rows.go) first, and pair by pair where that does not cost more
// than it saves. For each group the maker picks the vector index: the one along which the
// loads and stores of the group are consecutive or the same (cost.go). Where a Concat column
// of the group wins it is vectorised in every statement; otherwise every statement vectorises
// an index of its own, which may be a reduced one (lanes accumulate and are folded). That is
// the plan of the group.
//
// The table families then names makers of subtrees, from the most special to the one that
// takes all; the first that knows what to do with a plan makes the tree of the group:
// contractions (contraction*.go) and convolutions (convolution*.go) get a tile of accumulators
// in registers, chosen so that arithmetic and not loading limits the speed, and around it
// blocks that stay in the caches; stencils, scans, transpositions and long reductions have
// makers of their own; chains over rows that come from memory are pipelined (pipeline.go); the
// outermost loops are spread over threads. Vectors that go through
// memory ask for it ahead (prefetch.go), or store past the caches (non_temporal.go, transposition.go).
//
// A maker decides by what it knows of the machine (machine.Processor), never by its name, and
// what it made is checked like any other schedule: if it is illegal, which is a defect of the
// maker, every statement gets tiles of its own (Options.Plain), or where these are not legal
// either the function runs in the order of the program; the tree says so (Fallback).

// A maker makes the schedule of one function for one machine.
type maker struct {
	f        *ein.Func
	m        *machine.Processor
	options  schedule.Options
	families []family
	accesses [][]schedule.Access // by statement
	opens    bool                // blocks of sizes that are not known are part of the schedule
	now      []int               // the statements of the group that is made
	insides  map[*ein.Comprehension]*ein.Comprehension
}

// Default is DefaultFor with contiguous arguments.
func Default(f *ein.Func, m *machine.Processor) (*schedule.Tree, error) {
	return DefaultFor(f, m, schedule.Options{})
}

// DefaultFor returns a schedule for a specialised function that is good without
// tuning. It is legal: Check accepts it.
func DefaultFor(f *ein.Func, m *machine.Processor, options schedule.Options) (*schedule.Tree, error) {
	list := families()
	if options.Plain {
		list = plainFamilies()
	}
	t, err := defaultBy(list, f, m, options)
	if err != nil {
		return nil, err
	}
	fetch.Mark(f, t, m, options.Strides)
	schedule.CutProducts(f, t, m)
	return t, nil
}

// defaultBy is DefaultFor with some makers of subtrees.
func defaultBy(list []family, f *ein.Func, m *machine.Processor, options schedule.Options) (*schedule.Tree, error) {
	mk := newMaker(f, m, options)
	mk.families = list
	t := mk.tree()
	illegal := schedule.Check(f, t)
	switch {
	case illegal == nil:
		mk.fuseProducers(t)
		PackConstant(f, t, options.Constant)
		guardLoops(f, t)
		chooseWays(f, t, m)
		return t, nil
	case mk.opens:
		options.Unblocked = true
		return defaultBy(list, f, m, options)
	case !options.Plain: // a defect, of which the caller hears
		options.Plain = true
		t, err := defaultBy(plainFamilies(), f, m, options)
		if err == nil {
			t.Fallback = source.Internalf("schedule", f.Pos, "the default schedule is illegal: %w", illegal)
		}
		return t, err
	}
	// The maker keeps distances of 0 along everything that it makes parallel or vector; what
	// it could not foresee runs in the order of the program.
	canonical := schedule.Canonical(f)
	if err := schedule.Check(f, canonical); err != nil {
		return nil, source.Internalf("schedule", f.Pos, "no legal schedule: %v; %w", illegal, err)
	}
	canonical.Fallback = source.Internalf("schedule", f.Pos, "the plain schedule is illegal: %w", illegal)
	return canonical, nil
}

// tree makes the schedule, which is not checked.
func (mk *maker) tree() *schedule.Tree {
	t := &schedule.Tree{Statements: schedule.Domain(mk.f)}
	var nodes []*schedule.Filter
	for _, g := range mk.groups() {
		nodes = append(nodes, &schedule.Filter{Statements: g.statements, Child: mk.group(g)})
	}
	switch len(nodes) {
	case 0:
		t.Root = &schedule.Leaf{}
	case 1:
		t.Root = nodes[0].Child
	default:
		t.Root = &schedule.Sequence{Children: nodes}
	}
	return t
}

func newMaker(f *ein.Func, m *machine.Processor, options schedule.Options) *maker {
	mk := &maker{f: f, m: m, options: options, families: families(), accesses: make([][]schedule.Access, len(f.Body)), insides: map[*ein.Comprehension]*ein.Comprehension{}}
	for _, a := range schedule.Accesses(f) {
		mk.accesses[a.Statement] = append(mk.accesses[a.Statement], a)
	}
	return mk
}

// isFinished reports whether a tensor is an input, or was computed before the group that is made:
// it may be copied as inputs are.
func (mk *maker) isFinished(t *ein.Tensor) bool {
	return t.Role == ein.Input || mk.now != nil && schedule.OnlyRead(mk.f, t, mk.now)
}

// readsNow counts the reads of a tensor with a property in the group that is made, or everywhere while
// none is.
func (mk *maker) readsNow(t *ein.Tensor, has func(schedule.Access) bool) (n int) {
	return mk.reads(t, mk.now, has)
}

// reads counts the reads of a tensor with a property in some statements; nil stands for all.
func (mk *maker) reads(t *ein.Tensor, statements []int, has func(schedule.Access) bool) (n int) {
	for s, list := range mk.accesses {
		if statements != nil && !slices.Contains(statements, s) {
			continue
		}
		for _, a := range list {
			if a.Tensor == t && !a.Writes && has(a) {
				n++
			}
		}
	}
	return n
}

// isConstant reports whether an input keeps its contents from call to call.
func (mk *maker) isConstant(t *ein.Tensor) bool { return slices.Contains(mk.options.Constant, t.Name) }

// PackConstant moves the packing of constant inputs, wherever a legal tree has it and
// the blocks allow it, in front of everything else, where it is done once.
func PackConstant(f *ein.Func, t *schedule.Tree, constant []string) {
	var visit func(n schedule.Node)
	visit = func(n schedule.Node) {
		if p, ok := n.(*schedule.Place); ok && p.Region == schedule.Private && slices.Contains(constant, p.Tensor) {
			if p.Region = schedule.Workspace; schedule.Check(f, t) != nil {
				p.Region = schedule.Private
			}
		}
		for _, child := range schedule.Children(n) {
			visit(child)
		}
	}
	visit(t.Root)
}

// A plan is what was decided for a group.
type plan struct {
	g        *group
	vector   int                // the vector column, or -1
	lanes    int                // of the vector column
	tiles    []int64            // by column: the points (or lanes) of the innermost block; 1 for a plain loop
	own      map[int]*ein.Index // by statement: the vector index when no column is
	parallel bool
	near     []*ein.Tensor // that lie in the caches: temporaries of a larger block
}

// families lists the makers of subtrees, the most special first. A maker answers
// nil for a group that it is not for; the last one takes all.
func families() []family {
	return []family{
		{"scatter", (*maker).scatters},
		{"guarded rows", (*maker).guardedRows},
		{"long reduction", (*maker).chunked},
		{"scan", (*maker).scanned},
		{"columns", (*maker).columns},
		{"transposition", (*maker).transposed},
		{"elements", (*maker).elementBlocks},
		{"rows", (*maker).rowBlocks},
		{"small layers", (*maker).layerBlocks},
		{"stencil", (*maker).stencil},
		{"convolution in parts", (*maker).convolvedInParts},
		{"contraction in parts", (*maker).inParts},
		{"finished contraction", (*maker).contractionWithEpilogue},
		{"finished tiles", (*maker).tilesWithEpilogue},
		{"few results", (*maker).fewResults},
		{"convolution in matrices", (*maker).convolvedInMatrices},
		{"convolution", (*maker).convolution},
		{"few columns", (*maker).skinnyContraction},
		{"contraction", (*maker).contracted},
		{"open contraction", (*maker).symbolicContraction},
		{"pipeline", (*maker).pipelined},
		{"tiles", (*maker).tiled},
	}
}

// plainFamilies has the last of all, whose trees are the simplest.
func plainFamilies() []family {
	all := families()
	return all[len(all)-1:]
}

// A family makes the subtrees of one kind of group.
type family struct {
	name string
	make func(mk *maker, p *plan) schedule.Node
}

// group makes the subtree of a group.
func (mk *maker) group(g *group) schedule.Node {
	p := mk.plan(g)
	mk.now = g.statements
	for _, candidate := range mk.families {
		if n := candidate.make(mk, p); n != nil {
			return n
		}
	}
	return &schedule.Leaf{}
}
