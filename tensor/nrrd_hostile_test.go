//go:build unix

package tensor

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A hostile row is a file by its lines, and what is said of it; nothing where it is read.
type hostile struct{ what, text, want string }

const (
	hostileStart = "NRRD0005\ntype: float\ndimension: 2\nsizes: 4 4\nencoding: raw\nendian: little\n"
	hostileData  = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
)

// with replaces or adds lines of a header.
func with(lines ...string) string {
	text := hostileStart
	for _, line := range lines {
		field, _, _ := strings.Cut(line, ":")
		kept := ""
		for l := range strings.Lines(text) {
			if !strings.HasPrefix(l, field+":") {
				kept += l
			}
		}
		text = kept + line + "\n"
	}
	return text
}

func hostileRows(t *testing.T) []hostile {
	t.Helper()
	zeros := func(n int) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		for block := make([]byte, 1<<20); n > 0; n -= len(block) {
			if _, err := z.Write(block[:min(n, len(block))]); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	bomb := zeros(64 << 20)
	whole := zeros(64)
	list := func(lines ...string) string { return with(lines...) + "\n" + hostileData }
	return []hostile{
		{"nothing", "", "does not start"},
		{"a magic alone", "NRRD", "does not start"},
		{"no version", "NRRD000", "version"},
		{"version 6", strings.Replace(list(), "NRRD0005", "NRRD0006", 1), "version"},
		{"version 05", strings.Replace(list(), "NRRD0005", "NRRD00005", 1), "version"},
		{"small letters", strings.ToLower(list()), "does not start"},
		{"a mark of byte order", "\ufeff" + list(), "does not start"},
		{"utf-16", "\xff\xfeN\x00R\x00R\x00D\x00", "does not start"},
		{"lines of Windows", strings.ReplaceAll(with(), "\n", "\r\n") + "\r\n" + hostileData, ""},
		{"lines of old Macs", strings.ReplaceAll(with(), "\n", "\r") + "\r" + hostileData, "version"},
		{"no end", with(), "has 64 bytes of data, the file has 0"},
		{"zeros in a line", with("content: a\x00b") + "\n" + hostileData, ""},
		{"a line of two megabytes", with("content: "+strings.Repeat("a", 2<<20)) + "\n" + hostileData, "more than"},
		{"many lines", with() + strings.Repeat("# a\n", 1<<19) + "\n" + hostileData, "more than"},
		{"no field", with("colour: red") + "\n" + hostileData, "no field"},
		{"no line", with() + "hello\n\n" + hostileData, "none of a header"},
		{"twice", with() + "sizes: 2 2\n\n" + hostileData, "twice"},
		{"a product beyond 64 bits", list("sizes: 4294967296 4294967296"), "larger than the address space"},
		{"a size at the end of int64", list("sizes: 9223372036854775807 2"), "larger than the address space"},
		{"a size beyond uint64", list("sizes: 18446744073709551616 1"), "is not a size"},
		{"a size below 0", list("sizes: -4 -4"), "is not a size"},
		{"no samples, and many", list("sizes: 0 9223372036854775807"), "larger than the address space"},
		{"a size with an exponent", list("sizes: 4e0 4"), "is not a size"},
		{"a comment behind sizes", list("sizes: 4 4 # fast slow"), "there are 5 sizes for 2 axes"},
		{"sizes that are not there", list("sizes: 1000000 1000000"), "has 4000000000000 bytes of data, the file has 64"},
		{"seventeen axes", list("dimension: 17"), "is not a number from 1 to 16"},
		{"no axes", list("dimension: 0", "sizes:"), "is not a number from 1 to 16"},
		{"axes that wrap", list("dimension: 4294967298"), "is not a number from 1 to 16"},
		{"a size too few", list("sizes: 4"), "there are 1 sizes for 2 axes"},
		{"a kind too few", list("kinds: space"), "there are 1 values for 2 axes"},
		{"a vector of four", list("kinds: 3-vector space"), "axis 0 is 3-vector, which has 3 parts, and its size is 4"},
		{"a matrix of four", list("kinds: space 3D-Matrix"), "axis 1 is 3D-Matrix, which has 9 parts"},
		{"spacings that are no numbers", list("spacings: NaN NaN"), ""},
		{"an infinite spacing", list("spacings: inf 1"), ""},
		{"a spacing that is a word", list("spacings: wide 1"), "is not a number"},
		{"a spacing too many", list("spacings: 1 1 1"), "there are 3 values for 2 axes"},
		{"mins too few", list("axis mins: 1"), "there are 1 values for 2 axes"},
		{"thicknesses too many", list("thicknesses: 1 2 3"), "there are 3 values for 2 axes"},
		{"labels without quotes", list("labels: x y"), "expected a text in quotes"},
		{"a centering", list("centerings: cell corner"), "neither cell nor node"},
		{"directions that are no numbers", list("space dimension: 2", "space directions: (nan,0) (0,1)"), "is not a finite number"},
		{"infinite directions", list("space dimension: 2", "space directions: (1,0) (0,1e999)"), "is not a finite number"},
		{"directions of another space", list("space dimension: 3", "space directions: (1,0) (0,1)"), "has 2 numbers"},
		{"directions too few", list("space dimension: 2", "space directions: (1,0)"), "there are 1 vectors, expected 2"},
		{"directions without an end", list("space dimension: 2", "space directions: (1,0) (0,1"), "expected a vector"},
		{"directions without a space", list("space directions: (1,0) (0,1)"), "there is no space"},
		{"two spaces", list("space: RAS", "space dimension: 3"), "says it already"},
		{"a space of nine", list("space dimension: 9"), "is not a number from 1 to 8"},
		{"a frame too small", list("space dimension: 2", "measurement frame: (1,0)"), "there are 1 vectors, expected 2"},
		{"a block", list("type: block"), "no arithmetic"},
		{"a long double", list("type: long double"), "is not supported"},
		{"no order of bytes", strings.Replace(list(), "endian: little\n", "", 1), "in which order"},
		{"a mixed order of bytes", list("endian: middle"), "neither little nor big"},
		{"an encoding", list("encoding: zrl"), "the encodings are"},
		{"half a digit", with("encoding: hex") + "\n" + strings.Repeat("0", 127), "the file has 63"},
		{"a number too large", with("encoding: ascii") + "\n1e400 " + strings.Repeat("1 ", 15), "1e400"},
		{"a number of many digits", with("encoding: ascii") + "\n" + strings.Repeat("1", 1<<16), "more than 1200 characters"},
		{"words", with("encoding: ascii") + "\nfour " + strings.Repeat("1 ", 15), "is not a value"},
		{"compressed in name only", with("encoding: gzip") + "\n" + hostileData, "not in the encoding gzip"},
		{"half of a gzip", with("encoding: gzip") + "\n" + whole[:len(whole)/2], "bytes of data"},
		{"a damaged gzip", with("encoding: gzip") + "\n" + whole[:len(whole)-6] + "xx" + whole[len(whole)-4:], "damaged"},
		{"a gzip with more", with("encoding: gzip") + "\n" + bomb, ""},
		{"a gzip with less", with("encoding: gzip", "sizes: 1000000 1000000") + "\n" + whole, "the file has 64"},
		{"lines to skip", list("line skip: 9223372036854775807"), "the file ends before"},
		{"bytes to skip", list("byte skip: 9223372036854775807"), "the file ends before"},
		{"compressed bytes to skip", with("encoding: gzip", "byte skip: 9223372036854775807") + "\n" + whole, "the file ends before"},
		{"bytes from the end", list("byte skip: -9223372036854775807"), "before the end, and the file has 64"},
		{"a skip beyond int64", list("byte skip: -9223372036854775808"), "is not a number to skip"},
		{"a skip of less than nothing", list("line skip: -1"), "is not a number to skip"},
		{"a pipe", with("data file: pipe"), "a named pipe"},
		{"a directory", with("data file: directory"), "a directory"},
		{"a device behind a link", with("data file: zero"), "cannot be opened"},
		{"a file of the system", with("data file: /proc/self/maps"), "cannot be opened"},
		{"a file above", with("data file: ../above"), "cannot be opened"},
		{"a name with a zero", with("data file: a\x00b"), "cannot be opened"},
		{"a short file", with("data file: short"), "the file has 3"},
		{"no names", with("data file: LIST"), "there are no names"},
		{"a name for each of many files", with("data file: x%d 1 2000000000 1"), "files, more than"},
		{"steps that lead nowhere", with("data file: x%d 1 4 0"), "no steps"},
		{"steps the wrong way", with("data file: x%d 1 4 -1"), "no steps"},
		{"files of other sizes", with("data file: x%d 1 3 1"), "there must be 4"},
		{"parts of more axes", with("data file: LIST 3\nshort\n"), "is not a number of axes"},
	}
}

// TestNRRDHostile reads files that somebody has written to do harm: each is read, or refused for the right reason, at once
// and without memory for what is not there.
func TestNRRDHostile(t *testing.T) {
	above := t.TempDir()
	dir := filepath.Join(above, "here")
	err := errors.Join(os.Mkdir(dir, 0o777), os.Mkdir(filepath.Join(dir, "directory"), 0o777), syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666),
		os.Symlink("/dev/zero", filepath.Join(dir, "zero")), os.WriteFile(filepath.Join(dir, "short"), []byte("abc"), 0o666),
		os.WriteFile(filepath.Join(above, "above"), []byte(hostileData), 0o666))
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(dir, "x.nrrd")
	for _, row := range hostileRows(t) {
		if err := os.WriteFile(path, []byte(row.text), 0o666); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		failed := make(chan error, 1)
		go func() {
			_, err := OpenNRRD(path)
			failed <- err
		}()
		select {
		case err = <-failed:
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: it takes for ever", row.what)
		}
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > uint64(16*len(row.text))+4<<20 {
			t.Errorf("%s: %d bytes were taken for %d", row.what, taken, len(row.text))
		}
		var e *FileError
		if row.want == "" && err != nil || row.want != "" && (!errors.As(err, &e) || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: %v, want %q", row.what, err, row.want)
		}
		header, err := ReadNRRDHeader(strings.NewReader(row.text))
		if row.want == "" && err != nil || err == nil && (len(header.Shape) == 0 || header.Image.Tensor != nil) {
			t.Errorf("%s: its header is %+v, %v", row.what, header, err)
		}
	}
}
