package ricci_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
)

func TestStages(t *testing.T) {
	d := parse(t, matmul)
	sizes := map[string]int64{"M": 8, "K": 4, "N": 32}
	for stage, want := range map[ricci.Stage]string{
		ricci.StageAST:      "mm",
		ricci.StageEin:      "C",
		ricci.StageRanges:   "index k  min 0  extent 4",
		ricci.StageSchedule: "domain S0[i, j, k]",
		ricci.StageMDH:      "mdh S0 on host",
		ricci.StageLoop:     "C",
		ricci.StageC:        "int ricci_mm(const i64 *args)",
		ricci.StageAsm:      "ricci_mm:",
	} {
		text, err := d.Stage(context.Background(), stage, sizes, ricci.Options{})
		skipWithoutCompiler(t, err)
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %v\n%s", stage, err, text)
		}
	}
	if _, err := d.Stage(context.Background(), ricci.StageC, map[string]int64{"M": 8}, ricci.Options{}); diagnostic(err) != "E0604" {
		t.Errorf("missing sizes: %v", err)
	}
	if _, err := d.Stage(context.Background(), ricci.StageC, map[string]int64{"M": 8, "Q": 1}, ricci.Options{}); diagnostic(err) != "E0603" {
		t.Errorf("an unknown size: %v", err)
	}
	if _, err := d.Stage(context.Background(), ricci.StageC, map[string]int64{"M": 8}, ricci.Options{Dynamic: []string{"K", "N"}}); err != nil {
		t.Errorf("dynamic sizes: %v", err)
	}
	if _, err := d.Stage(context.Background(), "llvm", sizes, ricci.Options{}); err == nil || !strings.Contains(err.Error(), "schedule") {
		t.Errorf("an unknown stage: %v", err)
	}
}

