package compile

import (
	"context"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
)

// TestLevelOfMachine: code for a machine that is described keeps to its level, and so do the facts that rules read; where it
// is that of the machine at hand, nothing changes.
func TestLevelOfMachine(t *testing.T) {
	host := machine.Host().InstructionLevel()
	text := func(width, registers, instructions string) string {
		m := "machine m\nprograms trees\nmemory MM\nmemory L1\n  capacity 32 KiB\nmemory REG\ncore COR\n  count 2\ncore SIMD\n  width " + width + "\n  registers " + registers + "\n  folded-loads 1.5\n"
		if instructions != "" {
			m += "  instructions " + instructions + "\n"
		}
		return m
	}
	const avx2 = "sse2 avx avx2 fma"
	for _, test := range []struct {
		name, machine, level, want string
		features                   string // that rules see
		vector, registers          int
	}{
		{"none", "", "", "", strings.Join(machine.Host().Features, " "), host.VectorBytes, host.VectorRegisters},
		{"avx2", text("32 B", "16", avx2), "", "avx2", avx2, 32, 16},
		{"more than a level", text("64 B", "32", avx2+" avx512vnni"), "", "avx2", avx2, 32, 16},
		{"shorter vectors", text("16 B", "16", avx2), "", "avx2", avx2, 16, 16},
		{"arm", text("16 B", "32", "asimd"), "", "neon", "asimd", 16, 32},
		{"only a width", text("16 B", "8", ""), "", "plain", "", 16, 8},
		{"a lower level", text("32 B", "16", avx2), "plain", "plain", "sse2", 16, 16},
		{"a host", machine.Detect().Text(), "", "", strings.Join(machine.Host().Features, " "), host.VectorBytes, host.VectorRegisters},
	} {
		o := Options{Machine: test.machine, Level: test.level, Shown: true, NoCache: true}
		want := test.want
		if want == host.Name && test.level == "" {
			want = "" // the machine at hand is of this level
		}
		if got := o.levelOfCode(machine.Host()); got != want {
			t.Errorf("%s: code of level %q, expected %q", test.name, got, want)
		}
		s, err := o.site(context.Background())
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		p := s.machine
		if want != "" && (strings.Join(p.Features, " ") != test.features || p.VectorBytes != test.vector || p.VectorRegisters != test.registers) {
			t.Errorf("%s: rules see %+v", test.name, p)
		}
		if known := p.Ratios().FoldedLoads == 1.5; strings.HasPrefix(test.machine, "machine m") && known != (test.level == "") {
			t.Errorf("%s: the ratio is known: %v", test.name, known)
		}
	}
	for _, level := range []string{"avx512", "neon"} {
		_, err := Options{Machine: text("32 B", "16", avx2), Level: level, Shown: true}.site(context.Background())
		if err == nil || !strings.Contains(err.Error(), "the machine that is described has no level of instructions \""+level+"\"") {
			t.Errorf("%s: %v", level, err)
		}
	}
}
