package ricci

import (
	"bytes"
	"fmt"
	"go/format"
	"runtime"
	"strings"
	"text/template"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// goTypes are the types of elements in Go and cgo. 16-bit floats go by their bits.
var goTypes = map[tensor.DType]struct{ golang, cgo string }{
	tensor.Bool:     {"bool", "uint8_t"},
	tensor.Int8:     {"int8", "int8_t"},
	tensor.Int16:    {"int16", "int16_t"},
	tensor.Int32:    {"int32", "int32_t"},
	tensor.Int64:    {"int64", "int64_t"},
	tensor.Uint8:    {"uint8", "uint8_t"},
	tensor.Uint16:   {"uint16", "uint16_t"},
	tensor.Uint32:   {"uint32", "uint32_t"},
	tensor.Uint64:   {"uint64", "uint64_t"},
	tensor.Float16:  {"uint16", "uint16_t"},
	tensor.BFloat16: {"uint16", "uint16_t"},
	tensor.Float32:  {"float32", "float"},
	tensor.Float64:  {"float64", "double"},
}

// goPackage is the text of a Go package around the C function. It checks what C
// cannot: the lengths of slices, and that outputs have memory of their own.
var goPackage = template.Must(template.New("package").Parse(`// Package {{.Package}} computes {{.Signature}}.
//
// It was made by Ricci and needs cgo with gcc; with clang, set
// CGO_CFLAGS="-fwrapv -fno-strict-aliasing -DRICCI_WRAPV".
package {{.Package}}

// #cgo CFLAGS: -O2 {{.Machine}} -fopenmp
// #cgo LDFLAGS: -lm -fopenmp
// #include "{{.Name}}.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// The errors of a call.
var (
	ErrOutOfBounds = errors.New("{{.Name}}: a subscript that depends on data is out of bounds")
	ErrMemory      = errors.New("{{.Name}}: no memory for temporaries")
	ErrValue       = errors.New("{{.Name}}: a number has another value than the code was made for")
	ErrOverlap     = errors.New("{{.Name}}: an output shares memory with another argument")
)

// {{.Function}} computes on dense row-major arrays; slices have exactly the
// number of elements that is stated.
//
{{.Describe}}func {{.Function}}({{range $i, $a := .Arguments}}{{if $i}}, {{end}}{{$a.Name}} {{$a.GoType}}{{end}}) error {
{{- range .Arguments}}{{if .Slice}}
	if len({{.Name}}) != {{.Elements}} {
		return fmt.Errorf("{{$.Name}}: {{.Name}} has %d elements, expected {{.Elements}} for the shape {{.Shape}}", len({{.Name}}))
	}
{{- end}}{{if .Fixed}}
	if {{.Name}} != {{.Value}} {
		return ErrValue
	}
{{- end}}{{end}}
{{- range $i, $o := .Arguments}}{{if $o.Output}}{{range $j, $a := $.Arguments}}{{if and $a.Slice (or (lt $j $i) (not $a.Output))}}
	if overlap({{$o.Name}}, {{$a.Name}}) {
		return ErrOverlap
	}
{{- end}}{{end}}{{end}}{{end}}
	switch C.{{.Name}}({{range $i, $a := .Arguments}}{{if $i}}, {{end}}{{$a.Pass}}{{end}}) {
	case 0:
		return nil
	case -1:
		return ErrMemory
	}
	return ErrOutOfBounds
}

func overlap[S, T any](a []S, b []T) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	low := func(p unsafe.Pointer) uintptr { return uintptr(p) }
	lowA, lowB := low(unsafe.Pointer(&a[0])), low(unsafe.Pointer(&b[0]))
	highA := lowA + uintptr(len(a))*unsafe.Sizeof(a[0])
	highB := lowB + uintptr(len(b))*unsafe.Sizeof(b[0])
	return lowA < highB && lowB < highA
}
`))

type goArgument struct {
	Name, GoType, Pass string
	Slice, Output      bool
	Elements           int64
	Shape              []int64
	Fixed              bool // a number with one possible value
	Value              int64
}

// goArguments describes the parameters; numbers go by value.
func (l *libraryText) goArguments() []goArgument {
	var list []goArgument
	for _, t := range l.arguments {
		kind := goTypes[t.Type]
		a := goArgument{Name: "arg" + identifier(t.Name), GoType: "[]" + kind.golang, Slice: true, Output: t.Role != ein.Input, Elements: 1, Shape: l.shapes[t.Name]}
		for _, n := range a.Shape {
			a.Elements *= n
		}
		a.Value, a.Fixed = l.fixed(t)
		address := "unsafe.SliceData(" + a.Name + ")"
		if !a.Output && len(t.Dims) == 0 {
			a.Slice, a.GoType, address = false, kind.golang, "&"+a.Name
		}
		a.Pass = fmt.Sprintf("(*C.%s)(unsafe.Pointer(%s))", kind.cgo, address)
		list = append(list, a)
	}
	return list
}

func (l *libraryText) goSource() []byte {
	machine := "-march=native"
	if runtime.GOARCH == "arm64" {
		machine = "-mcpu=native"
	}
	var b bytes.Buffer
	err := goPackage.Execute(&b, map[string]any{
		"Package": strings.ToLower(l.name), "Name": l.name, "Function": strings.ToUpper(l.name[:1]) + l.name[1:],
		"Signature": l.def.String(), "Machine": machine, "Describe": l.describe("//   "), "Arguments": l.goArguments(),
	})
	var text []byte
	if err == nil {
		text, err = format.Source(b.Bytes())
	}
	if err != nil {
		panic(source.Internalf("build", l.def.info.Pos, "the Go package: %w", err))
	}
	return text
}
