package c

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

var updateBits = flag.Bool("bits", false, "record the bits of functions with strict numerics")

const bitsFile = "testdata/strict_bits.txt"

// bitsRecord has a hash of the results of each function with strict numerics: any machine, compiler and width has these.
type bitsRecord map[string]string

func readBits(t *testing.T) bitsRecord {
	t.Helper()
	record := bitsRecord{}
	text, err := os.ReadFile(bitsFile)
	if err != nil && !*updateBits {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && !*updateBits {
			record[f[0]+" "+f[1]] = f[2]
		}
	}
	return record
}

// check compares results with the record, in which all NaNs are the same.
func (r bitsRecord) check(t *testing.T, b *ein.Builtin, d tensor.DType, form string, got []float64) {
	t.Helper()
	hash := fnv.New64a()
	for _, v := range got {
		if v != v {
			v = math.NaN()
		}
		fmt.Fprintf(hash, "%016x", math.Float64bits(v))
	}
	name, sum := fmt.Sprintf("%s %s", b.Name, d), fmt.Sprintf("%016x", hash.Sum64())
	if _, ok := r[name]; !ok && *updateBits {
		r[name] = sum
	}
	if r[name] != sum {
		t.Errorf("%s, %s: the bits are %s, not %s as in %s (go test ./internal/target/c -run Accuracy -bits)", name, form, sum, r[name], bitsFile)
	}
}

// write records the bits, where that is asked for.
func (r bitsRecord) write(t *testing.T) {
	t.Helper()
	if !*updateBits {
		return
	}
	var b strings.Builder
	for _, f := range ein.Builtins() {
		for _, d := range []tensor.DType{tensor.Float32, tensor.Float64} {
			name := fmt.Sprintf("%s %s", f.Name, d)
			fmt.Fprintf(&b, "%s %s\n", name, r[name])
		}
	}
	if err := os.WriteFile(bitsFile, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// exactArguments are arguments that are the same on any machine, unlike those of hostileArguments, which the
// functions of package math have a part in.
func exactArguments(b *ein.Builtin, d tensor.DType) [][]float64 {
	r := rand.New(rand.NewPCG(uint64(len(b.Name)), 7))
	in := make([][]float64, b.Arity)
	for k := range in {
		in[k] = make([]float64, mathSamples)
		for i := range in[k] {
			in[k][i] = rounded(d, exactArgument(r))
		}
	}
	return in
}

func exactArgument(r *rand.Rand) float64 {
	sign := r.Uint64() << 63
	near := func(low, high int) float64 { // in magnitude between two powers of 2
		return math.Float64frombits(sign | uint64(1023+low+r.IntN(high-low))<<52 | r.Uint64()>>12)
	}
	switch r.IntN(8) {
	case 0:
		return math.Float64frombits(r.Uint64())
	case 1:
		return hostileNumbers[r.IntN(len(hostileNumbers))]
	case 2:
		return math.Float64frombits(sign | math.Float64bits(hostilePoints[r.IntN(len(hostilePoints))]) + uint64(r.IntN(5)-2))
	case 3:
		return float64(r.IntN(801)-400) / 2
	case 4:
		return near(-40, 0)
	case 5:
		return near(4, 60)
	}
	return near(-3, 8)
}
