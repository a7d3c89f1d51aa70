package doctest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module   = "github.com/ricci-lang/ricci"
	rootRoom = "package ricci"
)

// owed are imports that run against the list of rooms and wait to be turned: "package imports package", and what is to be
// done. The list may only shrink: a row whose import is gone fails.
var owed = map[string]string{}

// A wall is an import that the order of rooms would allow, and that must not be.
type wall struct {
	rooms   []string // who must not import
	never   []string // what
	but     []string // packages of rooms to whom the wall is open
	because string
}

var walls = []wall{
	{[]string{""}, []string{"cmd"}, nil, "the command is the last room"},
	{[]string{"internal/rewrite", "internal/numerics", "internal/machine", "internal/schedule", "internal/loop", "internal/target", "internal/plan", "internal/device"},
		[]string{"internal/lang/tc", "internal/lang/mdh", "internal/lang/teil", "internal/lang/teml", "internal/lang/notations"},
		[]string{"internal/schedule/makers"}, // scripts of TeML are a form of schedules
		"nothing behind ein knows which notation a program came from"},
	{[]string{"internal/loop", "internal/target", "internal/device"}, []string{"internal/schedule"},
		[]string{"internal/loop/lower"}, "loops say all that printers and devices have to know"},
	{[]string{"internal/target", "internal/device"}, []string{"internal/rewrite", "internal/loop/lower", "internal/loop/passes"}, nil,
		"a printer and a device decide nothing"},
	{[]string{"internal/tune"}, []string{rootRoom, "tune"}, nil, "the rooms of the tuner are joined in tune"},
}

// notationRooms never import each other.
var notationRooms = []string{"internal/lang/tc", "internal/lang/mdh", "internal/lang/teil", "internal/lang/teml"}

// needed are the modules of others that a program with package ricci in it gets, and there are no more.
var needed = map[string]string{
	"github.com/ebitengine/purego":  "loads and calls what is compiled",
	"github.com/klauspost/cpuid/v2": "facts about the processor",
	"github.com/x448/float16":       "numbers of 16 bits",
	"golang.org/x/sys":              "memory outside of Go's, locks of files",
}

// unwanted is what such a program must not get, of Go's library and of this module.
var unwanted = map[string]string{
	"database/sql": "no data base", "net/http": "no server", "html/template": "no page", "image/draw": "no plot", "testing": "no test",
	module + "/cmd": "no command line", module + "/internal/argument": "no command line", module + "/internal/testrun": "no command line",
	module + "/internal/bench": "no benchmark",
	module + "/tune":           "no tuner", module + "/internal/tune/trial": "no tuner", module + "/internal/tune/search": "no tuner",
	module + "/internal/tune/database": "no data base", module + "/internal/tune/report": "no page",
}

// An edge is an import of one package of the module by another, in a file that is no test.
type edge struct{ importer, imported, file string }

func (e edge) String() string { return e.importer + " imports " + e.imported }

var (
	bold     = regexp.MustCompile(`\*\*([^*]+)\*\*`)
	roomName = regexp.MustCompile(`^[a-z0-9_]+(/[a-z0-9_]+)*$`)
)

