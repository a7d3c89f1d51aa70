// Package tensor provides typed, strided, n-dimensional arrays that compiled
// kernels read and write, and their files: npy, npz, safetensors, png and nrrd.
//
// The elements are in the memory of the host, or in that of a device behind the
// interface Memory, from where they are copied as a whole.
package tensor

import (
	"fmt"
	"math"
)

// A DType is the type of a tensor's elements.
type DType uint8

// The element types. Float16 is IEEE binary16, BFloat16 the upper half of an
// IEEE binary32; both are storage types, arithmetic on them happens in float32.
const (
	Invalid DType = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float16
	BFloat16
	Float32
	Float64
)

// Kind groups the element types by their arithmetic.
type Kind uint8

// The kinds of element types.
const (
	KindBool Kind = iota
	KindInt
	KindUint
	KindFloat
)

type dtypeInfo struct {
	name string
	size int
	kind Kind
}

var dtypes = [...]dtypeInfo{
	Invalid:  {"invalid", 0, KindBool},
	Bool:     {"bool", 1, KindBool},
	Int8:     {"int8", 1, KindInt},
	Int16:    {"int16", 2, KindInt},
	Int32:    {"int32", 4, KindInt},
	Int64:    {"int64", 8, KindInt},
	Uint8:    {"uint8", 1, KindUint},
	Uint16:   {"uint16", 2, KindUint},
	Uint32:   {"uint32", 4, KindUint},
	Uint64:   {"uint64", 8, KindUint},
	Float16:  {"float16", 2, KindFloat},
	BFloat16: {"bfloat16", 2, KindFloat},
	Float32:  {"float32", 4, KindFloat},
	Float64:  {"float64", 8, KindFloat},
}

// sizes has the sizes in dtypes, with zeros up to the last value that a DType may have, so that
// access to an element needs no check of the type.
var sizes = func() (all [math.MaxUint8 + 1]uint8) {
	for d, info := range dtypes {
		all[d] = uint8(info.size)
	}
	return all
}()

// DTypes lists every valid element type.
func DTypes() []DType {
	list := make([]DType, 0, len(dtypes)-1)
	for d := range dtypes {
		if d != int(Invalid) {
			list = append(list, DType(d))
		}
	}
	return list
}

// String returns the NumPy name of the type, such as "float32".
func (d DType) String() string {
	if int(d) >= len(dtypes) {
		return fmt.Sprintf("DType(%d)", uint8(d))
	}
	return dtypes[d].name
}

// Size returns the number of bytes of one element.
func (d DType) Size() int { return int(sizes[d]) }

// Kind returns the group that the type belongs to.
func (d DType) Kind() Kind { return dtypes[d].kind }

// IsFloat reports whether the type is a floating-point type.
func (d DType) IsFloat() bool { return d != Invalid && d.Kind() == KindFloat }

// IsInteger reports whether the type is a signed or unsigned integer.
func (d DType) IsInteger() bool {
	return d != Invalid && (d.Kind() == KindInt || d.Kind() == KindUint)
}

// IsHalf reports whether the type is a 16-bit float, which is only stored and
// never computed with.
func (d DType) IsHalf() bool { return d == Float16 || d == BFloat16 }

// Compute returns the type in which arithmetic on d happens: float32 for the
// 16-bit floats, d itself otherwise.
func (d DType) Compute() DType {
	if d.IsHalf() {
		return Float32
	}
	return d
}

// ParseDType returns the type with the given NumPy name.
func ParseDType(name string) (DType, error) {
	for d, info := range dtypes {
		if info.name == name && DType(d) != Invalid {
			return DType(d), nil
		}
	}
	return Invalid, fmt.Errorf("unknown element type %q", name)
}
