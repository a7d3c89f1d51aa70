package mdh

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// papersPrograms are small programs of the kinds of the paper's study.
var papersPrograms = []string{
	`func matvec { in A: float32[6, 10] in x: float32[10] out y: float32[6]
	for i in 0:6, k in 0:10 reduce + { y[i] = A[i,k] * x[k] } }`,
	`func matmul { in A: float32[6, 8] in B: float32[8, 5] out C: float32[6, 5]
	for i in 0:6, j in 0:5, k in 0:8 reduce + { C[i, j] = A[i, k] * B[k, j] } }`,
	`func convolution { in X: float32[3, 9] in W: float32[4, 3, 3] out Y: float32[4, 7]
	for n in 0:4, p in 0:7, c in 0:3 reduce +, r in 0:3 reduce + { Y[n,p] = X[c,p+r] * W[n,c,r] } }`,
	`func jacobi { in X: float32[9, 12] out Y: float32[7, 10]
	for i in 0:7, j in 0:10 { Y[i,j] = X[i,j+1i64] + X[i+2i64,j+1i64] + X[i+1i64,j] + X[i+1i64,j+2i64] } }`,
	`func prefixes { in A: float32[3, 14] out y: float32[3, 14] for i in 0:3, k in 0:14 scan + { y[i,k] = A[i,k] } }`,
	`func linkage { in A: int32[9, 3] in B: int32[11, 3] out best: int32[9]
	for i in 0:9, k in 0:11 reduce max { best[i] = A[i,0i64] * B[k,0i64] + A[i,1i64] * B[k,1i64] - A[i,2i64] * B[k,2i64] } }`,
}

// smallMachine has vectors that small sizes fill.
var smallMachine = &machine.Processor{VectorBytes: 8, VectorRegisters: 16, L1: 1 << 11, L2: 1 << 13, L3: 1 << 15, Cores: 2}

// shuffled permutes the positions of a phase.
func shuffled(t *rapid.T, k *Configuration, p Phase) {
	order := drawPermutation(t, len(k.Rows))
	for at := range k.Rows {
		k.Rows[at].Order[p] = order[at]
	}
}

// drawFree draws all 15 parameters for the host, each phase for itself: partition and
// places in the direction of what machines allow, orders and assignments without.
func drawFree(t *rapid.T, c *Computation, m *machine.Machine) *Configuration {
	k := drawHost(t, c, m)
	for p := Decompose; p <= Recompose; p++ {
		if below(t, 4, "reordered") > 0 {
			shuffled(t, k, p)
			inOrder(c, k, p)
		}
	}
	for p := Scalar; p <= Recompose; p++ { // who walks: others than in the de-composition
		if below(t, 2, "reassigned") == 1 {
			for range 3 {
				a, b := below(t, len(k.Rows), "row"), below(t, len(k.Rows), "other")
				k.Rows[a].Assign[p], k.Rows[b].Assign[p] = k.Rows[b].Assign[p], k.Rows[a].Assign[p]
			}
		}
	}
	for b, buffer := range c.Inputs {
		region, layout := 1, rowMajor(buffer.Rank())
		for _, l := range k.Active(Decompose) {
			if below(t, 4, "copy") == 3 {
				region, layout = min(m.Memories(), region+below(t, 3, "region")), drawLayout(t, buffer.Rank())
			}
			k.Row(l).In[b] = Place{region, layout}
		}
		k.ScalarInputs[b] = Place{max(region, 1+below(t, m.Memories(), "region")), drawLayout(t, buffer.Rank())}
	}
	for b, buffer := range c.Outputs {
		region := 1
		for _, l := range k.Active(Recompose) {
			if below(t, 3, "deliver") == 2 {
				region = min(m.Memories(), region+below(t, m.Memories(), "region"))
			}
			k.Row(l).Out[b] = Place{region, drawLayout(t, buffer.Rank())}
		}
		k.ScalarOutputs[b] = Place{max(region, 1+below(t, m.Memories(), "region")), drawLayout(t, buffer.Rank())}
	}
	return k
}

// onMachine lists what a configuration breaks of the paper's constraints and of those of the
// machine, and nothing that only trees cannot say.
func onMachine(c *Computation, k *Configuration) []Violation {
	bare := k.Clone()
	model := *k.Model
	model.Constraints = slices.DeleteFunc(slices.Clone(model.Constraints), func(c machine.Constraint) bool {
		return slices.Contains([]machine.Kind{machine.Trees}, c.Kind)
	})
	bare.Model = &model
	return Validate(c, bare, Options{})
}

