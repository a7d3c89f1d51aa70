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
		`{"name":"Y","dims":[{"min":"1","extent":"N - K - 1"}]}],"indices":[{"name":"i","min":"1","extent":"N - K - 1"},{"name":"k","min":"0","extent":"K"}]}`
	if string(symbolic) != want {
		t.Errorf("symbolic: %s", symbolic)
	}
	want = `{"def":"conv","tensors":[{"name":"X","dims":[{"min":0,"extent":10}]},{"name":"W","dims":[{"min":0,"extent":3}]},` +
		`{"name":"Y","dims":[{"min":1,"extent":6}]}],"indices":[{"name":"i","min":1,"extent":6},{"name":"k","min":0,"extent":3}]}`
	if string(numbers) != want {
		t.Errorf("numbers: %s", numbers)
	}
	if _, err := d.RangesFor(map[string]int64{"Q": 1}); diagnostic(err) != "E0603" {
		t.Errorf("an unknown size: %v", err)
	}
}
