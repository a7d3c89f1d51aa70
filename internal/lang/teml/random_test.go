package teml

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A writer draws the text of a program.
type writer struct {
	t       *rapid.T
	text    strings.Builder
	ranks   map[string]int // of tensors and expressions
	names   []string
	virtual map[string]bool
	next    int
}

func (w *writer) pick(label string, list ...string) string {
	return rapid.SampledFrom(list).Draw(w.t, label)
}

func (w *writer) number(label string, least, most int) int {
	return rapid.IntRange(least, most).Draw(w.t, label)
}

// operand draws a tensor or an expression.
func (w *writer) operand() string { return w.pick("operand", w.names...) }

// real draws a tensor that is stored.
func (w *writer) real() string {
	var list []string
	for _, name := range w.names {
		if !w.virtual[name] {
			list = append(list, name)
		}
	}
	return w.pick("tensor", list...)
}

// iterators draws a list for an operand: different names, sometimes equal ones or
// shifted.
func (w *writer) iterators(name string) string {
	letters := []string{"i", "j", "k", "m"}
	items := make([]string, w.ranks[name])
	for n := range items {
		items[n] = letters[w.number("letter", 0, 3)]
		switch w.number("shift", 0, 9) {
		case 0:
			items[n] += " + 1"
		case 1:
			items[n] += " + " + letters[w.number("letter", 0, 3)]
		case 2:
			items[n] = "0"
		}
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// distinct lists different iterators.
func distinct(n int) []string { return []string{"i", "j", "k", "m"}[:n] }

func (w *writer) fresh() string {
	w.next++
	return fmt.Sprintf("T%d", w.next)
}

func (w *writer) define(name string, rank int, virtual bool, format string, args ...any) {
	fmt.Fprintf(&w.text, "%s = %s\n", name, fmt.Sprintf(format, args...))
	w.ranks[name], w.virtual[name] = rank, virtual
	w.names = append(w.names, name)
}

// statement draws one statement; some are malformed.
func (w *writer) statement() {
	x, y, name := w.operand(), w.operand(), w.fresh()
	sign := w.pick("operation", "add", "sub", "mul", "max", "min", "bitand", "bitor", "bitxor", "shl", "shr")
	rank := w.number("rank", 0, 2)
	left := "[" + strings.Join(distinct(rank), ", ") + "]"
	list := fmt.Sprintf("[%s, %s]", w.iterators(x), w.iterators(y))
	switch w.number("form", 0, 9) {
	case 0:
		w.define(name, 2, true, "v%s(%s, %s, %s)", sign, x, y, list)
	case 1:
		w.define(name, rank, false, "%s(%s, %s, %s -> %s)", sign, x, y, list, left)
	case 2:
		w.define(name, rank, false, "%s(%s, %s, [%s, %s] -> %s)", w.pick("fold", "add", "sub", "mul", "max"), name, x, left, w.iterators(x), left)
	case 3:
		z := w.real()
		left := "[" + strings.Join(distinct(min(4, w.ranks[z])), ", ") + "]"
		if w.number("zero", 0, 1) == 0 {
			fmt.Fprintf(&w.text, "init(%s, %s)\n", z, w.pick("init", "0", "1", "7", "iota"))
		}
		fmt.Fprintf(&w.text, "%s = add(%s, %s, [%s, %s] -> %s)\n", z, z, x, left, w.iterators(x), left)
	case 4:
		w.define(name, w.ranks[x]+w.ranks[y]-2, w.next%2 == 0, "%scontract(%s, %s, [%d, %d])", []string{"v", ""}[w.next%2], x, y, w.number("r0", 1, 2), w.number("r1", 1, 2))
	case 5:
		w.define(name, w.ranks[x], w.next%2 == 0, "%sentrywise_%s(%s, %s)", []string{"v", ""}[w.next%2], w.pick("entrywise", "add", "sub", "mul"), x, y)
	case 6:
		w.define(name, w.ranks[x], w.next%2 == 0, "%stranspose(%s, [[1, 2]])", []string{"v", ""}[w.next%2], x)
	case 7:
		w.define(name, w.ranks[x]+w.ranks[y], w.next%2 == 0, "%souterproduct(%s, %s)", []string{"v", ""}[w.next%2], x, y)
	case 8:
		w.define(name, 1, true, "vsum(v%s(%s, %s, %s), [%s])", sign, x, y, list, w.pick("bound", "i", "j", "k"))
	case 9:
		w.define(name, rank, false, "eq(%s, %s -> %s)", x, w.iterators(x), left)
	}
}

// program draws the declarations of three tensors and some statements that have no
// error: a statement with one is taken back.
func program(t *rapid.T) string {
	w := &writer{t: t, ranks: map[string]int{}, virtual: map[string]bool{}}
	w.text.WriteString("option type int64\noption meant\n")
	for n, name := range []string{"A", "B", "C"} {
		sizes := make([]string, rapid.IntRange(min(n, 1), 2).Draw(t, "rank"))
		for d := range sizes {
			sizes[d] = w.pick("size", "3", "3", "3", "4")
		}
		w.define(name, len(sizes), false, "tensor([%s])", strings.Join(sizes, ", "))
	}
	for range rapid.IntRange(1, 6).Draw(t, "statements") {
		before, names := w.text.String(), len(w.names)
		w.statement()
		_, diagnostics := Compile(source.NewFile("random.teml", w.text.String()), noOptions)
		if diagnostics.HasErrors() {
			w.text.Reset()
			w.text.WriteString(before)
			w.names = w.names[:names]
		}
	}
	return w.text.String()
}

// TestRandomPrograms compares the evaluator on what programs are lowered to with the
// judge, which executes their trees.
func TestRandomPrograms(t *testing.T) {
	statements, drawn := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		drawn++
		text := program(rt)
		file := source.NewFile("random.teml", text)
		parsed, diagnostics := syntax.Parse(file)
		in := run(file, parsed, diagnostics, nil, noImports())
		if err := diagnostics.Err(); err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		if len(in.codegens) == 0 {
			return
		}
		statements += len(in.assignments)
		compareRuns(t, rt, in, text)
	})
	if statements*5 < drawn*2 && !testing.Short() {
		t.Errorf("only %d assignments were drawn", statements)
	}
}

