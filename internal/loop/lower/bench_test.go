package lower_test

import (
	"os"
	"runtime"
	"testing"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
)

// BenchmarkDefault runs default schedules on one core; points/s counts the points
// of the first statement (of a contraction: multiply-adds).
func BenchmarkDefault(b *testing.B) {
	for _, run := range []struct {
		program string
		sizes   map[string]int64
	}{
		{"matmul", map[string]int64{"N": 512, "M": 512, "K": 512}},
		{"matmul", map[string]int64{"N": 1024, "M": 1024, "K": 1024}},
		{"abt", map[string]int64{"N": 512, "M": 512, "K": 512}},
		{"sgemm_relu", map[string]int64{"N": 512, "M": 512, "K": 512}},
		{"softmax", map[string]int64{"N": 1024, "M": 1024}},
		{"conv", map[string]int64{"N": 4, "C": 64, "F": 64, "H": 58, "W": 58, "KH": 3, "KW": 3}},
		{"padded", map[string]int64{"N": 512, "W": 4096}},
		{"gemv", map[string]int64{"N": 2048, "K": 2048}},
		{"gather", map[string]int64{"B": 256, "L": 32, "E": 10000, "D": 128}},
	} {
		b.Run(run.program, func(b *testing.B) {
			text, err := os.ReadFile("testdata/programs/" + run.program + ".ein")
			if err != nil {
				b.Fatal(err)
			}
			p := readProgram(b, string(text))
			p.sizes = run.sizes
			g, err := p.f.Specialise(p.sizes, nil)
			if err != nil {
				b.Fatal(err)
			}
			m := machine.Host()
			m.Cores = 1
			tree, err := standard.Default(g, m)
			if err != nil {
				b.Fatal(err)
			}
			f, err := lower.Lower(g, tree, lower.Options{})
			if err != nil {
				b.Fatal(err)
			}
			args := p.arguments(b, 1)
			outputs := p.outputs(b, args)
			entry := kernel(b, f, "-O2")
			workspace := make([]byte, f.Workspace+64)
			block, fault := p.block(f, args, outputs, workspace)
			points := 1.0
			for _, i := range g.Body[0].Indices {
				n, _ := i.Extent.IsConst()
				points *= float64(n)
			}
			for b.Loop() {
				entry.Call((*int64)(unsafe.Pointer(&block[0])))
			}
			b.ReportMetric(points*float64(b.N)/b.Elapsed().Seconds(), "points/s")
			runtime.KeepAlive(args)
			runtime.KeepAlive(workspace)
			runtime.KeepAlive(fault)
		})
	}
}
