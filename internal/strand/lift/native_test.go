package lift_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lift"
	"github.com/ricci-lang/ricci/internal/target/c"
)

// TestNative: the functions are proved to stay in bounds, and their native code agrees with them.
func TestNative(t *testing.T) {
	k, err := pipelinetest.NewCompiler(context.Background())
	if err != nil {
		t.Skip(err)
	}
	random := rand.New(rand.NewPCG(4, 30))
	var cases []*pipelinetest.Case
	for n, border := range []string{"mirror", "constant (c, at.3)", "inside"} {
		dim := 1 + n
		p, err := strand.Parse(source.NewFile("program", program(dim, border, field.LookupKernel("ctmr"))))
		if err != nil {
			t.Fatal(err)
		}
		f, err := lift.Func(points(p))
		if err != nil {
			t.Fatal(err)
		}
		from := pipelinetest.Seeded(uint64(dim))
		list := make([]float64, 4*100)
		for n := range list {
			list[n] = 3*random.Float64() - 1.5
		}
		one := &pipelinetest.Case{Name: fmt.Sprint("lift", dim), Func: f}
		one.Args, one.Sizes = arguments(draw(random, dim), list)
		if err := one.DrawSetting(from); err != nil {
			t.Fatal(err)
		}
		one.Keep, one.Strides = nil, nil
		if err := one.PrepareDefault(); err != nil {
			t.Fatal(err, one)
		}
		if one.Unproved != nil {
			t.Error(one.Unproved)
		}
		cases = append(cases, one)
	}
	failures, err := k.Run(context.Background(), cases, c.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range failures {
		t.Errorf("%v\n%s", f.Err, f.Case)
	}
}
