package notations_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/lang/teil/guard"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// compile compiles the first of the files, which import each other.
func compile(t testing.TB, main string, files map[string]string) (*lang.Unit, *source.Diagnostics) {
	t.Helper()
	open := func(path string) (*source.File, error) {
		text, ok := files[filepath.ToSlash(path)]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return source.NewFile(path, text), nil
	}
	file := source.NewFile(main, files[main])
	unit, diagnostics := notations.Of(main).Compile(file, lang.Options{Importer: &lang.Importer{Open: open, Notation: notations.For}})
	for _, f := range unit.Program.Funcs {
		if err := ein.Verify(f); err != nil {
			t.Errorf("%v\n%s", err, ein.Print(f))
		}
	}
	return unit, diagnostics
}

// TestCalls compares what is said of programs of several files in testdata/calls with what is
// recorded: the first file is compiled. Of one without errors its own defs are printed.
func TestCalls(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("testdata/calls/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no programs", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "said" })
			for _, f := range archive.Files {
				files[f.Name] = string(f.Data)
			}
			var b strings.Builder
			unit, diagnostics := compile(t, archive.Files[0].Name, files)
			list := slices.Clone(diagnostics.List)
			for _, w := range slices.Concat(unit.Warnings(), unit.Refusals()) {
				if !w.IsAmong(list) {
					list = append(list, w)
				}
			}
			source.RenderAll(&b, list, source.RenderOptions{})
			said := strings.ReplaceAll(b.String(), here, "/here")
			b.Reset()
			b.WriteString(said)
			for _, def := range unit.Defs {
				if def.Pos.File.Name == archive.Files[0].Name && !diagnostics.HasErrors() {
					b.WriteString(ein.Print(def.Func))
				}
			}
			goldentest.Text(t, path, string(txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: append(archive.Files, txtar.File{Name: "said", Data: []byte(b.String())})})))
		})
	}
}

// A shape is that of a matrix in the sizes m and n.
type shape struct{ rows, columns string }

// A kind is an operation on a float32 matrix, written in every notation. Texts have X for the operand, Y for the
// result, and R and C for the numbers of rows and columns of X.
type kind struct {
	name   string
	result func(shape) shape
	tc     string
	mdh    string // a computation called NAME
	teil   string
	teml   string
	locals string // of TeIL
}

var kinds = []kind{
	{
		name: "map", result: func(s shape) shape { return s },
		tc:   "Y(i,j) = 2*X(i,j) + 1",
		mdh:  "NAME<I, J> := out_view<float32>(Y: (i, j) -> (i, j)) o md_hom<I, J>((x) -> 2*x + 1, (++, ++)) o inp_view<float32>(X: (i, j) -> (i, j))",
		teil: "Y = add (mul 2 X) (expa 2 C (expa 1 R 1))",
		teml: "Y = add(vmul(X, 2, [[i, j], ]), 1, [, ] -> [i, j])",
	},
	{
		name: "contraction", result: func(s shape) shape { return shape{s.rows, s.rows} },
		tc:   "Y(i,k) +=! X(i,j) * X(k,j)",
		mdh:  "NAME<I, K, J> := out_view<float32>(Y: (i, k, j) -> (i, k)) o md_hom<I, K, J>(*, (++, ++, pw(+))) o inp_view<float32, float32>(X: (i, k, j) -> (i, j), Z: (i, k, j) -> (k, j))",
		teil: "Y = contr 2 4 (prod X X)",
		teml: "Y = add(Y, vmul(X, X, [[i, j], [k, j]]), [[i, k], ] -> [i, k])",
	},
	{
		name: "stencil", result: func(s shape) shape { return shape{s.rows, s.columns + " - 1"} },
		tc:   "Y(i,j) = X(i,j) - X(i,j+1)",
		mdh:  "NAME<I, J> := out_view<float32>(Y: (i, j) -> (i, j)) o md_hom<I, J>((x) -> x[1] - x[2], (++, ++)) o inp_view<float32>(X: (i, j) -> (i, j), (i, j) -> (i, j + 1))",
		teil: "Y = sub (shift 2 0 (C - 1) X) (shift 2 1 (C - 1) X)",
		teml: "Y = sub(X, X, [[i, j], [i, j + 1]] -> [i, j])",
	},
	{
		name: "fold", result: func(s shape) shape { return s },
		tc:     "sY(j) +=! X(i,j)  Y(i,j) = X(i,j) - sY(j)",
		mdh:    "NAME_sum<I, J> := out_view<float32>(S: (i, j) -> (j)) o md_hom<I, J>(id, (pw(+), ++)) o inp_view<float32>(X: (i, j) -> (i, j))\nNAME_less<I, J> := out_view<float32>(Y: (i, j) -> (i, j)) o md_hom<I, J>(-, (++, ++)) o inp_view<float32, float32>(X: (i, j) -> (i, j), S: (i, j) -> (j))\nNAME<I, J> := (X: float32[I, J]) -> (Y) where S := NAME_sum(X); Y := NAME_less(X, S)",
		teil:   "sY = red+ 1 X\n  Y = sub X (expa 1 R sY)",
		locals: "alloc sY : float [C]",
		teml:   "sY = add(sY, X, [[j], [i, j]] -> [j])\nY = sub(X, sY, [[i, j], [j]] -> [i, j])",
	},
}

