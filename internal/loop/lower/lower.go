// Package lower turns a function of ein and a schedule tree into the loop IR.
package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/passes"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// Lower walks the schedule tree with a scope: for every index of every active
// statement the block that is being enumerated (its first value and its size),
// the storage of tensors that were placed, and the live accumulators. A band
// member cuts the block of its index into segments of equal pieces (full tiles,
// then smaller vectors, then single points, or one ragged tile where dependences
// need the order inside of it: pieces.go), makes a loop per segment, and
// lowers the rest of the tree once per segment, so that below a tile all sizes
// are constants. Sizes that divide evenly have one segment and one copy of the
// code.
//
// Positions are affine.Expr over loop variables, which are converted to loop
// expressions only where a subscript or bound is needed. The lane number of a
// vector is the symbol "$lane" in them: its coefficient in a linear subscript
// tells apart broadcast (0), consecutive (1) and strided vectors.

// Options are the parts of a compilation that the function does not say.
type Options struct {
	// Strides gives the strides, in elements, of arguments by name; absent means
	// row-major and contiguous. Arguments with symbolic sizes are contiguous.
	Strides map[string][]int64
	// Constant names inputs that keep their contents from call to call: those that the
	// tree packs into the workspace have a parameter that says that they are there.
	Constant []string
	// Names is the same function with the names that variables and buffers are to have in
	// the end, nil for those that f has. Nothing but names depends on it: the terms of
	// subscripts are in the order of the names that f has.
	Names *ein.Func
	// Machine has the numbers of the hardware that loops depend on beside the tree (machine.go); nil for usual ones.
	Machine *machine.Processor
	// After is the last pass that runs behind (package passes); empty for all.
	After string
}

const stage = "lower"

// laneSymbol stands for the number of the lane in positions.
const laneSymbol = "$lane"

type lowerer struct {
	f          *ein.Func
	tree       *schedule.Tree
	options    Options
	out        *loop.Func
	vars       map[string]*loop.Var // sizes and loop variables by symbol
	fresh      *loop.Fresh          // names that nothing has yet
	indexed    map[*loop.Var]indexName
	dynamic    affine.Expr // bytes of the workspace behind the constant part
	unplaced   []unplaced
	padded     map[point]bool // by padded tiles
	packings   map[*schedule.Place]*packing
	interiors  map[int]*interior // of statements
	placements map[*schedule.Place]schedule.Placement
	prologue   []loop.Stmt                     // what packs inputs
	operators  map[*ein.Operator]*ein.Operator // with an identity
	frames     schedule.Frames
	levels     schedule.Levels
	cutTiles   map[*schedule.Member]int64 // of the tiles that may be visited in pieces, as far as it was asked
	grids      bool                       // the tree has groups
	kept       map[*schedule.Member]bool  // answers of inPieces
	vectors    map[int][]*schedule.Member // by statement
	failure    error
}

