package opencl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/items"
	target_opencl "github.com/ricci-lang/ricci/internal/target/opencl"
	"github.com/ricci-lang/ricci/tensor"
)

// opened opens the first device; without one the test is skipped.
func opened(t testing.TB) *Device {
	t.Helper()
	d, err := Driver().Open(t.Context(), device.Settings{Strict: true})
	if err != nil {
		t.Skip("no device of OpenCL: ", err)
	}
	return d.(*Device)
}

// planOf is the plan of a program whose parameters are named after themselves.
func planOf(f *loop.Func, symbol string) *plan.Plan {
	p := &plan.Plan{Name: f.Name}
	var words []plan.Word
	for _, param := range f.Params {
		if param.Buffer == nil {
			words = append(words, plan.Word{Size: param.Var.Name})
			continue
		}
		words = append(words, plan.Word{Tensor: param.Buffer.Name})
		p.Arguments = append(p.Arguments, plan.Argument{Name: param.Buffer.Name})
	}
	for range f.Sites {
		p.Faults = append(p.Faults, plan.Fault{})
	}
	p.AddLaunches(f, symbol, words)
	return p
}

// run runs a program on words, which it changes, and returns the fault.
func run(ctx context.Context, d *Device, f *loop.Func, text string, words []loop.Word) (*loop.Fault, error) {
	symbol := items.Symbol(f.Name)
	object, err := d.Compile(ctx, &target.Module{Code: text, Symbol: symbol}, device.CompileOptions{})
	if err != nil {
		return nil, err
	}
	code, err := d.Load(ctx, object, planOf(f, symbol))
	if err != nil {
		return nil, err
	}
	defer code.Close()
	call := &device.Call{Block: make([]int64, loop.HeaderWords)}
	for i, p := range f.Params {
		call.Block = append(call.Block, words[i].Value)
		if p.Buffer == nil {
			continue
		}
		there, err := tensor.Must(tensor.FromSlice(words[i].Bytes, len(words[i].Bytes))).To(d.Allocator())
		if err != nil {
			return nil, err
		}
		defer there.Close()
		low := -int(p.Buffer.Low) * int(p.Buffer.Type.Elem.Size())
		view, err := there.Strided(tensor.Uint8, low, []int{len(words[i].Bytes) - low}, []int{1})
		if err != nil {
			return nil, err
		}
		call.Arguments = append(call.Arguments, view)
	}
	if f.Workspace > 0 {
		if call.Workspace, err = tensor.NewOn(d.Allocator(), tensor.Uint8, int(f.Workspace)); err != nil {
			return nil, err
		}
		defer call.Workspace.Close()
	}
	_, err = code.Launch(ctx, nil, call)
	var fault *loop.Fault
	if errors.Is(err, device.ErrFault) {
		fault, err = &loop.Fault{Site: int(call.Fault[0]) - 1, Value: call.Fault[1]}, nil
	}
	next := 0
	for i, p := range f.Params {
		if p.Buffer != nil && err == nil {
			low := -int64(p.Buffer.Low) * int64(p.Buffer.Type.Elem.Size())
			a := call.Arguments[next]
			err = a.Memory().Read(int64(a.Address()-a.Memory().Address())-low, words[i].Bytes)
			next++
		}
	}
	return fault, err
}

// TestRandomPrograms compares random programs of loops and of grids with the evaluator, bit for bit.
func TestRandomPrograms(t *testing.T) {
	d := opened(t)
	for _, kind := range []struct {
		name         string
		draw         func(looptest.Source, string) *loop.Func
		quick, sweep int
	}{{"loops", looptest.WithWhile, 6, 300}, {"grids", looptest.Grids, 8, 300}} {
		for n := range sweep.Draws(t, kind.quick, kind.sweep) {
			r := rand.New(rand.NewPCG(uint64(n), 11))
			f := kind.draw(r, fmt.Sprintf("%s%d", kind.name, n))
			text, err := (target_opencl.Target{}).Print(f, target.Options{Numerics: numerics.Strict})
			if err != nil {
				if lacks(f) {
					continue
				}
				t.Fatalf("%v\n%s", err, loop.Print(f))
			}
			compare(t, d, r, f, text.Code)
		}
	}
}

// lacks reports whether a program has what OpenCL C cannot say.
func lacks(f *loop.Func) bool {
	for _, k := range loop.KindsOf(f) {
		if !(target_opencl.Target{}).Expresses(k) {
			return true
		}
	}
	return false
}

func compare(t *testing.T, d *Device, r *rand.Rand, f *loop.Func, text string) {
	t.Helper()
	compareWith(t, d, looptest.Arguments(r, f), f, text)
}

func compareWith(t *testing.T, d *Device, words []loop.Word, f *loop.Func, text string) {
	t.Helper()
	want := clone(words)
	fault, err := loop.Evaluate(f, want)
	if err != nil {
		t.Fatalf("%v\n%s", err, loop.Print(f))
	}
	got := clone(words)
	gotFault, err := run(t.Context(), d, f, text, got)
	if err != nil {
		t.Fatalf("%s: %v\n%s", f.Name, err, text)
	}
	if (fault == nil) != (gotFault == nil) {
		t.Fatalf("%s: the fault is %v, and should be %v\n%s", f.Name, gotFault, fault, text)
	}
	if fault != nil {
		return // which items ran is not determined
	}
	for i, p := range f.Params {
		if p.Buffer != nil && !looptest.Same(p.Buffer.Type.Elem, got[i].Bytes, want[i].Bytes) {
			t.Fatalf("%s: buffer %s differs\n got %v\nwant %v\n%s\n%s", f.Name, p.Buffer.Name, got[i].Bytes, want[i].Bytes, loop.Print(f), text)
		}
	}
}

func clone(words []loop.Word) []loop.Word {
	list := append([]loop.Word(nil), words...)
	for i := range list {
		list[i].Bytes = bytes.Clone(list[i].Bytes)
	}
	return list
}
