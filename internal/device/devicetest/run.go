// Package devicetest runs programs of loops on devices and compares what they compute: for tests of devices, and for the program that tests one where it is.
package devicetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/tensor"
)

// Lacks reports whether a program has what a target cannot say.
func Lacks(t target.Target, f *loop.Func) bool {
	for _, k := range loop.KindsOf(f) {
		if !t.Expresses(k) {
			return true
		}
	}
	return false
}

// Compare runs a module of a program on words, and evaluates it; the error says what differs.
func Compare(ctx context.Context, d device.Device, f *loop.Func, m *target.Module, words []loop.Word) error {
	return CompareBut(ctx, d, f, m, words, nil, nil)
}

// CompareBut is Compare but for some buffers, whose contents are judged by themselves if there are any.
func CompareBut(ctx context.Context, d device.Device, f *loop.Func, m *target.Module, words []loop.Word, free map[*loop.Buffer]bool, judge func([]loop.Word) error) error {
	want, got := Clone(words), Clone(words)
	fault, err := loop.Evaluate(f, want)
	if err != nil {
		return err
	}
	found, err := Run(ctx, d, f, m, got)
	switch {
	case err != nil:
		return err
	case (fault == nil) != (found == nil):
		return fmt.Errorf("the fault is %v, and should be %v", found, fault)
	case fault != nil:
		return nil // which items ran is not determined
	}
	judged := false
	for i, p := range f.Params {
		if p.Buffer == nil || looptest.Same(p.Buffer.Type.Elem, got[i].Bytes, want[i].Bytes) {
			continue
		}
		if !free[p.Buffer] {
			return fmt.Errorf("buffer %s differs\n got %v\nwant %v", p.Buffer.Name, got[i].Bytes, want[i].Bytes)
		}
		judged = true
	}
	if judged {
		return judge(got)
	}
	return nil
}

// Clone copies words with their bytes.
func Clone(words []loop.Word) []loop.Word {
	list := append([]loop.Word(nil), words...)
	for i := range list {
		list[i].Bytes = bytes.Clone(list[i].Bytes)
	}
	return list
}

// planOf is the plan of a program whose parameters are named after themselves.
func planOf(f *loop.Func, symbol string) *plan.Plan {
	p := &plan.Plan{Name: f.Name, Faults: make([]plan.Fault, len(f.Sites))}
	var words []plan.Word
	for _, param := range f.Params {
		if param.Buffer == nil {
			words = append(words, plan.Word{Size: param.Var.Name})
			continue
		}
		words = append(words, plan.Word{Tensor: param.Buffer.Name})
		p.Arguments = append(p.Arguments, plan.Argument{Name: param.Buffer.Name})
	}
	p.AddLaunches(f, symbol, words)
	return p
}

// Run runs a module of a program on words, which it changes, and returns the fault.
func Run(ctx context.Context, d device.Device, f *loop.Func, m *target.Module, words []loop.Word) (*loop.Fault, error) {
	object, err := d.Compile(ctx, m, device.CompileOptions{})
	if err != nil {
		return nil, err
	}
	code, err := d.Load(ctx, object, planOf(f, m.Symbol))
	if err != nil {
		return nil, err
	}
	defer code.Close()
	call := &device.Call{Block: make([]int64, loop.HeaderWords)}
	for i, p := range f.Params {
		if p.Buffer == nil {
			call.Block = append(call.Block, words[i].Value)
			continue
		}
		there, err := tensor.Must(tensor.FromSlice(words[i].Bytes, len(words[i].Bytes))).To(d.Allocator())
		if err != nil {
			return nil, err
		}
		defer there.Close()
		low := lowOf(p)
		view, err := there.Strided(tensor.Uint8, low, []int{len(words[i].Bytes) - low}, []int{1})
		if err != nil {
			return nil, err
		}
		call.Block = append(call.Block, int64(view.Address()))
		call.Arguments = append(call.Arguments, view)
	}
	if f.Workspace > 0 {
		if call.Workspace, err = tensor.NewOn(d.Allocator(), tensor.Uint8, int(f.Workspace)); err != nil {
			return nil, err
		}
		defer call.Workspace.Close()
	}
	_, err = code.Launch(ctx, nil, call)
	if errors.Is(err, device.ErrFault) {
		return &loop.Fault{Site: int(call.Fault[0]) - 1, Value: call.Fault[1]}, read(f, call, words)
	}
	if err != nil {
		return nil, err
	}
	return nil, read(f, call, words)
}

// lowOf is how many bytes an array has in front of its first element.
func lowOf(p *loop.Param) int { return -int(p.Buffer.Low) * p.Buffer.Type.Elem.Size() }

// read copies the arrays of a call back.
func read(f *loop.Func, call *device.Call, words []loop.Word) error {
	next := 0
	for i, p := range f.Params {
		if p.Buffer == nil {
			continue
		}
		a := call.Arguments[next]
		if err := a.Memory().Read(int64(a.Address()-a.Memory().Address())-int64(lowOf(p)), words[i].Bytes); err != nil {
			return err
		}
		next++
	}
	return nil
}
