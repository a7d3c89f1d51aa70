package ein_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/source"
)

func TestRandomFunctions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := eintest.FuncWith(t, eintest.Options{Exact: rapid.Bool().Draw(t, "exact")})
		if err := ein.Verify(f); err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
		text := ein.Print(f)
		again, err := ein.ParseFunc("printed", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got := ein.Print(again); got != text {
			t.Fatalf("printed\n%s\nprinted again\n%s", text, got)
		}
		if err := ein.Verify(again); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		sizes := eintest.Sizes(t)
		shapes, err := f.Shapes(sizes)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range f.ByRole(ein.Temp) {
			delete(shapes, x.Name)
		}
		if bound, err := f.Bind(shapes, sizes); err != nil || len(bound) != len(sizes) {
			t.Fatalf("%v\n%s", err, text)
		}
		special, err := f.Specialise(sizes, map[string]bool{"M": true, "s": true})
		if err != nil {
			t.Fatal(err)
		}
		if err := ein.Verify(special); err != nil {
			t.Fatalf("%v\n%s", err, special)
		}
	})
}

func FuzzParseFunction(f *testing.F) {
	for n := range 20 {
		f.Add(ein.Print(rapid.Custom(eintest.Func).Example(n)))
	}
	f.Fuzz(func(t *testing.T, text string) {
		program, err := ein.Parse(source.NewFile("fuzz", text))
		if err != nil {
			return
		}
		for _, f := range program.Funcs {
			if ein.Verify(f) != nil {
				continue
			}
			printed := ein.Print(f)
			again, err := ein.ParseFunc("printed", printed)
			if err != nil || ein.Print(again) != printed {
				t.Fatalf("%v\n%s", err, printed)
			}
		}
	})
}
