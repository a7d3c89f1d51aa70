package schedule_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestVerdictsOfTheCorpus records which drawn changes of schedules are legal. That what is accepted
// computes the right thing is what other tests ask, and that a few trees are refused for the right
// reason; that nothing legal is refused is seen here. Legal ones are marked by an l.
func TestVerdictsOfTheCorpus(t *testing.T) {
	var out strings.Builder
	err := pipelinetest.Corpus(12, func(sample pipelinetest.Sample) {
		one := &pipelinetest.Case{Func: sample.Func, Sizes: sample.Sizes}
		if !one.DrawArguments(sample.From, 5000) {
			return
		}
		f, err := one.Func.Specialise(one.Sizes, nil)
		if err != nil {
			t.Fatal(err)
		}
		from := pipelinetest.Seeded(sample.Seed() + 1000)
		verdicts := ""
		for n := range 24 {
			tree := schedule.Canonical(f)
			for range 1 + n%3 {
				tree = pipelinetest.Change(from, f, tree)
			}
			if schedule.Check(f, tree) == nil {
				verdicts += "l"
			} else {
				verdicts += "."
			}
		}
		fmt.Fprintf(&out, "%s %s\n", verdicts, sample.Name)
	})
	if err != nil {
		t.Fatal(err)
	}
	goldentest.Text(t, "testdata/verdicts.txt", out.String())
}
