package tensor

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// An operation is what a user can do with a tensor, with choices that depend on
// the generator alone. It returns what can be seen of it.
type operation func(c *rand.Rand, x *Tensor) (any, error)

// sameOperations do the same on foreign memory as on the host's.
var sameOperations = map[string]operation{
	"DType":        func(_ *rand.Rand, x *Tensor) (any, error) { return x.DType(), nil },
	"Shape":        func(_ *rand.Rand, x *Tensor) (any, error) { return x.Shape(), nil },
	"Strides":      func(_ *rand.Rand, x *Tensor) (any, error) { return x.Strides(), nil },
	"Rank":         func(_ *rand.Rand, x *Tensor) (any, error) { return x.Rank(), nil },
	"Len":          func(_ *rand.Rand, x *Tensor) (any, error) { return x.Len(), nil },
	"IsContiguous": func(_ *rand.Rand, x *Tensor) (any, error) { return x.IsContiguous(), nil },
	"Dim":          perDimension(func(x *Tensor, dim int) any { return x.Dim(dim) }),
	"Stride":       perDimension(func(x *Tensor, dim int) any { return x.Stride(dim) }),
	"Offset":       func(c *rand.Rand, x *Tensor) (any, error) { return x.Offset(anIndex(c, x)...), nil },
	"Offsets":      func(_ *rand.Rand, x *Tensor) (any, error) { return slices.Collect(x.Offsets()), nil },
	"String":       func(_ *rand.Rand, x *Tensor) (any, error) { return x.String(), nil },
	"Close": func(_ *rand.Rand, x *Tensor) (any, error) {
		err := x.Close()
		return []any{x.Len(), x.DType(), x.String()}, err
	},
	"Slice": func(c *rand.Rand, x *Tensor) (any, error) {
		return view(x.Slice(c.IntN(3), c.IntN(4), c.IntN(4), c.IntN(3)-1))
	},
	"Select":    func(c *rand.Rand, x *Tensor) (any, error) { return view(x.Select(c.IntN(3), c.IntN(4))) },
	"Transpose": func(c *rand.Rand, x *Tensor) (any, error) { return view(x.Transpose(c.Perm(c.IntN(4))...)) },
	"Broadcast": func(c *rand.Rand, x *Tensor) (any, error) {
		return view(x.Broadcast(append([]int{c.IntN(3)}, x.shape...)...))
	},
	"Reshape": func(c *rand.Rand, x *Tensor) (any, error) {
		n := c.IntN(3) + 1
		return view(x.Reshape(n, x.Len()/n))
	},
	"Strided": func(c *rand.Rand, x *Tensor) (any, error) {
		if _, err := x.Strided(Int16, 0, nil, nil); err == nil && x.dtype != Uint8 {
			return nil, errors.New("other elements over those of " + x.dtype.String())
		}
		bytes, err := x.Convert(Uint8)
		if err != nil {
			return nil, err
		}
		defer bytes.Close()
		return view(bytes.Strided(aType(c), c.IntN(9)-1, []int{c.IntN(3), c.IntN(3)}, []int{c.IntN(7) - 3, c.IntN(7) - 3}))
	},
	"Clone":    func(_ *rand.Rand, x *Tensor) (any, error) { return owned(x.Clone()) },
	"ToHost":   func(_ *rand.Rand, x *Tensor) (any, error) { return owned(x.ToHost()) },
	"To":       func(_ *rand.Rand, x *Tensor) (any, error) { return owned(x.To(x.Memory())) },
	"Convert":  func(c *rand.Rand, x *Tensor) (any, error) { return owned(x.Convert(aType(c))) },
	"CopyFrom": writing(func(c *rand.Rand, x *Tensor) error { return x.CopyFrom(another(c, x.shape)) }),
	"CopyFrom itself": writing(func(_ *rand.Rand, x *Tensor) error {
		if x.Rank() == 0 {
			return nil
		}
		back, err := x.Slice(0, x.Dim(0)-1, -1, -1)
		if err != nil {
			return err
		}
		return x.CopyFrom(back)
	}),
	"CopyFrom to the host": func(c *rand.Rand, x *Tensor) (any, error) {
		to := another(c, x.shape)
		return to, to.CopyFrom(x)
	},
	"FillRandom": writing(func(c *rand.Rand, x *Tensor) error { FillRandom(x, c.Uint64()); return nil }),
	"FillIota":   writing(func(_ *rand.Rand, x *Tensor) error { FillIota(x); return nil }),
	"FillConst":  writing(func(c *rand.Rand, x *Tensor) error { FillConst(x, float64(c.IntN(1000)-500)); return nil }),
	"Equal": func(c *rand.Rand, x *Tensor) (any, error) {
		return []bool{Equal(x, x), Equal(another(c, x.shape), x), Equal(x, another(c, x.shape))}, nil
	},
	"AllClose": func(c *rand.Rand, x *Tensor) (any, error) {
		ok, where := AllClose(x, another(c, x.shape), 0.1, 1)
		ok2, where2 := AllClose(another(c, x.shape), x, 0.1, 1)
		return fmt.Sprint(ok, where, ok2, where2), nil
	},
	"ToSlice": func(_ *rand.Rand, x *Tensor) (any, error) { return ToSlice[int16](x) },
	"Must":    func(_ *rand.Rand, x *Tensor) (any, error) { return Must(x, nil) == x, nil },
	"Format": func(c *rand.Rand, x *Tensor) (any, error) {
		var b bytes.Buffer
		o := DefaultFormat()
		o.Threshold, o.EdgeItems = c.IntN(20), c.IntN(3)
		err := Format(&b, x, o)
		return b.String(), err
	},
	"WriteNPY": func(_ *rand.Rand, x *Tensor) (any, error) {
		var b bytes.Buffer
		err := WriteNPY(&b, x)
		return b.Bytes(), err
	},
	"WriteNPZ": func(_ *rand.Rand, x *Tensor) (any, error) {
		var b bytes.Buffer
		err := WriteNPZ(&b, map[string]*Tensor{"x": x})
		return b.Bytes(), err
	},
	"WriteSafetensors": func(_ *rand.Rand, x *Tensor) (any, error) {
		var b bytes.Buffer
		err := WriteSafetensors(&b, map[string]*Tensor{"x": x, "y": x}, nil)
		return b.Bytes(), err
	},
	"NewImage": func(_ *rand.Rand, x *Tensor) (any, error) {
		var b bytes.Buffer
		err := WriteNRRD(&b, NewImage(x), NRRDLayout{})
		return b.Bytes(), err
	},
	"WritePNG": func(_ *rand.Rand, x *Tensor) (any, error) {
		var b bytes.Buffer
		err := WritePNG(&b, x)
		return b.Bytes(), err
	},
	"Save": func(_ *rand.Rand, x *Tensor) (any, error) {
		return saved(".npy", func(path string) error { return Save(path, x) })
	},
	"SaveText": func(_ *rand.Rand, x *Tensor) (any, error) {
		if x.Rank() != 1 && x.Rank() != 2 {
			return nil, nil
		}
		return saved(".txt", func(path string) error { return SaveText(path, x) })
	},
	"SaveAll": func(_ *rand.Rand, x *Tensor) (any, error) {
		return saved(".safetensors", func(path string) error { return SaveAll(path, map[string]*Tensor{"x": x}) })
	},
	// It moves only what FromPointer has made.
	"Retarget": func(_ *rand.Rand, x *Tensor) (any, error) { return x.Retarget(nil, x.shape...), nil },
}

