package ricci

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// The errors of calls of a kernel, in words.

// explain says why argument i was not accepted.
func (k *Kernel) explain(i int, t *tensor.Tensor) error {
	a := &k.arguments[i]
	if t == nil || t.DType() == tensor.Invalid {
		return unusable(k.def, a.name, "is nil or closed")
	}
	if t.DType() != a.dtype {
		return wrongType(a.tensor, t.DType())
	}
	d := &Diagnostic{Span: a.tensor.Pos}
	switch {
	case t.Rank() != len(a.tensor.Dims):
		d.Code = source.WrongRank
		d.Message = fmt.Sprintf("%s has shape %v, expected %d dimensions", a.name, t.Shape(), len(a.tensor.Dims))
	case a.shape == nil:
		d.Code = source.WrongStrides
		d.Message = fmt.Sprintf("%s has strides %v, but arguments with dynamic sizes must be dense", a.name, t.Strides())
		d.Help = "pass a copy made with Clone, or call RunNamed, which copies"
	case fmt.Sprint(t.Shape()) != fmt.Sprint(a.shape):
		d.Code = source.CompiledForOther
		d.Message = fmt.Sprintf("%s has shape %v, but the kernel was compiled for %v", a.name, t.Shape(), a.shape)
		d.Help = "compile for the new shape, name the size in Options.Dynamic, or call Def.Run"
	case a.scalar != nil && t.Int() != *a.scalar:
		return k.otherSize(a.name, t.Int(), *a.scalar)
	default:
		d.Code = source.WrongStrides
		d.Message = fmt.Sprintf("%s has strides %v, but the kernel was compiled for %v", a.name, t.Strides(), a.strides)
		d.Help = "compile with this view as an example argument (CompileFor), or call RunNamed, which copies"
	}
	return ErrorList{d}
}

func (k *Kernel) otherSize(name string, found, compiled int64) error {
	d := &Diagnostic{Code: source.CompiledForOther, Span: k.def.info.Pos,
		Message: fmt.Sprintf("%s is %d, but the kernel was compiled for %d", name, found, compiled)}
	return ErrorList{d.WithHelp("compile for the new value, name %s in Options.Dynamic, or call Def.Run", name)}
}

func (d *Def) wrongCount(found int) error {
	names := make([]string, len(d.arguments))
	for i, a := range d.arguments {
		names[i] = a.name
	}
	e := &Diagnostic{Code: source.WrongArgumentCount, Span: d.info.Pos,
		Message: fmt.Sprintf("%s was called with %d arguments, expected %d", d.Name(), found, len(names))}
	return ErrorList{e.WithHelp("pass the inputs, then the outputs: %s", strings.Join(names, ", "))}
}
