// Command fingerprint takes a corpus of programs through the steps of a compilation and writes a
// line with a hash for what each step makes. Package mutate compares the lines of two runs. With
// arguments it takes the cases of these numbers only.
package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/examples"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/mutate/active"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target/c"
	"github.com/ricci-lang/ricci/tensor"
)

// How many cases of each kind are drawn: enough to meet most of the compiler within seconds.
const (
	functions = 60
	programs  = 60
	families  = 40
	products  = 20
	work      = 2000   // points of a family
	most      = 100000 // points of a function
)

// A corpus is the cases that are taken.
type corpus struct {
	only  map[int]bool // empty: all
	cases int          // so far
}

func main() {
	all := &corpus{only: map[int]bool{}}
	for _, argument := range os.Args[1:] {
		n, err := strconv.Atoi(argument)
		if err != nil {
			fmt.Fprintln(os.Stderr, "fingerprint: expected numbers of cases:", err)
			os.Exit(2)
		}
		all.only[n] = true
	}
	if err := all.take(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (all *corpus) take() error {
	for seed := range functions {
		from := pipelinetest.Seeded(uint64(seed))
		f := rapid.Custom(eintest.Func).Example(seed)
		all.one(fmt.Sprintf("function%d", seed), from, f, nil)
	}
	for seed := range programs {
		from := pipelinetest.Seeded(uint64(seed))
		all.text(fmt.Sprintf("program%d", seed), from, pipelinetest.DrawProgram(from).Text, nil)
	}
	drawn := map[string]func(*pipelinetest.Choices, int64) (string, map[string]int64){
		"family": pipelinetest.DrawFamily, "contraction": pipelinetest.DrawContraction, "layers": pipelinetest.DrawLayers, "sums": pipelinetest.DrawSums,
	}
	for _, name := range slices.Sorted(maps.Keys(drawn)) {
		for seed := range families {
			from := pipelinetest.Seeded(uint64(seed))
			program, sizes := drawn[name](from, work)
			all.text(fmt.Sprintf("%s%d", name, seed), from, program, sizes)
		}
	}
	for number, name := range pipelinetest.Themes() {
		for seed := range 3 {
			from := pipelinetest.Seeded(uint64(seed))
			program, sizes := pipelinetest.DrawTheme(from, number)
			all.text(fmt.Sprintf("%s%d", name, seed), from, program, sizes)
		}
	}
	for seed := range products {
		from := pipelinetest.Seeded(uint64(seed))
		all.text(fmt.Sprintf("convolution%d", seed), from, pipelinetest.DrawConvolution(from, work), nil)
	}
	return examples.Each(func(file, program string) error {
		unit, _ := notations.Of(file).Compile(source.NewFile(file, program), lang.Options{})
		for k, f := range unit.Program.Funcs {
			all.one(file+" "+f.Name, pipelinetest.Seeded(uint64(k)), f, nil)
		}
		return nil
	})
}

// text takes the function f of a program in TC, if it is accepted.
func (all *corpus) text(name string, from *pipelinetest.Choices, program string, sizes map[string]int64) {
	unit, diagnostics := notations.Of(".tc").Compile(source.NewFile("a.tc", program), lang.Options{})
	if !diagnostics.HasErrors() {
		all.one(name, from, unit.Program.Func("f"), sizes)
	}
}

// one follows a function with drawn sizes, arguments, machine and schedule.
func (all *corpus) one(name string, from *pipelinetest.Choices, f *ein.Func, sizes map[string]int64) {
	if all.cases++; len(all.only) > 0 && !all.only[all.cases] {
		return
	}
	active.Begin(fmt.Sprintf("case %d", all.cases))
	defer func() {
		if r := recover(); r != nil {
			line(name, "panic", fmt.Sprint(r))
		}
	}()
	one := &pipelinetest.Case{Name: "kernel", Func: f, Sizes: sizes}
	if !draw(from, one) {
		return
	}
	evaluate(name, one)
	for _, prepare := range []func() error{one.PrepareDefault, func() error { return one.Prepare(from) }} {
		if err := one.DrawSetting(from); err != nil {
			continue
		}
		prepared(name, one, prepare())
	}
}

// prepared writes what the steps made of a case.
func prepared(name string, one *pipelinetest.Case, err error) {
	if one.Special != nil {
		line(name, "rewrite", ein.Print(one.Special))
	}
	if one.Tree != nil {
		line(name, "schedule", schedule.Print(one.Tree))
	}
	line(name, "verdict", fmt.Sprint(err, one.Unproved))
	if err != nil || one.Loop == nil {
		return
	}
	line(name, "loop", loop.Print(one.Loop))
	for _, bytes := range []int{0, 32, 16} {
		printed, err := c.Print(one.Loop, c.Options{VectorBytes: bytes})
		line(name, "c", printed, fmt.Sprint(err))
	}
}

// draw draws sizes until they fit, a few times, and arguments.
func draw(from *pipelinetest.Choices, one *pipelinetest.Case) bool {
	given := one.Sizes != nil
	for range 8 {
		if !given {
			one.Sizes = map[string]int64{}
			for _, s := range one.Func.Sizes {
				one.Sizes[s.Name] = int64(pipelinetest.Pick(from, from.Between(1, 4), from.Between(3, 9), from.Between(5, 40)))
			}
		}
		if bound(one) {
			return true
		}
	}
	return false
}

// bound makes arguments for the sizes of a case, if its function accepts them and is small.
func bound(one *pipelinetest.Case) bool {
	shapes, err := one.Func.Shapes(one.Sizes)
	if err != nil {
		return false
	}
	scalars := map[string]int64{}
	for _, s := range one.Func.Sizes {
		if s.Tensor != nil && s.Dim == ein.ScalarValue {
			scalars[s.Tensor.Name] = one.Sizes[s.Name]
		}
	}
	if sizes, err := one.Func.Bind(shapes, scalars); err != nil || !maps.Equal(sizes, one.Sizes) {
		return false
	}
	if !small(one) {
		return false
	}
	one.Args = map[string]*tensor.Tensor{}
	for k, x := range one.Func.ByRole(ein.Input, ein.InOut) {
		count, shape := int64(1), make([]int, len(shapes[x.Name]))
		for d, n := range shapes[x.Name] {
			shape[d], count = int(n), count*n
		}
		if count > 1<<16 {
			return false
		}
		a, err := tensor.New(x.Type, shape...)
		if err != nil {
			return false
		}
		tensor.FillRandom(a, uint64(k)+1)
		if value, ok := scalars[x.Name]; ok {
			a.SetInt(value)
		}
		one.Args[x.Name] = a
	}
	return true
}

// small reports whether the statements of a case have few points.
func small(one *pipelinetest.Case) bool {
	special, err := one.Func.Specialise(one.Sizes, nil)
	if err != nil {
		return false
	}
	points := 0.0
	for _, c := range special.Body {
		all := 1.0
		for _, i := range c.Indices {
			n, constant := i.Extent.IsConst()
			if !constant {
				return false
			}
			all *= float64(n)
		}
		points += all
	}
	return points <= most
}

// evaluate writes what the evaluator says, and what Compare says of its own results.
func evaluate(name string, one *pipelinetest.Case) {
	plain, err := ein.Evaluate(one.Func, one.Args, ein.EvalOptions{Sizes: one.Sizes})
	line(name, "values", fmt.Sprint(err), arrays(plain))
	values, bounds, err := ein.EvaluateWithBounds(one.Func, one.Args, ein.EvalOptions{Sizes: one.Sizes})
	line(name, "bounds", fmt.Sprint(err), arrays(values), arrays(bounds))
	for _, x := range slices.Sorted(maps.Keys(values)) {
		compared, err := ein.Compare(plain[x], values[x], bounds[x])
		line(name, "compared", fmt.Sprintf("%+v", compared), fmt.Sprint(errors.Unwrap(err)))
	}
}

func arrays(list map[string]*tensor.Tensor) string {
	var all []byte
	for _, name := range slices.Sorted(maps.Keys(list)) {
		all = append(all, name...)
		x := list[name]
		for at := range x.Offsets() {
			if x.DType().IsInteger() {
				all = fmt.Appendf(all, " %d", x.IntAt(at))
			} else {
				all = fmt.Appendf(all, " %x", x.FloatAt(at))
			}
		}
	}
	return string(all)
}

func line(name, stage string, texts ...string) {
	h := fnv.New64a()
	for _, t := range texts {
		fmt.Fprintf(h, "%s\n", t)
	}
	fmt.Printf("%s %s %x\n", stage, name, h.Sum64())
}
