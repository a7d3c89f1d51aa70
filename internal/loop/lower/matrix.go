package lower

import (
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// How blocks are multiplied by a matrix unit
//
// All loops below the accumulators become one loop.Multiply, over the rows of one index;
// loops over further indices of the results stand around it. What does not exist of a block
// it leaves out, so that nothing is read beyond the operands' ends. Results that lie side by
// side along the vector, in their own type, go to their places at once, and are added to what
// blocks of the reduction have left there; else the accumulators are an array of scalars, a
// row after the other, from which they are passed on.

// multiplyInPlace computes the results of a statement whose groups are for a matrix unit; ok
// is false where they need accumulators, or are written past the caches.
func (l *lowerer) multiplyInPlace(a *accumulator, n *schedule.Accumulate, vector string, sc *scope) (list []loop.Stmt, ok bool) {
	s, c, parent := a.statement, l.f.Body[a.statement], sc.accumulator(a.statement)
	w := c.Writes[0]
	x, _, _ := ein.MatrixOf(c)
	step, known := l.stepOf(w.Tensor, w.Subscripts, vector, sc)
	switch st := sc.storage[w.Tensor]; {
	case w.Tensor.Type != ein.MatrixSum(x.Tensor.Type) || st.through != nil || a.streams || !known || step != 1 || sc.totals || sc.deferred != nil,
		parent != nil && (parent.buffers != nil || parent.early || parent.order != nil),
		c.Accumulate != nil && !ein.SameOperator(c.Accumulate, a.op),
		!sc.guarded && l.isPoint(l.limits(s, c.ByKind(ein.Concat), sc)) != nil:
		return nil, false
	}
	part := func(add bool) []loop.Stmt {
		at := *a
		at.inPlace, at.addsInPlace = w, add
		return l.multiply(&at, n, vector, sc)
	}
	if parent == nil {
		return part(c.Accumulate != nil), true
	}
	if parent.fresh {
		if at, possible := l.atStart(s, sc); possible && at == nil {
			return part(false), true
		} else if possible {
			return []loop.Stmt{&loop.If{Cond: at, Then: part(false), Else: part(true)}}, true
		}
	}
	return part(true), true
}

// multiplyInOutput computes results that are complete, or added to what is there, where a matrix
// unit leaves them; ok is false where no loop below is for one. Those that cannot be left there, or
// whose operands do not lie at equal distances, are computed by vectors.
func (l *lowerer) multiplyInOutput(n *schedule.Accumulate, op *ein.Operator, sc *scope) (list []loop.Stmt, ok bool) {
	s, c := n.Statement, l.f.Body[n.Statement]
	if index, _ := schedule.MatrixBelow(s, c, n.Child); index == nil || accumulateBelow(s, n.Child) != nil {
		return nil, false
	}
	vector, _ := l.vectorIndex(s, n.Child, sc)
	a := &accumulator{statement: s, op: op, lanes: 1, units: 1, array: true}
	for _, i := range c.ByKind(ein.Concat) {
		a.dims = append(a.dims, accumulatorDim{index: i.Name, base: sc.blocks[point{s, i.Name}].base, size: schedule.KnownSize(sc.blocks[point{s, i.Name}].size)})
	}
	if x, y, _ := ein.MatrixOf(c); l.isStrided(x, sc) && l.isStrided(y, sc) {
		if list, ok := l.multiplyInPlace(a, n, vector, sc.wholly(a)); ok {
			return list, true
		}
	}
	byVectors := *n
	byVectors.Child = withoutMatrix(n.Child)
	return l.accumulateInOutput(&byVectors, op, sc), true
}

// isStrided reports whether the elements of an operand lie at equal distances along every index.
func (l *lowerer) isStrided(a *ein.Access, sc *scope) bool {
	st := sc.storage[a.Tensor]
	return st.panels == nil && st.phases < 2 && st.group == 0 && st.steps == nil
}

// withoutMatrix is the loops of a matrix unit, without it.
func withoutMatrix(n schedule.Node) schedule.Node {
	b, ok := n.(*schedule.Band)
	if !ok {
		return n
	}
	plain := &schedule.Band{Child: withoutMatrix(b.Child)}
	for _, m := range b.Members {
		c := *m
		if c.Matrix {
			c.Matrix, c.Group = false, 0
		}
		plain.Members = append(plain.Members, &c)
	}
	return plain
}

// multiply computes the accumulators of a statement whose groups are for a matrix unit.
func (l *lowerer) multiply(a *accumulator, n *schedule.Accumulate, vector string, sc *scope) []loop.Stmt {
	s, c := a.statement, l.f.Body[a.statement]
	index, size := schedule.MatrixBelow(s, c, n.Child)
	along, shared, why := schedule.DotOperands(c, index, l.indexOrNil(s, vector), size)
	if why == "" && (a.along != "" || a.value != nil || a.lanes > 1) {
		why = "its accumulators are vectors, or have factors"
	}
	if why != "" {
		l.fail(c.Pos, "a product of a matrix unit: %s", why)
		return nil
	}
	m := &matrixProduct{l: l, s: s, c: c, group: index, size: int64(size), unit: schedule.MatrixLoop(s, c, n.Child)}
	m.sc = sc
	row := ""
	var others []*schedule.Member
	for _, d := range slices.Backward(a.dims) { // the last one of several points has the rows: its results are near
		switch {
		case d.index == vector || d.size == 1:
		case row == "" && !m.uses(along, d.index):
			row = d.index
		default:
			others = append(others, &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: d.index}}, Tile: 1})
		}
	}
	m.rows, m.columns, m.members = []string{row}, []string{vector}, []string{index.Name}
	if size == 1 {
		m.joinMembers(along, shared)
	}
	if size == 1 && a.inPlace != nil {
		others = slices.DeleteFunc(others, func(o *schedule.Member) bool {
			return m.join(o.Loops[0].Index, along, shared, a.inPlace)
		})
	}
	if m.windows = size == 1 && a.inPlace != nil && schedule.HasWindows(c, along); m.windows {
		others = slices.DeleteFunc(others, func(o *schedule.Member) bool {
			isRun := m.uses(along, o.Loops[0].Index) && !m.uses(shared, o.Loops[0].Index)
			if isRun {
				m.runs = append([]string{o.Loops[0].Index}, m.runs...)
			}
			return isRun
		})
	}
	return l.nest(others, nil, sc, func(sc *scope) []loop.Stmt {
		m.sc = sc
		return m.statement(a, along, shared, row, vector)
	})
}

