package scheduletest

import (
	_ "embed"
	"regexp"
	"strings"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
)

// How programs are drawn
//
// Half of them are those of package eintest, which have every construct. The others have the structure that kernels of devices have:
// programs.ein has functions with holes, that are filled by types, operators and sizes. A type and an operator, once drawn, are
// the same in all of a function.

//go:embed programs.ein
var programsText string

// families are the functions with holes, by their names.
var families = functionsOf(programsText)

// functionsOf are the functions of a text.
func functionsOf(text string) (list []string) {
	for _, function := range strings.Split(text, "\nfunc ")[1:] {
		list = append(list, "func "+function)
	}
	return list
}

// holes are what may stand in them: {T} any type of numbers, {F} one of floats, {I} one of integers, and operators of reductions.
var holes = map[string][]string{
	"{T}": {"float32", "float32", "float64", "int32", "int64", "int16", "uint8", "uint32"},
	"{F}": {"float32", "float64"},
	"{I}": {"int32", "int64", "int16", "uint8"},
	"{R}": {"+", "*", "max", "min"},
	"{B}": {"&", "|", "^"},
	"{A}": {"argmax", "argmin"},
}

var (
	hole    = regexp.MustCompile(`\{[A-Z]\}`)
	sized   = regexp.MustCompile(`(?m)^  size (\w+) = dim \d+ of \w+( or zero)?$`)
	literal = regexp.MustCompile(`\b(\d+)T\b`)
	// What makes all ranges of a family such as may be empty: what allows it here and there is left out first, then it is said of each.
	// Reductions without an identity, tables and windows need something.
	needsPoints = regexp.MustCompile(`op first|(reduce|scan) (max|min|arg)|%|T\[max|T!|H0 - `)
	allowed     = regexp.MustCompile(` or (empty|zero)`)
	ranges      = regexp.MustCompile(`( in \d+:[^,{]+?)(, | \{)`)

	suffix = map[string]string{"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64", "int16": "i16", "uint8": "u8", "uint32": "u32"}
)

// extents are sizes that are drawn: the smallest ones, primes and powers of two; zero only where a size may be.
var extents = []int64{1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17}

// drawProgram draws a function with arguments, and says from what.
func drawProgram(t *rapid.T) (name string, s Subject) {
	name, s.F, s.Sizes, _ = drawFunction(t)
	var err error
	if s.Args, err = eintest.Arguments(rapid.Uint64().Draw(t, "seed"), s.F, s.Sizes); err == nil {
		s.G, err = s.F.Specialise(s.Sizes, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return name, s
}

// drawFunction draws a function and sizes, of which more may be drawn.
func drawFunction(t *rapid.T) (name string, f *ein.Func, sizes map[string]int64, more func() map[string]int64) {
	if rapid.Bool().Draw(t, "of every construct") {
		f, sizes = eintest.FuncWith(t, eintest.Options{NoHalf: true}), drawnSizes(t)
		return "random", f, sizes, func() map[string]int64 { return drawnSizes(t) }
	}
	return drawFamily(t)
}

// drawnSizes are those of a function of every construct: mostly as there, sometimes smaller, or a prime.
func drawnSizes(t *rapid.T) map[string]int64 {
	sizes := eintest.Sizes(t)
	switch rapid.IntRange(0, 3).Draw(t, "sizes") {
	case 0:
		name := rapid.SampledFrom([]string{"N", "M"}).Draw(t, "other")
		sizes[name] = rapid.SampledFrom([]int64{1, 2, 7, 11, 13}).Draw(t, "size")
		sizes["K"] = min(sizes["K"], sizes["N"])
	case 1:
		sizes["N"], sizes["M"], sizes["K"], sizes["Z"] = 1, 1, 1, 0
	}
	return sizes
}

// drawFamily fills the holes of a family.
func drawFamily(t *rapid.T) (name string, f *ein.Func, sizes map[string]int64, more func() map[string]int64) {
	text := rapid.SampledFrom(families).Draw(t, "family")
	filled := map[string]string{}
	text = hole.ReplaceAllStringFunc(text, func(h string) string {
		if list, ok := holes[h]; ok && filled[h] == "" {
			filled[h] = rapid.SampledFrom(list).Draw(t, h)
		}
		if filled[h] == "" {
			return h // the value of a size
		}
		return filled[h]
	})
	typ := filled["{T}"] + filled["{F}"] + filled["{I}"]
	text = literal.ReplaceAllString(text, "${1}"+suffix[typ])
	if !needsPoints.MatchString(text) && rapid.IntRange(0, 5).Draw(t, "all may be empty") == 0 {
		text = sized.ReplaceAllString(allowed.ReplaceAllString(text, ""), "$0 or zero")
		text = ranges.ReplaceAllString(text, "$1 or empty$2")
	}
	f, err := ein.ParseFunc("family", text)
	if err != nil {
		t.Fatal(err, text)
	}
	more = func() map[string]int64 { return familySizes(t, text) }
	return f.Name, f, more(), more
}

// familySizes draws sizes. Those whose names begin with W are of windows, which fit those that begin with H.
func familySizes(t *rapid.T, text string) map[string]int64 {
	sizes, points := map[string]int64{}, int64(1)
	for _, m := range sized.FindAllStringSubmatch(text, -1) {
		list := extents
		switch {
		case m[1][0] == 'W':
			list = extents[:3]
		case m[1][0] == 'H':
			list = extents[2:9]
		case points > 50: // evaluators take their time
			list = extents[:4]
		}
		n := rapid.SampledFrom(list).Draw(t, m[1])
		if m[2] != "" && rapid.IntRange(0, 5).Draw(t, "zero") == 0 {
			n = 0
		}
		sizes[m[1]] = n
		points *= max(n, 1)
	}
	return sizes
}
