package teml

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/langtest"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/source/sourcetest"
)

// compileFile compiles a program and verifies what comes out.
func compileFile(t testing.TB, file *source.File) (*lang.Unit, *source.Diagnostics) {
	t.Helper()
	return langtest.Compiler(Compile).Compile(t, file)
}

func compileText(t testing.TB, text string) (*lang.Unit, *source.Diagnostics) {
	t.Helper()
	return compileFile(t, source.NewFile("test.teml", text))
}

// TestLowering compares programs with the ein text that they are lowered to;
// -update records the text.
func TestLowering(t *testing.T) { langtest.Compiler(Compile).Lowering(t, "test.teml") }

var noOptions lang.Options

// TestTrees compares the states of the paper's examples, and of others, with what is
// recorded; the recorded text is the paper's.
func TestTrees(t *testing.T) {
	goldentest.Run(t, "testdata/trees/*.txtar", "trees", 1, func(t *testing.T, inputs []string) string {
		text, err := trees(source.NewFile("test.teml", inputs[0]), noOptions)
		if err != nil {
			t.Fatal(err)
		}
		return text
	})
}

// TestSteps compares the loops after each transformation with what is recorded.
func TestSteps(t *testing.T) {
	goldentest.Run(t, "testdata/steps/*.txtar", "steps", 1, func(t *testing.T, inputs []string) string {
		unit, diagnostics := compileText(t, inputs[0])
		if err := diagnostics.Err(); err != nil {
			t.Fatal(err)
		}
		plan, err := Run(unit.Defs[0].Func, nil, "", unit.Defs[0].Script)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := plan.Tree(); err != nil {
			t.Fatal(err)
		}
		return plan.Steps(false)
	})
}

// reported is all that check reports.
func reported(unit *lang.Unit, diagnostics *source.Diagnostics) *source.Diagnostics {
	return &source.Diagnostics{List: slices.Concat(diagnostics.List, unit.Refusals(), unit.Warnings())}
}

// TestErrors compares the diagnostics of programs with the expectations in their
// comments. A file has several programs, each below a line of dashes.
func TestErrors(t *testing.T) {
	sourcetest.Programs(t, "testdata/errors/*.teml", func(t *testing.T, file *source.File) *source.Diagnostics {
		return reported(compileFile(t, file))
	})
}

// FuzzCompile compiles any text: it never panics, and what is accepted verifies.
func FuzzCompile(f *testing.F) {
	langtest.Seeds(f, "E12")
	f.Add("A = tensor([N, 8])\nfun g(l, r...) = if r == [] then l else g(stripmine(l, r[1], 4), drop(r, 1))\nB = contract(A, A, [1, 1])\nl = g(build(B), 1)\nunroll(l, 2)\ncodegen f(l) -> B unchecked")
	langtest.Compiler(Compile).Fuzz(f, "fuzz.teml")
}

// standardCases are transformations that std.teml composes, for a depth, and the levels that
// they make: the numbers of the iterators, negative for loops over blocks.
func standardCases(depth int) map[string][]int {
	var cut, blocks, points, backwards []int
	for r := 1; r <= depth; r++ {
		cut, blocks, points, backwards = append(cut, -r, r), append(blocks, -r), append(points, r), append([]int{r}, backwards...)
	}
	list := func(levels []int) string {
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(levels), " ", ", "), "[]")
	}
	some := backwards[:(depth+1)/2]
	var without []int
	for _, r := range points {
		if !slices.Contains(some, r) {
			without = append(without, r)
		}
	}
	half := len(some)
	return map[string][]int{
		fmt.Sprintf("stripmine_n(l, %d, 4)", depth):     cut,
		"stripmine_n(l, 0, 4)":                          points,
		fmt.Sprintf("stripmine_n(l, [%d, 4])", half):    append(slices.Clone(cut[:2*half]), points[half:]...),
		fmt.Sprintf("interchange_n(l, 1, %d)", depth-1): append(slices.Clone(points[1:]), 1),
		fmt.Sprintf("interchange_n(l, [%d, 0])", depth): points,
		"tile(l, 8)":                                     append(slices.Clone(blocks), points...),
		"tile(l, [8])":                                   append(slices.Clone(blocks), points...),
		"tile(l, " + list(some) + ")":                    tiledSome(depth, half),
		"tile(l, [" + list(backwards) + "])":             tiledSome(depth, depth),
		"permute(l, " + list(backwards) + ")":            backwards,
		"permute(l, [" + list(some) + "])":               append(slices.Clone(some), without...),
		"unroll_partial(l, 1, 5)":                        {-1},
		fmt.Sprintf("unroll_jam(l, %d, 5)", depth):       append(slices.Clone(points[:depth-1]), -depth),
		"unroll_jam(l, [1, 5])":                          append([]int{-1}, points[1:]...),
		fmt.Sprintf("unroll_partial(l, [%d, 5])", depth): append(slices.Clone(points[:depth-1]), -depth),
	}
}

