package passes_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/passes"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// passOf is the pass that a golden belongs to: its name is in front of that of the file.
func passOf(t *testing.T, name string) passes.Pass {
	t.Helper()
	name, _, _ = strings.Cut(filepath.Base(name), "_")
	for _, row := range passes.Table() {
		if row.Name == name {
			return row
		}
	}
	t.Fatalf("there is no pass %s", name)
	return passes.Pass{}
}

func parse(t *testing.T, text string) *loop.Func {
	t.Helper()
	f, err := loop.Parse(source.NewFile("in", text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestGolden runs the pass that a file is named after on the loops in "in" and compares with "out". What the pass needs
// holds before, what it promises behind, both are accepted, and compute the same.
func TestGolden(t *testing.T) {
	goldentest.Run(t, "testdata/*.txtar", "out", 1, func(t *testing.T, inputs []string) string {
		row := passOf(t, t.Name())
		f := parse(t, inputs[0])
		accepted(t, f, row.Needs)
		want := results(t, f, 0)
		row.Run(f, nil)
		accepted(t, f, row.Promises)
		if got := results(t, f, 1); !bytes.Equal(got, want) {
			t.Error("the pass changes what the loops compute")
		}
		text := loop.Print(f)
		if read := loop.Print(parse(t, text)); read != text {
			t.Errorf("the loops do not read back:\n%s", read)
		}
		return text
	})
}

func accepted(t *testing.T, f *loop.Func, properties []passes.Property) {
	t.Helper()
	if err := loop.Verify(f); err != nil {
		t.Fatalf("%v\n%s", err, loop.Print(f))
	}
	for _, p := range properties {
		if err := p.Holds(f); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

// results runs loops on arguments that depend on their sizes alone, in a workspace full of one byte, and returns what is in
// the arguments then.
func results(t *testing.T, f *loop.Func, fill byte) []byte {
	t.Helper()
	draw := rand.New(rand.NewPCG(1, 2))
	args := make([]loop.Word, len(f.Params))
	for i, p := range f.Params {
		if p.Buffer == nil {
			args[i].Value = 5
			continue
		}
		args[i].Bytes = make([]byte, p.Buffer.Length*int64(p.Buffer.Type.Elem.Size()))
		for k := range args[i].Bytes {
			if k%4 == 0 { // whole numbers from 0 to 7, or tiny floats
				args[i].Bytes[k] = byte(draw.IntN(8))
			}
		}
	}
	fault, err := loop.EvaluateWithin(t.Context(), f, args, bytes.Repeat([]byte{fill}, int(f.Workspace+f.Own)))
	if err != nil {
		t.Fatal(err)
	}
	all := []byte(fmt.Sprintf("%+v", fault))
	for _, a := range args {
		all = append(all, a.Bytes...)
	}
	return all
}

// TestNear changes numbers of the goldens' loops: subscripts, steps, ends and distances of lanes. What loops are accepted then
// compute the same behind the pass, whether it finds what it looks for or not, and the pass leaves nothing to do.
func TestNear(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	tried, changed := map[string]int{}, map[string]int{}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		row := passOf(t, strings.TrimSuffix(path, ".txtar"))
		draw := rand.New(rand.NewPCG(28, 4))
		for range sweep.Draws(t, 120, 5000) {
			f := parse(t, string(archive.Files[0].Data))
			for range 1 + draw.IntN(3) {
				change(f, draw)
			}
			if loop.Verify(f) != nil || slices.ContainsFunc(row.Needs, func(p passes.Property) bool { return p.Holds(f) != nil }) {
				continue
			}
			before := loop.Print(f)
			want := results(t, f, 0)
			if !bytes.Equal(want, results(t, f, 1)) { // it reads what nobody has written
				continue
			}
			row.Run(f, nil)
			after := loop.Print(f)
			accepted(t, f, row.Promises)
			if got := results(t, f, 1); !bytes.Equal(got, want) {
				t.Fatalf("%s changes what loops compute:\n%s\n%s", row.Name, before, after)
			}
			if tried[row.Name]++; after != before {
				changed[row.Name]++
			}
		}
	}
	for _, row := range passes.Table() {
		if changed[row.Name] < 3 {
			t.Errorf("%s changes %d of %d programs", row.Name, changed[row.Name], tried[row.Name])
		}
	}
	t.Logf("changed: %v of %v", changed, tried)
}

// change changes a number of a program.
func change(f *loop.Func, draw *rand.Rand) {
	var places []func(by int64)
	loop.Walk(f.Body, loop.Visitor{
		Stmt: func(s loop.Stmt) {
			if s, isLoop := s.(*loop.For); isLoop && s.Kind != loop.Parallel {
				places = append(places, func(by int64) { s.Step = max(1, s.Step+by) })
			}
		},
		Expr: func(e loop.Expr) {
			switch e := e.(type) {
			case *loop.Const:
				if e.Elem == tensor.Int64 {
					places = append(places, func(by int64) { e.Bits = uint64(int64(e.Bits) + by) })
				}
			case *loop.Ramp:
				places = append(places, func(by int64) { e.Stride += by })
			}
		},
	})
	places[draw.IntN(len(places))]([]int64{-8, -2, -1, 1, 2, 8}[draw.IntN(6)])
}

// TestRows asks that each pass has a golden that it changes, a file, words for what it does, and names of its own.
func TestRows(t *testing.T) {
	seen := map[string]bool{passes.Lowered: true}
	for _, row := range passes.Table() {
		if seen[row.Name] || row.Doc == "" || len(row.Promises) == 0 {
			t.Errorf("%q has no name of its own, says nothing, or promises nothing", row.Name)
		}
		seen[row.Name] = true
		changed := false
		paths, _ := filepath.Glob("testdata/" + row.Name + "*.txtar")
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, in, _ := strings.Cut(string(text), "-- in --\n")
			in, out, _ := strings.Cut(in, "-- out --\n")
			changed = changed || in != out
		}
		if !changed {
			t.Errorf("no file testdata/%s*.txtar says what the pass %s changes", row.Name, row.Name)
		}
		if _, err := os.Stat(strings.ReplaceAll(row.Name, "-", "_") + ".go"); err != nil {
			t.Errorf("the pass %s has no file of its own: %v", row.Name, err)
		}
	}
}

// TestDocuments compares the table of docs/architecture.md with that of the passes.
func TestDocuments(t *testing.T) {
	var text strings.Builder
	text.WriteString("| pass | what it does | what it needs | what it promises |\n|---|---|---|---|\n")
	var properties []passes.Property
	list := func(of []passes.Property) string {
		var names []string
		for _, p := range of {
			names = append(names, p.Name)
			if !strings.Contains(fmt.Sprint(properties), p.Name) {
				properties = append(properties, p)
			}
		}
		return strings.Join(names, ", ")
	}
	for _, row := range passes.Table() {
		fmt.Fprintf(&text, "| `%s` | %s | %s | %s |\n", row.Name, row.Doc, list(row.Needs), list(row.Promises))
	}
	text.WriteString("\n")
	for _, p := range properties {
		fmt.Fprintf(&text, "* *%s*: %s\n", p.Name, p.Doc)
	}
	goldentest.Section(t, "../../../docs/architecture.md", "passes of loops", text.String())
}
