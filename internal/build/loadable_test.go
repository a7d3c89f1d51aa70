package build_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/examples"
	"github.com/ricci-lang/ricci/internal/abi"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// The structs of ricci.h.
type (
	dlTensor struct {
		data       unsafe.Pointer
		device, _  int32
		rank       int32
		code, bits uint8
		lanes      uint16
		shape      *int64
		strides    *int64
		_          uint64 // byte_offset
	}
	ricciCall struct {
		bytes               uint32
		count               int32
		arguments           **dlTensor
		flags               *uint8
		sizes               *int64
		stream              uintptr
		threads             int32
		messageBytes        uint32
		message             *byte
		argument, dimension int32
		guards              int64
	}
)

// load loads the libraries of a function, which stay loaded.
func load(t *testing.T, l *ricci.Library) host.Function {
	t.Helper()
	var library *host.Library
	for _, path := range l.Libraries {
		data, err := os.ReadFile(path)
		if err == nil {
			library, err = host.OpenBytes(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	f, err := library.Function(l.Symbol)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// callOn calls a function on tensors, and returns its code and its message.
func callOn(f host.Function, list []*tensor.Tensor, sizes []int64) (int32, string) {
	var pin runtime.Pinner
	defer pin.Unpin()
	arguments := make([]*dlTensor, len(list))
	for i, x := range list {
		code, bits := abi.TypeOf(x.DType())
		d := &dlTensor{data: x.Pointer(), device: 1, rank: int32(x.Rank()), code: uint8(code), bits: uint8(bits), lanes: 1}
		shape, strides := make([]int64, x.Rank()+1), make([]int64, x.Rank()+1)
		for k := range x.Rank() {
			shape[k], strides[k] = int64(x.Dim(k)), int64(x.Stride(k))
		}
		d.shape, d.strides = &shape[0], &strides[0]
		pin.Pin(d)
		pin.Pin(d.shape)
		pin.Pin(d.strides)
		arguments[i] = d
	}
	message := make([]byte, 1000)
	call := &ricciCall{bytes: uint32(unsafe.Sizeof(ricciCall{})), count: int32(len(list)), arguments: &arguments[0], messageBytes: uint32(len(message)), message: &message[0], threads: 3}
	if len(sizes) > 0 {
		call.sizes = &sizes[0]
		pin.Pin(call.sizes)
	}
	pin.Pin(call.arguments)
	pin.Pin(call.message)
	pin.Pin(call)
	code := f.Call((*int64)(unsafe.Pointer(call)))
	text, _, _ := strings.Cut(string(message), "\x00")
	runtime.KeepAlive(list)
	return code, text
}

// TestExamples calls the defs of the examples by their libraries, for constant sizes and for open ones, and asks the reference
// evaluator about the results.
func TestExamples(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc: apt-get install gcc")
	}
	defs := exampleDefs(t)
	called := map[bool]int{}
	// Of these, sizes follow from products of others, and from outputs alone.
	odd := slices.DeleteFunc(slices.Clone(defs), func(d *ricci.Def) bool { return d.Name() != "mcc_any_stride" && d.Name() != "mandelbrot_steps" })
	for i, d := range append(odd, sweep.Some(t, defs, 145)...) {
		for _, open := range []bool{false, true} {
			if open && i >= len(odd) && i%3 != 0 { // most take long to prove
				continue
			}
			if callExample(t, d, open) {
				called[open]++
			}
		}
	}
	if t.Logf("called: %v of %d", called, len(defs)); called[false] < 4 || called[true] < 2 {
		t.Error("too few were called")
	}
}

// exampleDefs lists the defs of the examples.
func exampleDefs(t *testing.T) []*ricci.Def {
	t.Helper()
	var defs []*ricci.Def
	err := examples.Each(func(path, text string) error {
		program, err := ricci.Parse(filepath.Join("../../examples", path), text)
		if err != nil {
			return err
		}
		for _, d := range program.Defs() {
			if d.Span().File != nil && strings.HasSuffix(d.Span().File.Name, path) {
				defs = append(defs, d)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return defs
}

// callExample calls a def with sizes between 1 and some; false where none fit, or the def is not for them.
func callExample(t *testing.T, d *ricci.Def, open bool) bool {
	t.Helper()
	arguments := someArguments(d)
	if arguments == nil {
		return false
	}
	signature, err := d.SignatureOf(arguments.Args)
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range arguments.Sizes {
		signature.Sizes[name] = n
	}
	options := ricci.Options{Threads: 3}
	if open {
		for _, s := range d.Sizes() {
			options.Dynamic = append(options.Dynamic, s.Name)
		}
	}
	l, err := d.Library(t.Context(), signature, options, t.TempDir())
	if err != nil {
		if !open {
			t.Errorf("%s: %v", d, err)
		}
		return false // not proved for all sizes
	}
	var descriptor struct {
		Arguments []struct{ Name, Role string }
		Sizes     []struct {
			Name  string
			Given bool
		}
	}
	if err := json.Unmarshal(l.Descriptor, &descriptor); err != nil {
		t.Fatal(err)
	}
	sizes, err := d.SizesFor(signature)
	if err != nil {
		t.Fatal(err)
	}
	shapes, err := d.OutputShapes(signature.Shapes, signature.Sizes)
	if err != nil {
		t.Fatal(err)
	}
	var list []*tensor.Tensor
	outputs := map[string]*tensor.Tensor{}
	for _, a := range descriptor.Arguments {
		x := arguments.Args[a.Name]
		if a.Role != "in" {
			p := d.Outputs()[slices.IndexFunc(d.Outputs(), func(p ricci.Param) bool { return p.Name == a.Name })]
			y := tensor.Must(tensor.New(p.DType, shapes[a.Name]...))
			if x != nil {
				if err := y.CopyFrom(x); err != nil {
					t.Fatal(err)
				}
			}
			outputs[a.Name], x = y, y
		}
		list = append(list, x)
	}
	var given []int64
	for _, s := range descriptor.Sizes {
		if s.Given {
			given = append(given, sizes[s.Name])
		}
	}
	if code, message := callOn(load(t, l), list, given); code != 0 {
		t.Errorf("%s with %v, open: %v: %d: %s", d, sizes, open, code, message)
		return true
	}
	if _, err := d.Check(t.Context(), arguments.Args, outputs, signature.Sizes); err != nil {
		t.Errorf("%s with %v, open: %v: %v", d, sizes, open, err)
	}
	return true
}

// someArguments finds sizes that a def takes, and arrays for them.
func someArguments(d *ricci.Def) *argument.Arguments {
	for try := range 60 {
		sizes := map[string]int64{}
		for i, s := range d.Sizes() {
			sizes[s.Name] = int64(1 + (try*(i+3)+5*i)%11)
		}
		if d.CheckSizes(sizes) != nil {
			continue
		}
		a, err := argument.Resolve(d, argument.Request{Sizes: sizes, Seed: 7})
		if err == nil {
			return a
		}
	}
	return nil
}
