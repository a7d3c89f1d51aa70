// Package notations is the table of the notations that Ricci reads.
package notations

import (
	"path/filepath"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/mdh"
	"github.com/ricci-lang/ricci/internal/lang/tc"
	"github.com/ricci-lang/ricci/internal/lang/teil"
	"github.com/ricci-lang/ricci/internal/lang/teml"
)

// All returns the notations. A new one is a row here.
func All() []*lang.Notation {
	return []*lang.Notation{tc.Notation(), mdh.Notation(), teil.Notation(), teml.Notation()}
}

// Extensions lists the extensions of all notations.
func Extensions() []string {
	var list []string
	for _, n := range All() {
		list = append(list, n.Extension)
	}
	return list
}

// Of returns the notation of a file: that with the extension of its name, Tensor
// Comprehensions where no notation has it.
func Of(name string) *lang.Notation {
	if n, ok := Lookup(filepath.Ext(name)); ok {
		return n
	}
	return tc.Notation()
}

// Lookup finds a notation by its extension.
func Lookup(extension string) (*lang.Notation, bool) {
	for _, n := range All() {
		if n.Extension == extension {
			return n, true
		}
	}
	return nil, false
}