// tiledSome are the levels of a nest of which the first n levels are tiled; one size is for
// all of them.
func tiledSome(depth, n int) (levels []int) {
	if n == 1 {
		n = depth
	}
	for r := 1; r <= n; r++ {
		levels = append(levels, -r)
	}
	for r := 1; r <= depth; r++ {
		levels = append(levels, r)
	}
	return levels
}

// TestStandardTransformations compares the levels that the transformations of std.teml make
// with what equations (27) to (29) say, for depths 1 to 4, of scripts and of Go.
func TestStandardTransformations(t *testing.T) {
	for depth := 1; depth <= 4; depth++ {
		f := &ein.Func{Name: "f", Body: []*ein.Comprehension{{}}}
		for level := 1; level <= depth; level++ {
			f.Body[0].Indices = append(f.Body[0].Indices, &ein.Index{Name: fmt.Sprintf("i%d", level), Extent: affine.Const(int64(10 * level))})
		}
		f.Body[0].Writes = []*ein.Write{{Tensor: &ein.Tensor{Name: "C"}}}
		called := map[string]bool{}
		for text, want := range standardCases(depth) {
			plan, err := Run(f, nil, "", "l = build(C)\nl = "+text+"\ncodegen(l)")
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, l := range plan.nests[0].Loops() {
				var level int
				fmt.Sscanf(l.Name, "i%d", &level)
				if strings.HasSuffix(l.Name, "'") {
					level = -level
				}
				got = append(got, level)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s of depth %d has the levels %v, expected %v", text, depth, got, want)
			}
			name, rest, _ := strings.Cut(text, "(l, ")
			row, _ := transform.Lookup(name)
			called[name] = true
			var args []int64
			for _, word := range strings.Fields(strings.NewReplacer("[", "", "]", "", ")", "", ",", " ").Replace(rest)) {
				n, _ := strconv.ParseInt(word, 10, 64)
				args = append(args, n)
			}
			if n, err := Apply(row, []*transform.Nest{transform.Build(f, 0)}, transform.Ints(args...), transform.Call{}); err != nil || n.String() != plan.nests[0].String() {
				t.Errorf("%s of depth %d from Go: %v\n%s\nexpected\n%s", text, depth, err, n, plan.nests[0])
			}
		}
		for _, row := range transform.Table() {
			if _, composed := standardLibrary()[row.Name]; composed != row.Composed || composed && !called[row.Name] {
				t.Errorf("%s is composed in std.teml: %t, says so: %t, is tested: %t", row.Name, composed, row.Composed, called[row.Name])
			}
		}
	}
}

// TestScripts checks what is said about scripts for programs in other notations.
func TestScripts(t *testing.T) {
	f, err := ein.ParseFunc("test", "func f {\n  in A: float32[100]\n  out C: float32[100]\n  for i in 0:100 { C[i] = A[i] }\n  for i in 0:100 accumulate + { C[i] = A[i] }\n}")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"l = build(C)":                      "2 statements of f assign C",
		"l = build(B, 1)":                   "no statement of f assigns B",
		"l = build(C, 3)":                   "there is no number 3",
		"l = build(C, 1)":                   "generates no loops for f",
		"codegen(build(C, 1))":              "no nest has the statement of C",
		"codegen(build(C, 2), build(C, 1))": "the order of the nests breaks a dependence",
		"codegen(build(C, 1), build(C, 2))": "",
		"codegen(default())":                "",
		"D = build(C, 2); C = build(C, 1); codegen(promote(C, 1, C), D)": "",
		"codegen(parallelize(build(C, 1), 2))":                           "there is no level 2",
		"A = tensor([3]); B = eq(A, [i] -> [i])":                         "a script for another program",
		"codegen(":                                                       "expected an expression",
		"import \"lib.teml\"\ncodegen(blocked(build(C)))":                "a script for a program in another notation imports nothing",
		"fun g(l) = tille(l, 4); codegen(default())":                     "there is no function tille",
		"teml 0 of x: 0 1 2\ncodegen(default())":                         "that of a function with 3 statements, and f has 2 statements",
		"teml 0 of x: 0 99\ncodegen(default())":                          "names the assignments [0 99], counted from 0, and there are 0",
	} {
		plan, err := Run(f, &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2}, "", text)
		if err == nil {
			_, err = plan.Tree()
		}
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
}

// TestScriptName checks that errors of a script name the file that it is from.
func TestScriptName(t *testing.T) {
	_, err := Run(&ein.Func{Name: "f"}, nil, "mine.teml", "l = build(C)")
	if err == nil || !strings.Contains(err.Error(), "mine.teml:1:11") {
		t.Errorf("%v, expected a place in mine.teml", err)
	}
}
