package guard_test

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/teiltest"
	"github.com/ricci-lang/ricci/tensor"
)

// A brute walks through all points of all statements at given sizes and computes
// every subscript. It shares nothing with the guard: no sizes are symbolic, nothing
// is proved.
type brute struct {
	sizes   map[string]int64
	indices map[*ein.Index]int64
	locals  map[*ein.Local]int64 // those whose values are known
	lets    map[*ein.Local]ein.Expr
	datum   *int64 // what all data are taken for
	problem error
}

// leaves returns the first access or write outside of its tensor at these sizes.
func leaves(f *ein.Func, sizes map[string]int64) error {
	b := &brute{sizes: sizes, locals: map[*ein.Local]int64{}, lets: map[*ein.Local]ein.Expr{}}
	for _, c := range f.Body {
		b.indices = map[*ein.Index]int64{}
		b.points(c, c.Indices)
	}
	return b.problem
}

func (b *brute) points(c *ein.Comprehension, rest []*ein.Index) {
	if b.problem != nil {
		return
	}
	if len(rest) == 0 {
		for _, v := range c.Values {
			b.visit(v)
		}
		for _, w := range c.Writes {
			b.inside(w.Tensor, w.Subscripts, "written")
		}
		return
	}
	i := rest[0]
	first, err := i.Min.Eval(b.sizes)
	count, err2 := i.Extent.Eval(b.sizes)
	if err != nil || err2 != nil {
		b.problem = fmt.Errorf("the range of %s has no value: %w", i.Name, err)
		return
	}
	for k := range max(count, 0) {
		b.indices[i] = first + k
		b.points(c, rest[1:])
	}
}

// visit looks at what is evaluated at the point; of a select whose condition depends
// on data that is both branches.
func (b *brute) visit(e ein.Expr) {
	if s, ok := e.(*ein.Select); ok {
		b.visit(s.Cond)
		switch condition, known := b.value(s.Cond); {
		case !known:
			b.visit(s.Then)
			b.visit(s.Else)
		case condition != 0:
			b.visit(s.Then)
		default:
			b.visit(s.Else)
		}
		return
	}
	if l, ok := e.(*ein.Let); ok {
		delete(b.locals, l.Var)
		b.lets[l.Var] = l.Value
		if v, known := b.value(l.Value); known {
			b.locals[l.Var] = v
		}
	}
	if a, ok := e.(*ein.Access); ok {
		if !a.Checked { // what is tested ends the call
			b.inside(a.Tensor, a.Subscripts, "read")
		}
	}
	for _, child := range ein.Children(e) {
		b.visit(child)
	}
}

func (b *brute) inside(t *ein.Tensor, subscripts []ein.Expr, done string) {
	for _, datum := range data {
		b.datum = &datum
		b.insideWith(t, subscripts, done)
	}
	b.datum = nil
}

// data are numbers that stand for those that are read.
var data = []int64{0, 3, -1, -1 << 40, 1 << 40}

func (b *brute) insideWith(t *ein.Tensor, subscripts []ein.Expr, done string) {
	for d, s := range subscripts {
		at, known := b.value(s)
		first, err := t.Dims[d].Min.Eval(b.sizes)
		extent, err2 := t.Dims[d].Extent.Eval(b.sizes)
		if known && (err != nil || err2 != nil || at < first || at >= first+extent) && b.problem == nil {
			b.problem = fmt.Errorf("%s is %s at %d in dimension %d, which has %d elements from %d", t.Name, done, at, d, extent, first)
		}
	}
}

// value computes an integer expression that reads no tensor.
func (b *brute) value(e ein.Expr) (int64, bool) {
	switch e := e.(type) {
	case *ein.Const:
		return e.Int(), !e.DType.IsFloat()
	case *ein.IndexRef:
		return b.indices[e.Index], true
	case *ein.SizeRef:
		v, err := e.Size.Eval(b.sizes)
		return v, err == nil
	case *ein.LocalRef:
		if v, known := b.locals[e.Local]; known || b.datum == nil {
			return v, known
		}
		return b.value(b.lets[e.Local])
	case *ein.Cast:
		if x, known := b.value(e.X); known && e.X.Type().IsInteger() {
			return fitting(e.To, x), e.To.IsInteger()
		}
		return b.unknown(e)
	case *ein.Unary:
		x, ok := b.value(e.X)
		if e.Op == ein.Not {
			return truth(x == 0), ok
		}
		return -x, ok
	case *ein.Binary:
		x, okX := b.value(e.X)
		y, okY := b.value(e.Y)
		if decides := truth(e.Op == ein.Or); (e.Op == ein.And || e.Op == ein.Or) && (okX && x == decides || okY && y == decides) {
			return decides, true // whatever the other is
		}
		v, ok := combine(e.Op, x, y)
		return v, ok && okX && okY
	case *ein.Select:
		condition, ok := b.value(e.Cond)
		if ok && condition != 0 {
			return b.value(e.Then)
		}
		v, known := b.value(e.Else)
		return v, ok && known
	}
	return b.unknown(e)
}

// unknown is an expression that depends on data.
func (b *brute) unknown(e ein.Expr) (int64, bool) {
	if b.datum == nil || !e.Type().IsInteger() {
		return 0, false
	}
	return fitting(e.Type(), *b.datum), true
}

// fitting keeps the bits that a type has.
func fitting(t tensor.DType, x int64) int64 { return teiltest.Integers{}.Convert(t, x) }

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// combine rounds quotients toward minus infinity, and x/0 = x%0 = 0.
func combine(op ein.BinaryOp, x, y int64) (int64, bool) {
	quotient := func() int64 {
		if y == 0 {
			return 0
		}
		q := x / y
		if x%y != 0 && (x < 0) != (y < 0) {
			q--
		}
		return q
	}
	switch op {
	case ein.Add:
		return x + y, true
	case ein.Sub:
		return x - y, true
	case ein.Mul:
		return x * y, true
	case ein.Div:
		return quotient(), true
	case ein.Mod:
		return x - y*quotient(), true
	case ein.Min:
		return min(x, y), true
	case ein.Max:
		return max(x, y), true
	case ein.Lt:
		return truth(x < y), true
	case ein.Le:
		return truth(x <= y), true
	case ein.Gt:
		return truth(x > y), true
	case ein.Ge:
		return truth(x >= y), true
	case ein.Eq:
		return truth(x == y), true
	case ein.Ne:
		return truth(x != y), true
	case ein.And:
		return truth(x != 0 && y != 0), true
	case ein.Or:
		return truth(x != 0 || y != 0), true
	}
	return 0, false
}
