package doctest

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/sweep"
)

var update = flag.Bool("update", false, "write the real outputs into the documents")

const root = "../.."

// documents are run in this order, each in a directory of its own.
var documents = []string{"README.md", "docs/tutorial.md", "docs/teml.md", "docs/teml-tutorial.md", "docs/teil.md", "docs/diderot-tutorial.md", "docs/guard.md", "docs/calls.md", "docs/schedules.md", "docs/machines.md", "docs/gpu.md", "docs/json.md", "docs/tests.md", "docs/safety.md", "examples/README.md"}

func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every command of the documents")
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("the documents show native code, and there is no C compiler")
	}
	programs := built
	programs.build(t, "cmd/ricci")
	for _, name := range documents {
		t.Run(name, func(t *testing.T) { testDocument(t, name, programs) })
	}
}

func testDocument(t *testing.T, name string, programs *programs) {
	path := filepath.Join(root, name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := Parse(string(text))
	if len(d.Steps) == 0 {
		t.Fatal("no commands were found")
	}
	directory, outputs := workplace(t), map[int]string{}
	for i, s := range d.Steps {
		if s.File != "" {
			if err := os.WriteFile(filepath.Join(directory, s.File), []byte(d.Text(s)+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if s.Machine && s.Level != "" && !strings.Contains(s.Command, "ricci show") && !slices.Contains(ricci.Levels(), s.Level) {
			continue
		}
		if s.Long && !sweep.Long(t) {
			continue
		}
		output, err := run(t, directory, programs.prepare(t, s.Command), programs.directory)
		if fails := ExpectsFailure(output); fails != (err != nil) {
			t.Errorf("%s:%d: %s\nthe command ends with %v, and its output is\n%s", name, s.Line, s.Command, err, output)
			continue
		}
		if s.Machine && d.Text(s) != "" || Matches(d.Text(s), output) {
			continue
		}
		outputs[i] = output
		if !*update {
			t.Errorf("%s:%d: %s\n(-document +real output; go test ./internal/doctest -update writes the real ones)\n%s", name, s.Line, s.Command, cmp.Diff(normal(d.Text(s)), normal(output)))
		}
	}
	if *update && len(outputs) > 0 {
		if err := os.WriteFile(path, []byte(d.WithOutputs(outputs)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// workplace is an empty directory with the examples of the repository.
func workplace(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	examples, err := filepath.Abs(filepath.Join(root, "examples"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(examples, filepath.Join(directory, "examples")); err != nil {
		t.Fatal(err)
	}
	return directory
}

// run returns what a command prints on both streams.
func run(t *testing.T, directory, command, bin string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir = directory
	cmd.Env = append(os.Environ(), "RICCI_CACHE="+filepath.Join(directory, ".cache"), "LD_LIBRARY_PATH="+directory,
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	output, err := cmd.CombinedOutput()
	return string(output), err
}

// programs builds the programs of the repository that commands name.
type programs struct {
	directory string
	built     map[string]bool
}

// built are those of all tests.
var built = &programs{built: map[string]bool{}}

func TestMain(m *testing.M) {
	directory, err := os.MkdirTemp("", "ricci-doctest-")
	if err != nil {
		panic(err)
	}
	built.directory = directory
	code := m.Run()
	_ = os.RemoveAll(directory)
	os.Exit(code)
}

var goRun = regexp.MustCompile(`go run \./(\S+)`)

// prepare replaces "go run ./path" by the name of the built program.
func (p *programs) prepare(t *testing.T, command string) string {
	t.Helper()
	return goRun.ReplaceAllStringFunc(command, func(text string) string {
		path := goRun.FindStringSubmatch(text)[1]
		p.build(t, path)
		return filepath.Base(path)
	})
}

func (p *programs) build(t *testing.T, path string) {
	t.Helper()
	if p.built[path] {
		return
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(p.directory, filepath.Base(path)), "./"+path)
	cmd.Dir = root
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build ./%s: %v\n%s", path, err, output)
	}
	p.built[path] = true
}

func TestParse(t *testing.T) {
	d := Parse("# Title\n\n```tc a.tc\ndef f\n```\n\n```console\n$ one \\\n    two\nout\n\n$ three\n```\n```console machine\n$ four --level avx512 -s N=1\n```\n```sh\n$ five\n```\n```console machine long\n$ six\n```\n")
	var got []string
	for _, s := range d.Steps {
		kind := s.Command
		if s.Machine {
			kind += " (machine)"
		}
		if s.Long {
			kind += " (long)"
		}
		if s.Level != "" {
			kind += " at " + s.Level
		}
		got = append(got, s.File+kind+": "+d.Text(s))
	}
	want := []string{"a.tc: def f", "one two: out", "three: ", "four --level avx512 -s N=1 (machine) at avx512: ", "six (machine) (long): "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	text := d.WithOutputs(map[int]string{1: "new\nlines\n", 2: "more"})
	if !strings.Contains(text, "    two\nnew\nlines\n\n$ three\nmore\n```") {
		t.Error(text)
	}
}

func TestMatches(t *testing.T) {
	tests := []struct {
		shown, output string
		want          bool
	}{
		{"", "", true},
		{"a", "", false},
		{"a\nb", "a  \nb\n", true},
		{"a ... c", "a b c", true},
		{"a\n...\nd", "a\nb\nc\nd", true},
		{"a\n...\nd", "a\nd", true},
		{"a\n...\nd", "a\nb", false},
		{"median 2.06 µs, 95.4 GFLOP/s", "median 17 ms, 1.03 GFLOP/s", true},
		{"extent 3", "extent 4", false},
		{"[1. 2.]", "[1. 3.]", false},
	}
	for _, test := range tests {
		if got := Matches(test.shown, test.output); got != test.want {
			t.Errorf("Matches(%q, %q) = %v", test.shown, test.output, got)
		}
	}
}
