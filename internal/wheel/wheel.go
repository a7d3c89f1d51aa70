// Package wheel writes packages for Python as pip installs them.
package wheel

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// How it works
//
// A wheel is a zip archive with the files of the package and a directory NAME-VERSION.dist-info that says what they are: METADATA, WHEEL with
// the tags, and RECORD with the hash of each file. The tag of the platform promises a version of the C library: it is
// the highest one whose symbols the compiled files use. Equal files make equal archives.

// A Wheel is a package.
type Wheel struct {
	Name, Version string
	Tag           string // py3-none-any and its like
	Summary       string
	Readme        string // Markdown
	Python        string // versions that it is for, such as ">=3.9"
	Requires      []string
	Scripts       map[string]string // commands, as module:function
	Files         []File
}

// A File of the package.
type File struct {
	Path       string // with slashes
	Data       []byte
	Executable bool
}

// AnyTag is for packages without compiled files.
const AnyTag = "py3-none-any"

var notInNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-zA-Z0-9.]+`) })

// FileName is the name that installers expect.
func (w *Wheel) FileName() string { return w.stem() + "-" + w.Tag + ".whl" }

func (w *Wheel) stem() string {
	return notInNames().ReplaceAllString(strings.ToLower(w.Name), "_") + "-" + w.Version
}

// version matches what pip takes for one, without local parts and epochs.
var version = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?$`)
})

// CheckVersion refuses what pip does not take for a version.
func CheckVersion(text string) error {
	if !version().MatchString(text) {
		return fmt.Errorf("%q is no version of a Python package; 1.0 and 0.3.1 are", text)
	}
	return nil
}

// metadata says what the package is.
func (w *Wheel) metadata() string {
	var b strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, strings.Join(strings.Fields(value), " "))
		}
	}
	line("Metadata-Version", "2.1")
	line("Name", w.Name)
	line("Version", w.Version)
	line("Summary", w.Summary)
	line("Requires-Python", w.Python)
	for _, r := range w.Requires {
		line("Requires-Dist", r)
	}
	if w.Readme != "" {
		line("Description-Content-Type", "text/markdown")
		b.WriteString("\n" + w.Readme)
	}
	return b.String()
}

// Write writes the archive.
func (w *Wheel) Write(to io.Writer) error {
	if err := CheckVersion(w.Version); err != nil {
		return err
	}
	info := w.stem() + ".dist-info/"
	files := slices.Clone(w.Files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	pure := "false"
	if w.Tag == AnyTag {
		pure = "true"
	}
	files = append(files,
		File{Path: info + "METADATA", Data: []byte(w.metadata())},
		File{Path: info + "WHEEL", Data: []byte("Wheel-Version: 1.0\nGenerator: ricci\nRoot-Is-Purelib: " + pure + "\nTag: " + w.Tag + "\n")})
	if len(w.Scripts) > 0 {
		files = append(files, File{Path: info + "entry_points.txt", Data: w.entryPoints()})
	}
	var record strings.Builder
	archive := zip.NewWriter(to)
	for _, f := range files {
		sum := sha256.Sum256(f.Data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", quoted(f.Path), base64.RawURLEncoding.EncodeToString(sum[:]), len(f.Data))
		if err := add(archive, f); err != nil {
			return err
		}
	}
	fmt.Fprintf(&record, "%s,,\n", quoted(info+"RECORD"))
	if err := add(archive, File{Path: info + "RECORD", Data: []byte(record.String())}); err != nil {
		return err
	}
	if err := archive.SetComment("Made by Ricci."); err != nil {
		return err
	}
	return archive.Close()
}

func (w *Wheel) entryPoints() []byte {
	lines := []string{"[console_scripts]"}
	for name, function := range w.Scripts {
		lines = append(lines, name+" = "+function)
	}
	slices.Sort(lines[1:])
	return []byte(strings.Join(lines, "\n") + "\n")
}

// quoted is a field of a table with commas.
func quoted(path string) string {
	if strings.ContainsAny(path, ",\"\n") {
		return `"` + strings.ReplaceAll(path, `"`, `""`) + `"`
	}
	return path
}

// add writes a file into an archive.
func add(archive *zip.Writer, f File) error {
	header := &zip.FileHeader{Name: f.Path, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
	mode := fs.FileMode(0o644)
	if f.Executable {
		mode = 0o755
	}
	header.SetMode(mode)
	to, err := archive.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = to.Write(f.Data)
	return err
}

// least is the oldest C library that tags of Linux speak of: manylinux2014.
var least = [2]int{2, 17}

// TagOf is the tag of a package with a compiled file for Linux: the machine, and the oldest C library that has all symbols which
// the file uses. What uses none runs with any.
func TagOf(object []byte) (string, error) {
	file, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return "", fmt.Errorf("wheels are made for Linux only: %w", err)
	}
	machines := map[elf.Machine]string{elf.EM_X86_64: "x86_64", elf.EM_AARCH64: "aarch64"}
	machine, known := machines[file.Machine]
	if !known {
		return "", fmt.Errorf("there is no tag of wheels for %v", file.Machine)
	}
	symbols, err := file.ImportedSymbols()
	if err != nil && len(file.Progs) == 0 {
		return "", err
	}
	highest := least
	for _, s := range symbols {
		text, isLibrary := strings.CutPrefix(s.Version, "GLIBC_")
		major, minor, found := strings.Cut(text, ".")
		if !isLibrary || !found {
			continue
		}
		minor, _, _ = strings.Cut(minor, ".")
		a, errA := strconv.Atoi(major)
		b, errB := strconv.Atoi(minor)
		if errA == nil && errB == nil && slices.Compare([]int{a, b}, highest[:]) > 0 {
			highest = [2]int{a, b}
		}
	}
	return fmt.Sprintf("py3-none-manylinux_%d_%d_%s", highest[0], highest[1], machine), nil
}
