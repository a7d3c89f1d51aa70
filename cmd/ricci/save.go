package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/tensor"
)

// outputPaths reads NAME=PATH flags. What cannot be written is refused before
// the computation, not after it.
func outputPaths(texts []string) (map[string]string, error) {
	paths := map[string]string{}
	writers := map[string]string{}
	for _, text := range texts {
		name, path, err := assignment(text, "-o", "NAME=PATH")
		if err != nil {
			return nil, err
		}
		file, _ := splitMember(path)
		if path == dash {
			file = ".npy"
		}
		if extension := strings.ToLower(filepath.Ext(file)); !slices.Contains(arrayExtensions, extension) {
			if extension == "" {
				return nil, usagef("-o %s: the extension says how arrays are written, %s: -o %s.npy", text, strings.Join(arrayExtensions, ", "), text)
			}
			return nil, usagef("-o %s: arrays are written as %s, not %q", text, strings.Join(arrayExtensions, ", "), extension)
		}
		if _, twice := paths[name]; twice {
			return nil, usagef("output %s is given twice", name)
		}
		if other, taken := writers[path]; taken {
			return nil, usagef("outputs %s and %s both go to %s; give each a name in an archive, as in -o %s=all.npz:%s", other, name, path, name, name)
		}
		paths[name], writers[path] = path, name
	}
	return paths, nil
}

// checkDirectories refuses files in directories that do not exist.
func checkDirectories(paths map[string]string) error {
	for _, name := range sortedKeys(paths) {
		file, _ := splitMember(paths[name])
		directory := filepath.Dir(file)
		switch info, err := os.Stat(directory); {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("-o %s=%s: the directory %s does not exist; make it first: mkdir -p %s", name, paths[name], directory, directory)
		case err == nil && !info.IsDir():
			return fmt.Errorf("-o %s=%s: %s is no directory", name, paths[name], directory)
		}
	}
	return nil
}

// splitMember splits file.npz:name, the form of package tensor.
func splitMember(path string) (file, member string) {
	for _, extension := range []string{".npz", ".safetensors"} {
		if at := strings.Index(path, extension+":"); at >= 0 {
			return path[:at+len(extension)], path[at+len(extension)+1:]
		}
	}
	return path, ""
}

// save writes outputs to their files; what goes to one archive is written at
// once. An interrupt waits for the file that is being written.
func save(ctx context.Context, t *terminal, paths map[string]string, results map[string]*tensor.Tensor) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	archives := map[string]map[string]*tensor.Tensor{}
	for _, name := range sortedKeys(paths) {
		file, member := splitMember(paths[name])
		if member != "" {
			if archives[file] == nil {
				archives[file] = map[string]*tensor.Tensor{}
			}
			archives[file][member] = results[name]
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if paths[name] == dash {
			if err := tensor.WriteNPY(t.arrays, results[name]); err != nil {
				return err
			}
			continue
		}
		if err := tensor.Save(paths[name], results[name]); err != nil {
			return err
		}
	}
	for _, file := range sortedKeys(archives) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := tensor.SaveAll(file, archives[file]); err != nil {
			return err
		}
	}
	return nil
}
