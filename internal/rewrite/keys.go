package rewrite

import (
	"math/bits"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How keys are looked up
//
// A reduction that compares the keys of what is reduced with those of its results,
//
//	Out[b] = ⊕ e  key[e] == bin[b] ? t(e) : identity
//
// as the histogram of the MDH paper does, depends on b through bin[b] alone. So it is the one for
// every value of the keys, in which an equality determines the index (package ein, indicator.go),
// and a look-up:
//
//	H[v] = ⊕ e  key[e] − low == v ? t(e) : identity     for v in 0:window
//	Out[b] = H[bin[b] − low]
//
// The values of bytes are few. Of wider keys the window begins at the least of the bins, and
// which of them it holds is seen when the kernel runs. The others are compared as before: few
// of them by a statement whose terms are the identity of the others' results, so that loops
// run for these few only, and many of them by one that compares all bins, whose terms are all the
// identity where there are few. Differences that wrap are equal where keys are.

const (
	leastWindow = 1024    // values; a table of them stays in the nearest cache
	mostWindow  = 1 << 16 // values
	mostTable   = 1 << 26 // bytes of the tables of all rows
	windowBins  = 4       // how many values there are for each bin
	lookUpGain  = 4       // how much cheaper, by a rough count, the look-up has to be
	lanesOfKeys = 16      // compares at once, in that count
	fewBins     = 4       // which part of the bins is compared one by one, which takes 2 to 3 times as long for each
)

// LookUpKeys gives reductions that compare keys a table of all values of these.
func LookUpKeys(f *ein.Func) *ein.Func {
	f = f.Clone()
	var body []*ein.Comprehension
	for _, c := range f.Body {
		if k := newKeyed(f, c); k != nil {
			body = append(body, k.statements()...)
		} else {
			body = append(body, c)
		}
	}
	f.Body = body
	return f
}

// A keyed comprehension has terms that are the identity but where key == bin.
type keyed struct {
	*ein.Keyed
	f       *ein.Func
	c       *ein.Comprehension
	op      *ein.Operator
	window  int64
	isSmall bool // the window has all values of the type
}

// newKeyed finds the equality of a comprehension that is worth a table, or returns nil.
func newKeyed(f *ein.Func, c *ein.Comprehension) *keyed {
	op := onlyOperator(c)
	if op == nil || op.Identity == nil || contains(c, isChecked) || !isPlain(c) {
		return nil
	}
	for _, equality := range c.Keyed(op) {
		if k := (&keyed{Keyed: equality, f: f, c: c, op: op}); k.chooseWindow() {
			return k
		}
	}
	return nil
}

// onlyOperator returns the operator of all reductions of a comprehension, or nil.
func onlyOperator(c *ein.Comprehension) (op *ein.Operator) {
	for _, i := range c.Indices {
		switch {
		case i.Combine.Kind == ein.Concat:
		case i.Combine.Kind != ein.Reduce || !i.Combine.Op.Associative || !i.Combine.Op.Commutative || op != nil && !sameOperator(op, i.Combine.Op):
			return nil
		default:
			op = i.Combine.Op
		}
	}
	return op
}

// isPlain reports whether all extents are known, and nothing that is written is read.
func isPlain(c *ein.Comprehension) bool {
	for _, i := range c.Indices {
		if n, known := i.Extent.IsConst(); !known || n < 1 {
			return false
		}
	}
	return !slices.ContainsFunc(c.Writes, func(w *ein.Write) bool { return len(accessesOf(c, w.Tensor)) > 0 })
}

// chooseWindow chooses how many values the table has; ok is false where compares are as cheap.
func (k *keyed) chooseWindow() (ok bool) {
	compares, visits, results, bins := 1.0, 1.0, 1.0, 1.0
	for _, i := range k.c.Indices {
		n, _ := i.Extent.IsConst()
		compares *= float64(n)
		switch {
		case slices.Contains(k.Found, i):
			bins *= float64(n)
			continue
		case i.Combine.Kind == ein.Concat:
			results *= float64(n)
		}
		visits *= float64(n)
	}
	if k.isSmall = k.Key.Type().Size() == 1; k.isSmall {
		k.window = 1 << 8
	} else {
		k.window = min(max(leastWindow, int64(1)<<bits.Len64(uint64(windowBins*min(bins, mostWindow))-1)), mostWindow)
	}
	size := 0.0
	for _, v := range k.c.Values {
		size += float64(v.Type().Size())
	}
	table := results * float64(k.window)
	return table*size <= mostTable && compares/lanesOfKeys >= lookUpGain*(visits+table)
}

// statements are what the comprehension becomes.
func (k *keyed) statements() []*ein.Comprehension {
	if k.isSmall {
		least := &ein.Cast{To: tensor.Int64, X: ein.Smallest(k.Key.Type())}
		table, read := k.table(least)
		return []*ein.Comprehension{table, k.result(exprs(read))}
	}
	low, lowest := k.ofBins("_low", k.Bin, ein.MinOp)
	table, read := k.table(widened(low))
	isWithin := k.within(binary(ein.Sub, widened(k.Bin), widened(low)))
	count, counted := k.outside(isWithin)
	areFew := binary(ein.Le, count, ein.IntConst(tensor.Int32, max(1, k.bins()/fewBins)))
	all, most := k.compared("_all", not(areFew))
	some, few := k.compared("_few", binary(ein.And, areFew, not(isWithin)))
	values := make([]ein.Expr, len(read))
	for n := range read {
		compared := &ein.Select{Pos: k.c.Pos, Cond: areFew, Then: few[n], Else: most[n]}
		values[n] = &ein.Select{Pos: k.c.Pos, Cond: isWithin, Then: read[n], Else: compared}
	}
	return []*ein.Comprehension{lowest, table, counted, all, some, k.result(values)}
}

// bins is how many there are, at most as many as make a difference.
func (k *keyed) bins() int64 {
	n := int64(1)
	for _, i := range k.Found {
		extent, _ := i.Extent.IsConst()
		n *= min(extent, mostWindow)
	}
	return min(n, mostWindow)
}

// outside counts the bins beyond the window.
func (k *keyed) outside(isWithin ein.Expr) (read *ein.Access, c *ein.Comprehension) {
	value := &ein.Select{Pos: k.c.Pos, Cond: isWithin, Then: ein.IntConst(tensor.Int32, 0), Else: ein.IntConst(tensor.Int32, 1)}
	return k.ofBins("_outside", value, ein.SumOp)
}

// widened is a key as an int64, which wraps for an uint64.
func widened(e ein.Expr) ein.Expr {
	if e.Type() == tensor.Int64 {
		return e
	}
	return &ein.Cast{Pos: e.Span(), To: tensor.Int64, X: e}
}

func binary(op ein.BinaryOp, x, y ein.Expr) ein.Expr {
	return &ein.Binary{Pos: x.Span(), Op: op, X: x, Y: y}
}

// within tests that a difference is in the window.
func (k *keyed) within(e ein.Expr) ein.Expr {
	return binary(ein.And, binary(ein.Ge, e, ein.IntConst(tensor.Int64, 0)), binary(ein.Lt, e, ein.IntConst(tensor.Int64, k.window)))
}

// temporary declares a tensor over the ranges of some indices, and returns how it is read there.
func (k *keyed) temporary(name string, of tensor.DType, indices []*ein.Index) *ein.Access {
	return temporaryOver(k.f, k.c, name, of, indices)
}

// temporaryOver declares a tensor over the ranges of some indices of a comprehension, and returns how it is
// read there.
func temporaryOver(f *ein.Func, c *ein.Comprehension, name string, of tensor.DType, indices []*ein.Index) *ein.Access {
	t := &ein.Tensor{Pos: c.Pos, Name: freshName(f, name), Type: of, Role: ein.Temp}
	read := &ein.Access{Pos: c.Pos, Tensor: t}
	for _, i := range indices {
		t.Dims = append(t.Dims, ein.Dim{Min: i.Min, Extent: i.Extent})
		read.Subscripts = append(read.Subscripts, &ein.IndexRef{Pos: i.Pos, Index: i})
	}
	f.Tensors = append(f.Tensors, t)
	return read
}

// owned gives a comprehension indices of its own.
func owned(c *ein.Comprehension) *ein.Comprehension {
	env := map[*ein.Index]ein.Expr{}
	indices := make([]*ein.Index, len(c.Indices))
	for n, i := range c.Indices {
		copied := *i
		indices[n], env[i] = &copied, &ein.IndexRef{Pos: i.Pos, Index: &copied}
	}
	writes := make([]*ein.Write, len(c.Writes))
	for n, w := range c.Writes {
		writes[n] = &ein.Write{Pos: w.Pos, Tensor: w.Tensor, Subscripts: substituteAll(w.Subscripts, env)}
	}
	return &ein.Comprehension{Pos: c.Pos, Indices: indices, Writes: writes, Values: substituteAll(c.Values, env), Accumulate: c.Accumulate}
}

// writeOf is a write where an access reads.
func writeOf(a *ein.Access) *ein.Write {
	return &ein.Write{Pos: a.Pos, Tensor: a.Tensor, Subscripts: a.Subscripts}
}

// reduced returns indices over which an operator reduces.
func reduced(indices []*ein.Index, op *ein.Operator) ([]*ein.Index, map[*ein.Index]ein.Expr) {
	env, list := map[*ein.Index]ein.Expr{}, make([]*ein.Index, len(indices))
	for n, i := range indices {
		list[n] = &ein.Index{Pos: i.Pos, Name: i.Name, Min: i.Min, Extent: i.Extent, Combine: ein.Combine{Kind: ein.Reduce, Op: op}}
		env[i] = &ein.IndexRef{Pos: i.Pos, Index: list[n]}
	}
	return list, env
}

// ofBins combines a value of all bins.
func (k *keyed) ofBins(name string, value ein.Expr, kind ein.OperatorKind) (read *ein.Access, c *ein.Comprehension) {
	read = k.temporary(k.c.Writes[0].Tensor.Name+name, value.Type(), k.Shared)
	over, env := reduced(k.Found, ein.BuiltinOperator(kind, value.Type()))
	return read, owned(&ein.Comprehension{Pos: k.c.Pos, Indices: append(slices.Clone(k.Shared), over...), Writes: []*ein.Write{writeOf(read)}, Values: substituteAll([]ein.Expr{value}, env)})
}

// table computes the results for all values of the window, and returns how they are read.
func (k *keyed) table(low ein.Expr) (c *ein.Comprehension, reads []*ein.Access) {
	v := &ein.Index{Pos: k.c.Pos, Name: k.freshIndex(), Extent: affine.Const(k.window)}
	c = &ein.Comprehension{Pos: k.c.Pos}
	for _, i := range k.c.Indices {
		switch {
		case i == k.Found[0]:
			c.Indices = append(c.Indices, v)
		case !slices.Contains(k.Found, i):
			c.Indices = append(c.Indices, i)
		}
	}
	c.Values = k.Values(k.c, binary(k.Guard.Op, binary(ein.Sub, widened(k.Key), low), &ein.IndexRef{Pos: k.c.Pos, Index: v}))
	for n, w := range k.c.Writes {
		read := k.temporary(w.Tensor.Name+"_table", k.c.Values[n].Type(), c.ByKind(ein.Concat))
		c.Writes = append(c.Writes, writeOf(read))
		reads = append(reads, withSubscript(read, v, binary(ein.Sub, widened(k.Bin), low)))
	}
	return owned(c), reads
}

// withSubscript is an access with another subscript for an index.
func withSubscript(a *ein.Access, index *ein.Index, subscript ein.Expr) *ein.Access {
	c := *a
	c.Subscripts = substituteAll(a.Subscripts, map[*ein.Index]ein.Expr{index: subscript})
	return &c
}

// freshIndex is the name of the values of keys.
func (k *keyed) freshIndex() string {
	name := "v"
	for slices.ContainsFunc(k.c.Indices, func(i *ein.Index) bool { return i.Name == name }) || slices.ContainsFunc(k.f.Sizes, func(s *ein.Size) bool { return s.Name == name }) {
		name += "'"
	}
	return name
}

// compared computes the results by compares where a condition holds, and returns how they are read.
func (k *keyed) compared(name string, condition ein.Expr) (c *ein.Comprehension, reads []*ein.Access) {
	c = &ein.Comprehension{Pos: k.c.Pos, Indices: k.c.Indices}
	for n, w := range k.c.Writes {
		read := k.temporary(w.Tensor.Name+name, k.c.Values[n].Type(), k.c.ByKind(ein.Concat))
		c.Values = append(c.Values, &ein.Select{Pos: k.c.Pos, Cond: condition, Then: k.c.Values[n], Else: k.op.Identity[n]})
		c.Writes = append(c.Writes, writeOf(read))
		reads = append(reads, read)
	}
	return owned(c), reads
}

// result takes the results from what was computed.
func (k *keyed) result(values []ein.Expr) *ein.Comprehension {
	return owned(&ein.Comprehension{Pos: k.c.Pos, Indices: k.c.ByKind(ein.Concat), Writes: k.c.Writes, Values: values, Accumulate: k.c.Accumulate})
}

func not(e ein.Expr) ein.Expr { return &ein.Unary{Pos: e.Span(), Op: ein.Not, X: e} }

func exprs(reads []*ein.Access) (list []ein.Expr) {
	for _, a := range reads {
		list = append(list, a)
	}
	return list
}
