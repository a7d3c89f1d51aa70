package standard

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestAsking: what is known to help is asked for as where nothing is known, and each ratio takes away what it is about and
// nothing else.
func TestAsking(t *testing.T) {
	const sums, nearSums, rows = "asked-sums", "asked-near-sums", "asked-rows"
	for name, ratio := range map[string]string{"dot": nearSums, "gemv": nearSums, "transpose": rows, "abt": rows, "scans_streamed": "", "stencil_planes": ""} {
		f := program(t, name)
		text := func(known map[string]float64) string {
			m := *differentMachines[0]
			for ratio, value := range known {
				m.Given.Set(ratio, value)
			}
			tree, err := Default(f, &m)
			if err != nil {
				t.Fatal(err)
			}
			return schedule.Print(tree)
		}
		unknown := text(nil)
		if got := text(map[string]float64{sums: 0.8, nearSums: 0.8, rows: 0.8}); got != unknown {
			t.Errorf("%s: asking helps, and the schedule is\n%snot\n%s", name, got, unknown)
		}
		for _, other := range []string{sums, nearSums, rows} {
			if got := text(map[string]float64{other: 1.2}); (got == unknown) != (other != ratio) {
				t.Errorf("%s with %s 1.2:\n%s", name, other, got)
			}
		}
	}
	if machine.Pays(1.01) || !machine.Pays(1) || !machine.Pays(0) {
		t.Error("Pays takes a ratio for another one")
	}
}
