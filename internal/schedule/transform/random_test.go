package transform

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/source"
)

// drawNests builds a nest for each statement and applies random transformations, of
// which those that do not fit are skipped.
func drawNests(t *rapid.T, f *ein.Func) []*Nest {
	var nests []*Nest
	for s := range f.Body {
		nests = append(nests, Build(f, s))
	}
	table := Table()
	for range rapid.IntRange(0, 8).Draw(t, "steps") {
		if len(nests) == 0 {
			break
		}
		tr := rapid.SampledFrom(table).Draw(t, "transformation")
		at := rapid.IntRange(0, len(nests)-1).Draw(t, "nest")
		operands := nests[at:min(at+tr.Nests, len(nests))]
		depth := len(nests[at].Loops())
		var args []Argument
		for _, p := range tr.Parameters {
			switch {
			case p.Optional && rapid.Bool().Draw(t, "left out"):
			case p.Kind == Name:
				names := []string{"register", "private", "workspace", "COR", "SIMD"}
				if p.Name == "t" {
					names = nil
					for _, x := range f.Tensors {
						names = append(names, x.Name)
					}
				}
				args = append(args, Argument{Name: rapid.SampledFrom(names).Draw(t, p.Name)})
			case p.Kind == Inside:
				args = append(args, Int(int64(rapid.IntRange(0, depth).Draw(t, p.Name))))
			case p.Kind == Level:
				args = append(args, Int(int64(rapid.IntRange(1, max(1, depth)).Draw(t, p.Name))))
			default:
				args = append(args, Int(int64(rapid.IntRange(1, 5).Draw(t, p.Name))))
			}
		}
		n, err := tr.Apply(operands, args, source.Span{})
		if err != nil {
			continue
		}
		nests = slices.Replace(slices.Clone(nests), at, at+tr.Nests, n)
	}
	return nests
}

// points enumerates what printed loops enumerate, as texts, by statement.
func points(t *rapid.T, f *ein.Func, list []Item, env map[string]int64, visit func(s int, point string)) {
	for _, item := range list {
		if item.Loop == nil {
			text := ""
			for _, i := range f.Body[item.Statement].Indices {
				text += fmt.Sprint(env[fmt.Sprintf("S%d.%s", item.Statement, i.Name)], " ")
			}
			visit(item.Statement, text)
			continue
		}
		lo, err := item.Loop.Lower.Eval(env)
		hi, err2 := item.Loop.Upper.Eval(env)
		if err != nil || err2 != nil {
			t.Fatalf("%v %v", err, err2)
		}
		for v := lo; v <= hi; v++ {
			env[item.Loop.Name] = v
			if item.Loop.Tile == 1 {
				for _, l := range item.Loop.Indices {
					env[fmt.Sprintf("S%d.%s", l.Statement, l.Index)] = v - l.Shift + item.Loop.Indices[0].Shift
				}
			}
			points(t, f, item.Body, env, visit)
		}
	}
}

// TestIterationSets enumerates random nests as they are printed: each has the points of
// its statements, once.
func TestIterationSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scheduletest.Draw(t, eintest.Options{NoHalf: true, Statements: 3})
		for _, n := range drawNests(t, s.G) {
			seen := map[string]int{}
			points(t, s.G, n.Items(), map[string]int64{}, func(s int, point string) { seen[fmt.Sprintf("S%d %s", s, point)]++ })
			want := 0
			for _, statement := range n.Statements() {
				points(t, s.G, Build(s.G, statement).Items(), map[string]int64{}, func(s int, point string) {
					want++
					if seen[fmt.Sprintf("S%d %s", s, point)] != 1 {
						t.Fatalf("S%d %s is enumerated %d times\n%s", s, point, seen[fmt.Sprintf("S%d %s", s, point)], n)
					}
				})
			}
			if want != len(seen) {
				t.Fatalf("%d points, expected %d\n%s", len(seen), want, n)
			}
		}
	})
}

// refusals are the reasons for which a nest cannot be generated although it keeps all
// dependences.
var refusals = []*regexp.Regexp{
	regexp.MustCompile(`shares its loop with other statements`),
	regexp.MustCompile(`a parallel loop inside of a parallel loop`),
	regexp.MustCompile(`has a fixed order of reduction`),
	regexp.MustCompile(`cannot be a vector: `),
	regexp.MustCompile(`lanes cannot be folded with the operator`),
	regexp.MustCompile(`in "place `), // nothing to place, or no room
	regexp.MustCompile(`the output cannot hold them`),
	regexp.MustCompile(`would share the (accumulators|block)`), // of a scan, of a place
}

// TestMeaning compares the loops of random nests with the evaluator.
func TestMeaning(t *testing.T) {
	legal, illegal, refused := 0, 0, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := scheduletest.Draw(t, eintest.Options{NoHalf: rapid.Bool().Draw(t, "no half"), Statements: 3})
		if len(s.G.Body) == 0 {
			return
		}
		nests := drawNests(t, s.G)
		tree, err := Tree(s.G, nests, Options{Machine: scheduletest.Machine(t)})
		var list source.ErrorList
		switch {
		case errors.As(err, &list) && list[0].Code == source.ScheduleIllegal:
			illegal++
			return
		case errors.As(err, &list):
			at := slices.IndexFunc(refusals, func(r *regexp.Regexp) bool { return r.MatchString(list[0].Message) })
			if at < 0 {
				t.Fatalf("%v\n%s\n%v", err, s.G, nests)
			}
			refused[refusals[at].String()]++
			return
		case err != nil:
			t.Fatal(err)
		}
		legal++
		again, err := schedule.Parse(schedule.Print(tree))
		if err != nil || schedule.Print(again) != schedule.Print(tree) {
			t.Fatalf("%v\n%s", err, schedule.Print(tree))
		}
		got, gotErr := s.Loops(t, tree)
		s.Matches(t, got, gotErr, schedule.Print(tree))
	})
	t.Logf("%d legal, %d illegal, refused: %v", legal, illegal, refused)
}
