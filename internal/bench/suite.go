package bench

import (
	_ "embed" // for the programs
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/examples"
	"github.com/ricci-lang/ricci/internal/source"
)

// programs are the rows' programs in f32; others follow by replacing the word.
//
//go:embed suite.tc
var programs string

// Suite lists the rows of the benchmark.
func Suite() []Row {
	var rows []Row
	for _, group := range []func() []Row{gemmRows, narrowRows, tensorRows, convolutionRows, streamRows, stencilRows, scanRows, fusedRows, temlRows, operatorRows, mdhRows, tcRows, costRows} {
		rows = append(rows, group()...)
	}
	return rows
}

// A precision is an element type of rows.
type precision struct {
	name, word string
	double     bool
}

var single, double = precision{"f32", "float", false}, precision{"f64", "double", true}

// instance is the name of a def of MDH for the element type.
func (p precision) instance(def string) string {
	if p.double {
		return def + "_float64"
	}
	return def
}

// newRow makes a row of the suite's programs.
func newRow(group, def, size string, p precision, sizes map[string]int64, peers map[string]string) Row {
	return Row{
		Name: strings.Join([]string{group, p.name, size}, "/"), Group: group, File: "suite.tc",
		Text: strings.ReplaceAll(programs, "float", p.word), Def: def, Sizes: sizes, Peers: peers,
	}
}

// exampleRow is a row of a program in the examples.
func exampleRow(group, file, def, size string, sizes map[string]int64, peers map[string]string) Row {
	return Row{Name: strings.Join([]string{group, size}, "/"), Group: group, File: file, Text: exampleText(file), Def: def, Sizes: sizes, Peers: peers}
}

func exampleText(file string) string {
	text, err := examples.Files.ReadFile(file)
	if err != nil {
		panic(source.Internalf("bench", source.Span{}, "%w", err)) // it is part of the binary
	}
	return string(text)
}

// withConstant names inputs that keep their contents from call to call.
func (r Row) withConstant(names ...string) Row {
	r.Constant = names
	return r
}

// with sets what most rows leave open.
func (r Row) with(goal Goal, quick bool, notes ...string) Row {
	r.Goal, r.Quick, r.Notes = goal, quick, notes
	return r
}

// productRow is a row that is a matrix product for its peers.
func productRow(group, def string, p precision, g gemm) Row {
	g.double = p.double
	sizes := map[string]int64{"M": g.m, "N": g.n, "K": g.k}
	size := fmt.Sprintf("%dx%dx%d", g.m, g.n, g.k)
	if g.m == g.n && g.n == g.k {
		size = fmt.Sprint(g.n)
	}
	if g.batch > 1 {
		sizes["B"] = g.batch
		size = fmt.Sprintf("%dx(%s)", g.batch, size)
	}
	return newRow(group, def, size, p, sizes, g.texts())
}

func gemmRows() []Row {
	var rows []Row
	for _, p := range []precision{single, double} {
		for _, n := range []int64{256, 512, 777, 1024, 2048, 4096} {
			row := productRow("gemm", "gemm", p, gemm{m: n, n: n, k: n})
			rows = append(rows, row.with(Goal{Best: 0.93}, n == 512 || n == 1024 && !p.double))
		}
		for _, n := range []int64{16, 32, 48, 64, 96, 128} {
			row := productRow("small gemm", "gemm", p, gemm{m: n, n: n, k: n})
			rows = append(rows, row.with(Goal{Best: 0.9}, n == 32 && !p.double))
		}
		for _, g := range []gemm{{m: 1, n: 1000, k: 2048}, {m: 10, n: 500, k: 64}, {m: 16, n: 1000, k: 2048}, {m: 1, n: 4096, k: 25088}, {m: 16, n: 4096, k: 25088}} {
			row := productRow("skinny gemm", "gemm", p, g)
			rows = append(rows, row.with(Goal{Best: 1}, g.m == 16 && g.n == 1000 && !p.double))
		}
		for _, g := range []gemm{{m: 128, n: 32, k: 256}, {m: 128, n: 1024, k: 1024}, {m: 128, n: 4096, k: 16384}} {
			g.tb = true
			row := productRow("tmm", "gemm_nt", p, g)
			rows = append(rows, row.with(Goal{Best: 1.05}, g.n == 1024 && !p.double))
		}
		tbmm := productRow("tbmm", "batched_nt", p, gemm{batch: 500, m: 72, n: 26, k: 26, tb: true})
		bmm := productRow("bmm", "batched", p, gemm{batch: 16, m: 10, n: 500, k: 64})
		rows = append(rows, tbmm.with(Goal{Best: 1.05}, !p.double), bmm.with(Goal{Best: 1.05}, false))
	}
	return rows
}
