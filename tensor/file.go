package tensor

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ricci-lang/ricci/internal/bounded"
	"github.com/ricci-lang/ricci/internal/scratch"
)

// How it works
//
// The format of a file follows from its extension, by the table below. A single
// tensor is named by a spec: a path, or for an archive path:name. Files are
// written under a temporary name in the same directory, synchronised and renamed,
// so that at any moment there is the old file or the new one, and a mapping of
// the old one stays valid.

// defaultMember is the name that NumPy's savez gives to an array without one.
const defaultMember = "arr_0"

// mapFrom is the size of a file from which Load maps instead of reading it.
const mapFrom = 16 << 20

// A fileFormat reads and writes files with one extension: single tensors (read,
// write or save) or archives (open, writeAll).
type fileFormat struct {
	extension string
	read      func(path string) (*Tensor, error)
	write     func(io.Writer, *Tensor) error
	save      func(path string, t *Tensor) error // instead of write, where there may be two files
	open      func(path string) (Archive, error)
	writeAll  func(io.Writer, map[string]*Tensor) error
}

func fileFormats() []fileFormat {
	return []fileFormat{
		{extension: ".npy", read: loadNPY, write: WriteNPY},
		{extension: ".png", read: OpenPNG, write: WritePNG},
		{extension: ".nrrd", read: loadNRRD, save: saveTensorNRRD},
		{extension: ".nhdr", read: loadNRRD, save: saveTensorNRRD},
		{extension: ".npz", writeAll: WriteNPZ,
			open: func(path string) (Archive, error) { return OpenNPZ(path) }},
		{extension: ".safetensors",
			open:     func(path string) (Archive, error) { return OpenSafetensors(path) },
			writeAll: func(w io.Writer, all map[string]*Tensor) error { return WriteSafetensors(w, all, nil) }},
	}
}

// Extensions lists the extensions of files of tensors.
func Extensions() []string {
	var list []string
	for _, f := range fileFormats() {
		list = append(list, f.extension)
	}
	return list
}

// isNRRD reports whether a file is one whose tensor has a place in a world.
func isNRRD(path string) bool {
	extension := strings.ToLower(filepath.Ext(path))
	return extension == ".nrrd" || extension == ".nhdr"
}

func formatOf(path string) (fileFormat, error) {
	var known []string
	for _, f := range fileFormats() {
		if strings.EqualFold(filepath.Ext(path), f.extension) {
			return f, nil
		}
		known = append(known, f.extension)
	}
	return fileFormat{}, &FileError{
		Path: path, Format: "file", Offset: -1, Reason: fmt.Sprintf("the extension %q is not known", filepath.Ext(path)),
		Help: "the formats are " + strings.Join(known, ", "),
	}
}

// loadNPY maps large files and reads small ones.
func loadNPY(path string) (*Tensor, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() >= mapFrom {
		return OpenNPY(path)
	}
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := ReadNPY(f)
	return t, within(path, "", err)
}

// splitSpec separates the name in an archive from the path; named is false for a
// path alone. A file whose own name has a colon is found before a member.
func splitSpec(spec string) (path, name string, named bool) {
	colon := strings.LastIndexByte(spec, ':')
	if colon < 0 {
		return spec, "", false
	}
	if _, err := os.Stat(spec); err == nil {
		return spec, "", false
	}
	// A name may itself have colons: the path ends at the first one that follows
	// the extension of an archive.
	for i := range len(spec) {
		if spec[i] != ':' {
			continue
		}
		if f, err := formatOf(spec[:i]); err == nil && f.open != nil {
			return spec[:i], spec[i+1:], true
		}
	}
	return spec, "", false
}

// OpenArchive opens an npz or safetensors file.
func OpenArchive(path string) (Archive, error) {
	f, err := formatOf(path)
	if err != nil {
		return nil, err
	}
	if f.open == nil {
		return nil, &FileError{Path: path, Format: f.extension[1:], Offset: -1, Reason: "a file of this format holds one tensor and no names"}
	}
	return f.open(path)
}

// Load reads one tensor: of an .npy, .png, .nrrd or .nhdr file, or of an .npz or .safetensors
// file the one named after a colon (weights.npz:bias), or the only one. Large npy
// files and all safetensors files are mapped, see OpenNPY.
func Load(spec string) (*Tensor, error) {
	path, name, named := splitSpec(spec)
	f, err := formatOf(path)
	if err != nil {
		return nil, err
	}
	if f.read != nil {
		return f.read(path)
	}
	a, err := f.open(path)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if names := a.Names(); !named {
		if len(names) != 1 {
			return nil, &FileError{
				Path: path, Format: f.extension[1:], Offset: -1, Reason: fmt.Sprintf("the file has %d tensors", len(names)),
				Help: "name one after a colon: " + path + ":NAME, where NAME is " + strings.Join(names, ", "),
			}
		}
		name = names[0]
	}
	return a.Read(name)
}

// ReadFile reads all tensors of a file by their names; the tensor of a file
// that is no archive has the empty name.
func ReadFile(path string) (map[string]*Tensor, error) {
	f, err := formatOf(path)
	if err != nil {
		return nil, err
	}
	if f.read != nil {
		t, err := f.read(path)
		if err != nil {
			return nil, err
		}
		return map[string]*Tensor{"": t}, nil
	}
	a, err := f.open(path)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	return readAll(a)
}

// Save writes one tensor to a file whose format follows from its extension. In an
// archive it gets the name after the colon, or arr_0. A reader of the path sees
// the old file or the whole new one.
func Save(spec string, t *Tensor) error {
	path, name, named := splitSpec(spec)
	f, err := formatOf(path)
	if err != nil {
		return err
	}
	if f.save != nil {
		return f.save(path, t)
	}
	if f.write != nil {
		return writeFile(path, func(w io.Writer) error { return f.write(w, t) })
	}
	if !named {
		name = defaultMember
	}
	return SaveAll(path, map[string]*Tensor{name: t})
}

// SaveAll writes several tensors to an .npz or .safetensors file, as Save does.
func SaveAll(path string, tensors map[string]*Tensor) error {
	f, err := formatOf(path)
	if err != nil {
		return err
	}
	if f.writeAll == nil {
		return &FileError{
			Path: path, Format: f.extension[1:], Offset: -1, Reason: fmt.Sprintf("the format has no names for %d tensors", len(tensors)),
			Help: "use .npz or .safetensors",
		}
	}
	return writeFile(path, func(w io.Writer) error { return f.writeAll(w, tensors) })
}

// writeFile replaces a file by what content writes. What is not a regular file,
// such as a pipe, is written to directly.
func writeFile(path string, content func(io.Writer) error) error {
	return within(path, "", scratch.Replace(path, content))
}
