package tensor

import (
	"fmt"
	"strconv"
	"strings"
)

// npyCodes are the names of the element types in a descr, without the character
// of the byte order. NumPy itself has no bfloat16; the ml_dtypes package stores
// it as two bytes of raw data.
var npyCodes = [...]string{
	Bool: "b1", Int8: "i1", Int16: "i2", Int32: "i4", Int64: "i8",
	Uint8: "u1", Uint16: "u2", Uint32: "u4", Uint64: "u8",
	Float16: "f2", BFloat16: "V2", Float32: "f4", Float64: "f8",
}

// npyHelp says what to do about the types that are not supported, by their code.
var npyHelp = map[byte]string{
	'O': "arrays of Python objects are pickles; convert with array.astype(float) before saving",
	'c': "complex numbers are not supported; save array.real and array.imag",
	'S': "strings are not supported",
	'U': "strings are not supported",
	'M': "dates are not supported; save array.view('int64')",
	'm': "time differences are not supported; save array.view('int64')",
	'f': "this width is not supported; convert with array.astype('float64') before saving",
	'V': "raw data is supported as two bytes only, which are read as bfloat16",
	'[': "arrays of records are not supported; save every field as its own array",
}

// descrOf returns the descr that NumPy writes for a type.
func descrOf(d DType) string {
	if d.Size() == 1 {
		return "|" + npyCodes[d]
	}
	return "<" + npyCodes[d]
}

// parseDescr returns the type and whether its high byte comes first.
func parseDescr(descr string) (d DType, bigEndian, ok bool) {
	if descr == BFloat16.String() {
		return BFloat16, false, true
	}
	if descr == "" || !strings.Contains("<>|=", descr[:1]) {
		return Invalid, false, false
	}
	for d, code := range npyCodes {
		if code != "" && code == descr[1:] {
			return DType(d), descr[0] == '>', true
		}
	}
	return Invalid, false, false
}

// An npyHeader is the content of the dictionary before the data.
type npyHeader struct {
	dtype     DType
	bigEndian bool
	fortran   bool // the first index varies fastest
	shape     []int
}

// String returns the dictionary as NumPy writes it: the keys sorted, and spaces
// that let NumPy enlarge the dimension that can grow in place.
func (h npyHeader) String() string {
	order, grows, shape := "False", 0, "("
	if h.fortran {
		order, grows = "True", len(h.shape)-1
	}
	for i, extent := range h.shape {
		if i > 0 {
			shape += " "
		}
		shape += strconv.Itoa(extent) + ","
	}
	if len(h.shape) > 1 {
		shape = strings.TrimSuffix(shape, ",")
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s), }", descrOf(h.dtype), order, shape)
	const largestExtent = 21 // digits
	if len(h.shape) > 0 {
		text += strings.Repeat(" ", largestExtent-len(strconv.Itoa(h.shape[grows])))
	}
	return text
}

// parseNPYHeader reads the dictionary. Offsets in errors count from the start of
// the file, where the dictionary begins at byte start.
func parseNPYHeader(text string, start int) (npyHeader, error) {
	values, err := parseLiteral(text, start)
	if err != nil {
		return npyHeader{}, err
	}
	fail := func(key, want string) error {
		v, there := values[key]
		if !there {
			return npyError(start, "the header has no %q", key)
		}
		return npyError(start, "%q in the header is %s, not %s", key, v.text, want)
	}
	var h npyHeader
	var ok bool
	if h.fortran, ok = values["fortran_order"].value.(bool); !ok {
		return h, fail("fortran_order", "True or False")
	}
	if h.shape, ok = values["shape"].value.([]int); !ok {
		return h, fail("shape", "a tuple of integers")
	}
	descr, ok := values["descr"].value.(string)
	if ok {
		h.dtype, h.bigEndian, ok = parseDescr(descr)
	}
	if !ok {
		err := fail("descr", "a supported element type")
		if e, isFile := err.(*FileError); isFile {
			e.Help = npyHelp[kindOfDescr(values["descr"].text)]
		}
		return h, err
	}
	if _, err := checkShape(h.dtype, h.shape); err != nil {
		return h, npyError(start, "%v", err)
	}
	return h, nil
}

// kindOfDescr returns the letter of a descr such as '<c8', or the bracket of a
// list.
func kindOfDescr(text string) byte {
	text = strings.TrimLeft(text, "'\"<>|=")
	if text == "" {
		return 0
	}
	return text[0]
}

func npyError(offset int, format string, args ...any) error {
	return &FileError{Format: "npy", Offset: int64(offset), Reason: fmt.Sprintf(format, args...)}
}
