package tensor

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/bounded"
)

// How it works
//
// A safetensors file is the length of a header in 64 bits, the header in JSON,
// and the raw elements of all tensors in row-major order without gaps. The
// header maps every name to type, shape and the range of bytes. A header is
// accepted only when the ranges cover the data exactly once and agree with type
// and shape; the same rules as those of the reference implementation, so that a
// file cannot hide bytes or make two tensors share some.

// largestSafetensorsHeader is the limit of the reference implementation.
const largestSafetensorsHeader = 100_000_000

// metadataKey is the entry of the header that is no tensor.
const metadataKey = "__metadata__"

// safetensorsCodes are the names of the element types in the format.
var safetensorsCodes = [...]string{
	Bool: "BOOL", Int8: "I8", Int16: "I16", Int32: "I32", Int64: "I64",
	Uint8: "U8", Uint16: "U16", Uint32: "U32", Uint64: "U64",
	Float16: "F16", BFloat16: "BF16", Float32: "F32", Float64: "F64",
}

// safetensorsOrder is the order of the types in a file written by the reference
// implementation: wide elements first, which keeps all of them aligned.
var safetensorsOrder = []DType{
	Uint64, Int64, Float64, Float32, Uint32, Int32, BFloat16, Float16, Uint16, Int16, Int8, Uint8, Bool,
}

// A safetensorsEntry is the description of one tensor in the header.
type safetensorsEntry struct {
	DType   string   `json:"dtype"`
	Shape   []uint64 `json:"shape"`
	Offsets []uint64 `json:"data_offsets"`
}

// Safetensors is an open safetensors file, or one that was read from a stream.
type Safetensors struct {
	// Metadata is the free text of the file.
	Metadata map[string]string

	path    string
	entries map[string]safetensorsEntry
	base    unsafe.Pointer // of the data
	start   int64          // of the data in the file
	storage *storage
}

var _ Archive = (*Safetensors)(nil)

// OpenSafetensors maps a file into memory, so that only the pages of the tensors
// that are used are read; see OpenNPY.
func OpenSafetensors(path string) (*Safetensors, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := openSafetensors(f)
	if err != nil {
		return nil, within(path, "", err)
	}
	s.path = path
	return s, nil
}

func openSafetensors(f *os.File) (*Safetensors, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !canMap || !info.Mode().IsRegular() {
		return ReadSafetensors(f)
	}
	s, size, err := readSafetensorsHeader(f)
	if err != nil {
		return nil, err
	}
	if have := info.Size() - s.start; have != size {
		return nil, s.sizeError(size, have)
	}
	whole := int(info.Size())
	p, err := mapFile(f, whole)
	if err != nil {
		return s, s.readData(f, size)
	}
	s.keep(unsafe.Add(p, int(s.start)), newMapped(p, uintptr(whole)))
	return s, nil
}

// ReadSafetensors reads a whole file from a stream.
func ReadSafetensors(r io.Reader) (*Safetensors, error) {
	s, size, err := readSafetensorsHeader(r)
	if err != nil {
		return nil, err
	}
	if err := s.readData(r, size); err != nil {
		return nil, err
	}
	if n, _ := io.ReadFull(r, make([]byte, 1)); n != 0 {
		return nil, s.sizeError(size, size+1)
	}
	return s, nil
}

func (s *Safetensors) readData(r io.Reader, size int64) error {
	p, data, got, err := readPayload(r, int(size))
	if isEOF(err) {
		return s.sizeError(size, int64(got))
	}
	if err == nil {
		s.keep(p, data)
	}
	return err
}

// keep makes s itself a user of the storage until Close.
func (s *Safetensors) keep(p unsafe.Pointer, data *storage) {
	data.users.Add(1)
	s.base, s.storage = p, data
}

func (s *Safetensors) sizeError(want, have int64) error {
	relation := "less than"
	if have > want {
		relation = "more than"
	}
	return &FileError{
		Format: "safetensors", Offset: s.start + min(want, have),
		Reason: fmt.Sprintf("the data is %s the %d bytes that the header describes", relation, want),
		Help:   "the file is damaged or incomplete; copy or save it again",
	}
}

// readSafetensorsHeader also returns the size of the data.
func readSafetensorsHeader(r io.Reader) (*Safetensors, int64, error) {
	var field [8]byte
	if _, err := io.ReadFull(r, field[:]); err != nil {
		return nil, 0, safetensorsEnd(0, err)
	}
	length := binary.LittleEndian.Uint64(field[:])
	if length > largestSafetensorsHeader {
		return nil, 0, safetensorsError(0, "a header of %d bytes, more than %d", length, largestSafetensorsHeader)
	}
	// The buffer of ReadAll grows with what is there.
	text, err := io.ReadAll(io.LimitReader(r, int64(length)))
	if err == nil && uint64(len(text)) < length {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, 0, safetensorsEnd(len(field)+len(text), err)
	}
	s := &Safetensors{entries: map[string]safetensorsEntry{}, start: int64(len(field)) + int64(length)}
	if err := s.parseHeader(text); err != nil {
		return nil, 0, err
	}
	size, err := s.checkRanges()
	return s, size, err
}

func safetensorsError(offset int64, format string, args ...any) error {
	return &FileError{Format: "safetensors", Offset: offset, Reason: fmt.Sprintf(format, args...)}
}

