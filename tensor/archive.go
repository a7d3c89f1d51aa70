package tensor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An Archive is a file of several named tensors, which are read one by one. It
// may be used from several goroutines.
type Archive interface {
	// Names returns the names of the tensors, sorted.
	Names() []string
	// Read returns one tensor; it stays valid after Close.
	Read(name string) (*Tensor, error)
	// Close closes the file.
	Close() error
}

// readAll returns all tensors of an archive.
func readAll(a Archive) (map[string]*Tensor, error) {
	all := map[string]*Tensor{}
	for _, name := range a.Names() {
		t, err := a.Read(name)
		if err != nil {
			return nil, err
		}
		all[name] = t
	}
	return all, nil
}

// noMember is the error for a name that an archive does not have.
func noMember(format, name string, names []string) error {
	const shown = 20
	list := strings.Join(names[:min(shown, len(names))], ", ")
	if len(names) > shown {
		list += ", …"
	}
	return &FileError{
		Format: format, Offset: -1, Reason: fmt.Sprintf("there is no tensor %q", name),
		Help: fmt.Sprintf("the file has %d: %s", len(names), list),
	}
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
