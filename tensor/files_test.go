package tensor

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A goldenFile is an entry of expected.json in testdata/files.zip, which
// testdata/files.py makes.
type goldenFile struct {
	DType  string
	Shape  []int
	Values []string
	Same   bool
	Error  string
}

func goldenFiles(t testing.TB) (contents map[string][]byte, expected map[string]goldenFile) {
	t.Helper()
	archive, err := zip.OpenReader("testdata/files.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	contents = map[string][]byte{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if contents[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.Unmarshal(contents["expected.json"], &expected); err != nil {
		t.Fatal(err)
	}
	return contents, expected
}

// Files that NumPy wrote are read, from streams and mapped, and written again
// byte for byte.
func TestGoldenFiles(t *testing.T) {
	contents, expected := goldenFiles(t)
	directory := t.TempDir()
	for name, want := range expected {
		if !strings.HasSuffix(name, ".npy") {
			continue
		}
		path := filepath.Join(directory, name)
		if err := os.WriteFile(path, contents[name], 0o666); err != nil {
			t.Fatal(err)
		}
		readers := map[string]func() (*Tensor, error){
			"stream": func() (*Tensor, error) { return ReadNPY(bytes.NewReader(contents[name])) },
			"pipe":   func() (*Tensor, error) { return ReadNPY(io.MultiReader(bytes.NewReader(contents[name]))) },
			"map":    func() (*Tensor, error) { return OpenNPY(path) },
			"load":   func() (*Tensor, error) { return Load(path) },
		}
		for way, read := range readers {
			x, err := read()
			if want.Error != "" {
				var e *FileError
				if !errors.As(err, &e) || !strings.Contains(e.Reason, want.Error) || e.Help == "" {
					t.Errorf("%s by %s: %v, want one about %s", name, way, err, want.Error)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s by %s: %v", name, way, err)
				continue
			}
			checkGolden(t, name+" by "+way, x, want)
			var b bytes.Buffer
			if err := WriteNPY(&b, x); err != nil {
				t.Errorf("%s by %s: %v", name, way, err)
			}
			if want.Same && !bytes.Equal(b.Bytes(), contents[name]) {
				t.Errorf("%s by %s: written as\n%q\nNumPy writes\n%q", name, way, b.Bytes(), contents[name])
			}
		}
	}
}

func checkGolden(t *testing.T, name string, x *Tensor, want goldenFile) {
	t.Helper()
	if x.DType().String() != want.DType || !slices.Equal(x.Shape(), want.Shape) {
		t.Errorf("%s: %s of shape %v, want %s of shape %v", name, x.DType(), x.Shape(), want.DType, want.Shape)
		return
	}
	position := 0
	for offset := range x.Offsets() {
		got := scalarText(x, offset)
		if x.DType().IsFloat() {
			a, _ := strconv.ParseFloat(got, 64)
			b, err := strconv.ParseFloat(want.Values[position], 64)
			if err != nil || a != b && (a == a || b == b) {
				t.Errorf("%s: element %d is %s, want %s", name, position, got, want.Values[position])
			}
		} else if got != want.Values[position] {
			t.Errorf("%s: element %d is %s, want %s", name, position, got, want.Values[position])
		}
		position++
	}
}

func TestNPYErrors(t *testing.T) {
	header := func(text string) string {
		return "\x93NUMPY\x01\x00" + string([]byte{byte(len(text)), byte(len(text) >> 8)}) + text
	}
	ok := "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
	tests := []struct{ name, data, want string }{
		{"empty", "", "the file does not start with \\x93NUMPY (at byte 0)"},
		{"other", "PK\x03\x04 something else", "does not start with"},
		{"version", "\x93NUMPY\x09\x01", "version 9.1 is not one of 1, 2 and 3 (at byte 6)"},
		{"no length", "\x93NUMPY\x01\x00v", "the file ends in its header"},
		{"cut header", "\x93NUMPY\x01\x00v\x00{'descr'", "the file ends in its header (at byte 18)"},
		{"huge header", "\x93NUMPY\x02\x00\xff\xff\xff\xff", "a header of 4294967295 bytes, more than 65536 (at byte 8)"},
		{"no data", header(ok), "float32 of shape [3] has 12 bytes of data, the file has 0 (at byte 67)"},
		{"less data", header(ok) + "12345678", "has 12 bytes of data, the file has 8"},
		{"lying shape", header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }"), "8000000000000 bytes of data, the file has 0"},
		{"overflow", header("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }"), "larger than the address space"},
		{"too large a number", header("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }"), `"shape" in the header is (99999999999999999999,), not a tuple of integers`},
		{"negative", header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }"), "dimension 0 of shape [-1] is negative"},
		{"no shape", header("{'descr': '<f8', 'fortran_order': False}"), `the header has no "shape"`},
		{"no tuple", header("{'descr': '<f8', 'fortran_order': False, 'shape': (3)}"), `"shape" in the header is (3), not a tuple`},
		{"no bool", header("{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}"), `"fortran_order" in the header is 0, not True or False`},
		{"twice", header("{'descr': '<f8', 'descr': '<f4'}"), `the header needs one "descr" here`},
		{"no dictionary", header("[1, 2]"), "the header needs '{' here (at byte 10)"},
		{"open string", header("{'descr"), "the header needs a key in quotes here"},
		{"more", header(ok + " x"), "the header needs the end of the header here"},
		{"long double", header("{'descr': '<f16', 'fortran_order': False, 'shape': (3,), }"), "array.astype('float64')"},
	}
	for _, test := range tests {
		_, err := ReadNPY(strings.NewReader(test.data))
		var e *FileError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// A stream of unknown length is read in growing blocks, also beyond the first.
func TestNPYLongStream(t *testing.T) {
	x := filled(t, func(x *Tensor) { FillRandom(x, 3) }, Float64, 700, 500)
	var b bytes.Buffer
	if err := WriteNPY(&b, x); err != nil {
		t.Fatal(err)
	}
	y, err := ReadNPY(io.MultiReader(&b))
	if err != nil || !Equal(x, y) {
		t.Errorf("a long stream is not the same: %v", err)
	}
}

// A header that promises terabytes makes nobody allocate them.
func TestLyingHeader(t *testing.T) {
	header := npyHeader{dtype: Float64, shape: []int{1 << 20, 1 << 20}}.String()
	start := "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), 0}) + header
	before := mappedSinceCollection.Load()
	_, err := ReadNPY(io.MultiReader(strings.NewReader(start), strings.NewReader(strings.Repeat("x", 3*firstBlock))))
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "has 8796093022208 bytes of data, the file has 3145728") {
		t.Errorf("got %v", err)
	}
	if mapped := mappedSinceCollection.Load() - before; mapped > 8*firstBlock {
		t.Errorf("%d bytes were mapped for 3 MiB", mapped)
	}
}

// Two arrays one after the other in a stream are read one after the other.
func TestNPYSequence(t *testing.T) {
	var b bytes.Buffer
	for _, n := range []int{3, 5} {
		if err := WriteNPY(&b, iotaTensor(t, Int16, n)); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []int{3, 5} {
		if x, err := ReadNPY(&b); err != nil || !Equal(x, iotaTensor(t, Int16, n)) {
			t.Errorf("got %v, %v", x, err)
		}
	}
}

// A mapping is private and survives that its file is replaced.
func TestOpenNPYIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	x := iotaTensor(t, Float32, 1000)
	if err := Save(path, x); err != nil {
		t.Fatal(err)
	}
	mapped := must(t)(OpenNPY(path))
	mapped.SetFloat(-1, 0)
	again := must(t)(OpenNPY(path))
	if again.Float(0) != 0 {
		t.Error("a write to a mapped tensor reached the file")
	}
	if err := Save(path, mapped); err != nil {
		t.Fatal(err)
	}
	if again.Float(0) != 0 || must(t)(Load(path)).Float(0) != -1 || !Equal(must(t)(again.Clone()), x) {
		t.Error("saving over a mapped file changed the mapping or not the file")
	}
}

// All formats give back every view of every type they can hold.
func TestFilesProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x := drawTensor(r)
		all := map[string]*Tensor{"x": x, "weights/é": drawTensor(r)}
		var npy, npz, safe bytes.Buffer
		if err := errors.Join(WriteNPY(&npy, x), WriteNPZ(&npz, all), WriteSafetensors(&safe, all, map[string]string{"a": "b"})); err != nil {
			r.Fatal(err)
		}
		if y, err := ReadNPY(&npy); err != nil || !sameBits(x, y) {
			r.Fatalf("npy: %v, %v", y, err)
		}
		z, err := NewNPZ(bytes.NewReader(npz.Bytes()), int64(npz.Len()))
		if err != nil {
			r.Fatal(err)
		}
		s, err := ReadSafetensors(&safe)
		if err != nil || s.Metadata["a"] != "b" {
			r.Fatal(s, err)
		}
		for _, a := range []Archive{z, s} {
			back, err := readAll(a)
			if err != nil || len(back) != len(all) {
				r.Fatal(back, err)
			}
			for name := range all {
				if !sameBits(all[name], back[name]) {
					r.Fatalf("%T: %s is\n%v\nnot\n%v", a, name, back[name], all[name])
				}
			}
		}
	})
}
