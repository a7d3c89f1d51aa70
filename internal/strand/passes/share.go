package passes

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
)

// Share computes what is computed twice once, where one computation dominates the other, and joins
// probes of one image by one kernel at one position: in a block, all numbers are those of the first
// probe; in a block inside, those that the outer probe has are taken from there.
func Share(p *strand.Program) {
	s := &sharing{once: once(p), placed: placed(p), replaced: map[*ein.Local]ein.Expr{}, version: map[*ein.Local]int{}}
	for _, b := range blocks(p) {
		if b == &p.Create.Body {
			continue
		}
		s.block(b, newKnown())
	}
	s.creation(p)
}

// creation shares the block before the iterators and that of the arguments; both are seen behind them.
func (s *sharing) creation(p *strand.Program) {
	for _, i := range p.Create.Iterators {
		s.change(i.Variable.Parts...)
	}
	s.block(&p.Create.Body, newKnown())
	for _, e := range creation(p) {
		*e = s.replace(*e)
	}
}

// once are the scalars of temporaries that one statement assigns, of those that are not read as a whole.
func once(p *strand.Program) map[*ein.Local]bool {
	count, entire := map[*ein.Local]int{}, map[*strand.Variable]bool{}
	for _, b := range blocks(p) {
		strand.Walk(*b, func(s strand.Stmt) {
			for _, l := range targets(s) {
				count[l]++
			}
			for _, v := range whole(s) {
				entire[v] = true
			}
		})
	}
	single := map[*ein.Local]bool{}
	for _, v := range p.ByRole(strand.Temporary) {
		for _, l := range v.Parts {
			single[l] = count[l] == 1 && !entire[v]
		}
	}
	return single
}

// placed are the locals that make positions of probes.
func placed(p *strand.Program) map[*ein.Local]bool {
	list := map[*ein.Local]bool{}
	for _, b := range blocks(p) {
		strand.Walk(*b, func(s strand.Stmt) {
			for _, l := range places(s) {
				list[*l] = true
			}
		})
	}
	return list
}

// known is what was computed above.
type known struct {
	values  map[string]computed
	samples map[string]*strand.Sample
	eigen   map[string]*strand.Eigen
	own     map[any]bool // of this block, not of one around it
}

func newKnown() *known {
	return &known{map[string]computed{}, map[string]*strand.Sample{}, map[string]*strand.Eigen{}, map[any]bool{}}
}

// inside is what is known in a block inside.
func (k *known) inside() *known {
	return &known{maps.Clone(k.values), maps.Clone(k.samples), maps.Clone(k.eigen), map[any]bool{}}
}

// A computed value is in a local; it holds while those that it was computed from have their versions.
type computed struct {
	in   *ein.Local
	from map[*ein.Local]int
}

type sharing struct {
	once     map[*ein.Local]bool
	placed   map[*ein.Local]bool // at which something is probed
	replaced map[*ein.Local]ein.Expr
	version  map[*ein.Local]int
}

// change notes that locals get new values.
func (s *sharing) change(locals ...*ein.Local) {
	for _, l := range locals {
		s.version[l]++
	}
}

// changeAll notes it for all that blocks assign.
func (s *sharing) changeAll(blocks []*strand.Block) {
	for _, b := range blocks {
		strand.Walk(*b, func(inner strand.Stmt) {
			for _, l := range targets(inner) {
				if !s.once[l] {
					s.change(l)
				}
			}
		})
	}
}

func (s *sharing) replace(e ein.Expr) ein.Expr {
	return ein.Map(e, func(e ein.Expr) ein.Expr {
		if r, ok := e.(*ein.LocalRef); ok && s.replaced[r.Local] != nil {
			return s.replaced[r.Local]
		}
		return e
	})
}

func (s *sharing) block(b *strand.Block, k *known) {
	kept := (*b)[:0:0]
	for _, stmt := range *b {
		if s.stmt(stmt, k) {
			kept = append(kept, stmt)
		}
	}
	*b = kept
}

