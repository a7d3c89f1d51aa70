package tensor

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ricci-lang/ricci/internal/bounded"
)

// npyExtension is what NumPy appends to the name of an array in an archive.
const npyExtension = ".npy"

// An NPZ is an open npz file: a zip archive of npy files, stored or compressed.
type NPZ struct {
	path    string
	file    *os.File // nil when the archive came from NewNPZ
	members map[string]*zip.File
}

var _ Archive = (*NPZ)(nil)

// OpenNPZ opens an npz file and reads its directory.
func OpenNPZ(path string) (*NPZ, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	z, err := NewNPZ(f, info.Size())
	if err != nil {
		f.Close()
		return nil, within(path, "", err)
	}
	z.path, z.file = path, f
	return z, nil
}

// NewNPZ reads the directory of an npz archive of size bytes.
func NewNPZ(r io.ReaderAt, size int64) (*NPZ, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, &FileError{Format: "npz", Offset: -1, Reason: "this is not a zip archive", Err: err}
	}
	z := &NPZ{members: map[string]*zip.File{}}
	for _, f := range archive.File {
		name, isArray := strings.CutSuffix(f.Name, npyExtension)
		if !isArray {
			continue
		}
		if _, twice := z.members[name]; twice {
			return nil, &FileError{Format: "npz", Offset: -1, Reason: fmt.Sprintf("two members are called %q", f.Name)}
		}
		z.members[name] = f
	}
	return z, nil
}

// Names returns the names of the arrays, sorted and without their extension.
func (z *NPZ) Names() []string { return sortedNames(z.members) }

// Read returns one array and checks its checksum.
func (z *NPZ) Read(name string) (*Tensor, error) {
	member, there := z.members[name]
	if !there {
		return nil, within(z.path, "", noMember("npz", name, z.Names()))
	}
	t, err := readMember(member)
	return t, within(z.path, name, err)
}

func readMember(member *zip.File) (*Tensor, error) {
	broken := func(err error) error {
		return &FileError{Format: "npz", Offset: -1, Reason: "the member cannot be unpacked", Err: err}
	}
	r, err := member.Open()
	if err != nil {
		return nil, broken(err)
	}
	defer r.Close()
	t, err := ReadNPY(r)
	var inner *FileError
	switch {
	case errors.As(err, &inner):
		return nil, err
	case err != nil:
		return nil, broken(err)
	}
	// The checksum is compared at the end of the member.
	switch n, err := r.Read(make([]byte, 1)); {
	case n != 0:
		return nil, &FileError{Format: "npz", Offset: -1, Reason: "there is more in the member than its header says"}
	case err != nil && err != io.EOF:
		return nil, broken(err)
	}
	return t, nil
}

// Close closes the file.
func (z *NPZ) Close() error {
	if z.file == nil {
		return nil
	}
	return z.file.Close()
}

// WriteNPZ writes an archive exactly as NumPy's savez does with the arrays in
// the order of their names.
func WriteNPZ(w io.Writer, tensors map[string]*Tensor) error {
	z := &storedZip{w: w}
	for _, name := range sortedNames(tensors) {
		t := tensors[name]
		if t.dtype == Invalid {
			return fmt.Errorf("the tensor %q is closed", name)
		}
		content := func(w io.Writer) error { return WriteNPY(w, t) }
		if err := z.add(name+npyExtension, content); err != nil {
			return err
		}
	}
	return z.finish()
}
