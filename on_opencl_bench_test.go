package ricci_test

import (
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// BenchmarkChain: a hundred small kernels, each of which reads what the one before has left on the device, until the last result is on the host.
func BenchmarkChain(b *testing.B) {
	d, err := ricci.OpenDevice(b.Context(), ricci.Options{Device: "opencl:0"})
	if err != nil {
		b.Skip(err)
	}
	defer d.Close()
	def := ricci.MustParse("twice.tc", `def twice(float(N) x) -> (y) { y(i) = 2 * x(i) }`).MustDef("twice")
	const size, kernels = 256, 100
	x := tensor.Must(tensor.New(tensor.Float32, size))
	k, err := def.CompileFor(b.Context(), map[string]*tensor.Tensor{"x": x}, ricci.Options{On: d})
	if err != nil {
		b.Fatal(err)
	}
	defer k.Close()
	from, to := tensor.Must(x.To(d.Allocator())), tensor.Must(x.To(d.Allocator()))
	for b.Loop() {
		for range kernels {
			if err := k.Run(b.Context(), from, to); err != nil {
				b.Fatal(err)
			}
			from, to = to, from
		}
		if _, err := from.ToHost(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*kernels), "µs/kernel")
}