// stmt rewrites a statement, and reports whether it is still needed.
func (s *sharing) stmt(stmt strand.Stmt, k *known) bool {
	reduce, isReduce := stmt.(*strand.Reduce)
	for _, e := range operands(stmt) {
		if !isReduce {
			*e = s.replace(*e)
		}
	}
	for _, l := range places(stmt) {
		if r, ok := s.replaced[*l].(*ein.LocalRef); ok {
			*l = r.Local
		}
	}
	switch stmt := stmt.(type) {
	case *strand.Assign:
		return s.assign(stmt, k)
	case *strand.Sample:
		return s.sample(stmt, k)
	case *strand.Eigen:
		return s.eigenvalues(stmt, k)
	}
	if _, isChoice := stmt.(*strand.If); !isChoice {
		s.changeAll(inner(stmt)) // a loop comes back to its begin
	}
	s.change(targets(stmt)...)
	for _, b := range inner(stmt) {
		s.block(b, k.inside())
	}
	if isReduce {
		reduce.Value = s.replace(reduce.Value)
	}
	s.changeAll(inner(stmt))
	return true
}

func (s *sharing) assign(a *strand.Assign, k *known) bool {
	if !s.once[a.To] {
		s.change(a.To)
		return true
	}
	switch e := a.Value.(type) {
	case *ein.Const:
		s.replaced[a.To] = e
		return s.placed[a.To] // a literal is no place
	case *ein.LocalRef:
		if s.once[e.Local] {
			s.replaced[a.To] = e
			return false
		}
	}
	key := a.To.DType.String() + " " + ein.PrintExpr(a.Value)
	if c, ok := k.values[key]; ok && s.holds(c) {
		s.replaced[a.To] = &ein.LocalRef{Pos: a.Pos, Local: c.in}
		return false
	}
	c := computed{a.To, map[*ein.Local]int{}}
	ein.Walk(a.Value, func(e ein.Expr) bool {
		if r, ok := e.(*ein.LocalRef); ok {
			c.from[r.Local] = s.version[r.Local]
		}
		return true
	})
	k.values[key] = c
	return true
}

func (s *sharing) holds(c computed) bool {
	for l, version := range c.from {
		if s.version[l] != version {
			return false
		}
	}
	return true
}

// sample joins a probe with one above.
func (s *sharing) sample(stmt *strand.Sample, k *known) bool {
	if !s.allOnce(stmt.Reads()) || !s.allOnce(targets(stmt)) {
		s.change(targets(stmt)...)
		return true
	}
	var names []string
	for _, l := range stmt.Reads() {
		names = append(names, ein.QuoteName(l.Name))
	}
	key := fmt.Sprint(stmt.Image.Name, stmt.Border, stmt.Kernel.Name, names)
	above := k.samples[key]
	if above == nil {
		k.samples[key], k.own[stmt] = stmt, true
		return true
	}
	var more []strand.Component
	for _, w := range stmt.Wanted {
		n := slices.IndexFunc(above.Wanted, func(have strand.Component) bool {
			return have.Voxel == w.Voxel && slices.Equal(have.Orders, w.Orders)
		})
		if n >= 0 {
			s.replaced[w.To] = &ein.LocalRef{Pos: stmt.Pos, Local: above.Wanted[n].To}
		} else {
			more = append(more, w)
		}
	}
	if k.own[above] {
		above.Wanted = append(above.Wanted, more...)
		return false
	}
	stmt.Wanted = more
	return len(more) > 0
}

func (s *sharing) allOnce(locals []*ein.Local) bool {
	return !slices.ContainsFunc(locals, func(l *ein.Local) bool { return !s.once[l] })
}

// eigenvalues joins the values and vectors of one matrix.
func (s *sharing) eigenvalues(stmt *strand.Eigen, k *known) bool {
	fixed := true
	key := ""
	for _, e := range stmt.Of {
		key += ein.PrintExpr(e) + ", "
		ein.Walk(e, func(e ein.Expr) bool {
			r, ok := e.(*ein.LocalRef)
			fixed = fixed && (!ok || s.once[r.Local])
			return true
		})
	}
	if !fixed || !s.allOnce(targets(stmt)) {
		s.change(targets(stmt)...)
		return true
	}
	above := k.eigen[key]
	if above == nil {
		k.eigen[key], k.own[stmt] = stmt, true
		return true
	}
	if !k.own[above] && (len(stmt.Values) > 0 && len(above.Values) == 0 || len(stmt.Vectors) > 0 && len(above.Vectors) == 0) {
		return true
	}
	join := func(have *[]*ein.Local, want []*ein.Local) {
		switch {
		case len(want) == 0:
		case len(*have) == 0:
			*have = want
		default:
			for n, l := range want {
				s.replaced[l] = &ein.LocalRef{Pos: stmt.Pos, Local: (*have)[n]}
			}
		}
	}
	join(&above.Values, stmt.Values)
	join(&above.Vectors, stmt.Vectors)
	return false
}
