package machine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

func parse(text string) (*machine.Machine, error) {
	return machine.ParseMachine(source.NewFile("m.machine", text))
}

// TestModels: all machines that are described beforehand are read, have the name of their file, and
// are what is written of them.
func TestModels(t *testing.T) {
	if n := len(machine.Names()); n < 10 {
		t.Errorf("%d machines, expected ten or more", n)
	}
	for _, name := range machine.Names() {
		m := machine.Named(name)
		if m == nil || m.Name != name {
			t.Errorf("%s is read as %+v", name, m)
			continue
		}
		again, err := parse(m.Text())
		if diff := cmp.Diff(m, again); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
		if _, err := m.Processor(); (err == nil) != m.Trees {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDetected: what is known of this machine is printed, read, and means the same processor.
func TestDetected(t *testing.T) {
	m := machine.Detect()
	again, err := parse(m.Text())
	if diff := cmp.Diff(m, again); err != nil || diff != "" {
		t.Fatalf("%v\n%s\n%s", err, diff, m.Text())
	}
	p, err := again.Processor()
	if diff := cmp.Diff(machine.Host(), p); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// TestProcessors: a processor is the one of its machine, whatever has been measured, also by way of the text.
func TestProcessors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProcessor(t)
		again, err := p.Machine().Processor()
		if diff := cmp.Diff(p, again); err != nil || diff != "" {
			t.Fatalf("%v\n%s\n%s", err, diff, p.Machine().Text())
		}
		m, err := parse(p.Machine().Text())
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Machine().Text())
		}
		if again, err = m.Processor(); err != nil || cmp.Diff(p, again) != "" {
			t.Fatalf("%v\n%s\n%s", err, cmp.Diff(p, again), m.Text())
		}
	})
}

func drawProcessor(t *rapid.T) *machine.Processor {
	size := func(least int64) int64 { return least + rapid.Int64Range(0, 1<<22).Draw(t, "bytes") }
	p := &machine.Processor{VectorBytes: 16 << rapid.IntRange(0, 2).Draw(t, "width"), VectorRegisters: rapid.IntRange(8, 64).Draw(t, "registers"), Cores: rapid.IntRange(1, 200).Draw(t, "cores")}
	p.L1 = size(1 << 10)
	p.L2 = size(p.L1)
	p.L3 = size(p.L2)
	if rapid.Bool().Draw(t, "instructions") {
		p.Features = []string{"sse2", "avx"}
	}
	for _, q := range []machine.Quantity{machine.Page, machine.Line, machine.Clock, machine.AddLatency} {
		if rapid.Bool().Draw(t, "known") {
			p = p.WithValue(q, float64(rapid.IntRange(1<<10, 1e6).Draw(t, "value")))
		}
	}
	if rapid.Bool().Draw(t, "ratios") {
		p.Given = drawRatios(t)
	}
	if rapid.Bool().Draw(t, "measured") {
		p.Peaks = drawPeaks(t)
	}
	return p
}

func drawPeaks(t *rapid.T) *machine.Peaks {
	speed := func() machine.Speed {
		one := rapid.Float64Range(1, 1e13).Draw(t, "speed")
		return machine.Speed{One: one, All: one * rapid.Float64Range(0.5, 100).Draw(t, "all")}
	}
	peaks := &machine.Peaks{Threads: rapid.IntRange(1, 64).Draw(t, "threads"), Rates: []machine.Rate{
		{Type: tensor.Float32, Unit: machine.VectorUnit, Speed: speed()}, {Type: tensor.BFloat16, Unit: machine.MatrixUnit, Speed: speed()},
	}}
	for _, name := range []string{"L1", "L2", "L3", "memory"} {
		shared := name == "L3" || name == "memory"
		reach := int64(0)
		if name != "memory" {
			reach = rapid.Int64Range(1, 1<<30).Draw(t, "reach")
		}
		peaks.Layers = append(peaks.Layers, machine.Memory{Name: name, Bytes: reach, Shared: shared,
			Bandwidths: machine.Bandwidths{Read: speed(), Write: speed(), Copy: speed(), Stream: speed(), StreamCopy: speed()}})
	}
	return peaks
}

