package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestWays runs maps and sums of drawn sizes and types whose last lanes are stored one by one and whose bytes are made by
// way of 16 bits, some of them with symbolic sizes, padded tiles, or several results.
func TestWays(t *testing.T) {
	draw := rand.New(rand.NewPCG(31, 8))
	between := func(least, most int) int { return least + draw.IntN(most-least+1) }
	singly, words, programs := 0, 0, 60
	for range programs {
		rows, columns, steps := between(1, 5), between(1, 21), between(1, 4)
		from := []string{"float32", "float64", "int32", "int64", "int16"}[draw.IntN(5)]
		to := []string{"int8", "uint8", "float32", "int32", "bfloat16"}[draw.IntN(5)]
		p := readProgram(t, fmt.Sprintf(`
func ways {
  in X: %[1]s[%[4]d, %[5]d, %[3]d]
  out Y: %[2]s[%[4]d, %[5]d]
  out S: float32[%[4]d, %[5]d]
  for i in 0:%[4]d, j in 0:%[5]d { Y[i, j] = %[2]s(X[i, j, 0i64] * X[i, j, 0i64] - X[i, j, %[6]di64]) }
  for i in 0:%[4]d, j in 0:%[5]d, k in 0:%[3]d reduce + { S[i, j] = float32(X[i, j, k]) }
}`, from, to, steps, rows, columns, steps-1))
		blocks := []string{"", " | S0.j tile 8", " | S0.j tile 8 pad"}[draw.IntN(3)]
		tree, err := schedule.Parse(fmt.Sprintf(`domain S0[i, j]; S1[i, j, k]
sequence
  filter S0
    band S0.i%s | S0.j vector 4 singly words
  filter S1
    band S1.i
      accumulate S1 register
        band S1.k
          band S1.j vector 8 unroll singly
`, blocks))
		if err != nil {
			t.Fatal(err)
		}
		g, err := p.f.Specialise(p.sizes, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := lower.Lower(g, tree, lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		text := loop.Print(f)
		if strings.Contains(text, "= lane(") {
			singly++
		}
		if strings.Contains(text, " by int16, ") {
			words++
		}
		verify(t, p, tree, nil, evaluate)
	}
	if singly < programs/2 || words < programs/5 {
		t.Errorf("of %d programs %d store lanes one by one, and %d make bytes by way of 16 bits", programs, singly, words)
	}
}
