package field

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/goldentest"
)

// companions are rules without which another says nothing.
var companions = map[string][]string{"R33": {"R32", "R52"}}

// TestRules applies each rule alone to operators, as often as it can be: testdata/rules has a pair for each number.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	goldentest.Run(t, "testdata/rules/*.txtar", "after", 1, func(t *testing.T, inputs []string) string {
		number := t.Name()[strings.LastIndex(t.Name(), "/")+1:]
		seen[number] = true
		var rules []*Rule
		for _, r := range ruleTable {
			if r.Number == number || slices.Contains(companions[number], r.Number) {
				rules = append(rules, r)
			}
		}
		if len(rules) == 0 {
			t.Fatalf("there is no rule %s", number)
		}
		var after strings.Builder
		for _, line := range strings.Split(strings.TrimSpace(inputs[0]), "\n") {
			s := NewStore()
			o, err := s.ParseOperator(line)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			n := newNormaliser(s, rules, always, NormaliseOptions{})
			n.table = ruleTable // what is compared for its cost
			fmt.Fprintln(&after, s.Operator(o.Shape, n.term(o.Body)))
		}
		return after.String()
	})
	for _, r := range ruleTable {
		if !seen[r.Number] && r.Number != "R47" && r.Number != "R48" {
			t.Errorf("rule %s has no pair in testdata/rules", r.Number)
			seen[r.Number] = true
		}
	}
}

// linesOfRules are the operators of testdata/rules before they are rewritten.
func linesOfRules(t *testing.T) (lines []string) {
	paths, err := filepath.Glob("testdata/rules/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Split(strings.TrimSpace(string(archive.Files[0].Data)), "\n")...)
	}
	return lines
}

// TestEpsilonPairs compares the law of two ε with what they are, for all places of the shared index.
func TestEpsilonPairs(t *testing.T) {
	for _, dim := range []int{2, 3} {
		for place := range dim * dim {
			s := NewStore()
			n := newNormaliser(s, ruleTable, reduce, NormaliseOptions{})
			shared, axes := s.Fresh(dim), Axes(0, slices.Repeat([]int{dim}, 2*dim-2))
			x := slices.Insert(slices.Clone(axes[:dim-1]), place%dim, shared)
			y := slices.Insert(slices.Clone(axes[dim-1:]), place/dim, shared)
			shape := slices.Repeat([]int{dim}, len(axes))
			given := s.Operator(shape, s.Sum([]Index{shared}, s.Mul(s.Epsilon(x...), s.Epsilon(y...))))
			made := s.Operator(shape, n.deltasFor(rotate(x, place%dim), rotate(y, place/dim), (place%dim+place/dim)*(3-dim), nil, nil))
			components(shape, func(alpha []int) {
				want, err := Evaluate(Floats{}, line{}, given, alpha...)
				got, wrong := Evaluate(Floats{}, line{}, made, alpha...)
				if err != nil || wrong != nil || got != want {
					t.Errorf("%s is %g at %v, not %g as %s", made, got, alpha, want, given)
				}
			})
		}
	}
}
