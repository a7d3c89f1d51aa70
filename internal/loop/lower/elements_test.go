package lower_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
)

// TestElements runs default schedules of chains over tiny elements, whose number is a
// multiple of the lanes or not.
func TestElements(t *testing.T) {
	machine := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 32 << 10, L2: 1 << 20, L3: 32 << 20, Cores: 2}
	const all = "for e in 0:E, i in 0:N, j in 0:N, k in 0:N"
	const program = `func f {
  in A: T[N, N]
  in u: T[E, N, N, N]
  out v: T[E, N, N, N]
  out w: T[E, N, N, N]
  temp x: T[E, N, N, N]
  temp y: T[E, N, N, N]
  `
	for name, body := range map[string]string{
		"product": all + `, r in 0:N reduce + { x[e, i, j, k] = A[k, r] * u[e, i, j, r] }
  ` + all + `, r in 0:N reduce + { y[e, i, j, k] = A[j, r] * x[e, i, r, k] }
  ` + all + `, r in 0:N reduce + { v[e, i, j, k] = A[i, r] * y[e, r, j, k] }
  ` + all + ` { w[e, i, j, k] = A[i, k] }`,
		"sum of products": all + `, r in 0:N reduce + { x[e, i, j, k] = A[k, r] * u[e, i, j, r] }
  ` + all + `, r in 0:N reduce max { y[e, i, j, k] = A[r, i] * u[e, r, j, k] }
  ` + all + ` { v[e, i, j, k] = x[e, i, j, k] - y[e, i, j, k] * A[i, k] }
  ` + all + `, r in 0:N reduce + { w[e, i, j, k] = A[i, r] * x[e, k, r, j] }`,
	} {
		for _, n := range []int{2, 3, 5} {
			for _, e := range []int{24, 37, 64} {
				for _, element := range []string{"float64", "float32"} {
					words := map[string]string{"E": fmt.Sprint(e), "N": fmt.Sprint(n), "T": element}
					text := regexp.MustCompile(`\b[ENT]\b`).ReplaceAllStringFunc(program+body+"\n}", func(word string) string { return words[word] })
					t.Run(fmt.Sprint(name, " ", element, " ", e, " of ", n), func(t *testing.T) {
						p := readProgram(t, text)
						tree, err := standard.Default(p.f, machine)
						if err != nil || tree.Fallback != nil {
							t.Fatal(err, tree.Fallback)
						}
						if lanes := strings.Contains(schedule.Print(tree), "place u private"); lanes != (element == "float64" || e == 64) {
							t.Errorf("vectors of elements: %v\n%s", lanes, schedule.Print(tree))
						}
						verify(t, p, tree, nil, evaluate)
					})
				}
			}
		}
	}
}
