// Package mapping makes schedule trees from the mapping options of Tensor
// Comprehensions.
package mapping

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
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
// What has no meaning on a processor is accepted, since users paste options, and
// answered by a notice.

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
	Tile    []int64 // of the outer band; 0 or 1 leaves a dimension untiled
	Unroll  int64   // the greatest product of loops that are written out
	Threads []int64 // the last is the number of lanes
	Blocks  []int64 // the wanted number of tiles per dimension
	// Shared copies what a tile reads of the inputs; Private keeps partial results in
	// registers.
	Shared, Private bool
	// FixParameters makes sizes constants before scheduling, and is always so here
	// unless sizes are kept variable.
	FixParameters bool
	// Ignored lists the options that were given and have no meaning on a processor.
	Ignored []string
}

// Default returns the options that stand where none are given: maximal fusion, registers
// for partial results.
func Default() Options {
	return Options{Fusion: Max, Private: true, Unroll: 1, FixParameters: true}
}

// ignored says why an option has no effect.
var ignored = map[string]string{
	"unrollCopyShared":       "copies are vector loops",
	"useReadOnlyCache":       "caches serve all loads",
	"maxSharedMemory":        "a copy is bounded by the second-level cache",
	"matchLibraryCalls":      "products and convolutions get register tiles anyway",
	"privateDepth":           "partial results live as deep as the reduction",
	"sharedDepth":            "copies are made for a tile",
	"allowSkewing":           "dependences along a band are kept by serial loops",
	"positiveOrthant":        "loops are never skewed",
	"tileImperfectlyNested":  "every statement of a group is tiled alike",
	"intraTileFusion":        "statements share the loops outside of the tile only",
	"scheduleSpecialize":     "sizes are constants",
	"unrollGpuTile":          "say unroll",
	"useShuffles":            "lanes of a vector are folded in registers",
	"fixParametersBeforeMap": "sizes are constants",
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
	"intraTileScheduleFusionStrategy": "intraTileFusion", "intra_tile_schedule_options": "intraTileFusion",
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

// IsText reports whether a text looks like mapping options: it begins with a dot, or
// with a call of the interface that ends in MappingOptions().
func IsText(text string) bool {
	text = strings.TrimSpace(text)
	head, _, _ := strings.Cut(text, "(")
	return strings.HasPrefix(text, ".") || strings.HasSuffix(strings.TrimSpace(head), "MappingOptions")
}

// A scanner reads a chain of calls.
type scanner struct {
	text string
	at   int
}

// Parse reads options: a chain of .name(arguments), with the paper's names, those of the
// shipped interface or the short ones. What stands before the first dot of the chain,
// such as makeDefaultMappingOptions(), sets the defaults. What is wrong with an option is a
// *source.LineError.
func Parse(text string) (Options, error) {
	o := Default()
	s := &scanner{text: strings.TrimRight(strings.TrimSpace(text), ";")}
	leading := strings.Count(text[:len(text)-len(strings.TrimLeft(text, " \t\r\n"))], "\n")
	wrong := func(at int, err error) error {
		part, _, _ := strings.Cut(s.text[at:max(at, s.at)], "\n")
		return source.LineErrorf(1+leading+strings.Count(s.text[:at], "\n"), "%w", err).At(part)
	}
	if head, _, ok := strings.Cut(s.text, "()"); ok && !strings.HasPrefix(s.text, ".") {
		if at := strings.LastIndexAny(head, ": =."); !strings.HasSuffix(head[at+1:], "MappingOptions") {
			return o, wrong(0, fmt.Errorf("found %q, expected a chain of options such as .tile(32, 32).fuse(max)", source.Excerpt(head)))
		}
		s.at = len(head) + 2
	}
	for s.space(); s.at < len(s.text); s.space() {
		at := s.at
		name, arguments, err := s.call()
		if err == nil {
			err = o.set(name, arguments)
		}
		if err != nil {
			return o, wrong(at, err)
		}
	}
	return o, nil
}

func (s *scanner) space() {
	for s.at < len(s.text) && strings.ContainsRune(" \t\r\n", rune(s.text[s.at])) {
		s.at++
	}
}

// call reads ".name(argument, …)"; arguments may stand in braces or brackets.
func (s *scanner) call() (name string, arguments []string, err error) {
	rest := s.text[s.at:]
	body, ok := strings.CutPrefix(rest, ".")
	name, after, open := strings.Cut(body, "(")
	inner, tail, closed := strings.Cut(after, ")")
	name = strings.TrimSpace(name)
	if !ok || !open || !closed || strings.ContainsAny(name, " .,()\n") || name == "" {
		line := rest
		if len(line) > 40 {
			line = line[:40] + "…"
		}
		return "", nil, fmt.Errorf("found %q, expected .OPTION(VALUE, …)", line)
	}
	s.at = len(s.text) - len(tail)
	inner = strings.TrimFunc(inner, func(r rune) bool { return strings.ContainsRune("{}[] \t\r\n\\", r) })
	for _, word := range strings.Split(inner, ",") {
		arguments = append(arguments, strings.TrimSpace(word))
	}
	switch {
	case len(arguments) == 1 && arguments[0] == "":
		return name, nil, nil
	case slices.Contains(arguments, ""):
		return "", nil, fmt.Errorf("found %q, where a value is missing beside a comma", source.Excerpt("."+name+"("+inner+")"))
	}
	return name, arguments, nil
}

// set takes one option.
func (o *Options) set(name string, arguments []string) error {
	option, known := aliases[name]
	if !known {
		option = name
	}
	if why, none := ignored[option]; none {
		o.Ignored = append(o.Ignored, fmt.Sprintf("%s has no effect: %s", name, why))
		return nil
	}
	wrong := func(expected string) error {
		return fmt.Errorf("found .%s(%s), expected %s", source.Excerpt(name), source.Excerpt(strings.Join(arguments, ", ")), expected)
	}
	switch option {
	case "fuse":
		return o.setFusion(name, arguments)
	case "tile", "threads", "blocks", "unroll":
		values, ok := integers(arguments)
		if !ok || option == "unroll" && len(values) != 1 {
			return wrong("numbers from 1 to 65536")
		}
		switch option {
		case "tile":
			o.Tile = values
		case "threads":
			o.Threads = values
		case "blocks":
			o.Blocks = values
		case "unroll":
			o.Unroll = values[0]
		}
		return nil
	case "shared", "private", "fix":
		if len(arguments) != 1 || arguments[0] != "true" && arguments[0] != "false" {
			return wrong("true or false")
		}
		*map[string]*bool{"shared": &o.Shared, "private": &o.Private, "fix": &o.FixParameters}[option] = arguments[0] == "true"
		return nil
	}
	return fmt.Errorf("there is no option %s; the options are %s%s", source.Excerpt(name), strings.Join(optionNames(), ", "), source.DidYouMean(name, optionNames()))
}

// setFusion takes a strategy by the name of its constant, with or without its scope.
func (o *Options) setFusion(name string, arguments []string) error {
	if len(arguments) == 1 {
		word := arguments[0][strings.LastIndex(arguments[0], ":")+1:]
		for _, f := range []Fusion{Max, Preserve3Coincident, Min} {
			if strings.EqualFold(word, string(f)) {
				o.Fusion = f
				return nil
			}
		}
	}
	return fmt.Errorf("found .%s(%s), expected max, preserve3coincident or min", name, source.Excerpt(strings.Join(arguments, ", ")))
}

// integers reads positive numbers; none are none.
func integers(words []string) ([]int64, bool) {
	var list []int64
	for _, w := range words {
		n, err := strconv.ParseInt(w, 10, 32)
		if err != nil || n < 1 || n > 1<<16 {
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}

func optionNames() []string {
	list := []string{"fuse", "tile", "unroll", "mapToThreads", "mapToBlocks", "useSharedMemory", "usePrivateMemory", "fixParametersBeforeScheduling"}
	for name := range ignored {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
