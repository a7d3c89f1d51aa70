package passes

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/loop"
)

// How vectors whose lanes interleave become whole: interleaved stores
//
// Vectors along pixels of three channels, complex numbers or points in space write every second,
// third or fourth element: each channel in a loop of its own, with what the others write left out
// of every vector. Where the loops of all channels stand in one list, they become one loop that
// computes a vector of each and stores them one behind the other, which a target recognises and
// writes as whole vectors. What the channels share is loaded once.
//
// A loop may move before others and be cut into their iterations if none reads what another
// writes, and what they write lies apart: in different residues of the distance between lanes.

// A strand is a statement that stores once: a loop over vectors, or one of them.
type strand struct {
	loop   *loop.For // nil: the store stands alone
	before []loop.Stmt
	store  *loop.Store
	from   int // number of the statement in the list that it is, or is a copy of
}

func weave(p *pass) { p.f.Body = p.weave(p.f.Body) }

// weave makes whole vectors in statements and all that is inside of them.
func (p *pass) weave(list []loop.Stmt) []loop.Stmt {
	for _, s := range list {
		loop.ReplaceBodies(s, p.weave)
	}
	kept := map[int]bool{} // statements whose loops over channels stay
	for {
		woven, whole := p.weaveList(list, kept)
		if whole {
			return woven
		}
	}
}

// weaveList weaves the statements of a list, of which loops over channels are written out, except
// those that are kept. It is not whole where a copy found no others: kept then has its loop.
func (p *pass) weaveList(list []loop.Stmt, kept map[int]bool) (woven []loop.Stmt, whole bool) {
	var run []*strand
	end := func() bool {
		done, alone := p.weaveRun(run)
		for _, s := range alone {
			if lanesApart(s.store) > 0 && !s.is(list[s.from]) {
				kept[s.from] = true
				return false
			}
		}
		woven, run = append(woven, done...), nil
		return true
	}
	for k, s := range list {
		strands := p.strands(s, k, kept[k])
		if len(strands) > 0 {
			run = append(run, strands...)
			continue
		}
		if !end() {
			return nil, false
		}
		woven = append(woven, s)
	}
	return woven, end()
}

// is reports whether a strand is a statement itself and no copy.
func (t *strand) is(s loop.Stmt) bool {
	return s == loop.Stmt(t.store) || t.loop != nil && s == loop.Stmt(t.loop)
}

// stmt is the statement that a strand is.
func (t *strand) stmt() loop.Stmt {
	if t.loop != nil {
		return t.loop
	}
	return t.store
}

// strands returns what a statement is made of; nil where it has other parts.
func (p *pass) strands(s loop.Stmt, from int, kept bool) []*strand {
	switch s := s.(type) {
	case *loop.Store:
		if s.Row == nil {
			return []*strand{{store: s, from: from}}
		}
	case *loop.For:
		if t := strandOf(s, from); t != nil && (kept || !t.isOverChannels()) {
			return []*strand{t}
		}
		if !kept {
			return p.copiesOf(s, from)
		}
	}
	return nil
}

// strandOf returns a loop that ends with its only store; nil for others.
func strandOf(s *loop.For, from int) *strand {
	if s.Kind == loop.Parallel || len(s.Body) == 0 || s.Next != nil {
		return nil
	}
	last := len(s.Body) - 1
	store, ok := s.Body[last].(*loop.Store)
	if !ok || store.Row != nil || lanesApart(store) == 0 && store.Value.Type().Lanes > 1 {
		return nil
	}
	for _, b := range s.Body[:last] {
		switch b.(type) {
		case *loop.Let, *loop.Prefetch:
		default:
			return nil
		}
	}
	return &strand{loop: s, before: s.Body[:last], store: store, from: from}
}

// isOverChannels reports whether the iterations of a loop write between the lanes of each other.
func (t *strand) isOverChannels() bool {
	ramp, ok := t.store.Index.(*loop.Ramp)
	if !ok || t.loop.Step != 1 {
		return false
	}
	at := func(v int64) loop.Expr {
		sub := &loop.Substitution{Values: map[*loop.Var]loop.Expr{t.loop.Var: loop.Int(v)}}
		return sub.Expr(ramp.Base)
	}
	first, second := at(0), at(1)
	if first == nil || second == nil {
		return false
	}
	d, known := loop.Distance(second, first)
	return known && d != 0 && max(d, -d) < ramp.Stride
}

