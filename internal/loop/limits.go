package loop

// How much loops are written out
//
// What makes loops, and the passes on them, take a few decisions that no tree says: how long a text may be, and how many
// vectors are named before a loop. None of them is a fact of a machine. The first ones bound the text that a compiler
// reads, on any processor; the others count on the 16 vector registers that all processors have, of which half are
// left to the rest of a loop. They stand here and nowhere else: a test reads the constants of the rooms below.

// Of the length of a text.
const (
	// MostRegisters is how many elements a buffer has at most whose subscripts become constant: no
	// processor has as many registers, and loops over more of them, written out, keep a compiler busy
	// for minutes (19500 accumulators of a drawn schedule).
	MostRegisters = 512
	// MostWrittenOut is how many results of a register tile are passed on by statements of their own; there is a loop
	// over those of larger blocks.
	MostWrittenOut = 64
	// MostRecomposed is the same where each is the combination of the partial results of chunks, in a loop of its own.
	MostRecomposed = 8
	// MostOfBurst is how many values are computed before the first one is stored.
	MostOfBurst = 32
	// MostProducts is how many products of a window are written out: a longer text is slow to compile.
	MostProducts = 640
	// MostInPieces is how many members may be visited in pieces: there are 16 trees to check for the last one.
	// The tiles of further members stay whole.
	MostInPieces = 4
)

// Of what is kept in registers.
const (
	// MostHoisted is how many vectors are read before a loop with tests.
	MostHoisted = 8
	// MostTaps is how many vectors of a filter stay in registers beside the sums of a window.
	MostTaps = 8
	// MostRows is how many rows of a tile keep their last vectors, in registers or near, until their lines are whole.
	MostRows = 16
	// MostWoven is the greatest distance between lanes that are woven: targets store whole vectors up to it.
	MostWoven = 4
)
