package evaluator

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/tensor"
)

// load loads a text of loops whose parameters are these words.
func load(t *testing.T, text string, words ...plan.Word) device.Code {
	t.Helper()
	code, err := tryLoad(t, text, words...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := code.Close(); err != nil {
			t.Error(err)
		}
	})
	return code
}

func tryLoad(t *testing.T, text string, words ...plan.Word) (device.Code, error) {
	t.Helper()
	d, err := Driver().Open(t.Context(), device.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	object, err := d.Compile(t.Context(), &target.Module{Code: text, Symbol: "k"}, device.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := &plan.Plan{Name: "k"}
	if f, err := loop.Parse(source.NewFile("k", text)); err != nil {
		p.Launches = []plan.Launch{{Symbol: "k", Words: words}} // as if it could be read
	} else {
		p.AddLaunches(f, "k", words)
	}
	for _, w := range words {
		if w.Tensor != "" {
			p.Arguments = append(p.Arguments, plan.Argument{Name: w.Tensor})
		}
	}
	return d.Load(t.Context(), object, p)
}

// newCall makes a call with arguments, and the values of words that are numbers.
func newCall(code device.Code, numbers []int64, arguments ...*tensor.Tensor) *device.Call {
	call := &device.Call{Block: append(make([]int64, loop.HeaderWords), numbers...), Arguments: arguments}
	code.Prepare(call)
	return call
}

// TestSeveralGrids: a program of several launches runs as one.
func TestSeveralGrids(t *testing.T) {
	code := load(t, `kernel "k" workspace 0 {
  buffer a int32[2] argument
  buffer b int32[2] argument
  params a, b
  grid groups g = 2 items item = 1 {
    store a[g] = int32(1)
  }
  grid groups g_1 = 2 items item_1 = 1 {
    store b[g_1] = a[g_1] + int32(2)
  }
}
`, plan.Word{Tensor: "a"}, plan.Word{Tensor: "b"})
	a, b := tensor.Must(tensor.New(tensor.Int32, 2)), tensor.Must(tensor.New(tensor.Int32, 2))
	run(t, code, newCall(code, []int64{0, 0}, a, b))
	if got := values(b); !slices.Equal(got, []int64{3, 3}) {
		t.Errorf("got %v", got)
	}
}

func run(t *testing.T, code device.Code, call *device.Call) {
	t.Helper()
	if completion, err := code.Launch(t.Context(), nil, call); err != nil || completion != nil {
		t.Fatalf("the launch gives %v, %v", completion, err)
	}
}

func numbers(t *testing.T, count int) *tensor.Tensor {
	t.Helper()
	x := tensor.Must(tensor.New(tensor.Int32, count))
	for i := range count {
		x.SetInt(int64(i), i)
	}
	return x
}

func values(x *tensor.Tensor) (list []int64) {
	for offset := range x.Offsets() {
		list = append(list, x.IntAt(offset))
	}
	return list
}

var two = []plan.Word{{Tensor: "A"}, {Tensor: "B"}}

const stridesText = `kernel "k" workspace 0 {
  buffer A int32[7] argument low -6 readonly
  buffer B int32[10] argument
  params A, B
  for i = 0 .. 4 step 1 {
    store B[i * 3] = A[i * -2] * int32(10)
  }
}
`

// TestStrides runs over every second element from the last one on, and writes every third.
func TestStrides(t *testing.T) {
	code := load(t, stridesText, two...)
	a := tensor.Must(numbers(t, 12).Slice(0, 10, 2, -2))
	whole := numbers(t, 11)
	b := tensor.Must(whole.Slice(0, 1, 11, 3))
	run(t, code, newCall(code, make([]int64, 2), a, b))
	if got := values(b); !slices.Equal(got, []int64{100, 80, 60, 40}) {
		t.Errorf("B is %v", got)
	}
	if got := values(whole); !slices.Equal(got, []int64{0, 100, 2, 3, 80, 5, 6, 60, 8, 9, 40}) {
		t.Errorf("what lies around B is %v", got)
	}
}

const faultText = `kernel "k" workspace 0 {
  buffer A int32[4] argument readonly
  buffer B int32[4] argument
  params A, B
  site "X" 0 [0, 9) "X"
  site "Y" 0 [0, 3) "Y"
  for i = 0 .. 4 step 1 {
    check A[i] < int32(3), 1, i * 11
    store B[i] = A[i] + int32(5)
  }
}
`

// TestFault: a failed test leaves its number, from 1 on, and its value; a stream goes on behind it.
func TestFault(t *testing.T) {
	code := load(t, faultText, two...)
	b := numbers(t, 4)
	call := newCall(code, make([]int64, 2), numbers(t, 4), b)
	if _, err := code.Launch(t.Context(), nil, call); err != device.ErrFault || call.Fault != [2]int64{2, 33} {
		t.Errorf("the launch gives %v and the fault %v", err, call.Fault)
	}
	if got := values(b); !slices.Equal(got, []int64{5, 6, 7, 3}) {
		t.Errorf("B is %v: what was computed before the test stays", got)
	}
	d, err := Driver().Open(t.Context(), device.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	stream, last := d.NewStream(), numbers(t, 4)
	failed, err := code.Launch(t.Context(), stream, call)
	if err != nil {
		t.Fatal(err)
	}
	completion, err := code.Launch(t.Context(), stream, newCall(code, make([]int64, 2), tensor.Must(numbers(t, 4).Slice(0, 0, 1, 1)), last))
	if err != nil {
		t.Fatal(err)
	}
	_ = completion.Wait(t.Context())
	if !failed.Done() {
		t.Error("a launch ended before one that stands before it in the stream")
	}
	if err := stream.Wait(t.Context()); !errors.Is(err, device.ErrFault) {
		t.Errorf("the stream gives %v", err)
	}
	if err := stream.Close(); err != nil {
		t.Error(err)
	}
}

const packedText = `kernel "k" workspace 64 {
  var p int64
  buffer A int32[2] argument readonly
  buffer B int32[2] argument
  buffer W int32[2] workspace at 0 kept
  params A, p "packed A", B
  for i = 0 .. 2 step 1 {
    if p == 0 {
      store W[i] = A[i] * int32(2)
    }
    store B[i] = W[i]
  }
}
`

// TestPacked: a call finds in the workspace what the one before left there, where its word says so.
func TestPacked(t *testing.T) {
	code := load(t, packedText, plan.Word{Tensor: "A"}, plan.Word{Packed: "A"}, plan.Word{Tensor: "B"})
	a, b := numbers(t, 2), numbers(t, 2)
	call := newCall(code, make([]int64, 3), a, b)
	call.Workspace = tensor.Must(tensor.New(tensor.Uint8, 64))
	for n, step := range []struct {
		packed int64
		want   []int64
	}{{0, []int64{0, 2}}, {1, []int64{0, 2}}, {0, []int64{14, 2}}, {1, []int64{14, 2}}} {
		call.Block[loop.HeaderWords+1] = step.packed
		run(t, code, call)
		if got := values(b); !slices.Equal(got, step.want) {
			t.Errorf("call %d: B is %v, expected %v", n, got, step.want)
		}
		a.SetInt(7, 0)
	}
	call.Workspace = tensor.Must(tensor.New(tensor.Uint8, 63))
	var internal *source.InternalError
	if _, err := code.Launch(t.Context(), nil, call); !errors.As(err, &internal) || !strings.Contains(err.Error(), "63 bytes") {
		t.Errorf("a workspace that is too small: %v", err)
	}
}

const longText = `kernel "k" workspace 0 {
  buffer A int32[1] argument
  params A
  for i = 0 .. 1000000000000 step 1 {
    store A[0] = A[0] + int32(1)
  }
}
`

// TestCancel ends what would take hours.
func TestCancel(t *testing.T) {
	code := load(t, longText, plan.Word{Tensor: "A"})
	ctx, cancel := context.WithCancel(t.Context())
	call := newCall(code, make([]int64, 1), numbers(t, 1))
	stream := device.NewQueue()
	completion, err := code.Launch(ctx, stream, call)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := completion.Wait(t.Context()); err != context.Canceled {
		t.Errorf("a launch that was cancelled gives %v", err)
	}
	if _, err := code.Launch(ctx, nil, call); err != context.Canceled {
		t.Errorf("a launch with a cancelled context gives %v", err)
	}
}

// TestUnfit: what is no program, or does not fit its plan, is a defect that names the kernel.
func TestUnfit(t *testing.T) {
	for _, test := range []struct {
		name, text string
		words      []plan.Word
	}{
		{"no program", "kernel {", two},
		{"a word too few", stridesText, two[:1]},
	} {
		var internal *source.InternalError
		if _, err := tryLoad(t, test.text, test.words...); !errors.As(err, &internal) || !strings.Contains(err.Error(), " k") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	turned := tensor.Must(numbers(t, 12).Slice(0, 10, 2, -2))
	for _, test := range []struct {
		name  string
		words []plan.Word
		a, b  *tensor.Tensor
	}{
		{"a buffer without an argument", []plan.Word{{Tensor: "A"}, {Size: "N"}}, turned, nil},
		{"an argument that begins elsewhere", two, numbers(t, 12), numbers(t, 10)},
		{"an argument that ends before its buffer", two, turned, numbers(t, 9)},
	} {
		code := load(t, stridesText, test.words...)
		var internal *source.InternalError
		if _, err := code.Launch(t.Context(), nil, newCall(code, make([]int64, 2), test.a, test.b)); !errors.As(err, &internal) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if _, err := (evaluator{}).Compile(t.Context(), &target.Module{}, device.CompileOptions{Assembly: true}); err == nil {
		t.Error("the evaluator has assembly text")
	}
}
