package tune

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/examples"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/tune/knob"
)

// exampleSizes are tried for the sizes of a def, and those for images: large enough for
// every maker of schedules, or small enough for what its program wants.
var exampleSizes = []struct{ all, image int64 }{{160, 160}, {64, 64}, {12, 12}, {3, 3}, {32, 128}}

// TestDefaultIsAPoint: the default schedule of every def of the examples is a point of
// every space, from which a search starts; near it are others that are legal.
func TestDefaultIsAPoint(t *testing.T) {
	needsCompiler(t)
	defs := 0
	err := examples.Each(func(file, text string) error {
		program, err := ricci.Parse(file, text)
		if err != nil {
			return err
		}
		defer program.Close()
		for n, def := range program.Defs() {
			if !sweep.Long(t) && n > 0 {
				break
			}
			if tuning := exampleTuning(t, def); tuning != nil {
				defs++
				for _, name := range Spaces() {
					defaultIsAPoint(t, file+" "+tuning.Name, name, tuning)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("%d defs", defs); defs < 10 {
		t.Errorf("only %d defs", defs)
	}
}

// exampleTuning prepares a def for the first sizes that fit; nil when it has loops of
// its own.
func exampleTuning(t *testing.T, def *ricci.Def) *compile.Tuning {
	t.Helper()
	dir := t.TempDir()
	var last error
	for _, n := range exampleSizes {
		sizes := map[string]int64{}
		for _, s := range def.Sizes() {
			if sizes[s.Name] = n.all; strings.Contains("HWM", s.Name) {
				sizes[s.Name] = n.image
			}
		}
		signature, err := def.SignatureForSizes(sizes)
		if err == nil {
			var tuning *compile.Tuning
			if tuning, err = tuningOf(t.Context(), def, signature, ricci.Options{CacheDir: dir, Threads: 2}); err == nil {
				return tuning
			}
		}
		last = err
	}
	t.Logf("%s is left out: %v", def.Name(), last)
	return nil
}

// fixedOrder has the defs whose loops can only be in one order.
var fixedOrder = []string{"summed_area(H=160 W=160)"}

func defaultIsAPoint(t *testing.T, label, name string, tuning *compile.Tuning) {
	t.Helper()
	s, err := newSpace(name, "", tuning)
	if err != nil {
		t.Errorf("%s: %v", label, err)
		return
	}
	tree, err := s.maker.Tree(s.origin)
	if err != nil || schedule.Print(tree) != schedule.Print(tuning.Default) {
		t.Errorf("%s, space %s: the search starts from %s (%v)\n%s", label, name, s.points.Text(s.origin), err, schedule.Print(tuning.Default))
		return
	}
	if slices.Contains(fixedOrder, tuning.Name) || len(knob.Of(tuning.Func, tree, tuning.Machine).Groups()) == 0 || s.points.Count().IsInt64() && s.points.Count().Int64() < 10 {
		return
	}
	rng, other := rand.New(rand.NewPCG(1, 2)), false
	for n := 0; n < 60 && !other; n++ {
		near, err := s.maker.Tree(s.points.Neighbour(s.origin, rng))
		other = err == nil && schedule.Check(tuning.Func, near) == nil && schedule.Print(near) != schedule.Print(tree)
	}
	if !other {
		t.Errorf("%s, space %s: there is nothing near the default\n%s", label, name, schedule.Print(tree))
	}
}
