package tensor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/bounded"
)

// mostNRRDFiles bounds how many files a header counts.
const mostNRRDFiles = 1 << 16

// numbered is "data file: NAME%03dNAME MIN MAX STEP [AXES]".
var numbered = regexp.MustCompile(`^([^%]*)%(0?[0-9]{0,2})[diu]([^%]*?)\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)(?:\s+(\d+))?$`)

// parseFiles lists the files of a detached header.
func (h *nrrdText) parseFiles(p *nrrdHeader) error {
	value, there := h.fields["data file"]
	if !there {
		return nil
	}
	rank, axes := len(p.shape), ""
	p.subdim = rank - 1
	m := numbered.FindStringSubmatch(value.text)
	switch {
	case value.text == "":
		return h.wrong("data file", "", "there is no name")
	case isList(value.text):
		p.detached, axes = h.list, strings.TrimSpace(strings.TrimPrefix(value.text, "LIST"))
	case m != nil:
		var err error
		if p.detached, err = h.count(m); err != nil {
			return err
		}
		axes = m[7]
	default:
		p.detached, p.subdim = []string{value.text}, rank
	}
	if axes != "" {
		n, err := strconv.Atoi(axes)
		if err != nil || n < 1 || n > rank {
			return h.wrong("data file", "", "%.20q is not a number of axes from 1 to %d", axes, rank)
		}
		p.subdim = n
	}
	return h.checkFiles(p)
}

// count makes the names with numbers.
func (h *nrrdText) count(m []string) ([]string, error) {
	var range3 [3]int64
	for k := range range3 {
		n, err := strconv.ParseInt(m[4+k], 10, 32)
		if err != nil {
			return nil, h.wrong("data file", "", "%.40q is not a number of a file", m[4+k])
		}
		range3[k] = n
	}
	first, last, step := range3[0], range3[1], range3[2]
	if step == 0 || (last-first)/step < 0 {
		return nil, h.wrong("data file", "", "no steps of %d lead from %d to %d", step, first, last)
	}
	n := (last-first)/step + 1
	if n > mostNRRDFiles {
		return nil, h.wrong("data file", "", "%d files, more than %d", n, mostNRRDFiles)
	}
	names := make([]string, n)
	for k := range names {
		names[k] = m[1] + fmt.Sprintf("%"+m[2]+"d", first+int64(k)*step) + m[3]
	}
	return names, nil
}

// checkFiles compares the number of files with the shape.
func (h *nrrdText) checkFiles(p *nrrdHeader) error {
	files, rank := len(p.detached), len(p.shape)
	if files == 0 {
		return h.wrong("data file", "the names follow the line LIST, one in a line", "there are no names")
	}
	if p.subdim == rank { // each has a part of the slowest axis
		if p.shape[0]%files != 0 {
			return h.wrong("data file", "", "%d samples of the slowest axis do not divide into %d files", p.shape[0], files)
		}
		return nil
	}
	pieces := 1
	for _, n := range p.shape[:rank-p.subdim] {
		pieces *= n
	}
	if pieces != files {
		return h.wrong("data file", "a last number on the line says how many axes each file has",
			"there are %d files; with %d axes in each, there must be %d", files, p.subdim, pieces)
	}
	return nil
}

// nrrdFiles reads the files of a header one after the other.
type nrrdFiles struct {
	header string // its path
	root   *os.Root
	file   *os.File // that is open
	now    io.Reader
	left   int // bytes of elements in it
	names  []string
	piece  int
	of     *nrrdHeader
}

func (f *nrrdFiles) join(h *nrrdHeader, size int) (io.Reader, error) {
	var err error
	if f.root, err = os.OpenRoot(filepath.Dir(f.header)); err != nil {
		return nil, err
	}
	f.of, f.names, f.piece = h, h.detached, size/len(h.detached)
	if len(f.names) == 1 { // whose length is compared before anything is allocated
		return f.open(f.names[0])
	}
	return f, nil
}

func (f *nrrdFiles) open(name string) (io.Reader, error) {
	f.close1()
	file, err := bounded.OpenIn(f.root, filepath.Clean(filepath.FromSlash(name)))
	if err != nil {
		return nil, &FileError{
			Format: "nrrd", Offset: -1, Reason: fmt.Sprintf("the data file %.200q cannot be opened", name), Err: err,
			Help: "the files of a header are at its place or below, nowhere else",
		}
	}
	f.file = file
	if f.isHeader(file) {
		return nil, &FileError{
			Format: "nrrd", Offset: -1, Reason: fmt.Sprintf("the data file %.200q is the header itself", name),
			Help: "name the file of the samples; where they follow the header, leave out the field, and an empty line ends the header",
		}
	}
	return f.of.decoder(newNRRDInput(file), f.piece)
}

// isHeader reports whether a file is the header, by whatever name.
func (f *nrrdFiles) isHeader(file *os.File) bool {
	data, err := file.Stat()
	if err != nil {
		return false
	}
	header, err := os.Stat(f.header)
	return err == nil && os.SameFile(data, header)
}

// Read reads on in the next file where one ends.
func (f *nrrdFiles) Read(p []byte) (int, error) {
	for f.left == 0 {
		if f.now != nil {
			if err := checkEnd(f.now); err != nil {
				return 0, err
			}
		}
		if len(f.names) == 0 || f.piece == 0 {
			return 0, io.EOF
		}
		var err error
		if f.now, err = f.open(f.names[0]); err != nil {
			return 0, err
		}
		f.names, f.left = f.names[1:], f.piece
	}
	n, err := f.now.Read(p[:min(len(p), f.left)])
	if f.left -= n; f.left > 0 && errors.Is(err, io.EOF) {
		return n, io.ErrUnexpectedEOF
	}
	if isEOF(err) {
		err = nil
	}
	return n, err
}

func (f *nrrdFiles) close1() {
	if f.file != nil {
		_ = f.file.Close() // it was read only
		f.file = nil
	}
}

func (f *nrrdFiles) close() {
	f.close1()
	if f.root != nil {
		_ = f.root.Close()
	}
}
