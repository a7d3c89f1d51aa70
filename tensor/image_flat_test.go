package tensor

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFlat: lengths and angles of images in larger worlds stay, whatever number of axes they have, and images in worlds of their
// own dimensions stay as they are.
func TestFlat(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 30))
	for world := 1; world <= 4; world++ {
		for axes := 1; axes <= world; axes++ {
			m := &Image{Origin: make([]float64, world)}
			for range axes {
				step := make([]float64, world)
				for k := range step {
					step[k] = random.NormFloat64()
				}
				m.Directions = append(m.Directions, step)
			}
			flat, err := m.Flat()
			if err != nil {
				t.Fatal(err)
			}
			for a := range axes {
				for b := range axes {
					if got, want := dot(flat.Directions[a], flat.Directions[b]), dot(m.Directions[a], m.Directions[b]); math.Abs(got-want) > 1e-12 {
						t.Errorf("%d axes in %d dimensions: the product of steps %d and %d is %g, expected %g", axes, world, a, b, got, want)
					}
				}
				for k, x := range m.Directions[a] {
					if world == axes && flat.Directions[a][k] != x {
						t.Errorf("step %d was %v and is %v", a, m.Directions[a], flat.Directions[a])
					}
				}
			}
		}
	}
	m := &Image{Directions: [][]float64{{1, 2, 3}, {2, 4, 6}}, Origin: []float64{0, 0, 0}}
	if flat, err := m.Flat(); err == nil {
		t.Errorf("steps along one line span %v", flat.Directions)
	}
}
