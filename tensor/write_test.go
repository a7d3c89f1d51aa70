package tensor

import (
	"errors"
	"io"
	"testing"
)

var errFull = errors.New("the disk is full")

// A limitedWriter fails after some bytes, as a full disk does.
type limitedWriter struct{ left int }

func (w *limitedWriter) Write(b []byte) (int, error) {
	n := min(len(b), w.left)
	w.left -= n
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

// Whenever a write fails, the writer of the format says so.
func TestWriteFails(t *testing.T) {
	x := must(t)(iotaTensor(t, Uint8, 4, 6).Slice(1, 4, 0, -1))
	writers := map[string]func(io.Writer) error{
		"npy":         func(w io.Writer) error { return WriteNPY(w, x) },
		"npz":         func(w io.Writer) error { return WriteNPZ(w, map[string]*Tensor{"x": x, "y": x}) },
		"safetensors": func(w io.Writer) error { return WriteSafetensors(w, map[string]*Tensor{"x": x}, nil) },
		"png":         func(w io.Writer) error { return WritePNG(w, x) },
	}
	for format, write := range writers {
		whole := &limitedWriter{left: 1 << 20}
		if err := write(whole); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		for n := range 1<<20 - whole.left {
			if err := write(&limitedWriter{left: n}); !errors.Is(err, errFull) {
				t.Fatalf("%s after %d bytes: %v", format, n, err)
			}
		}
	}
}

// A closed tensor has no file.
func TestWriteClosed(t *testing.T) {
	x := Scalar(1.5)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	for format, err := range map[string]error{
		"npy":         WriteNPY(io.Discard, x),
		"npz":         WriteNPZ(io.Discard, map[string]*Tensor{"x": x}),
		"safetensors": WriteSafetensors(io.Discard, map[string]*Tensor{"x": x}, nil),
		"png":         WritePNG(io.Discard, x),
	} {
		if err == nil {
			t.Errorf("%s: a closed tensor was written", format)
		}
	}
}

// Large strided tensors go through several chunks.
func TestWriteChunks(t *testing.T) {
	x := must(t)(filled(t, func(x *Tensor) { FillRandom(x, 5) }, Float64, 200, 201).Slice(1, 0, 201, 2))
	r, w := io.Pipe()
	go func() { w.CloseWithError(WriteNPY(w, x)) }()
	if y, err := ReadNPY(r); err != nil || !Equal(x, y) {
		t.Errorf("a strided tensor is not the same: %v", err)
	}
}
