package call

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// The errors of calls of a kernel, in words.

// explain says why argument i was not accepted.
func (k *Kernel) explain(i int, t *tensor.Tensor) error {
	a := &k.arguments[i]
	if t == nil || t.DType() == tensor.Invalid {
		return unusable(k.def.Def, a.name, "is nil or closed")
	}
	if t.DType() != a.dtype {
		return wrongType(a.tensor, t.DType())
	}
	if !a.reaches(t) {
		return k.elsewhere(a, t)
	}
	d := &source.Diagnostic{Span: a.tensor.Pos}
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
		d.Help = wayOut(a.otherSizes(t), "another shape")
	case a.scalar != nil && t.Int() != *a.scalar:
		return k.otherSize(a.name, t.Int(), *a.scalar)
	default:
		d.Code = source.WrongStrides
		d.Message = fmt.Sprintf("%s has strides %v, but the kernel was compiled for %v", a.name, t.Strides(), a.strides)
		d.Help = "compile with this view as an example argument (CompileFor), or call RunNamed, which copies"
	}
	return source.ErrorList{d}
}

// elsewhere refuses a tensor whose elements the kernel cannot reach.
func (k *Kernel) elsewhere(a *argument, t *tensor.Tensor) error {
	if a.size {
		return sizeElsewhere(k.def, a.name, t)
	}
	where, help := "runs on this machine", "pass a copy made with ToHost, and copy results back with CopyFrom; or call with the opened device that gave the memory: Options.On"
	if k.native.allocator != nil {
		where = "works on that of " + k.native.on
		if k.native.on == t.Device() {
			where += " as it was opened another time"
		}
		help = "pass a copy in that memory, made with To and the Allocator of the kernel's device, or one on the host; or compile for the opened device that gave the memory: Options.On"
	}
	e := &source.Diagnostic{Code: source.UnusableArgument, Span: a.tensor.Pos, Message: "the argument " + a.name + " of " + k.def.Name + " is in the memory of the device " + t.Device() + ", and the kernel " + where}
	return source.ErrorList{e.WithHelp("%s", help)}
}

func (k *Kernel) otherSize(name string, found, compiled int64) error {
	d := &source.Diagnostic{Code: source.CompiledForOther, Span: k.def.Pos,
		Message: fmt.Sprintf("%s is %d, but the kernel was compiled for %d", name, found, compiled)}
	return source.ErrorList{d.WithHelp("%s", wayOut([]string{name}, "another value"))}
}

// wayOut says how to call a def with other sizes than those of a kernel.
func wayOut(sizes []string, other string) string {
	help := "call Def.RunInto with the same arguments, or Def.Run: they choose the kernel, and compile one for " + other
	if len(sizes) == 0 {
		return help
	}
	return fmt.Sprintf("%s; or compile one kernel for all values: Options{Dynamic: []string{\"%s\"}}", help, strings.Join(sizes, `", "`))
}

// otherSizes lists the sizes in the extents that a tensor, whose rank is right, does not have.
func (a *argument) otherSizes(t *tensor.Tensor) []string {
	symbols := map[string]bool{}
	for i, d := range a.tensor.Dims {
		if t.Dim(i) != a.shape[i] {
			d.Extent.Symbols(symbols)
		}
	}
	return slices.Sorted(maps.Keys(symbols))
}

func (d *Def) wrongCount(found int) error {
	names := make([]string, len(d.arguments))
	for i, a := range d.arguments {
		names[i] = a.name
	}
	e := &source.Diagnostic{Code: source.WrongArgumentCount, Span: d.Pos,
		Message: fmt.Sprintf("%s was called with %d arguments, expected %d", d.Name, found, len(names))}
	return source.ErrorList{e.WithHelp("pass the inputs, then the outputs: %s", strings.Join(names, ", "))}
}
