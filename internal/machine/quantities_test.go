package machine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/machine"
)

const small = "machine m\nprograms trees\nmemory MM\nmemory L2\n  capacity 256 KiB\nmemory L1\n  capacity 32 KiB\nmemory REG\ncore COR\n  count 4\ncore SIMD\n  width 32 B\n  registers 16\n"

func processor(t *testing.T, from, to string) *machine.Processor {
	t.Helper()
	m, err := parse(strings.Replace(small, from, to, 1))
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Processor()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestValues: what a machine says of a quantity is read, and all others are usual.
func TestValues(t *testing.T) {
	plain := processor(t, "", "")
	said := processor(t, "count 4", "count 4\n  clock 3.5 GHz")
	if plain.Value(machine.Clock) != 2.5 || said.Value(machine.Clock) != 3.5 || said.CyclesPerSecond() != 3.5e9 {
		t.Errorf("the clock is %g and %g", plain.Value(machine.Clock), said.Value(machine.Clock))
	}
	if said.Value(machine.Fork) != plain.Value(machine.Fork) || plain.Quantities != nil {
		t.Error("another quantity is not usual")
	}
	l2 := processor(t, "256 KiB", "256 KiB\n  per-cycle 32 B")
	if l2.Whole(machine.NextBytes) != 32 || l2.Value(machine.LastBytes) != plain.Value(machine.LastBytes) {
		t.Error("one word of two layers is read wrong")
	}
}

// TestGuessedSpeeds: speeds that a machine does not say are guessed beside those that it says.
func TestGuessedSpeeds(t *testing.T) {
	plain := processor(t, "", "")
	if plain.Peaks != nil {
		t.Fatal("speeds are known of a machine that says none")
	}
	guessed := plain.Speeds()
	memory := processor(t, "memory MM", "memory MM\n  read 3 9 GB/s").Speeds()
	last := len(guessed.Layers) - 1
	if n := len(memory.Layers); n != 3 || memory.Layers[n-1].Read != (machine.Speed{One: 3e9, All: 9e9}) || memory.Layers[n-1].Copy != memory.Layers[n-1].Read {
		t.Errorf("the speeds are %+v", memory)
	}
	if diff := cmp.Diff(guessed.Layers[:2], memory.Layers[:2]); diff != "" || cmp.Diff(guessed.Rates, memory.Rates) != "" || guessed.Layers[last].Name != "memory" {
		t.Errorf("other speeds than guessed ones: %s", diff)
	}
	fast := processor(t, "count 4", "count 4\n  clock 5 GHz").Speeds()
	if fast.Rates[0].One != 2*guessed.Rates[0].One || fast.Layers[1].Read.One != 2*guessed.Layers[1].Read.One || fast.Layers[last].Read != guessed.Layers[last].Read {
		t.Error("guesses do not follow the clock")
	}
	unit, low := processor(t, "registers 16", "registers 16\n  instructions amx_int8 amx_bf16").Speeds(), processor(t, "count 4", "count 4\n  tile-rows 8\n").With(32, 16, []string{"amx_int8", "amx_bf16"}).Speeds()
	if last := unit.Rates[len(unit.Rates)-1]; last.Unit != machine.MatrixUnit {
		t.Errorf("the last speed is %+v", last)
	}
	for n, r := range unit.Rates {
		if r.Unit == machine.MatrixUnit && (r.One != 1024*2.5e9*2/float64(r.Type.Size()) || low.Rates[n].One != r.One/4) { // half the rows, and half the groups
			t.Errorf("%+v, and %+v of half the rows", r, low.Rates[n])
		}
	}
	rate := processor(t, "registers 16", "registers 16\n  rate float32 vector 10 40 GOP/s").Speeds()
	if len(rate.Rates) != 1 || len(rate.Layers) != 3 {
		t.Errorf("the speeds are %+v", rate)
	}
}
