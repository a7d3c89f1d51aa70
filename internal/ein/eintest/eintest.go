// Package eintest draws random ein functions for property tests: valid, in
// bounds for all sizes, cheap to evaluate, and made of every construct.
package eintest

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A function is drawn statement by statement. A statement first draws its
// indices, then what it writes (a new tensor with one dimension per kept index,
// or one that exists), then its values, and last operators of their types. Reads
// stay in bounds by construction: a subscript is an index over the same range, a
// sum of two that fits, a clamped or wrapped expression, or the read is guarded.
//
// The sizes of every function are the same: N and M in 3…6, K in 1…3, Z in 0…3
// (may be zero), L in 1…3 (only given by name), and s, the value of the scalar
// argument "shift", in -3…3. Func.Requires says that N - K is at least 0.

// Options says what to leave out.
type Options struct {
	// Exact keeps every float value a small integer when Elements fills the
	// arguments, so that any order of evaluation gives equal values (a zero may
	// differ in its sign).
	Exact bool
	// NoScans, NoUserOperators and NoHalf leave out scans, operators that are not
	// built in, and 16-bit floats.
	NoScans, NoUserOperators, NoHalf bool
	// Statements is the greatest number of statements, 4 when zero.
	Statements int
}

// Func draws a function with all constructs.
func Func(t *rapid.T) *ein.Func { return FuncWith(t, Options{}) }

// FuncWith draws a function.
func FuncWith(t *rapid.T, options Options) *ein.Func {
	if options.Statements == 0 {
		options.Statements = 4
	}
	g := &generator{t: t, options: options, f: &ein.Func{Name: "random"}}
	g.inputs()
	for range rapid.IntRange(1, options.Statements).Draw(t, "statements") {
		g.statement()
	}
	return g.f
}

type generator struct {
	t       *rapid.T
	options Options
	f       *ein.Func

	readable []*ein.Tensor
	names    int
	indices  []*ein.Index // of the current statement
	locals   []*ein.Local
}

func pick[T any](g *generator, what string, list ...T) T {
	return list[rapid.IntRange(0, len(list)-1).Draw(g.t, what)]
}

// chance is true once in n draws, and never in the simplest function.
func (g *generator) chance(what string, n int) bool {
	return rapid.IntRange(0, n-1).Draw(g.t, what) == n-1
}

func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

func (g *generator) elementType() tensor.DType {
	types := []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64, tensor.Bool,
		tensor.Int8, tensor.Int16, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64}
	if !g.options.NoHalf {
		types = append(types, tensor.Float16, tensor.BFloat16)
	}
	return pick(g, "type", types...)
}

// writtenType leaves out float16 where values have to stay exact: it overflows.
func (g *generator) writtenType() tensor.DType {
	t := g.elementType()
	if g.options.Exact && t == tensor.Float16 {
		return tensor.Float32
	}
	return t
}

func size(name string) affine.Expr { return affine.Symbol(name) }

// inputs declares the sizes, with an input for each that has one.
func (g *generator) inputs() {
	declare := func(name string, t tensor.DType, role ein.Role, extents ...affine.Expr) *ein.Tensor {
		x := &ein.Tensor{Name: name, Type: t, Role: role}
		for _, e := range extents {
			x.Dims = append(x.Dims, ein.Dim{Extent: e})
		}
		g.f.Tensors = append(g.f.Tensors, x)
		g.readable = append(g.readable, x)
		return x
	}
	x := declare("X", g.elementType(), ein.Input, size("N"), size("K"))
	y := declare("Y", g.elementType(), ein.Input, size("M"))
	z := declare("E", g.elementType(), ein.Input, size("Z"))
	shift := declare("shift", pick(g, "type", tensor.Int32, tensor.Int64), ein.Input)
	declare("P", tensor.Int64, ein.Input, size("N"))
	declare("Q", g.elementType(), ein.Input, size("M"), affine.Const(2), size("N"))
	old := declare("U", g.writtenType(), ein.InOut, size("N"), size("L"))
	old.Dims[0].Min = affine.Const(pick(g, "min", int64(0), 1, -2))
	g.f.Sizes = []*ein.Size{
		{Name: "N", Tensor: x}, {Name: "M", Tensor: y}, {Name: "K", Tensor: x, Dim: 1}, {Name: "Z", Tensor: z, MayBeZero: true},
		{Name: "L"}, {Name: "s", Tensor: shift, Dim: ein.ScalarValue},
	}
	g.f.Requires = []*ein.Condition{{Expr: size("N").Sub(size("K")), Reason: "X(i+k)"}}
}

// statement draws one comprehension, or two that fill a tensor in two parts.
func (g *generator) statement() {
	if g.chance("joined", 8) {
		g.joined()
		return
	}
	c := &ein.Comprehension{}
	g.locals = nil
	writes := 1
	if g.chance("two writes", 3) {
		writes = 2
	}
	var old *ein.Tensor
	if g.chance("rewrite", 4) {
		old = g.rewritable()
	}
	if old != nil {
		writes = 1
		g.indicesOf(old)
	} else {
		g.newIndices()
	}
	for range writes {
		if old != nil {
			c.Writes = append(c.Writes, g.place(old))
		} else {
			c.Writes = append(c.Writes, g.place(g.newTensor()))
		}
	}
	if writes == 2 && g.options.NoUserOperators {
		g.makeArgTypes(c)
	}
	g.reducedIndices()
	c.Indices = g.indices
	g.values(c, old != nil)
	g.f.Body = append(g.f.Body, c)
	if old == nil {
		for _, w := range c.Writes {
			g.readable = append(g.readable, w.Tensor)
		}
	}
}