// in replaces the words of a text.
func in(text, x, y string, s shape) string {
	words := strings.NewReplacer("sY", "s"+y, "X", x, "Y", y, "R", parenthesised(s.rows), "C", parenthesised(s.columns))
	return words.Replace(text)
}

func parenthesised(size string) string {
	if strings.Contains(size, " ") {
		return "(" + size + ")"
	}
	return size
}

// A link is a def of a chain: it applies a kind, and calls the next one for the result.
type link struct {
	notation string // its extension
	kind     kind
}

// names of the defs and files of a chain.
func defName(n int) string          { return fmt.Sprintf("link%d", n) }
func fileName(n int, l link) string { return defName(n) + l.notation }

// writeChain writes the files of a chain.
func writeChain(chain []link) map[string]string {
	files := map[string]string{}
	for n, l := range chain {
		head, next := "", ""
		if n+1 < len(chain) {
			head, next = fmt.Sprintf("import %q\n", fileName(n+1, chain[n+1])), defName(n+1)
		}
		files[fileName(n, l)] = head + writers[l.notation](defName(n), l.kind, next, chain[n+1:])
	}
	return files
}

// shapeOf is that of the result of a chain for an operand.
func shapeOf(s shape, chain []link) shape {
	for _, l := range chain {
		s = l.kind.result(s)
	}
	return s
}

var operand = shape{"m", "n"}

// writers write the def of a link in each notation; next is empty in the last one.
var writers = map[string]func(name string, k kind, next string, rest []link) string{
	".tc": func(name string, k kind, next string, _ []link) string {
		if next == "" {
			return fmt.Sprintf("def %s(float(m,n) A) -> (B) { %s }\n", name, in(k.tc, "A", "B", operand))
		}
		return fmt.Sprintf("def %s(float(m,n) A) -> (B) { %s  B = %s(T) }\n", name, in(k.tc, "A", "T", operand), next)
	},
	".mdh": func(name string, k kind, next string, _ []link) string {
		arguments := "A"
		if k.name == "contraction" {
			arguments = "A, A"
		}
		step := fmt.Sprintf("T := %s_own(%s)", name, arguments)
		if next != "" {
			step += fmt.Sprintf("; B := %s(T)", next)
		} else {
			step = strings.Replace(step, "T", "B", 1)
		}
		return fmt.Sprintf("%s\n%s<m, n> := (A: float32[m, n]) -> (B) where %s\n", strings.ReplaceAll(k.mdh, "NAME", name+"_own"), name, step)
	},
	".teil": func(name string, k kind, next string, rest []link) string {
		own := k.result(operand)
		result, target := own, "B"
		var lines []string
		if next != "" {
			result, target = shapeOf(own, rest), "T"
			lines = append(lines, fmt.Sprintf("alloc T : float [%s, %s]", own.rows, own.columns))
		}
		lines = append([]string{"alloc A : float [m, n] in", fmt.Sprintf("alloc B : float [%s, %s] out", result.rows, result.columns)}, lines...)
		if k.locals != "" {
			lines = append(lines, in(k.locals, "A", target, operand))
		}
		lines = append(lines, in(k.teil, "A", target, operand))
		if next != "" {
			lines = append(lines, fmt.Sprintf("B = %s(T)", next))
		}
		return "def " + name + "\n  " + strings.Join(lines, "\n  ") + "\n"
	},
	".teml": func(name string, k kind, next string, _ []link) string {
		text := "option type float32\nA = tensor([m, n])\n"
		if next == "" {
			return text + in(k.teml, "A", "B", operand) + "\ncodegen " + name + "()\n"
		}
		return text + in(k.teml, "A", "T", operand) + "\nB = " + next + "(T)\ncodegen " + name + "()\n"
	},
}

