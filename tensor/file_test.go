package tensor

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSaveAndLoad(t *testing.T) {
	t.Chdir(t.TempDir())
	x := iotaTensor(t, Uint8, 4, 3)
	for _, spec := range []string{
		"x.npy", "x.NPY", "x.png", "x.npz", "x.npz:weights", "x.npz:a:b", "x.safetensors", "x.safetensors:layer.0", "odd:name.npy", "x.nrrd", "x.nhdr",
	} {
		if err := Save(spec, x); err != nil {
			t.Errorf("Save %s: %v", spec, err)
			continue
		}
		if y, err := Load(spec); err != nil || !sameBits(x, y) {
			t.Errorf("Load %s: %v, %v", spec, y, err)
		}
	}
	all, err := ReadFile("x.npz")
	if err != nil || len(all) != 1 || all["a:b"] == nil {
		t.Errorf("ReadFile x.npz: %v, %v", all, err)
	}
	if all, err := ReadFile("x.npy"); err != nil || !sameBits(all[""], x) {
		t.Errorf("ReadFile x.npy: %v, %v", all, err)
	}
	if left, err := filepath.Glob(".*"); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

func TestLoadErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	x := iotaTensor(t, Uint8, 2)
	if err := SaveAll("two.npz", map[string]*Tensor{"p": x, "q": x}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("bad.npy", []byte("nothing"), 0o666); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ spec, want string }{
		{"two.npz", "two.npz: npz: the file has 2 tensors\n  help: name one after a colon: two.npz:NAME, where NAME is p, q"},
		{"two.npz:r", "two.npz: npz: there is no tensor \"r\"\n  help: the file has 2: p, q"},
		{"bad.npy", "bad.npy: npy: the file does not start with \\x93NUMPY (at byte 0)"},
		{"x.csv", "x.csv: file: the extension \".csv\" is not known\n  help: the formats are .npy, .png, .nrrd, .nhdr, .npz, .safetensors"},
	}
	for _, test := range tests {
		_, err := Load(test.spec)
		var e *FileError
		if !errors.As(err, &e) || err.Error() != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
	for _, spec := range []string{"none.npy", "none.npz:a", "none.safetensors", "none.png"} {
		if _, err := Load(spec); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", spec, err)
		}
	}
	if err := SaveAll("x.npy", map[string]*Tensor{"p": x}); err == nil {
		t.Error("names were saved to an npy file")
	}
	if _, err := OpenArchive("bad.npy"); err == nil {
		t.Error("an npy file was opened as an archive")
	}
}

// A write that fails leaves the old file as it was, and nothing else.
func TestSaveIsAtomic(t *testing.T) {
	t.Chdir(t.TempDir())
	x := iotaTensor(t, Uint8, 4, 3)
	if err := Save("x.png", x); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile("x.png")
	if err != nil {
		t.Fatal(err)
	}
	if err := Save("x.png", iotaTensor(t, Float32, 4, 3)); err == nil || !strings.HasPrefix(err.Error(), "x.png: png: ") {
		t.Errorf("a float picture: %v", err)
	}
	failed := errors.New("no more")
	err = writeFile("x.png", func(w io.Writer) error {
		_, err := w.Write([]byte("half"))
		return errors.Join(err, failed)
	})
	if !errors.Is(err, failed) {
		t.Errorf("writeFile: %v", err)
	}
	after, err := os.ReadFile("x.png")
	if err != nil || !slices.Equal(before, after) {
		t.Errorf("the old file changed: %v", err)
	}
	if files, err := os.ReadDir("."); err != nil || len(files) != 1 {
		t.Errorf("files %v, %v", files, err)
	}
	if err := Save(filepath.Join("no", "x.npy"), x); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing directory: %v", err)
	}
}

// The permissions of a file and a link to it survive a save.
func TestSaveKeepsPermissions(t *testing.T) {
	if !canMap {
		t.Skip("permissions and links are those of Unix")
	}
	t.Chdir(t.TempDir())
	x := iotaTensor(t, Uint8, 2)
	if err := os.WriteFile("x.npy", nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("x.npy", "link.npy"); err != nil {
		t.Fatal(err)
	}
	if err := Save("link.npy", x); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat("x.npy")
	if err != nil || info.Mode().Perm() != 0o640 || info.Size() == 0 {
		t.Errorf("mode %v, size %d, error %v", info.Mode(), info.Size(), err)
	}
	if info, err = os.Lstat("link.npy"); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if err := os.Symlink(os.DevNull, "null.npy"); err != nil {
		t.Fatal(err)
	}
	if err := Save("null.npy", x); err != nil {
		t.Errorf("a device: %v", err)
	}
}
