package serve

import (
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"os"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/bounded"
	"github.com/ricci-lang/ricci/tensor"
)

// An array is the elements of a tensor in a request or an answer: in it, in a file of a format that package tensor reads, or in a file with
// nothing but elements, which has a shape.
type array struct {
	DType  string  `json:"dtype,omitempty"`
	Shape  *[]int  `json:"shape,omitempty"`
	Data   *string `json:"data,omitempty"` // in base64
	Path   string  `json:"path,omitempty"`
	Offset int64   `json:"offset,omitempty"` // of the elements in a file with nothing else
	Raw    bool    `json:"raw,omitempty"`    // the file that an output goes to has nothing else, and is there
}

// read makes a tensor of an array; dtype is that of the program.
func (a *array) read(name string, declared tensor.DType) (*tensor.Tensor, error) {
	if a.Path != "" && a.Shape == nil {
		return tensor.Load(a.Path)
	}
	if a.Shape == nil {
		return nil, refusef("the array %s has no shape", name)
	}
	dtype := declared
	if a.DType != "" {
		var err error
		if dtype, err = tensor.ParseDType(a.DType); err != nil {
			return nil, refusef("the array %s: %v", name, err)
		}
	}
	bytes := float64(dtype.Size())
	for _, n := range *a.Shape {
		if n < 0 {
			return nil, refusef("the array %s has the negative extent %d", name, n)
		}
		bytes *= float64(n)
	}
	if bytes > math.MaxInt64/2 {
		return nil, refusef("the array %s has more elements than there can be", name)
	}
	elements, err := a.elements(name, int64(bytes))
	if err != nil {
		return nil, err
	}
	t, err := tensor.New(dtype, *a.Shape...)
	if err == nil {
		copy(bytesOf(t), elements)
	}
	return t, err
}

// elements reads the bytes of an array, exactly so many.
func (a *array) elements(name string, want int64) ([]byte, error) {
	if a.Path != "" {
		return a.fromFile(want)
	}
	if a.Data == nil {
		return nil, refusef("the array %s has neither data nor a path", name)
	}
	data, err := base64.StdEncoding.DecodeString(*a.Data)
	if err != nil {
		return nil, refusef("the data of %s is no base64: %v", name, err)
	}
	if int64(len(data)) != want {
		return nil, refusef("the data of %s has %d bytes, expected %d", name, len(data), want)
	}
	return data, nil
}

// fromFile reads elements out of a file.
func (a *array) fromFile(want int64) ([]byte, error) {
	file, err := bounded.Open(a.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if a.Offset < 0 || info.Size()-a.Offset < want {
		return nil, fmt.Errorf("%s has %d bytes, expected %d from byte %d on", a.Path, info.Size(), want, a.Offset)
	}
	data := make([]byte, want)
	_, err = io.ReadFull(io.NewSectionReader(file, a.Offset, want), data)
	return data, err
}

// write gives a tensor as an array: in the answer, or in the file that a request names.
func write(t *tensor.Tensor, where array) (array, error) {
	shape := t.Shape()
	if where.Path != "" && !where.Raw {
		return array{DType: t.DType().String(), Shape: &shape, Path: where.Path}, tensor.Save(where.Path, t)
	}
	if where.Path != "" {
		file, err := os.OpenFile(where.Path, os.O_WRONLY, 0)
		if err != nil {
			return array{}, err
		}
		_, err = file.WriteAt(bytesOf(t), where.Offset)
		if closed := file.Close(); err == nil {
			err = closed
		}
		return array{DType: t.DType().String(), Shape: &shape, Path: where.Path, Offset: where.Offset, Raw: true}, err
	}
	text := base64.StdEncoding.EncodeToString(bytesOf(t))
	return array{DType: t.DType().String(), Shape: &shape, Data: &text}, nil
}

// bytesOf is the memory of a dense tensor.
func bytesOf(t *tensor.Tensor) []byte {
	return unsafe.Slice((*byte)(t.Pointer()), t.Len()*t.DType().Size())
}
