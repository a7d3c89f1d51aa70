//go:build ignore

// Volumes writes the images that the Diderot examples are about. The files are
// kept in the repository; run this only to change them:
//
//	go run examples/data/volumes.go
package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/ricci-lang/ricci/tensor"
)

const directory = "examples/data"

type vec = [3]float64

func main() {
	log.SetFlags(0)
	random := rand.New(rand.NewPCG(1812, 1870))
	centred := func(sizes ...int) grid { return newGrid(sizes, 1) }

	save("blobs.nrrd", "three blobs that melt into each other", centred(36, 32, 28), 1, coarse, blobs)
	save("torus.nrrd", "a torus, 1 on its circle", centred(32, 32, 16), 1, coarse, torus)
	save("shell.nrrd", "the surface of a ball with a dent, between 0 inside and 1", centred(28, 28, 28), 1, coarse, shell)
	save("vortices.nrrd", "a flow in the plane, without sources", centred(40, 32), 2, fine, vortices)
	save("abc.nrrd", "a flow in space that turns as it moves, here one way and there the other", newGrid([]int{16, 16, 16}, math.Pi), 3, fine, abc)
	save("diffusion.nrrd", "tensors of diffusion along a bent bundle of fibres", centred(16, 14, 8), 9, fine, diffusion)
	save("noise.nrrd", "white noise", newGrid([]int{96, 80}, 1), 1, bytes, func(vec) []float64 { return []float64{random.Float64()} })
	save("colours.nrrd", "colours from blue by way of white to red", newGrid([]int{9}, 1), 3, fine, colours)

	points("points2.nrrd", 60, 2, random)
	points("points3.nrrd", 48, 3, random)
}

// blobs are three bells of different width.
func blobs(p vec) []float64 {
	v := 0.0
	for _, b := range [][5]float64{{-0.3, -0.2, 0, 1, 9}, {0.35, 0.1, 0.1, 0.9, 14}, {0.05, 0.35, -0.35, 0.7, 20}} {
		v += b[3] * math.Exp(-b[4]*square(p[0]-b[0], p[1]-b[1], p[2]-b[2]))
	}
	return []float64{v / 1.25}
}

// torus falls off with the distance to a circle of radius 0.6.
func torus(p vec) []float64 {
	ring := math.Hypot(p[0], p[1]) - 0.6
	return []float64{math.Exp(-12 * (ring*ring + p[2]*p[2]))}
}

// shell rises from 0 to 1 where a ball of radius 0.65, with a dent, ends.
func shell(p vec) []float64 {
	dent := 0.25 * math.Exp(-8*square(p[0]-0.5, p[1]+0.2, p[2]-0.3))
	return []float64{0.5 + 0.5*math.Tanh(6*(math.Sqrt(square(p[0], p[1], p[2]))-0.65+dent))}
}

// vortices turn around three places: the flow is a stream function's gradient, turned.
func vortices(p vec) []float64 {
	var v [2]float64
	for _, c := range [][4]float64{{-0.45, 0.2, 1, 8}, {0.4, 0.35, -0.8, 10}, {0.15, -0.5, 0.9, 7}} {
		x, y := p[0]-c[0], p[1]-c[1]
		strength := 2 * c[3] * c[2] * math.Exp(-c[3]*(x*x+y*y))
		v[0] -= strength * y
		v[1] += strength * x
	}
	return v[:]
}

// abc is the flow of Arnold, Beltrami and Childress, which is its own curl, disturbed by streams that are not.
func abc(p vec) []float64 {
	a, b, c := math.Sqrt(3), math.Sqrt(2), 1.0
	return []float64{
		a*math.Sin(p[2]) + c*math.Cos(p[1]) + 1.5*math.Cos(2*p[1]),
		b*math.Sin(p[0]) + a*math.Cos(p[2]),
		c*math.Sin(p[1]) + b*math.Cos(p[0]) + 1.5*math.Sin(2*p[0]),
	}
}

// diffusion is fast along the circles around a corner, where the bundle is, and the same in all directions elsewhere.
func diffusion(p vec) []float64 {
	x, y := p[0]+1, p[1]+1
	r := math.Hypot(x, y)
	fibre := math.Exp(-10 * (square(r-1.2, 0, 0) + square(p[2], 0, 0)))
	along := vec{-y / (r + 1e-9), x / (r + 1e-9), 0.2}
	d := make([]float64, 9)
	for i := range 3 {
		for j := range 3 {
			d[3*i+j] = fibre * 1.4 * along[i] * along[j] / 1.04
		}
		d[4*i] += 0.3 + 0.1*fibre*float64(i)
	}
	return d
}

