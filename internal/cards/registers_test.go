package cards

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestRegisters: of no row's schedule an item keeps something in memory for want of registers, or because a subscript of what should be in them
// is known when it runs only. NVIDIA's assembler says it, where NVRTC is (scripts/cuda-compilers).
func TestRegisters(t *testing.T) {
	if !sweep.Long(t) {
		t.Skip("NVRTC takes half a minute: RICCI_LONG")
	}
	for _, name := range []string{"a100", "h100"} {
		kernels := 0
		for _, r := range rows {
			def, sizes, err := r.of(false)
			if err != nil {
				t.Fatal(err)
			}
			o := ricci.Options{Machine: machine.Named(name).Text(), Target: "cuda", NoCache: true}
			if r.fast {
				o.Numerics = "fast"
			}
			text, err := def.Stage(t.Context(), ricci.StageAsm, sizes, o)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(text) {
				if !strings.Contains(line, "registers of an item") {
					continue
				}
				if kernels++; strings.Contains(line, "in memory") || strings.Contains(line, "spills") {
					t.Errorf("%s on %s: %s", r.name, name, line)
				}
			}
		}
		if kernels == 0 {
			t.Skip("no NVRTC: who assembles in its place says nothing of registers")
		}
		t.Logf("%s: %d kernels", name, kernels)
	}
}
