package rewrite_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

// TestMovedMeaning evaluates the function of the golden before and after: random
// functions are too small to be cut.
func TestMovedMeaning(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/moved.txtar")
	if err != nil {
		t.Fatal(err)
	}
	f, err := ein.ParseFunc("in", string(archive.Files[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	g, err := rewrite.Optimise(f, numerics.Default)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Body) < 5 {
		t.Fatalf("not cut:\n%s", ein.Print(g))
	}
	args, err := eintest.Arguments(1, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	sameResults(t, f, g, args, nil)
}
