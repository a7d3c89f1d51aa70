package machine_test

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
)

func TestHost(t *testing.T) {
	m := machine.Host()
	if m.VectorBytes < 16 || m.VectorRegisters < 16 || m.L1 < 1<<12 || m.L2 < m.L1 || m.Cores < 1 {
		t.Errorf("%+v", m)
	}
}

// TestGroupInstructions: groups are one instruction only where there is one for them.
func TestGroupInstructions(t *testing.T) {
	for _, test := range []struct {
		bytes       int
		features    []string
		fours, twos float64
	}{
		{64, []string{"avx2", "avx512bw", "avx512vnni"}, 1, 1}, {64, []string{"avx2", "avx512bw"}, 7.5, 2}, {32, []string{"avx2"}, 7.5, 2}, {64, []string{"avx2"}, 1, 1}, {16, nil, 1, 1},
	} {
		p := &machine.Processor{VectorBytes: test.bytes, Features: test.features}
		if fours, twos := p.GroupInstructions(4), p.GroupInstructions(2); fours != test.fours || twos != test.twos {
			t.Errorf("%v: %v and %v", test.features, fours, twos)
		}
	}
}

// TestVectors: what rules ask of vectors follows from the instructions, or from the width where nobody has said these.
func TestVectors(t *testing.T) {
	for _, test := range []struct {
		p     machine.Processor
		masks bool
		sums  int64
	}{
		{machine.Processor{VectorBytes: 64, VectorRegisters: 32}, true, 26},
		{machine.Processor{VectorBytes: 32, VectorRegisters: 32, Features: []string{"avx2", "avx512f"}}, true, 26},
		{machine.Processor{VectorBytes: 64, VectorRegisters: 32, Features: []string{"asimd"}}, false, 26},
		{machine.Processor{VectorBytes: 32, VectorRegisters: 16, Features: []string{"avx2"}}, false, 12},
		{machine.Processor{VectorBytes: 16, VectorRegisters: 8}, false, 6},
	} {
		if test.p.HasMasks() != test.masks || test.p.SumRegisters() != test.sums {
			t.Errorf("%+v: masks %v, %d registers for sums", test.p, test.p.HasMasks(), test.p.SumRegisters())
		}
	}
}
