package mdh

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How generalised homomorphisms are lowered
//
// md_hom((↓⊗), f, (↑⊗)) takes its input apart by combine operators, too (Definitions 25 and
// 26): the input is ↓⊗ of parts, one for each point, to which f is applied, and h(a ↓⊗ b) =
// h(a) ↑⊗ h(b) must hold. What the parts are:
//
//	++, ++<(i) -> (e)>   the elements, at the index e
//	ps(+), ps(^)         the differences of neighbours: of a[i] and a[i - 1]
//	pw(⊕)                any whose ⊕ is the element at index 0, so that only a homomorphism f of
//	                     ⊕ gives one result, f(x ⊕ y) = f(x) ⊕' f(y), which is tried, and then
//	                     that result is f of the element
//
// The parts of the first two are unique, and the property holds for every f. Other operators,
// and pw with an index set function of its own, have no inverse that is known here.

// downOperators evaluates the combine operators of the inputs.
func (c *instance) downOperators() {
	h := c.syntax.Hom
	if h.Down == nil {
		return
	}
	if len(h.Down) != len(c.dims) {
		stop(c.errorf(source.CodeMDHCount, h.Pos, "md_hom has %s and %s of inputs", plural(len(c.dims), "size"), plural(len(h.Down), "combine operator")).
			WithHelp("each size has one operator of the inputs: ++ unless the input is a fold, pw(+), or prefixes, ps(+)"))
	}
	for n, m := range c.dims {
		m.down = h.Down[n]
		switch m.down.Kind {
		case "++":
			c.downConcat(m)
		case "ps":
			c.downScan(m)
		case "pw":
			c.downFold(m)
		}
	}
}

func (c *instance) downConcat(m *dimension) {
	if m.down.Image == nil {
		return
	}
	e, ok := c.imageOf(m, m.down.Image)
	if coefficient, _, linear := e.Linear(m.index.Name); !ok || !linear || coefficient == 0 {
		stop(c.errorf(source.CodeMDHIndex, m.down.Image.Pos, "the parts of the input are not found by this index set function").
			WithHelp("it is a multiple of the index and a sum, as (i) -> (2 * i); others stand in the index functions of inp_view"))
	}
	m.downImage = &e
}

func (c *instance) downScan(m *dimension) {
	if kind := builtinKinds[m.down.Op.Name]; m.down.Image != nil || m.values != nil || m.syntax.Image != nil || kind != ein.SumOp && kind != ein.BitXorOp {
		stop(c.errorf(source.CodeMDHLaw, m.down.Pos, "the parts of which the input has these prefixes are not known").
			WithHelp("ps(+) and ps(^) of inputs are undone by differences, over a size with the operators ++, pw and ps; take others apart in a step before"))
	}
}

func (c *instance) downFold(m *dimension) {
	if m.down.Image != nil || m.syntax.Kind != "pw" || m.syntax.Image != nil {
		stop(c.errorf(source.CodeMDHLaw, m.down.Pos, "the parts of which the input is the fold are not unique, and neither are their results").
			WithHelp("fold the results, too, by an operator of which the scalar function is a homomorphism: md_hom<N>((pw(+)), exp, (pw(*)))"))
	}
	if f := c.scalarFunction(); f != nil && len(f.Indices) > 0 {
		stop(c.errorf(source.CodeMDHLaw, f.Pos, "the scalar function reads indices, and the input is a fold").WithHelp("the parts of a fold have no order: leave the indices out"))
	}
	m.values, m.index.Extent = []int64{0}, affine.Const(1) // one part is the element, the others are nothing
}

// differences reads an element, or what its prefixes differ by.
func (c *instance) differences(b *buffer, results []affine.Expr) value {
	return c.differencesFrom(0, b, results)
}

