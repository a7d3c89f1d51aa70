package doctest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/bench"
	"github.com/ricci-lang/ricci/internal/source"
)

// What a document names in code type, or in a block of commands, must exist: files, verbs and flags of
// the command, variables of the environment, diagnostic codes, declarations and tests in Go.

// A word is a piece of code that a document shows, with the place where it stands.
type word struct {
	document string
	line     int
	text     string // of a span or of one line of commands
	commands bool   // a line of a block of commands
}

var span = regexp.MustCompile("`([^`]+)`")

// wordsOf returns the code of a document: its spans, and the lines of its blocks of commands.
// What programs print is compared elsewhere, and generated parts are made of the code.
func wordsOf(document, text string) (list []word) {
	fence := ""
	for n, line := range strings.Split(text, "\n") {
		if info, isFence := strings.CutPrefix(line, "```"); isFence {
			if fence == "" {
				fence = "```" + info
			} else {
				fence = ""
			}
			continue
		}
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case fence == "```sh", strings.HasPrefix(fence, "```console") && isCommand:
			list = append(list, word{document, n + 1, command, true})
		case fence == "":
			for _, match := range span.FindAllStringSubmatch(line, -1) {
				list = append(list, word{document, n + 1, match[1], false})
			}
		}
	}
	return list
}

