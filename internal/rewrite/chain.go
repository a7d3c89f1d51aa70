package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A chain is a run of point-wise statements connected by temporaries of its own.
type chain struct {
	statements []*ein.Comprehension
	inner      []*ein.Tensor // the temporaries
	rank       int           // axes that all of its tensors have
}

// newChain returns the chain that consists of some neighbouring statements of f,
// or nil where they are none.
func newChain(f *ein.Func, u users, statements []*ein.Comprehension) *chain {
	c := &chain{statements: statements, rank: 1 << 10}
	written := map[*ein.Tensor]bool{}
	for _, s := range statements {
		if !pointwise(s) || written[s.Writes[0].Tensor] {
			return nil
		}
		w := s.Writes[0]
		written[w.Tensor] = true
		c.rank = min(c.rank, len(w.Subscripts))
		if c.owns(f, u, w) {
			c.inner = append(c.inner, w.Tensor)
		}
	}
	for k, s := range statements {
		connected := c.isInner(s.Writes[0].Tensor)
		for _, a := range s.Accesses() {
			connected = connected || c.isInner(a.Tensor)
			later := func(other *ein.Comprehension) bool { return writes(other, a.Tensor) }
			if written[a.Tensor] && !c.isInner(a.Tensor) || slices.ContainsFunc(statements[k:], later) {
				return nil
			}
		}
		if !connected {
			return nil
		}
	}
	if len(c.inner) == 0 || len(c.inner) == len(statements) {
		return nil
	}
	return c
}

// users are the statements that read or write each tensor, found once: there may be thousands.
type users map[*ein.Tensor][]*ein.Comprehension

func usersOf(body []*ein.Comprehension) users {
	u := users{}
	for _, c := range body {
		use := func(t *ein.Tensor) {
			if list := u[t]; len(list) == 0 || list[len(list)-1] != c {
				u[t] = append(list, c)
			}
		}
		access := func(e ein.Expr) bool {
			if a, ok := e.(*ein.Access); ok {
				use(a.Tensor)
			}
			return true
		}
		for _, v := range c.Values {
			ein.Walk(v, access)
		}
		for _, w := range c.Writes {
			use(w.Tensor)
			for _, s := range w.Subscripts {
				ein.Walk(s, access)
			}
		}
	}
	return u
}

// pointwise reports whether a statement computes a value per point of known
// ranges, and tests no access.
func pointwise(c *ein.Comprehension) bool {
	if len(c.Writes) != 1 || c.Accumulate != nil || contains(c, isChecked) {
		return false
	}
	for _, i := range c.Indices {
		_, okMin := i.Min.IsConst()
		n, okExtent := i.Extent.IsConst()
		if i.Combine.Kind != ein.Concat || !okMin || !okExtent || n < 1 || n >= small {
			return false
		}
	}
	return true
}

// owns reports whether a write computes all of a temporary that only statements of
// the chain use.
func (c *chain) owns(f *ein.Func, u users, w *ein.Write) bool {
	t := w.Tensor
	if t.Role != ein.Temp || len(t.Dims) == 0 || !covers(w) || slices.ContainsFunc(f.Sizes, func(s *ein.Size) bool { return s.Tensor == t }) {
		return false
	}
	for _, other := range u[t] {
		if !slices.Contains(c.statements, other) {
			return false
		}
	}
	return slices.ContainsFunc(c.statements, func(s *ein.Comprehension) bool { return reads(s, t) > 0 })
}

func (c *chain) isInner(t *ein.Tensor) bool { return slices.Contains(c.inner, t) }

// bytes is the size of the temporaries within their last n axes; lengths replaces
// the extents of some axes where it is smaller.
func (c *chain) bytes(n int, lengths map[int]int64) int64 {
	total := int64(0)
	for _, t := range c.inner {
		size := int64(t.Type.Size())
		for a := range min(n, len(t.Dims)) {
			extent, _ := t.Dims[len(t.Dims)-1-a].Extent.IsConst()
			if length, ok := lengths[a]; ok {
				extent = min(extent, length)
			}
			size *= extent
		}
		total += size
	}
	return total
}

// An axis is the same dimension, counted from the last, of all tensors that a chain
// writes. Statement k uses the values of its index from first+low[k] to
// first+n+high[k].
type axis struct {
	number    int
	index     []*ein.Index // by statement
	low, high []int64      // by statement
	first, n  int64        // the common range of the results
	halo      int64        // the greatest high - low
}

