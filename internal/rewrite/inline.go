package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How inlining works
//
// A temporary is inlined where one point-wise statement, or one that folds a
// few terms (unroll.go), computes all of it, in a
// type that is not rounded when stored, without tested accesses, and nothing that
// the statement reads changes before the last use. A use is replaced by the value,
// with the statement's indices replaced by the use's subscripts. Values that cost
// something are inlined where they are computed no more often than before, which is
// in one statement that uses one element per point, or where computing them again is
// cheaper than the memory through which they would go (recompute.go). Several uses of the same
// element share it through a let.

// inlineTemporary inlines one temporary and removes its statement.
func inlineTemporary(f *ein.Func) bool {
	for at, c := range f.Body {
		if value := unrolled(c); value != nil && inlinable(f, at, value) && (value == c || foldLongRows(f, at)) {
			t := c.Writes[0].Tensor
			for _, user := range f.Body[at+1:] {
				inlineInto(user, value)
			}
			f.Body = slices.Delete(f.Body, at, at+1)
			f.Tensors = slices.DeleteFunc(f.Tensors, func(x *ein.Tensor) bool { return x == t })
			return true
		}
	}
	return false
}

func inlinable(f *ein.Func, at int, c *ein.Comprehension) bool {
	if len(c.Writes) != 1 || c.Accumulate != nil || len(c.ByKind(ein.Concat)) != len(c.Indices) {
		return false
	}
	w := c.Writes[0]
	t := w.Tensor
	if t.Role != ein.Temp || t.Type.IsHalf() || c.Values[0].Type() != t.Type || !covers(w) || slices.ContainsFunc(c.Indices, func(i *ein.Index) bool { return i.MayBeEmpty }) {
		return false
	}
	if slices.ContainsFunc(f.Sizes, func(s *ein.Size) bool { return s.Tensor == t }) {
		return false
	}
	users := 0
	for k, other := range f.Body {
		if k == at {
			continue
		}
		n := reads(other, t)
		if writes(other, t) || n > 0 && (k < at || readsInWrites(other, t)) {
			return false
		}
		if n == 0 {
			continue
		}
		users++
		if changedBetween(f, c, at, k) || !allUnchecked(other, t) {
			return false
		}
	}
	if contains(c, isChecked) && (users != 1 || !testsAll(f, c)) {
		return false
	}
	return users > 0 && (cheap(c.Values[0]) || paysToRecompute(f, c))
}

// testsAll reports whether the one statement that reads a temporary computes a sum over, or results for, each of its
// elements, whatever its values are: tests of subscripts that stand in the value are then made there as before.
func testsAll(f *ein.Func, c *ein.Comprehension) bool {
	w := c.Writes[0]
	for _, user := range f.Body {
		list := accessesOf(user, w.Tensor)
		if len(list) == 0 {
			continue
		}
		conditional := contains(user, func(e ein.Expr) bool {
			b, isBinary := e.(*ein.Binary)
			return isSelect(e) || isBinary && (b.Op == ein.And || b.Op == ein.Or)
		})
		if conditional || len(user.Values) != 1 || len(user.ByKind(ein.Scan)) > 0 || len(list) != 1 || len(user.Indices) != len(w.Subscripts) || !covers(&ein.Write{Tensor: w.Tensor, Subscripts: list[0].Subscripts}) {
			return false
		}
	}
	return true
}

// covers reports whether a write is t[i, j, …] over the whole of t.
func covers(w *ein.Write) bool {
	seen := map[*ein.Index]bool{}
	for d, sub := range w.Subscripts {
		r, ok := sub.(*ein.IndexRef)
		dim := w.Tensor.Dims[d]
		if !ok || seen[r.Index] || !r.Index.Min.Equal(dim.Min) || !r.Index.Extent.Equal(dim.Extent) {
			return false
		}
		seen[r.Index] = true
	}
	return true
}

// cheap values may be computed again: they are loads, indices and constants,
// perhaps converted.
func cheap(e ein.Expr) bool {
	switch e := e.(type) {
	case *ein.Const, *ein.IndexRef, *ein.SizeRef:
		return true
	case *ein.Access:
		return !slices.ContainsFunc(e.Subscripts, func(s ein.Expr) bool { _, ok := ein.AffineOf(s); return !ok })
	case *ein.Cast:
		return cheap(e.X)
	}
	return false
}

func accessesOf(c *ein.Comprehension, t *ein.Tensor) []*ein.Access {
	return slices.DeleteFunc(c.Accesses(), func(a *ein.Access) bool { return a.Tensor != t })
}

func allUnchecked(c *ein.Comprehension, t *ein.Tensor) bool {
	return !slices.ContainsFunc(accessesOf(c, t), func(a *ein.Access) bool { return a.Checked })
}

