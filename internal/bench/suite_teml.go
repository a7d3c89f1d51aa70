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

// programsOfTeML are the kernels and their C.
//
//go:embed teml/kernels.tc teml/*.c
var programsOfTeML embed.FS

// A Path is a way to compute a row that was chosen by hand: as a schedule for
// Ricci, as a text of C, or as both.
type Path struct {
	Name     string
	Schedule string
	C        string
	Flags    []string // of the C compiler
	Baseline bool     // speeds are relative to it
}

// The paths, by the values of the macro PATH.
const (
	sequentialPath = "sequential"
	plutoPath      = "Pluto's path"
	ownPath        = "own path"
)

// sumsReordered lets the C compiler do with sums what the paper's does.
var sumsReordered = []string{"-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"}

// A temlKernel is a kernel of Table 1 with its sizes of Table 2 and those of a
// smaller row, where a call of the sequential program takes more than a second.
type temlKernel struct {
	name, size string
	sizes      map[string]int64
	small      map[string]int64 // what changes; nil if the row is quick
	smallSize  string
	pluto, own bool // whether there are such paths in C
}

var temlKernels = []temlKernel{
	{name: "mm", size: "1024", sizes: map[string]int64{"N": 1024, "M": 1024, "K": 1024}, small: map[string]int64{"N": 512, "M": 512, "K": 512}, smallSize: "512", pluto: true},
	{name: "tmm", size: "1024", sizes: map[string]int64{"N": 1024, "M": 1024, "K": 1024}, small: map[string]int64{"N": 512, "M": 512, "K": 512}, smallSize: "512", pluto: true},
	{name: "bmm", size: "8192x72x26", sizes: map[string]int64{"BATCH": 8192, "N": 72, "K": 26}, small: map[string]int64{"BATCH": 2048}, smallSize: "2048x72x26", pluto: true, own: true},
	{name: "gconv", size: "32x32x32x32x7x7", sizes: map[string]int64{"N": 32, "G": 32, "C": 32, "F": 32, "H": 9, "W": 9, "KH": 3, "KW": 3}, pluto: true, own: true},
	{name: "mttkrp", size: "250", sizes: map[string]int64{"I": 250, "J": 250, "K": 250, "L": 250}, small: map[string]int64{"I": 32}, smallSize: "32x250x250x250", pluto: true, own: true},
	{name: "sddmm", size: "4096x4096x64", sizes: map[string]int64{"N": 4096, "M": 4096, "K": 64}, small: map[string]int64{"N": 256}, smallSize: "256x4096x64", pluto: true, own: true},
	{name: "interp", size: "50000x7", sizes: map[string]int64{"E": 50000, "N": 7}, pluto: true, own: true},
	{name: "helm", size: "5000x13", sizes: map[string]int64{"E": 5000, "N": 13}, pluto: true, own: true},
	{name: "blur", size: "4096", sizes: map[string]int64{"H": 4096, "W": 4096}, pluto: true},
	{name: "coars", size: "4096", sizes: map[string]int64{"N": 4096, "M": 4096}, pluto: true},
}

func temlRows() []Row {
	var rows []Row
	for _, k := range temlKernels {
		rows = append(rows, k.row(k.size, k.sizes, k.small == nil))
		if k.small != nil {
			small := maps.Clone(k.sizes)
			maps.Copy(small, k.small)
			rows = append(rows, k.row(k.smallSize, small, true))
		}
	}
	return rows
}

func (k *temlKernel) row(size string, sizes map[string]int64, quick bool) Row {
	row := Row{Name: "teml/" + k.name + "/" + size, Group: "teml", File: "kernels.tc", Text: temlText("kernels.tc"), Def: k.name, Sizes: sizes, Quick: quick}
	macros := ""
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		macros += enum(name, sizes[name])
	}
	paths := []struct {
		name string
		is   bool
	}{{sequentialPath, true}, {plutoPath, k.pluto}, {ownPath, k.own}}
	for i, p := range paths {
		if !p.is {
			continue
		}
		path := Path{Name: p.name, Baseline: p.name == sequentialPath}
		path.C = typeText(true) + fmt.Sprintf(temlHead, i) + macros + temlText(k.name+".c")
		if !path.Baseline {
			path.Flags = sumsReordered
		}
		row.Paths = append(row.Paths, path)
	}
	return row
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

func temlText(name string) string {
	text, err := programsOfTeML.ReadFile("teml/" + name)
	if err != nil {
		panic(source.Internalf("bench", source.Span{}, "%w", err)) // it is part of the binary
	}
	return string(text)
}