// Lower returns the kernel that computes f in the order of the tree. f must be
// specialised; the tree must be legal for it, which Lower checks.
func Lower(f *ein.Func, tree *schedule.Tree, options Options) (*loop.Func, error) {
	placements, err := schedule.Placements(f, tree)
	if err != nil {
		return nil, err
	}
	f = schedule.WithSingles(f, tree)
	l := &lowerer{
		operators: map[*ein.Operator]*ein.Operator{},
		f:         f, tree: tree, options: options, frames: schedule.FramesOf(f, tree), levels: schedule.LevelsOf(tree), vars: map[string]*loop.Var{}, indexed: map[*loop.Var]indexName{}, packings: map[*schedule.Place]*packing{}, interiors: map[int]*interior{},
		placements: placements, cutTiles: map[*schedule.Member]int64{}, kept: map[*schedule.Member]bool{}, vectors: vectorMembers(tree.Root, map[int][]*schedule.Member{}), padded: paddedPoints(tree.Root, map[point]bool{}), out: &loop.Func{Name: f.Name},
	}
	l.grids = schedule.HasGrids(tree.Root)
	sc := &scope{blocks: map[point]block{}, storage: map[*ein.Tensor]*storage{}, accumulators: map[int][]*accumulator{}}
	sc.count = l.levels.Begin()
	l.fresh = loop.FreshFor(l.out)
	for _, s := range f.Sizes {
		l.fresh.Take(s.Name)
		l.vars[s.Name] = &loop.Var{Name: s.Name, Type: loop.Scalar(tensor.Int64)}
	}
	if err := l.parameters(sc); err != nil {
		return nil, err
	}
	for s, c := range f.Body {
		sc.statements = append(sc.statements, s)
		values, _ := l.frames.Values(s, c, schedule.All)
		for _, i := range c.Indices {
			frame := l.frames.Of(s, i)
			size := frame.Extent
			if n, ok := size.IsConst(); ok {
				size = affine.Const(max(n, 0))
			} else if i.MayBeEmpty || slices.ContainsFunc(frame.By, func(p schedule.Part) bool { return p.Index.MayBeEmpty }) {
				size = affine.MaxOf(size, affine.Const(0))
			}
			b := block{base: frame.Min, size: size}
			if v := values[i].Coordinates; len(v) != 1 || v[0] != (schedule.Part{Index: i, Factor: 1}) {
				b.value = v
			}
			sc.blocks[point{s, i.Name}] = b
		}
	}
	body := l.node(tree.Root, sc)
	l.out.Body = append(l.prologue, body...)
	passes.Run(l.out, l.fresh, options.After)
	for _, u := range l.unplaced {
		u.buffer.OffsetExpr = l.toLoop(u.start.AddConst(l.out.Workspace), 1)
		total := l.dynamic.AddConst(l.out.Workspace)
		l.out.DynamicWorkspace = &total
	}
	if l.out.Own > 0 && l.out.DynamicWorkspace != nil {
		l.out.OwnStart = l.toLoop(*l.out.DynamicWorkspace, 1)
	}
	if options.Names != nil && l.failure == nil {
		l.rename()
	}
	return l.out, l.failure
}

// fail keeps the first defect; lowering goes on with whatever it has.
func (l *lowerer) fail(pos source.Span, format string, args ...any) {
	if l.failure == nil {
		l.failure = source.Internalf(stage, pos, format, args...)
	}
}

// parameters declares the words of the argument block and the storage of every
// tensor.
func (l *lowerer) parameters(sc *scope) error {
	for _, t := range l.f.Tensors {
		l.fresh.Take(t.Name)
	}
	for _, t := range l.f.Tensors {
		if t.Role == ein.Temp {
			continue
		}
		st, err := l.argument(t)
		if err != nil {
			return err
		}
		sc.storage[t] = st
		l.out.Params = append(l.out.Params, &loop.Param{Buffer: st.buffer})
	}
	for _, s := range l.f.Sizes {
		l.out.Params = append(l.out.Params, &loop.Param{Var: l.vars[s.Name], Origin: "size " + s.Name, NonNegative: s.Dim != ein.ScalarValue})
	}
	l.requirements()
	contracted := map[string]bool{}
	for n, p := range l.placements {
		contracted[n.Tensor] = contracted[n.Tensor] || !p.In && !p.Out && len(p.Uses) > 0
	}
	for _, t := range l.f.ByRole(ein.Temp) {
		if !contracted[t.Name] {
			sc.storage[t] = l.workspaceTensor(t)
		}
		if t.Notice {
			l.out.Notices = append(l.out.Notices, loop.Notice{Buffer: sc.storage[t].buffer, Pos: t.Pos})
		}
	}
	return nil
}

// requirements states what Bind tests of every call, each once.
func (l *lowerer) requirements() {
	stated := map[string]bool{}
	state := func(e affine.Expr) {
		if _, known := e.IsConst(); !known && !stated[e.String()] {
			stated[e.String()] = true
			l.out.Requires = append(l.out.Requires, l.toLoop(e, 1))
		}
	}
	for _, s := range l.f.Sizes {
		if s.Dim != ein.ScalarValue && !s.MayBeZero {
			state(affine.Symbol(s.Name).AddConst(-1))
		}
	}
	for _, r := range l.f.Requires {
		state(r.Expr)
	}
	for _, t := range l.f.Tensors {
		for _, d := range t.Dims {
			if _, isSize := d.Extent.IsSymbol(); !isSize {
				state(d.Extent)
			}
		}
	}
}

