package estimate_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
)

var update = flag.Bool("update", false, "record the golden files again")

const matmul = `func matmul {
  in A: float32[1024, 1024]
  in B: float32[1024, 1024]
  out C: float32[1024, 1024]
  for i in 0:1024, j in 0:1024, k in 0:1024 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`

const jacobi = `func jacobi {
  in I: float32[4098, 4098]
  out O: float32[4096, 4096]
  for i in 0:4096, j in 0:4096 { O[i, j] = I[i, j + 1i64] + I[i + 2i64, j + 1i64] + I[i + 1i64, j] + I[i + 1i64, j + 2i64] }
}`

const softmax = `func softmax {
  in X: float32[128, 1000]
  temp m: float32[128]
  temp e: float32[128, 1000]
  temp s: float32[128]
  out Y: float32[128, 1000]
  for i in 0:128, j in 0:1000 reduce max { m[i] = X[i, j] }
  for i in 0:128, j in 0:1000 { e[i, j] = exp(X[i, j] - m[i]) }
  for i in 0:128, j in 0:1000 reduce + { s[i] = e[i, j] }
  for i in 0:128, j in 0:1000 { Y[i, j] = e[i, j] / s[i] }
}`

// machine is one with 64-byte vectors whose speeds are guessed.
func processor(cores int) *machine.Processor {
	return &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 32 << 10, L2: 1 << 20, L3: 32 << 20, Cores: cores}
}

