package doctest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A door is a room whose inside only some may know: directories that import it, and words that only these write.
type door struct {
	rooms   []string // may be imported, and their words be written, by who stands in them
	words   []string // no literal elsewhere has one of them
	openTo  []string // directories
	because string
}

// doors are the targets and devices. Whoever is to know one more of them has to stand here, with a reason.
var doors = []door{
	{[]string{"internal/target/c"}, []string{"-march"}, []string{
		"internal/target/targets",     // the table
		"internal/build",              // libraries for other programs are C
		"internal/bench",              // naive C to compare with
		"internal/pipelinetest",       // a test: many kernels in one unit
		"internal/mutate/fingerprint", // a test: the text of kernels
		"internal/device/host",        // its compiler's flags
	}, "a target is a directory and a row"},
	{[]string{"internal/device/host"}, nil, []string{
		"internal/device/devices", // the table
		"internal/device/measure", // measures this device
		"internal/build",          // compiles such libraries
		"internal/bench",          // libraries to compare with are called by C
		"internal/pipelinetest",   // a test: pages that cannot be read
	}, "a device is a directory and a row"},
	{[]string{"internal/target/looptext"}, nil, []string{"internal/target/targets"}, "a target is a directory and a row"},
	{[]string{"internal/device/evaluator"}, nil, []string{"internal/device/devices"}, "a device is a directory and a row"},
	{[]string{"internal/target/items"}, nil, []string{"internal/target/opencl", "internal/target/cuda"}, "dialects of it are targets"},
	{[]string{"internal/target/opencl"}, nil, []string{"internal/target/targets"}, "a target is a directory and a row"},
	{[]string{"internal/target/cuda"}, nil, []string{"internal/target/targets"}, "a target is a directory and a row"},
	{[]string{"internal/device/card"}, nil, []string{"internal/device/opencl", "internal/device/cuda"}, "drivers are behind it"},
	{[]string{"internal/device/cuda"}, nil, []string{"internal/device/devices"}, "a device is a directory and a row"},
	{[]string{"internal/device/opencl"}, nil, []string{"internal/device/devices"}, "a device is a directory and a row"},
	{nil, []string{"opencl", "OpenCL"}, []string{
		"internal/target/opencl", "internal/target/targets", "internal/device/opencl", "internal/device/devices",
		"internal/cards/ricci-gpu", // a flag's default and its help
	}, "no target but its own directory says its name"},
	{nil, []string{"cuda", "CUDA"}, []string{
		"internal/target/cuda", "internal/target/targets", "internal/device/cuda", "internal/device/devices",
		"internal/cards/ricci-gpu", // a flag's default and its help
		"internal/cards/hand.go",   // peers that are written in it by hand
	}, "no target but its own directory says its name"},
}

// TestDoors reads the imports and the literals of all files but tests.
func TestDoors(t *testing.T) {
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name == "testdata" || strings.HasPrefix(name, ".") && path != root {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			return checkDoors(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkDoors(t *testing.T, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	relative, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	name := filepath.ToSlash(relative)
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range doors {
		inside := func(room string) bool { return strings.HasPrefix(name, room+"/") || name == room }
		if slices.ContainsFunc(d.rooms, inside) || slices.ContainsFunc(d.openTo, inside) {
			continue
		}
		for _, i := range file.Imports {
			imported, _ := strconv.Unquote(i.Path.Value)
			for _, room := range d.rooms {
				if module := "github.com/ricci-lang/ricci/" + room; imported == module || strings.HasPrefix(imported, module+"/") {
					t.Errorf("%s: imports %s: %s", files.Position(i.Pos()), room, d.because)
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			for _, word := range d.words {
				if strings.Contains(literal.Value, word) {
					t.Errorf("%s: says %s: %s", files.Position(literal.Pos()), word, d.because)
				}
			}
			return true
		})
	}
	return nil
}