// argument gives a tensor that the caller passes its buffer.
func (l *lowerer) argument(t *ein.Tensor) (*storage, error) {
	b := &loop.Buffer{Name: t.Name, Type: loop.Scalar(t.Type), Region: loop.Argument, ReadOnly: t.Role == ein.Input}
	l.out.Buffers = append(l.out.Buffers, b)
	strides, given := l.options.Strides[t.Name]
	if !given {
		st := contiguous(b, t)
		l.setLength(b, product(extents(t)))
		return st, nil
	}
	if len(strides) != len(t.Dims) {
		return nil, source.Internalf(stage, t.Pos, "%d strides for %s, which has %d dimensions", len(strides), t.Name, len(t.Dims))
	}
	st := &storage{buffer: b}
	high := int64(0)
	for d, dim := range t.Dims {
		n, ok := dim.Extent.IsConst()
		if !ok {
			return nil, source.Internalf(stage, t.Pos, "strides are given for %s, whose size %s is symbolic", t.Name, dim.Extent)
		}
		if span := (max(n, 1) - 1) * strides[d]; span < 0 {
			b.Low += span
		} else {
			high += span
		}
		st.base = append(st.base, dim.Min)
		st.strides = append(st.strides, affine.Const(strides[d]))
	}
	b.Length = high - b.Low + 1
	if n, ok := product(extents(t)).IsConst(); ok && n == 0 {
		b.Length = 0
	}
	return st, nil
}

// workspaceTensor gives a temporary a buffer of its full size.
func (l *lowerer) workspaceTensor(t *ein.Tensor) *storage {
	b := &loop.Buffer{Name: t.Name, Type: loop.Scalar(t.Type), Region: loop.Workspace}
	length := product(extents(t))
	l.setLength(b, length)
	l.reserve(b, length)
	return contiguous(b, t)
}

// workspaceAlignment is that of buffers in the workspace, in bytes: enough for any vector.
const workspaceAlignment = 64

// reserve gives a Workspace buffer its place.
func (l *lowerer) reserve(b *loop.Buffer, length affine.Expr) {
	l.out.Buffers = append(l.out.Buffers, b)
	if n, ok := length.IsConst(); ok {
		b.Offset = l.out.Workspace
		l.out.Workspace += roundUp(n*int64(b.Type.Elem.Size()*b.Type.Lanes), workspaceAlignment)
		return
	}
	// Buffers of unknown size come behind those of known size, whose total is
	// only final at the end: Lower sets their offsets then.
	l.unplaced = append(l.unplaced, unplaced{b, l.dynamic})
	bytes := length.Scale(int64(b.Type.Elem.Size() * b.Type.Lanes))
	l.dynamic = l.dynamic.Add(affine.Div(bytes.AddConst(workspaceAlignment-1), affine.Const(workspaceAlignment)).Scale(workspaceAlignment))
}

// An unplaced buffer starts at start bytes behind the buffers of known size.
type unplaced struct {
	buffer *loop.Buffer
	start  affine.Expr
}

func roundUp(n, multiple int64) int64 { return (n + multiple - 1) / multiple * multiple }

// setLength sets the length of a buffer, known or not.
func (l *lowerer) setLength(b *loop.Buffer, length affine.Expr) {
	if n, ok := length.IsConst(); ok {
		b.Length = n
		return
	}
	b.LengthExpr = l.toLoop(length, 1)
}

func extents(t *ein.Tensor) []affine.Expr {
	list := make([]affine.Expr, len(t.Dims))
	for i, d := range t.Dims {
		list[i] = d.Extent
	}
	return list
}

func product(list []affine.Expr) affine.Expr {
	p := affine.Const(1)
	for _, e := range list {
		p = p.Mul(e)
	}
	return p
}

// contiguous returns the row-major storage of a whole tensor.
func contiguous(b *loop.Buffer, t *ein.Tensor) *storage {
	st := &storage{buffer: b, base: make([]affine.Expr, len(t.Dims)), strides: make([]affine.Expr, len(t.Dims))}
	stride := affine.Const(1)
	for d := len(t.Dims) - 1; d >= 0; d-- {
		st.base[d], st.strides[d] = t.Dims[d].Min, stride
		stride = stride.Mul(t.Dims[d].Extent)
	}
	return st
}
