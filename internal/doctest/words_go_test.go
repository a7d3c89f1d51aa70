package doctest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A declarations is what the Go files of the repository declare.
type declarations struct {
	names    map[string]bool            // of all packages: functions, types, methods, fields, variables
	packages map[string]map[string]bool // by the last part of the package's directory
	tests    map[string][]string        // functions in _test.go files, by directory
	flags    map[string]bool            // of go test, by directory and name: "internal/ein update"
	imports  map[string][]string        // of test files, by directory
}

var testFlag = regexp.MustCompile(`flag\.\w+\(\s*"([\w.-]+)"|flag\.\w+\(&\w+, "([\w.-]+)"`)

// declared reads all Go files.
func declared(t *testing.T, files []string) *declarations {
	t.Helper()
	d := &declarations{map[string]bool{}, map[string]map[string]bool{}, map[string][]string{}, map[string]bool{}, map[string][]string{}}
	for _, file := range files {
		if !strings.HasSuffix(file, ".go") || strings.Contains(file, "testdata/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		directory := path.Dir(file)
		if strings.HasSuffix(file, "_test.go") {
			for _, imported := range tree.Imports {
				if within, ok := strings.CutPrefix(strings.Trim(imported.Path.Value, `"`), "github.com/ricci-lang/ricci/"); ok {
					d.imports[directory] = append(d.imports[directory], within)
				}
			}
		}
		of := d.packages[tree.Name.Name]
		if of == nil {
			of = map[string]bool{}
			d.packages[tree.Name.Name] = of
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			for _, name := range declaredBy(n) {
				d.names[name], of[name] = true, true
				if strings.HasSuffix(file, "_test.go") {
					d.tests[directory] = append(d.tests[directory], name)
				}
			}
			return true
		})
		for _, match := range testFlag.FindAllStringSubmatch(string(text), -1) {
			d.flags[directory+" "+match[1]+match[2]] = true
		}
	}
	return d
}

// inPython finds classes and functions of Python.
var inPython = regexp.MustCompile(`(?m)^(?:class|def) ([A-Za-z]\w*)`)

// declaredInPython are the names of the package for Python, for documents about it.
func declaredInPython(t *testing.T, files []string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, file := range files {
		if !strings.HasPrefix(file, "python/ricci/") || !strings.HasSuffix(file, ".py") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inPython.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
	}
	return names
}

// declaredBy lists the names that a node declares outside of functions, or in them.
func declaredBy(n ast.Node) (names []string) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		names = append(names, n.Name.Name)
	case *ast.TypeSpec:
		names = append(names, n.Name.Name)
	case *ast.ValueSpec:
		for _, name := range n.Names {
			names = append(names, name.Name)
		}
	case *ast.Field:
		for _, name := range n.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

var (
	qualified = regexp.MustCompile(`^([a-z]\w*)\.([A-Z]\w*)((?:\.[A-Z]\w*)*)(?:\(.*\))?$`)
	// Names in the styles that only Go has in these documents: joinedWords, JoinedWords, Type.Method.
	goName = regexp.MustCompile(`^([A-Za-z]\w*[a-z][A-Z]\w*|[A-Z][a-z]+)((?:\.[A-Z]\w*)*)(?:\(.*\))?$`)
)

// forDevelopers are the documents whose joined words are names in Go; in others they may be those
// of a program.
func forDevelopers(document string) bool {
	return document == "CONTRIBUTING.md" || document == "docs/architecture.md" || strings.HasPrefix(document, "internal/")
}

// numbered is a name whose number the reader puts in, as in seedN.
var numbered = regexp.MustCompile(`^[a-z]+N$`)

// TestNamedDeclarations: what a document names as Go is declared: ein.Func in package ein, NewFile
// and mathTable anywhere.
func TestNamedDeclarations(t *testing.T) {
	files := repository(t)
	d, python := declared(t, files), declaredInPython(t, files)
	found := 0
	for _, w := range allWords(t, files) {
		if w.commands || numbered.MatchString(w.text) {
			continue
		}
		if m := qualified.FindStringSubmatch(w.text); m != nil && d.packages[m[1]] != nil {
			found++
			for _, name := range strings.Split(m[2]+m[3], ".") {
				if !d.packages[m[1]][name] && !d.names[name] && !(w.document == "docs/python.md" && python[name]) {
					t.Errorf("%s:%d names %s; package %s declares no %s", w.document, w.line, w.text, m[1], name)
				}
			}
			continue
		}
		if m := goName.FindStringSubmatch(w.text); m != nil && forDevelopers(w.document) {
			found++
			for _, name := range strings.Split(m[1]+m[2], ".") {
				if !d.names[name] {
					t.Errorf("%s:%d names %s; nothing in Go is called %s", w.document, w.line, w.text, name)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d names were found", found)
	}
}

var (
	goTest    = regexp.MustCompile(`go test ((?:\./\S+|\.) ?)+(?:'[^']*'|"[^"]*"|[^&|'"])*`)
	testOf    = regexp.MustCompile(`-(?:run|bench|fuzz) ['"]?([^'"\s]+)['"]?`)
	dashed    = regexp.MustCompile(` -([a-z][\w.]*)`)
	toolFlags = map[string]bool{"run": true, "bench": true, "fuzz": true, "fuzztime": true, "v": true, "short": true, "count": true, "race": true, "rapid.checks": true}
)

// TestNamedTests: what go test is given in a document is there: the package, tests of the name,
// and flags.
func TestNamedTests(t *testing.T) {
	files := repository(t)
	d := declared(t, files)
	found := 0
	for _, w := range allWords(t, files) {
		for _, command := range goTest.FindAllString(w.text, -1) {
			for _, directory := range regexp.MustCompile(`\./\S*|(?: )\.(?: |$)`).FindAllString(command, -1) {
				directory = path.Clean(strings.TrimSpace(directory))
				if strings.HasSuffix(directory, "...") {
					continue
				}
				found++
				names, known := d.tests[directory]
				if !known {
					t.Errorf("%s:%d: %s has no tests", w.document, w.line, directory)
					continue
				}
				for _, match := range testOf.FindAllStringSubmatch(command, -1) {
					checkPattern(t, w, match[1], names)
				}
				for _, match := range dashed.FindAllStringSubmatch(command, -1) {
					if !toolFlags[match[1]] && !d.hasFlag(directory, match[1]) {
						t.Errorf("%s:%d: the tests of %s have no flag -%s", w.document, w.line, directory, match[1])
					}
				}
			}
		}
	}
	if found < 40 {
		t.Errorf("only %d packages were found", found)
	}
}

// hasFlag reports whether the tests of a directory have a flag, by themselves or by what they import.
func (d *declarations) hasFlag(directory, name string) bool {
	for _, at := range append([]string{directory}, d.imports[directory]...) {
		if d.flags[at+" "+name] {
			return true
		}
	}
	return false
}

// checkPattern asks that each alternative of a pattern of -run is part of a test's name.
func checkPattern(t *testing.T, w word, pattern string, names []string) {
	t.Helper()
	for _, part := range strings.Split(pattern, "|") {
		first, _, _ := strings.Cut(part, "/")
		if first == "^$" {
			continue
		}
		expression, err := regexp.Compile(first)
		if err != nil {
			t.Errorf("%s:%d: %v", w.document, w.line, err)
			continue
		}
		matches := false
		for _, name := range names {
			matches = matches || regexp.MustCompile(`^(Test|Fuzz|Benchmark|Example)`).MatchString(name) && expression.MatchString(name)
		}
		if !matches {
			t.Errorf("%s:%d: no test is called like %q", w.document, w.line, first)
		}
	}
}
