package tensor

import (
	"errors"
	"math"
	"slices"
)

var errDependent = errors.New("spatial axes that are not independent")

// Flat returns the image in a world that has no more dimensions than the image has spatial axes. Of a larger world, it is the
// plane or line of the image that counts: it is turned onto the axes of the world that it is nearest to, by the shortest way,
// about the origin of these axes. So coordinates along which an image does not extend are left out, and lengths and angles in
// it are what they were. Axes that are not independent are an error.
func (m *Image) Flat() (*Image, error) {
	d := len(m.Directions)
	frame := m.Directions // of the plane
	if len(m.Origin) > d {
		frame = orthonormal(m.Directions)
	}
	if len(frame) < d {
		return nil, errDependent
	}
	kept := nearestAxes(frame, len(m.Origin))
	if kept == nil {
		return nil, errDependent
	}
	turned := func(p []float64) []float64 { // the coordinates that are kept
		rest := make([]float64, d)
		for n, k := range kept {
			rest[n] = p[k]
		}
		return rest
	}
	if len(m.Origin) > d && !isLevel(m.Directions, kept) {
		turned = turn(frame, kept)
	}
	flat := *m
	flat.Directions = make([][]float64, d)
	for a, step := range m.Directions {
		flat.Directions[a] = turned(step)
	}
	flat.Origin = turned(m.Origin)
	return &flat, nil
}

// isLevel reports whether vectors have no components but those that are kept.
func isLevel(vectors [][]float64, kept []int) bool {
	return !slices.ContainsFunc(vectors, func(v []float64) bool {
		for k, x := range v {
			if x != 0 && !slices.Contains(kept, k) {
				return true
			}
		}
		return false
	})
}

// orthonormal is a frame of the space that vectors span, or nil if they are not independent.
func orthonormal(vectors [][]float64) [][]float64 {
	var frame [][]float64
	for _, v := range vectors {
		before := math.Sqrt(dot(v, v))
		v = slices.Clone(v)
		for range 2 { // again, for what rounding has left
			for _, e := range frame {
				along := dot(v, e)
				for k := range v {
					v[k] -= along * e[k]
				}
			}
		}
		length := math.Sqrt(dot(v, v))
		if !(length > 1e-10*before) {
			return nil
		}
		for k := range v {
			v[k] /= length
		}
		frame = append(frame, v)
	}
	return frame
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for k := range a {
		sum += a[k] * b[k]
	}
	return sum
}

// nearestAxes are the axes of the world, as many as there are vectors, among which these span most; none if they are not
// independent.
func nearestAxes(vectors [][]float64, axes int) []int {
	best := []int(nil)
	most := 0.0
	for set := range 1 << axes {
		var chosen []int
		for k := range axes {
			if set>>k&1 == 1 {
				chosen = append(chosen, k)
			}
		}
		if len(chosen) != len(vectors) {
			continue
		}
		if volume := math.Abs(determinant(vectors, chosen)); volume > most {
			best, most = chosen, volume
		}
	}
	return best
}

// determinant is that of the chosen components of as many vectors.
func determinant(vectors [][]float64, chosen []int) float64 {
	if len(chosen) == 0 {
		return 1
	}
	sum, sign := 0.0, 1.0
	for n, k := range chosen {
		rest := slices.Delete(slices.Clone(chosen), n, n+1)
		sum += sign * vectors[0][k] * determinant(vectors[1:], rest)
		sign = -sign
	}
	return sum
}

// turn is the shortest turn of what a frame spans onto axes: the orthogonal matrix that is nearest to that of the components
// of the frame, which Newton's iteration U ← (U + U⁻ᵀ)/2 finds.
func turn(frame [][]float64, kept []int) func([]float64) []float64 {
	d := len(frame)
	u := make([][]float64, d) // columns are of the axes
	for n, e := range frame {
		u[n] = make([]float64, d)
		for k, axis := range kept {
			u[n][k] = e[axis]
		}
	}
	for range 40 { // quadratic, after at most ten steps of halving
		u = newton(u)
	}
	return func(p []float64) []float64 {
		at := make([]float64, d)
		for n, e := range frame {
			along := dot(p, e)
			for k := range at {
				at[k] += along * u[n][k]
			}
		}
		return at
	}
}

func newton(u [][]float64) [][]float64 {
	d := len(u)
	var all []int
	for k := range d {
		all = append(all, k)
	}
	volume := determinant(u, all)
	next := make([][]float64, d)
	for n := range u {
		next[n] = make([]float64, d)
		rows := slices.Delete(slices.Clone(u), n, n+1)
		for k := range all {
			cofactor := determinant(rows, slices.Delete(slices.Clone(all), k, k+1))
			if (n+k)%2 == 1 {
				cofactor = -cofactor
			}
			next[n][k] = (u[n][k] + cofactor/volume) / 2
		}
	}
	return next
}
