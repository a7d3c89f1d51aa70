package schedule

import (
	"math"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/source"
)

// How products of matrix units are cut
//
// What is below the accumulators of a product has no order of the tree's: a target goes over it in blocks, and those over
// the parts that it keeps. How large these are is said by marks of the loop over groups, one for each row of
// ein.BlockingRows that the product has, beside the bytes for parts and the operand that is kept. CutProducts places
// them by what the machine has room for; a tree without them has the usual ones. No result of integers hangs on them,
// and one of floats as little as on any order of sums.

// matrixMarks are those of loops over groups that a matrix unit computes.
func matrixMarks() (list []markOf[Member]) {
	codes := []source.Code{source.ScheduleMisfit}
	for _, r := range ein.BlockingRows() {
		mark := markOf[Member]{
			Mark: Mark{form: r.Range()},
			arguments: func(m *Member) []string {
				if text, said := r.Text(m.Blocking, "/"); said {
					return []string{text}
				}
				return nil
			},
			read: func(m *Member, argument string) bool { return r.Read(&m.Blocking, argument, "/") },
		}
		list = append(list, mark.as(r.Word, r.Form, r.Meaning, "with `matrix`, of products of "+r.Of.String()+"; "+r.Range(), codes))
	}
	room := number(0, func(m *Member) *int64 { return &m.Room })
	keep := markOf[Member]{
		Mark: Mark{form: "t is a tensor"},
		arguments: func(m *Member) []string {
			if m.Keep == "" {
				return nil
			}
			return []string{m.Keep}
		},
		read: func(m *Member, argument string) bool {
			m.Keep = argument
			return argument != ""
		},
	}
	return append(list,
		room.as("room", "n", "has n bytes for parts of both operands", "with `matrix`, of products of parts of float32; no more than a thread has room for on its stack", codes),
		keep.as("keep", "t", "keeps the parts of the operand t, and makes those of the other one while they pass by; without, those of the operand of which there is less are kept", "with `matrix`, of products of parts of float32, of one of two operands", codes))
}

// isCut reports whether a loop says how a product is cut.
func (m *Member) isCut() bool { return m.Blocking != ein.Blocking{} || m.Room > 0 || m.Keep != "" }

// MatrixLoop returns the loop over groups of a statement that a matrix unit computes, in a subtree, or nil.
func MatrixLoop(s int, c *ein.Comprehension, n Node) *Member {
	if b, ok := n.(*Band); ok {
		for _, m := range b.Members {
			if l, ok := m.IndexOf(s); ok && m.Matrix && slices.ContainsFunc(ein.Reduced(c), func(i *ein.Index) bool { return i.Name == l.Index }) {
				return m
			}
		}
	}
	for _, child := range Children(n) {
		if m := MatrixLoop(s, c, child); m != nil {
			return m
		}
	}
	return nil
}

// ProductOf is how a matrix unit multiplies the operands of a statement by groups of a size.
func ProductOf(c *ein.Comprehension, size int) ein.Product {
	x, y, _ := ein.MatrixOf(c)
	switch {
	case size > 1:
		return ein.GroupProduct
	case x != nil && (HasWindows(c, x) || HasWindows(c, y)):
		return ein.WindowProduct
	}
	return ein.PartsProduct
}

// RoomOf is how many bytes there are for the parts of a product.
func RoomOf(m *Member, kind ein.Product) int64 {
	switch {
	case m.Room > 0:
		return m.Room
	case kind == ein.WindowProduct:
		return ein.PartsWindowsRoomBytes
	}
	return ein.PartsRoomBytes
}

// CutProducts says in a tree how products of matrix units are cut, by what a machine has room for. It takes away what it
// says of that.
func CutProducts(f *ein.Func, t *Tree, p *machine.Processor) {
	if HasGrids(t.Root) {
		return // fragments of devices have the size that their instructions have
	}
	var visit func(n Node)
	visit = func(n Node) {
		if b, ok := n.(*Band); ok {
			for _, m := range b.Members {
				cut := &Member{}
				if m.Matrix && m.Group > 0 && m.Loops[0].Statement < len(f.Body) {
					cut = CutOf(ProductOf(f.Body[m.Loops[0].Statement], m.Group), p)
				}
				m.Blocking, m.Room, m.Keep = cut.Blocking, cut.Room, cut.Keep
			}
		}
		for _, child := range Children(n) {
			visit(child)
		}
	}
	visit(t.Root)
}