// roomsOf lists the rooms of docs/architecture.md: the directories that stand there in bold, in their order.
func roomsOf(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs/architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n## The rooms\n")
	if !found {
		t.Fatal("docs/architecture.md has no section The rooms")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var rooms []string
	for _, match := range bold.FindAllStringSubmatch(section, -1) {
		name := match[1]
		if name != rootRoom && !roomName.MatchString(name) {
			continue
		}
		if slices.Contains(rooms, name) {
			t.Errorf("docs/architecture.md lists the room %s twice", name)
		}
		if info, err := os.Stat(filepath.Join(root, name)); name != rootRoom && (err != nil || !info.IsDir()) {
			t.Errorf("docs/architecture.md lists the room %s, which is no directory", name)
		}
		rooms = append(rooms, name)
	}
	return rooms
}

// roomOf is the place in the list of the room that a package stands in: its own, or the closest above it, or -1.
func roomOf(rooms []string, name string) int {
	for ; name != "."; name = path.Dir(name) {
		if i := slices.Index(rooms, name); i >= 0 {
			return i
		}
	}
	return -1
}

// importsOf reads the imports of all files but tests, and lists the packages.
func importsOf(t *testing.T) (packages []string, edges []edge) {
	t.Helper()
	name := func(directory string) string {
		if directory == "." {
			return rootRoom
		}
		return directory
	}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); file != root && (base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		importer := name(path.Dir(relative))
		if !slices.Contains(packages, importer) {
			packages = append(packages, importer)
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range tree.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if imported == module {
				edges = append(edges, edge{importer, rootRoom, relative})
			} else if inside, ok := strings.CutPrefix(imported, module+"/"); ok {
				edges = append(edges, edge{importer, inside, relative})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages, edges
}

// TestRooms asks that every package has a room, and imports only what stands above it in the list.
func TestRooms(t *testing.T) {
	rooms := roomsOf(t)
	packages, edges := importsOf(t)
	if len(packages) < 80 || len(rooms) < 40 {
		t.Fatalf("found %d packages and %d rooms: the test does not read what it should", len(packages), len(rooms))
	}
	for _, name := range packages {
		if roomOf(rooms, name) < 0 {
			t.Errorf("the package %s stands in no room of docs/architecture.md: list it, in bold, below all that it imports", name)
		}
	}
	paid := map[string]bool{}
	for name := range owed {
		paid[name] = true
	}
	for _, e := range edges {
		from, to := roomOf(rooms, e.importer), roomOf(rooms, e.imported)
		if from < 0 || to < 0 || from >= to {
			continue
		}
		delete(paid, e.String())
		if _, ok := owed[e.String()]; !ok {
			t.Errorf("%s: %s, but %s stands below %s in docs/architecture.md, and a room imports only what stands above it: move what is needed up, or the wall",
				e.file, e, rooms[to], rooms[from])
		}
	}
	for name := range paid {
		t.Errorf("%s no more: strike it from the list of what is owed", name)
	}
}

// TestWalls asks for what the order of the rooms does not say.
func TestWalls(t *testing.T) {
	_, edges := importsOf(t)
	inside := func(name string, rooms []string) bool {
		return slices.ContainsFunc(rooms, func(room string) bool {
			return room == "" || name == room || strings.HasPrefix(name, room+"/")
		})
	}
	for _, e := range edges {
		for _, w := range walls {
			if inside(e.importer, w.rooms) && !inside(e.importer, w.but) && inside(e.imported, w.never) {
				t.Errorf("%s: %s: %s", e.file, e, w.because)
			}
		}
		for _, notation := range notationRooms {
			other := slices.DeleteFunc(slices.Clone(notationRooms), func(name string) bool { return name == notation })
			if inside(e.importer, []string{notation}) && inside(e.imported, other) {
				t.Errorf("%s: %s: notations do not know each other", e.file, e)
			}
		}
	}
}

// TestWhatRicciNeeds asks what a program gets that imports package ricci.
func TestWhatRicciNeeds(t *testing.T) {
	command := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{.Standard}}", ".")
	command.Dir = root
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	under := func(name string, table map[string]string) (string, bool) {
		for ; name != "."; name = path.Dir(name) {
			if because, ok := table[name]; ok {
				return because, true
			}
		}
		return "", false
	}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	if len(lines) < 100 {
		t.Fatalf("go list names %d packages only", len(lines))
	}
	for _, line := range lines {
		name, standard, _ := strings.Cut(line, " ")
		own := name == module || strings.HasPrefix(name, module+"/")
		if because, ok := under(name, unwanted); ok {
			t.Errorf("package ricci pulls in %s: %s belongs into a program that wants to call kernels", name, because)
		}
		if _, ok := under(name, needed); !ok && !own && standard == "false" {
			t.Errorf("package ricci pulls in %s: say in `needed` why, or do without", name)
		}
	}
}
