package tensor

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"io"
	"slices"
	"strconv"
)

func (l NRRDLayout) writeData(w io.Writer, t *Tensor) error {
	switch l.Encoding {
	case "ascii":
		return writeNumbers(w, t)
	case "hex":
		return writeOrdered(hex.NewEncoder(w), t, l.BigEndian)
	case "gzip":
		z := gzip.NewWriter(w)
		if err := writeOrdered(z, t, l.BigEndian); err != nil {
			return err
		}
		return z.Close()
	}
	return writeOrdered(w, t, l.BigEndian)
}

// swapper reverses the bytes of elements, which arrive whole.
type swapper struct {
	w    io.Writer
	size int
}

// Write writes elements.
func (s swapper) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		part := slices.Clone(rest[:min(len(rest), chunkSize)])
		swapBytes(part, s.size)
		if _, err := s.w.Write(part); err != nil {
			return 0, err
		}
		rest = rest[len(part):]
	}
	return len(p), nil
}

func writeOrdered(w io.Writer, t *Tensor, bigEndian bool) error {
	if bigEndian {
		w = swapper{w, t.dtype.Size()}
	}
	return writeElements(w, t)
}

// writeNumbers writes the elements as text, those of the fastest axis in a line, in as few digits as tell them apart.
func writeNumbers(w io.Writer, t *Tensor) error {
	row := 1
	if len(t.shape) > 0 {
		row = t.shape[len(t.shape)-1]
	}
	return writeRows(w, t, row)
}

func writeRows(w io.Writer, onAny *Tensor, row int) error {
	t, err := onAny.onHost()
	if err != nil {
		return err
	}
	defer onAny.giveUp(t)
	defer t.keepAlive()
	out := bufio.NewWriter(w)
	var word []byte
	at := 0
	for offset := range t.Offsets() {
		word = word[:0]
		switch t.dtype.Kind() {
		case KindFloat:
			word = strconv.AppendFloat(word, t.FloatAt(offset), 'g', -1, 8*t.dtype.Size())
		case KindUint:
			word = strconv.AppendUint(word, t.UintAt(offset), 10)
		default:
			word = strconv.AppendInt(word, t.IntAt(offset), 10)
		}
		if at++; at%row == 0 {
			word = append(word, '\n')
		} else {
			word = append(word, ' ')
		}
		if _, err := out.Write(word); err != nil {
			return err
		}
	}
	return out.Flush()
}
