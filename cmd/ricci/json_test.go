package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/tensor"
)

// protocols are the verbs of child processes, which nobody types: their output is a protocol.
var protocols = []string{workerVerb, benchWorker}

// A jsonCase is a command line of a verb that succeeds, and one that fails. What starts processes
// of its own succeeds in its script.
type jsonCase struct {
	works, fails string
}

// jsonCases has a row for every verb. P.tc is a program; W.tc is one that is wrong.
var jsonCases = map[string]jsonCase{
	"ricci":              {works: "", fails: "nothing"},
	"ricci run":          {works: "run P.tc -s N=3 --target eval --check --runs 2", fails: "run W.tc"},
	"ricci check":        {works: "check P.tc --guard", fails: "check P.tc W.tc"},
	"ricci fmt":          {works: "fmt P.tc", fails: "fmt none.tc P.tc"},
	"ricci show":         {works: "show P.tc --stage ranges", fails: "show P.tc --stage none"},
	"ricci test":         {works: "test --target eval P.tc", fails: "test --target eval W.tc"},
	"ricci build":        {works: "build P.tc -s N=3 --emit c -o built", fails: "build P.tc --emit z"},
	"ricci tune":         {fails: "tune P.tc"},
	"ricci bench":        {works: "bench --list", fails: "bench --compare P.tc P.tc"},
	"ricci roofline":     {fails: "roofline P.tc"},
	"ricci serve":        {works: "serve --header", fails: "serve"},
	"ricci explain":      {works: "explain e0303", fails: "explain E9999"},
	"ricci convert":      {works: "convert a.npy b.nrrd", fails: "convert a.npy"},
	"ricci cache":        {works: "cache", fails: "cache all"},
	"ricci cache prune":  {works: "cache prune", fails: "cache prune --older-than never"},
	"ricci cache verify": {works: "cache verify", fails: "cache verify all"},
	"ricci cache clear":  {works: "cache clear", fails: "cache clear all"},
	"ricci doctor":       {works: "doctor", fails: "doctor me"},
	"ricci devices":      {works: "devices", fails: "devices all"},
	"ricci man":          {works: "man pages", fails: "man"},
	"ricci version":      {works: "version", fails: "version 1"},
	"ricci completion":   {works: "completion fish", fails: "completion zhs"},
	"ricci help":         {works: "help cache prune", fails: "help me"},
}

// TestJSON walks all verbs: with --json each writes one object that says by "ok" what the exit
// status says, whether it works or fails. Other forms of a verb stand in its script.
func TestJSON(t *testing.T) {
	t.Setenv(cache.Variable, t.TempDir())
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"P.tc": "def f(float(N) x) -> (y) { y(i) = 2 * x(i) }\n# test: runs\n#   size N = 2\n", "W.tc": "def f(float(N) x) -> (y) { y(i) = z(i) }"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := tensor.Save("a.npy", tensor.Scalar[float32](1)); err != nil {
		t.Fatal(err)
	}
	rows := 0
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Hidden {
			if !strings.Contains(strings.Join(protocols, " "), cmd.Name()) {
				t.Errorf("%s is hidden", cmd.CommandPath())
			}
			return
		}
		rows++
		c, ok := jsonCases[cmd.CommandPath()]
		if !ok {
			t.Errorf("no row for %s", cmd.CommandPath())
			return
		}
		if c.works != "" || cmd.Name() == "ricci" {
			wantOK(t, c.works, true)
		}
		wantOK(t, c.fails, false)
		wantOK(t, strings.TrimPrefix(cmd.CommandPath()+" --help", "ricci "), true)
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	root := newRoot(&terminal{out: io.Discard, err: io.Discard})
	root.InitDefaultHelpCmd()
	walk(root)
	if rows != len(jsonCases) {
		t.Errorf("%d verbs, %d rows", rows, len(jsonCases))
	}
}

// wantOK runs a command line with --json.
func wantOK(t *testing.T, line string, want bool) {
	t.Helper()
	var stdout, stderr strings.Builder
	status := execute(t.Context(), append(strings.Fields(line), "--json"), strings.NewReader(""), &stdout, &stderr)
	decoder := json.NewDecoder(strings.NewReader(stdout.String()))
	decoder.DisallowUnknownFields()
	result := map[string]any{}
	if err := decoder.Decode(&result); err != nil || decoder.More() {
		t.Errorf("ricci %s --json: %v, more: %v\n%s%s", line, err, decoder.More(), stdout.String(), stderr.String())
		return
	}
	if ok, is := result["ok"].(bool); !is || ok != want || ok != (status == statusOK) {
		t.Errorf("ricci %s --json: ok is %v with status %d, expected %v\n%s%s", line, result["ok"], status, want, stdout.String(), stderr.String())
	}
	if !want && result["files"] == nil && result["tests"] == nil && result["error"] == nil && len(result["diagnostics"].([]any)) == 0 {
		t.Errorf("ricci %s --json does not say what is wrong:\n%s", line, stdout.String())
	}
}

// Manual pages keep the lines of lists.
func TestManualPages(t *testing.T) {
	directory := t.TempDir()
	if status := execute(t.Context(), []string{"man", directory}, strings.NewReader(""), io.Discard, io.Discard); status != statusOK {
		t.Fatal(status)
	}
	for _, verb := range newRoot(&terminal{out: io.Discard, err: io.Discard}).Commands() {
		if verb.Hidden || !strings.Contains(verb.Long, "\n  ") {
			continue
		}
		page, err := os.ReadFile(filepath.Join(directory, "ricci-"+verb.Name()+".1"))
		if err != nil {
			t.Fatal(err)
		}
		filled := unfilled(string(page))
		for line := range strings.Lines(verb.Long) {
			if line = strings.TrimRight(line, "\n"); strings.HasPrefix(line, "  ") && !strings.Contains(filled, line+"\n") {
				t.Errorf("the page of %s fills the line %q", verb.Name(), line)
			}
		}
	}
}

// unfilled returns the parts of a manual page whose lines stay lines, without escapes.
func unfilled(page string) string {
	var b strings.Builder
	keep := false
	for line := range strings.Lines(page) {
		switch strings.TrimSpace(line) {
		case ".EX":
			keep = true
		case ".EE":
			keep = false
		default:
			if keep {
				b.WriteString(strings.NewReplacer(`\-`, "-", `\&`, "", `\(aq`, "'", `\\`, `\`, `\'`, "'").Replace(line))
			}
		}
	}
	return b.String()
}
