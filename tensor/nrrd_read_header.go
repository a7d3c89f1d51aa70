package tensor

import "io"

// An NRRDHeader is what a file in the form of Teem's nrrd says before its elements.
type NRRDHeader struct {
	DType DType
	// Shape is that of the tensor, whose last dimension is the first axis of the file.
	Shape []int
	// Image has what else is said; its Tensor is nil.
	Image *Image
}

// ReadNRRDHeader reads a header, of a file with its elements or of one that names others, and nothing behind it: no element
// is read, no other file is opened, and memory is taken for the text alone. Whether the elements are there is not known.
func ReadNRRDHeader(r io.Reader) (*NRRDHeader, error) {
	text, err := scanNRRD(newNRRDInput(r))
	if err != nil {
		return nil, err
	}
	h, err := text.parse()
	if err != nil {
		return nil, err
	}
	return &NRRDHeader{DType: h.dtype, Shape: h.shape, Image: h.image}, nil
}
