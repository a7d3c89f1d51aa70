package measure

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/machine"
)

// TestRatioOf: of small data the median of medians counts, of data that others may delay the fastest of each loop, and noise
// is 1.
func TestRatioOf(t *testing.T) {
	passOf := func(quotients ...float64) (p pass) {
		for n, q := range quotients {
			slow := float64(1 + n%2)
			p.usual, p.other = append(p.usual, 1/slow), append(p.other, q/slow)
		}
		return p
	}
	for _, test := range []struct {
		passes []pass
		data   place
		want   float64
	}{
		{[]pass{passOf(1.4)}, nearest, 1.4},
		{[]pass{passOf(9, 9, 1, 9, 9), passOf(1.4), passOf(1.4151), passOf(0.2, 0.2), passOf(1, 1.43, 2)}, nearest, 1.42},
		{[]pass{passOf(1.02), passOf(0.5), passOf(1.03)}, nearest, 1},
		{[]pass{passOf(0.97), passOf(3), passOf(0.1)}, nearest, 1},
		{[]pass{passOf(12.34)}, nearest, 12.3},
		{[]pass{passOf(0.5), passOf(0.51), passOf(7)}, nearest, 0.51},
		{[]pass{{[]float64{1, 0.3}, []float64{0.2, 1.5}}, {[]float64{0.4}, []float64{0.9}}}, lastCache, 1.5},
		{[]pass{{[]float64{0.5, 1}, []float64{1.09, 0.5}}}, mainMemory, 1},
		{[]pass{{[]float64{0.5, 1}, []float64{0.89, 0.5}}}, mainMemory, 0.89},
	} {
		if got := ratioOf(test.passes, test.data); got != test.want {
			t.Errorf("%v: %v, expected %v", test, got, test.want)
		}
	}
}

// TestPairs: every pair is a ratio of machines, and every ratio of them is measured.
func TestPairs(t *testing.T) {
	var all machine.Ratios
	for _, p := range pairs {
		if !all.Set(p.ratio, 1) {
			t.Errorf("no ratio is named %s", p.ratio)
		}
	}
	for _, f := range machine.Facts() {
		if name, isRatio := strings.CutSuffix(f.Form, " RATIO"); isRatio && !slices.ContainsFunc(pairs, func(p pair) bool { return p.ratio == name }) {
			t.Errorf("nothing measures %s", name)
		}
	}
}

// TestWays: the loops of a pair compute the same, also for vectors and registers of other machines.
func TestWays(t *testing.T) {
	compilers, err := host.Find(t.Context())
	if err != nil {
		t.Skip(err)
	}
	here := machine.Host()
	for _, p := range []*machine.Processor{here, here.With(16, 16, nil)} {
		m, err := newMeter(t.Context(), compilers[0], p, Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Close)
		library, small, err := m.ways(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		data := unsafe.Slice((*byte)(m.buffers[0].Pointer()), m.buffers[0].Len())
		from, to, bytesOfHalf := small.halves()
		data = data[from-uintptr(m.buffers[0].Pointer()):]
		read, written := unsafe.Slice((*float32)(unsafe.Pointer(&data[0])), bytesOfHalf/4), data[to-from:][:bytesOfHalf]
		run := func(name string) []byte {
			for i := range read {
				read[i] = float32(i*7%23 - 11)
			}
			clear(written)
			f, err := library.Function(name)
			if err != nil {
				t.Fatal(err)
			}
			probe := &probe{threads: 1}
			probe.on(f, m.pool, from, to, bytesOfHalf)
			if probe.call(2) != 0 {
				return nil
			}
			return bytes.Clone(written)
		}
		for _, pair := range pairs {
			usual, other := run(pair.usual), run(pair.other)
			if usual == nil {
				continue // there is no such instruction
			}
			if !bytes.Equal(usual, other) {
				t.Errorf("%d bytes: %s and %s differ", p.VectorBytes, pair.usual, pair.other)
			}
			if bytes.Count(usual, []byte{0}) == len(usual) {
				t.Errorf("%s writes nothing", pair.usual)
			}
		}
	}
}
