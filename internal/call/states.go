package call

import (
	"unsafe"

	"github.com/ricci-lang/ricci/tensor"
)

// A fieldState is what one call with fields at a time needs.
type fieldState struct {
	own  []*tensor.Tensor // nil for those that are tensors of the caller
	args []*tensor.Tensor // of a call
	home uint64           // where scalars are between calls
}

// newState makes the tensors of a call.
func (t *Fields) newState() (*fieldState, error) {
	state := &fieldState{own: make([]*tensor.Tensor, len(t.fields)), args: make([]*tensor.Tensor, len(t.fields))}
	for i, f := range t.fields {
		var err error
		switch rank := len(t.def.arguments[i].tensor.Dims); {
		case f.kind == valueField:
			state.own[i], err = tensor.New(f.dtype)
		case f.kind != tensorField && rank == 0:
			// A scalar has a place from the beginning.
			state.own[i], err = tensor.FromPointer(f.dtype, unsafe.Pointer(&state.home), nil, nil)
		case f.kind != tensorField:
			state.own[i], err = tensor.FromPointer(f.dtype, nil, make([]int, rank), nil)
		}
		if err != nil {
			return nil, err
		}
	}
	return state, nil
}

// fill takes the arguments of a call from the fields.
func (t *Fields) fill(state *fieldState, fields unsafe.Pointer) error {
	copy(state.args, state.own)
	for i := range t.fields {
		f, at := &t.fields[i], unsafe.Add(fields, t.fields[i].offset)
		switch f.kind {
		case tensorField:
			state.args[i] = *(**tensor.Tensor)(at)
		case valueField:
			copy(unsafe.Slice((*byte)(state.own[i].Pointer()), f.dtype.Size()), unsafe.Slice((*byte)(at), f.dtype.Size()))
		case sliceField:
			// Slices of all element types have the same words.
			s := *(*[]struct{})(at)
			state.own[i].Retarget(unsafe.Pointer(unsafe.SliceData(s)), len(s))
		case arrayField:
			p := *(*unsafe.Pointer)(at)
			if p == nil {
				return unusable(t.def.Def, t.def.arguments[i].name, "is nil")
			}
			state.own[i].Retarget(p, f.shape...)
		}
	}
	return nil
}

// empty lets go of what belongs to the caller.
func (t *Fields) empty(state *fieldState) {
	clear(state.args)
	for i := range t.fields {
		switch f := &t.fields[i]; {
		case f.kind == sliceField:
			state.own[i].Retarget(nil, 0)
		case f.kind == arrayField && len(f.shape) == 0:
			state.own[i].Retarget(unsafe.Pointer(&state.home))
		case f.kind == arrayField:
			var none [tensor.MaxRank]int
			state.own[i].Retarget(nil, none[:len(f.shape)]...)
		}
	}
}
