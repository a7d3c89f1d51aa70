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
	joined := 0
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
				return misplaced(0, 1, lanes-1, 1+draw.IntN(15))(t, p, f, args)
			})
		}
	}
	if joined < 8 {
		t.Errorf("%d of 20 programs have rows that are joined", joined)
	}
}