// drawValid draws a configuration for the host until it is one that its machine allows; nil where none is.
func drawValid(t *rapid.T, c *Computation, m *machine.Machine) *Configuration {
	for range 8 {
		k := drawFree(t, c, m)
		if below(t, 4, "uniform") == 0 {
			k = drawAny(t, c, m)
		}
		if len(onMachine(c, k)) == 0 {
			return k
		}
	}
	return nil
}

// TestFreeRates counts which of the configurations that machines allow become trees: of those of each program
// nine of ten, and the others are refused by the name of a parameter.
func TestFreeRates(t *testing.T) {
	draws := sweep.Draws(t, 60, 3000)
	for _, text := range papersPrograms {
		f := parseFunc(t, text)
		c := ComputationOf(f, 0)
		m := machine.Of(smallMachine, c.ElementBytes())
		for name, draw := range map[string]func(*rapid.T) *Configuration{
			"free":    func(t *rapid.T) *Configuration { return drawFree(t, c, m) },
			"uniform": func(t *rapid.T) *Configuration { return drawAny(t, c, m) },
		} {
			drawn := rapid.Custom(draw)
			valid, lowered, refused, invalid := 0, 0, map[string]int{}, map[string]int{}
			for n := range draws {
				k := drawn.Example(n)
				if list := onMachine(c, k); len(list) > 0 {
					invalid[reason(list[0])]++
					continue
				}
				valid++
				_, err := Make(f, &Plan{Groups: []*Group{Single(0, k)}})
				var broken *InvalidError
				switch {
				case err == nil:
					lowered++
				case errors.As(err, &broken):
					refused[reason(broken.Violations[0])]++
				default:
					t.Errorf("%v\n%s", err, k.Table(c.Name))
				}
			}
			t.Logf("%s, %s: %d of %d valid, of which %d become trees; refused:%s\n not valid:%s", f.Name, name, valid, draws, lowered, counted(refused), counted(invalid))
			if lowered < valid*9/10 || name == "free" && valid < draws/10 {
				t.Errorf("%s, %s: %d of %d valid, of which %d become trees; refused:%s", f.Name, name, valid, draws, lowered, counted(refused))
			}
		}
	}
}

// TestFree runs drawn configurations of the host whose phases have orders and assignments of their own: the
// evaluator of configurations, and the loops of the tree, compute what the program means.
func TestFree(t *testing.T) {
	apart, kept, made, drawn := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		f := parseText(t, rapid.SampledFrom(papersPrograms).Draw(t, "program"))
		c := ComputationOf(f, 0)
		k := drawValid(t, c, machine.Of(smallMachine, c.ElementBytes()))
		if drawn++; k == nil || len(Validate(c, k, Options{})) > 0 {
			return
		}
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := scheduletest.Subject{F: f, G: f, Args: args}
		p := &Plan{Groups: []*Group{Single(0, k)}}
		got, err := Evaluate(f, p, args)
		s.Matches(t, got, err, p.String())
		tree, err := Make(f, p)
		if err != nil {
			t.Fatalf("%v\n%s\n%s\n%s", err, f, p, schedule.Print(tree))
		}
		made++
		if !slices.Equal(k.Active(Scalar), k.Active(Recompose)) && !slices.Equal(k.Active(Scalar), k.Active(Decompose)) {
			apart++
		}
		if strings.Contains(schedule.Print(tree), " partial ") {
			kept++
		}
		got, err = s.Loops(t, tree)
		s.Matches(t, got, err, p.String()+schedule.Print(tree))
	})
	if t.Logf("%d trees, %d of configurations with D1 ≠ S1 ≠ R1, %d with loops that keep partial results", made, apart, kept); drawn >= 50 && (made < drawn/4 || apart < made/4 || kept == 0) {
		t.Errorf("of %d draws there are %d trees, %d of configurations with D1 ≠ S1 ≠ R1, %d with loops that keep partial results", drawn, made, apart, kept)
	}
}

func parseText(t *rapid.T, text string) *ein.Func {
	f, err := ein.ParseFunc("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// reason is a violation without names and numbers.
func reason(v Violation) string {
	_, why, ok := strings.Cut(v.Message, ": ")
	if !ok {
		why = v.Message
	}
	return v.Parameter + " " + why
}

func counted(list map[string]int) string {
	text := ""
	for _, name := range slices.SortedFunc(maps.Keys(list), func(a, b string) int { return list[b] - list[a] }) {
		text += fmt.Sprintf("\n   %5d %s", list[name], name)
	}
	return text
}
