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

// PartsLines is how many rows or columns a panel has of which parts are made, and how many members of the sum a step.
// Beside the panels that are kept of one operand two of the other one pass by: one is multiplied, while the next is made.
const PartsLines, passingPanels = 32, 2

// Usually a pass has at most PartsSteps steps, and keeps at most PartsPanels of one operand; all parts together have
// PartsRoomBytes. So they stay in a second-level cache of 1 MB or more.
const (
	PartsSteps     = 16
	PartsPanels    = 32
	PartsRoomBytes = (128 + passingPanels*PartsSteps) * PartsBlockBytes
)

// A block of parts is that of a panel at a step; a part has 16 bits.
const (
	partsOfBlock    = PartsLines * PartsLines * Parts
	PartsBlockBytes = partsOfBlock * 2
)

// PartsRoom is how many parts there are at once for a product of so many rows and columns, with so many members of
// each of some sums, that is cut in some way: those of so many bytes at most, but of a step at least.
func PartsRoom(b Blocking, bytes, rows, columns, members, sums int64) int64 {
	pass, most := b.Complete().Pass, max(bytes/PartsBlockBytes, LeastPartsBlocks)
	blocks := func(n, most int64) int64 { return min((max(n, 1)-1)/PartsLines+1, most) }
	steps := min(blocks(members, pass)*min(max(sums, 1), pass), pass)
	kept := max(1, most-passingPanels*pass)
	kept = min(blocks(min(rows, columns), kept)*steps, kept)
	return min(kept+passingPanels*steps, most) * partsOfBlock
}

// LeastPartsBlocks is how many blocks of parts there is room for at least: of a panel that is kept, and of those that pass by.
const LeastPartsBlocks = 1 + passingPanels

// PartsWindowsRoomBytes is how much room there usually is for parts where windows are multiplied, as much as the stack of a
// thread has beside others, and PartsShifts how many shifts a window has at most.
const PartsWindowsRoomBytes, PartsShifts = 896 << 10, 256
