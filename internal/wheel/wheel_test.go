package wheel

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

func sample() *Wheel {
	return &Wheel{
		Name: "My-Package.of_two", Version: "1.2.post3", Tag: AnyTag, Summary: "says\nsomething", Readme: "# Title\n", Python: ">=3.9", Requires: []string{"numpy>=1.22"},
		Scripts: map[string]string{"two": "m:main"}, Files: []File{{Path: "m/b,c.py", Data: []byte("x = 1\n")}, {Path: "m/a", Data: []byte{0, 1}, Executable: true}},
	}
}

// TestWrite reads a wheel as an installer does: every file is in RECORD, with its hash and its size.
func TestWrite(t *testing.T) {
	w := sample()
	var b, again bytes.Buffer
	for _, to := range []*bytes.Buffer{&b, &again} {
		if err := w.Write(to); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("equal packages make different archives")
	}
	if name := w.FileName(); name != "my_package.of_two-1.2.post3-py3-none-any.whl" {
		t.Errorf("the file is called %s", name)
	}
	archive, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	const info = "my_package.of_two-1.2.post3.dist-info/"
	found := map[string]string{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		found[f.Name] = string(data)
		if executable := f.Mode()&0o111 != 0; executable != (f.Name == "m/a") {
			t.Errorf("%s has the mode %v", f.Name, f.Mode())
		}
	}
	rows, err := csv.NewReader(strings.NewReader(found[info+"RECORD"])).ReadAll()
	if err != nil || len(rows) != len(found) {
		t.Fatalf("RECORD has %d rows for %d files: %v", len(rows), len(found), err)
	}
	for _, row := range rows {
		data, there := found[row[0]]
		sum := sha256.Sum256([]byte(data))
		want := []string{row[0], "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]), fmt.Sprint(len(data))}
		if row[0] == info+"RECORD" {
			want = []string{row[0], "", ""}
		}
		if !there || strings.Join(row, " ") != strings.Join(want, " ") {
			t.Errorf("a row of RECORD is %q, expected %q", row, want)
		}
	}
	wantMetadata := "Metadata-Version: 2.1\nName: My-Package.of_two\nVersion: 1.2.post3\nSummary: says something\nRequires-Python: >=3.9\nRequires-Dist: numpy>=1.22\nDescription-Content-Type: text/markdown\n\n# Title\n"
	if found[info+"METADATA"] != wantMetadata {
		t.Errorf("METADATA is\n%s", found[info+"METADATA"])
	}
	if text := found[info+"WHEEL"]; !strings.Contains(text, "Root-Is-Purelib: true\n") || !strings.Contains(text, "Tag: py3-none-any\n") {
		t.Errorf("WHEEL is\n%s", text)
	}
	if text := found[info+"entry_points.txt"]; text != "[console_scripts]\ntwo = m:main\n" {
		t.Errorf("entry_points.txt is\n%s", text)
	}
}

// TestVersions: what pip does not take for a version is refused.
func TestVersions(t *testing.T) {
	for text, fine := range map[string]bool{"1": true, "0.1.0": true, "2.0rc1": true, "1.0.dev3": true, "": false, "v1": false, "1.": false, "1.0-2": false, "1.0\n": false, "1 0": false} {
		if err := CheckVersion(text); (err == nil) != fine {
			t.Errorf("the version %q: %v", text, err)
		}
	}
	w := sample()
	w.Version = "none"
	if err := w.Write(io.Discard); err == nil {
		t.Error("a wheel without a version is written")
	}
}

// TestTagOf: a program asks for a C library as old as its symbols, and one that is none is refused.
func TestTagOf(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("wheels are made on Linux")
	}
	libraries := []string{"/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6"}
	for _, path := range libraries {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if tag, err := TagOf(data); err != nil || !regexp.MustCompile(`^py3-none-manylinux_2_(1[7-9]|[2-9]\d)_(x86_64|aarch64)$`).MatchString(tag) {
			t.Errorf("%s has the tag %q: %v", path, tag, err)
		}
	}
	if tag, err := TagOf([]byte("#!/bin/sh")); err == nil {
		t.Errorf("a script has the tag %q", tag)
	}
}
