package ricci_test

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// TestTwoDevices: two devices in one process compute at the same time, each on its own memory; copies between them are counted, and arguments that lie on
// different devices are refused with both names.
func TestTwoDevices(t *testing.T) {
	const inside = "RICCI_TEST_TWO_DEVICES"
	if os.Getenv(inside) == "" {
		command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTwoDevices$", "-test.v")
		command.Env = append(os.Environ(), inside+"=yes", "POCL_DEVICES=pthread basic")
		output, err := command.CombinedOutput()
		t.Logf("%s", output)
		if err != nil {
			t.Error(err)
		}
		if strings.Contains(string(output), "--- SKIP") {
			t.Skip("no two devices of OpenCL (apt-get install ocl-icd-libopencl1 pocl-opencl-icd)")
		}
		return
	}
	open := func(name string) *ricci.Device {
		t.Helper()
		d, err := ricci.OpenDevice(t.Context(), ricci.Options{Device: name})
		if err != nil {
			t.Skip(err)
		}
		return d
	}
	devices := []*ricci.Device{open("opencl:0"), open("opencl:1")}
	def := parse(t, `def next(float(N) x) -> (y) { y(i) = x(i) + 0.5 * x(N - 1 - i) }`)
	x := random(t, tensor.Float32, 1, 1001)
	want := x
	for range 10 {
		out, err := def.Evaluate(t.Context(), tensors{"x": want}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want = out["y"]
	}
	results, kernels := make([]*tensor.Tensor, 2), make([]*ricci.Kernel, 2)
	var both sync.WaitGroup
	for i, d := range devices {
		both.Go(func() {
			from, err := x.To(d.Allocator())
			if err != nil {
				t.Error(err)
				return
			}
			to := tensor.Must(tensor.NewOn(d.Allocator(), tensor.Float32, 1001))
			if kernels[i], err = def.CompileFor(t.Context(), tensors{"x": x}, ricci.Options{On: d, NoCache: true}); err != nil {
				t.Error(err)
				return
			}
			for range 10 {
				if err := kernels[i].Run(t.Context(), from, to); err != nil {
					t.Error(err)
				}
				from, to = to, from
			}
			results[i] = from
		})
	}
	both.Wait()
	for i, d := range devices {
		if results[i] == nil {
			t.FailNow()
		}
		if results[i].Device() != d.Name() || kernels[i].Copies() != 0 {
			t.Errorf("a result on %s, after %d copies", results[i].Device(), kernels[i].Copies())
		}
		if ok, where := tensor.AllClose(results[i], want, 1e-4, 1e-5); !ok {
			t.Errorf("the result of %s differs at %v", d.Name(), where)
		}
	}
	before := [2]ricci.Transfers{devices[0].Transfers(), devices[1].Transfers()}
	moved, err := results[0].To(devices[1].Allocator())
	if err != nil || moved.Device() != "opencl:1" {
		t.Fatalf("a copy on %s, %v", moved.Device(), err)
	}
	after := [2]ricci.Transfers{devices[0].Transfers(), devices[1].Transfers()}
	if after[0].Reads != before[0].Reads+1 || after[1].Writes != before[1].Writes+1 || after[1].BytesWritten-before[1].BytesWritten != 4004 {
		t.Errorf("a copy from %+v to %+v: %+v, %+v", before[0], before[1], after[0], after[1])
	}
	out, err := def.RunWith(t.Context(), tensors{"x": moved}, nil, ricci.Options{On: devices[1], NoCache: true})
	if err != nil || out["y"].Device() != "opencl:1" {
		t.Errorf("what was copied is not used there: %v", err)
	}
	err = kernels[1].Run(t.Context(), results[0], moved)
	if diagnostic(err) != "E0626" || !strings.Contains(err.Error(), "opencl:0") || !strings.Contains(err.Error(), "opencl:1") {
		t.Errorf("arguments on two devices: %v", err)
	}
	sum := parse(t, `def sum(float(N) x, float(N) y) -> (z) { z(i) = x(i) + y(i) }`)
	_, err = sum.RunWith(t.Context(), tensors{"x": results[0], "y": moved}, nil, ricci.Options{On: devices[0], NoCache: true})
	if diagnostic(err) != "E0626" || !strings.Contains(err.Error(), "the argument y of sum is in the memory of the device opencl:1, and the kernel works on that of opencl:0") {
		t.Errorf("inputs on two devices: %v", err)
	}
}
