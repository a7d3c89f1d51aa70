package tensor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"pgregory.net/rapid"
)

// Every type comes back from every encoding in both orders of bytes, from a known and an unknown length.
func TestNRRDProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := rapid.SampledFrom([]DType{Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Float32, Float64}).Draw(r, "dtype")
		x, err := New(d, rapid.SliceOfN(rapid.IntRange(0, 4), 1, 4).Draw(r, "shape")...)
		if err != nil {
			r.Fatal(err)
		}
		for offset := range x.Offsets() {
			if d.IsFloat() {
				x.SetFloatAt(offset, rapid.Float64Range(-1e30, 1e30).Draw(r, "x"))
			} else {
				x.SetBitsAt(offset, rapid.Uint64().Draw(r, "x"))
			}
		}
		layout := NRRDLayout{Encoding: rapid.SampledFrom([]string{"raw", "ascii", "hex", "gzip"}).Draw(r, "encoding"), BigEndian: rapid.Bool().Draw(r, "big")}
		var b bytes.Buffer
		if err := WriteNRRD(&b, &Image{Tensor: x}, layout); err != nil {
			r.Fatal(err)
		}
		for _, in := range []io.Reader{bytes.NewReader(b.Bytes()), io.MultiReader(bytes.NewReader(b.Bytes()))} {
			if y, err := ReadNRRD(in); err != nil || !sameBits(x, y.Tensor) {
				r.Fatalf("%v %v\n%s", y, err, b.Bytes())
			}
		}
	})
}

const nrrdStart = "NRRD0004\ntype: short\ndimension: 2\nsizes: 3 2\n"

