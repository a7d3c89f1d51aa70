package lower

import (
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// A point is an index of a statement.
type point struct {
	statement int
	index     string
}

// A block is the part of an index's range that the current place of the tree
// enumerates: [base, base+size). With lanes > 0 it is one vector and size = lanes.
// Of a partial block only the first valid points exist, fewer than size. Of a ragged
// one, which comes from a padded tile, only the first exists points do, perhaps all
// of them and more, perhaps none.
type block struct {
	base      affine.Expr
	size      affine.Expr
	lanes     int
	group     int // of a reduced index: one group of size points
	flip      bool
	partial   bool
	valid     affine.Expr
	stream    bool   // of a vector: what is computed is not read soon
	fetch     string // of a vector: the index for whose next value, or block, it fetches what it reads
	fetchTile int64  // of these blocks; 0 of values
	ahead     int64  // of a vector: how many bytes ahead it asks for lines
	ragged    bool
	exists    affine.Expr
	// whole says that accumulators are there for all points of a ragged block, so that
	// loops need no test. Perhaps no point of a piece of it exists.
	whole bool
	piece bool // of a whole block
	// beyond says of such a piece that it may have points that the whole block has no room for.
	beyond bool
	// The block is one of a coordinate: value is the index as a sum of multiples of these. Nil: the
	// block is one of the index.
	value []schedule.Part
	// own and the position of a point are the number of the point among those that the present item has
	// in accumulators outside of the loop over items (grid_registers.go).
	own affine.Expr
	// unit is the number of this vector in the block that the vector loop covers.
	unit affine.Expr
}

// position is the value of the index at a point, with the lane symbol.
func (b block) position() affine.Expr {
	if b.lanes > 1 {
		return b.base.Add(affine.Symbol(laneSymbol))
	}
	return b.base
}

// existing is the position, or that of a neighbour that exists.
func (b block) existing() affine.Expr {
	if b.ragged && b.lanes <= 1 {
		return affine.MinOf(b.base, b.last())
	}
	return b.position()
}

// first is the position of the first point, or of the last that exists where none of this
// piece of a whole block does: existing positions are not before it.
func (b block) first() affine.Expr {
	if b.ragged && b.whole {
		return affine.MinOf(b.base, b.last())
	}
	return b.base
}

// points is how many points of the block exist.
func (b block) points() affine.Expr {
	size := b.size
	if b.partial {
		size = b.valid
	}
	switch {
	case b.ragged && b.whole:
		return affine.MaxOf(affine.MinOf(size, b.exists), affine.Const(0))
	case b.ragged:
		return affine.MinOf(size, b.exists)
	}
	return size
}

// bounded is a ragged block without the points that do not exist.
func (b block) bounded() block {
	if b.ragged {
		b.size, b.ragged = b.points(), false
	}
	return b
}

// last is the position of the last point of a ragged block that exists.
func (b block) last() affine.Expr { return b.base.Add(b.exists).AddConst(-1) }

// sameAs reports whether two blocks have the same points, shifted.
func (b block) sameAs(shift affine.Expr, other block, otherShift affine.Expr) bool {
	return b.size.Equal(other.size) && b.partial == other.partial && b.ragged == other.ragged && b.points().Equal(other.points()) &&
		b.base.Add(shift).Equal(other.base.Add(otherShift))
}

func (b block) isPoint() bool {
	n, ok := b.size.IsConst()
	return ok && (n == 1 || b.lanes > 0 || b.group > 0)
}

// storage says where the elements of a tensor are: element x is at
// offset + Σ (x_d − base_d)·stride_d of the buffer; see polyphase.go for other forms.
type storage struct {
	buffer  *loop.Buffer
	swizzle *loop.Swizzle // how its elements are exchanged; nil: they lie where they are counted
	offset  affine.Expr
	base    []affine.Expr
	strides []affine.Expr
	room    []int64  // of a block: how many elements it has along each dimension; nil: of the whole tensor
	copied  []bounds // of a block: which positions were copied, where not all of them are
	through *storage // of a block: where else what is written goes; nil: nowhere
	last    int      // of one that items hold: the statement whose results go there, which are the last ones
	held    []bool   // along which dimensions items hold parts of the block (grid_held.go); nil: nobody does
	steps   []int64  // only every so many-th element along a dimension has room; nil: each
	filled  []bool   // along which dimensions there is something to read also at positions that do not exist
	// gathered is, along dimensions whose subscripts read index arrays, where what these lead to lies; nil along others (grid_gathered.go).
	gathered []*gathered
	padded   bool // there are zeros behind the points, as far as vectors reach
	// Along dimension grouped, where group > 0, elements lie in groups of so many side by
	// side; the stride is that of groups (dot.go).
	group, grouped int
	panels         *panels // in which the fastest dimension lies, outside of the loop that visits them
	// Along dimension phased, where phases > 1, element x is in phase (x − base) mod phases;
	// phases are phase elements apart.
	phased        int
	phases, phase int64
	ahead         int64      // how many elements ahead register tiles fetch what they read here; 0: not
	next          *strip     // of a block: what the next one is of; nil: it is not asked for
	following     *nextPanel // of a panel: the next one; nil: it is not asked for
}

// A scope is what is known at a node of the tree. It is copied when it changes.
type scope struct {
	statements   []int
	blocks       map[point]block
	storage      map[*ein.Tensor]*storage
	accumulators map[int][]*accumulator // innermost last
	parallel     bool                   // inside of a parallel loop
	many         bool                   // inside of groups
	launch       *launch                // the grid around; nil: on the host, or there is none
	apart        bool                   // some items of the group do not come here
	inItem       bool                   // inside of what one item of the grid does
	sharing      bool                   // items hold blocks of which several statements know the elements
	held         bool                   // outside of its items, which hold the accumulators of what runs here
	fragments    *schedule.Fragmented   // how a matrix unit computes what is in their loops; nil: none does
	totals       bool                   // scans leave their carries, and write nothing
	piece        *scannedPiece          // of a scan, whose total is known; nil elsewhere
	guarded      bool                   // the coordinates of the one statement are known to be a point, or some of a vector
	unskewed     bool                   // indices of results have ranges of their own, not those of their coordinates
	full         bool                   // all lanes of the vector of the one statement are known to be points
	count        schedule.Count
	numbers      map[*schedule.Member]affine.Expr // of the loops over counted members
	kept         map[*schedule.Member]affine.Expr // the iterations of loops that keep partial results
	deferred     *deferredStores                  // where what is stored goes to; nil: to its place
	rows         *rows                            // of the tiles along which a loop around goes, where they are written by lines; else nil
	carried      *carried                         // the row that goes on in the next tiles of a loop around; else nil
	holds        map[ein.Expr]bool                // the values of conditions that are known here
	filling      *fusedPacking                    // the block that the first register tile copies; nil where none is left to fill
	entered      *schedule.Member                 // the guarded member whose conditions have been tested last
	ahead        *stepsAhead                      // the steps of the loop right around, whose blocks are copied ahead; else nil
	pipelined    bool                             // what is fetched for the next iteration is needed a whole step later
}

func (sc *scope) clone() *scope {
	c := *sc
	c.blocks = maps.Clone(sc.blocks)
	return &c
}

func (sc *scope) withStorage(t *ein.Tensor, st *storage) *scope {
	c := *sc
	c.storage = maps.Clone(sc.storage)
	c.storage[t] = st
	return &c
}

func (sc *scope) withAccumulator(s int, a *accumulator) *scope {
	c := *sc
	c.accumulators = maps.Clone(sc.accumulators)
	list := c.accumulators[s]
	c.accumulators[s] = append(list[:len(list):len(list)], a)
	return &c
}

// wholly makes the ragged blocks of an accumulator whole.
func (sc *scope) wholly(a *accumulator) *scope {
	c := sc.clone()
	for _, d := range a.dims {
		p := point{a.statement, d.index}
		if b := c.blocks[p]; b.ragged {
			b.whole = true
			c.blocks[p] = b
		}
	}
	return c
}

// inParallel is the scope of the iterations of a parallel loop.
func (sc *scope) inParallel() *scope {
	c := *sc
	c.parallel = true
	return &c
}

// accumulator returns the innermost accumulators of a statement, or nil.
func (sc *scope) accumulator(s int) *accumulator {
	if list := sc.accumulators[s]; len(list) > 0 {
		return list[len(list)-1]
	}
	return nil
}

// lanes returns the vector width of a statement at this place, at least 1.
func (sc *scope) lanes(s int, c *ein.Comprehension) int {
	for _, i := range c.Indices {
		if n := sc.blocks[point{s, i.Name}].lanes; n > 1 {
			return n
		}
	}
	return 1
}

// streams reports whether the vectors of a statement are written past the caches.
func (sc *scope) streams(s int, c *ein.Comprehension) bool {
	for _, i := range c.Indices {
		if b := sc.blocks[point{s, i.Name}]; b.lanes > 1 && b.stream {
			return true
		}
	}
	return false
}

// env maps the indices of a statement to their positions.
func (sc *scope) env(s int, c *ein.Comprehension) map[string]affine.Expr {
	env := map[string]affine.Expr{}
	for _, i := range c.Indices {
		env[i.Name] = sc.value(s, i.Name)
	}
	return env
}

// value is the position of an index.
func (sc *scope) value(s int, index string) (v affine.Expr) {
	b := sc.blocks[point{s, index}]
	if b.value == nil {
		return b.existing()
	}
	for _, part := range b.value {
		v = v.Add(sc.blocks[point{s, part.Index.Name}].existing().Scale(part.Factor))
	}
	return v
}

// unclamped is what is left of the coordinate over an index, of which perhaps nothing exists.
func (sc *scope) unclamped(statement int, i *ein.Index) (base, size affine.Expr) {
	b := sc.blocks[point{statement, i.Name}]
	return b.unclamped(), b.size
}

// unclamped is the position of the first point of a block with room for it, whether it exists or not.
func (b block) unclamped() affine.Expr {
	if b.ragged && b.whole && !b.beyond {
		return b.base
	}
	return b.first()
}

// isKnown reports whether an index has one value here, or one in every lane.
func (sc *scope) isKnown(s int, index string) bool {
	b := sc.blocks[point{s, index}]
	if b.value == nil {
		return b.isPoint()
	}
	return !slices.ContainsFunc(b.value, func(part schedule.Part) bool { return !sc.blocks[point{s, part.Index.Name}].isPoint() })
}
