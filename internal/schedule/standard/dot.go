package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// chooseGroups decides whether the reduction goes by groups, where the machine has
// instructions for it: along the innermost index of several points, or by the matrix unit.
func (k *contraction) chooseGroups() {
	_, _, size := ein.DotOf(k.c)
	if size == 0 || len(k.outer) > 0 || len(k.inner) == 0 || k.chooseMatrix() || !k.mk.multipliesGroups(k.c) {
		return
	}
	last := k.inner[len(k.inner)-1]
	along, _, why := schedule.DotOperands(k.c, last, k.vector, size)
	if why == "" && estimate(last.Extent) >= int64(size) && k.packable(along) {
		k.group, k.groupSize = last, int64(size)
	}
}

// flips reports whether one operand of the groups is multiplied with its sign bits flipped:
// the machine has only instructions for bytes of which one operand has signs, and there are
// several rows to share what that adds.
func (k *contraction) flips() bool {
	rows := int64(1)
	for _, i := range k.rows {
		rows *= k.tileOf(i)
	}
	return k.mk.flips(k.c, rows)
}

// flips is the same for a statement of whose tiles so many rows share a vector.
func (mk *maker) flips(c *ein.Comprehension, rows int64) bool {
	x, y, size := ein.DotOf(c)
	return size == 4 && x.Tensor.Type == y.Tensor.Type && rows > 1 && slices.Contains(mk.m.Features, "avx512vnni")
}

// multipliesGroups reports whether vectors multiply groups of the operands of a statement.
func (mk *maker) multipliesGroups(c *ein.Comprehension) bool {
	x, _, size := ein.DotOf(c)
	return size > 0 && !x.Tensor.Type.IsFloat() && mk.m.MultipliesGroups()
}

// operandBytes is the size of an element of the operands as register tiles read them.
func (k *contraction) operandBytes() int64 {
	if k.group != nil {
		return int64(k.c.Values[0].Type().Size()) / k.groupSize
	}
	return int64(k.c.Values[0].Type().Size())
}
