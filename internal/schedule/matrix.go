package schedule

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

// How matrix units are scheduled
//
// A matrix unit multiplies a tile of some rows of groups along the reduction with one of
// groups for every column, and adds the products to a tile of results that stays in it. The
// mark "matrix" of a loop over groups says that it computes all that is below the
// accumulators:
//
//	accumulate S0 register
//	  band S0.k group 2 matrix | S0.i unroll | S0.j vector 16 unroll
//
// The loops below are over points only, so their order means nothing. The operands are those
// of groups: the one along the vector is placed in groups, the other is read as it lies, a
// row at a time. The block of results may have any size; what is no whole tile is a smaller
// one. A processor without such a unit computes the same by vectors, which is found out when
// the kernel runs.
//
// Besides bytes, matrix units take bfloat16, whose products they sum in float32: in an order
// of their own, and with 0 for numbers that are smaller than the smallest normal one.
//
// They multiply float32 in parts (ein/parts.go), for which groups are of one element:
//
//	accumulate S0 output
//	  band S0.k group 1 matrix | S0.i | S0.j vector 16
//
// The target makes the parts of both operands as they lie, in an order of its own, with room for them
// on the stack. So a block is large, and its results stay in the output; no place is needed. No number
// is taken for 0 then.

// A Tile is what one instruction of a matrix unit multiplies: Rows of Groups of one operand with Groups of Columns of the
// other, where groups and results have 32 bits.
type Tile struct{ Rows, Columns, Groups int64 }

// TileOf returns the largest tile of a machine: a row of an operand has as many groups as one of results columns, and each
// is a row of the other operand.
func TileOf(m *machine.Processor) Tile {
	rows, columns := max(1, m.Whole(machine.TileRows)), max(1, m.Whole(machine.TileRow)/bytesInWord)
	return Tile{rows, columns, min(rows, columns)}
}

// Products is how many groups are multiplied at a time.
func (t Tile) Products() int64 { return t.Rows * t.Columns * t.Groups }

// TilesOfBlock is how many tiles a block of 2 x 2 tiles of results takes: theirs, and two of each operand.
const TilesOfBlock = 8

// matrixNest returns why a statement's loops below its accumulators are not for a matrix
// unit, or "".
func (c *checker) matrixNest(s int, t tensor.DType, st state) string {
	if !machine.InMatrices(t) {
		return "matrix units take bytes, bfloat16, and float32 in groups of one"
	}
	acc, ok := st.accumulators[s].(*Accumulate)
	if !ok {
		return "it has no accumulators"
	}
	for n := acc.Child; ; {
		switch b := n.(type) {
		case *Leaf:
			return ""
		case *Band:
			for _, m := range b.Members {
				if m.Tile != 1 || m.concurrent() != "" || m.Reverse || m.Pad || len(m.Loops) > 1 || len(m.Loops[0].By) > 0 || len(m.Skews) > 0 {
					return "between the accumulators and the point are loops over points only, and " + c.words.Loop(m) + " is none"
				}
			}
			n = b.Child
		default:
			return "something else than loops is between the accumulators and the point"
		}
	}
}

// MatrixBelow returns the reduced index of a statement whose groups are multiplied by a
// matrix unit in a subtree, and their size; nil for none.
func MatrixBelow(s int, c *ein.Comprehension, n Node) (index *ein.Index, size int) {
	for _, i := range ein.Reduced(c) {
		size := markBelow(s, i.Name, n, func(m *Member) int {
			if m.Matrix {
				return m.Group
			}
			return 0
		})
		if size > 0 {
			return i, size
		}
	}
	return nil, 0
}
