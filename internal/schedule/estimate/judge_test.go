package estimate_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/tune/knob"
	"github.com/ricci-lang/ricci/tensor"
)

// How the model is judged: random legal schedules of some functions are compiled and
// measured, and the estimates must rank them as the measurements do.
//
//	go test -c ./internal/schedule/estimate
//	./estimate.test -test.run TestRecord -record runs.json -prepare   # compiles only
//	./estimate.test -test.run TestRecord -record runs.json            # on a quiet machine
//	./estimate.test -test.run TestJudge -judge runs.json -test.v

var (
	record    = flag.String("record", "", "`file` to write measurements of random schedules to")
	prepare   = flag.Bool("prepare", false, "with -record: only compile")
	kernels   = flag.String("kernels", "", "`directory` of compiled kernels; empty for a temporary one")
	seed      = flag.Uint64("seed", 1, "of the random schedules")
	trees     = flag.Int("trees", 60, "how many random schedules of each function are measured")
	near      = flag.Int("near", 16, "how many schedules around the default one of each other function are measured")
	only      = flag.String("only", "", "with -record: the `name` of one workload")
	threads   = flag.Int("threads", 1, "threads of the measured kernels")
	judge     = flag.String("judge", "", "`file` with measurements to judge the estimates by")
	guessed   = flag.Bool("guessed", false, "with -judge: do not use the measured speeds of the machine")
	breakdown = flag.Bool("breakdown", false, "with -judge: explain every estimate")
)

// A workload is a function whose schedules are drawn: at random, or around the default
// one, which then has what random ones do not.
type workload struct {
	Name, Text string
	Sizes      map[string]int64
	Around     bool
}

func workloads() []workload {
	return []workload{
		{"matmul", "def f(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }", map[string]int64{"M": 384, "N": 512, "K": 640}, false},
		{"matmul_large", "def f(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }", map[string]int64{"M": 1000, "N": 1024, "K": 500}, false},
		{"matmul_nt", "def f(double(M,K) A, double(N,K) B) -> (C) { C(i,j) +=! A(i,k) * B(j,k) }", map[string]int64{"M": 256, "N": 384, "K": 512}, false},
		{"conv", "def f(float(N,C,H,W) I, float(F,C,R,S) K) -> (O) { O(n,f,y,x) +=! I(n,c,y+r,x+s) * K(f,c,r,s) }", map[string]int64{"N": 1, "C": 32, "H": 58, "W": 58, "F": 64, "R": 3, "S": 3}, false},
		{"stencil", "def f(float(N,M) I) -> (O) { O(i,j) = 0.25 * (I(i,j+1) + I(i+2,j+1) + I(i+1,j) + I(i+1,j+2)) where i in 0:N-2, j in 0:M-2 }", map[string]int64{"N": 2050, "M": 4098}, false},
		{"matvec", "def f(float(M,K) A, float(K) x) -> (y) { y(i) +=! A(i,k) * x(k) }", map[string]int64{"M": 2048, "K": 4096}, false},
		// Panels and their prefetch, windows that are copied, streams, shared inner loops.
		{"panels", "def f(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }", map[string]int64{"M": 1024, "N": 1024, "K": 1024}, true},
		{"windows", "def f(float(N,C,H,W) I, float(F,C,R,S) K) -> (O) { O(n,f,y,x) +=! I(n,c,y+r,x+s) * K(f,c,r,s) }", map[string]int64{"N": 1, "C": 128, "H": 30, "W": 30, "F": 128, "R": 3, "S": 3}, true},
		{"strided", "def f(float(N,C,H,W) I, float(F,C,R,S) K) -> (O) { O(n,f,y,x) +=! I(n,c,2*y+r,2*x+s) * K(f,c,r,s) }", map[string]int64{"N": 1, "C": 64, "H": 57, "W": 57, "F": 64, "R": 3, "S": 3}, true},
		{"transpose", "def f(float(M,N) A) -> (B) { B(j,i) = A(i,j) }", map[string]int64{"M": 4096, "N": 4096}, true},
		{"jacobi", "def f(float(N,M) I) -> (O) { O(i,j) = 0.25 * (I(i,j+1) + I(i+2,j+1) + I(i+1,j) + I(i+1,j+2)) where i in 0:N-2, j in 0:M-2 }", map[string]int64{"N": 4098, "M": 4098}, true},
		{"softmax", "def f(float(B,N) I) -> (O) { m(b) max=! I(b,n) e(b,n) = exp(I(b,n) - m(b)) s(b) +=! e(b,n) O(b,n) = e(b,n) / s(b) }", map[string]int64{"B": 1024, "N": 4096}, true},
		{"attention", `def f(float(N,D) Q, float(M,D) K, float(M,E) V) -> (O) {
			S(i,j) +=! Q(i,d) * K(j,d) m(i) max=! S(i,j) e(i,j) = exp(S(i,j) - m(i)) s(i) +=! e(i,j)
			O(i,v) +=! e(i,j) * V(j,v) O(i,v) = O(i,v) / s(i) }`, map[string]int64{"N": 512, "M": 512, "D": 64, "E": 64}, true},
		{"elements", `def f(double(E,8,8,8) u, double(8,8) A) -> (v) {
			a(e,i,j,n) +=! A(k,n) * u(e,i,j,k) b(e,i,m,n) +=! A(j,m) * a(e,i,j,n) v(e,l,m,n) +=! A(i,l) * b(e,i,m,n) }`, map[string]int64{"E": 4096}, true},
		{"mttkrp", "def f(double(I,K,L) A, double(K,J) B, double(L,J) C) -> (D) { D(i,j) +=! A(i,k,l) * B(k,j) * C(l,j) }", map[string]int64{"I": 128, "J": 64, "K": 64, "L": 128}, true},
		{"ccsdt", "def f(float(D,B,E,G) X, float(A,F,G,C) Y) -> (Z) { Z(a,b,c,d,e,f) +=! X(d,b,e,g) * Y(a,f,g,c) }", map[string]int64{"A": 12, "B": 16, "C": 16, "D": 12, "E": 16, "F": 16, "G": 24}, true},
	}
}