// otherOperations say where the elements are.
var otherOperations = []string{"Device", "Memory", "Address"}

// refusedOperations are an error on foreign memory: they are about one element,
// or an address.
var refusedOperations = map[string]operation{
	"Data":       func(_ *rand.Rand, x *Tensor) (any, error) { return anyData(x) },
	"Pointer":    func(_ *rand.Rand, x *Tensor) (any, error) { return x.Pointer(), nil },
	"Int":        perElement(func(x *Tensor, i []int) { x.Int(i...) }),
	"Uint":       perElement(func(x *Tensor, i []int) { x.Uint(i...) }),
	"Float":      perElement(func(x *Tensor, i []int) { x.Float(i...) }),
	"Bits":       perElement(func(x *Tensor, i []int) { x.Bits(i...) }),
	"SetInt":     perElement(func(x *Tensor, i []int) { x.SetInt(1, i...) }),
	"SetUint":    perElement(func(x *Tensor, i []int) { x.SetUint(1, i...) }),
	"SetFloat":   perElement(func(x *Tensor, i []int) { x.SetFloat(1, i...) }),
	"SetBits":    perElement(func(x *Tensor, i []int) { x.SetBits(1, i...) }),
	"IntAt":      perElement(func(x *Tensor, i []int) { x.IntAt(x.Offset(i...)) }),
	"UintAt":     perElement(func(x *Tensor, i []int) { x.UintAt(x.Offset(i...)) }),
	"FloatAt":    perElement(func(x *Tensor, i []int) { x.FloatAt(x.Offset(i...)) }),
	"BitsAt":     perElement(func(x *Tensor, i []int) { x.BitsAt(x.Offset(i...)) }),
	"SetIntAt":   perElement(func(x *Tensor, i []int) { x.SetIntAt(x.Offset(i...), 1) }),
	"SetUintAt":  perElement(func(x *Tensor, i []int) { x.SetUintAt(x.Offset(i...), 1) }),
	"SetFloatAt": perElement(func(x *Tensor, i []int) { x.SetFloatAt(x.Offset(i...), 1) }),
	"SetBitsAt":  perElement(func(x *Tensor, i []int) { x.SetBitsAt(x.Offset(i...), 1) }),
}

