package pipelinetest_test

import (
	"fmt"
	"testing"

	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestPrepare draws many more programs and schedules than are compiled: those of which
// the loop verifier cannot tell that they stay in bounds are defects, too.
func TestPrepare(t *testing.T) {
	n := uint64(sweep.Draws(t, 50, 500))
	if testing.Short() {
		n = 10
	}
	for seed := *first; seed < *first+n; seed++ {
		tcCase(t, fmt.Sprintf("seed%d", seed), pipelinetest.Seeded(seed))
		if one, err := einCase(seed); err != nil {
			t.Errorf("%v\n%s", err, one)
		}
	}
}
