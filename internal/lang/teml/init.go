package teml

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A fill is what an init gives a tensor, whose details the paper omits:
//
//	init(t, 0)                 every element that value
//	init(t, iota)              element i1, i2, … its place in row-major order, from 0
//	init(t, random, seed)      numbers in [0, 1) that look random; whole ones in [0, 100)
//	init(t, [1, 2], 5)         that element the value; the others stay
type fill struct {
	value   value // of elements; nil for iota and random
	element []affine.Expr
	random  bool
	seed    int64
}

// init runs an init statement.
func (in *interpreter) init(e *syntax.Call) {
	if len(e.Args) < 2 || len(e.Args) > 3 {
		in.fail(source.CodeTeMLCount, e.Pos, "init has %d arguments", len(e.Args)).help("write init(t, 0), init(t, iota), init(t, random, seed) or init(t, [1, 2], value)")
	}
	t := in.operand(e.Args[0], nil)
	if !t.isLeaf() || t.real == nil {
		in.fail(source.CodeTeMLKind, e.Args[0].Span(), "an expression that is not stored has no elements to set").help("init takes a tensor")
	}
	a := &assignment{pos: e.Pos, real: t.real, whole: true, fill: &fill{}}
	word := ""
	if ref, ok := e.Args[1].(*syntax.Ref); ok {
		word = ref.Name
	}
	switch {
	case word == "iota" && len(e.Args) == 2:
	case word == "random" && len(e.Args) == 3:
		a.fill.random, a.fill.seed = true, in.constant(e.Args[2])
	case len(e.Args) == 2:
		a.fill.value = in.fillValue(e.Args[1], t.real)
	default:
		in.initElement(e, a)
	}
	names := iteratorNames("i", len(t.real.shape))
	a.order, a.subscripts = names, symbols(names)
	a.ranges = &ranges{in: in, facts: affine.NewFacts(), of: map[string]affine.Range{}}
	for d, name := range names {
		a.ranges.of[name] = affine.Range{Symbol: name, Extent: t.real.shape[d]}
	}
	t.real.initialised = true
	in.assignments = append(in.assignments, a)
	in.loops.assigned(a)
}

func (in *interpreter) fillValue(e syntax.Expr, r *real) value {
	v := in.eval(e, nil)
	if _, ok := asFloat(v); !ok {
		in.fail(source.CodeTeMLKind, e.Span(), "found %s, expected a value for the elements", described(v)).help("it is a number that is known, iota or random: init(t, 0), init(t, random, 7)")
	}
	if c := (&constant{value: v}); !c.fits(r.dtype) {
		in.fail(source.CodeTeMLType, e.Span(), "%s is no value of type %s", v, r.dtype).help("give a whole number")
	}
	return v
}

func (in *interpreter) initElement(e *syntax.Call, a *assignment) {
	a.whole = false
	a.fill.element, _ = in.iterators(in.eval(e.Args[1], nil), e.Args[1].Span())
	if len(a.fill.element) != len(a.real.shape) {
		in.fail(source.CodeTeMLRank, e.Args[1].Span(), "%s for %s, which has %s", count(len(a.fill.element), "subscript"), a.real.name, count(len(a.real.shape), "dimension")).
			help("there is one subscript for each dimension")
	}
	for d, s := range a.fill.element {
		i := in.known(number{s}, e.Args[1].Span())
		if extent, ok := a.real.shape[d].IsConst(); i < 0 || ok && i >= extent {
			in.fail(source.CodeTeMLBounds, e.Args[1].Span(), "%d is no subscript of dimension %d of %s, which has the size %s", i, d+1, a.real.name, a.real.shape[d]).help("subscripts count from 0")
		}
	}
	a.fill.value = in.fillValue(e.Args[2], a.real)
}

// fill lowers an init.
func (l *lowering) fill(a *assignment) *ein.Comprehension {
	c := &ein.Comprehension{Pos: a.pos}
	dtype := a.real.dtype.Compute()
	place := affine.Const(0)
	indices := map[string]*ein.Index{}
	for d, name := range a.order {
		i := &ein.Index{Pos: a.pos, Name: l.indexName(d + 1), Extent: a.real.shape[d]}
		indices[name] = i
		c.Indices = append(c.Indices, i)
		place = place.Mul(i.Extent).Add(affine.Symbol(name))
	}
	subscripts := l.subscripts(a.subscripts, indices, a.pos)
	var v ein.Expr
	switch f := a.fill; {
	case f.random:
		v = random(ein.FromAffine(place, indices, a.pos), f.seed, dtype)
	case f.value == nil:
		v = &ein.Cast{Pos: a.pos, To: dtype, X: ein.FromAffine(place, indices, a.pos)}
	default:
		v = l.constant(&Tree{pos: a.pos, constant: &constant{value: f.value}}, dtype)
	}
	for d, s := range a.fill.element {
		at := &ein.Binary{Pos: a.pos, Op: ein.Eq, X: subscripts[d], Y: ein.FromAffine(s, nil, a.pos)}
		var old ein.Expr = &ein.Access{Pos: a.pos, Tensor: l.tensor(a.real), Subscripts: subscripts}
		if old.Type() != dtype {
			old = &ein.Cast{Pos: a.pos, To: dtype, X: old}
		}
		v = &ein.Select{Pos: a.pos, Cond: at, Then: v, Else: old}
	}
	c.Values = []ein.Expr{v}
	c.Writes = []*ein.Write{{Pos: a.pos, Tensor: l.tensor(a.real), Subscripts: subscripts}}
	return c
}

// random mixes the place of an element with a seed, by the multiplications and shifts
// of a linear congruential generator whose high bits are folded into the low ones.
func random(place ein.Expr, seed int64, dtype tensor.DType) ein.Expr {
	integer := func(n int64) ein.Expr { return ein.IntConst(tensor.Int64, n) }
	binary := func(op ein.BinaryOp, x, y ein.Expr) ein.Expr { return &ein.Binary{Op: op, X: x, Y: y} }
	const buckets = 1 << 20
	x := binary(ein.Add, place, integer(seed&(1<<30-1)))
	for range 3 {
		x = binary(ein.Add, binary(ein.Mul, x, integer(6364136223846793005)), integer(1442695040888963407))
		x = binary(ein.Mod, binary(ein.Div, x, integer(1<<30)), integer(1<<30))
	}
	if !dtype.IsFloat() {
		return &ein.Cast{To: dtype, X: binary(ein.Mod, x, integer(100))}
	}
	whole := &ein.Cast{To: dtype, X: binary(ein.Mod, x, integer(buckets))}
	return binary(ein.Div, whole, ein.FloatConst(dtype, buckets))
}
