package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// How the default schedule is made
//
// Statements are grouped by fusion (fusion.go). For each group the maker picks
// the vector index: the one along which the loads and stores of the group are
// consecutive or the same (cost.go). Where a Concat column of the group wins it is
// vectorised in every statement; otherwise every statement vectorises an index of
// its own, which may be a reduced one (lanes accumulate and are folded).
// Reductions get a tile of accumulators in registers, chosen so that arithmetic
// and not loading limits the speed; around it come blocks that stay in the
// caches, and the outermost loops are spread over threads.

type maker struct {
	f        *ein.Func
	m        *Machine
	options  Options
	accesses [][]Access // by statement
}

// Options are what the function does not say about a call.
type Options struct {
	// Strides gives the strides, in elements, of arguments by name; absent means
	// row-major and contiguous.
	Strides map[string][]int64
	// Constant names inputs that keep their contents from call to call.
	Constant []string
}

// Default is DefaultFor with contiguous arguments.
func Default(f *ein.Func, m *Machine) (*Tree, error) { return DefaultFor(f, m, Options{}) }

// DefaultFor returns a schedule for a specialised function that is good without
// tuning. It is legal: Check accepts it.
func DefaultFor(f *ein.Func, m *Machine, options Options) (*Tree, error) {
	mk := &maker{f: f, m: m, options: options, accesses: make([][]Access, len(f.Body))}
	for _, a := range Accesses(f) {
		mk.accesses[a.Statement] = append(mk.accesses[a.Statement], a)
	}
	t := &Tree{Statements: Domain(f)}
	var nodes []*Filter
	for _, g := range mk.groups() {
		nodes = append(nodes, &Filter{Statements: g.statements, Child: mk.group(g)})
	}
	t.Root = &Sequence{Children: nodes}
	if len(nodes) == 1 {
		t.Root = nodes[0].Child
	}
	if len(nodes) == 0 {
		t.Root = &Leaf{}
	}
	if err := Check(f, t); err != nil {
		// The maker keeps distances of 0 along everything that it makes parallel
		// or vector; what it could not foresee runs in the order of the program, and
		// the caller hears of it.
		plain := Canonical(f)
		if illegal := Check(f, plain); illegal != nil {
			return nil, source.Internalf("schedule", f.Pos, "no legal schedule: %v; %w", err, illegal)
		}
		plain.Fallback = source.Internalf("schedule", f.Pos, "the default schedule is illegal: %w", err)
		return plain, nil
	}
	PackConstant(f, t, options.Constant)
	return t, nil
}

// isConstant reports whether an input keeps its contents from call to call.
func (mk *maker) isConstant(t *ein.Tensor) bool { return slices.Contains(mk.options.Constant, t.Name) }

// PackConstant moves the packing of constant inputs, wherever a legal tree has it and
// the blocks allow it, in front of everything else, where it is done once.
func PackConstant(f *ein.Func, t *Tree, constant []string) {
	var visit func(n Node)
	visit = func(n Node) {
		if p, ok := n.(*Place); ok && p.Region == Private && slices.Contains(constant, p.Tensor) {
			if p.Region = Workspace; Check(f, t) != nil {
				p.Region = Private
			}
		}
		for _, child := range Children(n) {
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
		{"long reduction", (*maker).chunked},
		{"scan", (*maker).scanned},
		{"columns", (*maker).columns},
		{"transposition", (*maker).transposed},
		{"elements", (*maker).elementBlocks},
		{"rows", (*maker).rowBlocks},
		{"stencil", (*maker).stencil},
		{"finished contraction", (*maker).finished},
		{"convolution", (*maker).convolution},
		{"few columns", (*maker).fewColumns},
		{"contraction", (*maker).contracted},
		{"tiles", (*maker).tiled},
	}
}

// A family makes the subtrees of one kind of group.
type family struct {
	name string
	make func(mk *maker, p *plan) Node
}

// group makes the subtree of a group.
func (mk *maker) group(g *group) Node {
	p := mk.plan(g)
	for _, candidate := range families() {
		if n := candidate.make(mk, p); n != nil {
			return n
		}
	}
	return &Leaf{}
}
