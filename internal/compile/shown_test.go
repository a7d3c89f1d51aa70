package compile

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/targets"
)

// eachExample calls check with the defs of the examples, in a quick run with some of each file,
// for sizes that they take.
func eachExample(t *testing.T, check func(t *testing.T, job *Job)) {
	t.Helper()
	files, err := filepath.Glob("../../examples/*/*.*")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	for _, file := range files {
		for _, d := range sweep.Some(t, defsOf(t, file), 3) {
			if job := exampleJob(d); job != nil {
				t.Run(filepath.Base(file)+"/"+d.Name, func(t *testing.T) { check(t, job) })
			}
		}
	}
}

// defsOf compiles an example; none are in a script, or in a part of a program.
func defsOf(t *testing.T, path string) (list []*Def) {
	t.Helper()
	notation, err := notations.For(path)
	if err != nil {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	unit, diagnostics := notation.Compile(source.NewFile(path, string(text)), lang.Options{})
	if diagnostics.Err() != nil {
		return nil
	}
	for _, d := range unit.Defs {
		list = append(list, &Def{Def: d, Files: unit.Files, Extension: notation.Extension})
	}
	return list
}

// exampleJob returns the compilation of a def for some sizes that it takes.
func exampleJob(d *Def) *Job {
	for _, size := range []int64{48, 24, 7} {
		sizes := map[string]int64{}
		for n, s := range d.Func.Sizes {
			sizes[s.Name] = size + int64(n)
		}
		if job, err := NewForSizes(context.Background(), d, sizes, Options{Untuned: true}); err == nil {
			return job
		}
	}
	return nil
}

var (
	wordPattern    = regexp.MustCompile(`\b[A-Za-z_]\w*`)
	commentPattern = regexp.MustCompile(`/\*.*?\*/|//.*`)
)

// sameButNames reports whether two C texts differ in names only, of which every function has
// its own, and the words that differ.
func sameButNames(x, y string) (bool, string) {
	const end = "\n}\n"
	there, back := strings.Split(x, end), strings.Split(y, end)
	if len(there) != len(back) {
		return false, "the number of functions"
	}
	for k := range there {
		if same, difference := renamed(there[k], back[k]); !same {
			return false, difference
		}
	}
	return true, ""
}

// renamed is sameButNames for one function.
func renamed(x, y string) (bool, string) {
	x, y = commentPattern.ReplaceAllString(x, ""), commentPattern.ReplaceAllString(y, "")
	if wordPattern.ReplaceAllString(x, "w") != wordPattern.ReplaceAllString(y, "w") {
		return false, "what is between the words"
	}
	there, back := map[string]string{}, map[string]string{}
	names := wordPattern.FindAllString(y, -1)
	for k, name := range wordPattern.FindAllString(x, -1) {
		other, known := there[name]
		first, taken := back[names[k]]
		if known && other != names[k] || taken && first != name {
			return false, name + " is " + names[k] + ", " + other
		}
		there[name], back[names[k]] = names[k], name
	}
	return true, ""
}

// What is shown is what is compiled: the schedule, and the C text but for names.
func TestShownIsCompiled(t *testing.T) {
	eachExample(t, func(t *testing.T, job *Job) {
		shown, err := job.shown(targetC(t), "")
		if err != nil {
			t.Fatal(err)
		}
		other, _ := job.withoutNames()
		compiled, err := other.Run(targetC(t))
		if err != nil {
			t.Fatal(err)
		}
		if same, difference := sameButNames(shown.Module.Code, compiled.Module.Code); !same {
			t.Errorf("%s differs:\n%s\nbut compiled is\n%s", difference, shown.Module.Code, compiled.Module.Code)
		}
		named, err := job.Ordered()
		if err != nil {
			t.Fatal(err)
		}
		tree, err := schedule.Rename(compiled.Tree, compiled.Func, named.Func)
		if err != nil {
			t.Fatal(err)
		}
		if schedule.Print(tree) != schedule.Print(named.Tree) {
			t.Errorf("the schedule that is shown:\n%s\nbut used is\n%s", schedule.Print(named.Tree), schedule.Print(tree))
		}
	})
}

// targetC is the target c.
func targetC(t *testing.T) target.Target {
	t.Helper()
	c, found := targets.Named("c")
	if !found {
		t.Fatal("there is no target c")
	}
	return c
}
