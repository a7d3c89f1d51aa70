// Package schedule decides in which order, in which pieces and on what the
// points of a function are computed: machine descriptions, schedule trees,
// and their legality. Makers of schedules are packages below it.
package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How it works
//
// A schedule is a value: a tree over the comprehensions of one ein.Func, called
// statements here and named S0, S1, … in the order of the body. Read from the
// root to a leaf the tree says how the points of a statement are enumerated:
//
//	domain S0[i, j, k]; S1[i, j]
//	band S0.i S1.i tile 6 parallel | S0.j S1.j tile 64
//	  sequence
//	    filter S0
//	      accumulate S0 register
//	        band S0.k
//	          band S0.i unroll | S0.j vector 16 unroll
//	    filter S1
//	      band S1.i | S1.j vector 16
//
// A band is a nest of loops, outermost first. A member without a tile visits
// every value of its index in the current block; a member with a tile visits
// blocks, and members further down visit the values inside of a block. A member
// may name one index for each of several statements: that is fusion.
//
// Two nodes place data. "accumulate S region" is the moment at which the
// accumulators of the reduction S come to life for the current block; when the
// subtree is done they are combined with the next accumulators further up, or
// written. Other statements may run in that subtree too, if they share the loops over
// the reduced indices. "place t region" gives the current block of a tensor
// storage of its own (placement.go). The lowering follows the tree to the letter.

// A Tree is a schedule of a function.
type Tree struct {
	Statements []Statement
	Root       Node
	// Unchecked says that whoever made the tree answers for its dependences: Check leaves
	// them out.
	Unchecked bool
	// AsWritten says that the statements are those of the program as it is written, not
	// those that its rewriting leaves.
	AsWritten bool
	// Fallback says why the maker of the tree returned a plain one, or the canonical tree, instead
	// of its own; nil otherwise. It is no part of the text.
	Fallback error
	// TextPositions are in the text that the tree was read from; nil of trees that were made.
	TextPositions *TextPositions
}

// A Statement names a comprehension and its indices, as the domain node shows.
type Statement struct {
	Name    string
	Indices []string
}

// Node is a node below the domain; the implementers are listed here.
type Node interface{ node() }

func (*Sequence) node()   {}
func (*Filter) node()     {}
func (*Band) node()       {}
func (*Accumulate) node() {}
func (*Place) node()      {}
func (*Leaf) node()       {}

// A Sequence runs its children one after the other.
type Sequence struct{ Children []*Filter }

// A Filter restricts its subtree to some statements.
type Filter struct {
	Statements []int
	Child      Node
}

// A Band is a nest of loops. Permutable says that its members may be
// interchanged; Check verifies the claim.
type Band struct {
	Members    []*Member
	Permutable bool
	Child      Node
}

// A Member is a loop over the numbers of blocks of Tile values: ⌊(coordinate + Shift −
// first)/Tile⌋ for every statement, where first is the first value that a statement has
// (frame.go), counted within the block around it, and the multiples of Skews (levels.go).
type Member struct {
	Loops      []Loop
	Skews      []Skew
	Tile       int64        // the size of a block; 1 enumerates points (of Vector lanes)
	Parallel   bool         // iterations are spread over threads; adjacent parallel members are one loop
	Groups     bool         // iterations are groups of a grid (grid.go); adjacent members are its axes
	Strips     int64        // of groups: how many iterations come for each of the next axis (strips.go); 0: all
	Items      int64        // iterations are spread over so many items of each group; 0 for none
	Vector     int          // lanes; 0 for a scalar loop
	Group      int          // points of a reduced index that are one dot product (dot.go); 0 for none
	Flip       bool         // of a group: one operand is multiplied with its sign bits flipped
	Matrix     bool         // of a group: a matrix unit computes all that is below the accumulators (matrix.go)
	Blocking   ein.Blocking // of that: how the product is cut (matrix_marks.go)
	Room       int64        // bytes for the parts of its operands; 0: as many as usual
	Keep       string       // the operand whose parts are kept; empty: that of which there is less
	Unroll     bool         // written out
	Reverse    bool         // from the last to the first; of no effect where the loop is parallel
	Pad        bool         // the last tile has the size of the others; what does not exist of it is neither reduced nor stored
	Coincident bool         // no dependence is carried; Check verifies the claim
	Determined bool         // only the value is visited that an equality in the terms determines (determined.go)
	Stream     bool         // of a vector: what it writes goes past the caches
	WholeLines int          // of that: rows of so many vectors are cut at lines; 0: as many as usual (lines.go)
	Hold       bool         // of a vector: what is read again in loops that are written out stays in registers
	Words      bool         // of a vector: bytes are made by way of 16 bits
	Singly     bool         // of a vector: the lanes of one that is not whole are stored one by one
	Pipeline   bool         // the parts of the sequence below work on successive values at the same time
	FirstLines int64        // of that: so many lines of the next piece of a row are asked for; 0: as many as usual (lines.go)
	// Apart says of a written-out loop over a reduced index that each of its points has partial results
	// of its own (determined.go).
	Apart bool
	// Partial, where it is not 0, says of a loop over what is reduced that each of its iterations has partial
	// results of its own, which are combined when the accumulators end (partial.go).
	Partial int64
	// Guarded says that the loop runs only where the conditions hold that are known outside of it, and
	// without which its terms are the identity (determined.go).
	Guarded bool
	// Ahead is how many bytes before a vector gets there, or 0, lines of memory are asked for
	// that it reads or writes side by side.
	Ahead int64
	// Prefetch names another index of the statement, or is empty: what a vector reads
	// or writes side by side is fetched for the next value of that index, too, or for that in the
	// next block of PrefetchTile values, where that is not 0.
	Prefetch     string
	PrefetchTile int64
	// Fetches say what of operands the steps of a reduction ask for (fetch.go).
	Fetches []Fetch
}

