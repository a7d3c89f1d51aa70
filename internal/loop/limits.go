package loop

// How long texts may become
//
// Loops that are written out are for compilers to read. How long such a text may become is a matter of how long
// compilers take, on any processor: these bounds are no facts of a machine, and stand together here.

const (
	// MostRegisters is how many elements a buffer has at most whose subscripts become constant: no
	// processor has as many registers, and loops over more of them, written out, keep a compiler busy
	// for minutes (19500 accumulators of a drawn schedule).
	MostRegisters = 512
)