// copiesOf returns the strands in all iterations of a loop over channels.
func (p *pass) copiesOf(s *loop.For, from int) []*strand {
	lo, ok1 := s.Lo.(*loop.Const)
	hi, ok2 := s.Hi.(*loop.Const)
	if !ok1 || !ok2 || s.Kind == loop.Parallel || s.Step != 1 || int64(hi.Bits-lo.Bits) > loop.MostWoven || !endsInChannels(s.Body) {
		return nil
	}
	var list []*strand
	for v := int64(lo.Bits); v < int64(hi.Bits); v++ {
		sub := &loop.Substitution{Values: map[*loop.Var]loop.Expr{s.Var: loop.Int(v)}, NewVar: p.fresh.CopyOf}
		copies, ok := sub.Stmts(s.Body)
		if !ok {
			return nil
		}
		for _, c := range copies {
			strands := p.strands(c, from, false)
			if strands == nil || len(list)+len(strands) > 2*loop.MostWoven {
				return nil
			}
			list = append(list, strands...)
		}
	}
	return list
}

// endsInChannels reports whether stores in statements have lanes apart, or one lane.
func endsInChannels(list []loop.Stmt) bool {
	some, all := false, true
	loop.Walk(list, loop.Visitor{Stmt: func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Store:
			some, all = some || lanesApart(s) > 0, all && (lanesApart(s) > 0 || s.Value.Type().Lanes == 1)
		case *loop.For, *loop.Let, *loop.Prefetch:
		default:
			all = false
		}
	}})
	return some && all
}

// lanesApart is how many elements lanes of a store are apart that may be woven; 0 for others.
func lanesApart(s *loop.Store) int64 {
	ramp, ok := s.Index.(*loop.Ramp)
	if !ok || ramp.Stride < 2 || ramp.Stride > min(loop.MostWoven, int64(ramp.Lanes)) || s.Buffer.Type.Lanes > 1 || s.Stream {
		return 0
	}
	return ramp.Stride
}

// weaveRun weaves strands that stand one behind the other. Those that found no others are alone.
func (p *pass) weaveRun(run []*strand) (list []loop.Stmt, alone []*strand) {
	for len(run) > 0 {
		group := wovenWith(run)
		if group == nil {
			list, alone, run = append(list, run[0].stmt()), append(alone, run[0]), run[1:]
			continue
		}
		list = append(list, p.joined(group)...)
		run = slices.DeleteFunc(slices.Clone(run), func(t *strand) bool { return slices.Contains(group, t) })
	}
	return list, alone
}

// wovenWith returns the first strand and those that write what lies between its lanes, in the order
// of what they write; nil where some are missing or cannot move to it.
func wovenWith(run []*strand) []*strand {
	first := run[0]
	step := lanesApart(first.store)
	if step == 0 {
		return nil
	}
	found := map[int64]*strand{0: first}
	for k, t := range run[1:] {
		d, ok := first.between(t, step)
		if !ok || found[d] != nil {
			continue
		}
		if !slices.ContainsFunc(run[:k+1], func(other *strand) bool { return !t.passes(other, step) }) {
			found[d] = t
		}
	}
	for low := 1 - step; low <= 0; low++ {
		var group []*strand
		for d := low; d < low+step && found[d] != nil; d++ {
			group = append(group, found[d])
		}
		if int64(len(group)) == step {
			return group
		}
	}
	return nil
}

// between reports whether another strand writes between the lanes of one, in the same iterations,
// and how far behind it.
func (t *strand) between(other *strand, step int64) (distance int64, ok bool) {
	if lanesApart(other.store) != step || other.store.Buffer != t.store.Buffer || other.store.Value.Type() != t.store.Value.Type() || (t.loop == nil) != (other.loop == nil) {
		return 0, false
	}
	base := other.store.Index.(*loop.Ramp).Base
	values := map[*loop.Var]loop.Expr{}
	if t.loop != nil {
		if t.loop.Kind != other.loop.Kind || t.loop.Step != other.loop.Step || !sameText(t.loop.Lo, other.loop.Lo) || !sameText(t.loop.Hi, other.loop.Hi) {
			return 0, false
		}
		values[other.loop.Var] = &loop.VarRef{Var: t.loop.Var}
	}
	rename := &loop.Substitution{Values: values}
	mask := rename.Expr(other.store.Mask)
	if (t.store.Mask == nil) != (other.store.Mask == nil) || other.store.Mask != nil && (mask == nil || !sameText(t.store.Mask, mask)) {
		return 0, false
	}
	if base = rename.Expr(base); base == nil {
		return 0, false
	}
	distance, ok = loop.Distance(base, t.store.Index.(*loop.Ramp).Base)
	return distance, ok && distance != 0 && distance > -step && distance < step
}