// A Loop is what a member is for one statement: the coordinate Index + Σ Factor·By, which
// meets those of the other statements at Shift more.
type Loop struct {
	Statement int
	Index     string
	Shift     int64
	By        []Term
}

// Equal reports whether two loops are the same coordinate of a statement.
func (l Loop) Equal(o Loop) bool {
	return l.Statement == o.Statement && l.Index == o.Index && l.Shift == o.Shift && slices.Equal(l.By, o.By)
}

// A Term is a multiple of an index.
type Term struct {
	Index  string
	Factor int64
}

// A Skew adds a multiple of the number that another member has: the one over the blocks
// of that size of an index of the first statement.
type Skew struct {
	Index  string
	Tile   int64
	Factor int64
}

// Region says where placed data lives.
type Region uint8

// The regions. Output means that partial results live in the written tensors
// themselves, Workspace that every iteration of the parallel loop below, or every group, has
// partial results of its own, which are combined in order, and Shared that there is an
// array in the workspace with one for each result, as if they were in the output. Early is
// Shared, but the last point of every result passes it on, so that the points behind that
// have it; the loops come to it last. Local is the memory that the items of a group share.
const (
	Register Region = iota
	Private
	Workspace
	Output
	Shared
	Early
	Local
)

var regionNames = [...]string{"register", "private", "workspace", "output", "shared", "early", "local"}

// String returns the keyword of the region.
func (r Region) String() string { return regionNames[r] }

// An Accumulate starts the accumulators of a reduction.
type Accumulate struct {
	Statement int
	Region    Region
	// Fetch, Ahead and Spread say when the lines of results are asked for (fetch.go).
	Fetch  int64 // when a block begins, if its sums have so many steps or more; 0: never
	Ahead  int64 // those so many bytes ahead, if they have fewer; 0: none
	Spread bool  // step by step
	// Items and Tree, of parts that groups have in the workspace (grid_reduce.go), say of the launch that combines them how
	// many results a group has side by side, and how many items for each; 0: one.
	Items, Tree int64
	// Shuffle is how many items a sub-group has in which items combine their parts by shuffles; 0: they do so in local memory.
	Shuffle int64
	// Atomic says that the items of a group have one array of accumulators in local memory, which they update by atomic operations.
	Atomic bool
	Child  Node
}

// A Place gives the current block of a tensor storage of its own (see Placement). In
// the workspace all blocks of an input, where they are equal, are copied before the rest
// runs, so that no thread and no repeated loop copies one again. Of a temporary that has no other storage
// each thread has a block there, of any size.
type Place struct {
	Tensor string
	Region Region
	// Layout lists the dimensions of the block, counted from 1, the slowest first; nil
	// is row-major, except that the dimension along which vectors lie is the fastest.
	Layout []int
	// Fetch, Fill, NextStrip and NextPanel say what of an input is asked for beside arithmetic (fetch.go).
	Fetch     int64 // bytes of the block ahead of what register tiles read; 0: none
	FetchFrom int64 // of panels of more bytes than that
	Fill      int64 // the first register tile copies the block, and asks for so many rows ahead; 0: it is copied before
	NextStrip bool  // the block behind this one, line by line
	NextPanel bool  // the rows of that which comes next, and is transposed
	// Pad, Swizzle, Vector, Stages, Async and Gathered are of blocks in local memory (grid_place.go).
	Pad     int64   // how many elements a row is longer than what it has
	Swizzle Swizzle // how what is in a row is exchanged
	Vector  int     // how many elements an item copies at once; 0: one
	Stages  int64   // how many blocks there are, in turns; 0: one
	Async   bool    // the blocks of the steps to come are on their way
	// Gathered says that the block has, along dimensions whose subscripts read index arrays, what these lead to (gathered.go).
	Gathered bool
	Child    Node
}

