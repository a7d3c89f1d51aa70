// Command fingerprint takes a corpus of programs through the steps of a compilation and writes a
// line with a hash for what each step makes. Package mutate compares the lines of two runs. With
// arguments it takes the cases of these numbers only.
package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
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
	if err := all.builtins(); err != nil {
		return err
	}
	all.programs()
	for seed := range each {
		f := rapid.Custom(eintest.Func).Example(seed)
		all.one(pipelinetest.Sample{Name: fmt.Sprintf("function%d", seed), Func: f, From: pipelinetest.Seeded(uint64(seed))})
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
	t.changed(one)
	for _, prepare := range []func() error{one.PrepareDefault, func() error { return one.Prepare(sample.From) }} {
		if err := one.DrawSetting(sample.From); err != nil {
			continue
		}
		t.prepared(one, prepare())
	}
}

// changed writes the verdicts on drawn changes of schedules, most of which are not legal.
func (t taken) changed(one *pipelinetest.Case) {
	f, err := one.Func.Specialise(one.Sizes, nil)
	if err != nil {
		return
	}
	from := pipelinetest.Seeded(uint64(t.number))
	for n := range 12 {
		tree := schedule.Canonical(f)
		for range 1 + n%4 {
			tree = pipelinetest.Change(from, f, tree)
		}
		err := schedule.Check(f, tree)
		t.line("verdict", fmt.Sprint(n, err != nil))
		t.line("words", fmt.Sprint(n, err))
	}
}

// programs takes drawn programs of loops, as they are and with other lengths of buffers.
func (all *corpus) programs() {
	for seed := range uint64(3 * each) {
		if all.cases++; len(all.only) > 0 && !all.only[all.cases] {
			continue
		}
		active.Begin(fmt.Sprintf("case %d", all.cases))
		t := taken{number: all.cases, Sample: pipelinetest.Sample{Name: fmt.Sprintf("loops%d", seed)}}
		f := looptest.Program(rand.New(rand.NewPCG(seed, 3)), "kernel")
		for _, options := range []c.Options{{}, {VectorBytes: 32}, {VectorBytes: 16}, {Numerics: numerics.Strict}} {
			printed, err := c.Print(f, options)
			t.line("c", printed, fmt.Sprint(err))
		}
		t.shortened(f, f.Buffers)
	}
}

// shortened writes what the verifier says of a program when some of its buffers are shorter by one.
func (t taken) shortened(f *loop.Func, buffers []*loop.Buffer) {
	err := loop.Verify(f)
	t.line("verdict", fmt.Sprint(err != nil))
	t.line("words", fmt.Sprint(err))
	for _, b := range buffers {
		length, expression := b.Length, b.LengthExpr
		if expression != nil {
			b.LengthExpr = &loop.Binary{Op: ein.Sub, X: expression, Y: loop.Int(1)}
		} else {
			b.Length--
		}
		err := loop.Verify(f)
		t.line("verdict", b.Name, fmt.Sprint(err != nil))
		t.line("words", b.Name, fmt.Sprint(err))
		b.Length, b.LengthExpr = length, expression
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
	if n := len(one.Loop.Buffers); n > 0 && t.number%3 == 0 {
		at := t.number / 3 % n
		t.shortened(one.Loop, one.Loop.Buffers[at:at+1])
	}
}

// evaluate writes what the evaluator says, and what Compare says of its own results.
func (t taken) evaluate(one *pipelinetest.Case) {
	plain, err := ein.Evaluate(one.Func, one.Args, ein.EvalOptions{Sizes: one.Sizes})
	t.line("values", fmt.Sprint(err), arrays(plain))
	values, bounds, err := ein.EvaluateWithBounds(one.Func, one.Args, ein.EvalOptions{Sizes: one.Sizes})
	t.line("bounds", fmt.Sprint(err), arrays(values), arrays(bounds))
	for _, x := range slices.Sorted(maps.Keys(values)) {
		for _, got := range []*tensor.Tensor{plain[x], disturbed(plain[x])} {
			compared, err := ein.Compare(got, values[x], bounds[x])
			t.line("compared", fmt.Sprintf("%+v %v", compared, compared.Worst), fmt.Sprint(errors.Unwrap(err)))
		}
	}
}

// disturbed returns a copy with some elements a little off, or far.
func disturbed(x *tensor.Tensor) *tensor.Tensor {
	y, err := x.Clone()
	if err != nil {
		return x
	}
	n := 0
	for at := range y.Offsets() {
		switch n++; {
		case n%5 == 1 && y.DType().IsFloat():
			y.SetFloatAt(at, y.FloatAt(at)*(1+math.Exp2(-float64(n%30))))
		case n%7 == 2 && y.DType().IsInteger():
			y.SetIntAt(at, y.IntAt(at)+1)
		}
	}
	return y
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
