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
	joined, kept := 0, 0
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
				return misplaced(0, 1, lanes-1, 1+draw.IntN(15))(t, p, f, args)
			})
		}
	}
	if joined < 8 || kept < 2 {
		t.Errorf("of 20 programs %d have rows that are joined, %d some that lie end to end", joined, kept)
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
