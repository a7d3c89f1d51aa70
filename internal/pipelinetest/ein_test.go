package pipelinetest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target/c"
)

var first = flag.Uint64("first", 0, "the seed of the first random program")

// perUnit is how many programs share a C file.
const perUnit = 5

func compiler(t testing.TB) *pipelinetest.Compiler {
	t.Helper()
	k, err := pipelinetest.NewCompiler(context.Background())
	if err != nil {
		t.Skip(err)
	}
	if k.Witness, err = pipelinetest.NewWitness(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Witness.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// einCase draws a case for a seed.
func einCase(seed uint64) (*pipelinetest.Case, error) {
	from := pipelinetest.Seeded(seed)
	one := &pipelinetest.Case{Name: fmt.Sprintf("seed%d", seed)}
	drawn := rapid.Custom(func(t *rapid.T) *ein.Func {
		f := eintest.FuncWith(t, eintest.Options{Statements: from.Between(1, 5)})
		one.Sizes = eintest.Sizes(t)
		return f
	})
	one.Func = drawn.Example(int(seed))
	if err := ein.Verify(one.Func); err != nil {
		return one, err
	}
	if from.OneIn(4) { // long enough for vectors and tiles
		one.Sizes["N"], one.Sizes["M"] = int64(from.Between(3, 20)), int64(from.Between(3, 20))
	}
	var err error
	if one.Args, err = eintest.Arguments(seed, one.Func, one.Sizes); err != nil {
		return one, err
	}
	if err := one.DrawSetting(from); err != nil {
		return one, err
	}
	return one, one.Prepare(from)
}

// TestEinPrograms takes random functions of ein to native code.
func TestEinPrograms(t *testing.T) {
	k := compiler(t)
	units := sweep.Draws(t, 4, 56) // of every width of vectors
	if testing.Short() {
		units = 1
	}
	for unit := range units {
		var cases []*pipelinetest.Case
		for n := range perUnit {
			one, err := einCase(*first + uint64(unit*perUnit+n))
			if err != nil {
				t.Errorf("%v\n%s", err, one)
				continue
			}
			cases = append(cases, one)
		}
		run(t, k, cases, unit)
	}
}

// runUnits draws cases from one seed after the other, some for each unit, which one run of the C compiler
// takes to native code, and runs them. A draw gets the number of the case in its unit, and may come to nothing.
func runUnits(t *testing.T, each int, draw func(seed uint64, number int) *pipelinetest.Case) {
	t.Helper()
	k, units, seed := compiler(t), sweep.Draws(t, 4, 56), *first
	if testing.Short() {
		units = 1
	}
	for unit := range units {
		var cases []*pipelinetest.Case
		for ; len(cases) < each; seed++ {
			if one := draw(seed, len(cases)); one != nil {
				cases = append(cases, one)
			}
		}
		run(t, k, cases, unit)
	}
	t.Logf("%d programs drawn, %d run", seed-*first, units*each)
}

// run compiles and judges cases that were drawn.
func run(t *testing.T, k *pipelinetest.Compiler, cases []*pipelinetest.Case, unit int) {
	t.Helper()
	for _, f := range failures(t, k, cases, unit, drawn) {
		t.Errorf("%v\n%s", f.Err, f.Case)
	}
}

// runFixed is run for cases of programs that stand in the tests.
func runFixed(t *testing.T, k *pipelinetest.Compiler, cases []*pipelinetest.Case) {
	t.Helper()
	for _, f := range failures(t, k, cases, 0, fixed) {
		t.Errorf("%v\n%s", f.Err, f.Case)
	}
}

// An origin of cases says what it means if a compiler does not come to an end.
type origin uint8

const (
	drawn origin = iota // nothing: how long a compiler takes for what nobody has seen is no test
	fixed               // a failure: it has come to an end before
)

// failures are the cases that go wrong; of a unit that the compiler refuses it finds the
// functions that are to blame.
func failures(t *testing.T, k *pipelinetest.Compiler, cases []*pipelinetest.Case, unit int, from origin) (list []pipelinetest.Failure) {
	t.Helper()
	options := c.Options{Parallel: c.Pool, VectorBytes: []int{0, 16, 32, 64}[unit%4]}
	list, err := k.Run(context.Background(), cases, options)
	if err != nil && len(cases) > 1 {
		for _, one := range cases {
			list = append(list, failures(t, k, []*pipelinetest.Case{one}, unit, from)...)
		}
		return list
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded) && from == drawn:
		t.Logf("%v\n%s", err, cases[0])
	case err != nil:
		list = append(list, pipelinetest.Failure{Case: cases[0], Err: err})
	}
	return list
}
