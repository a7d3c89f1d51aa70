package guard_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/examples"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/lang/teil"
	"github.com/ricci-lang/ricci/internal/lang/teil/guard"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// exampleDefs calls visit for every def of every example.
func exampleDefs(t *testing.T, visit func(path string, def *lang.Def)) {
	t.Helper()
	open := func(name string) (*source.File, error) {
		text, err := examples.Files.ReadFile(name)
		return source.NewFile(name, string(text)), err
	}
	err := examples.Each(func(path, text string) error {
		n, ok := notations.Lookup(filepath.Ext(path))
		if !ok {
			return nil
		}
		file := source.NewFile(path, text)
		unit, diagnostics := n.Compile(file, lang.Options{Importer: &lang.Importer{Open: open, Notation: notations.For}})
		if err := diagnostics.Err(); err != nil {
			return err
		}
		for _, def := range unit.Defs {
			if def.Pos.File == file {
				visit(path, def)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A reporter is a test of either kind.
type reporter interface {
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// judged counts what the guard said about mutated functions.
type judged struct{ safe, refused, inexpressible, wrong, caught int }

// mutate makes mistakes in a function; what the guard calls safe must not leave its
// tensors at any sizes that a call could have.
func (j *judged) mutate(t reporter, original *ein.Func, random *rand.Rand) {
	for _, m := range mutations {
		f := original.Clone()
		if random.IntN(2) == 0 || !m.change(f, random) {
			continue
		}
		r, err := guard.Check(f)
		if err != nil {
			t.Fatalf("%s with %s: %v", f.Name, m.name, err)
		}
		var problem error
		var at map[string]int64
		for _, at = range smallSizes(f, random) {
			if problem = leaves(f, at); problem != nil {
				break
			}
		}
		switch r.Verdict {
		case guard.Safe:
			j.safe++
			if problem != nil {
				t.Errorf("%s with %s is called safe, but for %v %v:\n%s", f.Name, m.name, at, problem, f)
			}
		case guard.Refused:
			j.refused++
			if problem != nil {
				j.caught++
			}
		default:
			j.inexpressible++
		}
		if problem != nil {
			j.wrong++
		}
	}
}

func TestMutatedExamples(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var j judged
	exampleDefs(t, func(_ string, def *lang.Def) { j.mutate(t, def.Func, random) })
	t.Logf("%+v", j)
	if j.caught < 100 {
		t.Errorf("only %d of %d functions that leave their tensors were refused", j.caught, j.wrong)
	}
}

func TestMutatedRandom(t *testing.T) {
	var j judged
	rapid.Check(t, func(t *rapid.T) {
		f := withoutEmpty(eintest.FuncWith(t, eintest.Options{Statements: 2}))
		j.mutate(t, f, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
	})
	t.Logf("%+v", j)
}

// withoutEmpty forbids the empty cases of a drawn function, which TeIL does not have.
func withoutEmpty(f *ein.Func) *ein.Func {
	for _, s := range f.Sizes {
		s.MayBeZero = false
	}
	return f
}

// TestSizesThatMayBeZero: a verdict holds for a size of 0 where all dimensions are at
// least 1 all the same, and says so.
func TestSizesThatMayBeZero(t *testing.T) {
	for text, want := range map[string]string{
		"size N = dim 0 of A or zero\n in A: float32[N + 1]\n out y: float32[N + 1]\n for i in 0:N + 1 { y[i] = A[i] }": "safe [N]",
		"size N = dim 0 of A\n in A: float32[N + 1]\n out y: float32[N + 1]\n for i in 0:N + 1 { y[i] = A[i] }":         "safe []",
		"size N = dim 0 of A or zero\n in A: float32[N]\n out y: float32[]\n for i in 0:N reduce + { y[] = A[i] }":      "not expressible []",
	} {
		f, err := ein.ParseFunc("f", "func f {\n "+text+"\n}")
		if err != nil {
			t.Fatal(err)
		}
		r, err := guard.Check(f)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%s %v", r.Verdict, r.MayBeZero); got != want {
			t.Errorf("got %s, want %s\n%s", got, want, f)
		}
	}
}

// TestSurvey judges all examples: none is refused, since the front ends' proofs and the
// guard agree, and docs/guard.md says how many of them the guard covers.
func TestSurvey(t *testing.T) {
	total, safe := 0, 0
	constructs := map[string][]string{} // defs by what they need
	exampleDefs(t, func(path string, def *lang.Def) {
		r, err := guard.Check(def.Func)
		if err != nil {
			t.Fatal(err)
		}
		total++
		switch r.Verdict {
		case guard.Safe:
			safe++
			text := syntax.PrintProgram(r.Program)
			if _, diagnostics := teil.Compile(source.NewFile("guard.teil", text), lang.Options{}); diagnostics.HasErrors() {
				t.Errorf("%s, %s becomes no program of TeIL: %v\n%s", path, def.Name, diagnostics.Err(), text)
			}
		case guard.Refused:
			t.Errorf("%s, %s is refused: %s: %s", path, def.Name, r.Refusal.Rule, r.Refusal.Message)
		default:
			row := fmt.Sprintf("%s | %s", strings.TrimSpace(r.Obstacle.Construct+" "+r.Obstacle.Detail), r.Obstacle.Needs)
			constructs[row] = append(constructs[row], "`"+def.Name+"`")
		}
	})
	var b strings.Builder
	fmt.Fprintf(&b, "Of the defs in [examples](../examples) %d %% are safe. The others:\n\n", 100*safe/total)
	b.WriteString("| what TeIL cannot express | what it would need | defs | such as |\n|---|---|---:|---|\n")
	rows := slices.SortedFunc(maps.Keys(constructs), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(constructs[y]), len(constructs[x])), cmp.Compare(x, y))
	})
	for _, row := range rows {
		defs := constructs[row]
		if len(defs) > 3 {
			defs = append(defs[:3:3], "…")
		}
		fmt.Fprintf(&b, "| %s | %d | %s |\n", row, len(constructs[row]), strings.Join(defs, ", "))
	}
	goldentest.Section(t, "../../../../docs/guard.md", "survey", b.String())
}