func TestNRRDReads(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a": "1 2 3", "b": "4 5 6", "s01.txt": "1 2 3", "s03.txt": "4 5 6", "whole": "skipped\n  1,2 3\n4 5 6",
		"list.nhdr": nrrdStart + "encoding: text\ndata file: LIST\na\nb\n", "one.nhdr": nrrdStart + "encoding: txt\nline skip: 1\ndata file: whole",
		"numbered.nhdr": nrrdStart + "encoding: ascii\ndatafile: s%02d.txt 1 3 2\n",
		"slabs.nhdr":    nrrdStart + "encoding: ascii\ndata file: LIST 2\na\nb\n",
		"hex.nrrd":      nrrdStart + "encoding: HEX\r\nendian: big\r\n\r\n0001 0002 0003\n0004 0005 00 06",
		"bytes.nrrd":    nrrdStart + "encoding: raw\nendian: big\nbyte skip: -1\n\njunk\x00\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06",
		"bzip2.nrrd":    nrrdStart + "encoding: bz2\nendian: little\n\n" + bzip2Six,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"list.nhdr", "one.nhdr", "numbered.nhdr", "slabs.nhdr", "hex.nrrd", "bytes.nrrd", "bzip2.nrrd"} {
		x, err := Load(filepath.Join(dir, name))
		if err != nil || x.DType() != Int16 || x.String() != "[[1 2 3]\n [4 5 6]]" {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
}

// The numbers 1 to 6 in 16 bits, made by Python's bz2.
const bzip2Six = "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x31\x79\x2c\x0b\x00\x00\x03\x40\x00\x7f\x00\x20\x00\x22\x1a\x63\x50\x86\x00\xe7\x28\x66\xf8\xbb\x92\x29\xc2\x84\x81\x8b\xc9\x60\x58"

func TestNRRDRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"NRRD0006\n": "version", "PNG": "does not start", "NRRD0004\ntype: float\n\n": `without the field "dimension"`,
		nrrdStart + "sizes: 3 2\n":                                                                           "twice",
		nrrdStart + "colour: red\n":                                                                          `no field "colour"`,
		nrrdStart + "encoding: raw\n\n":                                                                      "in which order",
		nrrdStart + "encoding: zip\n\n":                                                                      "the encodings are",
		nrrdStart + "encoding: raw\nendian: big\n\nxx":                                                       "has 12 bytes of data, the file has 2",
		nrrdStart + "encoding: ascii\n\n1 2 3 4 5 40000":                                                     "40000",
		nrrdStart + "encoding: gzip\nendian: big\n\nxx":                                                      "the file has 0",
		nrrdStart + "encoding: gzip\nendian: big\n\n0123456789ab":                                            "not in the encoding gzip",
		nrrdStart + "encoding: ascii\nbyte skip: -1\n\n":                                                     "only raw data",
		nrrdStart + "encoding: ascii\ndata file: x\n":                                                        "in other files",
		nrrdStart + "encoding: ascii\nspace origin: (0,0)\n\n":                                               "there is no space",
		nrrdStart + "encoding: ascii\nspace dimension: 2\nspace directions: (1,0) (1,0,0)\n\n":               "3 numbers",
		nrrdStart + "encoding: ascii\nlabels: \"x\" \"y\n\n":                                                 "no quote at its end",
		nrrdStart + "encoding: ascii\ndata file: x%d 1 900000000 1\n":                                        "files, more than",
		"NRRD0001\ntype: block\ndimension: 1\nsizes: 1\nencoding: raw\n\n":                                   "no arithmetic",
		"NRRD0001\ntype: double\ndimension: 3\nsizes: 4000000000 4000000000 4000000000\nencoding: raw\n\n":   "larger than the address space",
		"NRRD0001\ntype: double\ndimension: 2\nsizes: 40000000 4000000\nencoding: gzip\nendian: big\n\n\x1f": "the file has 0",
		"NRRD0001\n" + strings.Repeat("#", largestNRRDHeader):                                                "the header has more than",
	} {
		_, err := ReadNRRD(strings.NewReader(text))
		var e *FileError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.200q\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// The files of a header lie below its directory.
func TestNRRDFilesStayBelow(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("1 2 3 4 5 6"), 0o666); err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(dir, "below")
	if err := os.Mkdir(below, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../secret", filepath.Join(dir, "secret"), "none", "/dev/zero"} {
		path := filepath.Join(below, "x.nhdr")
		if err := os.WriteFile(path, []byte(nrrdStart+"encoding: ascii\ndata file: "+name+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if x, err := Load(path); err == nil || !strings.Contains(err.Error(), "cannot be opened") {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
}

// A header has no samples in its own text, by whatever name it calls itself.
func TestNRRDOfItself(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.nhdr")
	for _, name := range []string{"x.nhdr", "./x.nhdr", "linked", "LIST\nsamples\nx.nhdr"} {
		text := "NRRD0004\ntype: uchar\ndimension: 2\nsizes: 3 2\nencoding: raw\ndata file: " + name + "\n"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "samples"), []byte("abc"), 0o666); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(filepath.Join(dir, "linked"))
		if err := os.Link(path, filepath.Join(dir, "linked")); err != nil {
			t.Fatal(err)
		}
		if x, err := Load(path); err == nil || !strings.Contains(err.Error(), "is the header itself") {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
}

func TestImagePlaces(t *testing.T) {
	for _, test := range []struct{ fields, directions, origin string }{
		{"", "[[1 0] [0 1]]", "[0 0]"},
		{"spacings: 0.5 nan\naxis mins: 1 nan\n", "[[0.5 0] [0 1]]", "[1.25 0]"},
		{"centerings: node cell\naxis mins: 1 2\naxis maxs: 5 6\n", "[[2 0] [0 2]]", "[1 3]"},
		{"kinds: 3-vector space\nspacings: 9 2\n", "[[2]]", "[0]"},
		{"space: RAS\nspace directions: (1,0, -2) (0,3,1)\nspace origin: (1,2,3)\n", "[[1 0 -2] [0 3 1]]", "[1 2 3]"},
		{"space dimension: 2\nspace directions: none (0,3)\n", "[[0 3]]", "[0 0]"},
	} {
		text := nrrdStart + test.fields + "labels: \"a \\\"b\" \"\"\nkey:=a\\nb\n# hello\nencoding: text\n\n1 2 3 4 5 6"
		m, err := ReadNRRD(strings.NewReader(text))
		if err != nil || fmt.Sprint(m.Directions) != test.directions || fmt.Sprint(m.Origin) != test.origin {
			t.Fatalf("%s: %+v, %v", test.fields, m, err)
		}
		var b bytes.Buffer
		if err := WriteNRRD(&b, m, NRRDLayout{}); err != nil {
			t.Fatal(err)
		}
		first := b.String()
		again, err := ReadNRRD(&b)
		if err != nil || again.Axes[0].Label != `a "b` || fmt.Sprint(again.Axes) != fmt.Sprint(m.Axes) ||
			!reflect.DeepEqual(again.Directions, m.Directions) || again.Values[0] != (KeyValue{"key", "a\nb"}) || !strings.Contains(first, "# hello") {
			t.Errorf("%+v, %v, written as\n%s", again, err, first)
		}
	}
}

// Headers that the original compiler of Diderot wrote are written again, byte by byte.
func TestNRRDOfDiderot(t *testing.T) {
	const begin = "NRRD0003\n# Complete NRRD file format specification at:\n# http://teem.sourceforge.net/nrrd/format.html\n"
	for _, rest := range []string{
		"type: float\ndimension: 3\nsizes: 2 2 1\nkinds: 2-vector space space\nendian: little\nencoding: raw\n\n",
		"type: unsigned char\ndimension: 2\nsizes: 4 4\nkinds: space space\nencoding: raw\n\n",
		"type: long long int\ndimension: 1\nsizes: 2\nkinds: list\nendian: little\nencoding: raw\n\n",
		"type: double\ndimension: 2\nsizes: 1 2\nkinds: list list\nendian: little\nencoding: raw\n\n",
	} {
		writesBack(t, begin+rest+"0123456789abcdef")
	}
}

// All that were recorded, too.
func TestNRRDRecorded(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(goldentest.Recordings(t), "out/*/*.nrrd"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no recorded outputs", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		writesBack(t, string(text))
	}
}

func writesBack(t *testing.T, text string) {
	t.Helper()
	var b bytes.Buffer
	m, err := ReadNRRD(strings.NewReader(text))
	if err == nil {
		err = WriteNRRD(&b, m, NRRDLayout{})
	}
	if err != nil || b.String() != text {
		t.Errorf("%v, got\n%.300q\nwant\n%.300q", err, b.String(), text)
	}
}

func FuzzNRRD(f *testing.F) {
	for _, encoding := range []string{"raw", "ascii", "hex", "gzip"} {
		var b bytes.Buffer
		if err := WriteNRRD(&b, NewImage(iotaTensor(f, Int16, 2, 3)), NRRDLayout{Encoding: encoding}); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte(nrrdStart + "space: RAS\nspace directions: (1,0, -2) (0,3,1)\nlabels: \"a\" \"b\"\nencoding: raw\nendian: big\nbyte skip: -1\n\n0123456789ab"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ReadNRRD(bytes.NewReader(data))
		if err != nil {
			checkRead(t, data, nil, err)
			return
		}
		var b bytes.Buffer
		if err := WriteNRRD(&b, m, NRRDLayout{}); err != nil {
			t.Fatal(err)
		}
		if again, err := ReadNRRD(&b); err != nil || !sameBits(again.Tensor, m.Tensor) {
			t.Fatalf("%+v: %v", m, err)
		}
	})
}
