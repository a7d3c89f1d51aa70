//go:build ignore

// Generate writes the arrays that the examples and documents use. The files are
// kept in the repository; run this only to change them:
//
//	go run examples/data/generate.go
package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"path/filepath"

	"github.com/ricci-lang/ricci/tensor"
)

const directory = "examples/data"

func main() {
	log.SetFlags(0)
	random := rand.New(rand.NewPCG(1854, 1900))
	save("terrain.png")(heights(random, 128, 192))
	save("moon.png")(moon(random, 240, 320))
	save("A.npy")(matrix(random, 64, 48))
	save("B.npy")(matrix(random, 48, 32))
}

// save returns a function that writes a file and says what is in it.
func save(name string) func(t *tensor.Tensor, err error) {
	return func(t *tensor.Tensor, err error) {
		if err == nil {
			err = tensor.Save(filepath.Join(directory, name), t)
		}
		if err != nil {
			log.Fatalf("%s: %v", name, err)
		}
		fmt.Printf("%-12s %s %v\n", name, t.DType(), t.Shape())
	}
}

// matrix holds multiples of 1/8 in [-2, 2), so that products and short sums are
// exact in float32 and documents show the same digits on every machine.
func matrix(random *rand.Rand, rows, columns int) (*tensor.Tensor, error) {
	data := make([]float32, rows*columns)
	for i := range data {
		data[i] = float32(random.IntN(32)-16) / 8
	}
	return tensor.FromSlice(data, rows, columns)
}

// heights is an island: noise of several wavelengths under a bump.
func heights(random *rand.Rand, rows, columns int) (*tensor.Tensor, error) {
	rough := fractal(random, rows, columns, 48, 5)
	data := make([]uint16, rows*columns)
	for i := range rows {
		for j := range columns {
			y, x := 2*float64(i)/float64(rows)-1, 2*float64(j)/float64(columns)-1
			h := 0.75*math.Exp(-1.6*(x*x+y*y)) + 0.5*rough[i*columns+j] - 0.25
			data[i*columns+j] = uint16(65535 * min(max(h, 0), 1))
		}
	}
	return tensor.FromSlice(data, rows, columns)
}

// moon is a cratered plain in low light.
func moon(random *rand.Rand, rows, columns int) (*tensor.Tensor, error) {
	ground := fractal(random, rows, columns, 64, 4)
	for i := range ground {
		ground[i] *= 8
	}
	for range 140 {
		// Small craters are many: the radii follow a power law.
		radius := 3 * math.Pow(random.Float64()+0.003, -0.55)
		dig(ground, columns, random.Float64()*float64(rows), random.Float64()*float64(columns), min(radius, 42))
	}
	data := make([]uint8, rows*columns)
	for i := range rows {
		for j := range columns {
			slopeX := ground[i*columns+min(j+1, columns-1)] - ground[i*columns+max(j-1, 0)]
			slopeY := ground[min(i+1, rows-1)*columns+j] - ground[max(i-1, 0)*columns+j]
			light := 0.5 - 0.16*slopeX - 0.07*slopeY
			data[i*columns+j] = uint8(4 * math.Round(63*min(max(light, 0.02), 1)))
		}
	}
	return tensor.FromSlice(data, rows, columns)
}

// dig adds a bowl with a raised rim to the heights.
func dig(ground []float64, columns int, y, x, radius float64) {
	for p := range ground {
		d := math.Hypot(float64(p/columns)-y, float64(p%columns)-x) / radius
		switch {
		case d < 1:
			ground[p] += 0.28 * radius * (1.4*d*d - 1)
		case d < 2:
			ground[p] += 0.112 * radius * math.Pow(2-d, 3)
		}
	}
}

// fractal adds value noise of halving wavelength and amplitude, in [0, 1].
func fractal(random *rand.Rand, rows, columns int, wavelength float64, octaves int) []float64 {
	sum := make([]float64, rows*columns)
	amplitude := 0.5
	for range octaves {
		height, width := int(float64(rows)/wavelength)+2, int(float64(columns)/wavelength)+2
		lattice := make([]float64, height*width)
		for i := range lattice {
			lattice[i] = random.Float64()
		}
		for p := range sum {
			y, v := split(float64(p/columns) / wavelength)
			x, u := split(float64(p%columns) / wavelength)
			top := (1-u)*lattice[y*width+x] + u*lattice[y*width+x+1]
			bottom := (1-u)*lattice[(y+1)*width+x] + u*lattice[(y+1)*width+x+1]
			sum[p] += amplitude * ((1-v)*top + v*bottom)
		}
		amplitude, wavelength = amplitude/2, wavelength/2
	}
	return sum
}

// split returns the whole part and the smoothed fraction.
func split(x float64) (int, float64) {
	whole := math.Floor(x)
	f := x - whole
	return int(whole), f * f * (3 - 2*f)
}
