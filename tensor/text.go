package tensor

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// longestLine is the most bytes of a line of a text.
const longestLine = 16 << 20

// ReadText reads a matrix of float32 from lines of numbers, which blanks or commas separate, as Teem's text format
// has them: a line is a row, and all have equally many. Lines that begin with # are comments. A column of numbers
// is a vector.
func ReadText(r io.Reader) (*Tensor, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	var numbers []float32
	rows, columns, at := 0, 0, 0
	for lines.Scan() {
		at++
		line := lines.Text()
		words := strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t\r,", c) })
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if rows > 0 && len(words) != columns {
			return nil, textError(fmt.Sprintf("line %d has %d numbers, and the first one %d", at, len(words), columns))
		}
		for _, word := range words {
			number, err := strconv.ParseFloat(word, 32)
			if err != nil && !errors.Is(err, strconv.ErrRange) {
				return nil, textError(fmt.Sprintf("line %d has %.40q, which is no number", at, word))
			}
			numbers = append(numbers, float32(number))
		}
		rows, columns = rows+1, len(words)
	}
	switch err := lines.Err(); {
	case err != nil:
		return nil, textError(err.Error())
	case rows == 0:
		return nil, textError("there are no numbers")
	case columns == 1:
		return FromSlice(numbers, rows)
	}
	return FromSlice(numbers, rows, columns)
}

// SaveText writes a vector or a matrix as ReadText reads it: a row in a line, of a vector each number.
func SaveText(path string, t *Tensor) error {
	row := 1
	switch len(t.shape) {
	case 1:
	case 2:
		row = t.shape[1]
	default:
		return within(path, "", &FileError{
			Format: "text", Offset: -1, Reason: fmt.Sprintf("a text has one or two dimensions, and the tensor %d", len(t.shape)),
			Help: "write an .nrrd file",
		})
	}
	elements, err := nrrdElements(t)
	if err != nil {
		return err
	}
	if elements != t {
		defer elements.Close()
	}
	return writeFile(path, func(w io.Writer) error { return writeRows(w, elements, row) })
}

func textError(reason string) error {
	return &FileError{Format: "text", Offset: -1, Reason: reason, Help: "a text has lines of equally many numbers, separated by blanks"}
}

// ReadImage reads an image from a stream, which tells by its first bytes whether it is an NRRD file, a picture or an
// npy file; another one is a text, as ReadText reads it.
func ReadImage(r io.Reader) (*Image, error) { return readImage(r, ReadNRRD) }

func readImage(r io.Reader, nrrd func(io.Reader) (*Image, error)) (*Image, error) {
	in := bufio.NewReader(r)
	first, _ := in.Peek(4)
	read := ReadText
	switch string(first) {
	case "NRRD":
		return nrrd(in)
	case "\x89PNG":
		read = ReadPNG
	case "\x93NUM":
		read = ReadNPY
	}
	t, err := read(in)
	if err != nil {
		return nil, err
	}
	m := NewImage(t)
	if string(first) == "\x89PNG" {
		return m.Spatial(2)
	}
	return m, nil
}
