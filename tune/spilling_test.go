package tune

import (
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/tune/trial"
)

// TestSpillingLast: candidates without room in registers are measured behind the others, those that have the least of it last; devices that know no
// registers of items change nothing.
func TestSpillingLast(t *testing.T) {
	takes := func(registers, private int64) *proposal {
		return &proposal{candidate: &trial.Candidate{Takes: &device.Footprint{Registers: registers, Private: private}}}
	}
	list := []*proposal{takes(255, 400), takes(40, 0), {}, takes(255, 16), takes(0, 800), {candidate: &trial.Candidate{}}, takes(64, 0)}
	if got, want := spillingLast(list), []int{1, 2, 4, 5, 6, 3, 0}; !slices.Equal(got, want) {
		t.Errorf("the order is %v, expected %v", got, want)
	}
}

// TestTakesText: what a kernel takes is said where the device knows registers.
func TestTakesText(t *testing.T) {
	for want, takes := range map[string]*Footprint{
		"":                                       nil,
		"40 registers of an item, which suffice": {Registers: 40},
		"255 registers of an item, for want of which 16 bytes lie in memory, and 4.1 kB of a group": {Registers: 255, Private: 16, Local: 4096},
	} {
		if got := (&Outcome{Takes: takes}).TakesText(); got != want {
			t.Errorf("%+v: %q, expected %q", takes, got, want)
		}
	}
	if got := (&Outcome{Takes: &Footprint{Private: 100}}).TakesText(); got != "" {
		t.Errorf("without registers: %q", got)
	}
}