// A matrixProduct makes a Multiply of a statement's block.
type matrixProduct struct {
	l     *lowerer
	s     int
	c     *ein.Comprehension
	sc    *scope
	group *ein.Index       // whose points are in groups
	size  int64            // of a group
	unit  *schedule.Member // the loop over groups, which says how the product is cut
	// rows, columns and members are the indices whose points are those of the product, and of its sum,
	// the fastest first; of rows perhaps "", for one.
	rows, columns, members []string
	windows                bool     // are read along the columns, which lie in runs
	runs                   []string // further indices of columns, the slowest first
}

// join makes the points of an index further rows or columns, if they lie behind those that there are,
// in the operand and in the results: 64 rows of 128 tokens are as many as 8192.
func (m *matrixProduct) join(index string, along, shared *ein.Access, w *ein.Write) bool {
	written := &ein.Access{Pos: w.Pos, Tensor: w.Tensor, Subscripts: w.Subscripts}
	behind := func(list []string, a *ein.Access) bool {
		return m.step(a, index).Equal(m.points(list).Mul(m.step(a, list[0])))
	}
	ofRows, ofColumns := m.uses(shared, index), m.uses(along, index)
	switch {
	case ofRows && !ofColumns && m.rows[0] != "" && behind(m.rows, shared) && behind(m.rows, written):
		m.rows = append(m.rows, index)
		return true
	case ofColumns && !ofRows && behind(m.columns, along) && behind(m.columns, written):
		m.columns = append(m.columns, index)
		return true
	}
	return false
}

// joinMembers makes the points of reduced indices further members of the sum, if they lie behind those
// that there are in both operands.
func (m *matrixProduct) joinMembers(along, shared *ein.Access) {
	for again := true; again; {
		again = false
		for _, i := range ein.Reduced(m.c) {
			behind := func(a *ein.Access) bool {
				return m.step(a, i.Name).Equal(m.points(m.members).Mul(m.step(a, m.members[0])))
			}
			if !slices.Contains(m.members, i.Name) && !m.block(i.Name).isPoint() && behind(along) && behind(shared) {
				m.members, again = append(m.members, i.Name), true
			}
		}
	}
}

