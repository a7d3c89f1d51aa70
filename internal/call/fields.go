package call

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How typed calls work
//
// FieldsOf compares the fields of a struct with the arguments of a def once. A call reads the
// fields by their offsets into tensors that are kept for calls, which are made to look at the
// caller's slices (states.go), and goes on as RunInto does.

// Fields call a def with the fields of a struct.
type Fields struct {
	def     *Def
	options Options
	fields  []field                    // in the order of Kernel.Run
	spare   atomic.Pointer[fieldState] // the first of those that wait for calls
	states  sync.Pool                  // of *fieldState: the others
}

// A field is where an argument comes from.
type field struct {
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

// FieldsOf compares the fields of a structure with the arguments; ricci.TypedOf says what fits.
func FieldsOf(structure reflect.Type, d *Def, options Options) (*Fields, error) {
	t := &Fields{def: d, options: options, fields: make([]field, len(d.arguments))}
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

// field compares the type of a field with its argument. Types of elements have their names in Go, but for floats of 16 bits.
func (d *Def) field(f reflect.StructField, p *parameter, options Options) (field, error) {
	made := field{offset: f.Offset}
	if f.Type == reflect.TypeFor[*tensor.Tensor]() {
		return made, nil
	}
	if slices.Contains(options.Constant, p.name) {
		return made, misfit(d, "the field %s is for a constant argument, which is known by its *tensor.Tensor", f.Name)
	}
	element, rank := f.Type, 0
	switch f.Type.Kind() {
	case reflect.Slice:
		made.kind, element, rank = sliceField, f.Type.Elem(), 1
	case reflect.Pointer:
		made.kind = arrayField
		for element = f.Type.Elem(); element.Kind() == reflect.Array; element = element.Elem() {
			made.shape = append(made.shape, element.Len())
		}
		rank = len(made.shape)
	default:
		made.kind = valueField
	}
	made.dtype = p.tensor.Type
	if made.dtype.IsHalf() || element.Kind().String() != made.dtype.String() || rank != len(p.tensor.Dims) || made.kind == valueField && p.role != ein.Input {
		return made, misfit(d, "the field %s has the type %s, expected %s for %s", f.Name, f.Type, expectedField(p), p)
	}
	return made, nil
}

// expectedField names the types that a field for an argument may have.
func expectedField(p *parameter) string {
	element := p.tensor.Type.String()
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
	return fmt.Errorf("typed calls of %s: "+format, append([]any{d.Name}, args...)...)
}

// Run calls the def with the fields of the structure at an address, which the caller keeps alive. It allocates nothing once
// the kernel is there.
func (t *Fields) Run(ctx context.Context, structure unsafe.Pointer) error {
	state := t.spare.Swap(nil)
	if state == nil {
		state, _ = t.states.Get().(*fieldState)
	}
	if state == nil {
		var err error
		if state, err = t.newState(); err != nil {
			return err
		}
	}
	err := t.fill(state, structure)
	if err == nil {
		err = t.def.RunInto(ctx, nil, &t.options, state.args)
	}
	if t.empty(state); !t.spare.CompareAndSwap(nil, state) {
		t.states.Put(state)
	}
	return err
}
