package syntax

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang/langtest"
)

var tested = langtest.Syntax[*File]{
	Extension: ".diderot", Parse: Parse, Format: Format,
	Tree: func(b *strings.Builder, f *File) error { return Dump(b, f) },
}

func TestFormat(t *testing.T) { tested.TestFormat(t) }
func TestDump(t *testing.T)   { tested.TestDump(t, "tree") }
func TestErrors(t *testing.T) { tested.TestErrors(t) }