// TestRefused: texts with a mistake, and words of the message.
func TestRefused(t *testing.T) {
	const whole = "machine m\nprograms trees\nmemory MM\nmemory L1\n  capacity 32 KiB\nmemory REG\ncore COR\n  count 2\ncore SIMD\n  width 32 B\n  registers 16\n"
	if m, err := parse(whole); err != nil {
		t.Fatal(err)
	} else if _, err := m.Processor(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ from, to, want string }{
		{"machine m\n", "", "a machine begins with its name"},
		{"machine m", "machine m\nmachine n", "m.machine:2:1: error[E0730]: the machine has a name: m"},
		{"machine m", "machine m n", `expected one name behind "machine"`},
		{"machine m", "machine m\ncapacity 3 B", `found "capacity"`},
		{"programs trees", "programs loops", `there are no programs "loops"`},
		{"32 KiB", "32", "expected a number of bytes with its unit"},
		{"32 KiB", "32 KB", "expected a number of bytes with its unit"},
		{"32 KiB", "0 KiB", "expected a number of bytes with its unit"},
		{"32 KiB", "9000000000 TiB", "expected a number of bytes with its unit"},
		{"32 KiB", "32 KiB (guessed)", `there is no origin "guessed"`},
		{"32 KiB", "32 KiB\n  capacity 3 B", "the capacity of L1 is said twice"},
		{"capacity", "capacitie", `a memory has no fact "capacitie"`},
		{"capacity", "width", `a memory has no fact "width"`},
		{"count 2", "count two", "expected a whole number of at least 1"},
		{"count 2", "private-to MM", `a core layer has no fact "private-to"`},
		{"registers 16", "instructions avx9", "no instructions are named avx9"},
		{"registers 16", "folded-loads 0", "expected a ratio of two times"},
		{"registers 16", "folded-loads NaN", "expected a ratio of two times"},
		{"32 KiB", "32 KiB\n  folded-loads 2", `a memory has no fact "folded-loads"`},
		{"registers 16", "rate float32 vector 1 2 GB/s", "expected the speeds of one core and of all with their unit"},
		{"registers 16", "rate float32 scalar 1 2 GOP/s", "there is no unit scalar"},
		{"memory REG", "memory L1", "two layers are named L1"},
		{"32 KiB", "32 KiB\n  page 4 KiB", "page: expected it below MM: nothing reads it of L1"},
		{"32 KiB", "32 KiB\n  per-cycle 4 B", "per-cycle: expected it below L2 or L3: nothing reads it of L1"},
		{"count 2", "count 2\n  clock 3", "clock: expected a number from 0.001 to 1e+06 with its unit, such as 2.5 GHz"},
		{"count 2", "count 2\n  clock -3 GHz", "clock: expected a number from 0.001 to 1e+06 with its unit, such as 2.5 GHz"},
		{"count 2", "count 2\n  fork NaN µs", "fork: expected a number from 0.001 to 1e+06 with its unit, such as 3 µs"},
		{"32 KiB", "32 KiB\n  line 8 B", "line: expected 16 B to 1 GiB"},
		{"count 2", "count 2\n  loads 2 B", "loads: expected a number from 0.001 to 1e+06, such as 2"},
		{"count 2", "count 2\n  line 64 B", `a core layer has no fact "line"`},
		{"core COR", "core COR\nmemory L0", "the memory L0 stands behind a core layer"},
		{"memory REG", "memory REG\n  private-to L1", "REG is private to L1, which is no core layer of the machine"},
		{"core COR", `constraint capacity regions XY "xy"` + "\ncore COR", "the machine has no memory with the region XY"},
		{"core COR", `constraint parts layers COR "xy"` + "\ncore COR", "expected the kind of the constraint"},
		{"core COR", `constraint capacity regions MM` + "\ncore COR", "a constraint ends with its reason"},
		{"core COR", `constraint capacity of Q7 "xy"` + "\ncore COR", "expected a parameter of MDH's Table 1"},
	} {
		_, err := parse(strings.Replace(whole, test.from, test.to, 1))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q for %q: %v, expected %q", test.to, test.from, err, test.want)
		}
	}
	for _, test := range []struct{ from, to, want string }{
		{"programs trees\n", "", "does not run schedule trees"},
		{"memory REG\n", "", "has no layer REG"},
		{"  count 2\n", "", "does not say the count of COR"},
		{"  capacity 32 KiB\n", "", "does not say the capacity of L1"},
	} {
		m, err := parse(strings.Replace(whole, test.from, test.to, 1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Processor(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("without %q: %v, expected %q", test.from, err, test.want)
		}
	}
}

// FuzzParseMachine: what is read is printed and read again.
func FuzzParseMachine(f *testing.F) {
	for _, name := range machine.Names() {
		f.Add(machine.Named(name).Text())
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parse(text)
		if err != nil {
			return
		}
		again, err := parse(m.Text())
		if err != nil || again.Text() != m.Text() {
			t.Errorf("%v\n%s", err, m.Text())
		}
	})
}

func drawRatios(t *rapid.T) (r machine.Ratios) {
	names := 0
	for _, k := range machine.Facts() {
		if name, isRatio := strings.CutSuffix(k.Form, " RATIO"); isRatio && rapid.Bool().Draw(t, name) {
			if !r.Set(name, rapid.Float64Range(1e-3, 1e3).Draw(t, "ratio")) {
				t.Fatalf("no ratio is named %s", name)
			}
			names++
		}
	}
	if len(r.List()) != names {
		t.Fatalf("%d ratios were set, and %v are there", names, r.List())
	}
	return r
}
