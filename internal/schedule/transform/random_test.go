package transform

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/source"
)

// small is the machine of the tests.
var small = &machine.Processor{VectorBytes: 32, VectorRegisters: 16, L1: 32 << 10, L2: 1 << 20, L3: 8 << 20, Cores: 2}

// Small is small, for tests outside of the package.
var Small = small

// drawNests builds a nest for each statement and applies random transformations, of
// which those that do not fit are skipped.
func drawNests(t *rapid.T, f *ein.Func) []*Nest {
	var nests []*Nest
	for s := range f.Body {
		nests = append(nests, Build(f, s))
	}
	table := slices.DeleteFunc(Table(), func(t *Transformation) bool { return t.Composed || t.Name == "groups" || t.Name == "items" }) // of devices: TestGrids
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
		n, err := tr.Apply(operands, args, Call{})
		if err != nil {
			continue
		}
		nests = slices.Replace(slices.Clone(nests), at, at+tr.Nests, n)
	}
	return nests
}

// refusals are the reasons for which a nest cannot be generated although it keeps all
// dependences.
var refusals = []*regexp.Regexp{
	regexp.MustCompile(`the block of .* has .* bytes`),
	regexp.MustCompile(`by a statement that is skewed`),
	regexp.MustCompile(`the ranges of the fused`), // of an empty one
}

// TestMeaning compares the loops of random nests with the evaluator.
func TestMeaning(t *testing.T) {
	legal, illegal, refused, first := 0, 0, map[string]int{}, []string(nil)
	rapid.Check(t, func(t *rapid.T) {
		s := scheduletest.Draw(t, eintest.Options{NoHalf: rapid.Bool().Draw(t, "no half"), Statements: 3})
		if len(s.G.Body) == 0 {
			return
		}
		nests := drawNests(t, s.G)
		tree, _, err := Tree(s.G, nests, Options{Machine: scheduletest.Machine(t)})
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
			if refused[refusals[at].String()]++; refused[refusals[at].String()] == 1 {
				first = append(first, list[0].Message)
			}
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
	t.Logf("%d legal, %d illegal, refused: %v, such as\n%s", legal, illegal, refused, strings.Join(first, "\n"))
}

// TestWavefronts runs skewed loops, and passes one behind the other, of random sizes:
// exactly the legal ones are accepted, and compute what the evaluator does.
func TestWavefronts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		between := func(lo, hi int, what string) int64 { return int64(rapid.IntRange(lo, hi).Draw(t, what)) }
		h, w := between(1, 9, "rows"), between(1, 9, "columns")
		f, err := ein.ParseFunc("test", fmt.Sprintf(`func f {
  in X: float32[%[1]d, %[2]d]
  inout U: float32[%[1]d, %[2]d]
  out B: float32[%[1]d, %[2]d - 2]
  out C: float32[%[1]d - 2, %[2]d - 2]
  for i in 1:%[1]d - 1, j in 1:%[2]d - 1 { U[i, j] = U[i + 1i64, j - 1i64] + U[i, j + 1i64] }
  for y in 0:%[1]d, x in 0:%[2]d - 2 { B[y, x] = X[y, x] + X[y, x + 1i64] + X[y, x + 2i64] }
  for y in 0:%[1]d - 2, x in 0:%[2]d - 2 { C[y, x] = B[y, x] + B[y + 1i64, x] + B[y + 2i64, x] }
}`, h+2, w+2))
		if err != nil {
			t.Fatal(err)
		}
		apply := func(name string, nests []*Nest, args ...int64) *Nest {
			tr, _ := Lookup(name)
			n, err := tr.Apply(nests, Ints(args...), Call{})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		one := func(name string, n *Nest, args ...int64) *Nest { return apply(name, []*Nest{n}, args...) }
		factor, ahead := between(0, 2, "factor"), between(0, 3, "ahead")
		u := Build(f, 0)
		if factor > 0 {
			u = one("skew", u, 1, 2, factor)
		}
		tiled := rapid.Bool().Draw(t, "tiled")
		if tiled {
			u = one("interchange", inTiles(t, u, between(1, 4, "tile")), 1, 2)
		} else {
			u = one("interchange", u, 1, 2)
		}
		if factor == 2 && rapid.Bool().Draw(t, "parallel") {
			u = one("parallelize", u, 2)
		}
		blur := apply("fuse_union", []*Nest{Build(f, 1), one("shift", Build(f, 2), 1, ahead)}, 1)
		if rapid.Bool().Draw(t, "cut") {
			blur = one("stripmine", blur, 1, between(1, 4, "block"))
		}
		tree, _, err := Tree(f, []*Nest{u, blur}, Options{Machine: small})
		waves, passes := factor > 0 || h == 1 || w == 1, ahead >= 2
		parallel := len(u.Loops()) == 4 && u.Loops()[1].Parallel
		known := !parallel && !(tiled && factor == 0) // else it depends on the sizes
		if legal := waves && passes; (err == nil) != legal && known {
			t.Fatalf("legal: %v, but: %v", legal, err)
		}
		if err != nil {
			return
		}
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := scheduletest.Subject{F: f, G: f, Args: args}
		got, gotErr := s.Loops(t, tree)
		s.Matches(t, got, gotErr, schedule.Print(tree))
	})
}
