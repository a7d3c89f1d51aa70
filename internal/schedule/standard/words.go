package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// How bytes are made of wider numbers
//
// gcc 12 has no instruction of AVX2 that makes bytes of vectors of 32 bits, and takes them apart lane by lane: with
// one for 16 bits, and then for 8, the quantisation of floats takes a third of the time or less. Where compilers have
// such an instruction, two are no better (machine.Ratios.ByteCasts).

// makeWords marks the vectors of all statements of a tree that make bytes of wider numbers.
func makeWords(f *ein.Func, t *schedule.Tree, m *machine.Processor) {
	if m.Ratios().ByteCasts <= 1 {
		return
	}
	eachVector(t.Root, func(member *schedule.Member) {
		member.Words = slices.ContainsFunc(member.Loops, func(l schedule.Loop) bool { return makesBytes(f.Body[l.Statement]) })
	})
}

// eachVector visits the vector loops of a tree.
func eachVector(n schedule.Node, visit func(*schedule.Member)) {
	if b, ok := n.(*schedule.Band); ok {
		for _, m := range b.Members {
			if m.Vector > 0 {
				visit(m)
			}
		}
	}
	for _, child := range schedule.Children(n) {
		eachVector(child, visit)
	}
}

// makesBytes reports whether a statement converts data of 32 bits or more to integers of 8.
func makesBytes(c *ein.Comprehension) (found bool) {
	for _, v := range c.Values {
		ein.Walk(v, func(e ein.Expr) bool {
			cast, ok := e.(*ein.Cast)
			if ok && cast.To.IsInteger() && cast.To.Size() == tensor.Int8.Size() && ein.DependsOnData(cast.X) {
				found = found || cast.X.Type().Compute().Size() >= tensor.Int32.Size()
			}
			return !found
		})
	}
	return found
}
