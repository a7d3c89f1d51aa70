package testblock

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

const program = `
# test: above everything
def f(float(N) A) -> (B) {
  B(i) = A(i)
  # test: inside
}
def g(float(N) A) -> (B) { B(i) = A(i) } # test: no block
`

// parse reads the program with a block behind it.
func parse(t *testing.T, text string) ([]*Block, *source.Diagnostics) {
	t.Helper()
	file, diagnostics := notations.Of("test.tc").Outline(source.NewFile("test.tc", text))
	if diagnostics.HasErrors() {
		t.Fatal(diagnostics.Err())
	}
	return Parse(file)
}

func TestBlock(t *testing.T) {
	blocks, diagnostics := parse(t, program+`
# test: everything
#   def   f
#   size  N = 4, M = 0x3
#   in    A = [[1, -2.5e-3],
#              [nan, -inf]]
#   in    b : bool = true
#   in    c : float32(2, N) = random(7)
#   in    d = iota
#   in    e = const(0.5)
#   in    p = "data/a.npy"
#   out   C : int64(0) = []
#   out   D = [[], []]
#   tolerance 1e-5
#   property f(A) == g(B, A) + x
#   trials 3
# not a part
`)
	if err := diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	names := []string{"above everything f", "inside f", "everything f"}
	for i, b := range blocks {
		if got := b.Name + " " + b.Def; got != names[i] {
			t.Errorf("block %d is %s", i, got)
		}
	}
	b := blocks[2]
	numbers := func(texts ...string) []Number {
		list := make([]Number, len(texts))
		for i, text := range texts {
			list[i] = Number{text}
		}
		return list
	}
	want := []Tensor{
		{Name: "A", Value: &Literal{Shape: []int{2, 2}, Elements: numbers("1", "-2.5e-3", "nan", "-inf")}},
		{Name: "b", Type: &Type{DType: tensor.Bool}, Value: &Literal{Elements: numbers("true")}},
		{Name: "c", Type: &Type{DType: tensor.Float32, Dims: []Dim{{Value: 2}, {Name: "N"}}}, Value: &Random{Seed: 7, HasSeed: true}},
		{Name: "d", Value: &Iota{}},
		{Name: "e", Value: &Const{Number{"0.5"}}},
		{Name: "p", Value: &File{"data/a.npy"}},
		{Name: "C", Type: &Type{DType: tensor.Int64, Dims: []Dim{{Value: 0}}}, Value: &Literal{Shape: []int{0}}},
		{Name: "D", Value: &Literal{Shape: []int{2, 0}}},
	}
	got := append(append([]Tensor(nil), b.Inputs...), b.Outputs...)
	noPlaces := cmp.Transformer("span", func(source.Span) string { return "" })
	if diff := cmp.Diff(want, got, noPlaces); diff != "" {
		t.Error(diff)
	}
	if b.Sizes[0].Value != 4 || b.Sizes[1].Value != 3 || *b.Tolerance != 1e-5 || b.Trials != 3 {
		t.Errorf("the block is %+v", b)
	}
	if diff := cmp.Diff([]string{"A", "B", "x"}, b.Properties[0].Variables()); diff != "" {
		t.Error(diff)
	}
	if !strings.HasSuffix(b.Pos.Text(), "trials 3") {
		t.Errorf("the block ends with %q", b.Pos.Text())
	}
}

func TestErrorLine(t *testing.T) {
	blocks, diagnostics := parse(t, program+"# test: a\n#   error \"wrong \\\\d\"\n\n# test: b\n#   def g\n#   error E0105\n")
	if err := diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	d := &source.Diagnostic{Code: "E0105", Message: "wrong 3"}
	for _, b := range blocks[2:] {
		if b.Def != "g" || !b.Error.Matches(d) || b.Error.Matches(&source.Diagnostic{Code: "E0106", Message: "wrong"}) {
			t.Errorf("the block is %+v", b)
		}
	}
}

