package schedule

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
)

// changesInTurn is a function of n statements that change one tensor in turn; some read it shifted,
// or write a part of it.
func changesInTurn(t testing.TB, n int, plain bool) *ein.Func {
	var b strings.Builder
	b.WriteString("func f {\n  size N = dim 0 of A\n  in A: float32[N]\n  out B: float32[N]\n  for i in 0:N {\n    B[i] = A[i]\n  }\n")
	for k := range n {
		from, at := "0:N", "i"
		if !plain && k%3 == 1 {
			from, at = "1:N - 1", "i"
		}
		if !plain && k%4 == 2 {
			from, at = "0:N - 1", "i + 1i64"
		}
		fmt.Fprintf(&b, "  for i in %s {\n    B[%s] = B[%s] * A[i]\n  }\n", from, at, at)
	}
	return parseFunc(t, b.String()+"}\n")
}

// Pairs that others imply are not looked at: there are as many as statements, not as their square.
func TestImpliedPairs(t *testing.T) {
	count := func(n int) int { f := changesInTurn(t, n, true); return len(withoutImplied(dependencesOf(f), f)) }
	few, many := count(20), count(80)
	if all := len(dependencesOf(changesInTurn(t, 80, true))); many > 5*few || many >= all {
		t.Errorf("%d pairs for 20 statements, %d for 80, of %d", few, many, all)
	}
}

// Verdicts are those of all pairs, for sequences in any order.
func TestImpliedVerdicts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	legal, illegal := 0, 0
	for round := range 300 {
		f := changesInTurn(t, 5, round%2 == 0)
		tree := Canonical(f)
		sequence, isSequence := tree.Root.(*Sequence)
		if !isSequence {
			t.Fatalf("the order of the program is no sequence:\n%s", Print(tree))
		}
		for swaps := random.IntN(3); swaps > 0; swaps-- {
			a, b := random.IntN(len(sequence.Children)), random.IntN(len(sequence.Children))
			sequence.Children[a], sequence.Children[b] = sequence.Children[b], sequence.Children[a]
		}
		c := newChecker(f, tree)
		for _, d := range dependencesOf(c.f) {
			c.dependence(d)
		}
		all := c.errs.HasErrors()
		if few := Broken(f, tree) != nil; few != all {
			t.Fatalf("all pairs: broken %v, without the implied ones: %v\n%s", all, few, Print(tree))
		}
		if all {
			illegal++
		} else {
			legal++
		}
	}
	if legal < 50 || illegal < 50 {
		t.Errorf("%d legal and %d illegal orders", legal, illegal)
	}
}