// makeArgTypes gives two writes the types of an argmin, the only built-in
// operator on pairs.
func (g *generator) makeArgTypes(c *ein.Comprehension) {
	value, position := c.Writes[0].Tensor, c.Writes[1].Tensor
	if value.Type == tensor.Bool || g.options.Exact {
		value.Type = tensor.Int32
	}
	position.Type = tensor.Int64
}

// joined writes T(i) and T(N + i), as a concatenation does.
func (g *generator) joined() {
	first, second := size("N"), size(pick(g, "second", "M", "Z"))
	x := &ein.Tensor{Name: g.name("T"), Type: g.writtenType(), Role: pick(g, "role", ein.Output, ein.Temp), Dims: []ein.Dim{{Extent: first.Add(second)}}}
	g.f.Tensors = append(g.f.Tensors, x)
	for part, extent := range []affine.Expr{first, second} {
		i := &ein.Index{Name: g.name("i"), Extent: extent, MayBeEmpty: part == 1}
		g.indices, g.locals = []*ein.Index{i}, nil
		var at ein.Expr = &ein.IndexRef{Index: i}
		if part == 1 {
			at = &ein.Binary{Op: ein.Add, X: at, Y: &ein.SizeRef{Size: first}}
		}
		g.f.Body = append(g.f.Body, &ein.Comprehension{
			Indices: g.indices,
			Writes:  []*ein.Write{{Tensor: x, Subscripts: []ein.Expr{at}}},
			Values:  []ein.Expr{g.value(x.Type.Compute(), 2)},
		})
	}
	g.readable = append(g.readable, x)
}

// rewritable returns a tensor that is not an input and has been written.
func (g *generator) rewritable() *ein.Tensor {
	var list []*ein.Tensor
	for _, x := range g.readable {
		if x.Role != ein.Input {
			list = append(list, x)
		}
	}
	return pick(g, "target", list...)
}

// indicesOf makes one concatenated index per dimension, in any order.
func (g *generator) indicesOf(x *ein.Tensor) {
	g.indices = nil
	for _, d := range x.Dims {
		i := &ein.Index{Name: g.name("i"), Min: d.Min, Extent: d.Extent, MayBeEmpty: d.Extent.Uses("Z")}
		g.indices = append(g.indices, i)
	}
	if len(g.indices) > 1 {
		g.indices = rapid.Permutation(g.indices).Draw(g.t, "order")
	}
}

func (g *generator) newIndices() {
	g.indices = nil
	for range rapid.IntRange(0, 3).Draw(g.t, "rank") {
		i := &ein.Index{Name: g.name("i"), Min: pick(g, "min", affine.Const(0), affine.Const(1), affine.Const(-2), size("K"))}
		i.Extent = pick(g, "extent", size("N"), size("M"), size("K"), affine.Const(2), size("N").Sub(size("K")).AddConst(1), size("L"), size("Z"))
		i.MayBeEmpty = i.Extent.Uses("Z")
		g.indices = append(g.indices, i)
	}
}

// newTensor has one dimension for each of the present indices, in any order.
func (g *generator) newTensor() *ein.Tensor {
	x := &ein.Tensor{Name: g.name("T"), Type: g.writtenType(), Role: pick(g, "role", ein.Output, ein.Temp)}
	order := append([]*ein.Index(nil), g.indices...)
	if len(order) > 1 {
		order = rapid.Permutation(order).Draw(g.t, "dimensions")
	}
	for _, i := range order {
		x.Dims = append(x.Dims, ein.Dim{Min: i.Min, Extent: i.Extent})
	}
	g.f.Tensors = append(g.f.Tensors, x)
	return x
}

// place writes each element of x at the index that has its range.
func (g *generator) place(x *ein.Tensor) *ein.Write {
	w := &ein.Write{Tensor: x}
	used := map[*ein.Index]bool{}
	for _, d := range x.Dims {
		for _, i := range g.indices {
			if !used[i] && i.Extent.Equal(d.Extent) && i.Min.Equal(d.Min) {
				used[i] = true
				w.Subscripts = append(w.Subscripts, &ein.IndexRef{Index: i})
				break
			}
		}
	}
	return w
}

// reducedIndices turns some kept indices into scans and inserts reduced ones;
// the operators follow when the values are known.
func (g *generator) reducedIndices() {
	for _, i := range g.indices {
		if !g.options.NoScans && g.chance("scan", 6) {
			i.Combine.Kind = ein.Scan
		}
	}
	for range rapid.IntRange(0, min(2, 4-len(g.indices))).Draw(g.t, "reduced") {
		k := &ein.Index{Name: g.name("k"), Combine: ein.Combine{Kind: ein.Reduce}}
		k.Extent = pick(g, "extent", size("N"), size("K"), size("M"), affine.Const(3), size("Z"), size("N").AddConst(-4))
		k.MayBeEmpty = k.Extent.Uses("Z") || k.Extent.String() == "N - 4"
		at := rapid.IntRange(0, len(g.indices)).Draw(g.t, "position")
		g.indices = append(g.indices[:at:at], append([]*ein.Index{k}, g.indices[at:]...)...)
	}
}