// colours go from blue by way of white to red as x goes from -1 to 1.
func colours(p vec) []float64 {
	t := p[0]
	return []float64{min(1, 1+t), 1 - math.Abs(t), min(1, 1-t)}
}

func square(x, y, z float64) float64 { return x*x + y*y + z*z }

// A grid has samples in the middle of cells of a box around the origin.
type grid struct {
	sizes []int // the fastest axis first
	half  float64
}

// newGrid makes a grid whose longest axis goes from -half to half; cells are cubes, but for the slowest axis of three,
// along which the box is as long as along the first: samples of scanners are like that.
func newGrid(sizes []int, half float64) grid { return grid{sizes, half} }

func (g grid) step(axis int) float64 {
	if axis == 2 {
		return 2 * g.half / float64(g.sizes[2])
	}
	return 2 * g.half / float64(g.sizes[0])
}

func (g grid) first(axis int) float64 { return -g.step(axis) * float64(g.sizes[axis]-1) / 2 }

// storage is how values are kept: as bytes, 1 as 255, or as multiples of a part of 1 in float32, which are compressed
// better than what was computed, and are the same wherever this runs.
type storage float64

const (
	bytes  storage = 0
	coarse storage = 1.0 / 1024
	fine   storage = 1.0 / 4096
)

func (s storage) tensor(values []float64, shape []int) (*tensor.Tensor, error) {
	if s == bytes {
		data := make([]uint8, len(values))
		for i, v := range values {
			data[i] = uint8(math.Round(255 * v))
		}
		return tensor.FromSlice(data, shape...)
	}
	data := make([]float32, len(values))
	for i, v := range values {
		data[i] = float32(math.Round(v/float64(s)) * float64(s))
	}
	return tensor.FromSlice(data, shape...)
}

// save samples a function on a grid and writes it with the place of the samples.
func save(name, content string, g grid, components int, s storage, value func(vec) []float64) {
	total := components
	shape := []int{}
	for _, n := range g.sizes {
		total *= n
		shape = append([]int{n}, shape...)
	}
	values := make([]float64, 0, total)
	var index [3]int
	for n := 0; n < total/components; n++ {
		var p vec
		for a, rest := 0, n; a < len(g.sizes); a++ {
			index[a], rest = rest%g.sizes[a], rest/g.sizes[a]
			p[a] = g.first(a) + g.step(a)*float64(index[a])
		}
		values = append(values, value(p)...)
	}
	axes := spatial(len(g.sizes))
	if components > 1 {
		shape = append(shape, components)
		axes = append([]tensor.Axis{other(map[int]string{2: "2-vector", 3: "3-vector", 9: "3D-matrix"}[components])}, axes...)
	}
	t, err := s.tensor(values, shape)
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	image := &tensor.Image{Tensor: t, Axes: axes, Content: content}
	for a := range g.sizes {
		direction := make([]float64, len(g.sizes))
		direction[a] = g.step(a)
		image.Directions = append(image.Directions, direction)
		image.Origin = append(image.Origin, g.first(a))
	}
	write(name, image)
}

func spatial(d int) []tensor.Axis {
	axes := make([]tensor.Axis, d)
	for a := range axes {
		axes[a] = other("space")
		axes[a].Spatial = true
	}
	return axes
}

func other(kind string) tensor.Axis {
	nan := math.NaN()
	return tensor.Axis{Kind: kind, Spacing: nan, Thickness: nan, Min: nan, Max: nan}
}

// points writes a list of places in the cube around the origin.
func points(name string, n, d int, random *rand.Rand) {
	data := make([]float32, n*d)
	for i := range data {
		data[i] = float32(random.IntN(2048)-1024) / 1024
	}
	t, err := tensor.FromSlice(data, n, d)
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	write(name, &tensor.Image{Tensor: t, Axes: []tensor.Axis{other(fmt.Sprintf("%d-vector", d)), other("list")}, Content: "random places"})
}

func write(name string, image *tensor.Image) {
	file, err := os.Create(filepath.Join(directory, name))
	if err == nil {
		err = tensor.WriteNRRD(file, image, tensor.NRRDLayout{Encoding: "gzip"})
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	fmt.Printf("%-16s %s %v: %s\n", name, image.Tensor.DType(), image.Tensor.Shape(), image.Content)
}
