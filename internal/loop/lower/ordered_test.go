package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
)

// drawFolds draws a reduction over two or three indices by operators most of which are
// neither associative nor commutative, with rows and scans between them: a fold of folds
// is another number then than one fold over all points.
func drawFolds(t *rapid.T) string {
	operators := map[string]string{
		"less":   "(l: float64 | r: float64) = (l - r)",
		"smooth": "(l: float64 | r: float64) = ((0.75f64 * l) + (0.25f64 * r))",
		"last":   "(l: float64 | r: float64) = (r) associative",
		"halved": "(l: float64 | r: float64) = ((l + r) * 0.5f64) commutative",
		"far":    "(l: float64 | r: float64) = (max(l, r)) associative commutative",
	}
	var used, indices, places, sizes []string
	reduced, kept := 0, 0
	draw := func(name string, list ...string) string { return rapid.SampledFrom(list).Draw(t, name) }
	for n := 0; reduced < 2 || n < 3; n++ {
		index, size := fmt.Sprintf("i%d", n), fmt.Sprint(rapid.IntRange(1, 4).Draw(t, "size"))
		kind := draw("kind", "reduce", "reduce", "reduce", "scan", "")
		if n >= 3 {
			kind = "reduce"
		}
		text := index + " in 0:" + size
		if kind == "reduce" {
			reduced++
		} else {
			kept++
			places = append(places, index)
		}
		if kind != "" {
			operator := draw("operator", "less", "smooth", "last", "halved", "far", "+")
			if len(used) > 0 && rapid.Bool().Draw(t, "the same") {
				operator = used[len(used)-1]
			}
			used = append(used, operator)
			text += " " + kind + " " + operator
		}
		indices, sizes = append(indices, text), append(sizes, size)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func f {\n  in A: float64[%s]\n", strings.Join(sizes, ", "))
	var shape, all []string
	for n, text := range indices {
		all = append(all, fmt.Sprintf("i%d", n))
		if !strings.Contains(text, "reduce") {
			shape = append(shape, sizes[n])
		}
	}
	fmt.Fprintf(&b, "  out X: float64[%s]\n", strings.Join(shape, ", "))
	declared := map[string]bool{"+": true}
	for _, o := range used {
		if !declared[o] {
			fmt.Fprintf(&b, "  op %s%s\n", o, operators[o])
		}
		declared[o] = true
	}
	fmt.Fprintf(&b, "  for %s {\n    X[%s] = A[%s]\n  }\n}\n", strings.Join(indices, ", "), strings.Join(places, ", "), strings.Join(all, ", "))
	return b.String()
}

// exchanged is the canonical tree of a function with the loops over what is reduced in a
// random order, which may be illegal.
func exchanged(t *rapid.T, f *ein.Func) *schedule.Tree {
	tree := schedule.Canonical(f)
	node := tree.Root
	for {
		if a, ok := node.(*schedule.Accumulate); ok {
			b := a.Child.(*schedule.Band)
			b.Members = rapid.Permutation(b.Members).Draw(t, "loops")
			if rapid.Bool().Draw(t, "shared") {
				a.Region = schedule.Shared
			}
			return tree
		}
		node = schedule.Children(node)[0]
	}
}

// TestFoldsOfFolds compares reductions in a fixed order with the reference evaluator.
func TestFoldsOfFolds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := drawFolds(r)
		f, err := ein.ParseFunc("test", text)
		if err != nil {
			r.Fatalf("%v\n%s", err, text)
		}
		m := &machine.Processor{VectorBytes: 16, VectorRegisters: 16, L1: 1 << 10, L2: 1 << 12, L3: 1 << 14, Cores: rapid.SampledFrom([]int{1, 4}).Draw(r, "cores")}
		tree, err := standard.Default(f, m)
		if err != nil {
			r.Fatalf("%v\n%s", err, text)
		}
		if rapid.Bool().Draw(r, "canonical") {
			tree = schedule.Canonical(f)
			if other := exchanged(r, f); schedule.Check(f, other) == nil {
				tree = other
			}
		}
		verify(t, newProgram(f, map[string]int64{}), tree, map[string]bool{}, evaluate)
		if t.Failed() {
			r.Fatalf("%s\n%s", text, schedule.Print(tree))
		}
	})
}

// TestEmptyFolds folds over ranges that may be empty, of sizes that are not known to the kernel: where
// there is no value the result is what the evaluator says.
func TestEmptyFolds(t *testing.T) {
	for _, loops := range []string{
		"i in 0:N reduce times or empty, j in 0:M",
		"j in 0:M, i in 0:N reduce times or empty",
		"j in 0:M, i in 0:N reduce times or empty, k in 0:K reduce times or empty",
		"j in 0:M, i in 0:N reduce times or empty, k in 0:K reduce grown or empty",
		"j in 0:M, i in 0:N reduce grown or empty, k in 1:K - 1 reduce times or empty",
		"j in 0:M, i in 0:N reduce + ordered or empty, k in 0:K reduce times or empty",
		"j in 0:M, i in 0:N reduce times or empty accumulate times",
	} {
		for n := range 12 {
			sizes := map[string]int64{"N": int64(n % 3), "K": int64(n / 3 % 2 * 2), "M": int64(1 + n/6*4)}
			role, a := "out", "Z[i]"
			if strings.Contains(loops, "k in") {
				a = "A[i, k, j]"
			}
			if strings.Contains(loops, "accumulate") {
				role = "inout"
			}
			p := readProgram(t, fmt.Sprintf(`
func folds {
  size N = dim 0 of A or zero
  size K = dim 1 of A or zero
  size M = dim 2 of A
  in A: float64[N, K, M]
  in Z: float64[N]
  %s X: float64[M]
  op times(l: float64 | r: float64) = (l * r) identity (1f64)
  op grown(l: float64 | r: float64) = (l + r + l * r) identity (0f64)
  for %s { X[j] = %s }
}`, role, loops, a))
			p.sizes = sizes
			tree := schedule.Canonical(p.f)
			for _, keep := range []map[string]bool{{}, {"N": true, "K": true, "M": true}} {
				verify(t, p, tree, keep, evaluate)
			}
			if t.Failed() {
				t.Fatalf("sizes %v\n%s", sizes, p.f)
			}
		}
	}
}
