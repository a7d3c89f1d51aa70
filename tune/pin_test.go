package tune

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestPinned: all points of a space have the options that are pinned, and a search begins from the
// presets.
func TestPinned(t *testing.T) {
	def, signature, err := matmul()
	if err != nil {
		t.Fatal(err)
	}
	tuning, err := tuningOf(t.Context(), def, signature, ricci.Options{CacheDir: t.TempDir(), Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSpace("", "tc::MappingOptions::makeMlpMappingOptions().tile(N / 6, 12).unroll(2).unrollCopyShared(true)", tuning)
	if err != nil {
		t.Fatal(err)
	}
	if names := strings.Join(s.points.Names(), " "); strings.Contains(names, "tile") || strings.Contains(names, "unroll") || !strings.Contains(names, "blocks") {
		t.Errorf("the parameters are %s", names)
	}
	if len(s.idle) != 1 || !strings.Contains(s.idle[0], "unrollCopyShared") {
		t.Errorf("without effect: %q", s.idle)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		p := s.points.Random(rng)
		tree, err := s.maker.Tree(p)
		if err != nil {
			t.Fatal(err)
		}
		text := schedule.Print(tree)
		if !strings.Contains(text, "i tile 8") || !strings.Contains(text, "j tile 12") || strings.Contains(text, "i tile 4") && !strings.Contains(text, "i tile 8") {
			t.Fatalf("%s\n%s", s.points.Text(p), text)
		}
	}
	starts := s.maker.(starter).Starts()
	distinct := map[string]bool{}
	for _, p := range starts {
		distinct[s.points.Key(s.points.Repair(p))] = true
	}
	if len(starts) < 8 || len(distinct) < 3 {
		t.Errorf("%d starts, %d of them distinct", len(starts), len(distinct))
	}
	for pin, want := range map[string]string{".tile(X)": "X is no size", "hello": "expected a chain of options"} {
		if _, err := newSpace("mapping", pin, tuning); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", pin, err, want)
		}
	}
	if _, err := newSpace("mdh", ".tile(3)", tuning); err == nil {
		t.Error("options are pinned in the space mdh")
	}
}