// readsInWrites reports whether a subscript of a write, or a join with the old
// value, uses t; these places take no let.
func readsInWrites(c *ein.Comprehension, t *ein.Tensor) bool {
	return reads(c, t) != len(accessesOf(c, t))
}

// changedBetween reports whether a tensor that the statement reads is written
// before or by its user.
func changedBetween(f *ein.Func, c *ein.Comprehension, at, user int) bool {
	for _, a := range c.Accesses() {
		for _, between := range f.Body[at+1 : user+1] {
			if writes(between, a.Tensor) {
				return true
			}
		}
	}
	return false
}

// evaluated reports whether e reads t whatever its conditions say, outside of
// other accesses' subscripts, so that a let around e computes nothing too much.
func evaluated(e ein.Expr, t *ein.Tensor) bool {
	switch e := e.(type) {
	case *ein.Access:
		return e.Tensor == t
	case *ein.Select:
		return evaluated(e.Cond, t) || evaluated(e.Then, t) && evaluated(e.Else, t)
	}
	return slices.ContainsFunc(ein.Children(e), func(child ein.Expr) bool { return evaluated(child, t) })
}

// inlineInto replaces the uses of c's temporary in a statement.
func inlineInto(user, c *ein.Comprehension) {
	t := c.Writes[0].Tensor
	uses := accessesOf(user, t)
	if len(uses) == 0 {
		return
	}
	value := func(a *ein.Access) ein.Expr {
		env := map[*ein.Index]ein.Expr{}
		for d, sub := range c.Writes[0].Subscripts {
			env[sub.(*ein.IndexRef).Index] = a.Subscripts[d]
		}
		return substitute(c.Values[0], env)
	}
	replace := func(v ein.Expr, by func(*ein.Access) ein.Expr) ein.Expr {
		return ein.Map(v, func(e ein.Expr) ein.Expr {
			if a, ok := e.(*ein.Access); ok && a.Tensor == t {
				return by(a)
			}
			return e
		})
	}
	if !sharesUse(user, t) {
		for k, v := range user.Values {
			user.Values[k] = replace(v, value)
		}
		return
	}
	local := &ein.Local{Name: freshLocal(user, t.Name), DType: t.Type}
	user.Values[0] = around(user.Values[0], t, func(e ein.Expr) ein.Expr {
		body := replace(e, func(a *ein.Access) ein.Expr { return &ein.LocalRef{Pos: a.Pos, Local: local} })
		return &ein.Let{Pos: body.Span(), Var: local, Value: value(uses[0]), Body: body}
	})
}

// sharesUse reports whether a statement reads t several times, always the same element, and all of them in an
// expression that reads it whatever its conditions say.
func sharesUse(c *ein.Comprehension, t *ein.Tensor) bool {
	uses := accessesOf(c, t)
	if len(uses) < 2 || len(c.Values) != 1 || slices.ContainsFunc(uses, func(a *ein.Access) bool { return !samePlace(a.Subscripts, uses[0].Subscripts) }) {
		return false
	}
	shared := false
	around(c.Values[0], t, func(e ein.Expr) ein.Expr { shared = evaluated(e, t); return e })
	return shared
}

// around changes the innermost branch of conditions that has all that e reads of t.
func around(e ein.Expr, t *ein.Tensor, change func(ein.Expr) ein.Expr) ein.Expr {
	s, ok := e.(*ein.Select)
	if !ok || evaluated(s, t) {
		return change(e)
	}
	branch := *s
	switch inThen, inElse := mentionsTensor(s.Then, t), mentionsTensor(s.Else, t); {
	case mentionsTensor(s.Cond, t) || inThen && inElse:
		return change(e)
	case inThen:
		branch.Then = around(s.Then, t, change)
	default:
		branch.Else = around(s.Else, t, change)
	}
	return &branch
}

// mentionsTensor reports whether an expression reads a tensor anywhere.
func mentionsTensor(e ein.Expr, t *ein.Tensor) bool {
	found := false
	ein.Walk(e, func(e ein.Expr) bool {
		a, ok := e.(*ein.Access)
		found = found || ok && a.Tensor == t
		return !found
	})
	return found
}

// freshLocal returns a name that no index or local of the statement has.
func freshLocal(c *ein.Comprehension, name string) string {
	taken := map[string]bool{}
	for _, i := range c.Indices {
		taken[i.Name] = true
	}
	contains(c, func(e ein.Expr) bool {
		if l, ok := e.(*ein.Let); ok {
			taken[l.Var.Name] = true
		}
		return false
	})
	for taken[name] {
		name += "_"
	}
	return name
}
