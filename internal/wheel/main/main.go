// Command main makes the wheel of the package ricci for Python, with the command inside.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/scratch"
	"github.com/ricci-lang/ricci/internal/wheel"
)

func main() {
	path, err := command(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "scripts/wheel:", err)
		os.Exit(1)
	}
	fmt.Println(path)
}

// command runs in the root of the repository.
func command(arguments []string) (string, error) {
	flags := flag.NewFlagSet("scripts/wheel", flag.ContinueOnError)
	dir := flags.String("dir", "dist", "where the file goes")
	version := flags.String("version", "0.1.0", "of the package")
	binary := flags.String("binary", "", "the command ricci, for the system of the wheel")
	if err := flags.Parse(arguments); err != nil {
		return "", err
	}
	object, err := os.ReadFile(*binary)
	if err != nil {
		return "", err
	}
	readme, err := os.ReadFile("docs/python.md")
	if err != nil {
		return "", err
	}
	w := &wheel.Wheel{
		Name: "ricci", Version: *version, Summary: "A tensor compiler: say what a tensor is, and call it on arrays", Readme: string(readme),
		Python: ">=3.9", Requires: []string{"numpy>=1.22"},
		Files: []wheel.File{{Path: "ricci/bin/ricci", Data: object, Executable: true}, {Path: "ricci/py.typed"}},
	}
	if w.Tag, err = wheel.TagOf(object); err != nil {
		return "", err
	}
	if err := sources(w, "python"); err != nil {
		return "", err
	}
	var archive bytes.Buffer
	if err := w.Write(&archive); err != nil {
		return "", err
	}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(*dir, w.FileName())
	return path, scratch.Write(path, archive.Bytes())
}

// shipped are the kinds of files that the package consists of.
var shipped = []string{".py", ".pyi", ".c"}

// sources adds the files of the package below a directory.
func sources(w *wheel.Wheel, root string) error {
	return fs.WalkDir(os.DirFS(root), "ricci", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains(shipped, filepath.Ext(path)) || strings.Contains(path, "__pycache__") {
			return err
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		w.Files = append(w.Files, wheel.File{Path: path, Data: data})
		return err
	})
}