// CutOf has the marks that say how products of a kind are cut for a machine, and no others.
func CutOf(kind ein.Product, p *machine.Processor) *Member {
	m, b := &Member{}, ein.Blocking{}.Complete()
	switch kind {
	case ein.GroupProduct:
		tile := TileOf(p)
		b.TileRows, b.TileColumns, b.TileGroups = tile.Rows, tile.Columns, tile.Groups
	case ein.PartsProduct:
		m.Room = partsRoom(p, machine.PartsBytes)
		blocks := m.Room / ein.PartsBlockBytes
		b.Pass = max(1, blocks/blocksOfStep)
		b.Least = max(1, b.Pass/leastOfPass)
		b.Panels = max(1, (blocks-2*b.Pass)/b.Least)
	case ein.WindowProduct:
		m.Room = partsRoom(p, machine.PlaneBytes)
		b.Weights = ein.Weights{Rows: weight(ein.PartsLines * ein.PartsLines * p.Value(machine.WindowRow)), Product: weight(p.Value(machine.WindowProduct)),
			Sums: weight(p.Value(machine.WindowSums)), Points: weight(p.Value(machine.WindowPoints))}
	}
	b.Lines = min(b.Lines, max(1, int64(p.VectorRegisters)/registersOfLine))
	b.Near = min(b.Near, max(1, p.L1/bytesOfNear))
	for _, r := range ein.BlockingRows() {
		if numbers := r.Numbers(b); r.Of&kind != 0 && numbers[0] > 0 {
			for k := range numbers {
				numbers[k] = min(max(numbers[k], 1), r.Most[k])
			}
			r.Set(&m.Blocking, numbers...)
		}
	}
	return m
}

// Of the blocks of parts that there is room for, eight of ten are kept and two pass by; a pass that is not to keep all panels
// has a quarter of its steps at least. Vectors multiply two vectors of columns by each of some rows, in a quarter of the
// registers, and what is copied for them has a half of the nearest cache: so much for a step of 32 columns.
const (
	blocksOfStep    = 10
	leastOfPass     = 4
	registersOfLine = 4
	bytesOfNear     = 2 * 4 * ein.PartsLines * ein.PartsLines
)

// weight leaves two digits of a number of cycles: what passes are chosen by is not known better.
func weight(cycles float64) int64 {
	unit := math.Pow(10, max(0, math.Floor(math.Log10(max(cycles, 1)))-1))
	return max(1, int64(math.Floor(cycles/unit)*unit))
}

// partsRoom is how many bytes parts have in the second-level cache of a machine, and on the stack of a thread.
func partsRoom(p *machine.Processor, of machine.Quantity) int64 {
	room := min(p.Whole(of), machine.StackBytes)
	if p.L2 > 0 {
		room = min(room, p.L2)
	}
	return max(room, ein.LeastPartsBlocks*ein.PartsBlockBytes)
}

// cut checks what a loop says of how a product is cut.
func (c *checker) cut(b *Band, m *Member, l Loop) {
	if !m.isCut() {
		return
	}
	var words []string
	for _, k := range matrixMarks() {
		words = append(words, k.Word)
	}
	at := on(b, m, words...)
	if !m.Matrix {
		c.misfit(at, "%s says how a product of a matrix unit is cut, and computes none: there is no 'matrix'", c.words.Loop(m))
		return
	}
	kind := ProductOf(c.f.Body[l.Statement], m.Group)
	x, y, _ := ein.MatrixOf(c.f.Body[l.Statement])
	switch wrong := m.Blocking.Wrong(kind); {
	case wrong != "":
		c.misfit(at, "%s is cut as it cannot be: %s", c.words.Statement(l.Statement), wrong)
	case m.Room > 0 && kind == ein.GroupProduct:
		c.misfit(at, "%s has no parts, for which there would be room: its operands are not float32", c.words.Statement(l.Statement))
	case m.Room > machine.StackBytes || m.Room > 0 && m.Room < ein.LeastPartsBlocks*ein.PartsBlockBytes:
		c.misfit(at, "there is room for %d to %d bytes of parts, found %d", ein.LeastPartsBlocks*ein.PartsBlockBytes, machine.StackBytes, m.Room)
	case m.Keep == "":
	case kind != ein.PartsProduct:
		c.misfit(at, "parts of an operand are kept in products of float32 without windows, and %s is none", c.words.Statement(l.Statement))
	case x != nil && (x.Tensor == y.Tensor || !slices.Contains([]string{x.Tensor.Name, y.Tensor.Name}, m.Keep)):
		c.misfit(at, "'keep' names one of two operands, and those of %s are %s", c.words.Statement(l.Statement), strings.Join([]string{x.Tensor.Name, y.Tensor.Name}, " and "))
	}
}
