package teml

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/source/sourcetest"
)

// compileFile compiles a program and verifies what comes out.
func compileFile(t testing.TB, file *source.File) (*lang.Unit, *source.Diagnostics) {
	t.Helper()
	unit, diagnostics := Compile(file, lang.Options{})
	for _, f := range unit.Program.Funcs {
		if err := ein.Verify(f); err != nil {
			t.Errorf("%v\n%s", err, ein.Print(f))
		}
	}
	return unit, diagnostics
}

func compileText(t testing.TB, text string) (*lang.Unit, *source.Diagnostics) {
	t.Helper()
	return compileFile(t, source.NewFile("test.teml", text))
}

// TestLowering compares programs with the ein text that they are lowered to;
// -update records the text.
func TestLowering(t *testing.T) {
	goldentest.Run(t, "testdata/lower/*.txtar", "ein", 1, func(t *testing.T, inputs []string) string {
		unit, diagnostics := compileText(t, inputs[0])
		if err := diagnostics.Err(); err != nil {
			t.Fatal(err)
		}
		return ein.PrintProgram(unit.Program)
	})
}

var noOptions lang.Options

// TestTrees compares the states of the paper's examples, and of others, with what is
// recorded; the recorded text is the paper's.
func TestTrees(t *testing.T) {
	goldentest.Run(t, "testdata/trees/*.txtar", "trees", 1, func(t *testing.T, inputs []string) string {
		text, err := trees(source.NewFile("test.teml", inputs[0]))
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
		return plan.Steps()
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
	for _, info := range source.Codes() {
		if info.Code > "E1200" && info.Code < "E1300" {
			f.Add(info.Example)
			f.Add(info.Fix)
		}
	}
	f.Add("A = tensor([N, 8])\nfun g(l, r...) = if r == [] then l else g(stripmine(l, r[1], 4), drop(r, 1))\nB = contract(A, A, [1, 1])\nl = g(build(B), 1)\nunroll(l, 2)\ncodegen f(l) -> B unchecked")
	f.Fuzz(func(t *testing.T, text string) {
		unit, _ := Compile(source.NewFile("fuzz.teml", text), noOptions)
		for _, fn := range unit.Program.Funcs {
			if err := ein.Verify(fn); err != nil {
				t.Fatalf("%v\n%s", err, ein.Print(fn))
			}
		}
	})
}

// standardCases are arguments of the transformations that std.teml composes, for a depth.
func standardCases(depth int64) map[string][][]int64 {
	backwards := []int64{}
	for r := depth; r > 0; r-- {
		backwards = append(backwards, r)
	}
	return map[string][][]int64{
		"stripmine_n": {{depth, 4}}, "interchange_n": {{1, depth - 1}}, "unroll_partial": {{1, 5}}, "unroll_jam": {{1, 5}},
		"tile":    {{8}, backwards, backwards[:(depth+1)/2]},
		"permute": {backwards, {depth}, append([]int64{(depth + 1) / 2}, backwards[:depth/2]...)},
	}
}

// TestStandardTransformations compares the transformations that std.teml composes with
// the rows of the table, for depths 1 to 4 (equations (27) to (29)).
func TestStandardTransformations(t *testing.T) {
	for depth := 1; depth <= 4; depth++ {
		f := &ein.Func{Name: "f", Body: []*ein.Comprehension{{}}}
		for level := 1; level <= depth; level++ {
			f.Body[0].Indices = append(f.Body[0].Indices, &ein.Index{Name: fmt.Sprintf("i%d", level), Extent: affine.Const(int64(10 * level))})
		}
		f.Body[0].Writes = []*ein.Write{{Tensor: &ein.Tensor{Name: "C"}}}
		cases := standardCases(int64(depth))
		for _, row := range transform.Table() {
			if _, composed := standard()[row.Name]; composed != (cases[row.Name] != nil) {
				t.Errorf("%s is composed in std.teml: %t, and has cases here: %t", row.Name, composed, !composed)
			}
			for _, args := range cases[row.Name] {
				numbers := strings.Trim(strings.ReplaceAll(fmt.Sprint(args), " ", ", "), "[]")
				forms := []string{numbers}
				if row.Name == "tile" || row.Name == "permute" {
					forms = append(forms, "["+numbers+"]")
				}
				want, err := row.Apply([]*transform.Nest{transform.Build(f, 0)}, transform.Ints(args...), transform.Call{})
				if err != nil {
					t.Fatalf("%s(l, %s) at depth %d: %v", row.Name, numbers, depth, err)
				}
				for _, form := range forms {
					text := fmt.Sprintf("l = %s(build(C), %s)\ncodegen(l)", row.Name, form)
					plan, err := Run(f, nil, "", text)
					if err != nil {
						t.Fatal(err)
					}
					if got := plan.nests[0].String(); got != want.String() && (form == numbers || len(args) > 1) {
						t.Errorf("%s of depth %d:\n%s\nexpected\n%s", text, depth, got, want)
					}
					steps := plan.nests[0].Steps()
					if last, _ := steps[len(steps)-1].Step(); last != nil && last.Transformation.Name == row.Name {
						t.Errorf("%s is not the one of std.teml", row.Name)
					}
				}
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
		"l = build(C)":                           "2 statements of f assign C",
		"l = build(B, 1)":                        "no statement of f assigns B",
		"l = build(C, 3)":                        "there is no number 3",
		"l = build(C, 1)":                        "generates no loops for f",
		"codegen(build(C, 1))":                   "no nest has the statement of C",
		"codegen(build(C, 2), build(C, 1))":      "the order of the nests breaks a dependence",
		"codegen(build(C, 1), build(C, 2))":      "",
		"codegen(default())":                     "",
		"codegen(parallelize(build(C, 1), 2))":   "there is no level 2",
		"A = tensor([3]); B = eq(A, [i] -> [i])": "a script for another program",
		"codegen(":                               "expected an expression",
	} {
		plan, err := Run(f, &schedule.Machine{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2}, "", text)
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
