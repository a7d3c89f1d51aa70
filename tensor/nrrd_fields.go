package tensor

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// mostNRRDAxes is the limit of the format.
const mostNRRDAxes = 16

// nrrdTypes are the names of the element types, of which the first one is written.
var nrrdTypes = [...][]string{
	Int8:    {"signed char", "int8", "int8_t"},
	Uint8:   {"unsigned char", "uchar", "uint8", "uint8_t"},
	Int16:   {"short", "short int", "signed short", "signed short int", "int16", "int16_t"},
	Uint16:  {"unsigned short", "ushort", "unsigned short int", "uint16", "uint16_t"},
	Int32:   {"int", "signed int", "int32", "int32_t"},
	Uint32:  {"unsigned int", "uint", "uint32", "uint32_t"},
	Int64:   {"long long int", "longlong", "long long", "signed long long", "signed long long int", "int64", "int64_t"},
	Uint64:  {"unsigned long long int", "ulonglong", "unsigned long long", "uint64", "uint64_t"},
	Float32: {"float"},
	Float64: {"double"},
}

// nrrdTypeHelp says what to do about types that are not supported.
var nrrdTypeHelp = map[string]string{
	"block": "elements that are blocks of bytes have no arithmetic; save their parts as axes of numbers",
	"char":  "whether a char has a sign depends on the machine; write signed char or unsigned char",
	"long":  "a long differs between machines; write int or long long int",
}

// An nrrdHeader is what the fields of a header mean.
type nrrdHeader struct {
	dtype     DType
	shape     []int // of the tensor
	elements  int
	encoding  nrrdEncoding
	bigEndian bool
	lineSkip  int64
	byteSkip  int64 // a negative one counts from the end: -1 for the last bytes of the file
	detached  []string
	subdim    int   // how many axes each file has
	start     int64 // of the data, behind the header
	image     *Image
}

// parse reads the fields.
func (h *nrrdText) parse() (*nrrdHeader, error) {
	p := &nrrdHeader{start: h.end, image: &Image{Comments: h.comments, Values: h.pairs}}
	for _, needed := range []string{"type", "dimension", "sizes", "encoding"} {
		if _, there := h.fields[needed]; !there {
			return nil, nrrdError(h.end, "", "the header ends without the field %q", needed)
		}
	}
	for _, step := range []func(*nrrdHeader) error{h.parseType, h.parseSizes, h.parseEncoding, h.parseSkips, h.parseAxes, h.parseSpace, h.parseFiles} {
		if err := step(p); err != nil {
			return nil, err
		}
	}
	p.image.orient(p.shape)
	return p, nil
}

// wrong is the error for a field.
func (h *nrrdText) wrong(field, help, format string, args ...any) error {
	return nrrdError(h.fields[field].offset, help, "the field "+strconv.Quote(field)+": "+format, args...)
}

func (h *nrrdText) parseType(p *nrrdHeader) error {
	text := strings.ToLower(h.fields["type"].text)
	for d, names := range nrrdTypes {
		if slices.Contains(names, text) {
			p.dtype = DType(d)
			return nil
		}
	}
	var names []string
	for _, all := range nrrdTypes {
		if all != nil {
			names = append(names, all[0])
		}
	}
	help := nrrdTypeHelp[text]
	if help == "" {
		help = "the types are " + strings.Join(names, ", ")
	}
	return h.wrong("type", help, "%.40q is not supported", text)
}

func (h *nrrdText) parseSizes(p *nrrdHeader) error {
	rank, err := strconv.Atoi(h.fields["dimension"].text)
	if err != nil || rank < 1 || rank > mostNRRDAxes {
		return h.wrong("dimension", "", "%.40q is not a number from 1 to %d", h.fields["dimension"].text, mostNRRDAxes)
	}
	words := strings.Fields(h.fields["sizes"].text)
	if len(words) != rank {
		return h.wrong("sizes", "", "there are %d sizes for %d axes", len(words), rank)
	}
	p.shape = make([]int, rank)
	for axis, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 {
			return h.wrong("sizes", "", "%.40q is not a size", word)
		}
		p.shape[rank-1-axis] = n
	}
	p.image.Axes = make([]Axis, rank)
	if p.elements, err = checkShape(p.dtype, p.shape); err != nil {
		return h.wrong("sizes", "", "%v", err)
	}
	return nil
}

func (h *nrrdText) parseEncoding(p *nrrdHeader) error {
	text := strings.ToLower(h.fields["encoding"].text)
	var names []string
	for _, e := range nrrdEncodings() {
		if slices.Contains(e.names, text) {
			p.encoding = e
		}
		names = append(names, e.names[0])
	}
	if p.encoding.names == nil {
		return h.wrong("encoding", "the encodings are "+strings.Join(names, ", "), "%.40q is not supported", text)
	}
	endian, there := h.fields["endian"]
	switch strings.ToLower(endian.text) {
	case "big":
		p.bigEndian = true
	case "little":
	default:
		if there {
			return h.wrong("endian", "", "%.40q is neither little nor big", endian.text)
		}
		if p.encoding.ordered && p.dtype.Size() > 1 {
			return nrrdError(h.end, "add a line 'endian: little' (most machines) or 'endian: big'",
				"the header does not say in which order the bytes of a %s are", nrrdTypes[p.dtype][0])
		}
		p.bigEndian = !littleEndianHost()
	}
	return nil
}

func (h *nrrdText) parseSkips(p *nrrdHeader) error {
	for field, target := range map[string]*int64{"line skip": &p.lineSkip, "byte skip": &p.byteSkip} {
		value, there := h.fields[field]
		if !there {
			continue
		}
		n, err := strconv.ParseInt(value.text, 10, 64)
		if err != nil || n < 0 && field == "line skip" || n == math.MinInt64 {
			return h.wrong(field, "", "%.40q is not a number to skip", value.text)
		}
		*target = n
	}
	if p.byteSkip < 0 && !p.encoding.countable {
		return h.wrong("byte skip", "count from the beginning, or store the data raw", "only raw data can be found from the end of a file")
	}
	return nil
}
