package ricci

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How typed calls work
//
// TypedOf compares the fields of a struct with the arguments of a def once. A call reads the
// fields by their offsets into tensors that are kept for calls, which are made to look at the
// caller's slices, and goes on as RunInto does.

// A Typed calls a def with the fields of a struct, so that names and element types of arguments
// are checked by the Go compiler and once by TypedOf, and not at each call.
type Typed[A any] struct {
	def     *Def
	options Options
	fields  []typedField // in the order of Kernel.Run
	states  sync.Pool    // of *typedState
}

// typedField is where an argument comes from.
type typedField struct {
	offset uintptr
	kind   fieldKind
	dtype  tensor.DType
	shape  []int // of an array
}

type fieldKind int

const (
	tensorField fieldKind = iota // *tensor.Tensor
	valueField                   // float32: a scalar that is read
	sliceField                   // []float32
	arrayField                   // *[4][3]float32, and *float32 for a scalar
)

// typedState is what one call at a time needs.
type typedState struct {
	own  []*tensor.Tensor // nil for those that are tensors of the caller
	args []*tensor.Tensor // of a call
	home uint64           // where scalars are between calls
}

// TypedOf prepares typed calls. A is a struct with one exported field for each argument, inputs
// and outputs. A field belongs to the argument of its name, of its name in another case where there is only one, or of the name in
// its tag `ricci:"name"`. Its type is
//
//	*tensor.Tensor    any argument
//	float32, …        an input of rank 0
//	[]float32, …      an argument of rank 1; what an output is must have the right length
//	*[4][3]float32, … an argument with that many dimensions; *float32 one of rank 0
//
// with the Go type of the elements (tensor.Element).
func TypedOf[A any](d *Def, options Options) (*Typed[A], error) {
	t := &Typed[A]{def: d, options: options, fields: make([]typedField, len(d.arguments))}
	structure := reflect.TypeFor[A]()
	if structure.Kind() != reflect.Struct {
		return nil, misfit(d, "%s is not a struct with a field for each argument", structure)
	}
	found := make([]bool, len(d.arguments))
	for i := range structure.NumField() {
		f := structure.Field(i)
		at, err := d.argumentOf(f)
		if err != nil {
			return nil, err
		}
		if found[at] {
			return nil, misfit(d, "the field %s of %s is a second one for the argument %s", f.Name, structure, d.arguments[at].name)
		}
		if t.fields[at], err = d.field(f, &d.arguments[at], options); err != nil {
			return nil, err
		}
		found[at] = true
	}
	if at := slices.Index(found, false); at >= 0 {
		return nil, misfit(d, "%s has no field for the argument %s", structure, d.arguments[at].name)
	}
	return t, nil
}

// argumentOf finds the argument that a field belongs to.
func (d *Def) argumentOf(f reflect.StructField) (int, error) {
	name, tagged := f.Tag.Lookup("ricci")
	if !tagged {
		name = f.Name
	}
	at, similar := -1, 0
	for i, p := range d.arguments {
		if p.name == name {
			at, similar = i, 1
			break
		}
		if !tagged && strings.EqualFold(p.name, name) {
			at, similar = i, similar+1
		}
	}
	switch {
	case !f.IsExported():
		return 0, misfit(d, "the field %s is not exported", f.Name)
	case similar != 1:
		return 0, misfit(d, "the field %s belongs to no argument", f.Name)
	}
	return at, nil
}

// field compares the type of a field with its argument.
func (d *Def) field(f reflect.StructField, p *parameter, options Options) (typedField, error) {
	field := typedField{offset: f.Offset}
	if f.Type == reflect.TypeFor[*tensor.Tensor]() {
		return field, nil
	}
	if slices.Contains(options.Constant, p.name) {
		return field, misfit(d, "the field %s is for a constant argument, which is known by its *tensor.Tensor", f.Name)
	}
	element, rank := f.Type, 0
	switch f.Type.Kind() {
	case reflect.Slice:
		field.kind, element, rank = sliceField, f.Type.Elem(), 1
	case reflect.Pointer:
		field.kind = arrayField
		for element = f.Type.Elem(); element.Kind() == reflect.Array; element = element.Elem() {
			field.shape = append(field.shape, element.Len())
		}
		rank = len(field.shape)
	default:
		field.kind = valueField
	}
	field.dtype = p.tensor.Type
	if field.dtype.IsHalf() || element.Kind().String() != goTypes[field.dtype] || rank != len(p.tensor.Dims) || field.kind == valueField && p.role != ein.Input {
		return field, misfit(d, "the field %s has the type %s, expected %s for %s", f.Name, f.Type, expectedField(p), p)
	}
	return field, nil
}

// expectedField names the types that a field for an argument may have.
func expectedField(p *parameter) string {
	element := goTypes[p.tensor.Type]
	switch rank := len(p.tensor.Dims); {
	case p.tensor.Type.IsHalf():
		return "*tensor.Tensor"
	case rank == 0 && p.role == ein.Input:
		return element + " or *tensor.Tensor"
	case rank == 0:
		return "*" + element + " or *tensor.Tensor"
	case rank == 1:
		return "[]" + element + " or *tensor.Tensor"
	default:
		return "*tensor.Tensor, or *" + strings.Repeat("[…]", rank) + element
	}
}

func misfit(d *Def, format string, args ...any) error {
	return fmt.Errorf("typed calls of %s: "+format, append([]any{d.Name()}, args...)...)
}

// Run calls the def with the fields of a struct. It allocates nothing once the kernel is
// there. Outputs are written through their slices, pointers and tensors.
func (t *Typed[A]) Run(ctx context.Context, a *A) error {
	state, _ := t.states.Get().(*typedState)
	if state == nil {
		var err error
		if state, err = t.newState(); err != nil {
			return err
		}
	}
	err := t.fill(state, unsafe.Pointer(a))
	if err == nil {
		err = t.def.RunIntoWith(ctx, nil, t.options, state.args...)
	}
	runtime.KeepAlive(a)
	t.empty(state)
	t.states.Put(state)
	return err
}

// newState makes the tensors of a call.
func (t *Typed[A]) newState() (*typedState, error) {
	state := &typedState{own: make([]*tensor.Tensor, len(t.fields)), args: make([]*tensor.Tensor, len(t.fields))}
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
func (t *Typed[A]) fill(state *typedState, fields unsafe.Pointer) error {
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
				return unusable(t.def, t.def.arguments[i].name, "is nil")
			}
			state.own[i].Retarget(p, f.shape...)
		}
	}
	return nil
}

// empty lets go of what belongs to the caller.
func (t *Typed[A]) empty(state *typedState) {
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