// axis returns the axis of a number, or nil where subscripts along it are not an
// index plus a number.
func (c *chain) axis(number int) *axis {
	count := len(c.statements)
	x := &axis{number: number, index: make([]*ein.Index, count), low: make([]int64, count), high: make([]int64, count)}
	seen := make([]bool, count)
	for k := count - 1; k >= 0; k-- {
		s := c.statements[k]
		w := s.Writes[0]
		i, shift, ok := indexPlusNumber(s, along(w.Subscripts, number))
		if !ok {
			return nil
		}
		x.index[k] = i
		first, _ := i.Min.IsConst()
		n, _ := i.Extent.IsConst()
		switch {
		case c.isInner(w.Tensor):
			if !seen[k] || shift != 0 {
				return nil
			}
		case x.n == 0:
			x.first, x.n = first, n
		case first != x.first || n != x.n:
			return nil
		}
		if !c.extend(x, k, seen) {
			return nil
		}
	}
	for k, i := range x.index {
		first, _ := i.Min.IsConst()
		n, _ := i.Extent.IsConst()
		if x.first+x.low[k] < first || x.first+x.n+x.high[k] > first+n {
			return nil
		}
		x.halo = max(x.halo, x.high[k]-x.low[k])
	}
	return x
}

// extend adds what statement k reads to the ranges of the statements before.
func (c *chain) extend(x *axis, k int, seen []bool) bool {
	for _, a := range c.statements[k].Accesses() {
		if !c.isInner(a.Tensor) {
			continue
		}
		i, shift, ok := indexPlusNumber(c.statements[k], along(a.Subscripts, x.number))
		if !ok || i != x.index[k] {
			return false
		}
		p := c.writer(a.Tensor)
		low, high := x.low[k]+shift, x.high[k]+shift
		if !seen[p] {
			seen[p], x.low[p], x.high[p] = true, low, high
		}
		x.low[p], x.high[p] = min(x.low[p], low), max(x.high[p], high)
	}
	return true
}

func (c *chain) writer(t *ein.Tensor) int {
	return slices.IndexFunc(c.statements, func(s *ein.Comprehension) bool { return writes(s, t) })
}

// along returns the subscript of an axis.
func along(subscripts []ein.Expr, axis int) ein.Expr { return subscripts[len(subscripts)-1-axis] }

func indexPlusNumber(c *ein.Comprehension, e ein.Expr) (index *ein.Index, shift int64, ok bool) {
	a, ok := ein.AffineOf(e)
	if !ok {
		return nil, 0, false
	}
	for _, i := range c.Indices {
		if coefficient, rest, linear := a.Linear(i.Name); linear && coefficient == 1 {
			n, known := rest.IsConst()
			return i, n, known
		}
	}
	return nil, 0, false
}

// strips returns the statements of the chain for as many strips of a length as
// there are.
func (c *chain) strips(f *ein.Func, x *axis, length int64) []*ein.Comprehension {
	count := x.n / length
	blocks := map[*ein.Tensor]*ein.Tensor{}
	for _, t := range c.inner {
		k := c.writer(t)
		blocks[t] = blockOf(f, t, x.number, ein.Dim{Min: affine.Const(0), Extent: affine.Const(length + x.high[k] - x.low[k])})
		blocks[t].Dims = slices.Insert(blocks[t].Dims, 0, ein.Dim{Min: affine.Const(0), Extent: affine.Const(count)})
	}
	var list []*ein.Comprehension
	for k, s := range c.statements {
		old := x.index[k]
		strip := &ein.Index{Pos: old.Pos, Name: freshIndex(f, s, old.Name+"_strip"), Min: affine.Const(0), Extent: affine.Const(count)}
		row := &ein.Index{Pos: old.Pos, Name: old.Name, Min: affine.Const(0), Extent: affine.Const(length + x.high[k] - x.low[k])}
		at := &ein.IndexRef{Pos: old.Pos, Index: row}
		start := &ein.Binary{Pos: old.Pos, Op: ein.Mul, X: number(length), Y: &ein.IndexRef{Pos: old.Pos, Index: strip}}
		value := plus(&ein.Binary{Pos: old.Pos, Op: ein.Add, X: start, Y: at}, x.first+x.low[k])
		next := c.moved(s, blocks, old, row, value, func(t *ein.Tensor, subscripts []ein.Expr) []ein.Expr {
			_, shift, _ := indexPlusNumber(s, along(subscripts, x.number))
			subscripts = slices.Clone(subscripts)
			subscripts[len(subscripts)-1-x.number] = plus(at, x.low[k]+shift-x.low[c.writer(t)])
			return slices.Insert(subscripts, 0, ein.Expr(&ein.IndexRef{Pos: old.Pos, Index: strip}))
		})
		next.Indices = slices.Insert(next.Indices, 0, strip)
		list = append(list, next)
	}
	return list
}

