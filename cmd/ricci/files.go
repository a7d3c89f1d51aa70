package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// checkOutputs is checkOutput for flags and their paths, of which one may be the standard output
// where no JSON goes there.
func (t *terminal) checkOutputs(flagsAndPaths ...string) error {
	var list []error
	taken := ""
	for n := 0; n < len(flagsAndPaths); n += 2 {
		flag, path := flagsAndPaths[n], flagsAndPaths[n+1]
		list = append(list, checkOutput(flag, path))
		if path != dash {
			continue
		}
		if t.json {
			list = append(list, usagef("%s - and --json both write to the standard output; give %s a file", flag, flag))
		} else if taken != "" {
			list = append(list, usagef("%s - and %s - both write to the standard output; give one a file", taken, flag))
		}
		taken = flag
	}
	return errors.Join(list...)
}

// checkOutput refuses the path of a result that writeOutput could not write, before anything is
// measured; an empty one is none.
func checkOutput(flag, path string) error {
	if path == "" || path == dash {
		return nil
	}
	directory := filepath.Dir(path)
	if info, err := os.Stat(directory); err != nil || !info.IsDir() {
		return usagef("%s %s: there is no directory %s", flag, path, directory)
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return usagef("%s %s: this is a directory; expected the name of a file", flag, path)
	case err == nil && !info.Mode().IsRegular(): // such as /dev/stdout
		return nil
	case err == nil:
		if real, err := filepath.EvalSymlinks(path); err == nil {
			directory = filepath.Dir(real)
		}
	}
	if err := writable(directory); err != nil {
		return usagef("%s %s: no file can be written in %s: %v", flag, path, directory, err)
	}
	return nil
}

// writable returns why no file can be made in a directory.
func writable(directory string) error {
	probe, err := os.CreateTemp(directory, ".ricci-*")
	if err == nil {
		return errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	var at *fs.PathError
	if errors.As(err, &at) { // the name of the probe says nothing
		return at.Err
	}
	return err
}
