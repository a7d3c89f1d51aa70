package tc

import (
	"errors"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// FuzzCompile compiles any text: it never panics, and what is accepted verifies
// and prints as text that parses.
func FuzzCompile(f *testing.F) {
	for _, info := range source.Codes() {
		f.Add(info.Example)
		f.Add(info.Fix)
	}
	f.Add("def f(int s, half(N) A, int(N) J) -> (P, B) { P argmin=! pad(A(s*i+k), 0) where k in 0:3, i in 0:N or empty  B(i) scan(i) += clamp(A(J(i))) * x where x = A(i) % 2 }")
	f.Fuzz(func(t *testing.T, text string) {
		file := source.NewFile("fuzz.tc", text)
		unit, _ := Compile(file, Options{Open: func(string) (*source.File, error) { return nil, errors.New("no files") }})
		for _, fn := range unit.Program.Funcs {
			if err := ein.Verify(fn); err != nil {
				t.Fatalf("%v\n%s", err, ein.Print(fn))
			}
		}
	})
}