func perDimension(f func(x *Tensor, dim int) any) operation {
	return func(_ *rand.Rand, x *Tensor) (any, error) {
		var all []any
		for dim := range x.Rank() {
			all = append(all, f(x, dim))
		}
		return all, nil
	}
}

func perElement(f func(x *Tensor, index []int)) operation {
	return func(c *rand.Rand, x *Tensor) (any, error) {
		f(x, anIndex(c, x))
		return nil, nil
	}
}

func anIndex(c *rand.Rand, x *Tensor) []int {
	index := make([]int, x.Rank())
	for dim := range index {
		index[dim] = c.IntN(max(1, x.Dim(dim)))
	}
	return index
}

func aType(c *rand.Rand) DType { return DTypes()[c.IntN(len(DTypes()))] }

// another returns a tensor on the host, of any type and with gaps.
func another(c *rand.Rand, shape []int) *Tensor {
	x := Must(New(aType(c), append(slices.Clone(shape), 2)...))
	FillRandom(x, c.Uint64())
	return Must(x.Select(len(shape), c.IntN(2)))
}

// A result is a tensor, and whether it has memory of its own.
type result struct {
	x      *Tensor
	device string
	own    bool
}

func view(x *Tensor, err error) (any, error)  { return tensorResult(x, err, false) }
func owned(x *Tensor, err error) (any, error) { return tensorResult(x, err, true) }

func tensorResult(x *Tensor, err error, own bool) (any, error) {
	if err != nil {
		return nil, err
	}
	return result{x, x.Device(), own}, nil
}

// writing returns what the tensor and its neighbours are afterwards.
func writing(f func(c *rand.Rand, x *Tensor) error) operation {
	return func(c *rand.Rand, x *Tensor) (any, error) {
		err := f(c, x)
		return x, err
	}
}