// TestStageForStrides: the code that is shown addresses arguments as they lie, and the estimate counts their lines.
func TestStageForStrides(t *testing.T) {
	d := parse(t, "def twice(float(N) x) -> (y) { y(i) = 2 * x(i) }")
	signature := func(stride int) ricci.Signature {
		return ricci.Signature{Shapes: map[string][]int{"x": {4096}, "y": {4096}}, Strides: map[string][]int{"x": {1}, "y": {stride}}}
	}
	var seconds []float64
	for _, stride := range []int{1, 16} {
		text, err := d.StageFor(t.Context(), ricci.StagePlan, signature(stride), ricci.Options{})
		if err != nil || strings.Contains(text, "16") != (stride == 16) {
			t.Errorf("%v\n%s", err, text)
		}
		e, err := d.EstimateFor(t.Context(), signature(stride), ricci.Options{})
		if err != nil {
			t.Fatal(err)
		}
		seconds = append(seconds, e.Seconds())
	}
	if seconds[1] < 2*seconds[0] {
		t.Errorf("calls are estimated to take %v", seconds)
	}
	if text, err := d.StageFor(t.Context(), ricci.StageRanges, signature(1), ricci.Options{}); err != nil || !strings.Contains(text, "4096") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestEquations shows the rewriting of a def in the one notation that has equations.
func TestEquations(t *testing.T) {
	program, err := ricci.Parse("apply.teil", "alloc A : [n, n] in\nalloc u : [n, n] in\nalloc v : [n, n] out\nv = (A * A)(u)")
	if err != nil {
		t.Fatal(err)
	}
	d, err := program.Def("apply")
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.Stage(context.Background(), ricci.StageEquations, map[string]int64{"n": 10}, ricci.Options{})
	if err != nil || !strings.Contains(text, "t1 = contr 2 4 (prod A u)") || !strings.Contains(text, "4·n^3 = 4000 after") {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := parse(t, matmul).Stage(context.Background(), ricci.StageEquations, nil, ricci.Options{}); err == nil || !strings.Contains(err.Error(), "TeIL") {
		t.Errorf("equations of TC: %v", err)
	}
}

func TestRanges(t *testing.T) {
	d := parse(t, `def conv(float(N) X, float(K) W) -> (Y) { Y(i) +=! X(i+k) * W(k) where i in 1:N-K }`)
	symbolic, err := json.Marshal(d.Ranges())
	if err != nil {
		t.Fatal(err)
	}
	numeric, err := d.RangesFor(map[string]int64{"N": 10, "K": 3})
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := json.Marshal(numeric)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"def":"conv","tensors":[{"name":"X","dims":[{"min":"0","extent":"N"}]},{"name":"W","dims":[{"min":"0","extent":"K"}]},` +
		`{"name":"Y","dims":[{"min":"1","extent":"N - K - 1"}]}],"indices":[{"name":"i","min":"1","extent":"N - K - 1","statement":0},` +
		`{"name":"k","min":"0","extent":"K","statement":0}],"conditions":["N \u003e= K + 2"]}`
	if string(symbolic) != want {
		t.Errorf("symbolic: %s", symbolic)
	}
	want = `{"def":"conv","tensors":[{"name":"X","dims":[{"min":0,"extent":10}]},{"name":"W","dims":[{"min":0,"extent":3}]},` +
		`{"name":"Y","dims":[{"min":1,"extent":6}]}],"indices":[{"name":"i","min":1,"extent":6,"statement":0},` +
		`{"name":"k","min":0,"extent":3,"statement":0}],"conditions":["N \u003e= K + 2"]}`
	if string(numbers) != want {
		t.Errorf("numbers: %s", numbers)
	}
	if _, err := d.RangesFor(map[string]int64{"Q": 1}); diagnostic(err) != "E0603" {
		t.Errorf("an unknown size: %v", err)
	}
}

// A def without sizes has numbers only; the number of the statement tells indices
// of one name apart.
func TestRangesOfConstants(t *testing.T) {
	d := parse(t, `def f(float(4) X) -> (Y, Z) { Y(i) = X(i)  Z(i) = X(i) where i in 1:3 }`)
	text, err := json.Marshal(d.Ranges().Indices)
	if want := `[{"name":"i","min":0,"extent":4,"statement":0},{"name":"i","min":1,"extent":2,"statement":1}]`; err != nil || string(text) != want {
		t.Errorf("%v, %s", err, text)
	}
}

// A range that may be empty has no negative extent.
func TestRangesOfEmpty(t *testing.T) {
	d := parse(t, `def f(float(N) X) -> (s) { s +=! X(i) where i in 5:N or empty }`)
	r, err := d.RangesFor(map[string]int64{"N": 3})
	if err != nil {
		t.Fatal(err)
	}
	if e := r.Indices[0].Extent; !e.IsValue || e.Value != 0 || e.Text != "0" {
		t.Errorf("the extent is %+v", e)
	}
}

// Sizes that a call would refuse are refused by every stage, as far as the given
// ones decide it, with the diagnostics of the call.
func TestStageSizes(t *testing.T) {
	const text = `
def shift(float(N) A) -> (B) { B(i) = A(i+2) }
def strided(float(N) x, int s) -> (y) { y(i) = x(s*i) }
def quarter(float(N) A) -> (B) { B(i) = A(i) where i in 0:N/4 }`
	p, err := ricci.Parse("test.tc", text)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		def   string
		sizes map[string]int64
		code  ricci.Code
	}{
		{"shift", map[string]int64{"N": 1}, "E0607"},
		{"shift", map[string]int64{"N": -4}, "E0606"},
		{"strided", map[string]int64{"N": 9, "s": 0}, "E0607"},
		{"strided", map[string]int64{"s": -1}, "E0607"},
		{"quarter", map[string]int64{"N": 3}, "E0607"},
	} {
		d, err := p.Def(test.def)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.RangesFor(test.sizes); diagnostic(err) != test.code {
			t.Errorf("%s %v: the ranges: %v, expected %s", test.def, test.sizes, err, test.code)
		}
		for _, stage := range ricci.Stages()[1:] {
			if _, err := d.Stage(context.Background(), stage, test.sizes, ricci.Options{}); diagnostic(err) != test.code {
				t.Errorf("%s %v --stage %s: %v, expected %s", test.def, test.sizes, stage, err, test.code)
			}
		}
		if _, err := d.Build(context.Background(), ricci.BuildOptions{Sizes: test.sizes, Emit: ricci.EmitC, Dir: t.TempDir()}); diagnostic(err) != test.code {
			t.Errorf("build %s %v: %v, expected %s", test.def, test.sizes, err, test.code)
		}
	}
}
