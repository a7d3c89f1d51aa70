package tensor

import (
	"bufio"
	"io"

	"github.com/ricci-lang/ricci/internal/bounded"
)

// How it works
//
// An NRRD file is a line with the version, lines "field: value", "key:=value" and "# comment", an empty
// line, and the elements; or a header alone that names the files of the elements. The first axis of a
// file is the fastest one: a tensor has the sizes in reverse. nrrd_header.go reads lines, nrrd_fields.go
// gives them their meaning, nrrd_data.go makes bytes of every encoding, nrrd_files.go joins files, and
// image.go has what a file says about the place of its samples.
//
// Nothing of a header is believed: its length is bounded, sizes are multiplied with care, and elements
// arrive through readPayload, which allocates no more than twice what is there. The files of a detached
// header are opened below its directory only.

// ReadNRRD reads an image in the form that Teem's nrrd has, of one of the versions 1 to 5 and with all
// encodings, from a stream: the header must not name other files. The last dimension of the tensor is the
// first axis of the file.
func ReadNRRD(r io.Reader) (*Image, error) { return readNRRD(r, nil) }

// OpenNRRD reads an image from a file, and from the files below its directory that the header names.
func OpenNRRD(path string) (*Image, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	files := &nrrdFiles{header: path}
	defer files.close()
	m, err := readNRRD(f, files)
	return m, within(path, "", err)
}

// loadNRRD is OpenNRRD for those who want the elements alone.
func loadNRRD(path string) (*Tensor, error) {
	m, err := OpenNRRD(path)
	if err != nil {
		return nil, err
	}
	return m.Tensor, nil
}

func readNRRD(r io.Reader, files *nrrdFiles) (*Image, error) {
	in := newNRRDInput(r)
	text, err := scanNRRD(in)
	if err != nil {
		return nil, err
	}
	h, err := text.parse()
	if err != nil {
		return nil, err
	}
	data, size := io.Reader(nil), h.elements*h.dtype.Size()
	switch {
	case h.detached == nil:
		data, err = h.decoder(in, size)
	case files == nil:
		return nil, nrrdError(text.fields["data file"].offset, "name the file, so that the others are found beside it",
			"the elements are in other files, which a stream does not have")
	default:
		data, err = files.join(h, size)
	}
	if err != nil {
		return nil, err
	}
	p, s, got, err := readPayload(data, size)
	if err != nil {
		return nil, h.payloadError(got, err)
	}
	m := h.image
	m.Tensor = newTensor(h.dtype, h.shape, RowMajor(h.shape), p, s)
	if err := checkEnd(data); err != nil {
		return nil, err
	}
	if h.encoding.ordered && h.bigEndian == littleEndianHost() {
		swapBytes(m.Tensor.bytes(), h.dtype.Size())
	}
	return m, nil
}

// An nrrdInput counts what is read, and knows how much is left where the length is known.
type nrrdInput struct {
	in        *bufio.Reader
	at, whole int64 // whole is -1 where it is not known
}

func newNRRDInput(r io.Reader) *nrrdInput {
	return &nrrdInput{in: bufio.NewReader(r), whole: remaining(r)}
}

// Read reads bytes.
func (n *nrrdInput) Read(p []byte) (int, error) {
	got, err := n.in.Read(p)
	n.at += int64(got)
	return got, err
}

// ReadByte reads one byte. A decompressor with a reader of bytes takes no more than it needs.
func (n *nrrdInput) ReadByte() (byte, error) {
	b, err := n.in.ReadByte()
	if err == nil {
		n.at++
	}
	return b, err
}

// Len returns how much is left, or -1, as remaining does.
func (n *nrrdInput) Len() int {
	if n.whole < 0 {
		return -1
	}
	return int(max(0, n.whole-n.at))
}

// skip passes over bytes; less of them is an io.EOF.
func skip(r io.Reader, count int64) error {
	_, err := io.CopyN(io.Discard, r, count)
	return err
}
