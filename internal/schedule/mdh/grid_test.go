package mdh

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/source"
)

// gridFigures are the paper's configurations for CUDA and OpenCL (Figures 20 to 22), what mends their slips, and fewer parts of
// some levels, with which the evaluator of loops is done in a moment.
var gridFigures = []struct {
	name  string
	mend  func(k *Configuration)
	fewer map[Level]int64
	small string // the function of that size
}{
	{"figure20-tvm-cuda", func(*Configuration) {}, map[Level]int64{{1, 2}: 2, {4, 3}: 3}, "16 40 48"},
	{"figure21-tvm-opencl", asDecomposed, map[Level]int64{{1, 2}: 3, {2, 3}: 3, {4, 3}: 5}, "16 24 15"},
	{"figure22-ppcg-cuda", func(k *Configuration) { k.Row(Level{1, 3}).Parts = 2 }, map[Level]int64{{1, 2}: 3, {3, 2}: 5, {4, 3}: 7}, "16 15 13"},
}

// asDecomposed orders all phases as D1 does.
func asDecomposed(k *Configuration) {
	for at := range k.Rows {
		for p := Scalar; p <= Recompose; p++ {
			k.Rows[at].Order[p] = k.Rows[at].Order[Decompose]
		}
	}
}

// TestFiguresAsGrids makes trees of the paper's configurations, whose loops are proved to stay in bounds and within what the models
// have; with fewer parts they are run by the evaluator, which looks for races.
func TestFiguresAsGrids(t *testing.T) {
	for _, figure := range gridFigures {
		t.Run(figure.name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", figure.name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			p, err := ParsePlan(string(text), hostModels)
			if err != nil {
				t.Fatal(err)
			}
			k := only(p)
			figure.mend(k)
			f := parseFunc(t, resnet)
			tree, err := Make(f, p)
			if err != nil {
				t.Fatal(err)
			}
			goldentest.Text(t, filepath.Join("testdata", figure.name+".tree"), schedule.Print(tree))
			verifyGrid(t, f, k, tree)

			for l, parts := range figure.fewer {
				k.Row(l).Parts = parts
			}
			var i, j, n int
			fmt.Sscan(figure.small, &i, &j, &n)
			f = parseFunc(t, strings.NewReplacer("2048", fmt.Sprint(n), "1000", fmt.Sprint(j), "16", fmt.Sprint(i)).Replace(resnet))
			if tree, err = Make(f, p); err != nil {
				t.Fatalf("%v\n%s", err, p)
			}
			verifyGrid(t, f, k, tree)
			goldentest.Text(t, filepath.Join("testdata", figure.name+".small"), f.String()+"\n"+schedule.Print(tree)) // devices run it, too
			args, err := eintest.Arguments(1, f, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := scheduletest.Subject{F: f, G: f, Args: args}
			got, err := s.Loops(t, tree)
			s.Matches(t, got, err, schedule.Print(tree))
		})
	}
}

// verifyGrid asks for a proof that the loops of a tree stay in bounds and within what the model has.
func verifyGrid(t testing.TB, f *ein.Func, k *Configuration, tree *schedule.Tree) {
	t.Helper()
	kernel, err := lower.Lower(f, tree, lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, _ := k.Model.Grid()
	if err := loop.VerifyFor(kernel, loop.Capacity{Local: g.Local, Items: g.Items, Along: g.Along, Groups: g.Groups}); err != nil {
		t.Error(err)
	}
}

// TestGridConfigurations makes trees of drawn configurations for the models that run grids: their loops, which the evaluator runs and
// looks for races in, compute what the function means, or a parameter or a node is named.
func TestGridConfigurations(t *testing.T) {
	made, same, refused, misfits := 0, 0, map[string]int{}, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := scheduletest.Draw(t, eintest.Options{NoHalf: true, Statements: 2})
		if len(s.G.Body) == 0 {
			return
		}
		m := machine.Named([]string{"opencl", "cuda", "cuda+wrp"}[below(t, 3, "model")])
		p := &Plan{}
		for n := range s.G.Body {
			c := ComputationOf(s.G, n)
			k := drawAllowed(t, c, m)
			if k == nil {
				k = Plain(c, m)
			}
			p.Groups = append(p.Groups, Single(n, k))
		}
		tree, err := Make(s.G, p)
		var invalid *InvalidError
		var list source.ErrorList
		switch {
		case errors.As(err, &invalid):
			refused[invalid.Violations[0].Parameter]++
			return
		case errors.As(err, &list):
			misfits[string(list[0].Code)]++
			return
		case err != nil:
			t.Fatalf("%v\n%s\n%s", err, s.G, p)
		}
		made++
		got, err := s.Loops(t, tree)
		s.Matches(t, got, err, p.String()+schedule.Print(tree))
		if readAgain(t, s.G, m, tree) {
			same++
		}
	})
	t.Logf("%d made, %d the same when read from their trees; refused: %v, misfits %v", made, same, refused, misfits)
	if made < 10 {
		t.Error("few trees are made")
	}
}

// readAgain reads a tree as parameters, and reports whether these make the same one; where they do not, something is noted or refused.
func readAgain(t *rapid.T, f *ein.Func, m *machine.Machine, tree *schedule.Tree) bool {
	processor, err := m.Scheduled()
	if err != nil {
		t.Fatal(err)
	}
	p, notes, err := FromTree(f, processor, tree)
	if err != nil {
		return false
	}
	again, err := Make(f, p)
	if err == nil && !Same(f, tree, again) && len(notes) == 0 {
		t.Fatalf("without a note\n%s\n%s\n%s", schedule.Print(tree), p, schedule.Print(again))
	}
	return err == nil && Same(f, tree, again)
}
