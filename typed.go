package ricci

import (
	"context"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/call"
)

// A Typed calls a def with the fields of a struct, so that names and element types of arguments
// are checked by the Go compiler and once by TypedOf, and not at each call.
type Typed[A any] struct{ fields *call.Fields }

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
	fields, err := call.FieldsOf(reflect.TypeFor[A](), d.calls, options.forCalls())
	if err != nil {
		return nil, err
	}
	return &Typed[A]{fields}, nil
}

// Run calls the def with the fields of a struct. It allocates nothing once the kernel is
// there. Outputs are written through their slices, pointers and tensors.
func (t *Typed[A]) Run(ctx context.Context, a *A) error {
	err := t.fields.Run(ctx, unsafe.Pointer(a))
	runtime.KeepAlive(a)
	return err
}
