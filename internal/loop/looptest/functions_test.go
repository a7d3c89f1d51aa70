package looptest

import (
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestByFunctions: what functions compute goes on through variables, memory, copies, conditions and loops, and nowhere else.
func TestByFunctions(t *testing.T) {
	f, err := loop.Parse(source.NewFile("functions.loop", `kernel "functions" workspace 0 {
  buffer X float32[8] argument readonly
  buffer Exact float32[8] argument
  buffer Root float32[8] argument
  buffer Plain float32[8] argument
  buffer Chosen float32[8] argument
  buffer Later float32[8] argument
  buffer part float32[8] local
  params X, Exact, Root, Plain, Chosen, Later
  grid groups g = 1 items i = 8 local part {
    store Root[i] = floor(X[i])
    store Later[i] = Plain[i]
    let e float32 = exp(X[i])
    store part[i] = e
    barrier
    if part[0] < X[i] {
      store Chosen[i] = X[i]
    }
    store Plain[i] = part[i]
    store Exact[i] = Root[i]
  }
}
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for b := range ByFunctions(f) {
		got = append(got, b.Name)
	}
	slices.Sort(got)
	if want := []string{"Chosen", "Later", "Plain", "part"}; !slices.Equal(got, want) {
		t.Errorf("by functions %v, expected %v", got, want)
	}
}
