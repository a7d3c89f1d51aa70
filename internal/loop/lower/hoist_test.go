package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
)

// TestHoisted sums over the neighbours of points in two to five dimensions, some of whose numbers are
// out of bounds, what they have and what the points have themselves, by the default schedules.
func TestHoisted(t *testing.T) {
	draw := rand.New(rand.NewPCG(14, 3))
	hoisted, programs := 0, 60
	for range programs {
		p := readProgram(t, drawNeighbours(draw))
		for _, m := range []*machine.Processor{
			{VectorBytes: 16, VectorRegisters: 16, L1: 32 << 10, L2: 128 << 10, L3: 1 << 20, Cores: 2},
			{VectorBytes: 64, VectorRegisters: 32, Features: []string{"avx512f", "avx512bw"}, L1: 48 << 10, L2: 2 << 20, L3: 1 << 22, Cores: 1 + draw.IntN(2)},
		} {
			tree, err := standard.Default(p.f, m)
			if err != nil {
				t.Fatal(err)
			}
			f, err := lower.Lower(p.f, tree, lower.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(loop.Print(f), "let same") {
				hoisted++
			}
			verify(t, p, tree, nil, evaluate)
		}
	}
	if hoisted < programs/4 {
		t.Errorf("of %d programs %d read vectors before their loops", 2*programs, hoisted)
	}
	t.Logf("of %d programs %d read vectors before their loops", 2*programs, hoisted)
}

// drawNeighbours draws a program that sums over the neighbours of points, whose numbers are data.
func drawNeighbours(draw *rand.Rand) string {
	own := []string{"X[i, c]", "V[i, c]", "(X[i, c] + V[i, 0i64])", "V[0i64, c]", "(E[i, e] > 0i32 ? V[i, c] : X[i, c])"}
	elem := []string{"float32", "float64", "int32"}[draw.IntN(3)]
	points, dims, near := 1+draw.IntN(70), 2+draw.IntN(4), 1+draw.IntN(7)
	return fmt.Sprintf("func near {\n  in X: %[1]s[%[2]d, %[3]d]\n  in V: %[1]s[%[2]d, %[3]d]\n  in E: int32[%[2]d, %[4]d]\n  out F: %[1]s[%[2]d, %[3]d]\n"+
		"  for i in 0:%[2]d, c in 0:%[3]d, e in 0:%[4]d reduce + { F[i, c] = X![int64(E[i, e]), c] - %[5]s * %[6]s }\n}",
		elem, points, dims, near, own[draw.IntN(len(own))], own[draw.IntN(len(own))])
}
