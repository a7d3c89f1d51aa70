package ricci

import (
	"bytes"
	"fmt"
	"go/format"
	"go/token"
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

// goTypes are the types of elements in Go. 16-bit floats go by their bits.
var goTypes = map[tensor.DType]string{
	tensor.Bool: "bool",
	tensor.Int8: "int8", tensor.Int16: "int16", tensor.Int32: "int32", tensor.Int64: "int64",
	tensor.Uint8: "uint8", tensor.Uint16: "uint16", tensor.Uint32: "uint32", tensor.Uint64: "uint64",
	tensor.Float16: "uint16", tensor.BFloat16: "uint16",
	tensor.Float32: "float32", tensor.Float64: "float64",
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

// goNames are what parameters of the function must not be called.
var goNames = map[string]bool{
	"C": true, "Code": true, "ErrOverlap": true, "code": true, "elements": true, "want": true, "errors": true, "fmt": true, "unsafe": true,
	"overlap": true, "len": true, "int": true, "error": true, "nil": true, "bool": true, "_": true,
	"int8": true, "int16": true, "int32": true, "int64": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true,
	"float32": true, "float64": true,
}

// goArguments describes the parameters; numbers go by value.
func (l *library) goArguments() []goArgument {
	var list []goArgument
	taken, slots := map[string]bool{}, 0
	for _, p := range l.function.Parameters {
		a := goArgument{Name: goName(p.Name, taken), Type: goTypes[p.Type], Comment: p.Comment, Output: p.Written, Size: p.Kind == c.Size || p.Value != ""}
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
	t := l.def.info.Func.Tensor(name)
	if len(t.Dims) == 0 {
		return "a scalar"
	}
	list := make([]string, len(t.Dims))
	for i, d := range t.Dims {
		list[i] = d.Extent.Subst(l.known).String()
	}
	return strings.ReplaceAll("the shape ("+strings.Join(list, ", ")+")", "%", "%%")
}

// goName chooses a name that means nothing else in the function.
func goName(name string, taken map[string]bool) string {
	base := strings.NewReplacer("'", "", ".", "_").Replace(name)
	for _, name := range []string{base, strings.ToLower(base), base + "Arg"} {
		if !goNames[name] && !taken[name] && token.IsIdentifier(name) {
			taken[name] = true
			return name
		}
	}
	unique := fmt.Sprintf("arg%d", len(taken))
	taken[unique] = true
	return unique
}

// goPackageName has no underscores, as a file mm_linux.go is for Linux only.
func goPackageName(name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, "_", ""))
	if token.IsKeyword(name) || name == "main" || name == "parallel" || name == "init" {
		name += "def"
	}
	return name
}

// goFunctionName is MatMul for mat_mul.
func goFunctionName(name string) string {
	function := ""
	for _, part := range strings.Split(name, "_") {
		if part != "" {
			function += strings.ToUpper(part[:1]) + part[1:]
		}
	}
	if goNames[function] || strings.HasPrefix(function, "Err") {
		function += "Def" // what is declared next to it
	}
	return function
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
		"Signature": l.def.String(), "Arguments": arguments, "Slots": slots, "Codes": l.goCodes(),
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
		panic(source.Internalf("build", l.def.info.Pos, "the Go package: %w", err))
	}
	return text
}
