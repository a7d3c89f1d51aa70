package ein

// How a unit for bfloat16 multiplies float32
//
// A number of 24 bits is the sum of three parts of 8: x = x₁ + x₂ + x₃, where each is what the
// ones before leave, rounded to the nearest bfloat16. The rest after two of them has 8 bits, so the
// sum is exact. As |x₂| ≤ 2⁻⁸|x| and |x₃| ≤ 2⁻¹⁷|x|, up to their binades,
//
//	x·y ≈ x₁y₁ + x₁y₂ + x₂y₁ + x₁y₃ + x₂y₂ + x₃y₁
//
// leaves out x₂y₃ + x₃y₂ + x₃y₃, at most 2⁻²⁴|x·y|: as much as rounding the product to float32
// does. Products of parts are exact in the unit, which adds them in float32 in an order of its own:
// 32 members of a group of tiles to each other first, so that a long sum has fewer roundings
// in a row than one of multiply-adds. It is as exact as sums of float32 in any order are allowed to be.
//
// The unit takes operands and sums smaller than the smallest normal number for 0, and infinities and
// numbers near them have no parts. So a target asks what it makes parts of: where the exponents of a
// block are such that something could be lost, or where a result is so small that it could
// matter, it computes this block in float32.

// Parts is how many parts an operand has, and PartsProducts how many products of parts one of numbers is.
const Parts, PartsProducts = 3, 6

// Parts are made of panels of PartsLines rows or columns, and of as many members of the sum at a step. A pass has
// at most PartsSteps steps. At most PartsPanels of one operand are kept, with at most PartsKept blocks of PartsLines
// by PartsLines parts, and those of the other one pass by, while the next one is made: all of them stay in a
// second-level cache of 1 MB or more.
const (
	PartsLines  = 32
	PartsSteps  = 16
	PartsPanels = 32
	PartsKept   = 128
)

// PartsRoom is how many parts there are at once for a product of so many rows and columns, with so many members of
// each of some sums.
func PartsRoom(rows, columns, members, sums int64) int64 {
	blocks := func(n, most int64) int64 { return min((max(n, 1)-1)/PartsLines+1, most) }
	steps := min(blocks(members, PartsSteps)*min(max(sums, 1), PartsSteps), PartsSteps)
	kept := min(blocks(min(rows, columns), PartsKept)*steps, PartsKept)
	return (kept + 2*steps) * PartsLines * PartsLines * Parts
}

// PartsWindowsRoom is how many parts there are at once where windows are multiplied, as many as the stack of a thread
// holds beside others, and PartsShifts how many shifts a window has at most.
const PartsWindowsRoom, PartsShifts = 448 << 10, 256
