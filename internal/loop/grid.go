package loop

// How grids work
//
// A Grid is one launch of a device with groups of items, as GPUs are programmed: OpenCL's work-groups and work-items, CUDA's
// blocks and threads. Its Body runs once for each item of each group. Nothing orders two groups. The items of a group wait for
// each other at a Barrier; nothing else orders them, so what one writes another one reads behind a barrier only. Grids of one
// program run one after the other, and each sees all that those before have written.
//
// Where memory is: buffers of Region Local belong to a group, and live as long as it; those that an Alloc makes inside of a grid
// belong to an item; arguments and the workspace are everybody's. The contents of local and private memory start undefined.
//
// A program that has grids is made of them: around them stand only serial loops, ifs, lets and comments that touch no memory,
// since they run on the host, which has none of the device's.
//
// Verify proves bounds as everywhere, with the ranges of groups and items; it refuses barriers that not all items of a group meet,
// because a condition or the end of a loop around hangs on the item (grid_verify.go). Evaluate runs grids and reports what no proof
// is tried of: data races, with both statements, and reads of what nobody has written (grid_evaluate.go, races.go).

// A Grid runs Body for every item of every group.
type Grid struct {
	// Groups and Items have 1 to MostAxes axes each, as a nest of loops has them: the last one runs fastest. That is
	// x, dimension 0 of OpenCL; the one before is y. The counts of groups are evaluated before the grid; where one
	// is not positive there is nothing to run.
	Groups []GroupAxis
	Items  []ItemAxis
	// Width, where it is not 0, is how many items a sub-group has (a warp): items that follow each other, in the order in
	// which the last axis runs fastest. It is a power of two, and divides the number of items.
	Width int64
	Local []*Buffer // of Region Local: those of the grid, each of no other
	Body  []Stmt
}

// MostAxes is how many axes of groups, and of items, devices have.
const MostAxes = 3

// MostBeside is how many groups all devices have along axes other than the last one, x.
const MostBeside = 1<<16 - 1

// InLine reports whether devices launch the groups along x alone, numbered as the axes have them: where there may be more of them along another axis
// than all devices have.
func (g *Grid) InLine() bool {
	for _, a := range g.Groups[:max(0, len(g.Groups)-1)] {
		if n, known := a.Count.(*Const); !known || n.Bits > MostBeside {
			return true
		}
	}
	return false
}

// A GroupAxis gives groups a number from 0 to below Count.
type GroupAxis struct {
	Var   *Var // of int64
	Count Expr // of int64, the same for all: it is evaluated once, on the host
}

// An ItemAxis gives the items of a group a number from 0 to below Count.
type ItemAxis struct {
	Var   *Var // of int64
	Count int64
}

// A Barrier is where the items of a group wait for each other. All of them meet it, or none. Behind it they see what
// any of them has written to local memory before it, and if it is Global to arguments and the workspace, too.
type Barrier struct{ Global bool }

// ShuffleKind says of which item of its sub-group an item gets a value.
type ShuffleKind uint8

// The kinds of shuffles: item n gets the value of item n ^ By, n + By or n - By. Where a sub-group
// has none of that number, an item keeps its own.
const (
	Xor ShuffleKind = iota
	Down
	Up
)

// shuffleNames are the words of the text form.
var shuffleNames = [...]string{Xor: "xor", Down: "down", Up: "up"}

// A Shuffle names, for the rest of its block, the value that X has in another item of the sub-group. All items of
// a sub-group meet it, or none. It orders no memory.
type Shuffle struct {
	Var  *Var
	X    Expr
	Kind ShuffleKind
	By   int64 // from 1 to below the width
}

func (*Grid) stmt()    {}
func (*Barrier) stmt() {}
func (*Shuffle) stmt() {}

// GroupItems is how many items a group has.
func (g *Grid) GroupItems() int64 {
	n := int64(1)
	for _, a := range g.Items {
		n *= a.Count
	}
	return n
}

// LocalBytes is how much local memory a group has, each buffer at a multiple of localAlignment.
func (g *Grid) LocalBytes() int64 {
	n := int64(0)
	for _, b := range g.Local {
		n += (b.Bytes() + localAlignment - 1) / localAlignment * localAlignment
	}
	return n
}

// LocalOffset is where the local buffer of a number begins, in one block of all of them.
func (g *Grid) LocalOffset(n int) int64 { return (&Grid{Local: g.Local[:n]}).LocalBytes() }

// mostDeclared is how much local memory the kernels of NVIDIA's cards can declare, of whatever their cards have.
const mostDeclared = 48 << 10

// DynamicBytes is how much local memory launches on NVIDIA's cards give a group: all that it has, where kernels cannot declare as much, or else none.
func (g *Grid) DynamicBytes() int64 {
	if n := g.LocalBytes(); n > mostDeclared {
		return n
	}
	return 0
}

// localAlignment is that of local buffers, in bytes: of the widest vectors that are loaded at once.
const localAlignment = 16

// Grids lists the grids of a program in the order of its text.
func Grids(f *Func) []*Grid {
	return gridsOf(f.Body, nil)
}

func gridsOf(body []Stmt, list []*Grid) []*Grid {
	for _, s := range body {
		if g, ok := s.(*Grid); ok {
			list = append(list, g)
			continue
		}
		for _, inner := range StmtBodies(s) {
			list = gridsOf(inner, list)
		}
	}
	return list
}

// Vars lists the variables that a grid gives values: of groups, then of items.
func (g *Grid) Vars() (list []*Var) {
	for _, a := range g.Groups {
		list = append(list, a.Var)
	}
	for _, a := range g.Items {
		list = append(list, a.Var)
	}
	return list
}

// A meeting says which items have to come to a statement together.
type meeting uint8

const (
	nobody    meeting = iota // each goes its own way
	subGroups                // those of a sub-group
	groups                   // those of a group
)

// meets says who has to come together for a statement, or for one inside of it.
func meets(s Stmt) meeting {
	switch s.(type) {
	case *Barrier:
		return groups
	case *Shuffle, *Fragments:
		return subGroups
	}
	most := nobody
	for _, body := range StmtBodies(s) {
		for _, inner := range body {
			most = max(most, meets(inner))
		}
	}
	return most
}
