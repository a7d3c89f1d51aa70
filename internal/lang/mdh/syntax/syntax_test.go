package syntax

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang/langtest"
)

var tested = langtest.Syntax[*File]{
	Extension: ".mdh", Parse: Parse, Format: Format, Print: Print,
	Tree: func(b *strings.Builder, f *File) error { // of all computations; Print has the other declarations
		for _, c := range f.Computations {
			if err := Dump(b, f.Source, c.Name.Name); err != nil {
				return err
			}
		}
		return nil
	},
}

func TestFormat(t *testing.T)   { tested.TestFormat(t) }
func TestErrors(t *testing.T)   { tested.TestErrors(t) }
func TestExamples(t *testing.T) { tested.TestExamples(t, "../../../../examples/mdh/*.mdh", nil) }

func FuzzParse(f *testing.F) {
	tested.Fuzz(f, "E10", "op m<T>(l: T, (r, _)) = let (a, b): T = iterate 3 with (x = {0x1F}) while !true do -x.f[1];\n if a ≤ b ∧ c then (1, 2) else f() identity 0 assume associative ordered # c")
}