func sameText(x, y loop.Expr) bool { return loop.ExprText(x) == loop.ExprText(y) }

// passes reports whether a strand may run before another one, or in turns with it.
func (t *strand) passes(other *strand, step int64) bool {
	if t.reads(other.store.Buffer) || other.reads(t.store.Buffer) {
		return false
	}
	if t.store.Buffer != other.store.Buffer {
		return true
	}
	mine, ok1 := residueOf(t.store, step)
	its, ok2 := residueOf(other.store, step)
	return ok1 && ok2 && mine != its
}

// reads reports whether a strand reads a buffer.
func (t *strand) reads(b *loop.Buffer) bool {
	found := false
	loop.Walk([]loop.Stmt{t.stmt()}, loop.Visitor{Expr: func(e loop.Expr) {
		switch e := e.(type) {
		case *loop.Load:
			found = found || e.Buffer == b
		case *loop.Lead:
			found = found || e.Buffer == b
		}
	}})
	return found
}

// residueOf is the residue, modulo a step, of all elements that a store writes.
func residueOf(s *loop.Store, step int64) (residue int64, known bool) {
	if ramp, ok := s.Index.(*loop.Ramp); ok {
		residue, known = loop.Residue(ramp.Base, step)
		return residue, known && ramp.Stride%step == 0
	}
	if s.Value.Type().Lanes > 1 {
		return 0, false
	}
	return loop.Residue(s.Index, step)
}

// joined is one loop of the strands of a group, or their stores: all that is computed stands
// before the stores.
func (p *pass) joined(group []*strand) []loop.Stmt {
	var body, stores []loop.Stmt
	first := group[0]
	for _, t := range group {
		before, store := t.before, t.store
		if t != first && t.loop != nil {
			sub := &loop.Substitution{Values: map[*loop.Var]loop.Expr{t.loop.Var: &loop.VarRef{Var: first.loop.Var}}, NewVar: loop.SameVar}
			copies, ok := sub.Stmts(append(slices.Clone(before), store))
			if !ok {
				return apart(group)
			}
			before, store = copies[:len(before)], copies[len(before)].(*loop.Store)
		}
		body, stores = append(body, before...), append(stores, store)
	}
	body = p.shared(append(body, stores...))
	if first.loop == nil {
		return body
	}
	c := *first.loop
	c.Body = body
	return []loop.Stmt{&c}
}

// apart is the strands of a group as they are.
func apart(group []*strand) (list []loop.Stmt) {
	for _, t := range group {
		list = append(list, t.stmt())
	}
	return list
}

// shared gives names to what statements load, and convert, more than once: stores are behind all
// of that, but a target may not see it. Nothing is loaded earlier that only one branch needs.
func (p *pass) shared(list []loop.Stmt) []loop.Stmt {
	var lets []loop.Stmt
	for _, isShared := range []func(loop.Expr) bool{isVectorLoad, isCastOfName} {
		counts, order := loop.Occurrences(list, isShared)
		order = slices.DeleteFunc(order, func(e loop.Expr) bool { return counts[loop.ExprText(e)] == 1 })
		if len(order) == 0 {
			break
		}
		more, references := p.fresh.Lets("shared", order)
		sub := &loop.Substitution{Values: map[*loop.Var]loop.Expr{}, NewVar: loop.SameVar, Whole: func(e loop.Expr) loop.Expr { return references.Of(e, isShared) }}
		copies, ok := sub.Stmts(list)
		if !ok {
			break
		}
		lets, list = append(lets, more...), copies
	}
	return append(lets, list...)
}

func isVectorLoad(e loop.Expr) bool {
	load, ok := e.(*loop.Load)
	return ok && load.Lanes > 1 && load.Buffer.Type.Lanes == 1
}

// isCastOfName reports whether an expression makes bytes or words of what has a name. Wider numbers
// that were words are left where they are: a target multiplies them as words only where it sees it.
func isCastOfName(e loop.Expr) bool {
	c, ok := e.(*loop.Cast)
	if !ok || c.Type().Lanes == 1 || c.To.Size() > 2 {
		return false
	}
	_, ok = c.X.(*loop.VarRef)
	return ok
}
