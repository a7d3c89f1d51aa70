package passes

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
)

// Prune leaves out assignments to temporaries that nothing reads, numbers of probes, probes of which
// no number is left, and then the temporaries and kernels that do not occur any more.
func Prune(p *strand.Program) {
	for again := true; again; {
		u := usesOf(p)
		again = false
		for _, b := range blocks(p) {
			again = u.prune(b) || again
		}
	}
	u := usesOf(p)
	p.Variables = slices.DeleteFunc(p.Variables, func(v *strand.Variable) bool {
		occurs := u.variables[v] || slices.ContainsFunc(v.Parts, func(l *ein.Local) bool { return u.read[l] || u.assigned[l] })
		return v.Role == strand.Temporary && !occurs
	})
	p.Kernels = slices.DeleteFunc(p.Kernels, func(k *strand.Kernel) bool { return !u.kernels[k] })
}

// uses is what occurs in a program.
type uses struct {
	read, assigned, temporary map[*ein.Local]bool
	variables                 map[*strand.Variable]bool
	kernels                   map[*strand.Kernel]bool
}

func usesOf(p *strand.Program) *uses {
	u := &uses{map[*ein.Local]bool{}, map[*ein.Local]bool{}, map[*ein.Local]bool{}, map[*strand.Variable]bool{}, map[*strand.Kernel]bool{}}
	for _, v := range p.ByRole(strand.Temporary) {
		for _, l := range v.Parts {
			u.temporary[l] = true
		}
	}
	for _, b := range blocks(p) {
		strand.Walk(*b, u.stmt)
	}
	for _, e := range creation(p) {
		u.expr(*e)
	}
	for _, i := range p.Create.Iterators {
		u.variable(i.Variable)
	}
	return u
}

func (u *uses) expr(e ein.Expr) {
	ein.Walk(e, func(e ein.Expr) bool {
		if r, ok := e.(*ein.LocalRef); ok {
			u.read[r.Local] = true
		}
		return true
	})
}

// variable notes that all of a variable is used.
func (u *uses) variable(v *strand.Variable) {
	u.variables[v] = true
	for _, l := range v.Parts {
		u.read[l] = true
	}
}

func (u *uses) stmt(s strand.Stmt) {
	for _, e := range operands(s) {
		u.expr(*e)
	}
	for _, l := range places(s) {
		u.read[*l] = true
	}
	for _, v := range whole(s) {
		u.variable(v)
	}
	for _, l := range targets(s) {
		u.assigned[l] = true
	}
	switch s := s.(type) { // statements that stay
	case *strand.ForRange:
		u.variable(s.Variable)
	case *strand.ForEach:
		u.variable(s.Variable)
	case *strand.Build:
		u.variables[s.To] = true
	case *strand.Element:
		u.variables[s.To] = true
	case *strand.Query:
		u.variables[s.To] = true
	case *strand.Get:
		u.variables[s.To] = true
	case *strand.Reduce:
		u.variable(s.Strand)
	case *strand.Sample:
		u.kernels[s.Kernel] = true
	}
}

// idle reports whether locals are temporaries that nothing reads.
func (u *uses) idle(locals ...*ein.Local) bool {
	return !slices.ContainsFunc(locals, func(l *ein.Local) bool { return !u.temporary[l] || u.read[l] })
}

// prune leaves out what a block computes for nobody, and reports whether there was something.
func (u *uses) prune(b *strand.Block) bool {
	changed := false
	*b = slices.DeleteFunc(*b, func(s strand.Stmt) bool {
		for _, inner := range inner(s) {
			changed = u.prune(inner) || changed
		}
		remove := false
		switch s := s.(type) {
		case *strand.Assign:
			remove = u.idle(s.To)
		case *strand.Length:
			remove = u.idle(s.To)
		case *strand.Count:
			remove = u.idle(s.To)
		case *strand.Eigen:
			remove = u.idle(targets(s)...)
			if !remove && len(s.Values) > 0 && len(s.Vectors) > 0 && u.idle(s.Vectors...) {
				s.Vectors = nil
			}
			if !remove && len(s.Values) > 0 && len(s.Vectors) > 0 && u.idle(s.Values...) {
				s.Values = nil
			}
		case *strand.Sample:
			before := len(s.Wanted)
			s.Wanted = slices.DeleteFunc(s.Wanted, func(c strand.Component) bool { return u.idle(c.To) })
			changed = changed || len(s.Wanted) < before
			remove = len(s.Wanted) == 0
		case *strand.If:
			remove = len(s.Then)+len(s.Else) == 0
		}
		changed = changed || remove
		return remove
	})
	return changed
}
