package mdh

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// How cells without a value are kept from being read
//
// Definition 10 leaves a cell that no index function reaches ⊥, undefined. An output with
// fill ⊥ may have such cells. What is returned has zeros there, so that a program gives the
// same everywhere; but a step of a composition must not read them. That is proved of every
// read: some statement that wrote the buffer must reach the element. Its subscripts are solved
// for its indices, one in each dimension, and what comes out must lie in their ranges. Then
// the buffer between two steps needs no zeros.

// checkDefined proves that a statement reads no cells without a value.
func (u *use) checkDefined(k *ein.Comprehension) {
	if len(u.chain.bottoms) == 0 {
		return
	}
	for _, r := range readsOf(k.Values) {
		t := r.access.Tensor
		at := slices.IndexFunc(u.chain.bottoms, func(b *ein.Comprehension) bool { return b.Writes[0].Tensor == t })
		if at < 0 || u.isDefined(r, k) {
			continue
		}
		pos := u.pos
		for n, b := range u.args {
			if slices.Contains(b.tensors, t) {
				pos = u.places[n]
			}
		}
		d := u.errorf(source.CodeMDHUndefined, pos, "%s may read cells of %s that have no value", u.what, t.Name)
		if example := u.undefinedRead(r, k); example != "" {
			d = u.errorf(source.CodeMDHUndefined, pos, "%s reads cells of %s that have no value", u.what, t.Name).WithNote(source.Span{}, "%s", example)
			u.diagnostics.List = slices.DeleteFunc(u.diagnostics.List, func(o *source.Diagnostic) bool { return o != d && o.Span == pos && o.Code == d.Code })
		}
		stop(d.WithNote(u.chain.bottoms[at].Pos, "they are left here").WithNote(r.access.Pos, "they are read here").
			WithHelp("read only what is written, under a condition if need be, or give these cells a value: fill 0"))
	}
}

// isDefined proves that a statement before has written what is read.
func (u *use) isDefined(r read, k *ein.Comprehension) bool {
	return len(r.where) > 0 && !slices.ContainsFunc(r.where, func(facts []affine.Expr) bool {
		return !slices.ContainsFunc(u.writers(r.access.Tensor), func(w *writer) bool { return u.reaches(w, r.access, rangesOf(k), facts) })
	})
}

// A writer is a statement that gives values to a tensor.
type writer struct {
	statement *ein.Comprehension
	write     *ein.Write
}

func (c *instance) writers(t *ein.Tensor) (list []*writer) {
	for _, k := range c.fn.Body {
		for _, w := range k.Writes {
			if w.Tensor == t && !slices.Contains(c.chain.bottoms, k) {
				list = append(list, &writer{k, w})
			}
		}
	}
	return list
}

func rangesOf(k *ein.Comprehension) (list []affine.Range) {
	for _, i := range k.Indices {
		list = append(list, affine.Range{Symbol: i.Name, Min: i.Min, Extent: i.Extent})
	}
	return list
}

// reaches proves that what is read, where the facts hold, is written.
func (u *use) reaches(w *writer, a *ein.Access, box []affine.Range, facts []affine.Expr) bool {
	solved := map[string]affine.Expr{}
	for d, s := range w.write.Subscripts {
		written, ok := ein.AffineOf(s)
		wanted, known := ein.AffineOf(a.Subscripts[d])
		if !ok || !known {
			return false
		}
		var only *ein.Index
		for _, i := range w.statement.Indices {
			switch {
			case !written.Uses(i.Name):
			case only != nil:
				return false
			default:
				only = i
			}
		}
		if only == nil {
			if !u.facts.ProvesWhere(wanted.Sub(written), facts, box) || !u.facts.ProvesWhere(written.Sub(wanted), facts, box) {
				return false
			}
			continue
		}
		coefficient, rest, linear := written.Linear(only.Name)
		value, divides := exactly(wanted.Sub(rest), coefficient)
		if before, again := solved[only.Name]; !linear || !divides || again && !before.Equal(value) {
			return false
		}
		solved[only.Name] = value
		from := value.Sub(only.Min)
		if !u.facts.ProvesWhere(from, facts, box) || !u.facts.ProvesWhere(only.Extent.AddConst(-1).Sub(from), facts, box) {
			return false
		}
	}
	return true
}

// exactly divides an expression all of whose coefficients are multiples of a number.
func exactly(e affine.Expr, by int64) (affine.Expr, bool) {
	var result affine.Expr
	for _, t := range e.Terms() {
		if by == 0 || t.Coefficient%by != 0 {
			return affine.Expr{}, false
		}
		one := affine.Const(t.Coefficient / by)
		for _, a := range t.Atoms {
			if a.Op == "" {
				one = one.Mul(affine.Symbol(a.Symbol))
			} else {
				one = one.Mul(affine.Apply(a.Op, a.X, a.Y))
			}
		}
		result = result.Add(one)
	}
	return result, true
}

// undefinedRead looks for a cell without a value that is read at small sizes.
func (u *use) undefinedRead(r read, k *ein.Comprehension) string {
	if !slices.ContainsFunc(r.where, func(facts []affine.Expr) bool { return len(facts) == 0 }) {
		return "" // under conditions, that may not hold there
	}
	for _, env := range u.smallSizes(nil) {
		written := map[string]bool{}
		for _, w := range u.writers(r.access.Tensor) {
			eachCell(w.statement, w.write.Subscripts, env, func(cell, _ string) bool {
				written[cell] = true
				return true
			})
		}
		example := ""
		eachCell(k, r.access.Subscripts, env, func(cell, point string) bool {
			if !written[cell] {
				example = fmt.Sprintf("%sat the point %s it reads %s%s", sizesText(u.instance, env), point, r.access.Tensor.Name, cell)
			}
			return example == ""
		})
		if example != "" {
			return example
		}
	}
	return ""
}

// eachCell visits the elements at subscripts for the points of a statement, while there
// are few.
func eachCell(k *ein.Comprehension, subscripts []ein.Expr, env map[string]int64, visit func(cell, point string) bool) {
	at, left := map[string]int64{}, mostCells
	for name, v := range env {
		at[name] = v
	}
	var results []affine.Expr
	for _, s := range subscripts {
		e, ok := ein.AffineOf(s)
		if !ok {
			return
		}
		results = append(results, e)
	}
	var walk func(n int, point []string) bool
	walk = func(n int, point []string) bool {
		if n == len(k.Indices) {
			left--
			cell, ok := cellOf(results, at)
			return ok && left > 0 && visit(cell, "("+joinWords(point)+")")
		}
		i := k.Indices[n]
		extent, err := i.Extent.Eval(at)
		for v := int64(0); err == nil && v < extent; v++ {
			at[i.Name] = v
			if !walk(n+1, append(slices.Clone(point), fmt.Sprintf("%s=%d", i.Name, v))) {
				return false
			}
		}
		return err == nil
	}
	walk(0, nil)
}

// dropBottoms removes the zeros of buffers that are between steps, of which nothing reads
// the cells without a value.
func (c *instance) dropBottoms() {
	c.fn.Body = slices.DeleteFunc(c.fn.Body, func(k *ein.Comprehension) bool {
		return slices.Contains(c.chain.bottoms, k) && k.Writes[0].Tensor.Role == ein.Temp
	})
	for n, k := range c.fn.Body {
		if slices.Contains(c.chain.bottoms, k) {
			c.bottoms = append(c.bottoms, n)
		}
	}
}
