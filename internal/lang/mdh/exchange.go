package mdh

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// checkMix judges the combine operators together. Lemma 1 of the paper allows ++
// beside pw of one associative and commutative operator; ps of the same operator
// satisfies the exchange law with both. Everything else is tried.
func (c *instance) checkMix() {
	h := c.syntax.Hom
	stated := assumed(c, h.Assumed, "exchange", "homomorphism")
	if h.Ordered != nil || stated["exchange"] {
		return
	}
	list := c.combined()
	for n, first := range list {
		for _, second := range list[n+1:] {
			lawful := first.op.laws.associative && first.op.laws.commutative
			if first.op.key == second.op.key && lawful || first.op.laws.ordered || second.op.laws.ordered {
				continue // an ordered operator was reported
			}
			if !c.exchange(c.shape(), operand{first.op.syntax, first.op.key, first}, operand{second.op.syntax, second.op.key, second}) {
				return
			}
		}
	}
}

// An operand is a combine operator of a dimension.
type operand struct {
	op  *syntax.OperatorRef
	key string
	of  *dimension
}

// exchange tries (a ⊗ b) ⊕ (c ⊗ d) = (a ⊕ c) ⊗ (b ⊕ d) for the operators of two
// dimensions.
func (c *instance) exchange(shape value, f, g operand) bool {
	x, y := "⊗", "⊕"
	v := c.try(shape, law{"exchange", 4, fmt.Sprintf("(a %s b) %s (c %s d)", x, y, x), fmt.Sprintf("(a %s c) %s (b %s d)", y, x, y),
		func(o []value) (value, value) {
			left := c.combine(g.op, c.combine(f.op, o[0], o[1]), c.combine(f.op, o[2], o[3]))
			right := c.combine(f.op, c.combine(g.op, o[0], o[2]), c.combine(g.op, o[1], o[3]))
			return left, right
		}})
	switch {
	case v.broken:
		c.errorf(source.CodeMDHExchange, g.of.syntax.Pos, "%s over %s and %s over %s cannot be exchanged: the result depends on which is combined first",
			f.key, f.of.index.Name, g.key, g.of.index.Name).
			WithNote(source.Span{}, "with ⊗ = %s and ⊕ = %s, %s", f.key, g.key, v.example).
			WithHelp("write md_hom<…>(…, (…), ordered) if the last dimension is to be combined first, or split the computation in two")
	case v.undecided:
		c.errorf(source.CodeMDHUndecidable, g.of.syntax.Pos, "it cannot be decided whether %s and %s can be exchanged: no random values give a finite result", f.key, g.key).
			WithHelp("state it: md_hom<…>(…, (…), assume exchange)")
	}
	return !v.broken && !v.undecided
}
