// Package mapping makes schedule trees from the mapping options of Tensor
// Comprehensions.
package mapping

import (
	"fmt"
	"strconv"
	"strings"
)

// How it works
//
// Tensor Comprehensions (Vasilache et al., section 5 and appendix A.4; the shipped
// mapping_options.proto) describe a schedule by a few options: tile sizes of the outer
// permutable band, a fusion strategy, how much to unroll, to how many blocks and
// threads the band is mapped, and which memories are used. Here they are a value
// (Options) with a text like the paper's, and a maker of trees (make.go): statements
// are fused by the strategy, each group gets a band of tiles over what its statements
// have in common and point loops inside; the outermost tiles are parallel, as blocks
// are; threads are lanes of vectors; shared memory is a copy of the inputs of a tile,
// private memory are registers for partial results.
//
// An option is obeyed or refused. Tiles have the sizes that are asked for, also where vectors do
// not fill them; what has no meaning on a processor is accepted, since users paste options, and
// answered by a warning that names it (Options.Idle); meaning.go says what the others
// stand for. The constructors of the shipped interface are chains of options, too (presets.go).

// A Fusion is a strategy for which statements share loops.
type Fusion string

// The strategies: fuse all that share a dimension, fuse where at least three
// (or all) common dimensions carry no dependence, or never.
const (
	Max                 Fusion = "max"
	Preserve3Coincident Fusion = "preserve3coincident"
	Min                 Fusion = "min"
)

// Options are the mapping options.
type Options struct {
	Fusion  Fusion
	Tile    []int64 // of the outer band; 0 leaves a dimension untiled
	Unroll  int64   // how many copies of a statement there are at most
	Threads []int64 // the first, CUDA's x, bounds the number of lanes
	Blocks  []int64 // the greatest number of tasks for each dimension
	// Shared copies what a tile reads of the inputs; Private keeps partial results in
	// registers.
	Shared, Private bool
	// FixParameters makes sizes constants before scheduling, and is always so here
	// unless sizes are kept variable.
	FixParameters bool
	// Given are the options that are named one by one, by their canonical names, and not by a preset.
	Given map[string]bool
	// Idle lists the options that are given and have no meaning on a processor.
	Idle []Remark
}

// A Remark is about one option of a text.
type Remark struct {
	Line int    // of the text, from 1; 0 for none
	Part string // of the line
	Text string
	// OfLanes says that it is about lanes of vectors, and so of no machine with groups and items.
	OfLanes bool
}

// Default returns the options that stand where none are given: maximal fusion, registers
// for partial results.
func Default() Options {
	return Options{Fusion: Max, Private: true, Unroll: 1, FixParameters: true}
}

// ignored says why an option has no effect.
var ignored = map[string]string{
	"unrollCopyShared":      "copies are vector loops",
	"useReadOnlyCache":      "caches serve all loads",
	"maxSharedMemory":       "a copy is bounded by the second-level cache",
	"matchLibraryCalls":     "products and convolutions get register tiles anyway",
	"privateDepth":          "partial results live as deep as the reduction",
	"sharedDepth":           "copies are made for a tile",
	"allowSkewing":          "dependences along a band are kept by serial loops",
	"positiveOrthant":       "loops are never skewed",
	"tileImperfectlyNested": "every statement of a group is tiled alike",
	"intraTileFusion":       "statements share the loops outside of the tile only",
	"scheduleSpecialize":    "sizes are constants",
	"unrollGpuTile":         "say unroll",
}

// aliases has the names of the C++ interface, its protobuf and its Python wrapper.
var aliases = map[string]string{
	"fuse": "fuse", "outerScheduleFusionStrategy": "fuse", "scheduleFusionStrategy": "fuse", "fusion_strategy": "fuse", "set_fusion_strategy": "fuse",
	"tile": "tile", "unroll": "unroll", "mapToThreads": "threads", "block": "threads", "threads": "threads",
	"mapToBlocks": "blocks", "grid": "blocks", "blocks": "blocks",
	"useSharedMemory": "shared", "use_shared_memory": "shared", "usePrivateMemory": "private", "use_private_memory": "private",
	"fixParametersBeforeScheduling": "fix", "fix_parameters_before_scheduling": "fix",
	"unroll_copy_shared": "unrollCopyShared", "use_readonly_cache": "useReadOnlyCache", "max_shared_memory": "maxSharedMemory",
	"match_library_calls": "matchLibraryCalls", "private_depth": "privateDepth", "shared_depth": "sharedDepth",
	"outerScheduleAllowSkewing": "allowSkewing", "intraTileScheduleAllowSkewing": "allowSkewing", "allow_skewing": "allowSkewing",
	"outerSchedulePositiveOrthant": "positiveOrthant", "intraTileSchedulePositiveOrthant": "positiveOrthant", "positive_orthant": "positiveOrthant",
	"tileImperfectlyNested": "tileImperfectlyNested", "tile_imperfectly_nested": "tileImperfectlyNested",
	"intraTileScheduleFusionStrategy": "intraTileFusion", "intraTileFusionStrategy": "intraTileFusion", "intra_tile_schedule_options": "intraTileFusion",
	"useReaOnlyCache": "useReadOnlyCache", // so in TC's documentation
}

// String writes the options as a chain, such as
// .fuse(max).tile(32, 32).unroll(8).usePrivateMemory(true).
func (o Options) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".fuse(%s)", o.Fusion)
	list := func(name string, values []int64) {
		if len(values) > 0 {
			fmt.Fprintf(&b, ".%s(%s)", name, numbers(values))
		}
	}
	list("tile", o.Tile)
	fmt.Fprintf(&b, ".unroll(%d)", o.Unroll)
	list("mapToThreads", o.Threads)
	list("mapToBlocks", o.Blocks)
	fmt.Fprintf(&b, ".useSharedMemory(%t).usePrivateMemory(%t)", o.Shared, o.Private)
	if !o.FixParameters {
		b.WriteString(".fixParametersBeforeScheduling(false)")
	}
	return b.String()
}

func numbers(values []int64) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = strconv.FormatInt(v, 10)
	}
	return strings.Join(words, ", ")
}
