package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestOrdersAreExact compares which loops keep a fixed order of reduction with a test of
// all pairs of points that have one result.
func TestOrdersAreExact(t *testing.T) {
	kept, broke := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		draw := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "kind") }
		j, k, x, exchanged := "", "", "i", false
		switch draw("folds", "scan", "exchanged") {
		case "folds":
			j, k = "reduce "+draw("less", "less", "max"), "reduce "+draw("less", "+")
		case "scan":
			k, x = "scan +", "i, j, k"
		default:
			j, k, x, exchanged = "scan max", "scan max", "i, j, k", true
			switch draw("scans", "fold outside", "fold inside") {
			case "fold outside":
				j, x = "reduce max", "i, k"
			case "fold inside":
				k, x = "reduce max", "i, j"
			}
		}
		text := fmt.Sprintf(`func f {
  in A: float64[%[1]d, %[1]d, %[1]d]
  out X: float64[%[2]s]
  op less(l: float64 | r: float64) = (l - r)
  for i in 0:%[1]d, j in 0:%[1]d %[3]s, k in 0:%[1]d %[4]s { X[%[5]s] = A[i, j, k] }
}`, extent, strings.Join(slices.Repeat([]string{fmt.Sprint(extent)}, strings.Count(x, ",")+1), ", "), j, k, x)
		f, err := ein.ParseFunc("test", text)
		if err != nil {
			t.Fatal(err)
		}
		tree := newTree(f)
		var members []*Member
		for _, i := range f.Body[0].Indices {
			loops := []Loop{{Statement: 0, Index: i.Name}}
			members = append(members, &Member{Loops: loops, Tile: 1, Reverse: rapid.IntRange(0, 9).Draw(t, "reverse") == 0})
			if rapid.Bool().Draw(t, "tiled") {
				members = append(members, &Member{Loops: loops, Tile: rapid.Int64Range(2, extent).Draw(t, "tile")})
			}
		}
		order := slices.Clone(members) // of the program, blocks outside, or any other
		slices.SortStableFunc(order, func(a, b *Member) int { return int(b.Tile - a.Tile) })
		order = rapid.SampledFrom([][]*Member{order, rapid.Permutation(members).Draw(t, "order")}).Draw(t, "either")
		rapid.SampledFrom(order).Draw(t, "parallel").Parallel = len(ein.Reduced(f.Body[0])) > 1 && rapid.Bool().Draw(t, "some parallel")
		tree.Root = &Accumulate{Region: Shared, Child: &Band{Members: order, Child: &Leaf{}}}

		wrong := isDisordered(tree, f, "j", "k")
		if exchanged {
			wrong = wrong && isDisordered(tree, f, "k", "j")
		}
		var list source.ErrorList
		err = Check(f, tree)
		switch refused := errors.As(err, &list) && list[0].Code == source.ScheduleIllegal; {
		case refused != wrong:
			t.Fatalf("the order is broken: %t, but: %v\n%s\n%s", wrong, err, f, Print(tree))
		case wrong:
			broke++
		case err == nil:
			kept++
		}
	})
	t.Logf("%d kept, %d broken", kept, broke)
}

// isDisordered reports whether a tree runs two points of one result in another order than
// that of the two last indices, outer and inner.
func isDisordered(tree *Tree, f *ein.Func, outer, inner string) (wrong bool) {
	result := Access{Tensor: f.Tensor("X")}
	concat := f.Body[0].Indices[1].Combine.Kind == ein.Concat
	points(f.Body[0], func(x map[string]int64) {
		first, _ := moments(tree, f, 0, x, false)
		for a := x[outer]; a < extent; a++ {
			for b := range int64(extent) {
				if a == x[outer] && b <= x[inner] || a > x[outer] && concat {
					continue
				}
				second, _ := moments(tree, f, 0, map[string]int64{"i": x["i"], outer: a, inner: b}, false)
				wrong = wrong || broken(result, result, first, second, nowhere)
			}
		}
	})
	return wrong
}

// TestCombinedIn has a scan and an empty fold with one operator: whichever loop is outside,
// the fold is combined inside of the scan, where it needs no accumulator for every position.
func TestCombinedIn(t *testing.T) {
	f := parseFunc(t, `
func prefix {
  size K = dim 0 of X
  in X: float32[K]
  out S: float32[K]
  for i in 0:K scan +, k in 0:0 reduce + or empty { S[i] = X[i] }
}`)
	for _, text := range []string{"band S0.i | S0.k", "band S0.k | S0.i"} {
		tree, err := Parse("domain S0[i, k]\naccumulate S0 register\n  " + text + "\n")
		if err != nil {
			t.Fatal(err)
		}
		if order := CombinedIn(tree.Root, 0, f.Body[0]); order[0].Name != "i" {
			t.Errorf("%s: the first is %s", text, order[0].Name)
		}
	}
}
