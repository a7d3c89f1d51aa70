package c

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// compareText computes a function of float32 by a kernel and its value in float64 by the strict one, which TestAccuracy
// judges, and finds the greatest distance, in ulps as those of ein.Builtin.UlpsOff.
const compareText = `
void compare_%[1]s_%[2]d(const long long *a) {
  const float *in = (const float *)a[0];
  double *worst = (double *)a[2];
  static float out[%[3]d];
  static double wide[%[3]d], want[%[3]d];
  for (long from = 0; from < a[1]; from += %[3]d) {
    for (int i = 0; i < %[3]d; i++) wide[i] = in[from + i];
    long long f[] = {0, 0, 0, 0, (long long)(in + from), (long long)out}, g[] = {0, 0, 0, 0, (long long)wide, (long long)want};
    %[4]s(f);
    %[5]s(g);
    for (int i = 0; i < %[3]d; i++) {
      double x = wide[i], got = out[i], value = want[i];
      if (got != got && value != value) continue;
      double least = %[6]s;
      got = got > 0x1p128 ? 0x1p128 : got < -0x1p128 ? -0x1p128 : got;
      value = value > 0x1p128 ? 0x1p128 : value < -0x1p128 ? -0x1p128 : value;
      union { double f; unsigned long long u; } unit = {__builtin_fabs(value)};
      if (unit.f < least) unit.f = least;
      if (unit.f > 0x1.fffffep127) unit.f = 0x1.fffffep127;
      unit.u &= 0x7ff0000000000000ULL;
      unit.f *= 0x1p-23;
      if (unit.f < 0x1p-149) unit.f = 0x1p-149;
      double off = __builtin_fabs(got - value) / unit.f;
      if (!(off <= worst[0])) { worst[0] = off == off ? off : __builtin_inf(); worst[1] = x; }
    }
  }
}
`

// envelopes are those of the table in C.
var envelopes = map[string]string{
	"j0": "1 / __builtin_sqrt(1 + __builtin_fabs(x))", "j1": "1 / __builtin_sqrt(1 + __builtin_fabs(x))",
	"y0": "1 / __builtin_sqrt(1 + __builtin_fabs(x))", "y1": "1 / __builtin_sqrt(1 + __builtin_fabs(x))",
	"lgamma": "x > 0 ? 1 : 1 - x * (1 + __builtin_log1p(-x))",
}

// TestAllFloats compares functions of one argument for all numbers of float16 and of bfloat16, and for some of float32: in
// sweeps for one in 64, and with RICCI_LONG=64 for all of them.
func TestAllFloats(t *testing.T) {
	compiler := compilers(t)[0]
	for _, v := range codeVariants(t) {
		if v.numerics == numerics.Strict {
			continue // one body, which TestAccuracy has compared, and records
		}
		widths := v.widths(t, tensor.Float32)[:2]
		lib := compareLibrary(t, compiler, v, widths)
		worst := map[string][]float64{}
		for chunk := range floatChunks(t) {
			for _, b := range ein.Builtins() {
				if b.Arity > 1 || b.IsExact() {
					continue
				}
				for _, lanes := range widths {
					form := fmt.Sprintf("%s x%d, %s", b.Name, lanes, v.name)
					if worst[form] == nil {
						worst[form] = make([]float64, 2)
					}
					lib.call(t, fmt.Sprintf("compare_%s_%d", b.Name, lanes), []uint64{address(chunk), uint64(len(chunk)), address(worst[form])})
					runtime.KeepAlive(chunk)
					if w := worst[form]; w[0] > b.Ulps() {
						t.Fatalf("%s: %.2f ulp instead of %v at %x", form, w[0], b.Ulps(), w[1])
					}
				}
			}
		}
		for form, w := range worst {
			t.Logf("%s: %.2f ulp at %x", form, w[0], w[1])
		}
	}
}

// compareLibrary has a function of compareText for each builtin of one argument.
func compareLibrary(t *testing.T, compiler string, v codeVariant, widths []int) library {
	t.Helper()
	u := newUnit(Options{VectorBytes: v.vectorBytes})
	truth := u.sibling("_strict", v.vectorBytes)
	truth.options.Numerics = numerics.Strict
	var compare strings.Builder
	for _, b := range ein.Builtins() {
		if b.Arity > 1 || b.IsExact() {
			continue
		}
		wide := mathKernel(b, tensor.Float64, v.vectorBytes/8)
		truth.kernel(wide, Symbol(wide.Name), "")
		for _, lanes := range widths {
			f := mathKernel(b, tensor.Float32, lanes)
			u.kernel(f, Symbol(f.Name), "")
			least := envelopes[b.Name]
			if least == "" {
				least = "0"
			}
			fmt.Fprintf(&compare, compareText, b.Name, lanes, mathSamples, Symbol(f.Name), Symbol(wide.Name), least)
		}
	}
	truth.types, truth.declared = &strings.Builder{}, &strings.Builder{} // they are those of u
	text := withScalars(u.types.String() + u.declared.String() + u.helpers.String() + u.code.String() + truth.helpers.String() + truth.code.String())
	return build(t, compiler, text+compare.String(), append(v.flags, "-Wno-maybe-uninitialized")...)
}

// floatChunks are the numbers of the three types, in lists of mathSamples or a multiple.
func floatChunks(t testing.TB) func(yield func([]float32) bool) {
	stride := max(1, 1<<32/uint64(sweep.Draws(t, 1<<17, 1<<26)))
	return func(yield func([]float32) bool) {
		chunk := make([]float32, 0, 1<<17)
		for n := range uint64(1 << 16) {
			chunk = append(chunk, tensor.Float16ToFloat32(uint16(n)), tensor.BFloat16ToFloat32(uint16(n)))
		}
		if !yield(chunk) {
			return
		}
		chunk = chunk[:0]
		for bits := uint64(0); bits < 1<<32; bits += stride {
			if chunk = append(chunk, math.Float32frombits(uint32(bits+bits/stride*7919%stride))); len(chunk) == cap(chunk) {
				if !yield(chunk) {
					return
				}
				chunk = chunk[:0]
			}
		}
	}
}
