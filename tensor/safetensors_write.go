package tensor

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// WriteSafetensors writes tensors and free text (which may be nil) exactly as the
// reference implementation does: wide element types first, then by name, with a
// header padded to eight bytes.
func WriteSafetensors(w io.Writer, tensors map[string]*Tensor, metadata map[string]string) error {
	names := sortedNames(tensors)
	slices.SortStableFunc(names, func(a, b string) int {
		place := func(name string) int { return slices.Index(safetensorsOrder, tensors[name].dtype) }
		return cmp.Compare(place(a), place(b))
	})
	header, err := safetensorsHeader(names, tensors, metadata)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, name := range names {
		if err := writeElements(w, tensors[name]); err != nil {
			return err
		}
	}
	return nil
}

// safetensorsHeader returns everything before the data.
func safetensorsHeader(names []string, tensors map[string]*Tensor, metadata map[string]string) ([]byte, error) {
	var b bytes.Buffer
	b.Write(make([]byte, 8)) // the length, known below
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	var failed error
	item := func(before byte, key string, value any) {
		b.WriteByte(before)
		for _, part := range []any{key, value} {
			if err := e.Encode(part); err != nil {
				failed = err
			}
			b.Truncate(b.Len() - 1) // the encoder's newline
			b.WriteByte(':')
		}
		b.Truncate(b.Len() - 1)
	}
	before := byte('{')
	if len(metadata) > 0 {
		item(before, metadataKey, metadata)
		before = ','
	}
	end := uint64(0)
	for _, name := range names {
		t := tensors[name]
		if t.dtype == Invalid || name == metadataKey {
			return nil, fmt.Errorf("the tensor %q is closed or has a reserved name", name)
		}
		entry := safetensorsEntry{DType: safetensorsCodes[t.dtype], Shape: []uint64{}}
		for _, extent := range t.shape {
			entry.Shape = append(entry.Shape, uint64(extent))
		}
		start := end
		end += uint64(t.Len() * t.dtype.Size())
		entry.Offsets = []uint64{start, end}
		item(before, name, entry)
		before = ','
	}
	if before == '{' {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	binary.LittleEndian.PutUint64(b.Bytes(), uint64(b.Len()-8))
	return b.Bytes(), failed
}