func safetensorsEnd(offset int, err error) error {
	if !isEOF(err) {
		return err
	}
	return safetensorsError(int64(offset), "the file ends in its header")
}

// parseHeader reads the object key by key, as a decoder into a map would let the
// last of two equal names win.
func (s *Safetensors) parseHeader(text []byte) error {
	const begin = 8
	d := json.NewDecoder(bytes.NewReader(text))
	broken := func(err error) error {
		return &FileError{Format: "safetensors", Offset: begin + d.InputOffset(), Reason: "the header is not a JSON object of tensors", Err: err}
	}
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return broken(err)
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		name, isString := token.(string)
		if err != nil || !isString {
			return broken(err)
		}
		if seen[name] {
			return safetensorsError(begin+d.InputOffset(), "the name %q occurs twice", name)
		}
		seen[name] = true
		if name == metadataKey {
			err = d.Decode(&s.Metadata)
		} else {
			var entry safetensorsEntry
			err = d.Decode(&entry)
			s.entries[name] = entry
		}
		if err != nil {
			return broken(err)
		}
	}
	if _, err := d.Token(); err != nil {
		return broken(err)
	}
	if rest := bytes.TrimRight(text[d.InputOffset():], " \t\r\n\x00"); len(rest) > 0 {
		return safetensorsError(begin+d.InputOffset(), "there is more after the JSON object")
	}
	return nil
}

// checkRanges returns the size of the data that the entries cover.
func (s *Safetensors) checkRanges() (int64, error) {
	names := sortedNames(s.entries)
	for _, name := range names {
		if err := s.entries[name].check(); err != nil {
			return 0, within("", name, err)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return slices.Compare(s.entries[a].Offsets, s.entries[b].Offsets)
	})
	end := uint64(0)
	for _, name := range names {
		offsets := s.entries[name].Offsets
		if offsets[0] != end {
			err := safetensorsError(-1, "the data starts at %d where the tensor before it ends at %d", offsets[0], end)
			return 0, within("", name, err)
		}
		end = offsets[1]
	}
	if end > math.MaxInt64-uint64(s.start) || end > math.MaxInt {
		return 0, safetensorsError(-1, "%d bytes of data", end)
	}
	return int64(end), nil
}

// check compares the range with the type and shape, if the type is a known one.
func (e safetensorsEntry) check() error {
	if len(e.Offsets) != 2 || e.Offsets[0] > e.Offsets[1] {
		return safetensorsError(-1, "data_offsets is %d, not a range [begin, end]", e.Offsets)
	}
	d, shape, err := e.layout()
	if err != nil || d == Invalid {
		return err
	}
	n, err := checkShape(d, shape)
	if err != nil {
		return safetensorsError(-1, "%v", err)
	}
	if have, want := e.Offsets[1]-e.Offsets[0], uint64(n*d.Size()); have != want {
		return safetensorsError(-1, "%s of shape %v needs %d bytes, data_offsets has %d", e.DType, shape, want, have)
	}
	return nil
}

// layout returns the type, Invalid for one that is not supported, and the shape.
func (e safetensorsEntry) layout() (DType, []int, error) {
	shape := make([]int, len(e.Shape))
	for dim, extent := range e.Shape {
		if extent > math.MaxInt {
			return Invalid, nil, safetensorsError(-1, "the shape %d is too large", e.Shape)
		}
		shape[dim] = int(extent)
	}
	d := Invalid
	for known, code := range safetensorsCodes {
		if code != "" && code == e.DType {
			d = DType(known)
		}
	}
	return d, shape, nil
}

// Names returns the names of the tensors, sorted.
func (s *Safetensors) Names() []string { return sortedNames(s.entries) }

// Read returns a tensor over the memory of the file, which it shares with other
// reads of the same name, or a copy where the elements are not aligned or are
// bools, whose bytes may need a change.
func (s *Safetensors) Read(name string) (*Tensor, error) {
	e, there := s.entries[name]
	if !there {
		return nil, within(s.path, "", noMember("safetensors", name, s.Names()))
	}
	d, shape, err := e.layout()
	switch {
	case err != nil:
		return nil, within(s.path, name, err)
	case d == Invalid:
		return nil, &FileError{
			Path: s.path, Member: name, Format: "safetensors", Offset: -1,
			Reason: fmt.Sprintf("the element type %s is not supported", e.DType),
			Help:   "convert the tensor to F32, F16 or BF16 before saving",
		}
	case s.storage == nil:
		return nil, within(s.path, name, safetensorsError(-1, "the file is closed"))
	}
	p := unsafe.Add(s.base, int(e.Offsets[0]))
	if uintptr(p)%uintptr(d.Size()) == 0 && littleEndianHost() && d != Bool {
		return newTensor(d, shape, RowMajor(shape), p, s.storage), nil
	}
	t, err := New(d, shape...)
	if err != nil {
		return nil, err
	}
	copy(t.bytes(), unsafe.Slice((*byte)(p), len(t.bytes())))
	if !littleEndianHost() {
		swapBytes(t.bytes(), d.Size())
	}
	normaliseBools(t)
	return t, nil
}

// Close gives the file's memory up; tensors that were read stay valid.
func (s *Safetensors) Close() error {
	if data := s.storage; data != nil {
		s.base, s.storage = nil, nil
		return data.release()
	}
	return nil
}
