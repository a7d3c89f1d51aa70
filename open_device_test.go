package ricci_test

import (
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// TestOpenDevice: calls run on a device that was opened; one without memory of its own leaves tensors on the host.
func TestOpenDevice(t *testing.T) {
	d, err := ricci.OpenDevice(t.Context(), ricci.Options{Device: "evaluator"})
	if err != nil {
		t.Fatal(err)
	}
	if d.Name() != "evaluator" || d.Allocator() != nil {
		t.Errorf("%s gives memory: %v", d.Name(), d.Allocator())
	}
	def := parse(t, scaled)
	x := tensor.Must(random(t, tensor.Float32, 1, 4).To(d.Allocator()))
	args := tensors{"A": x, "s": tensor.Scalar(float32(2))}
	out, err := def.RunWith(t.Context(), args, nil, ricci.Options{On: d, NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := def.Check(t.Context(), args, out, nil); err != nil || out["B"].Device() != tensor.HostDevice {
		t.Errorf("B is on %s: %v", out["B"].Device(), err)
	}
	k, err := def.CompileFor(t.Context(), args, ricci.Options{On: d, NoCache: true})
	if err != nil || k.Target() != "loop" {
		t.Errorf("the kernel has the target %s: %v", k.Target(), err)
	}
	if _, err := def.RunWith(t.Context(), args, nil, ricci.Options{On: d, Device: "host"}); diagnostic(err) != "E0740" {
		t.Errorf("another device than the one that was opened: %v", err)
	}
	if _, err := ricci.OpenDevice(t.Context(), ricci.Options{Target: ricci.Eval}); err == nil {
		t.Error("the reference evaluator is no device")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
