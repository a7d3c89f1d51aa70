package schedule

import (
	"errors"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
)

// TestOneMisfit checks that what follows from a misfit is not reported, too.
func TestOneMisfit(t *testing.T) {
	const sums = `
func sums {
  in A: float32[8, 8]
  out B: float32[8]
  out C: float32[8]
  OPERATOR
  for i in 0:8, k in 0:8 reduce FOLD { B[i] = A[i, k] }
  for i in 0:8, k in 0:8 reduce FOLD { C[i] = A[k, i] }
}`
	plain := strings.NewReplacer("OPERATOR", "", "FOLD", "+").Replace(sums)
	own := strings.NewReplacer("OPERATOR", "op most(a: float32 | b: float32) = (a > b ? a : b) associative commutative", "FOLD", "most").Replace(sums)
	const scanned = "func scanned {\n  in A: float32[8, 8]\n  out B: float32[8]\n  for k in 0:8 reduce +, i in 0:8 scan + { B[i] = A[i, k] }\n}"
	const domain, second = "domain S0[i, k]; S1[i, k]\n", "\n  filter S1\n    band S1.i\n      accumulate S1 register\n        band S1.k\n"
	for _, test := range []struct{ name, text, tree, message string }{
		{"no accumulators", plain, domain + "sequence\n  filter S0\n    band S0.k | S0.i" + second, "such as: accumulate S0 register"},
		{"a point missing", plain, domain + "sequence\n  filter S0\n    band S0.i tile 4\n      accumulate S0 register\n        band S0.k" + second, "index i of S0 is not enumerated to its points: a loop over it"},
		{"a domain", plain, "domain S0[i]\nband S0.i", "the domain of the schedule is not that of sums"},
		{"no identity", own, domain + "sequence\n  filter S0\n    band S0.i\n      accumulate S0 output\n        band S0.k" + second, "the operator most has no identity, from which they would start"},
		{"coincident", plain, domain + "sequence\n  filter S0\n    band S0.i\n      accumulate S0 register\n        band S0.k coincident" + second, "k is reduced by S0, whose iterations combine their results: the loop is not coincident"},
		{"a scan that moves", scanned, "domain S0[k, i]\naccumulate S0 register\n  band S0.k | S0.i+1*k", "the places of what it carries do not follow from its coordinate"},
	} {
		f := parseFunc(t, test.text)
		tree, err := Parse(test.tree)
		if err != nil {
			t.Fatal(err)
		}
		var list source.ErrorList
		if err := Check(f, tree); !errors.As(err, &list) || len(list) != 1 || !strings.Contains(list[0].Message, test.message) {
			t.Errorf("%s: got %v", test.name, err)
		} else if text := list.Error(); strings.Contains(text, "leaf") {
			t.Errorf("%s: a leaf stands in no text: %s", test.name, text)
		}
	}
}
