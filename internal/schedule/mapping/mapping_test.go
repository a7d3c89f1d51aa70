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
	"github.com/ricci-lang/ricci/internal/space"
)

// TestTexts reads options as papers, headers and users write them.
func TestTexts(t *testing.T) {
	for text, want := range map[string]string{
		"naive":                             ".fuse(preserve3coincident).tile(32, 32, 32).unroll(1).mapToThreads(32, 8).mapToBlocks(256, 256).useSharedMemory(false).usePrivateMemory(false)",
		"naive\n .tile(7, 5, 3).unroll(3)":  ".fuse(preserve3coincident).tile(7, 5, 3).unroll(3).mapToThreads(32, 8).mapToBlocks(256, 256).useSharedMemory(false).usePrivateMemory(false)",
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
		"auto options = tc::MappingOptions::makeNaiveMappingOptions()\n .outerScheduleFusionStrategy(tc::FusionStrategy::Max).mapToBlocks({128})": ".fuse(max).tile(32, 32, 32).unroll(1).mapToThreads(32, 8).mapToBlocks(128).useSharedMemory(false).usePrivateMemory(false)",
		"options = tc.Options('naive')\noptions.mapToBlocks([100, 20])\noptions.useSharedMemory(True)":                                            ".fuse(preserve3coincident).tile(32, 32, 32).unroll(1).mapToThreads(32, 8).mapToBlocks(100, 20).useSharedMemory(true).usePrivateMemory(false)",
		".tile(\\{4, 32\\}).mapToBlocks({M / 32, (N + 31) / 32}) // the paper's\n;":                                                               ".fuse(max).tile(4, 32).unroll(1).mapToBlocks(4, 8).useSharedMemory(false).usePrivateMemory(true)",
		`IslKernelOptions options = makeDefaultMappingOptions().set_fusion_strategy(FusionStrategy::Max).tile("1, 0").mapToThreads({1, 32})`:      ".fuse(max).tile(1, 0).unroll(1).mapToThreads(32, 1).useSharedMemory(false).usePrivateMemory(true)",
		".fixParametersBeforeScheduling(false).fuse(Min).matchLibraryCalls(true)":                                                                 ".fuse(min).unroll(1).useSharedMemory(false).usePrivateMemory(true).fixParametersBeforeScheduling(false)",
		`generic_mapping_options {
		   outer_schedule_options { fusion_strategy: Max allow_skewing: false positive_orthant: true }
		   intra_tile_schedule_options { fusion_strategy: Min allow_skewing: false positive_orthant: true }
		   fix_parameters_before_scheduling: false
		   tiling { sizes: 32 sizes: 8 }
		   unroll: 16
		   tile_imperfectly_nested: false
		 }
		 use_shared_memory: true use_private_memory: true unroll_copy_shared: false
		 block { x: 32 y: 4 }
		 grid { x: 100 }`: ".fuse(max).tile(32, 8).unroll(16).mapToThreads(32, 4).mapToBlocks(100).useSharedMemory(true).usePrivateMemory(true).fixParametersBeforeScheduling(false)",
		"tc::CudaMappingOptions::makeNaiveMappingOptions().genericMappingOptions(tc::MappingOptions::makeMlpMappingOptions().tile(M / 4, 8).unroll(2)).mapToThreads(16)": ".fuse(max).tile(32, 8).unroll(2).mapToThreads(16).mapToBlocks(256, 256).useSharedMemory(false).usePrivateMemory(false)",
		".outerScheduleOptions(SchedulerOptions().fusionStrategy(tc::FusionStrategy::Min).allowSkewing(false)).tile(4)":                                                  ".fuse(min).tile(4).unroll(1).useSharedMemory(false).usePrivateMemory(true)",
		".outerScheduleOptions({.fusion_strategy = Max, .allow_skewing = false}).intraTileScheduleOptions({fusion_strategy: Min}).tile({4, 2})":                          ".fuse(max).tile(4, 2).unroll(1).useSharedMemory(false).usePrivateMemory(true)",
		"tiling { sizes: [16, N / 50] }": ".fuse(preserve3coincident).tile(16, 5).unroll(1).mapToThreads(32, 8).mapToBlocks(256, 256).useSharedMemory(false).usePrivateMemory(false)",
	} {
		o, err := Parse(text, map[string]int64{"M": 128, "N": 250})
		if err != nil || o.String() != want {
			t.Errorf("%q: %v, %v", text, o, err)
		}
		if again, err := Parse(o.String(), nil); err != nil || again.String() != want {
			t.Errorf("%q reads back as %v, %v", o, again, err)
		}
	}
	for text, want := range map[string]string{
		".tile(M / 200, 8)": "the tile M / 200 is 0, which leaves dimension 0 uncut",
		".intraTileScheduleOptions({fusion_strategy: Min})": "has no effect",
		"outer_schedule_options { allow_skewing: true }":    "allow_skewing has no effect",
	} {
		if o, err := Parse(text, map[string]int64{"M": 128}); err != nil || len(o.Idle) != 1 || !strings.Contains(o.Idle[0].Text, want) {
			t.Errorf("%q: remarks %v, %v, expected %q", text, o.Idle, err, want)
		}
	}
	if o, err := Parse(".tile(0, 8)", nil); err != nil || len(o.Idle) > 0 {
		t.Errorf("a written 0: remarks %v, %v", o.Idle, err)
	}
	o, _ := Parse(".unrollCopyShared(true)", nil)
	if len(o.Idle) != 1 || !strings.Contains(o.Idle[0].Text, "has no effect") {
		t.Errorf("remarks %v", o.Idle)
	}
	for text, want := range map[string]string{
		".unroll(0)":              "expected numbers from 1",
		".mapToBlocks(M / 200)":   "found M / 200 = 0, expected numbers from 1",
		".mapToBlocks(M / X)":     "X is no size that has a value; these are M",
		".mapToBlocks(1,2,3,4)":   "expected one, two or three numbers",
		".tile(-1)":               "expected numbers from 0",
		"makeFooMappingOptions()": "there is no preset foo; the presets are default, naive,",
		"Options('nave')":         "did you mean naive",
		".fuse(most)":             "expected max, preserve3coincident or min",
		".tiles(3)":               "there is no option tiles",
		"tiling { sizes: x }":     "x is no",
		"tiling { sizes: 3":       "the brace behind tiling is not closed",
		"block { w: 3 }":          "there is no option w",
		"grid { x: }":             "x has no value",
		".outerScheduleOptions({fusion_strategy: most})": "expected max, preserve3coincident or min",
		"tile(3)":                 "expected a chain of options",
		".tile(32,)":              "a value is missing beside a comma",
		".tile(32,,8)":            "a value is missing beside a comma",
		".tile(3":                 "expected .OPTION(VALUE, …)",
		".useSharedMemory(maybe)": "expected true or false",
		"fly().tile(3)":           "expected a chain of options",
		".tile(3) fly.tile(3)":    "expected .OPTION(VALUE, …)",
	} {
		if _, err := Parse(text, map[string]int64{"M": 128}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(".tile(32, 32).unroll(8).fuse(max)")
	f.Add("tc::IslKernelOptions::makeDefaultMappingOptions().mapToThreads({32})")
	f.Fuzz(func(t *testing.T, text string) {
		o, err := Parse(text, nil)
		if err != nil {
			return
		}
		again, err := Parse(o.String(), nil)
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
		choices := NewSpace(s.G, m, Default())
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
		_, err := Parse(text, nil)
		var at *source.LineError
		if !errors.As(err, &at) || at.Line != want.Line || at.Part != want.Part {
			t.Errorf("%q: %v at %+v, expected %+v", text, err, at, want)
		}
	}
}
