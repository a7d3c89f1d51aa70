package field

import (
	"fmt"
	"slices"
	"strings"
)

// A Rule is a law of the calculus of real fields, read from left to right. Numbers up to R48 are those of Ricci's reading
// of the paper, which numbers none; the paper has no rule for those from R49 on.
type Rule struct {
	Number string
	Law    string

	on      Op    // the kind of term that it rewrites
	phases  phase // when it is used
	epsilon bool  // it belongs to the ε-δ rules, which can be left out

	// apply returns what the term becomes, nil where the law says nothing. The parts of the term are normal. A rule without
	// it holds by construction: terms to which it would apply do not exist.
	apply func(n *normaliser, t *Term) *Term
}

// A phase is a set of passes in which a rule is used.
type phase uint8

const (
	prepare       phase = 1 << iota // the field as written: what is linear, and ε-δ
	differentiate                   // derivatives and probes
	reduce                          // ε-δ
	bind                            // sums
	always        = prepare | differentiate | reduce | bind
)

// Passes names the passes of Normalise in which the rule is used by their numbers; those that hold by construction are used
// in none.
func (r *Rule) Passes() string {
	if r.phases == always {
		return "all"
	}
	text := ""
	for n := range 4 {
		if r.phases&(1<<n) != 0 {
			text += fmt.Sprintf(" %d", n+1)
		}
	}
	return strings.TrimSpace(text)
}

// Rules lists the rules.
func Rules() []*Rule { return slices.Clone(ruleTable) }

// ruleTable has all rules; of those that rewrite a kind of term the first that applies is taken.
var ruleTable = tabulate(probeRules, derivativeRules, algebraRules, epsilonRules, sumRules)

func tabulate(tables ...[]Rule) []*Rule {
	var list []*Rule
	for _, table := range tables {
		for _, r := range table {
			if r.apply == nil {
				r.phases = 0
			}
			list = append(list, &r)
		}
	}
	return list
}
