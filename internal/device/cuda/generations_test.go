package cuda

import (
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/machine"
)

// TestDescribed: what drivers say of two cards makes the machines that are written down for them, but for what they do not say.
func TestDescribed(t *testing.T) {
	f := newFake(t)
	for _, test := range []struct {
		model      string
		capability uintptr
		attributes map[uintptr]uintptr
	}{
		{"a100", 80, map[uintptr]uintptr{attributeClock: 1410000, attributeMemoryClock: 1215000, attributeMemoryWidth: 5120, attributeLastCache: 40 << 20,
			attributeResident: 2048, attributeLocalInCore: 164 << 10, attributeRegisterFile: 1 << 16, attributeProcessors: 108, attributeShared: 48 << 10, attributeSharedGiven: 163 << 10, attributeThreads: 1024}},
		{"h100", 90, map[uintptr]uintptr{attributeClock: 1755000, attributeMemoryClock: 2619000, attributeMemoryWidth: 5120, attributeLastCache: 50 << 20,
			attributeResident: 2048, attributeLocalInCore: 228 << 10, attributeRegisterFile: 1 << 16, attributeProcessors: 132, attributeShared: 48 << 10, attributeSharedGiven: 227 << 10, attributeThreads: 1024}},
	} {
		f.call("capability", test.capability)
		for what, value := range test.attributes {
			f.call("attribute", what, value)
		}
		d := numbered(f.libraries, 0, "cuda:0")
		m, err := d.Machine(t.Context(), device.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Scheduled()
		if err != nil {
			t.Fatal(err)
		}
		want, err := machine.Named(test.model).Scheduled()
		if err != nil {
			t.Fatal(err)
		}
		if got.Grid.Cores != want.Grid.Cores || got.Grid.Local != want.Grid.Local || got.Grid.Items != want.Grid.Items || slices.ContainsFunc(want.Features, func(name string) bool { return !slices.Contains(got.Features, name) }) || got.CardArchitecture() != want.CardArchitecture() {
			t.Errorf("%s: %+v with %v, expected %+v with %v", test.model, got.Grid, got.Features, want.Grid, want.Features)
		}
		for q := range machine.Quantity(len(want.Quantities)) {
			within := 1.01
			switch q {
			case machine.DeviceLatency, machine.LocalLatency, machine.Launch: // nobody says them
				continue
			case machine.LastCached: // of both an estimate
				within = 1.5
			}
			if g, w := got.Value(q), want.Value(q); g > within*w || w > within*g {
				t.Errorf("%s: quantity %d is %g, expected %g", test.model, q, g, w)
			}
		}
	}
	if g := generationOf(61); g.lanes != 0 {
		t.Errorf("cards that are older than all rows have %+v", g)
	}
	if g := generationOf(87); g.since != 86 {
		t.Errorf("a card between two rows has that of %d", g.since)
	}
}
