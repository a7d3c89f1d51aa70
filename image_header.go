package ricci

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/tensor"
)

// How images are compared before a program runs
//
// A program that is a file has its images beside it, mostly, or in the current directory, where a run looks first. The
// header of the one that a run would read is read, of an NRRD file alone and without a sample. Who checks a program of
// another one reads nothing elsewhere: files that are neither below one of these directories nor below one of the import
// path are left to the run, whose user wants them read.

// headersBeside reads headers of images that the program of that file names.
func (o ParseOptions) headersBeside(program string) func(path string) (*lang.ImageHeader, error) {
	directory := filepath.Dir(program)
	trees := append([]string{directory, "."}, o.ImportPath...)
	return func(path string) (*lang.ImageHeader, error) {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(path) {
			path = filepath.Join(directory, path)
		}
		for _, tree := range trees {
			if inside, ok := below(tree, path); ok {
				return imageHeader(tree, inside)
			}
		}
		return nil, outside("it is not below the directory of the program, %s", absolute(directory))
	}
}

func imageHeader(tree, path string) (*lang.ImageHeader, error) {
	file, err := openBelow(tree, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	header, err := tensor.ReadNRRDHeader(file)
	if err != nil {
		return nil, err
	}
	return lang.ImageHeaderOf(header), nil
}
