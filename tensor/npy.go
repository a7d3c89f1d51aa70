package tensor

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/bounded"
)

// How it works
//
// An npy file is the magic, a version, the length of a header, a header (a Python
// dictionary, padded so that the data starts at a multiple of 64), and the raw
// elements. Version 1 has a length of 16 bits, versions 2 and 3 one of 32 bits;
// 3 allows UTF-8, which only the names of record fields need.

const (
	npyMagic = "\x93NUMPY"
	// npyAlignment is what NumPy pads the header to.
	npyAlignment = 64
	// largestNPYHeader bounds what is read before anything is known; the header of
	// a tensor of MaxRank has 2 KB.
	largestNPYHeader = 64 << 10
)

// ReadNPY reads one array from a stream and leaves the stream behind it. NumPy's
// Fortran order becomes a transposed view, the other byte order is swapped, and
// the two-byte raw data that ml_dtypes writes is read as bfloat16. No more than
// twice the data that is really there is allocated.
func ReadNPY(r io.Reader) (*Tensor, error) {
	h, start, err := readNPYHeader(r)
	if err != nil {
		return nil, err
	}
	n, _ := checkShape(h.dtype, h.shape)
	p, s, got, err := readPayload(r, n*h.dtype.Size())
	if err != nil {
		return nil, payloadError(h, start, got, err)
	}
	return h.over(p, s), nil
}

// OpenNPY maps a file into memory: pages are read when they are touched, so that
// the file may be larger than the memory. What is written to the tensor stays in
// this process. The file must not be shortened while it is mapped. Where a file
// cannot be mapped (other byte order, odd alignment, a pipe), it is read.
func OpenNPY(path string) (*Tensor, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := openNPY(f)
	return t, within(path, "", err)
}

func openNPY(f *os.File) (*Tensor, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !canMap || !info.Mode().IsRegular() {
		return ReadNPY(f)
	}
	h, start, err := readNPYHeader(f)
	if err != nil {
		return nil, err
	}
	n, _ := checkShape(h.dtype, h.shape)
	size := n * h.dtype.Size()
	if left := info.Size() - int64(start); left < int64(size) {
		return nil, payloadError(h, start, int(left), io.ErrUnexpectedEOF)
	}
	if size > 0 && start%h.dtype.Size() == 0 && h.bigEndian != littleEndianHost() {
		if p, err := mapFile(f, start+size); err == nil {
			return h.over(unsafe.Add(p, start), newMapped(p, uintptr(start+size))), nil
		}
	}
	p, s, got, err := readPayload(f, size)
	if err != nil {
		return nil, payloadError(h, start, got, err)
	}
	return h.over(p, s), nil
}

// over makes the tensor of the header over elements as they are in the file.
func (h npyHeader) over(p unsafe.Pointer, s *storage) *Tensor {
	shape := slices.Clone(h.shape)
	if h.fortran {
		slices.Reverse(shape)
	}
	t := newTensor(h.dtype, shape, RowMajor(shape), p, s)
	if h.bigEndian == littleEndianHost() {
		swapBytes(t.bytes(), h.dtype.Size())
	}
	normaliseBools(t)
	if h.fortran {
		slices.Reverse(t.shape)
		slices.Reverse(t.strides)
	}
	return t
}

// readNPYHeader reads up to the data, which starts at the returned byte.
func readNPYHeader(r io.Reader) (npyHeader, int, error) {
	fixed := make([]byte, len(npyMagic)+2)
	if _, err := io.ReadFull(r, fixed); err != nil && !isEOF(err) {
		return npyHeader{}, 0, err
	}
	if !bytes.HasPrefix(fixed, []byte(npyMagic)) {
		return npyHeader{}, 0, npyError(0, "the file does not start with \\x93NUMPY")
	}
	width := 4
	switch version := fixed[len(npyMagic)]; version {
	case 1:
		width = 2
	case 2, 3:
	default:
		return npyHeader{}, 0, npyError(len(npyMagic), "version %d.%d is not one of 1, 2 and 3", version, fixed[len(npyMagic)+1])
	}
	var field [4]byte
	if _, err := io.ReadFull(r, field[:width]); err != nil {
		return npyHeader{}, 0, npyTruncated(len(fixed), err)
	}
	length := binary.LittleEndian.Uint32(field[:])
	if length > largestNPYHeader {
		return npyHeader{}, 0, npyError(len(fixed), "a header of %d bytes, more than %d", length, largestNPYHeader)
	}
	start := len(fixed) + width
	text := make([]byte, length)
	if n, err := io.ReadFull(r, text); err != nil {
		return npyHeader{}, 0, npyTruncated(start+n, err)
	}
	h, err := parseNPYHeader(string(text), start)
	return h, start + int(length), err
}

func isEOF(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// npyTruncated says that the header ends too early, or passes on another error.
func npyTruncated(offset int, err error) error {
	if !isEOF(err) {
		return err
	}
	return &FileError{Format: "npy", Offset: int64(offset), Reason: "the file ends in its header", Err: io.ErrUnexpectedEOF}
}

func payloadError(h npyHeader, start, got int, err error) error {
	if !isEOF(err) {
		return err
	}
	n, _ := checkShape(h.dtype, h.shape)
	return &FileError{
		Format: "npy", Offset: int64(start + got), Err: io.ErrUnexpectedEOF,
		Reason: fmt.Sprintf("%s of shape %v has %d bytes of data, the file has %d", h.dtype, h.shape, n*h.dtype.Size(), got),
		Help:   "the file is incomplete; copy or save it again",
	}
}

// WriteNPY writes t exactly as NumPy's save does, and bfloat16 as ml_dtypes does.
// A tensor that is contiguous with its dimensions reversed is written in Fortran
// order, any other one in row-major order.
func WriteNPY(w io.Writer, t *Tensor) error {
	if t.dtype == Invalid {
		return fmt.Errorf("the tensor is closed")
	}
	if _, err := w.Write(npyPreamble(t)); err != nil {
		return err
	}
	return writeElements(w, npyOrder(t))
}

// npyOrder returns the view of t whose row-major order is that of the file.
func npyOrder(t *Tensor) *Tensor {
	if t.IsContiguous() {
		return t
	}
	if turned, err := t.Transpose(); err == nil && turned.IsContiguous() {
		return turned
	}
	return t
}

// npyPreamble returns everything before the data.
func npyPreamble(t *Tensor) []byte {
	header := npyHeader{dtype: t.dtype, shape: t.shape, fortran: npyOrder(t) != t}.String()
	fixed := len(npyMagic) + 2 + 2
	// NumPy pads even where the header happens to end at a multiple.
	padding := npyAlignment - (fixed+len(header)+1)%npyAlignment
	b := append([]byte(npyMagic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(header)+padding+1))
	b = append(b, header...)
	b = append(b, bytes.Repeat([]byte{' '}, padding)...)
	return append(b, '\n')
}