// byHand is the chain as one def without calls.
func byHand(chain []link) string {
	var steps []string
	for n, l := range chain {
		x, y := fmt.Sprintf("t%d", n), fmt.Sprintf("t%d", n+1)
		if n == 0 {
			x = "A"
		}
		if n == len(chain)-1 {
			y = "B"
		}
		steps = append(steps, in(l.kind.tc, x, y, operand))
	}
	return "def whole(float(m,n) A) -> (B) {\n  " + strings.Join(steps, "\n  ") + "\n}\n"
}

// evaluate computes B of a function for one matrix of whole numbers.
func evaluate(t *testing.T, f *ein.Func) []float64 {
	t.Helper()
	a, err := tensor.New(tensor.Float32, 4, 7)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		for j := range 7 {
			a.SetFloat(float64((3*i*i+5*j+i*j)%7-3), i, j)
		}
	}
	sizes, err := f.Bind(map[string][]int64{"A": {4, 7}}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, ein.Print(f))
	}
	out, err := ein.Evaluate(f, map[string]*tensor.Tensor{"A": a}, ein.EvalOptions{Sizes: sizes})
	if err != nil {
		t.Fatal(err)
	}
	b := out["B"]
	list := []float64{float64(b.Shape()[0]), float64(b.Shape()[1])}
	for i := range b.Shape()[0] {
		for j := range b.Shape()[1] {
			list = append(list, b.Float(i, j))
		}
	}
	return list
}

// checkChain compares a chain with the same program without calls, and asks the guard.
func checkChain(t *testing.T, chain []link) {
	t.Helper()
	files := writeChain(chain)
	unit, diagnostics := compile(t, fileName(0, chain[0]), files)
	whole, more := compile(t, "whole.tc", map[string]string{"whole.tc": byHand(chain)})
	if diagnostics.HasErrors() || more.HasErrors() {
		t.Fatalf("%v\n%v\n%v\n%s", diagnostics.Err(), more.Err(), files, byHand(chain))
	}
	def := unit.Def(defName(0))
	got, want := evaluate(t, def.Func), evaluate(t, whole.Def("whole").Func)
	if !slices.Equal(got, want) {
		t.Errorf("%v\ngot  %v\nwant %v\n%s", files, got, want, ein.Print(def.Func))
	}
	if report, err := guard.Check(def.Func); err != nil || report.Verdict != guard.Safe {
		t.Errorf("the guard: %v %v\n%s", report, err, ein.Print(def.Func))
	}
	if len(unit.Files) != len(chain) {
		t.Errorf("%d files of %d", len(unit.Files), len(chain))
	}
}

// withCalls are the extensions of notations whose defs call others; programs of strands have none.
func withCalls() []string {
	return slices.DeleteFunc(notations.Extensions(), func(extension string) bool { return writers[extension] == nil })
}

