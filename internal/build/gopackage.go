package build

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"
	"sync"
	"text/template"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target/c"
	"github.com/ricci-lang/ricci/tensor"
)

// The Go package calls the C function by cgo, which the go command compiles with
// whatever C compiler it finds: no file of Ricci and no library has to be found
// at run time. A package without cgo would have to load code that is compiled
// beforehand for one machine.

// goType is the type of elements in Go. 16-bit floats go by their bits.
func goType(t tensor.DType) string {
	if t.IsHalf() {
		return "uint16"
	}
	return t.String()
}

// goPackage is the text of a Go package around the C function. It checks what C
// cannot: the lengths of slices, and that outputs have memory of their own.
var goPackage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("package").Parse(`// Package {{.Package}} computes {{.Signature}}.
//
// It was made by Ricci and needs nothing of it. It is compiled by cgo with gcc;
// with clang, set
//
//	CGO_CFLAGS="-O2 -fwrapv -fno-strict-aliasing -DRICCI_WRAPV"
//
// On x86-64 it chooses among kernels for several levels of instructions when it is
// called for the first time; the environment variable RICCI_LEVEL names the best that
// it may choose. The code runs in
// parallel by OpenMP, whose environment variables apply (OMP_NUM_THREADS); build
// with the tag serial where the compiler has no OpenMP.
package {{.Package}}

// #cgo CFLAGS: -fno-strict-aliasing -Wno-psabi
// #cgo LDFLAGS: -lm
// #include "{{.File}}.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// A Code is an error of the C function.
type Code int

// Error says what is wrong.
func (code Code) Error() string { return "{{.Name}}: " + C.GoString(C.{{.Name}}_error(C.int(code))) }

// The codes.
const ({{range .Codes}}
	{{.Name}} Code = {{.Code}} // {{.Text}}{{end}}
)

// ErrOverlap is returned when an output shares memory with another argument.
var ErrOverlap = errors.New("{{.Name}}: an output shares memory with another argument")

// {{.Function}} computes on dense row-major arrays. A slice must have as many
// elements as the shape of its array.
//
{{range .Arguments}}//   - {{.Name}}: {{.Comment}}
{{end}}//
// It may be called from several goroutines at a time.
func {{.Function}}({{range $i, $a := .Arguments}}{{if $i}}, {{end}}{{$a.Name}} {{$a.Type}}{{end}}) error {
	var elements [{{.Slots}}]C.int64_t
	if code := C.{{.Name}}_elements({{range .Arguments}}{{if .Size}}{{.Pass}}, {{end}}{{end}}&elements[0]); code != 0 {
		return Code(code)
	}
{{- range .Arguments}}{{if .Slice}}
	if want := int(elements[{{.Slot}}]); len({{.Name}}) != want {
		return fmt.Errorf("{{$.Name}}: {{.Name}} has %d elements, expected %d for {{.Shape}}", len({{.Name}}), want)
	}
{{- end}}{{end}}
{{- range $i, $o := .Arguments}}{{if $o.Output}}{{range $j, $a := $.Arguments}}{{if and $a.Slice (or (lt $j $i) (not $a.Output))}}
	if overlap({{$o.Name}}, {{$a.Name}}) {
		return ErrOverlap
	}
{{- end}}{{end}}{{end}}{{end}}
	if code := C.{{.Name}}({{range $i, $a := .Arguments}}{{if $i}}, {{end}}{{$a.Pass}}{{end}}); code != 0 {
		return Code(code)
	}
	return nil
}

func overlap[S, T any](a []S, b []T) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	startA, startB := uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&b[0]))
	endA, endB := startA+uintptr(len(a))*unsafe.Sizeof(a[0]), startB+uintptr(len(b))*unsafe.Sizeof(b[0])
	return startA < endB && startB < endA
}
`))
})

// goParallel asks for OpenMP.
var goParallel = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("parallel").Parse(`//go:build !serial

// Made by Ricci.

package {{.Package}}

// #cgo CFLAGS: -fopenmp
// #cgo LDFLAGS: -fopenmp
import "C"
`))
})

type goArgument struct {
	Name, Type, Pass, Comment, Shape string
	Slice, Output, Size              bool
	Slot                             int // in the array of lengths
}

// goArguments describes the parameters; numbers go by value.
func (l *library) goArguments() []goArgument {
	var list []goArgument
	taken, slots := map[string]bool{}, 0
	for _, p := range l.function.Parameters {
		a := goArgument{Name: goName(p.Name, taken), Type: goType(p.Type), Comment: p.Comment, Output: p.Written, Size: p.Kind == c.Size || p.Value != ""}
		kind := "C." + c.PublicType(p.Type)
		switch {
		case p.Kind == c.Size:
			a.Type, a.Pass = "int", "C.int64_t("+a.Name+")"
		case p.Kind == c.Number:
			a.Pass = fmt.Sprintf("*(*%s)(unsafe.Pointer(&%s))", kind, a.Name)
		default:
			a.Slice, a.Slot, a.Type = true, slots, "[]"+a.Type
			a.Pass = fmt.Sprintf("(*%s)(unsafe.Pointer(unsafe.SliceData(%s)))", kind, a.Name)
			a.Shape = l.goShape(p.Name)
			slots++
		}
		list = append(list, a)
	}
	return list
}

// goShape names the shape of an array in a format string.
func (l *library) goShape(name string) string {
	t := l.def.Func.Tensor(name)
	if len(t.Dims) == 0 {
		return "a scalar"
	}
	list := make([]string, len(t.Dims))
	for i, d := range t.Dims {
		list[i] = d.Extent.Subst(l.known).String()
	}
	return strings.ReplaceAll("the shape ("+strings.Join(list, ", ")+")", "%", "%%")
}

// goSources returns the two files of the package.
func (l *library) goSources() (wrapper, parallel []byte) {
	arguments, slots := l.goArguments(), 1
	for _, a := range arguments {
		slots = max(slots, a.Slot+1)
	}
	function := goFunctionName(l.name)
	data := map[string]any{
		"Package": goPackageName(l.name), "File": l.file, "Name": l.name, "Function": function,
		"Signature": l.signature, "Arguments": arguments, "Slots": slots, "Codes": l.goCodes(),
	}
	return l.goFile(goPackage(), data), l.goFile(goParallel(), data)
}

type goCode struct {
	Name, Text string
	Code       int
}

// goCodes names the codes of the C function.
func (l *library) goCodes() []goCode {
	names := map[int]string{c.CodeMemory: "ErrMemory", c.CodeNull: "ErrNull", c.CodeSizes: "ErrSizes"}
	list := []goCode{}
	for _, code := range l.function.Codes() {
		name := names[code.Number]
		switch {
		case code.Number > 0:
			name = fmt.Sprintf("ErrBounds%d", code.Number)
		case name == "":
			name = fmt.Sprintf("ErrCondition%d", c.CodeSizes-code.Number)
		}
		list = append(list, goCode{Name: name, Code: code.Number, Text: strings.ReplaceAll(code.Text, "\n", " ")})
	}
	return list
}

func (l *library) goFile(t *template.Template, data any) []byte {
	var b bytes.Buffer
	err := t.Execute(&b, data)
	var text []byte
	if err == nil {
		text, err = format.Source(b.Bytes())
	}
	if err != nil {
		panic(source.Internalf("build", l.def.Pos, "the Go package: %w", err))
	}
	return text
}
