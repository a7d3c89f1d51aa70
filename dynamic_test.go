package ricci_test

import (
	"path/filepath"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestExamplesOfOpenSizes: every example is a kernel for all sizes at once. A quick run builds a few.
func TestExamplesOfOpenSizes(t *testing.T) {
	few := map[string]bool{"causal_attention": true, "conv2d_padded": true,
		"embedding_grad": true, "group_norm": true, "batch_norm_training": true, "global_avgpool": true, "wavenet": true,
		"mbbs": true, "jacobi2d": true, "mcc_any_stride": true, "mandelbrot_steps": true, "histogram_of_moments": true}
	var files []string
	for _, pattern := range []string{"examples/tc/*.tc", "examples/mdh/*.mdh", "examples/teil/*.teil"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no examples: %v", err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		program, err := ricci.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, def := range program.Defs() {
			if !sweep.Long(t) && !few[def.Name()] {
				continue
			}
			t.Run(def.Name(), func(t *testing.T) {
				if _, err := def.Build(t.Context(), ricci.BuildOptions{Dir: t.TempDir()}); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestTestedSubscriptsOfOpenSizes: subscripts that are data and stand under a condition are tested while running, for
// all sizes, as for those of one call.
func TestTestedSubscriptsOfOpenSizes(t *testing.T) {
	program, err := ricci.Parse("tested.tc", `
def last(float(N) x) -> (y) { n +=! x(i) > 0 ? 1 : 0  y = n > 0 ? x(n-1) : 0 }
def before(int(N) s, float(N) x) -> (y) { b(i) scan(i) max=! s(i)  y(i) = b(i) > 0 ? x(b(i)-1) : 0 }
def neighbours(int(N,K) nb, int(N) degree, float(N) x) -> (y) { y(i) +=! k < degree(i) ? x(nb(i,k)) - x(i) : 0 }
def largest(float(N) x) -> (y) { (v, p) argmax=! x(i)  y = p > 0 ? x(p-1) : v }
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, def := range program.Defs() {
		if _, err := def.Build(t.Context(), ricci.BuildOptions{Dir: t.TempDir()}); err != nil {
			t.Errorf("%s: %v", def.Name(), err)
		}
	}
}
