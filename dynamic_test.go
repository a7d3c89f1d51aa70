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
