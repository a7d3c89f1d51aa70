package device

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

// TestPeaksAreKept: what is stored comes back, for the same machine only.
func TestPeaksAreKept(t *testing.T) {
	c, err := cache.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &machine.Processor{VectorBytes: 32, L1: 1 << 15}
	if p := LoadPeaks(c, m); p != nil {
		t.Errorf("an empty cache has %v", p)
	}
	want := &machine.Peaks{Threads: 2,
		Rates:  []machine.Rate{{Type: tensor.BFloat16, Unit: "matrix", Speed: machine.Speed{One: 1e12, All: 2e12}}},
		Layers: []machine.Memory{{Name: "L1", Bytes: 1 << 15, Bandwidths: machine.Bandwidths{Read: machine.Speed{One: 3, All: 4}}}}}
	if err := StorePeaks(c, m, want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, LoadPeaks(c, m)); diff != "" {
		t.Error(diff)
	}
	if p := LoadPeaks(c, &machine.Processor{VectorBytes: 64}); p != nil {
		t.Errorf("another machine has %v", p)
	}
}
