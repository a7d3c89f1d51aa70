package passes_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/passes"
	"github.com/ricci-lang/ricci/internal/source"
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
		want := results(t, f)
		row.Run(f, nil)
		accepted(t, f, row.Promises)
		if got := results(t, f); !bytes.Equal(got, want) {
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

// results runs loops on arguments that depend on their sizes alone, and returns what is in these then.
func results(t *testing.T, f *loop.Func) []byte {
	t.Helper()
	draw := rand.New(rand.NewPCG(1, 2))
	args := make([]loop.Word, len(f.Params))
	for i, p := range f.Params {
		args[i].Bytes = make([]byte, p.Buffer.Length*int64(p.Buffer.Type.Elem.Size()))
		for k := range args[i].Bytes {
			if k%4 == 0 { // whole numbers from 0 to 7, or tiny floats
				args[i].Bytes[k] = byte(draw.IntN(8))
			}
		}
	}
	if fault, err := loop.Evaluate(f, args); err != nil || fault != nil {
		t.Fatalf("%v %v", fault, err)
	}
	var all []byte
	for _, a := range args {
		all = append(all, a.Bytes...)
	}
	return all
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
