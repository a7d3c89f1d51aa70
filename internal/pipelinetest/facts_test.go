package pipelinetest_test

import (
	"fmt"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang/tc"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// guardedCase draws a program whose conditions keep its accesses in bounds; nil when it is not accepted.
func guardedCase(t *testing.T, seed uint64) *pipelinetest.Case {
	from := pipelinetest.Seeded(seed)
	text := pipelinetest.DrawGuarded(from, from.OneIn(4))
	defer reportPanic(t, text)
	sizes := map[string]int64{"N": int64(from.Between(1, 40)), "M": int64(from.Between(1, 9))}
	one := templateCase(t, from, seed, text, sizes)
	if one == nil {
		return nil
	}
	one.Name = fmt.Sprintf("guarded%d", seed)
	if from.OneIn(5) { // as where the loops are not proved
		one.Func = rewrite.AddTests(one.Func)
	}
	if err := one.DrawSetting(from); err != nil {
		t.Fatalf("%v\n%s", err, one)
	}
	prepare := one.PrepareDefault
	if from.OneIn(3) {
		prepare = func() error { return one.Prepare(from) }
	}
	if err := prepare(); err != nil {
		t.Errorf("%v\n%s", err, one)
		return nil
	}
	return one
}

// TestGuarded takes programs to native code whose conditions keep their accesses in bounds.
func TestGuarded(t *testing.T) {
	runUnits(t, perUnit, func(seed uint64, _ int) *pipelinetest.Case { return guardedCase(t, seed) })
}

// TestGuardedIsProved counts the drawn programs whose conditions are enough that are refused or tested while
// running, since no proof is found.
func TestGuardedIsProved(t *testing.T) {
	drawn := sweep.Draws(t, 200, 4000)
	refused, tested := 0, 0
	for seed := range uint64(drawn) {
		text := pipelinetest.DrawGuarded(pipelinetest.Seeded(seed), false)
		_, diags := tc.Compile(source.NewFile("random.tc", text), tc.Options{})
		if diags.HasErrors() {
			refused++
			t.Logf("%s%v", text, diags.Err())
		}
		for _, d := range diags.List {
			if d.Code == source.CodeUnproved {
				tested++
				t.Logf("%s%s", text, d.Message)
				break
			}
		}
	}
	if 100*refused > drawn || 50*tested > drawn {
		t.Error("too many proofs are not found")
	}
	t.Logf("of %d programs %d are refused, %d tested", drawn, refused, tested)
}