func TestMistakes(t *testing.T) {
	cases := []struct{ lines, want string }{
		{"input A = 3", "E0902.*'input' does not start"},
		{"oout A = 3", "did you mean out?"},
		{"in A 3", "E0902.*found '3', expected '='"},
		{"in A =", "E0903.*found the end of the line, expected a number"},
		{"in A = 3 4", "E0902.*found '4' after a complete line"},
		{"in A = 3x", "E0903.*'3x' is not a number"},
		{"in A = infinity", "E0903.*'infinity' is not a number"},
		{"in A = [1, [2]]", "E0903.*shape (1), those before it have ()"},
		{"in A = [[1, 2],\n#  [3]]\n#   in B = 3", "E0903.*shape (1), those before it have (2)"},
		{"in A = [1 2]", "E0903.*found '2]', expected ',' or ']'"},
		{"in A = [1, 2", "E0903.*found the end of the line"},
		{"in A = [1,]", "E0903.*found ']', expected a number"},
		{"in A : flaot = 3", "did you mean float?"},
		{"in A : float(-1) = 3", "E0903.*expected a size or a number"},
		{"in A = random(x)", "E0903.*'x' is not a number"},
		{"in A = random(-1)", "E0903.*seed is -1"},
		{"in A = \"a", "E0903.*not closed"},
		{"out A = random", "E0903.*cannot be random"},
		{"in A = 3\n#   in A = 4", "E0904.*the input A is given twice"},
		{"size N = 1.5", "E0903.*whole number"},
		{"size N = 3, 4 = 3", "E0902.*expected the name of a size"},
		{"tolerance -1", "E0903.*not negative"},
		{"trials 0", "E0903.*from 1"},
		{"error E9999", "E0908.*'E9999' is not a code"},
		{"error \"(\"", "E0908.*not a regular expression"},
		{"error E0105\n#   out C = 3", "E0905"},
		{"property f(A)", "E0906.*not an equality"},
		{"property f(A) == ", "E0126"},
		{"property f(A) = g(A)", "E0127.*equality is =="},
		{"property f(A) == g(A) x", "E0105.*after a complete expression"},
		{"def h", "E0907.*no def 'h'"},
		{"trials 3\n#out C = 3", "E0902.*not indented"},
		{"trials 3\n\n# test: it", "E0904.*two tests"},
		{"trials 3\n\n# test:  ", "E0901.*no name"},
	}
	for _, c := range cases {
		_, diagnostics := parse(t, program+"# test: it\n#   "+c.lines)
		if len(diagnostics.List) != 1 {
			t.Errorf("%s: %d diagnostics: %v", c.lines, len(diagnostics.List), diagnostics.Err())
			continue
		}
		d := diagnostics.List[0]
		text := string(d.Code) + " " + d.Message + " " + d.Help
		for _, part := range strings.Split(c.want, ".*") {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %s, want %s", c.lines, text, c.want)
			}
		}
	}
}

func TestCodes(t *testing.T) {
	for _, info := range source.Codes() {
		if info.Code < "E0901" || info.Code > source.CodeTestPattern {
			continue
		}
		if _, diagnostics := parse(t, info.Example); len(diagnostics.List) != 1 || diagnostics.List[0].Code != info.Code {
			t.Errorf("%s: the example gives %v", info.Code, diagnostics.Err())
		}
		if _, diagnostics := parse(t, info.Fix); len(diagnostics.List) > 0 {
			t.Errorf("%s: the mended example gives %v", info.Code, diagnostics.Err())
		}
	}
}

func TestNumber(t *testing.T) {
	cases := []struct {
		text     string
		signed   int64
		isInt    bool
		unsigned uint64
		isUint   bool
		float    float64
	}{
		{"18446744073709551615", 0, false, 1<<64 - 1, true, 1 << 64},
		{"-9223372036854775808", -1 << 63, true, 0, false, -1 << 63},
		{"0x1F", 31, true, 31, true, 31},
		{"007", 7, true, 7, true, 7},
		{"true", 1, true, 1, true, 1},
		{"1.5", 0, false, 0, false, 1.5},
		{"00", 0, true, 0, true, 0},
	}
	for _, c := range cases {
		n := Number{c.text}
		i, isInt := n.Int64()
		u, isUint := n.Uint64()
		if isInt != c.isInt || isUint != c.isUint || isInt && i != c.signed || isUint && u != c.unsigned || n.Float64() != c.float || !n.valid() {
			t.Errorf("%s: %d %v, %d %v, %g", c.text, i, isInt, u, isUint, n.Float64())
		}
	}
}

// TestExamples checks that the example programs are formatted, that their tests
// can be read, and that each def has one, or a property that calls it. (A def with type parameters has several
// names.)
func TestExamples(t *testing.T) {
	for _, notation := range notations.All() {
		pattern := "../../examples/" + strings.TrimPrefix(notation.Extension, ".") + "/*" + notation.Extension
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			testExample(t, notation, path)
		}
	}
}

