package tensor

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// How it works
//
// Whatever the encoding is, elements come out of an io.Reader as the bytes of raw data; those of a text in
// the order of this machine. Lines are skipped in the file; bytes in what a compressed file
// holds, else in the file.

// An nrrdEncoding makes bytes of elements from those of a file.
type nrrdEncoding struct {
	names      []string
	ordered    bool // the order of bytes matters
	countable  bool // as many bytes as the elements have
	compressed bool
	open       func(*nrrdInput, DType) (io.Reader, error)
}

func nrrdEncodings() []nrrdEncoding {
	return []nrrdEncoding{
		{names: []string{"raw"}, ordered: true, countable: true, open: func(in *nrrdInput, _ DType) (io.Reader, error) { return in, nil }},
		{names: []string{"ascii", "text", "txt"}, open: func(in *nrrdInput, d DType) (io.Reader, error) { return &nrrdNumbers{in: in, dtype: d}, nil }},
		{names: []string{"hex"}, ordered: true, open: func(in *nrrdInput, _ DType) (io.Reader, error) { return hex.NewDecoder(&nrrdDigits{in}), nil }},
		{names: []string{"gzip", "gz"}, ordered: true, compressed: true, open: openGzip},
		{names: []string{"bzip2", "bz2"}, ordered: true, compressed: true, open: func(in *nrrdInput, _ DType) (io.Reader, error) { return bzip2.NewReader(in), nil }},
	}
}

func openGzip(in *nrrdInput, _ DType) (io.Reader, error) {
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err // and not a nil *gzip.Reader
	}
	return z, nil
}

// decoder returns a reader of size bytes of elements from a file that is at its data.
func (h *nrrdHeader) decoder(in *nrrdInput, size int) (io.Reader, error) {
	if h.byteSkip < 0 {
		from, behind := int64(in.Len())-int64(size), -1-h.byteSkip
		switch {
		case in.Len() < 0:
			return nil, nrrdError(-1, "", "the data is counted from the end of a file whose length is not known")
		case from < 0:
			return nil, h.payloadError(in.Len(), io.ErrUnexpectedEOF)
		case from < behind: // whose difference may be no int64
			return nil, nrrdError(-1, "", "the data would begin %d bytes before the end, and the file has %d", behind, in.Len())
		}
		from -= behind
		return in, skip(in, from)
	}
	for range h.lineSkip {
		if err := in.skipLine(); err != nil {
			return nil, h.skipError(err)
		}
	}
	if !h.encoding.compressed {
		if err := skip(in, h.byteSkip); err != nil {
			return nil, h.skipError(err)
		}
	}
	data, err := h.encoding.open(in, h.dtype)
	if err == nil && h.encoding.compressed {
		if err = skip(data, h.byteSkip); isEOF(err) {
			return nil, h.skipError(err)
		}
	}
	if err != nil {
		return nil, h.payloadError(0, err)
	}
	return data, nil
}

// skipLine passes over a line of any length.
func (n *nrrdInput) skipLine() error {
	for {
		part, err := n.in.ReadSlice('\n')
		n.at += int64(len(part))
		if err == nil || err != bufio.ErrBufferFull {
			return err
		}
	}
}

func (h *nrrdHeader) skipError(err error) error {
	if !isEOF(err) {
		return err
	}
	return nrrdError(-1, "", "the file ends before %d lines and %d bytes are skipped", h.lineSkip, h.byteSkip)
}

// payloadError says that data is missing or damaged.
func (h *nrrdHeader) payloadError(got int, err error) error {
	var known *FileError
	switch {
	case errors.As(err, &known):
		return err
	case isEOF(err):
		return &FileError{
			Format: "nrrd", Offset: -1, Err: io.ErrUnexpectedEOF, Help: "the file is incomplete; copy or save it again",
			Reason: fmt.Sprintf("%s of shape %v has %d bytes of data, the file has %d", h.dtype, h.shape, h.elements*h.dtype.Size(), got),
		}
	}
	return &FileError{Format: "nrrd", Offset: -1, Reason: "the data is not in the encoding " + h.encoding.names[0], Err: err}
}

// checkEnd reads on where a checksum follows the elements. More elements are allowed.
func checkEnd(data io.Reader) error {
	z, is := data.(*gzip.Reader)
	if !is {
		return nil
	}
	if _, err := io.ReadFull(z, make([]byte, 1)); errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &FileError{Format: "nrrd", Offset: -1, Reason: "the compressed data is damaged", Err: err}
	}
	return nil
}

// nrrdDigits drops the white space between hexadecimal digits.
type nrrdDigits struct{ in *nrrdInput }

// Read reads digits.
func (n *nrrdDigits) Read(p []byte) (int, error) {
	for {
		got, err := n.in.Read(p)
		kept := p[:0]
		for _, b := range p[:got] {
			if !isNRRDSpace(b) {
				kept = append(kept, b)
			}
		}
		if len(kept) > 0 || err != nil {
			return len(kept), err
		}
	}
}

func isNRRDSpace(b byte) bool { return bytes.IndexByte([]byte(" \t\r\n\v\f"), b) >= 0 }

// nrrdNumbers reads numbers of a text, between which are white space and commas.
type nrrdNumbers struct {
	in      *nrrdInput
	dtype   DType
	word    []byte
	pending []byte
}

// longestNumber is more than a float64 with all its digits has.
const longestNumber = 1200

// Read gives elements in the order of bytes of this machine.
func (n *nrrdNumbers) Read(p []byte) (got int, err error) {
	for got < len(p) {
		if len(n.pending) == 0 {
			if err = n.next(); err != nil {
				if got > 0 && isEOF(err) {
					err = nil
				}
				return got, err
			}
		}
		moved := copy(p[got:], n.pending)
		n.pending, got = n.pending[moved:], got+moved
	}
	return got, nil
}

func (n *nrrdNumbers) next() error {
	n.word = n.word[:0]
	for {
		b, err := n.in.ReadByte()
		separates := err == nil && (isNRRDSpace(b) || b == ',')
		switch {
		case err != nil && (!isEOF(err) || len(n.word) == 0):
			return err
		case (separates || err != nil) && len(n.word) > 0:
			return n.convert(string(n.word))
		case separates:
		case len(n.word) == longestNumber:
			return nrrdError(n.in.at-longestNumber, "", "a number with more than %d characters", longestNumber)
		default:
			n.word = append(n.word, b)
		}
	}
}

func (n *nrrdNumbers) convert(word string) error {
	bits, size := uint64(0), n.dtype.Size()
	var err error
	switch n.dtype.Kind() {
	case KindFloat:
		var v float64
		if v, err = strconv.ParseFloat(word, 8*size); err == nil {
			bits = bitsOfFloat(n.dtype, v)
		}
	case KindUint:
		bits, err = strconv.ParseUint(word, 10, 8*size)
	default:
		var v int64
		v, err = strconv.ParseInt(word, 10, 8*size)
		bits = uint64(v)
	}
	if err != nil {
		return nrrdError(n.in.at-int64(len(word)), "", "%.40q is not a value of type %s", word, n.dtype)
	}
	var wide [8]byte
	binary.LittleEndian.PutUint64(wide[:], bits)
	if !littleEndianHost() {
		swapBytes(wide[:size], size)
	}
	n.pending = append(n.pending[:0], wide[:size]...)
	return nil
}