// points is how many points the block has along some indices.
func (m *matrixProduct) points(indices []string) affine.Expr {
	n := affine.Const(1)
	for _, i := range indices {
		n = n.Mul(m.block(i).points())
	}
	return n
}

func (m *matrixProduct) block(index string) block { return m.sc.blocks[point{m.s, index}] }

// uses reports whether a subscript of an access has an index.
func (m *matrixProduct) uses(a *ein.Access, index string) bool {
	return slices.ContainsFunc(a.Subscripts, func(sub ein.Expr) bool {
		e, ok := ein.AffineOf(sub)
		return !ok || e.Uses(index)
	})
}

// statement makes the Multiply of a block of rows along one index. Where windows of the
// operand along the vector lie in phases, those of each phase are one of their own.
func (m *matrixProduct) statement(a *accumulator, along, shared *ein.Access, row, vector string) []loop.Stmt {
	l := m.l
	st := m.sc.storage[along.Tensor]
	if m.size > 1 && (st.group != int(m.size) || st.panels != nil || !m.step(along, vector).Equal(affine.Const(m.size))) {
		l.fail(along.Pos, "%s is not stored by groups of %d along %s, or in several panels", along.Tensor.Name, m.size, vector)
		return nil
	}
	count := func(indices ...string) loop.Expr { return l.toLoop(m.points(indices), 1) }
	p := loop.Multiply{
		X: m.sc.storage[shared.Tensor].buffer, Y: st.buffer,
		At: int64Const(0), Stride: int64Const(0), XStride: int64Const(0),
		XStep: l.toLoop(m.step(shared, m.group.Name), 1),
		Rows:  int64Const(1), Cols: count(m.columns...), Depth: count(m.members...),
	}
	if m.size > 1 {
		p.YStride = l.toLoop(m.groupStep(along), 1)
	} else {
		p.YStride, p.YStep = l.toLoop(m.step(along, m.group.Name), 1), l.toLoop(m.step(along, vector), 1)
		if m.windows {
			p.Runs = m.runsOf(along, a.inPlace)
		}
		p.Room = l.fresh.Buffer(along.Tensor.Name+"_parts", loop.Scalar(tensor.BFloat16), m.room(), loop.Private)
	}
	p.Blocking = m.unit.Blocking.Of(p.Product())
	if m.unit.Keep != "" && p.Product() == ein.PartsProduct {
		p.Keep = loop.Rows
		if m.unit.Keep == along.Tensor.Name {
			p.Keep = loop.Columns
		}
	}
	if row != "" {
		p.Rows, p.XStride = count(m.rows...), l.toLoop(m.step(shared, row), 1)
	}
	m.results(&p, a, row)
	var list []loop.Stmt
	m.eachPhase(along, func(first, every map[string]int64) {
		part := p
		part.Add = p.Add || len(list) > 0
		part.XAt, part.YAt = l.toLoop(m.position(shared, first), 1), l.toLoop(m.position(along, first), 1)
		for _, i := range ein.Reduced(m.c) {
			if slices.Contains(m.members, i.Name) || m.block(i.Name).isPoint() {
				continue
			}
			n := max(1, every[i.Name])
			points := affine.Div(m.block(i.Name).points().AddConst(n-1-first[i.Name]), affine.Const(n))
			part.Sums = append(part.Sums, loop.Sum{Count: l.toLoop(points, 1),
				X: l.toLoop(m.stepOf(shared, i.Name, first, n), 1), Y: l.toLoop(m.stepOf(along, i.Name, first, n), 1)})
		}
		list = append(list, &part)
	})
	if p.Room != nil {
		list = []loop.Stmt{&loop.Alloc{Buffer: p.Room, Body: list}}
	}
	return list
}

// runsOf lists the runs of columns, at least one.
func (m *matrixProduct) runsOf(along *ein.Access, w *ein.Write) []loop.Run {
	written := &ein.Access{Pos: w.Pos, Tensor: w.Tensor, Subscripts: w.Subscripts}
	var list []loop.Run
	for _, i := range m.runs {
		list = append(list, loop.Run{Count: m.l.toLoop(m.block(i).points(), 1), Y: m.l.toLoop(m.step(along, i), 1), Z: m.l.toLoop(m.step(written, i), 1)})
	}
	if list == nil {
		list = []loop.Run{{Count: int64Const(1), Y: int64Const(0), Z: int64Const(0)}}
	}
	return list
}

