package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/tensor"
)

func openReady(t *testing.T, ready device.Readiness) *Device {
	t.Helper()
	testCompiler(t)
	d, err := Driver().Open(t.Context(), device.Settings{Ready: ready, Threads: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d.(*Device)
}

// kernelText doubles an int32 and adds 1, or with the first word of the workspace multiplies it by 3; a negative one is a fault.
const kernelText = `#include <stdint.h>
int32_t k(const int64_t *block) {
  int32_t *a = (int32_t *)block[4];
  if (*a < 0) {
    int64_t *fault = (int64_t *)block[3];
    fault[0] = 3, fault[1] = *a;
    return 1;
  }
  *a = block[2] ? *a * *(uint8_t *)block[2] : *a * 2 + 1;
  return 0;
}`

var kernelPlan = &plan.Plan{Name: "k", Launches: []plan.Launch{{Symbol: "k", Words: []plan.Word{{Tensor: "A"}}}}}

func compileKernel(t *testing.T, d *Device) []byte {
	t.Helper()
	object, err := d.Compile(t.Context(), &target.Module{Code: kernelText, Symbol: "k"}, device.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// TestReadiness: a device that is asked starts nothing, one that will run something gives code a pool, and a proven one has it.
func TestReadiness(t *testing.T) {
	asked := openReady(t, device.Asked)
	if asked.loading != nil || asked.parallel != 0 {
		t.Error("a device that is only asked makes a thread pool")
	}
	if proven := openReady(t, device.Proven); proven.loading != nil || proven.parallel == 0 || proven.Works(t.Context()) != nil {
		t.Error("a proven device has no thread pool")
	}
	soon := openReady(t, device.Soon)
	if soon.loading == nil {
		t.Fatal("a device that will run something makes no thread pool")
	}
	if asked.Identity() != soon.Identity() || asked.Maker() != soon.Maker() || !strings.Contains(soon.Maker(), "-O") {
		t.Errorf("%q and %q are the same compiler", asked.Maker(), soon.Maker())
	}
	code, err := soon.Load(t.Context(), compileKernel(t, soon), kernelPlan)
	if err != nil {
		t.Fatal(err)
	}
	call := &device.Call{Block: make([]int64, loop.HeaderWords+1)}
	code.Prepare(call)
	if block := call.Block; block[loop.WordParallel] == 0 || block[loop.WordThreads] != 3 || block[loop.WordFault] == 0 {
		t.Errorf("the header of the block is %v", block)
	}
	if err := code.Close(); err != nil {
		t.Error(err)
	}
	if _, err := soon.Load(t.Context(), compileKernel(t, soon), &plan.Plan{Launches: []plan.Launch{{Symbol: "absent"}}}); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("a launch of a function that is not there: %v", err)
	}
}

// TestUnproven: a compiler that makes no thread pool is found out by Works and Load, and by Open where that is asked.
func TestUnproven(t *testing.T) {
	object := compileKernel(t, openReady(t, device.Asked))
	script := filepath.Join(t.TempDir(), "compiler")
	text := "#!/bin/sh\nfor a in \"$@\"; do [ \"$a\" = -shared ] && exit 1; done\nexec " + strings.Join(testCompiler(t).Command, " ") + " \"$@\"\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(CompilerVariable, script)
	d := openReady(t, device.Soon)
	if err := d.Works(t.Context()); !errors.Is(err, device.ErrUnproven) {
		t.Errorf("Works gives %v", err)
	}
	if _, err := d.Load(t.Context(), object, kernelPlan); !errors.Is(err, device.ErrUnproven) {
		t.Errorf("Load gives %v", err)
	}
	if _, err := Driver().Open(t.Context(), device.Settings{Ready: device.Proven}); err == nil || errors.Is(err, device.ErrUnproven) || !strings.Contains(err.Error(), script) {
		t.Errorf("a device that is to be proven opens with %v, expected an error that names the compiler", err)
	}
}

// TestLoadWaits: Load ends with the pool, with what became of it, or with its context.
func TestLoadWaits(t *testing.T) {
	object := compileKernel(t, openReady(t, device.Asked))
	synctest.Test(t, func(t *testing.T) {
		waiting := func(ctx context.Context) (*loading, chan error) {
			l, ends := &loading{done: make(chan struct{})}, make(chan error, 1)
			go func() {
				code, err := (&Device{loading: l}).Load(ctx, object, kernelPlan)
				if err == nil {
					call := &device.Call{Block: make([]int64, loop.HeaderWords+1)}
					if code.Prepare(call); call.Block[loop.WordParallel] != 77 {
						err = errors.New("another pool")
					}
					err = errors.Join(err, code.Close())
				}
				ends <- err
			}()
			synctest.Wait()
			if len(ends) > 0 {
				t.Fatalf("Load does not wait: %v", <-ends)
			}
			return l, ends
		}
		l, ends := waiting(t.Context())
		l.address = 77
		close(l.done)
		if err := <-ends; err != nil {
			t.Error(err)
		}
		l, ends = waiting(t.Context())
		l.err = errors.New("no pool")
		close(l.done)
		if err := <-ends; !errors.Is(err, device.ErrUnproven) {
			t.Errorf("Load without a pool gives %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, ends = waiting(ctx)
		cancel()
		if err := <-ends; !errors.Is(err, context.Canceled) || errors.Is(err, device.ErrUnproven) {
			t.Errorf("Load with a cancelled context gives %v", err)
		}
	})
}

// TestStream: launches of a stream run in their order, and a fault is that of its launch.
func TestStream(t *testing.T) {
	d := openReady(t, device.Proven)
	code, err := d.Load(t.Context(), compileKernel(t, d), kernelPlan)
	if err != nil {
		t.Fatal(err)
	}
	defer code.Close()
	three := tensor.Must(tensor.New(tensor.Uint8, 1))
	three.SetUint(3, 0)
	newCall := func(a *tensor.Tensor, triples bool) *device.Call {
		call := &device.Call{Block: make([]int64, loop.HeaderWords+1), Arguments: []*tensor.Tensor{a}}
		if triples {
			call.Workspace = three
		}
		code.Prepare(call)
		call.Block[loop.HeaderWords] = address(a.Pointer())
		return call
	}
	a, negative := tensor.Must(tensor.New(tensor.Int32)), tensor.Must(tensor.New(tensor.Int32))
	negative.SetInt(-5)
	stream, want := d.NewStream(), int64(0)
	var faulty *device.Call
	for n := range 30 {
		one := a
		if n == 11 {
			one = negative
		}
		call := newCall(one, n%2 == 1)
		c, err := code.Launch(t.Context(), stream, call)
		if c == nil || err != nil {
			t.Fatalf("a launch in a stream gives %v, %v", c, err)
		}
		switch {
		case n == 11:
			faulty = call
		case n%2 == 1:
			want = int64(int32(want * 3))
		default:
			want = int64(int32(want*2 + 1))
		}
		if want > 1<<20 {
			if err := c.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			a.SetInt(1)
			want = 1
		}
	}
	if err := stream.Wait(t.Context()); !errors.Is(err, device.ErrFault) || faulty.Fault != [2]int64{3, -5} {
		t.Errorf("the stream gives %v and the fault %v", err, faulty.Fault)
	}
	if got := a.Int(); got != want {
		t.Errorf("30 launches make %d, expected %d", got, want)
	}
	if err := stream.Close(); err != nil {
		t.Error(err)
	}
	if c, err := code.Launch(t.Context(), nil, newCall(negative, false)); c != nil || err != device.ErrFault {
		t.Errorf("a launch without a stream gives %v, %v", c, err)
	}
}