// script draws loops for all assignments of a program: nests that are transformed and
// fused at random, and their codegen.
func script(t *rapid.T, in *interpreter) string {
	var b strings.Builder
	var nests []string
	for _, a := range in.assignments {
		if a.fill == nil && in.state[a.real.name] != nil {
			nests = append(nests, "l"+a.real.name)
			fmt.Fprintf(&b, "l%s = build(%s)\n", a.real.name, a.real.name)
		}
	}
	level := func() int { return rapid.IntRange(1, 4).Draw(t, "level") }
	for range rapid.IntRange(0, 6).Draw(t, "transformations") {
		at := rapid.IntRange(0, len(nests)-1).Draw(t, "nest")
		l := nests[at]
		switch rapid.IntRange(0, 8).Draw(t, "transformation") {
		case 0:
			fmt.Fprintf(&b, "stripmine(%s, %d, %d)\n", l, level(), level())
		case 1:
			fmt.Fprintf(&b, "interchange(%s, [%d, %d])\n", l, level(), level())
		case 2:
			fmt.Fprintf(&b, "tile(%s, %d)\n", l, level())
		case 3:
			fmt.Fprintf(&b, "unroll(%s, %d)\n", l, level())
		case 4:
			fmt.Fprintf(&b, "parallelize(%s, %d)\n", l, level())
		case 5:
			fmt.Fprintf(&b, "vectorize(%s, %d)\n", l, level())
		case 6:
			fmt.Fprintf(&b, "unroll_jam(%s, %d, 2)\n", l, level())
		default:
			if at+1 < len(nests) {
				fmt.Fprintf(&b, "fuse_outer(%s, %s, %d)\n", l, nests[at+1], level())
				nests = slices.Delete(nests, at+1, at+2)
			}
		}
	}
	return b.String() + "codegen f(" + strings.Join(nests, ", ") + ")\n"
}

// refusals are the codes of scripts that do not fit or break a dependence.
var refusals = []source.Code{source.TransformMisfit, source.ScheduleMisfit, source.ScheduleIllegal}

