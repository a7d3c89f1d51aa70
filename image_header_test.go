package ricci

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// nrrdOf is a header of floats, and as many bytes as are told.
func nrrdOf(fields string, bytes int) string {
	return "NRRD0004\ntype: float\nencoding: raw\nendian: little\n" + fields + "\n\n" + strings.Repeat("\x00", bytes)
}

// TestImageHeaders compares the images of a program with the files that a run would read, before it runs.
func TestImageHeaders(t *testing.T) {
	dir := t.TempDir()
	const volume = "dimension: 3\nsizes: 4 4 4\nspace dimension: 3\nspace directions: (1,0,0) (0,1,0) (0,0,1)\nspace origin: (0,0,0)"
	const plane = "dimension: 2\nsizes: 4 4\nspace dimension: 2\nspace directions: (1,0) (0,1)"
	writeTree(t, dir, map[string]string{
		"secret.nrrd": nrrdOf(volume, 256), "here/both.nrrd": nrrdOf(plane, 64), "work/both.nrrd": nrrdOf(volume, 256), "library/more.nrrd": nrrdOf(volume, 256),
		"work/volume.nrrd": nrrdOf(volume, 256), "work/deep/volume.nhdr": strings.TrimRight(nrrdOf(volume+"\ndata file: none.raw", 0), "\n"),
		"work/sizes.nrrd": nrrdOf("dimension: 3\nsizes: 4 4 4", 256), "work/colours.nrrd": nrrdOf("dimension: 3\nsizes: 3 4 4\nkinds: RGB-color domain domain", 192),
		"work/last.nrrd":    nrrdOf("dimension: 3\nsizes: 4 4 3\nspace dimension: 2\nspace directions: (1,0) (0,1) none", 192),
		"work/damaged.nrrd": nrrdOf("dimension: 3\nsizes: 4 4", 64), "work/none.nrrd": "no NRRD", "work/fourth.nrrd": nrrdOf("dimension: 3\nsizes: 4 4 4\nspace dimension: 3", 256),
	})
	for link, target := range map[string]string{"out.nrrd": "../secret.nrrd", "in.nrrd": "volume.nrrd", "device.nrrd": "/dev/zero"} {
		if err := os.Symlink(target, filepath.Join(dir, "work", link)); err != nil {
			t.Skip(err)
		}
	}
	t.Chdir(filepath.Join(dir, "here"))
	const wants = "work/a.diderot:2:18: error[E1314]: image(2)[] is expected, but the axes of the file have the sizes [4 4 4], the fastest first, of which the last 3 are those of the space"
	for _, test := range []struct {
		path, declared, want string // in the error; none: it is accepted
	}{
		{"volume.nrrd", "image(3)[]", ""},
		{"volume.nrrd", "image(2)[]", wants},
		{"deep/volume.nhdr", "image(2)[]", wants},
		{filepath.Join(dir, "work", "volume.nrrd"), "image(2)[]", wants},
		{"../work/volume.nrrd", "image(2)[]", wants},
		{"in.nrrd", "image(2)[]", wants},
		{"both.nrrd", "image(2)[]", ""}, // that in the current directory
		{"both.nrrd", "image(3)[]", "[4 4], the fastest first"},
		{"last.nrrd", "image(2)[3]", "those of the space, 1, 2, are not the last ones"},
		// What no file says is not compared, and files elsewhere are not read.
		{"sizes.nrrd", "image(2)[4]", ""},
		{"sizes.nrrd", "image(2)[2]", "the sizes [4 4 4], the fastest first\n"},
		{"fourth.nrrd", "image(2)[4]", ""},
		{"colours.nrrd", "image(2)[3]", ""},
		{"colours.nrrd", "image(2)[]", "the sizes [3 4 4], the fastest first\n"},
		{"missing.nrrd", "image(2)[]", ""}, {"damaged.nrrd", "image(2)[]", ""}, {"none.nrrd", "image(2)[]", ""}, {".", "image(2)[]", ""},
		{"../secret.nrrd", "image(2)[]", ""}, {filepath.Join(dir, "secret.nrrd"), "image(2)[]", ""}, {"out.nrrd", "image(2)[]", ""}, {"device.nrrd", "image(2)[]", ""},
		{"../library/more.nrrd", "image(2)[]", wants}, // of the import path
	} {
		text := fmt.Sprintf("#version 2.0\n%s img = load_image(%q);\nstrand s(int i) { output real x = 0; update { stabilize; } }\ncreate_array { s(i) | i in 0 .. 1 }\n", test.declared, test.path)
		for _, how := range []string{"", "input "} { // a proxy is compared, too
			text := strings.Replace(text, "image(", how+"image(", 1)
			file := filepath.Join(dir, "work", "a.diderot")
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := ParseOptions{ImportPath: []string{filepath.Join(dir, "library")}}.ParseFile(file)
			want := strings.Replace(test.want, ":2:18", fmt.Sprintf(":2:%d", 18+len(how)), 1)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error()+"\n", want)) {
				t.Errorf("%s%s of %s: %v, want %q", how, test.declared, test.path, err, want)
			}
			if _, err := Parse(file, text); err != nil {
				t.Errorf("Parse reads %s: %v", test.path, err)
			}
		}
	}
}

// TestImageHeadersTakeNoMemory names a file of eight exabytes.
func TestImageHeadersTakeNoMemory(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, map[string]string{
		"a.diderot": "#version 2.0\nimage(2)[] img = load_image(\"huge.nrrd\");\nstrand s(int i) { output real x = 0; update { stabilize; } }\ncreate_array { s(i) | i in 0 .. 1 }\n",
		"huge.nrrd": nrrdOf("dimension: 2\nsizes: 1000000000 2000000000", 0),
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := ParseFile(filepath.Join(dir, "a.diderot")); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 16<<20 {
		t.Errorf("%d bytes were taken", taken)
	}
}
