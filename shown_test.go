package ricci

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/targets"
)

// eachExample calls check with the defs of the examples, in a quick run with some of each file,
// for sizes that they take.
func eachExample(t *testing.T, check func(t *testing.T, job *compilation)) {
	t.Helper()
	files, err := filepath.Glob("examples/*/*.*")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Parse(file, string(text))
		if err != nil {
			continue // a script, or a part of a program
		}
		for _, d := range sweep.Some(t, p.defs, 3) {
			if job := exampleJob(d); job != nil {
				t.Run(filepath.Base(file)+"/"+d.Name(), func(t *testing.T) { check(t, job) })
			}
		}
	}
}

// exampleJob returns the compilation of a def for some sizes that it takes.
func exampleJob(d *Def) *compilation {
	for _, size := range []int64{48, 24, 7} {
		sizes := map[string]int64{}
		for n, s := range d.info.Func.Sizes {
			sizes[s.Name] = size + int64(n)
		}
		if job, err := d.compilation(sizes, Options{Untuned: true}); err == nil {
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
	eachExample(t, func(t *testing.T, job *compilation) {
		shown, err := job.shown(targetC(t))
		if err != nil {
			t.Fatal(err)
		}
		other, _ := job.withoutNames()
		compiled, err := other.run(targetC(t))
		if err != nil {
			t.Fatal(err)
		}
		if same, difference := sameButNames(shown.module.Code, compiled.module.Code); !same {
			t.Errorf("%s differs:\n%s\nbut compiled is\n%s", difference, shown.module.Code, compiled.module.Code)
		}
		named, err := job.ordered()
		if err != nil {
			t.Fatal(err)
		}
		tree, err := schedule.Rename(compiled.schedule, compiled.ein, named.ein)
		if err != nil {
			t.Fatal(err)
		}
		if schedule.Print(tree) != schedule.Print(named.schedule) {
			t.Errorf("the schedule that is shown:\n%s\nbut used is\n%s", schedule.Print(named.schedule), schedule.Print(tree))
		}
	})
}

// targetC is the target c.
func targetC(t *testing.T) target.Target {
	t.Helper()
	c, found := targets.Named(string(C))
	if !found {
		t.Fatal("there is no target c")
	}
	return c
}
