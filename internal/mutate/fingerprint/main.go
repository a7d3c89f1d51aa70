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
	"strings"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/mutate/active"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/target/c"
	"github.com/ricci-lang/ricci/tensor"
)

// How many cases of each kind are drawn, enough to meet most of the compiler within seconds, and
// the points that one may have.
const (
	each = 40
	most = 100000
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
	for seed := range each {
		f := rapid.Custom(eintest.Func).Example(seed)
		all.one(pipelinetest.Sample{Name: fmt.Sprintf("function%d", seed), Func: f, From: pipelinetest.Seeded(uint64(seed))})
	}
	if err := all.builtins(); err != nil {
		return err
	}
	return pipelinetest.Corpus(each, all.one)
}

// builtins takes each builtin of a row of numbers.
func (all *corpus) builtins() error {
	for _, b := range ein.Builtins() {
		for _, d := range []tensor.DType{tensor.Float32, tensor.Float64} {
			name := fmt.Sprintf("%s of %s", b.Name, d)
			operands := strings.Join([]string{"X[i]", "Y[i]", "X[i]", "Y[i]"}[:b.Arity], ", ")
			f, err := ein.ParseFunc(name, fmt.Sprintf("func f { in X: %[1]s[40] in Y: %[1]s[40] out Z: %[1]s[40] for i in 0:40 { Z[i] = %s(%s) } }", d, b.Name, operands))
			if err != nil {
				return err
			}
			all.one(pipelinetest.Sample{Name: name, Func: f, From: pipelinetest.Seeded(1)})
		}
	}
	return nil
}

// one follows a function with drawn sizes, arguments, machine and schedule.
func (all *corpus) one(sample pipelinetest.Sample) {
	if all.cases++; len(all.only) > 0 && !all.only[all.cases] {
		return
	}
	active.Begin(fmt.Sprintf("case %d", all.cases))
	t := taken{number: all.cases, Sample: sample}
	defer func() {
		if r := recover(); r != nil {
			t.line("panic", fmt.Sprint(r))
		}
	}()
	one := &pipelinetest.Case{Name: "kernel", Func: sample.Func, Sizes: sample.Sizes}
	if !one.DrawArguments(sample.From, most) {
		return
	}
	t.evaluate(one)
	for _, prepare := range []func() error{one.PrepareDefault, func() error { return one.Prepare(sample.From) }} {
		if err := one.DrawSetting(sample.From); err != nil {
			continue
		}
		t.prepared(one, prepare())
	}
}

// A taken case writes what becomes of it.
type taken struct {
	number int
	pipelinetest.Sample
}

// prepared writes what the steps made of a case, and whether its loops compute the right thing.
func (t taken) prepared(one *pipelinetest.Case, err error) {
	if one.Special != nil {
		t.line("rewrite", ein.Print(one.Special))
	}
	if one.Tree != nil {
		t.line("schedule", schedule.Print(one.Tree))
	}
	t.line("verdict", fmt.Sprint(err != nil, one.Unproved != nil))
	t.line("words", fmt.Sprint(err, one.Unproved))
	if err != nil || one.Loop == nil {
		return
	}
	t.line("loop", loop.Print(one.Loop))
	for _, options := range []c.Options{{}, {VectorBytes: 32}, {VectorBytes: 16}, {Numerics: numerics.Strict}} {
		printed, err := c.Print(one.Loop, options)
		t.line("c", printed, fmt.Sprint(err))
	}
	if len(one.Strides) == 0 {
		t.line("result", fmt.Sprint(one.Interpret()))
	}
}

// evaluate writes what the evaluator says, and what Compare says of its own results.
func (t taken) evaluate(one *pipelinetest.Case) {
	plain, err := ein.Evaluate(one.Func, one.Args, ein.EvalOptions{Sizes: one.Sizes})
	t.line("values", fmt.Sprint(err), arrays(plain))
	values, bounds, err := ein.EvaluateWithBounds(one.Func, one.Args, ein.EvalOptions{Sizes: one.Sizes})
	t.line("bounds", fmt.Sprint(err), arrays(values), arrays(bounds))
	for _, x := range slices.Sorted(maps.Keys(values)) {
		compared, err := ein.Compare(plain[x], values[x], bounds[x])
		t.line("compared", fmt.Sprintf("%+v", compared), fmt.Sprint(errors.Unwrap(err)))
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

func (t taken) line(stage string, texts ...string) {
	h := fnv.New64a()
	for _, text := range texts {
		fmt.Fprintf(h, "%s\n", text)
	}
	fmt.Printf("%d %s %s %x\n", t.number, stage, t.Name, h.Sum64())
}
