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

	"github.com/ricci-lang/ricci/internal/bounded"
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
	data, err := readPNG(r)
	if err != nil {
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
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := ReadPNG(f)
	return t, within(path, "", err)
}

// firstChunk is where the first chunk of a picture begins, behind signature, its length and its
// name; the header are width, height, depth and colour type in it.
const firstChunk, pngHeader = len(pngSignature) + 8, len(pngSignature) + 8 + 10

// pngSlack is what may stand in a file beside the samples: colour profiles, texts, and what
// compression adds to samples that cannot be compressed.
const pngSlack = 64 << 20

// readPNG reads a whole picture, but no more than the size in its header accounts for, and
// compares the size with the data.
func readPNG(r io.Reader) ([]byte, error) {
	head := make([]byte, pngHeader)
	n, err := io.ReadFull(r, head)
	if err != nil && !isEOF(err) {
		return nil, err
	}
	size, err := pngSize(head[:n])
	if err != nil {
		return nil, err
	}
	limit := int64(size + size/8 + pngSlack)
	data, err := io.ReadAll(io.LimitReader(r, limit))
	if err != nil {
		return nil, err
	}
	data = append(head, data...)
	if int64(len(data)) >= limit {
		return nil, pngError(limit, "there is more data than a picture of %d bytes can have", size)
	}
	if size > largestInflation*uint64(len(data)) {
		return nil, pngError(int64(firstChunk), "a picture of %d bytes needs more data than the %d bytes that are there", size, len(data))
	}
	return data, nil
}

func pngError(offset int64, format string, args ...any) error {
	return &FileError{Format: "png", Offset: offset, Reason: fmt.Sprintf(format, args...)}
}

// pngSize returns the size of all samples by the header.
func pngSize(head []byte) (uint64, error) {
	switch {
	case !bytes.HasPrefix(head, []byte(pngSignature)):
		return 0, pngError(0, "the file does not start with a PNG signature")
	case len(head) < pngHeader || string(head[firstChunk-4:firstChunk]) != "IHDR":
		return 0, pngError(int64(len(pngSignature)), "the header is missing or cut")
	}
	width := uint64(binary.BigEndian.Uint32(head[firstChunk:]))
	height := uint64(binary.BigEndian.Uint32(head[firstChunk+4:]))
	if height != 0 && width > largestPicture/height {
		return 0, pngError(int64(firstChunk), "%d × %d samples are more than %d", height, width, largestPicture)
	}
	return width * height * pngChannels[head[firstChunk+9]] * uint64(head[firstChunk+8]) / 8, nil
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
