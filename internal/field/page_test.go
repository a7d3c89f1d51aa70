package field

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/tensor"
)

const page = "../../docs/ein.md"

// TestRulesOnPage keeps the table of laws in the documents.
func TestRulesOnPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n| no. | law | passes |\n|---|---|---|\n")
	for n, r := range Rules() {
		if n > 0 && r.Law == Rules()[n-1].Law {
			continue // for another function
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.Number, strings.ReplaceAll(r.Law, "|", "\\|"), r.Passes())
	}
	goldentest.Section(t, page, "rules", b.String()+"\n")
}

// expanded is the normal form of a derivative of a study, what was counted, and what it expands to.
func (s study) expanded(t *testing.T, order int, options NormaliseOptions) (Counters, *Expansion, error) {
	b := newBuilder(t)
	normal, counters, err := b.Normalise(b.probe(b.nth(order, s.field(b))), options)
	if err != nil {
		return counters, nil, err
	}
	expansion, err := Expand([]*Operator{normal}, bound(tensor.Float64, normal))
	return counters, expansion, err
}

// TestSizesOnPage keeps the table of sizes in the documents. Rules keep derivatives along i and j what they are along j and i,
// so the Hessian of whatever field has 6 components that are computed, not 9, and the third derivative 10, not 27.
func TestSizesOnPage(t *testing.T) {
	different := []int{1, 3, 6, 10}
	var b strings.Builder
	b.WriteString("\n| field | derivative | rewritings | fused, a tree | normal, a tree | terms | operations | unshared |\n|---|---|---|---|---|---|---|---|\n")
	for _, study := range studies {
		for order := range study.orders(newBuilder(t)) + 1 {
			counters, expansion, err := study.expanded(t, order, NormaliseOptions{})
			if err != nil {
				t.Fatal(err)
			}
			last := counters.Points[len(counters.Points)-1]
			fmt.Fprintf(&b, "| %s | %d | %d | %.0f | %.0f | %d | %d | %.0f |\n", study.name, order, counters.Steps, counters.Points[0].Tree, last.Tree, last.Distinct, expansion.Shared, expansion.Trees)
			seen := map[string]bool{}
			for _, r := range expansion.Results[0] {
				seen[ein.PrintExpr(r)] = true
			}
			if len(seen) != different[order] {
				t.Errorf("derivative %d of %s has %d different components, want %d", order, study.name, len(seen), different[order])
			}
		}
	}
	goldentest.Section(t, page, "sizes", b.String()+"\n")
}

// TestPointsOnPage keeps an example of the sizes on the way in the documents.
func TestPointsOnPage(t *testing.T) {
	mode := studies[len(studies)-1]
	counters, expansion, err := mode.expanded(t, 2, NormaliseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(counters.Table(expansion)), "\n")
	goldentest.Section(t, page, "points", "\n    "+strings.Join(lines, "\n    ")+"\n\n")
}

// TestTechniquesOnPage keeps the table of what techniques are worth in the documents.
func TestTechniquesOnPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n| field | derivative | rewritings | without sharing | operations | without ε-δ | without binding |\n|---|---|---|---|---|---|---|\n")
	for _, study := range studies {
		order := min(2, study.orders(newBuilder(t)))
		if !slices.Contains([]string{"det", "helicity", "mode"}, study.name) {
			continue // they say nothing more
		}
		counters, expansion, err := study.expanded(t, order, NormaliseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		row := fmt.Sprintf("| %s | %d | %d |", study.name, order, counters.Steps)
		naive, _, err := study.expanded(t, order, NormaliseOptions{Without: Sharing, Fuel: 200_000})
		switch {
		case errors.Is(err, ErrFuel):
			row += " more than 200000 |"
		case err != nil:
			t.Fatal(err)
		default:
			row += fmt.Sprintf(" %d |", naive.Steps)
		}
		row += fmt.Sprintf(" %d |", expansion.Shared)
		for _, technique := range []Technique{Epsilons, SumBinding} {
			_, without, err := study.expanded(t, order, NormaliseOptions{Without: technique})
			if err != nil {
				t.Fatal(err)
			}
			row += fmt.Sprintf(" %d |", without.Shared)
		}
		b.WriteString(row + "\n")
	}
	goldentest.Section(t, page, "techniques", b.String()+"\n")
}