// differencesFrom takes the differences along the dimensions from a number on.
func (c *instance) differencesFrom(n int, b *buffer, results []affine.Expr) value {
	for n < len(c.dims) && (c.dims[n].down == nil || c.dims[n].down.Kind != "ps") {
		n++
	}
	if n == len(c.dims) {
		return c.read(b, results)
	}
	m := c.dims[n]
	pos := m.down.Pos
	back := make([]affine.Expr, len(results))
	for d, e := range results {
		back[d] = c.at(e, m.index.Name, affine.Symbol(m.index.Name).AddConst(-1))
	}
	here := c.differencesFrom(n+1, b, results)
	list, before := leaves(here), leaves(c.differencesFrom(n+1, b, back))
	first := &ein.Binary{Pos: pos, Op: ein.Eq, X: c.subscript(m.point(), pos), Y: ein.IntConst(tensor.Int64, 0)}
	op, isBits := ein.Sub, builtinKinds[m.down.Op.Name] == ein.BitXorOp
	if isBits {
		op = ein.BitXor
	}
	changed := make([]value, len(list))
	for k, x := range list {
		e := x.(scalar).Expr
		if isBits {
			c.integer("^", e.Type(), pos)
		}
		changed[k] = scalar{&ein.Select{Pos: pos, Cond: first, Then: e, Else: &ein.Binary{Pos: pos, Op: op, X: e, Y: before[k].(scalar).Expr}}}
	}
	return rebuild(here, &changed)
}

// checkDown tries the laws of the operators of the inputs, and that the scalar function is
// a homomorphism of those that fold.
func (c *instance) checkDown() {
	var folds []*dimension
	for _, m := range c.dims {
		if m.down != nil && m.down.Kind == "pw" {
			folds = append(folds, m)
		}
	}
	if len(folds) == 0 {
		return
	}
	shape, arguments := c.inputShape()
	for n, m := range folds {
		c.lawsOf(m.down.Op, shape)
		c.isHomomorphism(m, shape, arguments)
		for _, other := range folds[:n] {
			if refText(other.down.Op) != refText(m.down.Op) {
				c.exchange(shape, operand{other.down.Op, refText(other.down.Op), other}, operand{m.down.Op, refText(m.down.Op), m})
			}
		}
	}
}

// inputShape is a value like the elements of all inputs, and what makes the arguments of
// the scalar function of one.
func (c *instance) inputShape() (value, func(value) []value) {
	c.eachChoice(false, func() {})
	args := c.arguments(0)
	var flat tuple
	for _, a := range args {
		if list, ok := a.(accessList); ok {
			flat = append(flat, list.items...)
		} else {
			flat = append(flat, a)
		}
	}
	split := func(v value) []value {
		parts, ok := v.(tuple)
		if len(flat) == 1 || !ok {
			parts = tuple{v}
		}
		var list []value
		for _, a := range args {
			if items, several := a.(accessList); several {
				list = append(list, accessList{items.name, parts[:len(items.items)]})
				parts = parts[len(items.items):]
			} else {
				list, parts = append(list, parts[0]), parts[1:]
			}
		}
		return list
	}
	if len(flat) == 1 {
		return flat[0], split
	}
	return flat, split
}

// isHomomorphism tries f(x ⊕ y) = f(x) ⊕' f(y).
func (c *instance) isHomomorphism(m *dimension, shape value, arguments func(value) []value) {
	f := func(v value) value {
		args := arguments(v)
		function := c.scalarFunction()
		if function == nil {
			return c.valueOf(c.elements(c.applyName(c.syntax.Hom.Name, args), m.down.Pos))
		}
		return c.valueOf(c.elements(c.applyToPoint(function, args), function.Body.Span()))
	}
	down, up := refText(m.down.Op), refText(m.syntax.Op)
	v := c.try(shape, law{"homomorphism", 2, fmt.Sprintf("f(a %s b)", down), fmt.Sprintf("f(a) %s f(b)", up), func(x []value) (value, value) {
		return f(c.combine(m.down.Op, x[0], x[1])), c.combine(m.syntax.Op, f(x[0]), f(x[1]))
	}})
	switch stated := assumed(c, c.syntax.Hom.Assumed, "exchange", "homomorphism"); {
	case stated["homomorphism"]:
	case v.broken:
		c.errorf(source.CodeMDHLaw, m.down.Pos, "the scalar function is no homomorphism from %s to %s: the result depends on how the input is taken apart", down, up).
			WithNote(source.Span{}, "%s", v.example).
			WithHelp("combine the results by an operator for which f(a %s b) is f(a) combined with f(b); or write 'assume homomorphism' if that holds for all values that occur", down)
	case v.undecided:
		c.errorf(source.CodeMDHUndecidable, m.down.Pos, "it cannot be decided whether the scalar function is a homomorphism from %s to %s: no random values give a finite result", down, up).
			WithHelp("state it: md_hom<…>(…, assume homomorphism)")
	}
}
