package schedule

// Options are what the function does not say about a call.
type Options struct {
	// Strides gives the strides, in elements, of arguments by name; absent means
	// row-major and contiguous.
	Strides map[string][]int64
	// Constant names inputs that keep their contents from call to call.
	Constant []string
	// Unblocked leaves out blocks of sizes that are not known, for which a proof is needed
	// that they stay in bounds.
	Unblocked bool
	// Plain gives every statement tiles of its own and nothing else: fewer decisions that may be
	// wrong.
	Plain bool
}
