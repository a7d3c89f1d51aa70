package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// TestTiledRows runs register tiles and bursts whose rows stream, and begin anywhere in lines:
// convolutions, and stencils of which some points are computed together.
func TestTiledRows(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 11))
	joined, kept, carried := 0, 0, 0
	for n := range 10 {
		lanes, points := []int{4, 8, 16}[draw.IntN(3)], 2+draw.IntN(4)
		vectors := 1 + draw.IntN(3)
		rows, columns := 1+draw.IntN(3*points), 1+draw.IntN(5*lanes*vectors)
		elem := []string{"float32", "float64", "int32", "int16"}[draw.IntN(4)]
		text := fmt.Sprintf(`# sizes h=%d w=%d
func rows {
  size h = dim 0 of Z
  size w = dim 1 of Z
  in X: %[3]s[h + 2, w + 2]
  in Z: %[3]s[h, w]
  out Y: %[3]s[h, w]
  `, rows, columns, elem)
		band, loops := "", ""
		if n%2 == 0 {
			text += "for i in 0:h, j in 0:w, r in 0:3 reduce +, s in 0:3 reduce + { Y[i, j] = X[i + r, j + s] * Z[i, j] }\n}"
			band, loops = "domain S0[i, j, r, s]\n", fmt.Sprintf("    accumulate S0 register\n      band S0.r | S0.s\n        band S0.i unroll | S0.j vector %d unroll stream\n", lanes)
		} else {
			text += "for i in 0:h, j in 0:w { Y[i, j] = X[i, j] + X[i + 1i64, j + 2i64] + Z[i, j] }\n}"
			band, loops = "domain S0[i, j]\n", fmt.Sprintf("    band S0.i unroll | S0.j vector %d unroll stream\n", lanes)
		}
		p := readProgram(t, text)
		tree, err := schedule.Parse(fmt.Sprintf("%sband S0.i tile %d\n  band S0.j tile %d\n%s", band, points, lanes*vectors, loops))
		if err != nil {
			t.Fatal(err)
		}
		for _, keep := range []map[string]bool{nil, {"w": true}} {
			verify(t, p, tree, keep, evaluate)
			verify(t, p, tree, keep, func(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
				if strings.Contains(loop.Print(f), "endrow") {
					joined++
				}
				if strings.Contains(loop.Print(f), " heads ") {
					kept++
				}
				if strings.Contains(loop.Print(f), "rest[0] = rest[") {
					carried++
				}
				return misplaced(0, 1, lanes-1, 1+draw.IntN(15))(t, p, f, args)
			})
		}
	}
	if joined < 8 || kept < 2 || carried < 1 {
		t.Errorf("of 20 programs %d have rows that are joined, %d some that lie end to end, %d some that go on in the next band", joined, kept, carried)
	}
}

// TestChains runs loops over rows that stream and lie end to end, some of them side by side.
func TestChains(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 5))
	chained := 0
	for n := range 8 {
		elem, lanes := "float32", 16
		if n%2 == 1 {
			elem, lanes = "int64", 8
		}
		planes, rows, columns := 1+draw.IntN(5), 1+draw.IntN(6), 4*lanes+draw.IntN(3*lanes)
		p := readProgram(t, fmt.Sprintf(`# sizes n=%[1]d
func rows {
  size n = dim 0 of X
  in X: %[4]s[n, %[2]d + 1, %[3]d + 2]
  out Y: %[4]s[n, %[2]d, %[3]d]
  for i in 0:n, j in 0:%[2]d, k in 0:%[3]d { Y[i, j, k] = X[i, j, k + 2i64] + X[i, j + 1i64, k] }
}`, planes, rows, columns, elem))
		tree, err := schedule.Parse(fmt.Sprintf("domain S0[i, j, k]\nband S0.i tile 3 | S0.j\n  band %sS0.k vector %d stream ahead 256\n", []string{"S0.i | ", "S0.i unroll | "}[draw.IntN(2)], lanes))
		if err != nil {
			t.Fatal(err)
		}
		for _, keep := range []map[string]bool{nil, {"n": true}} {
			verify(t, p, tree, keep, evaluate)
			verify(t, p, tree, keep, func(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
				if strings.Contains(loop.Print(f), ", tail ") {
					chained++
				}
				return misplaced(0, 1, lanes-1, 1+draw.IntN(lanes-1))(t, p, f, args)
			})
		}
	}
	if chained < 10 {
		t.Errorf("%d of 16 programs have rows that are joined", chained)
	}
}

// TestCarriedRows runs bands of tiles of which one goes on where the one before ended: filters of images, and
// stencils of which some points are computed together.
func TestCarriedRows(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 13))
	carried := 0
	for n := range 6 {
		elem, lanes := "float32", 16
		if n%3 == 1 {
			elem, lanes = "float64", 8
		}
		points, vectors := 2+draw.IntN(3), 1+draw.IntN(2)
		images, rows, columns := 1+draw.IntN(2), points*(2+draw.IntN(3))+draw.IntN(points), 2*lanes*vectors+1+draw.IntN(3*lanes)
		text := fmt.Sprintf(`# sizes n=%[1]d
func bands {
  size n = dim 0 of X
  in X: %[4]s[n, %[2]d + 2, %[3]d + 2]
  in F: %[4]s[3, 3]
  out Y: %[4]s[n, %[2]d, %[3]d]
  `, images, rows, columns, elem)
		first, last := "", fmt.Sprintf("S0.i unroll | S0.j vector %d unroll stream\n", lanes)
		if n%2 == 0 {
			text += fmt.Sprintf("for b in 0:n, i in 0:%d, j in 0:%d, r in 0:3 reduce +, s in 0:3 reduce + { Y[b, i, j] = X[b, i + r, j + s] * F[r, s] }\n}", rows, columns)
			first, last = "domain S0[b, i, j, r, s]\n", "    accumulate S0 register\n      band S0.s unroll | S0.r unroll | "+last
		} else {
			text += fmt.Sprintf("for b in 0:n, i in 0:%d, j in 0:%d { Y[b, i, j] = X[b, i, j] + X[b, i + 1i64, j + 2i64] + F[0i64, 1i64] }\n}", rows, columns)
			first, last = "domain S0[b, i, j]\n", "    band "+last
		}
		outer := []string{"band S0.b\n", fmt.Sprintf("band S0.b parallel | S0.i tile %d parallel\n", 2*points)}[draw.IntN(2)]
		inner := []string{"band S0.i tile %d | S0.j tile %d\n", "band S0.i tile %d\n  band S0.j tile %d\n"}[draw.IntN(2)]
		p := readProgram(t, text)
		tree, err := schedule.Parse(first + nested(outer+fmt.Sprintf(inner, points, lanes*vectors)+last))
		if err != nil {
			t.Fatal(err)
		}
		for _, keep := range []map[string]bool{nil, {"n": true}} {
			verify(t, p, tree, keep, evaluate)
			verify(t, p, tree, keep, func(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
				if strings.Contains(loop.Print(f), "rest[0] = rest[") {
					carried++
				}
				return misplaced(0, 1, lanes-1, 1+draw.IntN(lanes-1))(t, p, f, args)
			})
		}
	}
	if carried < 7 {
		t.Errorf("in %d of 12 programs rows go on in the next band", carried)
	}
}

// nested indents each line of a tree below the one before.
func nested(tree string) string {
	var b strings.Builder
	for depth, line := range strings.Split(strings.TrimSpace(tree), "\n") {
		b.WriteString(strings.Repeat("  ", depth) + strings.TrimSpace(line) + "\n")
	}
	return b.String()
}