// A run is a schedule with its measured time.
type run struct {
	Workload, Function, Tree string
	Seconds                  float64
	Threads                  int
}

// TestRecord measures random schedules.
func TestRecord(t *testing.T) {
	if *record == "" {
		t.Skip("without -record")
	}
	dir := *kernels
	if dir == "" {
		dir = t.TempDir()
	}
	options := ricci.Options{Target: ricci.C, Threads: *threads, CacheDir: dir, Untuned: true}
	var runs []run
	for _, w := range workloads() {
		if *only != "" && *only != w.Name {
			continue
		}
		options.Schedule = ""
		p, err := ricci.Parse(w.Name+".tc", w.Text)
		if err != nil {
			t.Fatal(err)
		}
		def, err := p.Def("f")
		if err != nil {
			t.Fatal(err)
		}
		text, err := def.Stage(context.Background(), ricci.StageEin, w.Sizes, options)
		if err != nil {
			t.Fatal(err)
		}
		f := function(t, text)
		byDefault, err := def.Stage(context.Background(), ricci.StageSchedule, w.Sizes, options)
		if err != nil {
			t.Fatal(err)
		}
		list := draw(f, *trees, *threads > 1, byDefault)
		if w.Around {
			list = around(t, f, *near, byDefault)
		}
		runs = append(runs, timesOf(t, w, def, options, text, list)...)
	}
	if *prepare {
		return
	}
	data, err := json.MarshalIndent(runs, "", " ")
	if err == nil {
		err = os.WriteFile(*record, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// patience is how long the schedules of a workload are measured.
const patience = 1500 * time.Millisecond

// timesOf measures the schedules of a workload by turns, so that all see the same of the
// machine, and returns the least time of each.
func timesOf(t *testing.T, w workload, def *ricci.Def, options ricci.Options, text string, list []string) []run {
	ctx := context.Background()
	signature, err := def.SignatureForSizes(w.Sizes)
	if err != nil {
		t.Fatal(err)
	}
	args := arguments(t, def, signature, w.Sizes)
	var runs []run
	var compiled []*ricci.Kernel
	for i, tree := range list {
		options.Schedule = tree
		k, err := def.Compile(ctx, signature, options)
		if err != nil {
			t.Logf("%s, schedule %d: %v", w.Name, i, err)
			continue
		}
		defer k.Close()
		compiled = append(compiled, k)
		runs = append(runs, run{w.Name, text, tree, math.Inf(1), *threads})
	}
	if *prepare {
		return nil
	}
	for start, round := time.Now(), 0; round < 3 || time.Since(start) < patience; round++ {
		for i, k := range compiled {
			for range 2 { // the first one warms the caches
				start := time.Now()
				if err := k.Run(ctx, args...); err != nil {
					t.Fatal(err)
				}
				runs[i].Seconds = min(runs[i].Seconds, time.Since(start).Seconds())
			}
		}
	}
	return runs
}

// arguments makes the arguments of a call.
func arguments(t *testing.T, def *ricci.Def, signature ricci.Signature, sizes map[string]int64) []*tensor.Tensor {
	shapes, err := def.OutputShapes(signature.Shapes, sizes)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(shapes, signature.Shapes)
	var args []*tensor.Tensor
	for _, p := range append(def.Inputs(), def.Outputs()...) {
		d, err := tensor.ParseDType(p.Type)
		if err != nil {
			t.Fatal(err)
		}
		a, err := tensor.New(d, shapes[p.Name]...)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, a)
	}
	return args
}

func function(t testing.TB, text string) *ein.Func {
	t.Helper()
	f, err := ein.ParseFunc("f.ein", text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// around returns so many legal schedules that differ from a given one, the first, in
// tiles and orders.
func around(t *testing.T, f *ein.Func, n int, given string) []string {
	tree, err := schedule.Parse(given)
	if err != nil {
		t.Fatal(err)
	}
	knobs := knob.Of(f, tree, nil)
	points, err := space.New(knobs.Groups()...)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(*seed, 1))
	list := []string{schedule.Print(tree)}
	for tries := 0; len(list) < n && tries < 100*n; tries++ {
		p := points.Repair(knobs.Origin())
		for range 1 + rng.IntN(4) {
			p = points.Neighbour(p, rng)
		}
		made, err := knobs.Tree(p)
		if err != nil || schedule.Check(f, made) != nil {
			continue
		}
		if text := schedule.Print(made); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// draw returns so many different legal schedules of a function of one statement, the
// given ones first.
func draw(f *ein.Func, n int, parallel bool, given ...string) []string {
	rng := rand.New(rand.NewPCG(*seed, uint64(len(f.Body[0].Indices))))
	list := given
	for tries := 0; len(list) < n && tries < 100*n; tries++ {
		t := randomTree(rng, f, parallel)
		text := schedule.Print(t)
		if schedule.Check(f, t) == nil && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// randomTree blocks, reorders, packs, unrolls and vectorises a statement at random;
// the result may be illegal.
func randomTree(rng *rand.Rand, f *ein.Func, parallel bool) *schedule.Tree {
	c := f.Body[0]
	chance := func(p float64) bool { return rng.Float64() < p }
	left := map[string]int64{}
	member := func(i *ein.Index, tile int64) *schedule.Member {
		left[i.Name] = tile
		return &schedule.Member{Loops: []schedule.Loop{{Statement: 0, Index: i.Name}}, Tile: tile}
	}
	pick := func(list ...int64) int64 { return list[rng.IntN(len(list))] }
	indices := slices.Clone(c.Indices)
	for _, i := range indices {
		left[i.Name], _ = i.Extent.IsConst()
	}
	concat, reduced := c.ByKind(ein.Concat), ein.Reduced(c)
	shuffle := func(list []*schedule.Member) []*schedule.Member {
		if chance(0.5) {
			rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		return list
	}
	vector := concat[len(concat)-1]
	switch {
	case chance(0.15) && len(reduced) > 0:
		vector = reduced[len(reduced)-1]
	case chance(0.15):
		vector = concat[rng.IntN(len(concat))]
	case chance(0.15):
		vector = nil
	}
	lanes := int64(16)
	if f.Tensors[0].Type.Size() == 8 {
		lanes = 8
	}
	var blocks, tiles, inner, points []*schedule.Member
	for _, i := range concat {
		n := left[i.Name]
		tile := int64(1)
		switch {
		case i == vector:
			tile = lanes * pick(1, 1, 2, 2, 3, 4, 6)
		case chance(0.6):
			tile = pick(2, 3, 4, 5, 6, 8, 12)
		}
		if block := tile * pick(4, 8, 10, 16, 20); chance(0.5) && block < n {
			blocks = append(blocks, member(i, block))
		}
		if tile < left[i.Name] {
			tiles = append(tiles, member(i, tile))
		}
		if tile > 1 {
			m := member(i, 1)
			m.Unroll = chance(0.9)
			if i == vector {
				m.Vector = int(lanes)
				points = append(points, m)
			} else {
				points = append([]*schedule.Member{m}, points...)
			}
		}
	}
	blocks, tiles = shuffle(blocks), shuffle(tiles)
	var node schedule.Node = &schedule.Leaf{}
	band := func(members []*schedule.Member) {
		if len(members) > 0 {
			node = &schedule.Band{Members: members, Child: node}
		}
	}
	var cut *schedule.Member
	if len(reduced) == 0 {
		band(points)
	} else {
		first := reduced[0]
		if chance(0.4) {
			if tile := pick(16, 32, 64, 128, 256); tile < left[first.Name] {
				cut = member(first, tile)
			}
		}
		for _, i := range reduced {
			switch {
			case i == vector:
				m := member(i, 1)
				m.Vector, m.Unroll = int(lanes), true
				if tile := lanes * pick(1, 2, 4); tile < left[i.Name] {
					inner = append(inner, member(i, tile))
				}
				points = append(points, m)
			case chance(0.15):
				if tile := pick(2, 4); tile < left[i.Name] {
					inner = append(inner, member(i, tile))
				}
				m := member(i, 1)
				m.Unroll = true
				points = append(points, m)
			default:
				inner = append(inner, member(i, 1))
			}
		}
		band(points)
		band(shuffle(inner))
		node = &schedule.Accumulate{Statement: 0, Region: schedule.Register, Child: node}
	}
	at := rng.IntN(len(tiles) + 1)
	band(tiles[at:])
	for _, in := range f.ByRole(ein.Input) {
		if chance(0.3) {
			node = &schedule.Place{Tensor: in.Name, Region: schedule.Private, Child: node}
		}
	}
	band(tiles[:at])
	if cut != nil {
		band([]*schedule.Member{cut})
		node = &schedule.Accumulate{Statement: 0, Region: schedule.Output, Child: node}
	}
	if parallel && len(blocks) > 0 {
		blocks[0].Parallel = true
	}
	band(blocks)
	t := schedule.Canonical(f)
	t.Root = node
	return t
}

// TestJudge compares estimates with measurements.
func TestJudge(t *testing.T) {
	if *judge == "" {
		t.Skip("without -judge")
	}
	data, err := os.ReadFile(*judge)
	if err != nil {
		t.Fatal(err)
	}
	var runs []run
	if err := json.Unmarshal(data, &runs); err != nil {
		t.Fatal(err)
	}
	processor := machine.Host()
	if c, err := cache.Open(*kernels, nil); err == nil && !*guessed {
		processor.Peaks = device.LoadPeaks(c, processor)
	}
	groups := map[string][]run{}
	var names []string
	for _, r := range runs {
		if groups[r.Workload] == nil {
			names = append(names, r.Workload)
		}
		groups[r.Workload] = append(groups[r.Workload], r)
	}
	for _, name := range names {
		processor.Cores = groups[name][0].Threads
		judgeGroup(t, name, groups[name], processor)
	}
}

func judgeGroup(t *testing.T, name string, runs []run, processor *machine.Processor) {
	model, err := estimate.New(function(t, runs[0].Function), processor, schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var measured, estimated, ratios []float64
	reports := make([]*estimate.Report, len(runs))
	start := time.Now()
	for i, r := range runs {
		tree, err := schedule.Parse(r.Tree)
		if err != nil {
			t.Fatal(err)
		}
		if reports[i], err = model.Estimate(tree); err != nil {
			t.Fatal(err)
		}
		measured, estimated = append(measured, r.Seconds), append(estimated, reports[i].Seconds)
		ratios = append(ratios, reports[i].Seconds/r.Seconds)
	}
	each := time.Since(start) / time.Duration(len(runs))
	slices.Sort(ratios)
	order := make([]int, len(runs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(estimated[a], estimated[b]) })
	// How far from the best measured one the best of the five best estimates is.
	top := math.Inf(1)
	for _, i := range order[:min(5, len(order))] {
		top = min(top, measured[i])
	}
	n := len(ratios)
	t.Logf("%-13s %d schedules, measured %.3g … %.3g ms: Spearman %.3f; estimate/measured %.2f (%.2f … %.2f); best of five %.2f; %v each",
		name, n, 1e3*slices.Min(measured), 1e3*slices.Max(measured), spearman(estimated, measured), ratios[n/2], ratios[n/10], ratios[n*9/10], top/slices.Min(measured), each)
	if *breakdown {
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(estimated[a]/measured[a], estimated[b]/measured[b]) })
		for _, i := range order {
			fmt.Printf("---- %s: measured %.4g ms, estimated %.4g ms, ratio %.2f\n%s%s\n", name, 1e3*measured[i], 1e3*estimated[i], estimated[i]/measured[i], runs[i].Tree, reports[i])
		}
	}
}

// spearman is the correlation of the ranks.
func spearman(a, b []float64) float64 {
	x, y := ranks(a), ranks(b)
	mean := float64(len(a)-1) / 2
	sxy, sxx, syy := 0.0, 0.0, 0.0
	for i := range x {
		sxy += (x[i] - mean) * (y[i] - mean)
		sxx += (x[i] - mean) * (x[i] - mean)
		syy += (y[i] - mean) * (y[i] - mean)
	}
	return sxy / math.Sqrt(sxx*syy)
}

// ranks gives each value its place; equal values share the mean.
func ranks(list []float64) []float64 {
	r := make([]float64, len(list))
	for i, v := range list {
		below, same := 0, 0
		for _, o := range list {
			if o < v {
				below++
			} else if o == v {
				same++
			}
		}
		r[i] = float64(below) + float64(same-1)/2
	}
	return r
}