func testExample(t *testing.T, notation *lang.Notation, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file := source.NewFile(path, string(text))
	formatted, diagnostics := notation.Format(file)
	if err := diagnostics.Err(); err != nil {
		t.Error(err)
		return
	}
	if formatted != string(text) {
		t.Errorf("%s is not formatted", path)
	}
	outline, _ := notation.Outline(file)
	blocks, diagnostics := Parse(outline)
	if err := diagnostics.Err(); err != nil {
		t.Error(err)
	}
	called := map[string]bool{}
	for _, b := range blocks {
		called[b.Def] = true
		for _, p := range b.Properties {
			for _, side := range []syntax.Expr{p.Left, p.Right} {
				syntax.Walk(side, func(e syntax.Expr) bool {
					if call, ok := e.(*syntax.Apply); ok {
						called[call.Func.Name] = true
					}
					return true
				})
			}
		}
	}
	tested := map[source.Span]bool{}
	for _, def := range outline.Defs {
		tested[def.Pos] = tested[def.Pos] || called[def.Name]
	}
	for _, def := range outline.Defs {
		if !tested[def.Pos] {
			t.Errorf("%s: the def %s has no tests", path, def.Name)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(program + "# test: it\n#   in A : float(2, N) = [[1, 2],\n# [nan]]\n#   property f(A) == g(A)\n")
	f.Add("# test: a\r\n#  size N = 3\r\n#\terror E0105")
	for _, info := range source.Codes() {
		if info.Code > "E0900" {
			f.Add(info.Example)
			f.Add(info.Fix)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, _ := notations.Of("fuzz.tc").Outline(source.NewFile("fuzz.tc", text))
		blocks, diagnostics := Parse(file)
		for _, d := range diagnostics.List {
			if _, ok := source.Lookup(d.Code); !ok {
				t.Fatalf("unknown code %s", d.Code)
			}
			if d.Span.Start < 0 || d.Span.Start > d.Span.End || d.Span.End > len(text) {
				t.Fatalf("the place %d:%d is outside of the text", d.Span.Start, d.Span.End)
			}
		}
		for _, b := range blocks {
			for _, input := range b.Inputs {
				if literal, ok := input.Value.(*Literal); ok && !diagnostics.HasErrors() {
					count := 1
					for _, extent := range literal.Shape {
						count *= extent
					}
					if count != len(literal.Elements) {
						t.Fatalf("%d elements have the shape %v", len(literal.Elements), literal.Shape)
					}
				}
			}
		}
	})
}

// TestStrands reads a block of a program whose comments begin with two strokes.
func TestStrands(t *testing.T) {
	text := `#version 2.0
strand s(int i) {
  output int π' = i;
  update { stabilize; }
}
create_array { s(i) | i in 0..3 }
// test: everything
//   in  λ = [[1, 2],
//            [3, 4]] // no part
//   in  t = "a text"
//   out path-len = [[0, 1]]
//   out π' = [0, 1]
//   limit 20
//   prints "a"
//   prints "b\n"
//   double
//   tolerance 1e-3 of 2
`
	outline, _ := notations.Of("x.diderot").Outline(source.NewFile("x.diderot", strings.Replace(text, " // no part", "", 1)))
	blocks, diagnostics := Parse(outline)
	if err := diagnostics.Err(); err != nil || len(blocks) != 1 {
		t.Fatal(blocks, err)
	}
	b := blocks[0]
	var names []string
	for _, x := range append(b.Inputs, b.Outputs...) {
		names = append(names, x.Name)
	}
	if diff := cmp.Diff([]string{"λ", "t", "path-len", "π'"}, names); diff != "" {
		t.Error(diff)
	}
	if b.Def != "s" || b.Limit != 20 || *b.Prints != "ab\n" || !b.Double || *b.Tolerance != 1e-3 || b.Scale != 2 || b.Inputs[0].Value.(*Literal).Elements[2].Text != "3" {
		t.Errorf("the block is %+v", b)
	}
	if _, diagnostics := Parse(&lang.Outline{Source: outline.Source, Comments: outline.Comments, Defs: []lang.DefName{{Name: "s"}}}); diagnostics.Err() == nil {
		t.Error("a def has a limit of super-steps")
	}
}
