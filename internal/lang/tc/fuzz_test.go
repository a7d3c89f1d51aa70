package tc

import (
	"errors"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/langtest"
	"github.com/ricci-lang/ricci/internal/source"
)

// FuzzCompile compiles any text: it never panics, and what is accepted verifies
// and prints as text that parses.
func FuzzCompile(f *testing.F) {
	langtest.Seeds(f, "")
	f.Add("def f(int s, half(N) A, int(N) J) -> (P, B) { P argmin=! pad(A(s*i+k), 0) where k in 0:3, i in 0:N or empty  B(i) scan(i) += clamp(A(J(i))) * x where x = A(i) % 2 }")
	noFiles := Options{Importer: &lang.Importer{Open: func(string) (*source.File, error) { return nil, errors.New("no files") }}}
	langtest.Compiler(func(file *source.File, _ lang.Options) (*lang.Unit, *source.Diagnostics) {
		return Compile(file, noFiles)
	}).Fuzz(f, "fuzz.tc")
}