// rest returns the statements of the chain for the results from a distance on.
func (c *chain) rest(f *ein.Func, x *axis, from int64) []*ein.Comprehension {
	blocks := map[*ein.Tensor]*ein.Tensor{}
	part := func(k int) ein.Dim {
		return ein.Dim{Min: affine.Const(x.first + from + x.low[k]), Extent: affine.Const(x.n - from + x.high[k] - x.low[k])}
	}
	for _, t := range c.inner {
		blocks[t] = blockOf(f, t, x.number, part(c.writer(t)))
	}
	var list []*ein.Comprehension
	for k, s := range c.statements {
		i := *x.index[k]
		i.Min, i.Extent = part(k).Min, part(k).Extent
		list = append(list, c.moved(s, blocks, x.index[k], &i, &ein.IndexRef{Pos: i.Pos, Index: &i},
			func(_ *ein.Tensor, subscripts []ein.Expr) []ein.Expr { return subscripts }))
	}
	return list
}

// blockOf declares a temporary like t with another range along an axis.
func blockOf(f *ein.Func, t *ein.Tensor, axis int, dim ein.Dim) *ein.Tensor {
	block := *t
	block.Name = freshName(f, t.Name)
	block.Dims = slices.Clone(t.Dims)
	block.Dims[len(block.Dims)-1-axis] = dim
	f.Tensors = append(f.Tensors, &block)
	return &block
}

// moved copies a statement. Index old becomes row and, where its value is meant,
// value; the temporaries become blocks, whose subscripts place gives in terms of the
// old indices.
func (c *chain) moved(s *ein.Comprehension, blocks map[*ein.Tensor]*ein.Tensor, old, row *ein.Index, value ein.Expr,
	place func(t *ein.Tensor, subscripts []ein.Expr) []ein.Expr) *ein.Comprehension {
	next := &ein.Comprehension{Pos: s.Pos}
	env := map[*ein.Index]ein.Expr{old: value}
	for _, i := range s.Indices {
		j := row
		if i != old {
			copied := *i
			j = &copied
			env[i] = &ein.IndexRef{Pos: i.Pos, Index: j}
		}
		next.Indices = append(next.Indices, j)
	}
	v := ein.Map(s.Values[0], func(e ein.Expr) ein.Expr {
		if a, ok := e.(*ein.Access); ok && c.isInner(a.Tensor) {
			return &ein.Access{Pos: a.Pos, Tensor: blocks[a.Tensor], Subscripts: place(a.Tensor, a.Subscripts)}
		}
		return e
	})
	next.Values = []ein.Expr{substitute(v, env)}
	w := *s.Writes[0]
	if block := blocks[w.Tensor]; block != nil {
		w.Subscripts = place(w.Tensor, w.Subscripts)
		w.Tensor = block
	}
	w.Subscripts = substituteAll(w.Subscripts, env)
	next.Writes = []*ein.Write{&w}
	return next
}

// freshIndex returns a name that no index of a statement and no size has.
func freshIndex(f *ein.Func, c *ein.Comprehension, name string) string {
	for slices.ContainsFunc(c.Indices, func(i *ein.Index) bool { return i.Name == name }) ||
		slices.ContainsFunc(f.Sizes, func(s *ein.Size) bool { return s.Name == name }) {
		name += "_"
	}
	return name
}

func number(n int64) ein.Expr { return ein.IntConst(tensor.Int64, n) }

func plus(e ein.Expr, n int64) ein.Expr {
	if n == 0 {
		return e
	}
	return &ein.Binary{Pos: e.Span(), Op: ein.Add, X: e, Y: number(n)}
}
