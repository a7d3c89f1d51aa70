package rewrite

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A narrower makes expressions that compute in so many bits. It fails where one needs more.
type narrower struct {
	*ranges
	bits        int
	locals      map[*ein.Local]*ein.Local // the narrow ones for wide ones
	definitions map[*ein.Local]ein.Expr   // of the wide ones
	saturating  map[ein.Expr]bool         // sums that have their form
	failed      bool
}

func newNarrower(r *ranges, bits int) *narrower {
	return &narrower{ranges: r, bits: bits, locals: map[*ein.Local]*ein.Local{}, definitions: map[*ein.Local]ein.Expr{}, saturating: map[ein.Expr]bool{}}
}

// widest returns the bits of the widest value, subscripts apart, which are computed once for
// all lanes. Numbers of indices count as what they are cast to.
func (n *narrower) widest(e ein.Expr) int {
	most := 8 * e.Type().Compute().Size()
	switch e := e.(type) {
	case *ein.Access:
		return most
	case *ein.Cast:
		switch e.X.(type) {
		case *ein.IndexRef, *ein.SizeRef:
			return most
		}
	}
	for _, child := range ein.Children(e) {
		most = max(most, n.widest(child))
	}
	return most
}

func (n *narrower) fail() ein.Expr {
	n.failed = true
	return ein.IntConst(tensor.Bool, 0)
}

func isWide(t tensor.DType, bits int) bool { return 8*t.Compute().Size() > bits }

func castTo(t tensor.DType, e ein.Expr) ein.Expr {
	if e.Type() == t {
		return e
	}
	return &ein.Cast{Pos: e.Span(), To: t, X: e}
}

// value returns an expression of a type whose bits are the low ones of e: its value, where the
// type has it.
func (n *narrower) value(e ein.Expr, t tensor.DType) ein.Expr {
	switch {
	case n.failed || !t.IsInteger() || !e.Type().IsInteger() && e.Type() != tensor.Bool:
		return n.fail()
	case !isWide(e.Type(), n.bits):
		return castTo(t, n.same(e))
	case 8*t.Size() < n.bits:
		return castTo(t, n.value(e, integerType(n.bits, t.Kind())))
	}
	switch e := e.(type) {
	case *ein.Const:
		return wrapped(t, e.Int())
	case *ein.IndexRef, *ein.SizeRef:
		return &ein.Cast{Pos: e.Span(), To: t, X: e}
	case *ein.LocalRef:
		if local := n.locals[e.Local]; local != nil {
			return castTo(t, &ein.LocalRef{Pos: e.Pos, Local: local})
		}
	case *ein.Unary:
		if e.Op == ein.Popcount || e.Op == ein.Clz { // of all bits that there are
			return n.fail()
		}
		return &ein.Unary{Pos: e.Pos, Op: e.Op, X: n.value(e.X, t)}
	case *ein.Binary:
		return n.binary(e, t)
	case *ein.Select:
		return &ein.Select{Pos: e.Pos, Cond: n.same(e.Cond), Then: n.value(e.Then, t), Else: n.value(e.Else, t)}
	case *ein.Cast:
		return n.value(e.X, t)
	case *ein.Let:
		return n.let(e, func(body ein.Expr) ein.Expr { return n.value(body, t) })
	}
	return n.fail()
}

// binary is value for an operator.
func (n *narrower) binary(e *ein.Binary, t tensor.DType) ein.Expr {
	switch e.Op {
	case ein.Mul:
		if n.bits == 8 { // there is no such instruction: vectors of 16 bits are faster
			return n.fail()
		}
		fallthrough
	case ein.Add, ein.Sub, ein.BitAnd, ein.BitOr, ein.BitXor:
		return &ein.Binary{Pos: e.Pos, Op: e.Op, X: n.value(e.X, t), Y: n.value(e.Y, t)}
	case ein.Shl, ein.Shr:
		return n.shift(e, t)
	}
	common := n.of(e.X).union(n.of(e.Y)).typeOf(n.bits)
	if common == tensor.Invalid {
		if form := n.form(e); form != nil {
			return n.value(form, t)
		}
		return n.fail()
	}
	if d, known := n.of(e.Y).constant(); (e.Op == ein.Div || e.Op == ein.Mod) && n.bits == 8 && !(known && d > 0 && d&(d-1) == 0) {
		return n.fail()
	}
	return castTo(t, &ein.Binary{Pos: e.Pos, Op: e.Op, X: n.value(e.X, common), Y: n.value(e.Y, common)})
}

// shift is value for shifts by a known number of places: those of 8 bits have no instruction, and each width
// shifts everything out from another count on.
func (n *narrower) shift(e *ein.Binary, t tensor.DType) ein.Expr {
	count, known := n.of(e.Y).constant()
	if n.bits == 8 || !known || count < 0 || count >= int64(n.bits) {
		return n.fail()
	}
	if e.Op == ein.Shl {
		return &ein.Binary{Pos: e.Pos, Op: e.Op, X: n.value(e.X, t), Y: wrapped(t, count)}
	}
	common := n.of(e.X).typeOf(n.bits) // with all of its bits
	if common == tensor.Invalid {
		return n.fail()
	}
	return castTo(t, &ein.Binary{Pos: e.Pos, Op: e.Op, X: n.value(e.X, common), Y: wrapped(common, count)})
}