// of estimates a tree of a function, both given as text.
func of(t testing.TB, function_, tree string, cores int) *estimate.Report {
	t.Helper()
	f := function(t, function_)
	parsed, err := schedule.Parse(tree)
	if err != nil {
		t.Fatal(err)
	}
	if err := schedule.Check(f, parsed); err != nil {
		t.Fatal(err)
	}
	r, err := estimate.Estimate(f, parsed, processor(cores))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// from returns the bytes that a part moves from a layer to the one before it.
func from(p *estimate.Part, layer string) float64 {
	for _, t := range p.Traffic {
		if t.From == layer {
			return t.Bytes
		}
	}
	return math.NaN()
}

const domain = "domain S0[i, j, k]\n"

// tile makes the schedule of a product with a register tile of rows × lanes.
func tile(rows, lanes int) string {
	head, body := fmt.Sprintf("band S0.i tile %d | S0.j tile %d", rows, lanes), "S0.i unroll | S0.j vector 16 unroll"
	if rows == 1 {
		head, body = fmt.Sprintf("band S0.i | S0.j tile %d", lanes), "S0.j vector 16 unroll"
	}
	return domain + head + "\n  accumulate S0 register\n    band S0.k\n      band " + body
}

// TestReasons: what limits typical schedules.
func TestReasons(t *testing.T) {
	small := strings.ReplaceAll(matmul, "1024", "256")
	canonical := of(t, small, domain+"band S0.i | S0.j\n  accumulate S0 register\n    band S0.k", 1)
	narrow, square, long := of(t, small, tile(2, 16), 1), of(t, small, tile(6, 64), 1), of(t, small, tile(1, 128), 1)
	if text := narrow.String(); !strings.Contains(text, "limited by waiting for sums") {
		t.Errorf("two accumulators do not wait:\n%s", text)
	}
	if narrow.Parts[0].Accumulators != 2 || square.Parts[0].Accumulators != 24 {
		t.Errorf("%g and %g accumulators, want 2 and 24", narrow.Parts[0].Accumulators, square.Parts[0].Accumulators)
	}
	if got := square.Parts[0].LoadsPerOperation; math.Abs(got-10.0/24) > 0.02 {
		t.Errorf("%g loads for each operation of a tile of 6 × 4 vectors, want 10/24", got)
	}
	if !(square.Seconds < long.Seconds && long.Seconds < narrow.Seconds && narrow.Seconds < canonical.Seconds) {
		t.Errorf("6×4 vectors %g, 1×8 %g, 2×1 %g, canonical %g", square.Seconds, long.Seconds, narrow.Seconds, canonical.Seconds)
	}
	if spilled := of(t, small, tile(18, 64), 1).String(); !strings.Contains(spilled, "limited by spilled accumulators") {
		t.Errorf("72 accumulators fit into 32 registers:\n%s", spilled)
	}
}

// TestTraffic: the bytes of a product in blocks are those that can be counted by hand.
func TestTraffic(t *testing.T) {
	const mb = 1 << 20
	// B, 4 MB, does not fit into the second layer: it comes once for every 6 rows.
	plain := of(t, matmul, domain+"band S0.i tile 6 | S0.j tile 64\n  accumulate S0 register\n    band S0.k\n      band S0.i unroll | S0.j vector 16 unroll", 1)
	if got, want := from(&plain.Parts[0], "L3"), 4.0*mb*1024/6; got < 0.8*want || got > 1.2*want {
		t.Errorf("%.0f MB come from L3, want %.0f", got/mb, want/mb)
	}
	// A panel of 64 columns stays: B comes once, A once for each panel.
	panels := of(t, matmul, domain+"band S0.j tile 64\n  band S0.i tile 6\n    accumulate S0 register\n      band S0.k\n        band S0.i unroll | S0.j vector 16 unroll", 1)
	if got, want := from(&panels.Parts[0], "L3"), 4.0*mb*(1+16+2); got < 0.7*want || got > 1.3*want {
		t.Errorf("%.0f MB come from L3, want %.0f", got/mb, want/mb)
	}
	// All of it fits into the third layer, where earlier calls have left it.
	for _, r := range []*estimate.Report{plain, panels} {
		if got := from(&r.Parts[0], "memory"); got > 1*mb {
			t.Errorf("%.0f MB come from memory", got/mb)
		}
	}
	// A stencil row by row moves what it must; in narrow columns it takes longer.
	rows := of(t, jacobi, "domain S0[i, j]\nband S0.i | S0.j vector 16", 1)
	if got, want := from(&rows.Parts[0], "memory"), 3.0*64*mb; got < 0.95*want || got > 1.1*want {
		t.Errorf("%.0f MB come from memory, want %.0f", got/mb, want/mb)
	}
	columns := of(t, jacobi, "domain S0[i, j]\nband S0.j tile 16\n  band S0.i | S0.j vector 16", 1)
	if columns.Seconds < 1.3*rows.Seconds {
		t.Errorf("columns take %g, rows %g", columns.Seconds, rows.Seconds)
	}
}

// TestThreads: threads share the work as far as there are tasks.
func TestThreads(t *testing.T) {
	tree := func(block string) string {
		return domain + "band S0.i tile " + block + " parallel\n  band S0.i tile 8 | S0.j tile 32\n    accumulate S0 register\n      band S0.k\n        band S0.i unroll | S0.j vector 16 unroll"
	}
	one, four, uneven := of(t, matmul, tree("128"), 1), of(t, matmul, tree("128"), 4), of(t, matmul, tree("256"), 3)
	if s := one.Seconds / four.Seconds; s < 3 || s > 4.5 { // four threads have more cache
		t.Errorf("four threads are %g times as fast", s)
	}
	if b := uneven.Parts[0].Balance; math.Abs(b-4.0/6) > 1e-9 || uneven.Parts[0].Tasks != 4 {
		t.Errorf("%d tasks of three threads keep them busy for %g", uneven.Parts[0].Tasks, b)
	}
}

// TestPlace: a packed panel costs its copy, and a placed temporary no traffic.
func TestPlace(t *testing.T) {
	packed := of(t, matmul, domain+"band S0.j tile 64\n  place B private\n    band S0.i tile 8\n      accumulate S0 register\n        band S0.k\n          band S0.i unroll | S0.j vector 16 unroll", 1)
	found := false
	for _, i := range packed.Parts[0].Instructions {
		found = found || i.Name == "packing" && i.Seconds > 0
	}
	if !found {
		t.Errorf("packing costs nothing:\n%s", packed)
	}
	f := function(t, softmax)
	tree, err := standard.Default(f, processor(1))
	if err != nil {
		t.Fatal(err)
	}
	r, err := estimate.Estimate(f, tree, processor(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, traffic := range r.Parts[0].Traffic {
		if traffic.From == "L2" && (traffic.Tensors["e"] > 4*1000 || traffic.Tensors["X"] < 4*128*1000) {
			t.Errorf("from L2 come %v", traffic.Tensors)
		}
	}
}

// TestRandom: every function and its schedules have a finite estimate.
func TestRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := eintest.Func(t)
		m := processor(rapid.IntRange(1, 4).Draw(t, "cores"))
		byDefault, err := standard.Default(f, m)
		if err != nil {
			return // a matter of that package
		}
		model, err := estimate.New(f, m, schedule.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, tree := range []*schedule.Tree{byDefault, schedule.Canonical(f)} {
			r, err := model.Estimate(tree)
			if err != nil {
				t.Fatal(err)
			}
			if math.IsNaN(r.Seconds) || math.IsInf(r.Seconds, 0) || r.Seconds < 0 {
				t.Fatalf("%g seconds for\n%s", r.Seconds, schedule.Print(tree))
			}
			if _, err := schedule.Parse(schedule.Print(tree) + r.String()); err != nil {
				t.Fatalf("the explanation is no comment: %v", err)
			}
		}
	})
}

// TestWrongTree: a tree of another function is an error.
func TestWrongTree(t *testing.T) {
	model, err := estimate.New(function(t, matmul), processor(1), schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := model.Estimate(schedule.Canonical(function(t, softmax))); err == nil {
		t.Error("the schedule of another function has an estimate")
	}
	for _, text := range []string{
		domain + "place X private\n  band S0.i | S0.j\n    accumulate S0 register\n      band S0.k",
		domain + "band S0.i | S0.q\n  accumulate S0 register\n    band S0.k",
	} {
		tree, err := schedule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := model.Estimate(tree); err == nil {
			t.Errorf("an estimate for a schedule of names that are not there:\n%s", text)
		}
	}
}

// recorded reads measurements (judge_test.go) by workload.
func recorded(t *testing.T, file string) map[string][]run {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var runs []run
	if err := json.Unmarshal(data, &runs); err != nil {
		t.Fatal(err)
	}
	groups := map[string][]run{}
	for _, r := range runs {
		groups[r.Workload] = append(groups[r.Workload], r)
	}
	return groups
}

// judged returns the rank correlation of estimates and measurements, and the median of
// their ratios.
func judged(t *testing.T, group []run) (correlation, ratio float64) {
	t.Helper()
	model, err := estimate.New(function(t, group[0].Function), processor(1), schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var measured, estimated, ratios []float64
	for _, r := range group {
		tree, err := schedule.Parse(r.Tree)
		if err != nil {
			t.Fatal(err)
		}
		seconds, err := model.Seconds(tree)
		if err != nil {
			t.Fatal(err)
		}
		measured, estimated, ratios = append(measured, r.Seconds), append(estimated, seconds), append(ratios, seconds/r.Seconds)
	}
	slices.Sort(ratios)
	return spearman(estimated, measured), ratios[len(ratios)/2]
}

// TestMeasured: the estimates rank measurements of random schedules.
func TestMeasured(t *testing.T) {
	groups := recorded(t, "measured.json")
	if len(groups) < 4 {
		t.Fatalf("measurements of %d functions", len(groups))
	}
	for name, group := range groups {
		if c, _ := judged(t, group); c < 0.82 || len(group) < 40 {
			t.Errorf("%s: Spearman's rank correlation of %d schedules is %.3f", name, len(group), c)
		}
	}
}

// TestAround: of schedules around the default ones, which have panels, windows, streams
// and shared loops, the estimates are near, and rank them on the whole: many of them
// differ by no more than the noise.
func TestAround(t *testing.T) {
	groups := recorded(t, "around.json")
	if len(groups) < 8 {
		t.Fatalf("measurements of %d functions", len(groups))
	}
	sum := 0.0
	for name, group := range groups {
		c, ratio := judged(t, group)
		t.Logf("%-10s Spearman %.2f, estimate/measured %.2f", name, c, ratio)
		if sum += c; ratio < 0.5 || ratio > 2 {
			t.Errorf("%s: the median estimate is %.2f times what was measured", name, ratio)
		}
	}
	if mean := sum / float64(len(groups)); mean < 0.45 {
		t.Errorf("the mean of the rank correlations is %.2f", mean)
	}
}

// TestText: the explanation.
func TestText(t *testing.T) {
	got := ""
	for _, text := range []string{matmul, softmax} {
		f := function(t, text)
		tree, err := schedule.Parse(golden[f.Name])
		if err != nil {
			t.Fatal(err)
		}
		r, err := estimate.Estimate(f, tree, processor(2))
		if err != nil {
			t.Fatal(err)
		}
		got += schedule.Print(tree) + r.String()
	}
	path := filepath.Join("testdata", "text.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// golden has the schedules of the explanations.
var golden = map[string]string{
	"matmul": domain + `band S0.i tile 132 parallel
  band S0.j tile 64
    place B private
      band S0.i tile 6
        accumulate S0 register
          band S0.k
            band S0.i unroll | S0.j vector 16 unroll
`,
	"softmax": `domain S0[i, j]; S1[i, j]; S2[i, j]; S3[i, j]
sequence
  filter S0
    band S0.i
      accumulate S0 register
        band S0.j tile 128
          band S0.j vector 16 unroll
  filter S1, S2, S3
    band S1.i S2.i S3.i parallel
      place e private
        sequence
          filter S1
            band S1.j vector 16
          filter S2
            accumulate S2 register
              band S2.j
          filter S3
            band S3.j vector 16
`,
}

func BenchmarkEstimate(b *testing.B) {
	f := function(b, matmul)
	tree, err := standard.Default(f, processor(2))
	if err != nil {
		b.Fatal(err)
	}
	model, err := estimate.New(f, processor(2), schedule.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := model.Estimate(tree); err != nil {
			b.Fatal(err)
		}
	}
}

// TestGuessedUnits: the floor of a product on a machine that nobody has measured is that of the units
// which it has for the type, and what holds a report up is called by its name.
func TestGuessedUnits(t *testing.T) {
	text := func(elem, product string) string {
		return `func mm {
  in A: ` + elem + `[512, 512]
  in B: ` + elem + `[512, 512]
  out C: ` + product + `[512, 512]
  for i in 0:512, j in 0:512, k in 0:512 reduce + { C[i, j] = ` + product + `(A[i, k]) * ` + product + `(B[k, j]) }
}`
	}
	compute := func(text string, features ...string) float64 {
		m := processor(1)
		m.Features = features
		f := function(t, text)
		r, err := estimate.Estimate(f, schedule.Canonical(f), m)
		if err != nil {
			t.Fatal(err)
		}
		return r.Floor.Compute
	}
	floats := compute(text("bfloat16", "float32"))
	for _, test := range []struct {
		elem, product, feature string
		times                  float64 // of the time of floats
	}{
		{"bfloat16", "float32", "amx_bf16", 1.0 / 16},
		{"int8", "int32", "", 0.5},
		{"int8", "int32", "avx512vnni", 0.25},
		{"int8", "int32", "amx_int8", 1.0 / 32},
		{"int32", "int32", "", 2},
	} {
		if got := compute(text(test.elem, test.product), test.feature) / floats; math.Abs(got/test.times-1) > 1e-6 {
			t.Errorf("%s with %q: %g of the time of floats, expected %g", test.elem, test.feature, got, test.times)
		}
	}
	held := estimate.Report{Seconds: 3, Floor: estimate.Floor{Seconds: 3, Compute: 3, Memory: 1}, Parts: []estimate.Part{{Seconds: 2}}}
	if s := held.String(); !strings.Contains(s, "but arithmetic is not as fast") {
		t.Error(s)
	}
	held.Floor.Memory, held.Floor.Compute = 3, 1
	if s := held.String(); !strings.Contains(s, "but the memory is not as fast") {
		t.Error(s)
	}
}
