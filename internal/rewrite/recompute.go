package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
)

// What is computed again: recomputation
//
// A temporary that statements read at several places is computed once for each place where it is inlined.
// It saves the memory: an element is written once, and read by every statement. Operations are set against
// bytes by where the temporary would lie, of which nothing is known here but its size: what fits into the
// second cache of any processor costs nothing, a byte of memory as much as four operations on
// vectors. The weights of a bilateral filter of 3 million pixels, 75 million elements with two readers, take 1.6 of
// 5.2 GB less, and a third of the time. Finer choices are the schedule's, which can keep a
// temporary in a block: readers that fuse with what computes it, row by row, need no memory. Where there are
// several readers, that leaves those that sum over a window.

// Sizes of temporaries from which a byte costs so many operations.
var byteCosts = []struct {
	bytes      float64
	operations float64
}{{32 << 20, 4}, {1 << 20, 1}}

// mostTerms is how many terms readers may add; longer ones are rows (a softmax of 100 columns takes as long
// either way, one of 1000 twice as long with its exponentials computed again, one of 10 a half).
const mostTerms = 64

// paysToRecompute reports whether the value of a temporary is better computed wherever it is read.
func paysToRecompute(f *ein.Func, c *ein.Comprehension) bool {
	t := c.Writes[0].Tensor
	places, readers, window := 0, 0, 1.0
	for _, user := range f.Body {
		uses := accessesOf(user, t)
		if len(uses) == 0 {
			continue
		}
		if slices.ContainsFunc(uses, func(a *ein.Access) bool { return !oncePerPoint(user, a, c) }) {
			return false
		}
		window = max(window, points(user.ByKind(ein.Reduce)))
		if readers++; sharesUse(user, t) {
			places++
		} else {
			places += len(uses)
		}
	}
	if readers > 1 && (window < 2 || window > mostTerms) {
		return false
	}
	bytes := points(c.Indices) * float64(t.Type.Size()) // 0 where it is not known
	if again := float64(places-1) * operations(c.Values[0]); again > 0 {
		for _, cost := range byteCosts {
			if bytes >= cost.bytes {
				return again <= cost.operations*float64(t.Type.Size()*(1+readers))
			}
		}
		return false
	}
	return true
}

// oncePerPoint reports whether an access reads one element of what c computes at each point of a statement,
// and no element at more points than there are around it: subscripts are indices, perhaps moved, clamped or
// mirrored, and every index is in one of them, but for those of rows that share it (unroll.go).
func oncePerPoint(user *ein.Comprehension, a *ein.Access, c *ein.Comprehension) bool {
	used := map[string]bool{}
	moved, slides := false, false
	for _, sub := range a.Subscripts {
		value, needs := withoutBoundary(sub, box(user))
		moved = moved || len(needs) > 0
		e, ok := ein.AffineOf(value)
		if !ok {
			return false
		}
		rest, terms := e, 0
		for _, i := range user.Indices {
			coefficient, without, linear := rest.Linear(i.Name)
			if !linear || coefficient*coefficient > 1 {
				return false
			}
			if coefficient != 0 {
				if !rest.Sub(without).Equal(affine.Symbol(i.Name).Scale(coefficient)) || len(used) > 0 && used[i.Name] {
					return false
				}
				used[i.Name] = true
				terms++
			}
			rest = without
		}
		if _, known := rest.IsConst(); !known {
			return false
		}
		slides = slides || terms > 1
	}
	again := 1.0
	for _, i := range user.Indices {
		if !used[i.Name] {
			again *= points([]*ein.Index{i})
		}
	}
	if again != 1 && !sharesRow(user, c, again) {
		return false
	}
	// Several points may read one element where a window slides, or that is clamped.
	all := points(user.Indices) // 0 where it is not known
	return !moved && !slides || (all > 0 || !slides) && all <= 2*again*points(c.Indices)
}

// operations is about how many instructions on vectors an element takes.
func operations(e ein.Expr) float64 {
	const slow, call = 4, 8
	n := 0.0
	ein.Walk(e, func(e ein.Expr) bool {
		switch e := e.(type) {
		case *ein.Access:
			n++
			return false
		case *ein.Call:
			n += call
		case *ein.Binary:
			if n++; e.Op == ein.Div || e.Op == ein.Mod {
				n += slow
			}
		case *ein.Unary, *ein.Select, *ein.Cast:
			n++
		}
		return true
	})
	return n
}
