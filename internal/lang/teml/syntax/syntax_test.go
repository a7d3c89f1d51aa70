package syntax

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang/langtest"
)

var tested = langtest.Syntax[*File]{
	Extension: ".teml", Parse: Parse, Format: Format,
	Tree: func(b *strings.Builder, f *File) error { return Dump(b, f.Source) },
}

func TestFormat(t *testing.T) { tested.TestFormat(t) }
func TestDump(t *testing.T)   { tested.TestDump(t, "tree") }
func TestErrors(t *testing.T) { tested.TestErrors(t) }

func FuzzParse(f *testing.F) {
	tested.Fuzz(f, "E12", "fun f(x, y) { t = @C:g(x, [[i], , ε] -> [i]) # c\n return if not -x[1] ≤ 2 and true then x ‖ [] else y }; codegen n(l) → A, B unchecked\noption type float32")
}
