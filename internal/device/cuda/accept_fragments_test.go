package cuda

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target"
	target_cuda "github.com/ricci-lang/ricci/internal/target/cuda"
)

// fragmentTexts are kernels of all products that the matrix units of an architecture know.
func fragmentTexts(t *testing.T, architecture string) (text string) {
	t.Helper()
	for n, c := range looptest.FragmentCases() {
		f, err := c.Program()
		if err != nil {
			t.Fatal(err)
		}
		m, err := (target_cuda.Target{}).Print(f, target.Options{Name: fmt.Sprintf("k%d", n), Numerics: numerics.Default})
		if err != nil {
			t.Fatal(err)
		}
		if known, _ := strconv.Atoi(architecture); c.Shape.Since <= known {
			text += fmt.Sprintf("namespace n%d {\n%s\n}\n", n, m.Code)
		}
	}
	return text
}

// TestFragments: both compilers accept the instructions of matrix units, for the architectures that have them; NVRTC's assembler runs.
func TestFragments(t *testing.T) {
	for _, a := range sweep.Some(t, []string{"80", "75", "90"}, 3) {
		text := fragmentTexts(t, a)
		if c, err := system.compiler(); err != nil {
			t.Log("no NVRTC (scripts/cuda-compilers): ", err)
		} else if _, log, failed := c.build(&target.Module{Code: text, Symbol: "accepted"}, flags("sm_"+a, false)); failed != 0 {
			t.Errorf("NVRTC %s refuses for sm_%s (error %d)\n%s\n%s", c.version(), a, failed, log, text)
		}
		if err := acceptedByClang(t, a, text); err != nil {
			t.Error(err)
		}
	}
}