// same returns an expression of the type of e, and its value, of narrow operands.
func (n *narrower) same(e ein.Expr) ein.Expr {
	if n.failed || isWide(e.Type(), n.bits) {
		return n.fail()
	}
	switch e := e.(type) {
	case *ein.Unary:
		return &ein.Unary{Pos: e.Pos, Op: e.Op, X: n.same(e.X)}
	case *ein.Binary:
		return n.sameBinary(e)
	case *ein.Call:
		return n.fail()
	case *ein.Select:
		return &ein.Select{Pos: e.Pos, Cond: n.same(e.Cond), Then: n.same(e.Then), Else: n.same(e.Else)}
	case *ein.Cast:
		if e.To == tensor.Bool {
			return n.comparison(&ein.Binary{Pos: e.Pos, Op: ein.Ne, X: e.X, Y: &ein.Const{DType: e.X.Type()}})
		}
		if !e.To.IsInteger() {
			return n.toFloat(e)
		}
		return n.value(e.X, e.To)
	case *ein.Let:
		return n.let(e, n.same)
	case *ein.Access:
		return n.access(e)
	}
	return e
}

// access reads with subscripts that stay as wide as they are. They know the locals that became
// narrow only where these have the whole value.
func (n *narrower) access(e *ein.Access) ein.Expr {
	return ein.Map(e, func(s ein.Expr) ein.Expr {
		ref, ok := s.(*ein.LocalRef)
		if !ok || n.locals[ref.Local] == nil {
			return s
		}
		narrow := n.locals[ref.Local]
		if !n.of(ref).fits(narrow.DType) {
			return n.fail()
		}
		return &ein.Cast{Pos: ref.Pos, To: ref.Local.DType, X: &ein.LocalRef{Pos: ref.Pos, Local: narrow}}
	})
}

// toFloat converts the whole of a number.
func (n *narrower) toFloat(e *ein.Cast) ein.Expr {
	t := e.X.Type()
	if isWide(t, n.bits) {
		t = n.of(e.X).typeOf(n.bits)
	}
	if t == tensor.Invalid || !t.IsInteger() {
		return n.fail()
	}
	return &ein.Cast{Pos: e.Pos, To: e.To, X: n.value(e.X, t)}
}

func (n *narrower) sameBinary(e *ein.Binary) ein.Expr {
	switch {
	case e.Op.IsComparison():
		return n.comparison(e)
	case n.bits == 8 && (e.Op == ein.Mul || e.Op == ein.Div || e.Op == ein.Mod):
		return n.fail()
	}
	return &ein.Binary{Pos: e.Pos, Op: e.Op, X: n.same(e.X), Y: n.same(e.Y)}
}

// comparison compares narrow values; those of indices are left to stages that make subscripts
// of them.
func (n *narrower) comparison(e *ein.Binary) ein.Expr {
	t := e.X.Type()
	if !isWide(t, n.bits) {
		return &ein.Binary{Pos: e.Pos, Op: e.Op, X: n.same(e.X), Y: n.same(e.Y)}
	}
	if usesIndex(e.X) || usesIndex(e.Y) || !t.IsInteger() {
		return n.fail()
	}
	common := n.of(e.X).union(n.of(e.Y)).typeOf(n.bits)
	if common == tensor.Invalid {
		return n.fail()
	}
	return &ein.Binary{Pos: e.Pos, Op: e.Op, X: n.value(e.X, common), Y: n.value(e.Y, common)}
}

// usesIndex reports whether the number of an index is computed with, subscripts apart.
func usesIndex(e ein.Expr) bool {
	found := false
	ein.Walk(e, func(e ein.Expr) bool {
		switch e.(type) {
		case *ein.Access:
			return false
		case *ein.IndexRef, *ein.SizeRef:
			found = true
		}
		return !found
	})
	return found
}

// let gives a wide local a narrow one beside it: with its value if that fits, and else with
// its low bits, which are all that anybody can ask for.
func (n *narrower) let(e *ein.Let, body func(ein.Expr) ein.Expr) ein.Expr {
	n.ranges.of(e) // so that the local's range is known
	local, t := e.Var, e.Value.Type()
	switch {
	case !isWide(t, n.bits):
		return &ein.Let{Pos: e.Pos, Var: local, Value: n.same(e.Value), Body: body(e.Body)}
	case !t.IsInteger():
		return n.fail()
	}
	narrow := n.of(e.Value).typeOf(n.bits)
	if narrow == tensor.Invalid {
		narrow = integerType(n.bits, tensor.KindUint)
	}
	n.definitions[local] = e.Value
	n.locals[local] = &ein.Local{Name: local.Name, DType: narrow}
	value := n.value(e.Value, narrow)
	return &ein.Let{Pos: e.Pos, Var: n.locals[local], Value: value, Body: body(e.Body)}
}
