package tune

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/tune/database"
	"github.com/ricci-lang/ricci/internal/tune/tuned"
)

// nearest returns the neighbours with the most similar sizes, on the same machine
// first.
func nearest(list []database.Neighbour, c *tuned.Configuration, most int) []database.Neighbour {
	slices.SortStableFunc(list, func(a, b database.Neighbour) int {
		if d := distance(&a.Configuration, c) - distance(&b.Configuration, c); d != 0 {
			return int(math.Copysign(1, d))
		}
		return 0
	})
	return list[:min(len(list), most)]
}

// distance compares sizes by their logarithms: twice as large is as far as half.
func distance(a, b *tuned.Configuration) float64 {
	sum := 0.0
	for name, n := range b.Sizes {
		other, known := a.Sizes[name]
		if !known {
			sum += 10 // dynamic on one side
			continue
		}
		sum += math.Abs(math.Log2(float64(max(1, n))) - math.Log2(float64(max(1, other))))
	}
	if a.Machine != b.Machine || a.Compiler != b.Compiler {
		sum += 100
	}
	return sum
}

// parsePoint reads a point of another space; nil when it does not have n values.
func parsePoint(key string, n int) space.Point {
	words := strings.Split(key, ",")
	if key == "" || len(words) != n {
		return nil
	}
	p := make(space.Point, n)
	for i, word := range words {
		v, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil
		}
		p[i] = v
	}
	return p
}
