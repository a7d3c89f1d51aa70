package ein

import (
	"github.com/ricci-lang/ricci/internal/source"
)

// A code computes an expression in the current state of a machine.
type code func(*machine) value

// A machine is the state that codes read: the values of the indices and of the
// locals at the current point.
type machine struct {
	index []int64
	local []value
	err   error // the first failed access; ends the comprehension

	// A guess is a branch that the reference does not take but an implementation
	// may; lost says that it read out of bounds, which is then no error.
	guesses int
	lost    bool
}

// A compiler turns the expressions of one comprehension into codes.
type compiler struct {
	ev      *evaluator
	of      *Comprehension
	indices map[*Index]int
	locals  map[*Local]int
	err     error
}

func (c *compiler) fail(pos source.Span, format string, args ...any) code {
	if c.err == nil {
		c.err = source.Internalf("evaluator", pos, format, args...)
	}
	return nil
}

// slot gives a local its place in the machine.
func (c *compiler) slot(l *Local) int {
	s, ok := c.locals[l]
	if !ok {
		s = len(c.locals)
		c.locals[l] = s
	}
	return s
}

func (c *compiler) list(exprs []Expr) []code {
	codes := make([]code, len(exprs))
	for i, e := range exprs {
		codes[i] = c.expr(e)
	}
	return codes
}

func (c *compiler) expr(e Expr) code {
	switch e := e.(type) {
	case *Const:
		return c.constant(e)
	case *SizeRef:
		v, err := c.ev.size(e.Size, e.Pos)
		if err != nil {
			return c.fail(e.Pos, "the size %s: %w", e.Size, err)
		}
		return func(*machine) value { return value{i: v} }
	case *IndexRef:
		slot, ok := c.indices[e.Index]
		if !ok {
			return c.fail(e.Pos, "the index %s is not one of the comprehension", e.Index.Name)
		}
		return func(m *machine) value { return value{i: m.index[slot]} }
	case *LocalRef:
		slot := c.slot(e.Local)
		return func(m *machine) value { return m.local[slot] }
	case *Let:
		slot, bound, body := c.slot(e.Var), c.expr(e.Value), c.expr(e.Body)
		return func(m *machine) value {
			m.local[slot] = bound(m)
			return body(m)
		}
	case *Access:
		return c.access(e)
	case *Select:
		return c.choose(e)
	}
	return c.operation(e)
}

func (c *compiler) constant(e *Const) code {
	v := value{i: e.Int()}
	if e.DType.IsFloat() {
		v = value{f: e.Float()}
		if c.ev.arithmetic == (majorant{}) {
			v = magnitudeOf(v.f)
		}
	}
	return func(*machine) value { return v }
}

// operation compiles the nodes that only compute.
func (c *compiler) operation(e Expr) code {
	switch e := e.(type) {
	case *Unary:
		x, t := c.expr(e.X), e.X.Type()
		f := c.ev.arithmetic.not()
		switch e.Op {
		case Neg:
			f = c.ev.arithmetic.negate(t)
		case Popcount, Clz:
			f = c.ev.arithmetic.count(e.Op, t)
		}
		return func(m *machine) value { return f(x(m)) }
	case *Binary:
		x, y := c.expr(e.X), c.expr(e.Y)
		if e.Op.IsComparison() && SameExpr(e.X, e.Y) {
			// x != x asks for NaN and is exact whatever the error of x.
			f := exact{}.binary(e.Op, e.X.Type())
			return func(m *machine) value {
				v := x(m)
				return value{i: f(v, v).i, e: truthError(v.e == unbounded)}
			}
		}
		f := c.ev.arithmetic.binary(e.Op, e.X.Type())
		if c.ev.arithmetic.bounds() && isMatrixProduct(c.of, e) {
			f = flushed(f)
		}
		if c.ev.arithmetic.bounds() && multipliesShort(c.of, e) {
			f = shortened(f)
		}
		return func(m *machine) value { a := x(m); return f(a, y(m)) }
	case *Call:
		return c.call(e)
	case *Cast:
		x, f := c.expr(e.X), c.ev.arithmetic.cast(e.To, e.X.Type())
		if e.To == e.X.Type() {
			return x
		}
		return func(m *machine) value { return f(x(m)) }
	}
	return c.fail(e.Span(), "unknown node %T", e)
}

func (c *compiler) call(e *Call) code {
	args := c.list(e.Args)
	if len(args) != e.Func.Arity {
		return c.fail(e.Pos, "%s has %d arguments", e.Func.Name, len(args))
	}
	f := c.ev.arithmetic.call(e.Func, e.Type())
	values := make([]value, len(args))
	return func(m *machine) value {
		for i, x := range args {
			values[i] = x(m)
		}
		return f(values)
	}
}

