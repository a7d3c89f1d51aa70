package sketch

import (
	"fmt"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
)

// TestPaper records for the rows of the figures of Tensor Comprehensions, at the paper's sizes, how many launches are chosen, by which
// rules, and what the model says of them.
func TestPaper(t *testing.T) {
	goldentest.Run(t, "testdata/paper/*.txtar", "launches", 1, func(t *testing.T, inputs []string) string {
		c, err := Choose(function(t, inputs[0]), processor(t, "a100"), nil)
		if err != nil {
			t.Fatal(err)
		}
		sum, lines := 0.0, ""
		for _, l := range c.Launches {
			sum += l.Seconds
			lines += fmt.Sprintf("%s: %s, %s\n", l.statements(), l.Rule, estimate.Duration(l.Seconds))
		}
		return fmt.Sprintf("a100: %d, %s\n%s", len(c.Launches), estimate.Duration(sum), lines)
	})
}
