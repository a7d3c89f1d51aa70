package tensor

import (
	"fmt"
	"io"
	"slices"
)

// An NRRDLayout says how elements are written to an NRRD file.
type NRRDLayout struct {
	Encoding  string // raw (or empty), ascii, hex or gzip
	BigEndian bool
	DataFile  string // in the header: the file that the elements are in, which are not written
}

// nrrdComment is what files of Teem begin with.
const nrrdComment = "Complete NRRD file format specification at:"
const nrrdPlace = "http://teem.sourceforge.net/nrrd/format.html"

// WriteNRRD writes an image as Teem does. The format has no bool, which becomes unsigned char, and no 16-bit floats,
// which become float; a tensor without dimensions gets one.
func WriteNRRD(w io.Writer, m *Image, layout NRRDLayout) error {
	t, err := nrrdElements(m.Tensor)
	if err != nil {
		return err
	}
	if t != m.Tensor {
		defer t.Close()
	}
	header, err := nrrdPreamble(m, t, &layout)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, header); err != nil || layout.DataFile != "" {
		return err
	}
	return layout.writeData(w, t)
}

func saveTensorNRRD(path string, t *Tensor) error {
	return SaveNRRD(path, &Image{Tensor: t}, NRRDLayout{})
}

// nrrdElements returns t, or a copy in a type that the format has.
func nrrdElements(t *Tensor) (*Tensor, error) {
	switch {
	case t.dtype == Invalid:
		return nil, fmt.Errorf("the tensor is closed")
	case len(t.shape) > mostNRRDAxes:
		return nil, nrrdError(-1, "write an .npy file", "a file has at most %d axes, the tensor %d", mostNRRDAxes, len(t.shape))
	case t.dtype == Bool:
		return t.convertOn(nil, Uint8)
	case t.dtype.IsHalf():
		return t.convertOn(nil, Float32)
	}
	return t, nil
}

func (l NRRDLayout) check() error {
	if !slices.Contains([]string{"", "raw", "ascii", "hex", "gzip"}, l.Encoding) {
		return nrrdError(-1, "the encodings that are written are raw, ascii, hex and gzip", "the encoding %q is not written", l.Encoding)
	}
	return nil
}
