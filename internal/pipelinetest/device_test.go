package pipelinetest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/targets"
	"github.com/ricci-lang/ricci/tensor"
)

// TestOpenCL takes random TC programs with random schedules to a device of OpenCL, where there is one.
func TestOpenCL(t *testing.T) {
	driver, _ := devices.Named("opencl:0")
	d, err := driver.Open(t.Context(), device.Settings{})
	if err != nil {
		t.Skip("no device of OpenCL: ", err)
	}
	words, _ := targets.Named(driver.Target)
	for seed, ran := uint64(0), 0; ran < sweep.Draws(t, 8, 400); seed++ {
		one := tcCase(t, fmt.Sprintf("seed%d", seed), pipelinetest.Seeded(seed))
		if one == nil || one.Unproved != nil {
			continue
		}
		one.Threads = 1
		m, err := words.Print(one.Loop, target.Options{Name: one.Name, Numerics: one.Numerics})
		if list := (source.ErrorList)(nil); errors.As(err, &list) && list[0].Code == source.NotExpressed {
			continue // rows that are written past the caches
		} else if err != nil {
			t.Fatalf("%v\n%s", err, one)
		}
		ran++
		if err := onDevice(t, d, one, m); err != nil {
			t.Errorf("%v\n%s\n%s", err, one, m.Code)
		}
	}
}

// onDevice runs a prepared case on a device with memory of its own, and judges.
func onDevice(t *testing.T, d device.Device, one *pipelinetest.Case, m *target.Module) error {
	t.Helper()
	arrays, err := one.Arrays(pipelinetest.Behind)
	if err != nil {
		return err
	}
	p, call := &plan.Plan{Name: one.Name}, &device.Call{Block: make([]int64, loop.HeaderWords)}
	var list []plan.Word
	var back []func() error
	for _, param := range one.Loop.Params {
		switch {
		case strings.HasPrefix(param.Origin, lower.PackedOrigin):
			list, call.Block = append(list, plan.Word{Packed: param.Var.Name}), append(call.Block, 0)
		case param.Buffer == nil:
			list, call.Block = append(list, plan.Word{Size: param.Var.Name}), append(call.Block, one.Sizes[param.Var.Name])
		default:
			name := param.Buffer.Name
			list, call.Block = append(list, plan.Word{Tensor: name}), append(call.Block, 0)
			p.Arguments = append(p.Arguments, plan.Argument{Name: name})
			here := arrays[name].Array
			bytes, first := device.HostBytes(here)
			there, err := tensor.NewOn(d.Allocator(), tensor.Uint8, max(1, len(bytes)))
			if err != nil {
				return err
			}
			defer there.Close()
			if len(bytes) > 0 {
				if err := there.Memory().Write(0, bytes); err != nil {
					return err
				}
				back = append(back, func() error { return there.Memory().Read(0, bytes) })
			}
			view, err := there.Strided(here.DType(), first, here.Shape(), here.Strides())
			if err != nil {
				return err
			}
			call.Arguments = append(call.Arguments, view)
		}
	}
	for range one.Loop.Sites {
		p.Faults = append(p.Faults, plan.Fault{})
	}
	p.AddLaunches(one.Loop, m.Symbol, list)
	bytes, err := one.Loop.WorkspaceBytes(one.Sizes, 1)
	if err == nil && bytes > 0 {
		call.Workspace, err = tensor.NewOn(d.Allocator(), tensor.Uint8, int(bytes))
	}
	if err != nil {
		return err
	}
	object, err := d.Compile(t.Context(), m, device.CompileOptions{})
	if err != nil {
		return err
	}
	code, err := d.Load(t.Context(), object, p)
	if err != nil {
		return err
	}
	_, err = code.Launch(t.Context(), nil, call)
	faulted := errors.Is(err, device.ErrFault)
	if err != nil && !faulted {
		return err
	}
	for _, read := range back {
		if err := read(); err != nil {
			return err
		}
	}
	return errors.Join(one.Judge(arrays, faulted), code.Close())
}
