package tensor

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
)

// How it works
//
// A picture is a uint8 or uint16 tensor of shape (height, width) for gray,
// (height, width, 3) for RGB or (height, width, 4) for RGBA, with alpha not
// premultiplied. The standard library decodes and encodes; this file looks at
// the header first, because the decoder allocates what the header claims, and
// moves the samples.

const (
	// largestPicture is the limit on width × height.
	largestPicture = 1 << 28
	// largestInflation is more than what deflate can shrink data by (1032).
	largestInflation = 1040
	pngSignature     = "\x89PNG\r\n\x1a\n"
)

// pngChannels is the number of stored samples per pixel for every colour type:
// gray, RGB, palette, gray with alpha, RGBA.
var pngChannels = map[byte]uint64{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}

// ReadPNG reads a picture of 8 bits (also of fewer, which are scaled, and with a
// palette) or 16 bits per sample. Gray with alpha and all kinds of transparency
// become RGBA. A header that claims more than the data can hold is refused
// before anything is allocated.
func ReadPNG(r io.Reader) (*Tensor, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if err := checkPNG(data); err != nil {
		return nil, err
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, &FileError{Format: "png", Offset: -1, Reason: "the picture cannot be decoded", Err: err}
	}
	return fromImage(picture)
}

// OpenPNG reads a picture from a file.
func OpenPNG(path string) (*Tensor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := ReadPNG(f)
	return t, within(path, "", err)
}

// checkPNG compares the size in the header with the data.
func checkPNG(data []byte) error {
	fail := func(offset int64, format string, args ...any) error {
		return &FileError{Format: "png", Offset: offset, Reason: fmt.Sprintf(format, args...)}
	}
	// Signature, length and name of the first chunk, then width, height, depth
	// and colour type.
	const first = len(pngSignature) + 8
	switch {
	case !bytes.HasPrefix(data, []byte(pngSignature)):
		return fail(0, "the file does not start with a PNG signature")
	case len(data) < first+10 || string(data[first-4:first]) != "IHDR":
		return fail(int64(len(pngSignature)), "the header is missing or cut")
	}
	width := uint64(binary.BigEndian.Uint32(data[first:]))
	height := uint64(binary.BigEndian.Uint32(data[first+4:]))
	if height != 0 && width > largestPicture/height {
		return fail(int64(first), "%d × %d samples are more than %d", height, width, largestPicture)
	}
	bits := width * height * pngChannels[data[first+9]] * uint64(data[first+8])
	if bits/8 > largestInflation*uint64(len(data)) {
		return fail(int64(first), "a picture of %d × %d needs more data than the %d bytes that are there", height, width, len(data))
	}
	return nil
}

// fromImage copies the samples of a decoded picture.
func fromImage(picture image.Image) (*Tensor, error) {
	size := picture.Bounds().Size()
	switch p := picture.(type) {
	case *image.Gray:
		return fromSamples(Uint8, p.Pix, 1, 1, size)
	case *image.Gray16:
		return fromSamples(Uint16, p.Pix, 1, 1, size)
	case *image.RGBA: // the decoder uses it for opaque pictures only
		return fromSamples(Uint8, p.Pix, 4, 3, size)
	case *image.RGBA64:
		return fromSamples(Uint16, p.Pix, 4, 3, size)
	case *image.NRGBA:
		return fromSamples(Uint8, p.Pix, 4, 4, size)
	case *image.NRGBA64:
		return fromSamples(Uint16, p.Pix, 4, 4, size)
	case *image.Paletted:
		return fromPalette(p)
	}
	return nil, errors.New("png: an unexpected kind of picture")
}

// fromSamples keeps the first channels of every pixel of stored samples; 16-bit
// samples have the high byte first.
func fromSamples(d DType, pix []byte, stored, channels int, size image.Point) (*Tensor, error) {
	shape := []int{size.Y, size.X, channels}
	if channels == 1 {
		shape = shape[:2]
	}
	t, err := New(d, shape...)
	if err != nil {
		return nil, err
	}
	width := d.Size()
	at := 0
	for pixel := range size.X * size.Y {
		for c := range channels {
			b := pix[(pixel*stored+c)*width:]
			sample := uint64(b[0])
			if width == 2 {
				sample = sample<<8 | uint64(b[1])
			}
			t.SetBitsAt(at, sample)
			at++
		}
	}
	return t, nil
}

// fromPalette looks the colours up; there is an alpha channel if a colour needs it.
func fromPalette(p *image.Paletted) (*Tensor, error) {
	colours := make([]byte, 0, 4*len(p.Palette))
	channels := 3
	for _, c := range p.Palette {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		colours = append(colours, n.R, n.G, n.B, n.A)
		if n.A != 255 {
			channels = 4
		}
	}
	size := p.Bounds().Size()
	pix := make([]byte, 0, 4*len(p.Pix))
	for _, index := range p.Pix {
		pix = append(pix, colours[4*int(index):][:4]...)
	}
	return fromSamples(Uint8, pix, 4, channels, size)
}
