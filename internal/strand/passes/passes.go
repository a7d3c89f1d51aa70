// Package passes improves programs of strands: what is computed twice is computed once, probes of one
// position become one, and what nobody reads is left out.
package passes

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// How it works
//
// The passes rest on temporaries that one statement of the program assigns, as lowerings make them:
// where such a one has a value at all, it is the same in all that is dominated by the statement,
// and blocks have the structure of the text, so what dominates stands above in the same block or in
// one around it. Names are unique, so the text of an expression is a key for its value.
//
// Share (share.go) walks down with the expressions that are known, those of a value that may have
// changed since being left out, replaces what is computed again, and joins probes. Prune (prune.go)
// walks until nothing changes and leaves out temporaries that nothing reads. Both change the
// program in place and are exact: they never change a result, and a fault only by leaving out the
// probe whose number is not used.

// Run applies all passes.
func Run(p *strand.Program) {
	Share(p)
	Prune(p)
}

// An operand is an expression of a statement, to be read or replaced.
type operand = *ein.Expr

// operands are the expressions of a statement itself, without those of the blocks in it.
func operands(s strand.Stmt) []operand {
	switch s := s.(type) {
	case *strand.Assign:
		return []operand{&s.Value}
	case *strand.If:
		return []operand{&s.Cond}
	case *strand.ForRange:
		return []operand{&s.Low, &s.High}
	case *strand.Build:
		var list []operand
		for k := range s.Items {
			list = append(list, all(s.Items[k].Parts)...)
		}
		return list
	case *strand.Element:
		return []operand{&s.At}
	case *strand.Query:
		return append(all(s.Center), &s.Radius)
	case *strand.Reduce:
		return []operand{&s.Value}
	case *strand.New:
		return all(s.Arguments)
	case *strand.Eigen:
		return all(s.Of)
	case *strand.ForEach, *strand.Length, *strand.Get, *strand.Count, *strand.Sample, *strand.Exit, *strand.AllExit, *strand.Message:
		return nil
	}
	panic(unknown(s))
}

// Expressions are those of a statement itself, without those of the blocks in it.
func Expressions(s strand.Stmt) []ein.Expr {
	var list []ein.Expr
	for _, e := range operands(s) {
		list = append(list, *e)
	}
	return list
}

// unknown is the defect of a kind of statement that was added and is not listed here: it must not pass as one that reads and
// assigns nothing.
func unknown(s strand.Stmt) error {
	return source.Internalf("strand/passes", source.Span{}, "a statement is a %T", s)
}

func all(list []ein.Expr) []operand {
	places := make([]operand, len(list))
	for k := range list {
		places[k] = &list[k]
	}
	return places
}

// places are the locals that a statement reads, and that are no expressions, to be replaced by others.
func places(s strand.Stmt) []**ein.Local {
	sample, ok := s.(*strand.Sample)
	if !ok {
		return nil
	}
	var list []**ein.Local
	for _, read := range [][]*ein.Local{sample.At, sample.Outside} {
		for k := range read {
			list = append(list, &read[k])
		}
	}
	return list
}

// targets are the locals that a statement itself assigns.
func targets(s strand.Stmt) []*ein.Local {
	switch s := s.(type) {
	case *strand.Assign:
		return []*ein.Local{s.To}
	case *strand.Length:
		return []*ein.Local{s.To}
	case *strand.Count:
		return []*ein.Local{s.To}
	case *strand.ForRange:
		return s.Variable.Parts
	case *strand.ForEach:
		return s.Variable.Parts
	case *strand.Element:
		return s.To.Parts
	case *strand.Get:
		return s.To.Parts
	case *strand.Reduce:
		return append([]*ein.Local{s.To}, s.Strand.Parts...)
	case *strand.Eigen:
		return append(append([]*ein.Local{}, s.Values...), s.Vectors...)
	case *strand.Sample:
		var list []*ein.Local
		for _, w := range s.Wanted {
			list = append(list, w.To)
		}
		return list
	case *strand.If, *strand.Build, *strand.Query, *strand.New, *strand.Exit, *strand.AllExit, *strand.Message:
		return nil
	}
	panic(unknown(s))
}

// whole are the variables that a statement reads as such: sequences, strands, and what is printed.
func whole(s strand.Stmt) []*strand.Variable {
	switch s := s.(type) {
	case *strand.ForEach:
		return []*strand.Variable{s.Sequence}
	case *strand.Build:
		var list []*strand.Variable
		for _, i := range s.Items {
			if i.Sequence != nil {
				list = append(list, i.Sequence)
			}
		}
		return list
	case *strand.Length:
		return []*strand.Variable{s.Sequence}
	case *strand.Element:
		return []*strand.Variable{s.Sequence}
	case *strand.Get:
		return []*strand.Variable{s.Strand}
	case *strand.Message:
		var list []*strand.Variable
		for _, part := range s.Parts {
			if part.Variable != nil {
				list = append(list, part.Variable)
			}
		}
		return list
	}
	return nil
}

// inner are the blocks of a statement, to be replaced.
func inner(s strand.Stmt) []*strand.Block {
	switch s := s.(type) {
	case *strand.If:
		return []*strand.Block{&s.Then, &s.Else}
	case *strand.ForRange:
		return []*strand.Block{&s.Body}
	case *strand.ForEach:
		return []*strand.Block{&s.Body}
	case *strand.Reduce:
		return []*strand.Block{&s.Body}
	}
	return nil
}

// blocks are the blocks of a program.
func blocks(p *strand.Program) []*strand.Block {
	return []*strand.Block{&p.Initialize, &p.Create.Before, &p.Create.Body, &p.Begin, &p.Start, &p.Update, &p.Stabilize, &p.GlobalStart, &p.GlobalUpdate}
}

// creation are the expressions of the creation, which is no statement.
func creation(p *strand.Program) []operand {
	list := all(p.Create.Arguments)
	for k := range p.Create.Iterators {
		list = append(list, &p.Create.Iterators[k].Low, &p.Create.Iterators[k].High)
	}
	return list
}
