package testblock

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// ParseLiteral reads the elements of a tensor as nested lists, such as
// [[1, 2], [3, 4]].
func ParseLiteral(text string) (*Literal, error) {
	r := &reader{file: source.NewFile("", text), end: len(text), diagnostics: &source.Diagnostics{}}
	r.blank()
	value, ok := r.list()
	if r.blank(); ok && r.offset < r.end {
		r.fail(source.CodeTestValue, "found %s after the list", r.found())
	}
	if r.diagnostics.HasErrors() {
		return nil, fmt.Errorf("%s", r.diagnostics.List[0].Message)
	}
	return value.(*Literal), nil
}

// Tensor makes a tensor of the elements, which must be exact in integer types.
func (l *Literal) Tensor(dtype tensor.DType) (*tensor.Tensor, error) {
	t, err := tensor.New(dtype, l.Shape...)
	if err != nil {
		return nil, err
	}
	i := 0
	for offset := range t.Offsets() {
		n := l.Elements[i]
		i++
		if dtype.IsFloat() {
			t.SetFloatAt(offset, n.Float64())
			continue
		}
		if dtype.Kind() == tensor.KindUint {
			v, ok := n.Uint64()
			if t.SetUintAt(offset, v); !ok || t.UintAt(offset) != v {
				return nil, fmt.Errorf("%s is not a value of type %s", n.Text, dtype)
			}
			continue
		}
		v, ok := n.Int64()
		if t.SetIntAt(offset, v); !ok || t.IntAt(offset) != v {
			return nil, fmt.Errorf("%s is not a value of type %s", n.Text, dtype)
		}
	}
	return t, nil
}
