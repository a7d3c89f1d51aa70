package tensor

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// largestNRRDHeader bounds the lines before the data, which may list thousands of files.
const largestNRRDHeader = 1 << 20

const nrrdMagic = "NRRD000"

// An nrrdValue is the text of a field and the byte where its line begins.
type nrrdValue struct {
	text   string
	offset int64
}

// An nrrdText has the lines of a header by their kind.
type nrrdText struct {
	fields   map[string]nrrdValue
	pairs    []KeyValue
	comments []string
	list     []string // the lines behind "data file: LIST"
	end      int64
}

func nrrdError(offset int64, help, format string, args ...any) error {
	return &FileError{Format: "nrrd", Offset: offset, Reason: fmt.Sprintf(format, args...), Help: help}
}

// line reads a line without its end; ended is false for one that the end of the file cuts.
func (n *nrrdInput) line() (text string, ended bool, err error) {
	var b strings.Builder
	for {
		part, err := n.in.ReadSlice('\n')
		n.at += int64(len(part))
		b.Write(part)
		switch {
		case n.at > largestNRRDHeader:
			return "", false, nrrdError(0, "", "the header has more than %d bytes", largestNRRDHeader)
		case err == nil:
			return strings.TrimSuffix(strings.TrimSuffix(b.String(), "\n"), "\r"), true, nil
		case errors.Is(err, io.EOF):
			return b.String(), false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", false, err
		}
	}
}

// scanNRRD reads up to the data, or to the end of a header that stands alone.
func scanNRRD(in *nrrdInput) (*nrrdText, error) {
	if magic, err := in.in.Peek(len(nrrdMagic) + 1); err != nil && !isEOF(err) {
		return nil, err
	} else if !strings.HasPrefix(string(magic), nrrdMagic) {
		return nil, nrrdError(0, "", "the file does not start with %s and the number of a version", nrrdMagic)
	}
	magic, _, err := in.line()
	if err != nil {
		return nil, err
	}
	if v := magic[len(nrrdMagic):]; len(v) != 1 || v < "1" || v > "5" {
		return nil, nrrdError(int64(len(nrrdMagic)), "", "version %.20q is not one of 1 to 5", v)
	}
	h := &nrrdText{fields: map[string]nrrdValue{}}
	for {
		offset := in.at
		line, ended, err := in.line()
		if err != nil {
			return nil, err
		}
		h.end = in.at
		if line == "" {
			return h, nil
		}
		if err := h.add(line, offset); err != nil {
			return nil, err
		}
		if !ended {
			return h, nil
		}
		if isList(h.fields["data file"].text) {
			return h, h.readList(in)
		}
	}
}

// isList reports whether the names of files follow, one in a line.
func isList(dataFile string) bool { return dataFile == "LIST" || strings.HasPrefix(dataFile, "LIST ") }

func (h *nrrdText) readList(in *nrrdInput) error {
	for {
		line, ended, err := in.line()
		if err != nil || line == "" {
			return err
		}
		h.list = append(h.list, line)
		if !ended {
			return nil
		}
	}
}

// add takes a line of the header.
func (h *nrrdText) add(line string, offset int64) error {
	if comment, is := strings.CutPrefix(line, "#"); is {
		h.comments = append(h.comments, strings.TrimSpace(comment))
		return nil
	}
	name, text, is := strings.Cut(line+" ", ": ")
	if field := nrrdFieldName(name); is && field != "" {
		if _, twice := h.fields[field]; twice {
			return nrrdError(offset, "", "the field %q occurs twice", field)
		}
		h.fields[field] = nrrdValue{text: strings.TrimSpace(text), offset: offset}
		return nil
	}
	if key, value, pair := strings.Cut(line, ":="); pair {
		h.pairs = append(h.pairs, KeyValue{Key: unescapeNRRD.Replace(key), Value: unescapeNRRD.Replace(value)})
		return nil
	}
	if !is {
		return nrrdError(offset, "a line is 'field: value', 'key:=value' or '# comment'; an empty line ends the header",
			"the line %.40q is none of a header", line)
	}
	return nrrdError(offset, "the fields are "+strings.Join(nrrdFieldNames[:], ", ")+"; other information is 'key:=value'",
		"there is no field %.40q", name)
}

// A newline in a key or value is written as \n, a backslash as two.
var (
	unescapeNRRD = strings.NewReplacer(`\n`, "\n", `\\`, `\`)
	escapeNRRD   = strings.NewReplacer("\n", `\n`, `\`, `\\`)
)

// nrrdFieldNames are the fields in the order in which they are written.
var nrrdFieldNames = [...]string{
	"content", "number", "type", "block size", "dimension", "space", "space dimension", "sizes", "spacings", "thicknesses",
	"axis mins", "axis maxs", "space directions", "centerings", "kinds", "labels", "units", "min", "max", "old min", "old max",
	"endian", "encoding", "line skip", "byte skip", "sample units", "space units", "space origin", "measurement frame", "data file",
}

// nrrdFieldName returns the usual form of a name, whose case and blanks do not count, or "".
func nrrdFieldName(name string) string {
	squeeze := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, " ", "")) }
	if squeeze(name) == "centers" {
		return "centerings"
	}
	for _, known := range nrrdFieldNames {
		if squeeze(known) == squeeze(name) {
			return known
		}
	}
	return ""
}