func saved(extension string, save func(path string) error) (any, error) {
	directory, err := os.MkdirTemp("", "foreign")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "x"+extension)
	if err := save(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

func anyData(x *Tensor) (any, error) {
	switch x.dtype {
	case Float32:
		return Data[float32](x)
	case Int8:
		return Data[int8](x)
	}
	if x.Memory() == nil {
		return nil, nil
	}
	return nil, x.foreignError()
}

// observe runs an operation and writes down what it shows: a result, an error or
// a panic.
func observe(r *rapid.T, o operation, seed uint64, x *Tensor) (text string, err error) {
	var value any
	func() {
		defer func() {
			if p := recover(); p != nil {
				panicked, is := p.(error)
				if !is {
					r.Fatalf("a panic with %T %v", p, p)
				}
				err = fmt.Errorf("a panic: %w", panicked)
			}
		}()
		value, err = o(rand.New(rand.NewPCG(seed, 0)), x)
	}()
	switch v := value.(type) {
	case *Tensor:
		value = bitsText(r, v)
	case result:
		if v.own && !v.x.IsContiguous() {
			r.Fatalf("strides %v of shape %v are not dense", v.x.strides, v.x.shape)
		}
		value = bitsText(r, v.x)
		if err := v.x.Close(); err != nil {
			r.Fatal(err)
		}
	}
	return fmt.Sprintf("%v\n%v", value, err), err
}

// bitsText has everything that can be told from a tensor.
func bitsText(r *rapid.T, x *Tensor) string {
	host, err := x.onHost()
	if err != nil {
		r.Fatal(err)
	}
	defer x.giveUp(host)
	text := fmt.Sprint(x.dtype, x.shape)
	for offset := range host.Offsets() {
		text += fmt.Sprintf(" %x", host.BitsAt(offset))
	}
	return text
}

// Every operation of the package does the same on foreign memory, or is refused.
func TestForeignOperations(t *testing.T) {
	for name, o := range sameOperations {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				d := newDevice("toy:3")
				host, f, giveUp := drawTwins(r, d)
				seed := rapid.Uint64().Draw(r, "seed")
				want, _ := observe(r, o, seed, host)
				if got, _ := observe(r, o, seed, f); got != want {
					r.Fatalf("host    %s\nforeign %s", want, got)
				}
				if giveUp(); d.open != 0 {
					r.Fatalf("%d memories are open", d.open)
				}
			})
		})
	}
	for name, o := range refusedOperations {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				_, f, giveUp := drawTwins(r, newDevice("toy:3"))
				defer giveUp()
				_, err := observe(r, o, 0, f)
				var refused *ForeignError
				switch is := errors.As(err, &refused); {
				case !is && f.Len() == 0: // no index is that of an element
					if err == nil || !strings.Contains(err.Error(), "of shape") {
						r.Fatal(err)
					}
				case !is || refused.Device != "toy:3" || !slices.Equal(refused.Shape, f.shape) || refused.DType != f.dtype:
					r.Fatal(err)
				}
			})
		})
	}
}

// The tables above have all that is exported and takes a tensor.
func TestForeignOperationsAreAll(t *testing.T) {
	files := token.NewFileSet()
	entries, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, name := range entries {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			f, is := declaration.(*ast.FuncDecl)
			if !is || !f.Name.IsExported() || !takesTensor(f) {
				continue
			}
			count++
			_, same := sameOperations[f.Name.Name]
			_, refused := refusedOperations[f.Name.Name]
			if !same && !refused && !slices.Contains(otherOperations, f.Name.Name) {
				t.Errorf("%s has no row that says what it does on foreign memory", f.Name.Name)
			}
		}
	}
	if count < 50 {
		t.Errorf("%d functions were found", count)
	}
}

// takesTensor reports whether the receiver or a parameter mentions *Tensor.
func takesTensor(f *ast.FuncDecl) (takes bool) {
	look := func(n ast.Node) bool {
		if star, is := n.(*ast.StarExpr); is {
			if name, is := star.X.(*ast.Ident); is && name.Name == "Tensor" {
				takes = true
			}
		}
		return true
	}
	if f.Recv != nil {
		ast.Inspect(f.Recv, look)
	}
	ast.Inspect(f.Type.Params, look)
	return takes
}

// What is refused says where the elements are and what to do.
func TestForeignErrorText(t *testing.T) {
	x := on(t, newDevice("cuda:0"), iotaTensor(t, Float32, 2, 3))
	want := "the elements of this float32 tensor of shape [2 3] are on cuda:0, where the host cannot access them; ToHost makes a copy that it can"
	if _, err := Data[float32](x); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	for name, use := range map[string]func(){"Float": func() { x.Float(0, 0) }, "SetInt": func() { x.SetInt(1, 0, 0) }, "Pointer": func() { x.Pointer() }} {
		if err := caught(use); err == nil || err.Error() != "tensor: "+want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := caught(func() { x.Float(2, 0) }); err == nil || err.Error() != "tensor: index [2 0] of shape [2 3]" {
		t.Errorf("an index out of range: %v", err)
	}
	closed := must(t)(New(Int8, 1))
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := caught(func() { closed.BitsAt(0) }); err == nil || err.Error() != "tensor: the tensor is closed" {
		t.Errorf("a closed tensor: %v", err)
	}
	empty := must(t)(FromPointer(Int8, unsafe.Pointer(nil), []int{0}, nil))
	if err := caught(func() { empty.BitsAt(0) }); err == nil || err.Error() != "tensor: an element of shape [0], which has none" {
		t.Errorf("an empty tensor: %v", err)
	}
}
