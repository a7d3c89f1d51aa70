package tensor

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Every picture comes back with its shape and samples, also with an alpha channel
// that is opaque or zero everywhere.
func TestPNGProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := rapid.SampledFrom([]DType{Uint8, Uint16}).Draw(r, "dtype")
		shape := []int{rapid.IntRange(1, 5).Draw(r, "height"), rapid.IntRange(1, 5).Draw(r, "width")}
		if channels := rapid.SampledFrom([]int{1, 3, 4}).Draw(r, "channels"); channels > 1 {
			shape = append(shape, channels)
		}
		x, err := New(d, shape...)
		if err != nil {
			r.Fatal(err)
		}
		opaque := rapid.Bool().Draw(r, "opaque")
		position := 0
		for offset := range x.Offsets() {
			b := rapid.Uint64().Draw(r, "sample")
			if position++; opaque && position%4 == 0 {
				b = 0xFFFF
			}
			x.SetBitsAt(offset, b)
		}
		if x, err = x.Slice(1, shape[1]-1, -1, -1); err != nil {
			r.Fatal(err)
		}
		var b bytes.Buffer
		if err := WritePNG(&b, x); err != nil {
			r.Fatal(err)
		}
		if y, err := ReadPNG(&b); err != nil || !sameBits(x, y) {
			r.Fatalf("%v, %v\nwritten as\n%v", y, err, x)
		}
	})
}

func TestPNGKinds(t *testing.T) {
	palette := color.Palette{color.NRGBA{1, 2, 3, 255}, color.NRGBA{4, 5, 6, 255}}
	paletted := image.NewPaletted(image.Rect(0, 0, 2, 1), palette)
	paletted.SetColorIndex(1, 0, 1)
	clear := image.NewPaletted(image.Rect(0, 0, 2, 1), color.Palette{color.NRGBA{9, 8, 7, 128}, color.NRGBA{4, 5, 6, 255}})
	tests := []struct {
		picture image.Image
		want    string
	}{
		{paletted, "[[[1 2 3]\n  [4 5 6]]]"},
		{clear, "[[[  9   8   7 128]\n  [  9   8   7 128]]]"},
	}
	for _, test := range tests {
		var b bytes.Buffer
		if err := png.Encode(&b, test.picture); err != nil {
			t.Fatal(err)
		}
		if x, err := ReadPNG(&b); err != nil || x.String() != test.want {
			t.Errorf("got\n%v, %v\nwant\n%s", x, err, test.want)
		}
	}
}

// pngOf returns a file with a header and an empty body.
func pngOf(width, height uint32, depth, colour byte) []byte {
	chunk := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	chunk = binary.BigEndian.AppendUint32(chunk, height)
	chunk = append(chunk, depth, colour, 0, 0, 0)
	data := append([]byte(pngSignature), 0, 0, 0, 13)
	data = append(data, chunk...)
	return binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(chunk))
}

func TestPNGErrors(t *testing.T) {
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "does not start with a PNG signature"},
		{"signature only", []byte(pngSignature), "the header is missing or cut"},
		{"huge", pngOf(1<<31-1, 1<<31-1, 8, 6), "2147483647 × 2147483647 samples are more than 268435456"},
		{"lying", pngOf(10000, 10000, 16, 6), "needs more data than the 33 bytes that are there"},
		{"cut", pngOf(10, 10, 8, 0), "the picture cannot be decoded"},
		{"depth", pngOf(10, 10, 7, 0), "the picture cannot be decoded"},
	}
	for _, test := range tests {
		_, err := ReadPNG(bytes.NewReader(test.data))
		var e *FileError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestWritePNGErrors(t *testing.T) {
	tests := []struct {
		d     DType
		shape []int
		want  string
	}{
		{Float32, []int{2, 2}, "cast to uint8 or uint16 first"},
		{Uint8, []int{2}, "a tensor of shape [2] is no picture"},
		{Uint8, []int{2, 2, 2}, "a tensor of shape [2 2 2] is no picture"},
		{Uint16, []int{0, 2}, "a picture of 0 × 2 samples"},
	}
	for _, test := range tests {
		var b bytes.Buffer
		err := WritePNG(&b, must(t)(New(test.d, test.shape...)))
		if err == nil || !strings.Contains(err.Error(), test.want) || b.Len() > 0 {
			t.Errorf("%s %v: %v", test.d, test.shape, err)
		}
	}
	if err := WritePNG(&bytes.Buffer{}, must(t)(Scalar(uint8(0)).Broadcast(1<<15, 1<<14))); err == nil {
		t.Error("a huge picture was written")
	}
}