// choose evaluates only the chosen branch. Where the condition is within its
// error of changing sides, the result covers both branches.
func (c *compiler) choose(e *Select) code {
	cond, yes, no := c.expr(e.Cond), c.expr(e.Then), c.expr(e.Else)
	isFloat := e.Type().IsFloat()
	return func(m *machine) value {
		condition := cond(m)
		taken, other := yes, no
		if condition.i == 0 {
			taken, other = no, yes
		}
		v := taken(m)
		if condition.e == 0 {
			return v
		}
		lost := m.lost
		m.lost = false
		m.guesses++
		w := other(m)
		m.guesses--
		apart := distance(v.f, w.f)
		if !isFloat {
			apart = distance(float64(v.i), float64(w.i))
		}
		v.e = max(v.e, apart+w.e)
		if m.lost {
			v.e = unbounded
		}
		m.lost = lost
		return v
	}
}

func (c *compiler) access(e *Access) code {
	a, subscripts := c.ev.arrays[e.Tensor], c.list(e.Subscripts)
	if a == nil || len(subscripts) != len(a.extent) {
		return c.fail(e.Pos, "%s is accessed with %d subscripts", e.Tensor.Name, len(subscripts))
	}
	return func(m *machine) value {
		at, uncertain := int64(0), false
		for d, subscript := range subscripts {
			v := subscript(m)
			k := v.i - a.min[d]
			uncertain = uncertain || v.e != 0
			if uint64(k) >= uint64(a.extent[d]) {
				return c.outside(m, e, d, v, uncertain)
			}
			at += k * a.stride[d]
		}
		v := a.load(at)
		if uncertain {
			v.e = unbounded // an implementation may read another element
		}
		return v
	}
}

// outside handles a subscript out of range: an error of the user for a checked
// access, of the compiler otherwise. It is neither where an implementation only
// might get here.
func (c *compiler) outside(m *machine, e *Access, dim int, at value, uncertain bool) value {
	if m.guesses > 0 || uncertain {
		m.lost = true
		return value{e: unbounded}
	}
	if m.err != nil {
		return value{}
	}
	a := c.ev.arrays[e.Tensor]
	low, high := a.min[dim], a.min[dim]+a.extent[dim]-1
	if !e.Checked {
		m.err = source.Internalf("evaluator", e.Pos, "%s is read at %d in dimension %d, outside %d to %d, by an access that was proved in bounds", e.Tensor.Name, at.i, dim, low, high)
		return value{}
	}
	var problems source.Diagnostics
	d := problems.Errorf(source.OutOfBounds, e.Pos, "%s is read at %d in dimension %d, expected %d to %d", e.Tensor.Name, at.i, dim, low, high)
	for _, index := range c.of.Indices {
		d.WithNote(index.Pos, "%s = %d here", index.Name, m.index[c.indices[index]])
	}
	d.WithHelp("%s", OutOfBoundsHelp(e.Subscripts[dim]))
	m.err = problems.Err()
	return value{}
}

// OutOfBoundsHelp says how to mend a subscript that was out of bounds at run time.
// A subscript of unknown form is nil.
func OutOfBoundsHelp(subscript Expr) string {
	cause := "change the subscript or the ranges of its indices"
	if subscript == nil || DependsOnData(subscript) {
		cause = "mend the values that the subscript is computed from"
	}
	return cause + ", or keep it in range with clamp(…), wrap(…) or pad(…, value)"
}

// DependsOnData reports whether an expression reads a tensor. Whoever uses a
// shared value counts as reading one.
func DependsOnData(e Expr) bool {
	depends := false
	Walk(e, func(e Expr) bool {
		switch e.(type) {
		case *Access, *LocalRef:
			depends = true
		}
		return !depends
	})
	return depends
}

// SameExpr reports whether two expressions always have the same value because
// they are written the same.
func SameExpr(x, y Expr) bool {
	switch x := x.(type) {
	case *LocalRef:
		y, ok := y.(*LocalRef)
		return ok && x.Local == y.Local
	case *IndexRef:
		y, ok := y.(*IndexRef)
		return ok && x.Index == y.Index
	case *SizeRef:
		y, ok := y.(*SizeRef)
		return ok && x.Size.Equal(y.Size)
	case *Const:
		y, ok := y.(*Const)
		return ok && x.DType == y.DType && x.Bits == y.Bits
	case *Access:
		y, ok := y.(*Access)
		return ok && x.Tensor == y.Tensor && sameChildren(x, y)
	case *Unary:
		y, ok := y.(*Unary)
		return ok && x.Op == y.Op && sameChildren(x, y)
	case *Binary:
		y, ok := y.(*Binary)
		return ok && x.Op == y.Op && sameChildren(x, y)
	case *Call:
		y, ok := y.(*Call)
		return ok && x.Func == y.Func && sameChildren(x, y)
	case *Cast:
		y, ok := y.(*Cast)
		return ok && x.To == y.To && sameChildren(x, y)
	}
	return false
}

func sameChildren(x, y Expr) bool {
	xs, ys := Children(x), Children(y)
	if len(xs) != len(ys) {
		return false
	}
	for i := range xs {
		if !SameExpr(xs[i], ys[i]) {
			return false
		}
	}
	return true
}
