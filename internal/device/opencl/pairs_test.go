package opencl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/device/devicetest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/items"
	target_opencl "github.com/ricci-lang/ricci/internal/target/opencl"
)

// eachPair calls back with the loops, the arguments and the text of functions under schedules that are written by hand, and of a number of
// drawn functions under drawn legal schedules with items.
func eachPair(t *testing.T, count int, do func(p scheduletest.Pair, f *loop.Func, words []loop.Word, text string)) {
	t.Helper()
	list, err := scheduletest.Worked()
	if err != nil {
		t.Fatal(err)
	}
	one := func(seed int, p scheduletest.Pair) (done bool) {
		f, proved, err := p.Lower()
		if err != nil {
			t.Fatal(err)
		}
		if !proved || !p.HasItems() || lacks(f) {
			return false
		}
		f.Name = strings.ReplaceAll(fmt.Sprintf("pair%d", seed), "-", "_")
		words, _, err := p.Words(f)
		if err != nil {
			t.Fatal(err)
		}
		m, err := (target_opencl.Target{}).Print(f, target.Options{Numerics: numerics.Strict})
		if err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
		do(p, f, words, m.Code)
		return true
	}
	for n, p := range list {
		one(-1-n, p)
	}
	for seed := 0; count > 0; seed++ {
		if p, ok := scheduletest.PairOf(seed); ok && one(seed, p) {
			count--
		}
	}
}

// TestPairs compares drawn functions under drawn schedules with the evaluator of loops, bit for bit; what depends on functions, of which the text
// and the evaluator have other last bits, with the reference evaluator, up to their documented errors.
func TestPairs(t *testing.T) {
	d := opened(t)
	eachPair(t, sweep.Draws(t, 8, 600), func(p scheduletest.Pair, f *loop.Func, words []loop.Word, text string) {
		within := func(got []loop.Word) error { return p.Within(f, got) }
		if err := devicetest.CompareBut(t.Context(), d, f, &target.Module{Code: text, Symbol: items.Symbol(f.Name)}, words, looptest.ByFunctions(f), within); err != nil {
			t.Errorf("%s: %v\n%s\n%s\n%s", f.Name, err, p, loop.Print(f), text)
		}
	})
}
