package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
)

// Which blocks of a pipeline need one buffer only
//
// A block needs one buffer where the stage that writes it, for one iteration, follows the next one, which
// reads it for the iteration before, so closely that both can use the same room: in the common loop
// the reader is never behind the writer, what the reader does behind that loop comes first, and so
// it does before it. Where loops in an iteration take turns, this holds for what the writer does behind
// these only.

// singleBuffered tells of which blocks one copy is enough, by what the stages do with them.
func singleBuffered(turns []*stageLoop, at []*blockAt) map[*loop.Buffer]bool {
	near, seen := map[*loop.Buffer]bool{}, map[*loop.Buffer]bool{}
	begins := map[*loop.Var]bool{}
	for _, a := range at {
		begins[a.v] = true
	}
	for _, a := range at {
		if b := a.buffer; !seen[b] {
			seen[b] = true
			near[b] = needsOneBuffer(turns, b, begins)
		}
	}
	return near
}

// needsOneBuffer reports whether one copy of a block is enough.
func needsOneBuffer(turns []*stageLoop, b *loop.Buffer, begins map[*loop.Var]bool) bool {
	writer, reader := -1, -1
	for k, t := range turns {
		u := usesOf(slices.Concat(t.before, t.body(), t.behind), b)
		switch {
		case !u.known:
			return false
		case len(u.stores) > 0 && writer >= 0, len(u.stores) == 0 && len(u.loads) > 0 && (writer < 0 || reader >= 0):
			return false
		case len(u.stores) > 0:
			writer = k
		case len(u.loads) > 0:
			reader = k
		}
	}
	if writer < 0 || reader < 0 || reader != writer+1 {
		return reader < 0
	}
	w, r := turns[writer], turns[reader]
	if len(usesOf(w.before, b).stores) > 0 {
		return false
	}
	written := usesOf(w.body(), b).stores
	if len(written) == 0 {
		return true
	}
	return r.loop != nil && (w.inner == nil || w.inner.storesBehind(b)) && r.aheadOf(w, b, written, begins)
}

// storesBehind reports whether a writer stores to a block only behind the loops in which it and the
// reader take turns.
func (t *stageLoop) storesBehind(b *loop.Buffer) bool {
	return len(usesOf(t.before, b).stores) == 0 && (len(usesOf(t.body(), b).stores) == 0 || t.inner != nil && t.inner.storesBehind(b))
}

// body of the loop, if there is one.
func (t *stageLoop) body() []loop.Stmt {
	if t.loop == nil {
		return nil
	}
	return t.loop.Body
}

// aheadOf reports whether a reader reads all elements of a block before a writer, which takes turns
// with it, stores others there.
func (r *stageLoop) aheadOf(w *stageLoop, b *loop.Buffer, written []*loop.Store, begins map[*loop.Var]bool) bool {
	step, farthest := int64(0), int64(0)
	for k, s := range written {
		at, ok := linearIn(s.Index, begins)
		each := at.terms[w.loop.Var]
		end := at.constant + int64(s.Value.Type().Lanes)
		if !ok || s.Index.Type().Lanes > 1 || len(at.terms) != 1 || each < 1 || k > 0 && each != step {
			return false
		}
		step, farthest = each, max(farthest, end)
	}
	// Before iteration n of the reader the writer was up to step·(n−1) + farthest.
	positive := map[*loop.Var]bool{}
	for _, s := range r.before {
		if let, ok := s.(*loop.Let); ok {
			if _, isLead := let.Value.(*loop.Lead); isLead {
				positive[let.Var] = true
			}
		}
	}
	last, ok := linearIn(r.loop.Hi, begins)
	reached := func(load *loop.Load, n linear) bool {
		at, isLinear := linearIn(load.Index, begins)
		at = at.plus(-step, n)
		for v, factor := range at.terms {
			isLinear = isLinear && (factor == 0 || factor > 0 && positive[v])
		}
		return isLinear && load.Index.Type().Lanes == 1 && at.constant >= farthest-step
	}
	for _, load := range usesOf(r.body(), b).loads {
		ok = ok && reached(load, linear{terms: map[*loop.Var]int64{r.loop.Var: 1}})
	}
	for _, load := range usesOf(r.behind, b).loads {
		ok = ok && reached(load, last)
	}
	return ok
}

// A linear is a sum of multiples of variables and a constant.
type linear struct {
	terms    map[*loop.Var]int64
	constant int64
}

// plus returns x + factor·y.
func (x linear) plus(factor int64, y linear) linear {
	sum := linear{terms: map[*loop.Var]int64{}, constant: x.constant + factor*y.constant}
	for v, n := range x.terms {
		sum.terms[v] += n
	}
	for v, n := range y.terms {
		sum.terms[v] += factor * n
	}
	return sum
}

// linearIn reads an expression as a sum, without the variables that say where blocks begin, each of
// which stands for the same place.
func linearIn(e loop.Expr, begins map[*loop.Var]bool) (linear, bool) {
	switch e := e.(type) {
	case *loop.Const:
		return linear{constant: int64(e.Bits)}, true
	case *loop.VarRef:
		if begins[e.Var] {
			return linear{}, true
		}
		return linear{terms: map[*loop.Var]int64{e.Var: 1}}, true
	case *loop.Binary:
		x, ok := linearIn(e.X, begins)
		y, ok2 := linearIn(e.Y, begins)
		switch {
		case !ok || !ok2:
		case e.Op == ein.Add:
			return x.plus(1, y), true
		case e.Op == ein.Sub:
			return x.plus(-1, y), true
		case e.Op == ein.Mul && len(y.terms) == 0:
			return linear{}.plus(y.constant, x), true
		case e.Op == ein.Mul && len(x.terms) == 0:
			return linear{}.plus(x.constant, y), true
		}
	}
	return linear{}, false
}

// A blockUse is what statements do with a buffer.
type blockUse struct {
	loads  []*loop.Load
	stores []*loop.Store
	known  bool // there is nothing else that may use it
}

func usesOf(list []loop.Stmt, b *loop.Buffer) (u blockUse) {
	u.known = true
	loop.Walk(list, loop.Visitor{
		Stmt: func(s loop.Stmt) {
			switch s := s.(type) {
			case *loop.Store:
				if u.known = u.known && s.Row == nil; s.Buffer == b {
					u.stores = append(u.stores, s)
				}
			case *loop.For, *loop.If, *loop.Let, *loop.Alloc, *loop.Prefetch, *loop.Comment, *loop.Check:
			default:
				u.known = false
			}
		},
		Expr: func(e loop.Expr) {
			if load, ok := e.(*loop.Load); ok && load.Buffer == b {
				u.loads = append(u.loads, load)
			}
		},
	})
	return u
}
