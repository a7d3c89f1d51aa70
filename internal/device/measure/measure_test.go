package measure

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

// TestPeaks measures in a hurry: every speed is there, whatever it is.
func TestPeaks(t *testing.T) {
	compilers, err := host.Find(t.Context())
	if err != nil {
		t.Skip(err)
	}
	machine := machine.Host()
	rounds := 0
	p, err := Peaks(t.Context(), compilers[0], machine, Options{
		Rounds: 2, Burst: 10 * time.Microsecond, Threads: 2, MemoryBytes: 16 << 20, Progress: func(int, int) { rounds++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	if rounds != 2+ratioPasses*len(pairs) {
		t.Errorf("progress was told %d times", rounds)
	}
	for _, r := range p.Rates {
		if r.One <= 0 || r.All <= 0 {
			t.Errorf("%+v", r)
		}
	}
	for _, d := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.BFloat16} {
		if p.Flops(d, 1) <= 0 || p.Flops(d, 2) <= 0 {
			t.Errorf("%s has no rate", d)
		}
	}
	if n := len(p.Layers); n < 3 || p.Layers[n-1].Name != "memory" {
		t.Errorf("layers %+v", p.Layers)
	}
	if n := len(p.Ratios.List()); n < len(pairs)-2 || n > len(pairs) { // there may be no gathers, and no last cache
		t.Errorf("%d of %d ratios were measured: %+v", n, len(pairs), p.Ratios)
	}
	for i := range p.Layers {
		for _, way := range ways {
			if s := way.of(&p.Layers[i]); s.One <= 0 || s.All <= 0 {
				t.Errorf("%s %s: %+v", p.Layers[i].Name, way.function, *s)
			}
		}
	}
}

// TestReach finds the part of a shared cache that is as fast as its beginning.
func TestReach(t *testing.T) {
	const mb = 1 << 20
	m := &Meter{machine: &machine.Processor{L2: 2 * mb}, threads: 2}
	upTo := func(size int64) func(int64) float64 {
		return func(bytes int64) float64 {
			if bytes <= size {
				return 28e9
			}
			return 14e9
		}
	}
	for _, c := range []struct{ whole, fast, want int64 }{
		{480 * mb, 80 * mb, 64 * mb}, // neighbours have the rest
		{480 * mb, 480 * mb, 480 * mb},
		{480 * mb, 0, 480 * mb}, // as slow as memory everywhere
		{36 * mb, 36 * mb, 36 * mb},
		{24 * mb, 0, 24 * mb}, // too small to share
	} {
		if got := m.reach(c.whole, 960*mb, upTo(c.fast)); got != c.want {
			t.Errorf("%d MB of which %d MB are fast: %d MB, want %d", c.whole/mb, c.fast/mb, got/mb, c.want/mb)
		}
	}
}

// TestDescribe: every unit that may be measured is described, and no two of a type alike.
func TestDescribe(t *testing.T) {
	peaks := &machine.Peaks{}
	for i, u := range units {
		peaks.Rates = append(peaks.Rates, machine.Rate{Type: u.dtype, Unit: u.name, Speed: machine.Speed{One: float64(i)}})
	}
	seen := map[string]string{}
	for i, p := range Describe(peaks) {
		if p.Operation == "" {
			t.Errorf("the unit %s is not described", p.Unit)
		}
		if unit, again := seen[p.Type+p.Operation]; again && unit != p.Unit {
			t.Errorf("%s of %s and %s: %s", p.Type, unit, p.Unit, p.Operation)
		}
		if seen[p.Type+p.Operation] = p.Unit; i == 0 && p.Type != "float64" {
			t.Errorf("the first one is of %s", p.Type)
		}
	}
}

// TestUnitsAssemble compiles the loops that are assembly, also for units that this
// processor does not have.
func TestUnitsAssemble(t *testing.T) {
	compilers, err := host.Find(t.Context())
	if err != nil {
		t.Skip(err)
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("these are instructions of amd64")
	}
	m := &Meter{compiler: compilers[0], machine: machine.Host()}
	defer m.Close()
	for _, u := range units {
		if !strings.Contains(u.body, "zmm") && !strings.Contains(u.body, "tmm") {
			continue
		}
		if _, err := m.loadUnits(t.Context(), []unit{u}); err != nil {
			t.Errorf("%s %s: %v", u.name, u.dtype, err)
		}
	}
}

// TestSelection: a program on bytes without sign is limited by the units that were measured on
// bytes with one.
func TestSelection(t *testing.T) {
	for _, test := range []struct {
		selected, measured tensor.DType
		want               bool
	}{
		{tensor.Uint8, tensor.Int8, true},
		{tensor.Int8, tensor.Int8, true},
		{tensor.Uint64, tensor.Int64, true},
		{tensor.Uint8, tensor.Int32, false},
		{tensor.Float32, tensor.Int32, false},
		{tensor.Int32, tensor.Float32, false},
		{tensor.Invalid, tensor.Float32, false},
	} {
		s := Selection{Type: test.selected, Layer: "L1"}
		if got := s.includes(&probe{dtype: test.measured}); got != test.want {
			t.Errorf("%s takes samples of %s: %v", test.selected, test.measured, got)
		}
	}
}

// TestGoThrough: a probe of another size begins again, one without sizes and one of the same goes on.
func TestGoThrough(t *testing.T) {
	given := []int64{}
	p := &probe{rounds: 3, samples: []float64{1}, resize: func(bytes int64) { given = append(given, bytes) }}
	p.goThrough(0)
	if p.rounds != 3 || len(p.samples) != 1 {
		t.Errorf("the same size lost samples: %+v", p)
	}
	p.goThrough(1 << 20)
	if p.rounds != 0 || len(p.samples) != 0 {
		t.Errorf("another size kept samples: %+v", p)
	}
	p.goThrough(1 << 20)
	if p.goThrough(0); !slices.Equal(given, []int64{1 << 20, 0}) {
		t.Errorf("sizes %v", given)
	}
	fixed := &probe{rounds: 3, samples: []float64{1}}
	if fixed.goThrough(1 << 20); fixed.rounds != 3 || len(fixed.samples) != 1 {
		t.Errorf("a probe of one size lost samples: %+v", fixed)
	}
}
