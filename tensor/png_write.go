package tensor

import (
	"fmt"
	"image"
	"image/png"
	"io"
)

// WritePNG writes a uint8 or uint16 tensor of shape (height, width), (height,
// width, 1), (height, width, 3) or (height, width, 4) as a gray, RGB or RGBA
// picture of 8 or 16 bits per sample.
func WritePNG(w io.Writer, t *Tensor) error {
	channels, err := pictureChannels(t)
	if err != nil {
		return err
	}
	host, err := t.onHost()
	if err != nil {
		return err
	}
	defer t.giveUp(host)
	samples := pictureSamples(host, channels)
	bounds := image.Rect(0, 0, t.shape[1], t.shape[0])
	var picture image.Image
	switch wide := t.dtype == Uint16; {
	case channels == 1 && wide:
		picture = &image.Gray16{Pix: samples, Stride: 2 * t.shape[1], Rect: bounds}
	case channels == 1:
		picture = &image.Gray{Pix: samples, Stride: t.shape[1], Rect: bounds}
	case channels == 3 && wide:
		picture = &image.NRGBA64{Pix: samples, Stride: 8 * t.shape[1], Rect: bounds}
	case channels == 3:
		picture = &image.NRGBA{Pix: samples, Stride: 4 * t.shape[1], Rect: bounds}
	case wide:
		picture = withAlpha{&image.NRGBA64{Pix: samples, Stride: 8 * t.shape[1], Rect: bounds}}
	default:
		picture = withAlpha{&image.NRGBA{Pix: samples, Stride: 4 * t.shape[1], Rect: bounds}}
	}
	return png.Encode(w, picture)
}

// withAlpha keeps the encoder from dropping an alpha channel that is opaque
// everywhere: the shape of a tensor must survive.
type withAlpha struct{ image.Image }

// Opaque reports false.
func (withAlpha) Opaque() bool { return false }

// pictureChannels returns the number of channels of a tensor that is a picture.
func pictureChannels(t *Tensor) (int, error) {
	fail := func(reason, help string) (int, error) {
		return 0, &FileError{Format: "png", Offset: -1, Reason: reason, Help: help}
	}
	if t.dtype != Uint8 && t.dtype != Uint16 {
		return fail(fmt.Sprintf("a picture has uint8 or uint16 elements, not %s", t.dtype),
			"scale the values to 0 … 255 or 0 … 65535 and cast to uint8 or uint16 first")
	}
	channels := 1
	if len(t.shape) == 3 {
		channels = t.shape[2]
	}
	if len(t.shape) < 2 || len(t.shape) > 3 || channels != 1 && channels != 3 && channels != 4 {
		return fail(fmt.Sprintf("a tensor of shape %v is no picture", t.shape),
			"the shape must be (height, width), (height, width, 3) for RGB or (height, width, 4) for RGBA")
	}
	height, width := t.shape[0], t.shape[1]
	if height == 0 || width == 0 || width > largestPicture/height {
		return fail(fmt.Sprintf("a picture of %d × %d samples", height, width),
			fmt.Sprintf("a PNG has at least one sample and at most %d", largestPicture))
	}
	return channels, nil
}

// pictureSamples returns the samples as package image stores them: high byte
// first, and RGB with an opaque alpha.
func pictureSamples(t *Tensor, channels int) []byte {
	wide := t.dtype == Uint16
	size := t.Len() * t.dtype.Size()
	if channels == 3 {
		size = size / 3 * 4
	}
	samples := make([]byte, 0, size)
	channel := 0
	put := func(b uint64) {
		if wide {
			samples = append(samples, byte(b>>8))
		}
		samples = append(samples, byte(b))
	}
	for offset := range t.Offsets() {
		put(t.BitsAt(offset))
		if channel++; channel == channels {
			if channel = 0; channels == 3 {
				put(0xFFFF)
			}
		}
	}
	return samples
}
