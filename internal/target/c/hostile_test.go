package c

import (
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// hostilePoints are where functions have zeros, poles, ends of their domains, changes of method and limits of their range.
var hostilePoints = []float64{
	0, 1, 2, 3, 0.5, 1.5, 2.5, 10, 12, 25, 28, 30, math.Pi, math.Pi / 2, math.Pi / 4, 3 * math.Pi / 4, 355, 0.25, 0.75, 0.29, 0.41, 0.17, 6,
	0.8935769662791675, 2.1971413260310172, 2.404825557695773, 3.831705970207512, 5.520078110286311, 7.015586669815619, // zeros of Y and J
	1.4616321449683622, -2.457024738220801, -2.747682646727413, -3.1435808883499798, // of Γ' and log |Γ|
	0x1p20, 0x1p-27, 0x1p-28, 0x1p-54, 0x1p-60, 1e17, 1e300, 6381956970095103 * 0x1p797, // the float64 next to a multiple of π/2
	709.782712893384, 745.1332191019411, 708.3964185322641, 88.72283935546875, 103.97207641601562, 87.33654022216797, 308.2547155599167, 323.3,
	38.53183944498959, 45.15449934959718, 1023.9, 1074.5, 127.9, 149.5, 171.6243769563027, 34.03, 35.04, 26.5433, 27.226, 5.8635, 10.05, 710.4758600739439,
	0x1p-1022, 0x1p-1074, 0x1p-126, 0x1p-149, 0x1p-500, 0x1p500, 0x1p-400, 0x1.fffffffffffffp1023, 0x1.fffffep127, 0x1p52, 0x1p53, 0x1p23, 0x1p24,
}

// hostileArguments are arguments of a function: special ones, neighbours of the points, all magnitudes, random bits,
// and among several arguments also those that are nearly the same.
func hostileArguments(t testing.TB, b *ein.Builtin, d tensor.DType) [][]float64 {
	n := sweep.Draws(t, 2, 64) * mathSamples
	r := rand.New(rand.NewPCG(uint64(len(b.Name)), uint64(b.Name[0])))
	in := make([][]float64, b.Arity)
	for k := range in {
		in[k] = make([]float64, n)
		for i := range in[k] {
			in[k][i] = hostileArgument(r, d)
			if k > 0 && r.IntN(6) == 0 {
				in[k][i] = in[k-1][i] * (1 + float64(r.IntN(5)-2)*0x1p-23)
			}
			in[k][i] = rounded(d, in[k][i])
		}
	}
	return in
}

func hostileArgument(r *rand.Rand, d tensor.DType) float64 {
	sign := float64(1 - 2*r.IntN(2))
	switch r.IntN(12) {
	case 0:
		return []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 0.5, -0.5, 2}[r.IntN(10)]
	case 1, 2: // a few places beside a point
		v := sign * hostilePoints[r.IntN(len(hostilePoints))]
		for range r.IntN(4) {
			if d == tensor.Float32 {
				v = float64(math.Nextafter32(float32(v), float32(math.Inf(1-2*r.IntN(2)))))
			} else {
				v = math.Nextafter(v, math.Inf(1-2*r.IntN(2)))
			}
		}
		return v
	case 3:
		return sign * hostilePoints[r.IntN(len(hostilePoints))] * (1 + r.NormFloat64()*math.Exp(-30*r.Float64()))
	case 4: // whole numbers and halves, and their neighbours
		return float64(r.IntN(400)-200)/2 + r.NormFloat64()*float64(r.IntN(2))*0x1p-40
	case 5: // multiples of π/2
		return float64(r.IntN(100000)) * math.Pi / 2 * (1 + r.NormFloat64()*0x1p-50)
	case 6:
		if d == tensor.Float32 {
			return float64(math.Float32frombits(r.Uint32()))
		}
		return math.Float64frombits(r.Uint64())
	case 7:
		return sign * r.Float64()
	case 8:
		return sign * math.Exp(-r.Float64()*40)
	case 9:
		return r.NormFloat64() * 300
	case 10:
		return 1 + sign*math.Exp(-r.Float64()*36)
	}
	return r.NormFloat64() * 5
}

func rounded(d tensor.DType, v float64) float64 {
	if d == tensor.Float32 {
		return float64(float32(v))
	}
	return v
}

// hasQuadruple reports whether a compiler has libquadmath.
func hasQuadruple(compiler string) bool {
	command := exec.Command(compiler, "-x", "c", "-shared", "-fPIC", "-o", "/dev/null", "-", "-lquadmath")
	command.Stdin = strings.NewReader("#include <quadmath.h>\n__float128 f(__float128 x) { return expq(x); }\n")
	return command.Run() == nil
}
