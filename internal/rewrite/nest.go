package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// SplitNests gives the reductions inside of a scan a statement of their own, as in
// the prefix sums of the sums of rows: the operators are applied from the last index
// to the first, so the scan needs nothing but the results at its positions. Each
// statement is then free of the other's order.
func SplitNests(f *ein.Func) *ein.Func {
	f = f.Clone()
	var body []*ein.Comprehension
	for _, c := range f.Body {
		if inner := innerReduction(f, c); inner != nil {
			body = append(body, inner)
		}
		body = append(body, c)
	}
	f.Body = body
	return f
}

// innerReduction takes the reductions inside of c's only scan out of it. It returns
// nil where there is no such nest.
func innerReduction(f *ein.Func, c *ein.Comprehension) *ein.Comprehension {
	scans := c.ByKind(ein.Scan)
	if len(scans) != 1 || len(c.ByKind(ein.Reduce)) == 0 {
		return nil
	}
	at := slices.Index(c.Indices, scans[0])
	if slices.ContainsFunc(c.Indices[:at], func(i *ein.Index) bool { return i.Combine.Kind == ein.Reduce }) ||
		slices.ContainsFunc(c.Indices, func(i *ein.Index) bool { return i.MayBeEmpty && i.Combine.Kind != ein.Reduce }) {
		return nil
	}
	inner := &ein.Comprehension{Pos: c.Pos, Values: c.Values}
	env := map[*ein.Index]ein.Expr{}
	var kept []*ein.Index
	for _, i := range c.Indices {
		copied := *i
		if i.Combine.Kind == ein.Scan {
			copied.Combine = ein.Combine{}
		}
		if i.Combine.Kind != ein.Reduce {
			kept = append(kept, i)
		}
		inner.Indices = append(inner.Indices, &copied)
		env[i] = &ein.IndexRef{Pos: i.Pos, Index: &copied}
	}
	inner.Values = substituteAll(inner.Values, env)
	results := make([]ein.Expr, len(c.Writes))
	for k, w := range c.Writes {
		t := &ein.Tensor{Pos: w.Pos, Name: freshName(f, w.Tensor.Name+"_part"), Type: scans[0].Combine.Op.Types()[k], Role: ein.Temp}
		write, read := &ein.Write{Pos: w.Pos, Tensor: t}, &ein.Access{Pos: w.Pos, Tensor: t}
		for _, i := range kept {
			t.Dims = append(t.Dims, ein.Dim{Min: i.Min, Extent: i.Extent})
			write.Subscripts = append(write.Subscripts, env[i])
			read.Subscripts = append(read.Subscripts, &ein.IndexRef{Pos: i.Pos, Index: i})
		}
		f.Tensors = append(f.Tensors, t)
		inner.Writes = append(inner.Writes, write)
		results[k] = read
	}
	c.Indices, c.Values = kept, results
	return inner
}