// room is how many parts of operands of float32 there are at once.
func (m *matrixProduct) room() int64 {
	if m.windows {
		return schedule.RoomOf(m.unit, ein.WindowProduct) / int64(tensor.BFloat16.Size())
	}
	most := func(indices []string) int64 {
		n := int64(1)
		for _, i := range indices {
			n = schedule.MultiplySizes(n, schedule.KnownSize(m.block(i).size))
		}
		return n
	}
	var sums []string
	for _, i := range ein.Reduced(m.c) {
		if !slices.Contains(m.members, i.Name) {
			sums = append(sums, i.Name)
		}
	}
	return ein.PartsRoom(m.unit.Blocking, schedule.RoomOf(m.unit, ein.PartsProduct), most(m.rows), most(m.columns), most(m.members), most(sums))
}

// eachPhase calls visit for each phase in which windows lie: with the first point of every
// index over them there, and how many points further the next one is.
func (m *matrixProduct) eachPhase(along *ein.Access, visit func(first, every map[string]int64)) {
	st := m.sc.storage[along.Tensor]
	var windows []string
	for _, i := range ein.Reduced(m.c) {
		if i != m.group && st.phases > 1 && !m.block(i.Name).isPoint() && ein.DependsOn(along.Subscripts[st.phased], i) {
			windows = append(windows, i.Name)
		}
	}
	first, every := map[string]int64{}, map[string]int64{}
	var choose func(k int)
	choose = func(k int) {
		if k == len(windows) {
			visit(maps.Clone(first), every)
			return
		}
		every[windows[k]] = st.phases
		points, known := m.block(windows[k]).points().IsConst()
		for n := range st.phases {
			if first[windows[k]] = n; !known || n < points {
				choose(k + 1)
			}
		}
		first[windows[k]] = 0
	}
	choose(0)
}

// results says where a Multiply has its results.
func (m *matrixProduct) results(p *loop.Multiply, a *accumulator, row string) {
	if w := a.inPlace; w != nil {
		written := &ein.Access{Pos: w.Pos, Tensor: w.Tensor, Subscripts: w.Subscripts}
		p.Z, p.Add, p.At = m.sc.storage[w.Tensor].buffer, a.addsInPlace, m.l.toLoop(m.position(written, nil), 1)
		if row != "" {
			p.Stride = m.l.toLoop(m.step(written, row), 1)
		}
		return
	}
	p.Z = a.buffers[0]
	var at affine.Expr
	for _, d := range a.dims {
		at = at.Add(m.block(d.index).base.Sub(d.base).Mul(d.stride))
		if d.index == row {
			p.Stride = m.l.toLoop(d.stride, 1)
		}
	}
	p.At = m.l.toLoop(at, 1)
}

// position is where the first point of the block is read, some points further along some
// indices.
func (m *matrixProduct) position(a *ein.Access, further map[string]int64) affine.Expr {
	st := m.sc.storage[a.Tensor]
	env := map[string]affine.Expr{}
	for _, i := range m.c.Indices {
		env[i.Name] = m.block(i.Name).base.AddConst(further[i.Name])
	}
	sum := st.offset
	for d, sub := range a.Subscripts {
		e, ok := ein.AffineOf(sub)
		if !ok {
			m.l.fail(a.Pos, "a subscript of %s is not affine", a.Tensor.Name)
		}
		sum = sum.Add(st.position(d, e.Subst(env)))
	}
	return sum
}

// step is how far neighbours along an index are apart in an operand.
func (m *matrixProduct) step(a *ein.Access, index string) affine.Expr {
	return m.stepOf(a, index, nil, 1)
}

// stepOf is how far every so many-th point along an index is from the one before in an operand,
// from some first points on.
func (m *matrixProduct) stepOf(a *ein.Access, index string, first map[string]int64, every int64) affine.Expr {
	at := func(n int64) affine.Expr {
		further := map[string]int64{}
		maps.Copy(further, first)
		further[index] += n * every
		return m.position(a, further)
	}
	step := at(1).Sub(at(0))
	if !at(2).Sub(at(1)).Equal(step) {
		m.l.fail(a.Pos, "%s does not lie so that points of %s are equally far apart", a.Tensor.Name, index)
	}
	return step
}

// groupStep is how far groups are apart in the operand along the vector.
func (m *matrixProduct) groupStep(a *ein.Access) affine.Expr {
	st := m.sc.storage[a.Tensor]
	return st.strides[st.grouped]
}
