package ricci

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ricci-lang/ricci/internal/bounded"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/source"
)

// How imports are kept in their place
//
// A program may import files below the directory of its own file, and below the
// directories that its user names. It is opened by way of an os.Root, so that neither
// .. nor a symbolic link leads out, also where somebody changes a link meanwhile:
// whoever compiles a program of another one reads no other files for it.

// ParseOptions says how a program is read. The zero value is what Parse and
// ParseFile use.
type ParseOptions struct {
	// ImportPath lists directories below which files may be imported, besides that of the
	// program. A relative path is looked for in the directory of the importing file, then in these.
	ImportPath []string
	// Double and LongInt compute the reals and integers of a Diderot program in 64 bits, not in 32.
	Double, LongInt bool
	// Constants has values of constants of a Diderot program, by their names.
	Constants map[string]string
}

// ParseFile is the function ParseFile with these options.
func (o ParseOptions) ParseFile(path string) (*Program, error) {
	if _, err := notations.For(path); err != nil {
		return nil, err
	}
	text, err := bounded.ReadFile(path, bounded.Text)
	if err != nil {
		return nil, err
	}
	return o.parse(path, string(text), o.headersBeside(path))
}

// importer returns what reads the imports of a program of that name.
func (o ParseOptions) importer(name string) *lang.Importer {
	trees := append([]string{filepath.Dir(name)}, o.ImportPath...)
	return &lang.Importer{ImportPath: o.ImportPath, Notation: notations.For, Open: func(path string) (*source.File, error) { return openIn(trees, path) }}
}

// openIn reads a file that is below one of the directories.
func openIn(trees []string, path string) (*source.File, error) {
	for _, tree := range trees {
		inside, ok := below(tree, path)
		if !ok {
			continue
		}
		text, err := readBelow(tree, inside)
		if err != nil {
			return nil, importError(err, tree, path)
		}
		file := source.NewFile(path, string(text))
		if d := source.CheckText(file); d != nil {
			return nil, d
		}
		return file, nil
	}
	return nil, outside("it is not below the directory of the program, %s", absolute(trees[0]))
}

// below returns the path from a directory to a file in its tree.
func below(tree, path string) (string, bool) {
	inside, err := filepath.Rel(absolute(tree), absolute(path))
	return inside, err == nil && filepath.IsLocal(inside)
}

func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

func readBelow(tree, path string) ([]byte, error) {
	file, err := openBelow(tree, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return bounded.ReadAll(file, path, bounded.Text)
}

func openBelow(tree, path string) (*os.File, error) {
	root, err := os.OpenRoot(tree)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return bounded.OpenIn(root, path)
}

// importError says why a file in a tree cannot be read, by the path of the import.
func importError(err error, tree, path string) error {
	var at *fs.PathError
	if !errors.As(err, &at) {
		return err
	}
	// What package os says when a path leaves its root has no other mark.
	if strings.Contains(at.Err.Error(), "escapes") {
		return outside("a symbolic link leads out of %s", absolute(tree))
	}
	return &fs.PathError{Op: "open", Path: path, Err: at.Err}
}

func outside(format string, args ...any) error {
	return &lang.OutsideError{Reason: fmt.Sprintf(format, args...)}
}
