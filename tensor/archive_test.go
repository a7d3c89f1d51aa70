package tensor

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// savezTensors are the arrays of the npz files in testdata.
func savezTensors(t *testing.T) map[string]*Tensor {
	return map[string]*Tensor{
		"a": iotaTensor(t, Float32, 2, 3),
		"b": Scalar(true),
		"c": must(t)(iotaTensor(t, Float64, 2, 3).Transpose()),
	}
}

// testdata/savez.npz is what np.savez writes with Python 3.11.4 or later; the
// members of files.zip come from an earlier one, which differs in two versions.
func TestNPZGolden(t *testing.T) {
	want := savezTensors(t)
	same, err := os.ReadFile("testdata/savez.npz")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteNPZ(&b, want); err != nil || !bytes.Equal(b.Bytes(), same) {
		t.Errorf("WriteNPZ differs from NumPy's savez (error %v)", err)
	}
	contents, _ := goldenFiles(t)
	for name, data := range map[string][]byte{"new": same, "old": contents["savez.npz"], "compressed": contents["compressed.npz"]} {
		z, err := NewNPZ(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !slices.Equal(z.Names(), []string{"a", "b", "c"}) {
			t.Errorf("%s: names %v", name, z.Names())
		}
		for key := range want {
			if x, err := z.Read(key); err != nil || !sameBits(x, want[key]) {
				t.Errorf("%s: %s is %v, error %v", name, key, x, err)
			}
		}
	}
}

func TestNPZErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npz")
	if err := SaveAll(path, savezTensors(t)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := OpenNPZ(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	_, err = z.Read("d")
	if err == nil || !strings.Contains(err.Error(), `there is no tensor "d"`) || !strings.Contains(err.Error(), "the file has 3: a, b, c") {
		t.Errorf("a missing member: %v", err)
	}
	damaged := slices.Clone(data)
	damaged[190] ^= 1 // in an element of a
	broken, err := NewNPZ(bytes.NewReader(damaged), int64(len(damaged)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := broken.Read("a"); !errors.Is(err, zip.ErrChecksum) {
		t.Errorf("a damaged member: %v", err)
	}
	if _, err := NewNPZ(bytes.NewReader(data[:100]), 100); !errors.Is(err, zip.ErrFormat) {
		t.Errorf("a truncated archive: %v", err)
	}
}

// The 64-bit forms are read by another implementation.
func TestZip64(t *testing.T) {
	var b bytes.Buffer
	z := &storedZip{w: &b}
	const members = 1<<16 + 5
	content := []byte("x")
	for range members {
		if err := z.add("m", func(w io.Writer) error { _, err := w.Write(content); return err }); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.finish(); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || len(r.File) != members {
		t.Fatalf("%v", err)
	}
	wide := &storedZip{}
	wide.list("m", make([]byte, 16), 1<<40, 1<<41)
	want := littleEndian(nil, uint16(zipExtra64), uint16(24), uint64(1<<40), uint64(1<<40), uint64(1<<41))
	if !bytes.HasSuffix(wide.directory, want) {
		t.Errorf("the extra field is % x", wide.directory)
	}
}

// safetensorsFile returns a file with a header and data.
func safetensorsFile(header string, data int) string {
	return string(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))) + header + strings.Repeat("\x00", data)
}

// The expected bytes follow the reference implementation: types of wide elements
// first, then names, the header padded to eight bytes.
func TestWriteSafetensors(t *testing.T) {
	all := map[string]*Tensor{
		"b": iotaTensor(t, Uint8, 3), "z": iotaTensor(t, Float32, 1, 2), "a": iotaTensor(t, Float32), "n": iotaTensor(t, Int64, 0),
	}
	header := `{"__metadata__":{"k":"<v>"},"n":{"dtype":"I64","shape":[0],"data_offsets":[0,0]},` +
		`"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"z":{"dtype":"F32","shape":[1,2],"data_offsets":[4,12]},` +
		`"b":{"dtype":"U8","shape":[3],"data_offsets":[12,15]}}`
	for len(header)%8 != 0 {
		header += " "
	}
	want := safetensorsFile(header, 0) + "\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x80\x3f" + "\x00\x01\x02"
	var b bytes.Buffer
	if err := WriteSafetensors(&b, all, map[string]string{"k": "<v>"}); err != nil || b.String() != want {
		t.Errorf("got\n%q, %v\nwant\n%q", b.String(), err, want)
	}
	b.Reset()
	if err := WriteSafetensors(&b, nil, nil); err != nil || b.String() != safetensorsFile("{}      ", 0) {
		t.Errorf("an empty file is %q, %v", b.String(), err)
	}
	if s, err := ReadSafetensors(&b); err != nil || len(s.Names()) != 0 {
		t.Errorf("an empty file: %v", err)
	}
}

func TestSafetensorsErrors(t *testing.T) {
	entry := func(dtype, shape, offsets string) string {
		return `{"dtype":"` + dtype + `","shape":` + shape + `,"data_offsets":` + offsets + `}`
	}
	f32 := entry("F32", "[2]", "[0,8]")
	tests := []struct{ name, data, want string }{
		{"empty", "", "the file ends in its header (at byte 0)"},
		{"huge header", "\xff\xff\xff\xff\xff\xff\xff\x7f", "a header of 9223372036854775807 bytes, more than 100000000"},
		{"lying header", "\x00\x00\x00\x01\x00\x00\x00\x00{}", "the file ends in its header (at byte 10)"},
		{"no JSON", safetensorsFile(`{"a":`, 0), "the header is not a JSON object of tensors"},
		{"no object", safetensorsFile(`[]`, 0), "the header is not a JSON object of tensors"},
		{"more", safetensorsFile(`{} {}`, 0), "there is more after the JSON object"},
		{"twice", safetensorsFile(`{"a":`+f32+`,"a":`+f32+`}`, 8), `the name "a" occurs twice`},
		{"null", safetensorsFile(`{"a":null}`, 0), "data_offsets is [], not a range"},
		{"wrong size", safetensorsFile(`{"a":`+entry("F32", "[3]", "[0,8]")+`}`, 8), `"a": safetensors: F32 of shape [3] needs 12 bytes, data_offsets has 8`},
		{"backwards", safetensorsFile(`{"a":`+entry("F32", "[2]", "[8,0]")+`}`, 8), "data_offsets is [8 0], not a range"},
		{"negative", safetensorsFile(`{"a":`+entry("F32", "[-2]", "[0,8]")+`}`, 8), "not a JSON object of tensors"},
		{"overflow", safetensorsFile(`{"a":`+entry("F32", "[9223372036854775807,4]", "[0,8]")+`}`, 8), "larger than the address space"},
		{"over int", safetensorsFile(`{"a":`+entry("F32", "[18446744073709551615]", "[0,8]")+`}`, 8), "is too large"},
		{"hole", safetensorsFile(`{"a":`+f32+`,"b":`+entry("F32", "[2]", "[12,20]")+`}`, 20), `"b": safetensors: the data starts at 12 where the tensor before it ends at 8`},
		{"overlap", safetensorsFile(`{"a":`+f32+`,"b":`+entry("F32", "[2]", "[4,12]")+`}`, 12), "the data starts at 4 where the tensor before it ends at 8"},
		{"not from 0", safetensorsFile(`{"b":`+entry("F32", "[2]", "[4,12]")+`}`, 12), "the data starts at 4 where"},
		{"less data", safetensorsFile(`{"a":`+f32+`}`, 7), "the data is less than the 8 bytes"},
		{"more data", safetensorsFile(`{"a":`+f32+`}`, 9), "the data is more than the 8 bytes"},
	}
	path := filepath.Join(t.TempDir(), "x.safetensors")
	for _, test := range tests {
		_, err := ReadSafetensors(strings.NewReader(test.data))
		var e *FileError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		if err := os.WriteFile(path, []byte(test.data), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenSafetensors(path); err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s mapped: %v, want %q", test.name, err, test.want)
		}
	}
}

// One type that is not supported does not hide the other tensors; elements that
// are not aligned are copied.
func TestSafetensorsMixed(t *testing.T) {
	header := `{"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]},` +
		`"c":{"dtype":"BOOL","shape":[1],"data_offsets":[5,6]}}`
	path := filepath.Join(t.TempDir(), "x.safetensors")
	if err := os.WriteFile(path, []byte(safetensorsFile(header, 0)+"\x07\x00\x00\x80\x3f\x09"), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := OpenSafetensors(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Read("a")
	if err == nil || !strings.Contains(err.Error(), `"a": safetensors: the element type F8_E4M3 is not supported`) {
		t.Errorf("a: %v", err)
	}
	b, c := must(t)(s.Read("b")), must(t)(s.Read("c"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if b.Float(0) != 1 || c.Bits(0) != 1 {
		t.Errorf("b %v, c %x", b, c.Bits(0))
	}
	if _, err := s.Read("b"); err == nil {
		t.Error("Read of a closed file succeeded")
	}
}
