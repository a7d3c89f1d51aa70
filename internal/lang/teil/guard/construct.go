package guard

import "github.com/ricci-lang/ricci/internal/source"

// A construct is something of ein that TeIL cannot say.
type construct struct {
	name  string // of what the program does
	needs string // what TeIL would need
}

// The table of constructs; docs/guard.md shows it.
var (
	dataSubscript    = &construct{"a subscript that depends on data and is not tested", "a proof that the data are places of the dimension"}
	curvedSubscript  = &construct{"a subscript that is no sum of indices and of maps of them", "an operation for its form"}
	overestimated    = &construct{"a subscript that reaches less than its terms by themselves", "a closer look at what the terms reach together"}
	guardedSubscript = &construct{"a subscript that only a condition keeps in bounds", "a proof that the condition does, which the guard does not find"}
	openSubscript    = &construct{"a subscript that is not proved to be in bounds", "a test while running"}
	scatteredWrite   = &construct{"a statement that does not write at an index or a place of each dimension", "an operation that scatters"}
	tupleOperator    = &construct{"a reduction of tuples, such as argmin", "expressions with several values"}
	userOperator     = &construct{"a reduction with an operator of the user", "a reduction whose operator is an expression"}
	emptyDimension   = &construct{"a dimension that may be empty", "sizes from 0; those of TeIL begin at 1"}
	hiddenSize       = &construct{"a size that is no dimension of a tensor and no scalar", "sizes that calls name"}
	missingOperation = &construct{"a function that TeIL has no operation for", "a row in the table of operations"}
)

// An inexpressible ends the lowering of a def.
type inexpressible struct {
	construct *construct
	pos       source.Span
	detail    string
}

func (e *inexpressible) Error() string { return e.construct.name + " " + e.detail }

func missing(c *construct, pos source.Span) error { return &inexpressible{construct: c, pos: pos} }