// A Leaf computes one point (or vector of points) of one statement.
type Leaf struct{}

// IndexOf returns the loop of a statement in the member.
func (m *Member) IndexOf(statement int) (Loop, bool) {
	for _, l := range m.Loops {
		if l.Statement == statement {
			return l, true
		}
	}
	return Loop{}, false
}

// Children returns the nodes directly below n.
func Children(n Node) []Node {
	switch n := n.(type) {
	case *Sequence:
		list := make([]Node, len(n.Children))
		for i, c := range n.Children {
			list[i] = c
		}
		return list
	case *Filter:
		return []Node{n.Child}
	case *Band:
		return []Node{n.Child}
	case *Accumulate:
		return []Node{n.Child}
	case *Place:
		return []Node{n.Child}
	}
	return nil
}

// MembersOver lists the members over an index of a statement in a subtree, outermost first.
func MembersOver(statement int, index string, n Node) []*Member {
	var list []*Member
	if b, ok := n.(*Band); ok {
		for _, m := range b.Members {
			if l, ok := m.IndexOf(statement); ok && l.Index == index {
				list = append(list, m)
			}
		}
	}
	for _, child := range Children(n) {
		list = append(list, MembersOver(statement, index, child)...)
	}
	return list
}

// IsUneven reports whether vectors of so many lanes along an index of a statement begin anywhere in the block above a
// subtree, since smaller blocks inside of it do not consist of them.
func IsUneven(statement int, index string, lanes int, below Node) bool {
	return slices.ContainsFunc(MembersOver(statement, index, below), func(m *Member) bool { return m.Tile > 1 && m.Tile%int64(lanes) != 0 })
}

// MembersAbove returns the members on the way from a node to another one below it,
// outermost first.
func MembersAbove(n, below Node) []*Member {
	if n == below {
		return nil
	}
	var members []*Member
	if b, ok := n.(*Band); ok {
		members = b.Members
	}
	for _, child := range Children(n) {
		if contains(child, below) {
			return append(members[:len(members):len(members)], MembersAbove(child, below)...)
		}
	}
	return nil
}

func contains(n, node Node) bool {
	return n == node || slices.ContainsFunc(Children(n), func(child Node) bool { return contains(child, node) })
}

// newTree returns a tree with the domain of f and no root.
func newTree(f *ein.Func) *Tree { return &Tree{Statements: Domain(f)} }

// Domain names the statements of f and their indices.
func Domain(f *ein.Func) []Statement {
	var list []Statement
	for s, c := range f.Body {
		statement := Statement{Name: statementName(s)}
		for _, i := range c.Indices {
			if !IsSingle(i.Name) {
				statement.Indices = append(statement.Indices, i.Name)
			}
		}
		list = append(list, statement)
	}
	return list
}

// all returns 0 … n-1.
func all(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Canonical returns the schedule that a reader of the program expects: the
// statements one after the other, each a nest of serial loops with the Concat
// indices outside.
func Canonical(f *ein.Func) *Tree {
	t := newTree(f)
	seq := &Sequence{}
	for s, c := range f.Body {
		seq.Children = append(seq.Children, &Filter{Statements: []int{s}, Child: canonicalNest(s, c)})
	}
	t.Root = seq
	return t
}

func canonicalNest(s int, c *ein.Comprehension) Node {
	var inner Node = &Leaf{}
	if rest := ein.Reduced(c); len(rest) > 0 {
		inner = &Accumulate{Statement: s, Region: Register, Child: BandOver(s, rest, inner)}
	}
	return BandOver(s, c.ByKind(ein.Concat), inner)
}

// BandOver wraps child in a band of serial point loops.
func BandOver(s int, indices []*ein.Index, child Node) Node {
	if len(indices) == 0 {
		return child
	}
	b := &Band{Child: child}
	for _, i := range indices {
		b.Members = append(b.Members, &Member{Loops: []Loop{{Statement: s, Index: i.Name}}, Tile: 1})
	}
	return b
}
