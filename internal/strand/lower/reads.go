package lower

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
)

// reads has the expressions of a statement itself, and what it reads besides: locals and variables.
func reads(s strand.Stmt) (exprs []ein.Expr, locals []*ein.Local) {
	switch s := s.(type) {
	case *strand.Assign:
		exprs = append(exprs, s.Value)
	case *strand.If:
		exprs = append(exprs, s.Cond)
	case *strand.ForRange:
		exprs = append(exprs, s.Low, s.High)
	case *strand.ForEach:
		locals = s.Sequence.Parts
	case *strand.Build:
		for _, item := range s.Items {
			exprs = append(exprs, item.Parts...)
			if item.Sequence != nil {
				locals = append(locals, item.Sequence.Parts...)
			}
		}
	case *strand.Element:
		exprs, locals = append(exprs, s.At), s.Sequence.Parts
	case *strand.Query:
		exprs = append(append(exprs, s.Radius), s.Center...)
	case *strand.Get:
		locals = s.Strand.Parts
	case *strand.New:
		exprs = s.Arguments
	case *strand.Message:
		for _, part := range s.Parts {
			if part.Variable != nil {
				locals = append(locals, part.Variable.Parts...)
			}
		}
	case *strand.Sample:
		locals = s.Reads()
	}
	return exprs, locals
}

// sequencesRead are the sequences that a statement reads as such.
func sequencesRead(s strand.Stmt) (list []*strand.Variable) {
	switch s := s.(type) {
	case *strand.ForEach:
		list = append(list, s.Sequence)
	case *strand.Element:
		list = append(list, s.Sequence)
	case *strand.Build:
		for _, item := range s.Items {
			if item.Sequence != nil {
				list = append(list, item.Sequence)
			}
		}
	case *strand.Message:
		for _, part := range s.Parts {
			if part.Variable != nil {
				list = append(list, part.Variable)
			}
		}
	}
	return list
}

// assigns are the scalars that a statement itself assigns.
func assigns(s strand.Stmt) (list []*ein.Local) {
	switch s := s.(type) {
	case *strand.Assign:
		list = append(list, s.To)
	case *strand.Length:
		list = append(list, s.To)
	case *strand.Count:
		list = append(list, s.To)
	case *strand.ForRange:
		list = s.Variable.Parts
	case *strand.ForEach:
		list = s.Variable.Parts
	case *strand.Element:
		list = s.To.Parts
	case *strand.Get:
		list = s.To.Parts
	case *strand.Sample:
		for _, c := range s.Wanted {
			list = append(list, c.To)
		}
	}
	return list
}
