package pipelinetest_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/tensor"
)

// familyCase draws a program that the scheduler has a maker for, with sizes about
// the borders of tiles; nil when nothing can be run.
func familyCase(t testing.TB, seed uint64, work int64) *pipelinetest.Case {
	t.Helper()
	from := pipelinetest.Seeded(seed)
	text, env := pipelinetest.DrawFamily(from, work)
	defer reportPanic(t, text)
	one := templateCase(t, from, seed, text, env)
	if one == nil {
		return nil
	}
	one.Name = fmt.Sprintf("family%d", seed)
	if err := one.DrawSetting(from); err != nil {
		t.Fatalf("%v\n%s", err, one)
	}
	if err := one.Prepare(from); err != nil {
		t.Errorf("%v\n%s", err, one)
		return nil
	}
	return one
}

// reportPanic says with which program a panic came. It is deferred.
func reportPanic(t testing.TB, text string) {
	if r := recover(); r != nil {
		t.Fatalf("%v\n%s", r, text)
	}
}

// templateCase compiles a program and draws arguments; nil when nothing can be run.
func templateCase(t testing.TB, from *pipelinetest.Choices, seed uint64, text string, sizes map[string]int64) *pipelinetest.Case {
	t.Helper()
	one := &pipelinetest.Case{Text: text, Args: map[string]*tensor.Tensor{}}
	if one.Func = compile(t, pipelinetest.Program{Text: text}); one.Func == nil {
		return nil
	}
	shapes := bindSizes(t, one, sizes)
	if shapes == nil {
		return nil
	}
	special, wide := from.OneIn(6), from.OneIn(2)
	for n, x := range one.Func.ByRole(ein.Input, ein.InOut) {
		a := argument(t, x, shapes[x.Name], seed+uint64(n))
		one.Args[x.Name] = a
		if wide && x.Type.IsInteger() && x.Name != "J" {
			anyBits(a, seed+uint64(n))
		}
		if special && x.Type.IsFloat() && a.Len() > 0 {
			list := a.Shape()
			for i := range list {
				list[i] = from.Below(list[i])
			}
			a.SetFloat(pipelinetest.Pick(from, math.NaN(), math.Inf(1), math.Inf(-1)), list...)
		}
	}
	if takesSize(one.Func, "s") {
		one.Args["s"].SetInt(sizes["s"])
	}
	return one
}

// anyBits fills an array with any numbers of its type, the ends of the type among them.
func anyBits(a *tensor.Tensor, seed uint64) {
	r, bits := rand.New(rand.NewPCG(seed, 5)), uint(8*a.DType().Size())
	for o := range a.Offsets() {
		number := r.Uint64()
		if r.IntN(4) == 0 {
			number = []uint64{0, 1, math.MaxUint64, 1 << (bits - 1), 1<<(bits-1) - 1}[r.IntN(5)]
		}
		a.SetBitsAt(o, number&(math.MaxUint64>>(64-bits)))
	}
}

// bindSizes sets the sizes of a case and returns the shapes of its arguments; nil where the
// program's conditions exclude them.
func bindSizes(t testing.TB, one *pipelinetest.Case, env map[string]int64) map[string][]int64 {
	t.Helper()
	shapes := map[string][]int64{}
	for _, x := range one.Func.ByRole(ein.Input, ein.InOut) {
		shapes[x.Name] = []int64{}
		for _, d := range x.Dims {
			n, err := d.Extent.Eval(env)
			if err != nil {
				t.Fatal(err)
			}
			shapes[x.Name] = append(shapes[x.Name], n)
		}
	}
	scalars := map[string]int64{}
	if takesSize(one.Func, "s") {
		scalars["s"] = env["s"]
	}
	var err error
	if one.Sizes, err = one.Func.Bind(shapes, scalars); err != nil {
		return nil
	}
	return shapes
}

// TestFamilies takes programs that the scheduler has makers for to native code.
func TestFamilies(t *testing.T) {
	work := int64(100_000)
	if testing.Short() {
		work = 10_000
	}
	runUnits(t, perUnit, func(seed uint64, _ int) *pipelinetest.Case { return familyCase(t, seed, work) })
}

// TestFamiliesAreAccepted keeps the templates correct.
func TestFamiliesAreAccepted(t *testing.T) {
	for seed := range uint64(400) {
		text, _ := pipelinetest.DrawFamily(pipelinetest.Seeded(seed), 1000)
		if compile(t, pipelinetest.Program{Text: text}) == nil {
			t.Errorf("%s", text)
		}
	}
}