// TestRandomScripts compares the loops that scripts make with the evaluator. What is
// refused says that a pattern does not fit or a dependence is broken.
func TestRandomScripts(t *testing.T) {
	legal, drawn := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		drawn++
		text := program(rt)
		file := source.NewFile("random.teml", text)
		parsed, diagnostics := syntax.Parse(file)
		in := run(file, parsed, diagnostics, nil, noImports())
		seen := map[*real]bool{}
		for _, a := range in.assignments {
			if a.fill == nil && seen[a.real] {
				return // the loops of the earlier assignment have no name
			}
			seen[a.real] = seen[a.real] || a.fill == nil
		}
		if len(seen) == 0 {
			return
		}
		text += script(rt, in)
		unit, diagnostics := Compile(source.NewFile("random.teml", text), noOptions)
		for _, d := range reported(unit, diagnostics).List {
			if !slices.Contains(refusals, d.Code) && d.Code != source.CodeTeMLIdle {
				rt.Fatalf("%v\n%s", d, text)
			}
		}
		if diagnostics.HasErrors() || len(unit.Defs) == 0 {
			return
		}
		legal++
		f := unit.Defs[0].Func
		plan, err := Run(f, scheduletest.Machine(rt), "", unit.Defs[0].Script)
		var tree *schedule.Tree
		if err == nil {
			tree, err = plan.Tree()
		}
		if err != nil {
			var list source.ErrorList // what fits one machine may not fit another
			if !errors.As(err, &list) || !slices.Contains(refusals[:2], list[0].Code) {
				rt.Fatalf("%v\n%s", err, text)
			}
			return
		}
		args, err := eintest.Arguments(7, f, nil)
		if err != nil {
			rt.Fatal(err)
		}
		subject := scheduletest.Subject{F: f, G: f, Args: args}
		got, err := subject.Loops(rt, tree)
		subject.Matches(rt, got, err, text+schedule.Print(tree))
	})
	if drawn >= 100 && legal*20 < drawn { // of fewer there may be none
		t.Errorf("only %d scripts of %d were legal", legal, drawn)
	}
}

// compareRuns runs a program on both sides.
func compareRuns(t *testing.T, rt *rapid.T, in *interpreter, text string) {
	f := in.codegens[0].def.Func
	if err := ein.Verify(f); err != nil {
		rt.Fatalf("%v\n%s\n%s", err, text, ein.Print(f))
	}
	initial, args := memory{}, map[string]*tensor.Tensor{}
	for _, name := range sortedKeys(in.reals) {
		r := in.reals[name]
		cells, values := map[string]int64{}, []int64{}
		shape := (&judge{t: t}).shape(r)
		points(shape, func(p []int64) {
			v := int64(rapid.IntRange(-3, 3).Draw(rt, name))
			cells[key(p)] = v
			values = append(values, v)
		})
		initial[name] = cells
		if x := f.Tensor(name); x != nil && (x.Role == ein.Input || x.Role == ein.InOut) {
			args[name] = newTensor(t, shape, values)
		}
	}
	got, err := ein.Evaluate(f, args, ein.EvalOptions{})
	if err != nil {
		rt.Fatalf("%v\n%s\n%s", err, text, ein.Print(f))
	}
	want := execute(t, in, initial)
	for name, out := range got {
		n := 0
		offsets := out.Offsets()
		var flat []int64
		for offset := range offsets {
			flat = append(flat, out.IntAt(offset))
		}
		points((&judge{t: t}).shape(in.reals[name]), func(p []int64) {
			if expected := want[name][key(p)]; flat[n] != expected {
				rt.Fatalf("%s%v is %d, expected %d\n%s\n%s", name, p, flat[n], expected, text, ein.Print(f))
			}
			n++
		})
	}
}

func newTensor(t *testing.T, shape, values []int64) *tensor.Tensor {
	t.Helper()
	sizes := make([]int, len(shape))
	for d, n := range shape {
		sizes[d] = int(n)
	}
	x, err := tensor.New(tensor.Int64, sizes...)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for offset := range x.Offsets() {
		x.SetIntAt(offset, values[n])
		n++
	}
	return x
}
