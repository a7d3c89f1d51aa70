package tensor

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"unsafe"
)

// How it works
//
// The readers of all formats share how elements get in and out. A size that a
// header claims is believed only as far as there is data: when the length of the
// input is known it is compared first, otherwise the buffer starts small and
// doubles as data arrives, so that at most twice the data present is allocated.

// firstBlock is what is allocated for an input of unknown length.
const firstBlock = 1 << 20

// chunkSize is the size of the buffer through which strided elements are written.
const chunkSize = 64 << 10

// remaining returns the number of bytes that r can still give, or -1.
func remaining(r io.Reader) int64 {
	switch r := r.(type) {
	case interface{ Len() int }: // bytes.Reader, bytes.Buffer, strings.Reader
		return int64(r.Len())
	case *io.SectionReader:
		if at, err := r.Seek(0, io.SeekCurrent); err == nil {
			return max(0, r.Size()-at)
		}
	case *os.File:
		info, err := r.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return -1
		}
		if at, err := r.Seek(0, io.SeekCurrent); err == nil {
			return max(0, info.Size()-at)
		}
	}
	return -1
}

// readPayload reads size bytes to new storage. Fewer bytes are an
// io.ErrUnexpectedEOF; got says how many there were.
func readPayload(r io.Reader, size int) (p unsafe.Pointer, s *storage, got int, err error) {
	capacity := size
	switch known := remaining(r); {
	case known < 0:
		capacity = min(size, firstBlock)
	case known < int64(size):
		return nil, nil, int(known), io.ErrUnexpectedEOF
	}
	if p, s, err = allocate(capacity); err != nil {
		return nil, nil, 0, err
	}
	for {
		n, err := io.ReadFull(r, unsafe.Slice((*byte)(p), capacity)[got:])
		got += n
		switch {
		case errors.Is(err, io.EOF):
			err = io.ErrUnexpectedEOF
		case err == nil && got == size:
			return p, s, got, nil
		}
		var larger unsafe.Pointer
		var next *storage
		if err == nil {
			capacity = min(size, 2*capacity)
			larger, next, err = allocate(capacity)
		}
		if err == nil {
			copy(unsafe.Slice((*byte)(larger), got), unsafe.Slice((*byte)(p), got))
		}
		_ = s.discard()
		if err != nil {
			return nil, nil, got, err
		}
		p, s = larger, next
	}
}

// littleEndianHost reports whether this machine stores the low byte first, as
// all formats but PNG do.
func littleEndianHost() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

// swapBytes reverses the bytes of every element.
func swapBytes(data []byte, size int) {
	for i := 0; size > 1 && i < len(data); i += size {
		slices.Reverse(data[i : i+size])
	}
}

// normaliseBools makes every byte of a contiguous bool tensor 0 or 1, which
// kernels rely on; files may hold any byte.
func normaliseBools(t *Tensor) {
	if t.dtype != Bool {
		return
	}
	for i, b := range t.bytes() {
		if b > 1 {
			t.bytes()[i] = 1
		}
	}
	t.keepAlive()
}

// writeElements writes the elements in row-major order, low byte first.
func writeElements(w io.Writer, onAny *Tensor) error {
	t, err := onAny.onHost()
	if err != nil {
		return err
	}
	defer onAny.giveUp(t)
	defer t.keepAlive()
	if t.IsContiguous() && littleEndianHost() {
		_, err := w.Write(t.bytes())
		return err
	}
	size := t.dtype.Size()
	chunk := make([]byte, 0, chunkSize)
	var word [8]byte
	for offset := range t.Offsets() {
		binary.LittleEndian.PutUint64(word[:], t.BitsAt(offset))
		chunk = append(chunk, word[:size]...)
		if len(chunk) == cap(chunk) {
			if _, err := w.Write(chunk); err != nil {
				return err
			}
			chunk = chunk[:0]
		}
	}
	_, err = w.Write(chunk)
	return err
}