// repository lists the files that git knows, by their paths from the root.
func repository(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	if output, err := cmd.Output(); err == nil {
		return strings.Split(strings.TrimRight(string(output), "\x00"), "\x00")
	}
	var list []string // a copy without its history
	err := filepath.WalkDir(root, func(name string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			name, err = filepath.Rel(root, name)
			list = append(list, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// isWritten reports whether a document is written by hand; the pages of bench are what programs
// printed at their date.
func isWritten(file string) bool {
	return strings.HasSuffix(file, ".md") && !strings.HasPrefix(file, "bench/")
}

// allWords returns the code of all documents.
func allWords(t *testing.T, files []string) (list []word) {
	t.Helper()
	for _, name := range files {
		if !isWritten(name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, wordsOf(name, string(text))...)
	}
	if len(list) < 1000 {
		t.Fatalf("only %d words of code were found", len(list))
	}
	return list
}

var (
	pathWord = regexp.MustCompile(`(?:\./|\.\./)?[\w*-][\w.*-]*(?:/[\w.*-]+)*/?`)
	// ownFiles are extensions of files that documents name and never make.
	ownFiles    = regexp.MustCompile(`\.(go|v|ml|md|txtar|sh|yml|mod)$`)
	placeholder = regexp.MustCompile(`[A-Z]{3,}`)
)

// TestNamedFiles: a path whose beginning is a directory of the repository, and the name of a file of
// its own kinds, is that of a file or a directory.
func TestNamedFiles(t *testing.T) {
	files := repository(t)
	known, top := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		for at := file; at != "."; at = path.Dir(at) {
			known[at] = true
		}
		first, _, _ := strings.Cut(file, "/")
		top[first] = true
	}
	found := 0
	made := map[string]map[string]bool{}
	for _, w := range allWords(t, files) {
		if made[w.document] == nil {
			made[w.document] = madeBy(t, w.document)
		}
		for _, name := range pathWord.FindAllString(w.text, -1) {
			name = strings.TrimSuffix(strings.TrimRight(name, "./"), "/...")
			clean := path.Clean(name)
			first, _, nested := strings.Cut(clean, "/")
			if !(nested && top[first]) && !ownFiles.MatchString(name) || made[w.document][clean] || isPlaceholder(clean) || isRow(clean) {
				continue
			}
			found++
			if !namesFile(known, files, path.Dir(w.document), clean) {
				t.Errorf("%s:%d names %s, which is no file of the repository", w.document, w.line, name)
			}
		}
	}
	if found < 200 {
		t.Errorf("only %d names of files were found", found)
	}
}

// isRow reports whether rows of the benchmark have names that begin like this.
func isRow(name string) bool {
	return slices.ContainsFunc(bench.Suite(), func(r bench.Row) bool { return strings.HasPrefix(r.Name, name) })
}

// isPlaceholder reports whether a path stands for one that the reader chooses.
func isPlaceholder(name string) bool {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	return base != "README" && base != "CONTRIBUTING" && placeholder.MatchString(name) && !strings.HasPrefix(name, "proofs/")
}

// namesFile reports whether a name, perhaps a pattern, is that of a file: from the root, from the
// directory of the document, or the end of the path of one, as in ein/operator.go.
func namesFile(known map[string]bool, files []string, directory, name string) bool {
	if known[name] || known[path.Join(directory, name)] {
		return true
	}
	for at := range known {
		if ok, _ := path.Match(name, at); ok {
			return true
		}
		if ok, _ := path.Match(path.Base(name), path.Base(at)); ok && strings.HasSuffix(path.Dir("/"+at), strings.TrimSuffix("/"+path.Dir(name), "/.")) {
			return true
		}
	}
	return false
}

// madeBy lists the files that a document makes: its blocks with a name, and what stands behind
// flags and arrows that write.
func madeBy(t *testing.T, document string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]bool{}
	for _, pattern := range []*regexp.Regexp{regexp.MustCompile("(?m)^```\\w+ (\\S+)$"), regexp.MustCompile(`(?:> ?|-o |--save |--markdown |--svg |--report |--export )([\w./-]+)`)} {
		for _, match := range pattern.FindAllStringSubmatch(string(text), -1) {
			made[path.Clean(match[1])] = true
		}
	}
	return made
}

// A verbHelp is what ricci help VERB --json says.
type verbHelp struct {
	Verbs []string `json:"verbs"`
	Flags []struct {
		Name      string `json:"name"`
		Shorthand string `json:"shorthand"`
	} `json:"flags"`
}

// flagsOf asks the command for its verbs, and what flags each has: "" has those of all.
func flagsOf(t *testing.T) map[string]map[string]bool {
	t.Helper()
	built.build(t, "cmd/ricci")
	flags := map[string]map[string]bool{"": {}, "help": {}}
	var ask func(verb string)
	ask = func(verb string) {
		output, err := exec.CommandContext(t.Context(), filepath.Join(built.directory, "ricci"), append(strings.Fields("help "+verb), "--json")...).Output()
		if err != nil {
			t.Fatalf("ricci help %s: %v", verb, err)
		}
		var help verbHelp
		if err := json.Unmarshal(output, &help); err != nil {
			t.Fatal(err)
		}
		own := map[string]bool{"--help": true}
		for _, f := range help.Flags {
			own["--"+f.Name], own["-"+f.Shorthand] = true, true
		}
		for name := range own {
			flags[""][name] = true
		}
		if verb != "" {
			flags[verb] = own
		}
		for _, below := range help.Verbs {
			ask(strings.TrimSpace(verb + " " + below))
		}
	}
	ask("")
	return flags
}

var (
	invocation = regexp.MustCompile(`(?:^|[\s/(|])ricci ([a-z][a-z-]*)((?: [a-z]+)?)([^|;&>]*)`)
	flagWord   = regexp.MustCompile(`(?:^|[\s(\[])(--?[a-zA-Z][\w-]*)`)
	variable   = regexp.MustCompile(`RICCI_[A-Z_]+`)
)

// foreignFlags are flags of scripts of the repository.
var foreignFlags = map[string]string{
	"--update": "proofs/statements", "--long": "scripts/test",
	"--build": "scripts/gpu", "--small": "internal/cards/cards.go", "--only": "scripts/gpu",
	"--warnings": "python/ricci/notebook.py", "--fmad": "internal/device/cuda/compile.go",
	"--timing": "internal/strand/commandline/testdata/usage.txt", "--nworkers": "internal/strand/commandline/testdata/usage.txt",
}

// TestNamedFlags: every verb that a document shows is one, and has the flags that stand behind it;
// a flag without a verb is that of some verb.
func TestNamedFlags(t *testing.T) {
	flags := flagsOf(t)
	found := 0
	for _, w := range allWords(t, repository(t)) {
		for _, match := range invocation.FindAllStringSubmatch(w.text, -1) {
			verb := match[1]
			if _, nested := flags[verb+match[2]]; nested && match[2] != "" {
				verb += match[2]
			}
			own, known := flags[verb]
			if !known {
				t.Errorf("%s:%d: ricci has no verb %s", w.document, w.line, verb)
				continue
			}
			found++
			ours, _, _ := strings.Cut(match[3], " -- ") // what follows is for the program that runs
			for _, flag := range flagWord.FindAllStringSubmatch(ours, -1) {
				if !own[flag[1]] && !strings.HasPrefix(w.text, "go ") {
					t.Errorf("%s:%d: ricci %s has no flag %s", w.document, w.line, verb, flag[1])
				}
			}
		}
		if name, _, _ := strings.Cut(w.text, " "); !w.commands && strings.HasPrefix(name, "--") && name != "--" {
			name, _, _ = strings.Cut(strings.TrimRight(name, ",;"), "=")
			found++
			if !flags[""][name] && !isForeign(t, name) {
				t.Errorf("%s:%d: no verb has the flag %s", w.document, w.line, name)
			}
		}
	}
	if found < 200 {
		t.Errorf("only %d verbs and flags were found", found)
	}
}

func isForeign(t *testing.T, flag string) bool {
	t.Helper()
	file, ok := foreignFlags[flag]
	if !ok {
		return false
	}
	text, err := os.ReadFile(filepath.Join(root, file))
	return err == nil && strings.Contains(string(text), flag)
}

// TestNamedVariables: every variable of the environment that a document names is read somewhere.
func TestNamedVariables(t *testing.T) {
	files := repository(t)
	read := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, ".go") || strings.HasSuffix(file, ".py") || strings.HasSuffix(file, ".h") || strings.HasSuffix(file, ".c") || strings.HasPrefix(file, "scripts/") || strings.HasPrefix(file, "proofs/") {
			text, err := os.ReadFile(filepath.Join(root, file))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range variable.FindAllString(string(text), -1) {
				read[name] = true
			}
		}
	}
	for _, w := range allWords(t, files) {
		for _, name := range variable.FindAllString(w.text, -1) {
			if !read[name] {
				t.Errorf("%s:%d: nothing reads %s", w.document, w.line, name)
			}
		}
	}
}

// TestNamedCodes: every diagnostic code that a document shows is in the tables.
func TestNamedCodes(t *testing.T) {
	pattern := regexp.MustCompile(`\bE[01]\d{3}\b`)
	for _, name := range repository(t) {
		if !isWritten(name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range pattern.FindAllString(string(text), -1) {
			if _, ok := source.Lookup(source.Code(code)); !ok && code != "E0499" { // that of a recipe
				t.Errorf("%s names %s, which is no diagnostic", name, code)
			}
		}
	}
}

// TestDocumentsAreRun: a document that shows commands with their output is one of those that are run.
func TestDocumentsAreRun(t *testing.T) {
	for _, name := range repository(t) {
		if !isWritten(name) || slices.Contains(documents, name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(Parse(string(text)).Steps, func(s Step) bool { return s.Command != "" }) {
			t.Errorf("%s has blocks of commands with their output; doctest runs only %v", name, documents)
		}
	}
}
