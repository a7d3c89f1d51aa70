package tc

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestListedFunctions checks that the explanation of an unknown name has every
// function, since messages refer to it for the list.
func TestListedFunctions(t *testing.T) {
	info, _ := source.Lookup(source.CodeUnknownName)
	listed := map[string]bool{}
	for _, word := range strings.FieldsFunc(info.Explanation, func(r rune) bool { return strings.ContainsRune(" .,:;", r) }) {
		listed[word] = true
	}
	for _, b := range ein.Builtins() {
		if !listed[b.Name] {
			t.Errorf("%s is not in the explanation of %s", b.Name, source.CodeUnknownName)
		}
	}
	for name := range otherFunctions {
		if functionOfLanguage(name) {
			t.Errorf("%s exists and needs no replacement", name)
		}
	}
}