// Every notation calls every one, also its own: the value is that of the program without calls.
func TestPairs(t *testing.T) {
	number := 0
	for _, caller := range withCalls() {
		for _, called := range withCalls() {
			for n := range kinds {
				number++
				checkChain(t, []link{{caller, kinds[number%len(kinds)]}, {called, kinds[n]}})
			}
		}
	}
}

// draw draws a chain.
func draw(r *rand.Rand) (chain []link) {
	list := withCalls()
	for range 2 + r.IntN(3) {
		chain = append(chain, link{list[r.IntN(len(list))], kinds[r.IntN(len(kinds))]})
	}
	return chain
}

// Chains of defs compute what the program without calls does.
func TestChains(t *testing.T) {
	for seed := range sweep.Draws(t, 25, 500) {
		checkChain(t, draw(rand.New(rand.NewPCG(uint64(seed), 1))))
	}
}

// A fault is a mistake in one file of a chain: what is replaced, and where errors stand: in the file
// itself, or in the one that imports it.
type fault struct {
	name     string
	plant    func(text string) string
	inCaller bool
	codes    string
}

var faults = []fault{
	{"a call of what nobody defines", func(s string) string { return strings.Replace(s, "(T)", "_(T)", 1) }, false, "E0201 E1002 E1102 E1202"},
	{"an argument too many", func(s string) string { return strings.Replace(s, "(T)", "(T, T)", 1) }, false, "E0502 E1005 E1108"},
	{"a file that is not there", func(s string) string { return strings.Replace(s, `import "`, `import "no`, 1) }, false, "E0506"},
	{"another type of elements", func(s string) string {
		return strings.NewReplacer("float(m,n)", "double(m,n)", "float32", "float64", ": float ", ": double ").Replace(s)
	}, true, "E0502 E0503 E1004 E1108 E0202"},
	{"a wrong import of the caller", func(s string) string { return `import "link0.tc"` + "\n" + `import "link0.mdh"` + "\n" + s }, false, "E0506 E0512 E0507 E1003 E1103 E1004"},
}

// A mistake in the middle of a chain is reported where it is, or at the call that does not fit; and a
// diagnostic that concerns two files points into both.
func TestPlantedErrors(t *testing.T) {
	found := 0
	for seed := range sweep.Draws(t, 60, 2000) {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		chain, f := draw(r), faults[seed%len(faults)]
		at := r.IntN(len(chain))
		if f.inCaller && at == 0 {
			at = 1
		}
		files := writeChain(chain)
		name := fileName(at, chain[at])
		planted := f.plant(files[name])
		if planted == files[name] {
			continue
		}
		files[name] = planted
		_, diagnostics := compile(t, fileName(0, chain[0]), files)
		where := map[string]bool{name: true}
		if f.inCaller {
			where = map[string]bool{fileName(at-1, chain[at-1]): true, name: at+1 < len(chain)}
		}
		if !diagnostics.HasErrors() {
			t.Errorf("%s is not noticed in %s\n%v", f.name, name, files)
			continue
		}
		found++
		for _, d := range diagnostics.List {
			if d.Severity != source.Error {
				continue
			}
			if d.Span.File == nil || !where[d.Span.File.Name] || !strings.Contains(f.codes, string(d.Code)) {
				t.Errorf("%s in %s: %v\n%v", f.name, name, d, files)
			}
			if places := filesOf(d); at > 0 && !places[fileName(at-1, chain[at-1])] {
				t.Errorf("%s in %s: %v does not point at the importing file", f.name, name, d)
			}
			if d.Help == "" {
				t.Errorf("%s in %s: %v has no help", f.name, name, d)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d mistakes were planted", found)
	}
}

// filesOf lists the files that a diagnostic points into.
func filesOf(d *source.Diagnostic) map[string]bool {
	files := map[string]bool{}
	for _, at := range append([]source.Note{{Span: d.Span}}, d.Notes...) {
		if at.Span.File != nil {
			files[at.Span.File.Name] = true
		}
	}
	return files
}
