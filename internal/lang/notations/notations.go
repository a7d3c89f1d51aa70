// Package notations is the table of the notations that Ricci reads.
package notations

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/diderot"
	"github.com/ricci-lang/ricci/internal/lang/mdh"
	"github.com/ricci-lang/ricci/internal/lang/tc"
	"github.com/ricci-lang/ricci/internal/lang/teil"
	"github.com/ricci-lang/ricci/internal/lang/teml"
	"github.com/ricci-lang/ricci/internal/source"
)

// All returns the notations. A new one is a row here.
func All() []*lang.Notation {
	return []*lang.Notation{tc.Notation(), mdh.Notation(), teil.Notation(), teml.Notation(), diderot.Notation()}
}

// Extensions lists the extensions of all notations.
func Extensions() []string {
	var list []string
	for _, n := range All() {
		list = append(append(list, n.Extension), n.Also...)
	}
	return list
}

// Of returns the notation of a file that was read: that with the extension of its name, Tensor
// Comprehensions for a text that is in no file.
func Of(name string) *lang.Notation {
	if n, ok := Lookup(filepath.Ext(name)); ok {
		return n
	}
	return tc.Notation()
}

// For returns the notation of a file by the extension of its name; an error where no notation
// has it.
func For(name string) (*lang.Notation, error) {
	if notation, ok := Lookup(filepath.Ext(name)); ok {
		return notation, nil
	}
	return nil, unknownExtension(name)
}

func unknownExtension(name string) error {
	extension, found := filepath.Ext(name), "has no extension"
	if extension != "" {
		found = "has the extension " + extension
	}
	var list []string
	for _, n := range All() {
		list = append(list, n.Extension+" ("+n.Name+")")
	}
	var ds source.Diagnostics
	ds.Errorf(source.CodeExtension, source.Span{}, "%s %s; expected one of %s%s", name, found, strings.Join(list, ", "), source.DidYouMean(extension, Extensions())).
		WithHelp("name the file after the notation that it is written in, or give its text to the standard input, as in ricci check - < %s", name)
	return ds.Err()
}

// Lookup finds a notation by its extension.
func Lookup(extension string) (*lang.Notation, bool) {
	for _, n := range All() {
		if n.Extension == extension || slices.Contains(n.Also, extension) {
			return n, true
		}
	}
	return nil, false
}
