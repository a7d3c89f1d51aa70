package machine

import (
	"strings"
	"testing"
)

// TestFamilies: the table is read, each row of it has facts, and processors are assumed to have those of theirs.
func TestFamilies(t *testing.T) {
	list, err := readFamilies(familiesText)
	if err != nil || len(list) == 0 {
		t.Fatal(err, list)
	}
	for _, k := range list {
		if len(k.facts.Ratios.List()) == 0 {
			t.Errorf("nothing is known of %s %d", k.vendor, k.family)
		}
	}
	if r := assumed("AuthenticAMD", 25, 33, 32); r.FoldedLoads <= 1 {
		t.Errorf("Zen 3 has %+v", r)
	}
	for _, other := range []Ratios{assumed("GenuineIntel", 6, 143, 32), assumed("AuthenticAMD", 25, 17, 64), assumed("AuthenticAMD", 23, 33, 32)} {
		if other.FoldedLoads != 0 {
			t.Errorf("another processor has %+v", other)
		}
	}
	for _, test := range []struct{ text, want string }{
		{"folded-loads 2", "expected a processor"},
		{"processor A 1 2 32\n  width 3 B", "expected a processor, or a measured fact"},
		{"processor A 1 2 32\n  folded-loads", "expected a ratio"},
		{"processor A 1 2", "expected a vendor"},
		{"processor A 1 2-x 32", "invalid syntax"},
	} {
		if _, err := readFamilies(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, expected %q", test.text, err, test.want)
		}
	}
}

// TestOrigins: what is measured replaces what is given or assumed, in the text and for rules, and instructions of
// another level have no ratios.
func TestOrigins(t *testing.T) {
	p := Named("zen3").processor()
	p.Peaks = &Peaks{Threads: 1, Ratios: Ratios{FoldedLoads: 1.25}}
	if got := p.Ratios().FoldedLoads; got != 1.25 {
		t.Errorf("%v was measured as 1.25", got)
	}
	m := p.Machine()
	if text := m.Text(); !strings.Contains(text, "folded-loads 1.25 (measured)\n") {
		t.Errorf("what was measured is missing:\n%s", text)
	}
	if got := m.processor().Ratios().FoldedLoads; got != 1.25 {
		t.Errorf("by way of the machine it is %v", got)
	}
	if same := p.With(p.VectorBytes, p.VectorRegisters, []string{"fma", "sse2", "avx", "avx2"}); same.Ratios() != p.Ratios() {
		t.Errorf("the same instructions have %+v", same.Ratios())
	}
	p.Peaks.Ratios.AskedNearSums = 1.5
	want := Ratios{AskedNearSums: 1.5, AskedSums: p.Given.AskedSums, SharedSets: p.Given.SharedSets}
	if other := p.With(16, 16, []string{"sse2"}); other.Ratios() != want || want.AskedSums == 0 {
		t.Errorf("other instructions have %+v, expected %+v", other.Ratios(), want)
	}
	if p.Ratios().FoldedLoads != 1.25 {
		t.Error("the processor itself has changed")
	}
}

// TestGathers: an instruction that is known to be slow is not taken to be fast.
func TestGathers(t *testing.T) {
	for _, test := range []struct {
		feature string
		ratio   float64
		want    bool
	}{{"avx512fp16", 0, true}, {"avx512fp16", 0.5, true}, {"avx512fp16", 1.5, false}, {"avx2", 0.5, false}} {
		p := &Processor{Features: []string{test.feature}, Given: Ratios{Gathers: test.ratio}}
		if got := p.Gathers(); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
