// Package examples holds the texts of the example programs.
package examples

import (
	"embed"
	"io/fs"
)

// Files has the programs by path, such as mdh/ccsdt.mdh.
//
//go:embed tc/*.tc mdh/*.mdh teml/*.teml teil/*.teil
var Files embed.FS

// Each calls visit with the path and the text of every program, in the order of the paths, up to
// the first error.
func Each(visit func(path, text string) error) error {
	return fs.WalkDir(Files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := Files.ReadFile(path)
		if err != nil {
			return err
		}
		return visit(path, string(text))
	})
}
