package mapping

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/tune/space"
)

// TestTexts reads options as papers, headers and users write them.
func TestTexts(t *testing.T) {
	for text, want := range map[string]string{
		".tile(32, 32).unroll(8).fuse(max)": ".fuse(max).tile(32, 32).unroll(8).useSharedMemory(false).usePrivateMemory(true)",
		"":                                  ".fuse(max).unroll(1).useSharedMemory(false).usePrivateMemory(true)",
		`tc::IslKernelOptions::makeDefaultMappingOptions()
		     .scheduleSpecialize(true)
		     .tile({32, 32, 32})
		     .mapToThreads({32, 32})
		     .useSharedMemory(true)
		     .usePrivateMemory(true)
		     .unrollCopyShared(true)
		     .unroll(256);`: ".fuse(max).tile(32, 32, 32).unroll(256).mapToThreads(32, 32).useSharedMemory(true).usePrivateMemory(true)",
		"auto options = tc::MappingOptions::makeNaiveMappingOptions()\n .outerScheduleFusionStrategy(tc::FusionStrategy::Preserve3Coincident).mapToBlocks({128})": ".fuse(preserve3coincident).unroll(1).mapToBlocks(128).useSharedMemory(false).usePrivateMemory(true)",
		".fixParametersBeforeScheduling(false).fuse(Min).matchLibraryCalls(true)":                                                                                 ".fuse(min).unroll(1).useSharedMemory(false).usePrivateMemory(true).fixParametersBeforeScheduling(false)",
	} {
		o, err := Parse(text)
		if err != nil || o.String() != want {
			t.Errorf("%q: %v, %v", text, o, err)
		}
		if again, err := Parse(o.String()); err != nil || again.String() != want {
			t.Errorf("%q reads back as %v, %v", o, again, err)
		}
	}
	o, _ := Parse(".unrollCopyShared(true)")
	if len(o.Ignored) != 1 || !strings.Contains(o.Ignored[0], "has no effect") {
		t.Errorf("notices %q", o.Ignored)
	}
	for text, want := range map[string]string{
		".tile(0)":                "expected numbers from 1",
		".fuse(most)":             "expected max, preserve3coincident or min",
		".tiles(3)":               "there is no option tiles",
		"tile(3)":                 "expected .OPTION(VALUE, …)",
		".tile(32,)":              "a value is missing beside a comma",
		".tile(32,,8)":            "a value is missing beside a comma",
		".tile(3":                 "expected .OPTION(VALUE, …)",
		".useSharedMemory(maybe)": "expected true or false",
		"fly().tile(3)":           "expected a chain of options",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(".tile(32, 32).unroll(8).fuse(max)")
	f.Add("tc::IslKernelOptions::makeDefaultMappingOptions().mapToThreads({32})")
	f.Fuzz(func(t *testing.T, text string) {
		o, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(o.String())
		if err != nil || again.String() != o.String() {
			t.Fatalf("%q: %v", o, err)
		}
	})
}

// TestTrees makes trees of random options for random functions: all are accepted and
// compute what the function means.
func TestTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scheduletest.Draw(t, eintest.Options{NoHalf: true})
		m := scheduletest.Machine(t)
		choices := NewSpace(s.G, m)
		points, err := space.New(choices.Groups...)
		if err != nil {
			t.Fatal(err)
		}
		point := points.Random(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
		o, err := choices.Options(point)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := choices.Tree(point)
		var list source.ErrorList
		if errors.As(err, &list) && list[0].Code == source.ScheduleIllegal {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s\n%s", o, err, s.G, schedule.Print(tree))
		}
		got, err := s.Loops(t, tree)
		s.Matches(t, got, err, o.String()+"\n"+schedule.Print(tree))
	})
}

// TestErrorPlaces finds the line and the option that an error is about.
func TestErrorPlaces(t *testing.T) {
	for text, want := range map[string]source.LineError{
		"\n.tile(32, 32)\n  .fuse(most)\n.unroll(4)": {Line: 3, Part: ".fuse(most)"},
		".tile(8).tiles(3);":                         {Line: 1, Part: ".tiles(3)"},
		"makeNaive()\n.tile(3)":                      {Line: 1, Part: ""},
		".tile(2)\n.unroll(":                         {Line: 2, Part: ""},
	} {
		_, err := Parse(text)
		var at *source.LineError
		if !errors.As(err, &at) || at.Line != want.Line || at.Part != want.Part {
			t.Errorf("%q: %v at %+v, expected %+v", text, err, at, want)
		}
	}
}
