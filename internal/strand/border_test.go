package strand_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/strand"
)

// kernelText writes a kernel as programs have it.
func kernelText(k *field.Kernel) string {
	var pieces []string
	for _, piece := range k.Pieces {
		var words []string
		for _, c := range piece {
			words = append(words, c.RatString())
		}
		pieces = append(pieces, strings.Join(words, ", "))
	}
	return fmt.Sprintf("kernel %s %d { %s }", k.Name, k.Support, strings.Join(pieces, " | "))
}

// continued is the sample at an index of an axis, by the definition of a border: mirror repeats an image and its mirror image
// side by side, wrap repeats the image. −1 is none.
func continued(border string, i, size int) int {
	switch {
	case strings.HasPrefix(border, "constant"):
		if i < 0 || i >= size {
			return -1
		}
		return i
	case border == "clamp":
		return max(0, min(i, size-1))
	case border == "wrap":
		for i < 0 {
			i += size
		}
		return i % size
	}
	for i < 0 || i >= size {
		if i < 0 {
			i = -1 - i
		} else {
			i = 2*size - 1 - i
		}
	}
	return i
}

// TestBorders: probes near to and far from images by all borders and kernels are sums of samples times weights, as the
// definition says.
func TestBorders(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 30))
	head, rest, _ := strings.Cut(probeText, "  kernel")
	_, rest, _ = strings.Cut(rest, "\n")
	for _, k := range field.Kernels()[:5] {
		text := head + "  " + kernelText(k) + "\n" + strings.ReplaceAll(rest, "ctmr", k.Name)
		for _, border := range []string{"clamp", "mirror", "wrap", "constant (at.1, at.0)"} {
			p := parse(t, strings.Replace(text, "BORDER", border, 1))
			for range 6 {
				data := &strand.ImageData{Sizes: []int{1 + random.IntN(5), 1 + random.IntN(5)}, Components: 2, Directions: []float64{1, 0, 0, 1}, Origin: []float64{0, 0}}
				for range 2 * data.Sizes[0] * data.Sizes[1] {
					data.Samples = append(data.Samples, random.Float64())
				}
				at := []float64{random.Float64()*40 - 18, random.Float64()*16 - 6}
				given := strand.Given{Images: map[string]*strand.ImageData{"img": data}, Inputs: map[string]strand.Value{"at": reals(at...)}}
				result, err := strand.Evaluate(context.Background(), p, given, 0, strand.Options{})
				if err != nil {
					t.Fatal(err)
				}
				var got []float64
				for _, o := range result.Outputs {
					got = append(got, numbers(t, o)...)
				}
				for n, wanted := range []struct{ voxel, x, y int }{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 2, 0}} {
					want := 0.0
					for y := int(math.Floor(at[1])) + 1 - k.Support; y <= int(math.Floor(at[1]))+k.Support; y++ {
						for x := int(math.Floor(at[0])) + 1 - k.Support; x <= int(math.Floor(at[0]))+k.Support; x++ {
							sample := at[1-wanted.voxel]
							if i, j := continued(border, x, data.Sizes[0]), continued(border, y, data.Sizes[1]); i >= 0 && j >= 0 {
								sample = data.Samples[2*(j*data.Sizes[0]+i)+wanted.voxel]
							}
							want += weight(k, wanted.x, at[0], x) * weight(k, wanted.y, at[1], y) * sample
						}
					}
					if !(math.Abs(got[n]-want) < 1e-12*(1+math.Abs(at[0])+math.Abs(at[1]))) {
						t.Errorf("%s, %s: number %d at %v of %v is %v, expected %v", border, k.Name, n, at, data.Sizes, got[n], want)
					}
				}
			}
		}
	}
}

// weight is that of the sample i for a place x.
func weight(k *field.Kernel, order int, x float64, i int) float64 {
	exact := new(big.Rat).SetFloat64(x)
	w, _ := k.At(order, exact.Sub(exact, big.NewRat(int64(i), 1))).Float64()
	return w
}
