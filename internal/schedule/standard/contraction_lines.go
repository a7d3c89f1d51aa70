package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

const (
	leastOfLine = 4    // the part of a line for whose elements a copy is worth a loop of its own
	mostUses    = 1024 // of a copied element; with more it does not matter what it costs
)

// wholeLines looks among the loops over the columns for one that steps from neighbour to
// neighbour in an operand that is copied inside of it: each copy would take one element of each
// line, of an operand that does not stay near. It cuts this loop so that a copy
// takes whole lines, as far as the second-level cache and the stack have room, and returns the
// loops around the copy and the one over the elements of a line, which belongs inside of it. Of
// Z[a,b,c,d] = Σ X[d,b,e,a]·Y[e,c], 48 x 32 x 32 x 48 with 32 steps, floats, one thread takes
// 0.24 of the time; of Z[a,c,b] = Σ X[d,b,c]·Y[d,a], 32 x 200 x 40 with 256 steps, 0.7. CCSD(T),
// which uses each element 6144 times, would gain nothing.
func (k *contraction) wholeLines(columns []*schedule.Member) (around, inside []*schedule.Member) {
	if k.spans(k.rows) > mostUses {
		return columns, nil
	}
	for _, a := range k.operands {
		if !k.onColumns(a) || !k.packable(a) || !k.packsColumns(a) || k.mk.along(k.c, a.Tensor, a.Subscripts, k.vector) == unit ||
			pointsOf(k.c, a)*int64(a.Tensor.Type.Size()) <= k.mk.m.L2/4 {
			continue
		}
		for n, m := range columns {
			i := k.indexOf(m)
			if m.Tile != 1 || k.mk.along(k.c, a.Tensor, a.Subscripts, i) != unit {
				continue
			}
			points := min(k.span(i), k.mk.line()/int64(a.Tensor.Type.Size()), k.copiedRoom(columns))
			if points*leastOfLine < min(k.span(i), k.mk.line()/int64(a.Tensor.Type.Size())) || points < 2 {
				continue
			}
			inside = []*schedule.Member{k.member(i, 1)}
			if points == k.span(i) {
				return slices.Delete(slices.Clone(columns), n, n+1), inside
			}
			around = slices.Clone(columns)
			around[n] = k.member(i, points)
			around[n].Coincident = true
			return around, inside
		}
	}
	return columns, nil
}

// copiedRoom is for how many blocks of the columns inside of some loops over them the copy has
// room, beside those of the rows.
func (k *contraction) copiedRoom(around []*schedule.Member) int64 {
	block := k.stepsInBlock() * k.operandBytes()
	for _, i := range k.columns {
		n := roundUp(k.span(i), k.tileOf(i))
		for _, m := range around {
			if k.indexOf(m) == i {
				n = m.Tile
			}
		}
		block = schedule.MultiplySizes(block, n)
	}
	stack := int64(machine.StackBytes * 7 / 8)
	for _, a := range k.operands {
		if !k.onColumns(a) && k.packable(a) && k.packsRows(a) {
			stack -= schedule.MultiplySizes(k.stepsInBlock()*k.operandBytes(), schedule.MultiplySizes(k.spans(k.rows), k.columnsOfRows()))
		}
	}
	return max(0, min(k.mk.m.L2/2, stack)) / max(1, block)
}

// indexOf is the index of a loop.
func (k *contraction) indexOf(m *schedule.Member) *ein.Index {
	at := slices.IndexFunc(k.c.Indices, func(i *ein.Index) bool { return i.Name == m.Loops[0].Index })
	return k.c.Indices[at]
}
