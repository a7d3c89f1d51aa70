package ricci_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// TestLevels runs a product with the instructions of every level that the machine has, and a
// smaller set of registers shows in what is compiled.
func TestLevels(t *testing.T) {
	d := parse(t, `def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }`)
	args := tensors{"A": random(t, tensor.Float32, 1, 37, 41), "B": random(t, tensor.Float32, 2, 41, 43)}
	sizes := map[string]int64{"M": 37, "N": 43, "K": 41}
	registers := map[string][]string{"plain": {"ymm", "zmm"}, "avx2": {"zmm"}}
	for _, level := range ricci.Levels() {
		options := ricci.Options{Target: ricci.C, Level: level, CacheDir: t.TempDir()}
		results, err := compile(t, d, args, options).RunNamed(t.Context(), args)
		if err != nil {
			t.Fatalf("%s: %v", level, err)
		}
		if _, err := d.Check(t.Context(), args, results, nil); err != nil {
			t.Errorf("%s: %v", level, err)
		}
		text, err := d.Stage(t.Context(), ricci.StageAsm, sizes, options)
		if err != nil {
			t.Fatalf("%s: %v", level, err)
		}
		for _, register := range registers[level] {
			if strings.Contains(text, "%"+register) {
				t.Errorf("the code of level %s uses %s", level, register)
			}
		}
	}
	if _, err := d.CompileFor(t.Context(), args, ricci.Options{Level: "avx3"}); err == nil || !strings.Contains(err.Error(), `no level of instructions "avx3"`) {
		t.Errorf("an unknown level: %v", err)
	}
}

// TestShownLevels: what would be made for any level is shown on every machine.
func TestShownLevels(t *testing.T) {
	d := parse(t, matmul)
	sizes := map[string]int64{"M": 64, "N": 64, "K": 64}
	for _, level := range ricci.AllLevels() {
		options := ricci.Options{Level: level, CacheDir: t.TempDir(), Threads: 1}
		for _, stage := range []ricci.Stage{ricci.StageSchedule, ricci.StageLoop, ricci.StageC} {
			if text, err := d.Stage(t.Context(), stage, sizes, options); err != nil || text == "" {
				t.Errorf("%s, %s: %v", level, stage, err)
			}
		}
		if _, err := d.Estimate(t.Context(), sizes, options); err != nil {
			t.Errorf("%s: %v", level, err)
		}
		if text, _ := d.Stage(t.Context(), ricci.StageSchedule, sizes, options); strings.HasPrefix(level, "avx512") != strings.Contains(text, "vector 16") && !strings.HasPrefix(level, "amx") {
			t.Errorf("%s:\n%s", level, text)
		}
	}
	if _, err := d.Stage(t.Context(), ricci.StageC, sizes, ricci.Options{Level: "avx3"}); err == nil {
		t.Error("a level that nobody knows is shown")
	}
}
