package schedule

import "testing"

func BenchmarkCheck(b *testing.B) {
	f := parseFunc(b, gemm)
	m := &Machine{VectorBytes: 64, VectorRegisters: 32, L1: 32 << 10, L2: 1 << 20, L3: 32 << 20, Cores: 2}
	tree, err := Default(f, m)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := Check(f, tree); err != nil {
			b.Fatal(err)
		}
	}
}
