package transform

import (
	"github.com/ricci-lang/ricci/internal/ein"
)

// blame says which step an error is from.
func blame(f *ein.Func, nests []*Nest, options Options, err error) error { return err }
