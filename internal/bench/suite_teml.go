package bench

import (
	"embed"
	"fmt"
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/source"
)

// How the paths of the TeML paper are measured
//
// A row has the kernel as a tensor program and, beside Ricci's own schedules, paths:
// sequences of transformations of the program's loops. The C of a kernel has one
// function, which the macro PATH turns into the sequential program that all speeds
// are relative to, or into what a path makes of it, written by hand with the
// directives of OpenMP and for vectors. The paper's compiler reorders floating-point
// sums unless it is told not to, so the paths in C may do that too; the sequential
// program has the flags that everybody uses.

// temlTexts is the C of the kernels.
//
//go:embed teml/*.c
var temlTexts embed.FS

// A Path is a way to compute a row that was chosen by hand: by a def that has loops of
// its own, by a text of C, or by both.
type Path struct {
	Name            string
	File, Text, Def string   // Def is empty if there is no such def
	C               string   // may be empty
	Flags           []string // of the C compiler
	Baseline        bool     // speeds are relative to it
}

// The paths, by the values of the macro PATH.
const (
	sequentialPath = "sequential"
	plutoPath      = "Pluto's path"
	ownPath        = "own path"  // of the paper, beyond Pluto's
	bestPath       = "best path" // with what the paper's language has not
)

// sumsReordered lets the C compiler do with sums what the paper's does.
var sumsReordered = []string{"-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"}

// A temlKernel is a kernel of Table 1 with its sizes of Table 2 and those of a smaller
// row for the quick suite, where a call of the sequential program takes a second.
type temlKernel struct {
	name, size string
	sizes      map[string]int64
	smallSize  string           // empty if the row itself is quick
	small      map[string]int64 // the sizes that change
	paths      []temlPath       // beside the sequential program
}

// A temlPath says who goes a path: C, and the def of a file of the examples.
type temlPath struct {
	name      string
	c         bool
	file, def string
	smallDef  string // for the sizes of the smaller row, if it is another one
}

// pluto is the path of Table 2, in the kernel's own file.
func pluto(kernel string) temlPath { return temlPath{plutoPath, true, kernel, kernel + "_pluto", ""} }

// best is the path that uses all transformations that there are.
func best(kernel string) temlPath { return temlPath{bestPath, false, kernel, kernel + "_best", ""} }

var temlKernels = []temlKernel{
	{"mm", "1024", map[string]int64{"N": 1024, "M": 1024, "K": 1024}, "512", map[string]int64{"N": 512, "M": 512, "K": 512}, []temlPath{pluto("mm"), best("mm")}},
	{"tmm", "1024", map[string]int64{"N": 1024, "M": 1024, "K": 1024}, "512", map[string]int64{"N": 512, "M": 512, "K": 512}, []temlPath{pluto("tmm"), {bestPath, false, "tmm", "tmm_best", "tmm_few"}}},
	{"bmm", "8192x72x26", map[string]int64{"BATCH": 8192, "N": 72, "M": 72, "K": 26}, "", nil,
		[]temlPath{pluto("bmm"), {ownPath, true, "bmm_transposed", "bmm_transposed", ""}, best("bmm")}},
	{"gconv", "32x32x32x32x7x7", map[string]int64{"N": 32, "G": 32, "C": 32, "F": 32, "H": 9, "W": 9, "KH": 3, "KW": 3}, "", nil,
		[]temlPath{pluto("gconv"), {ownPath, true, "gconv", "gconv_own", ""}, best("gconv")}},
	{"mttkrp", "250", map[string]int64{"I": 250, "J": 250, "K": 250, "L": 250}, "32x250x250x250", map[string]int64{"I": 32},
		[]temlPath{pluto("mttkrp"), {ownPath, true, "mttkrp_transposed", "mttkrp_transposed", ""}, {bestPath, false, "mttkrp", "mttkrp_best", "mttkrp_few"}}},
	{"sddmm", "4096x4096x64", map[string]int64{"N": 4096, "M": 4096, "K": 64}, "", nil,
		[]temlPath{pluto("sddmm"), {ownPath, true, "sddmm_transposed", "sddmm_transposed", ""}, best("sddmm")}},
	{"interp", "50000x7", map[string]int64{"E": 50000, "N": 7}, "", nil, []temlPath{pluto("interp"), {ownPath, true, "interp", "interp_own", ""}, best("interp")}},
	{"helm", "5000x13", map[string]int64{"E": 5000, "N": 13}, "", nil, []temlPath{pluto("helm"), {ownPath, true, "helm", "helm_own", ""}, best("helm")}},
	{"blur", "4096", map[string]int64{"H": 4096, "W": 4096}, "", nil, []temlPath{pluto("blur")}},
	{"coars", "4096", map[string]int64{"N": 4096, "M": 4096}, "", nil, []temlPath{pluto("coars"), best("coars")}},
	// None of the paper's: its own path are sweeps, the best one a wavefront of tiles.
	{"jacobi", "4096", map[string]int64{"H": 4096, "W": 4096}, "", nil,
		[]temlPath{{ownPath, true, "jacobi", "jacobi_sweeps", ""}, {bestPath, false, "jacobi", "jacobi_wavefront", ""}}},
}

func temlRows() []Row {
	var rows []Row
	for _, k := range temlKernels {
		rows = append(rows, k.row(k.size, k.sizes, false))
		if k.small != nil {
			small := maps.Clone(k.sizes)
			maps.Copy(small, k.small)
			rows = append(rows, k.row(k.smallSize, small, true))
		}
	}
	return rows
}

// row is the row of some sizes, or the smaller one.
func (k *temlKernel) row(size string, sizes map[string]int64, small bool) Row {
	row := exampleRow("teml", "teml/"+k.name+".teml", k.name, k.name+"/"+size, sizes, nil).with(Goal{}, small || k.small == nil)
	macros := ""
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		macros += enum(name, sizes[name])
	}
	row.Paths = []Path{{Name: sequentialPath, Baseline: true, C: k.text(macros, sequentialPath)}}
	for _, p := range k.paths {
		path := Path{Name: p.name, Flags: sumsReordered}
		if p.c {
			path.C = k.text(macros, p.name)
		}
		if p.def != "" {
			path.File = "teml/" + p.file + ".teml"
			path.Text, path.Def = exampleText(path.File), p.def
			if small && p.smallDef != "" {
				path.Def = p.smallDef
			}
		}
		row.Paths = append(row.Paths, path)
	}
	return row
}

// text is the C of a path.
func (k *temlKernel) text(macros, path string) string {
	text, err := temlTexts.ReadFile("teml/" + k.name + ".c")
	if err != nil {
		panic(source.Internalf("bench", source.Span{}, "%w", err)) // it is part of the binary
	}
	number := slices.Index([]string{sequentialPath, plutoPath, ownPath}, path)
	return typeText(true) + fmt.Sprintf(temlHead, number) + macros + string(text)
}

// temlHead is in front of the C of every kernel, whose arrays are static as the
// paper's: the C compiler knows that none overlaps another.
const temlHead = `#include <string.h>
#define LOAD(i, array) memcpy(array, P(i), sizeof array);
#define STORE(i, array) memcpy(P(i), array, sizeof array);
#define ARGUMENTS(loads, stores) \
  int setup(const i64 *args) { loads return 0; } \
  int finish(const i64 *args) { stores return 0; }
#define SEQUENTIAL 0
#define PLUTO 1
#define OWN 2
#define PATH %d
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
`
