package ricci_test

import (
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// TestOnOpenCL: tensors on a device of OpenCL are used where they are, those on the host are copied, and results are judged.
func TestOnOpenCL(t *testing.T) {
	d, err := ricci.OpenDevice(t.Context(), ricci.Options{Device: "opencl:0"})
	if err != nil {
		t.Skip("no device of OpenCL: ", err)
	}
	defer d.Close()
	def := parse(t, `def rows(float(M,N) x) -> (m, y) {
  m(i) max=! x(i,j)
  y(i) +=! exp(x(i,j) - m(i))
}`)
	there := func(x *tensor.Tensor) *tensor.Tensor {
		t.Helper()
		y, err := x.To(d.Allocator())
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
	x, m, y := random(t, tensor.Float32, 1, 7, 13), filled(t, 0, 7), filled(t, 0, 7)
	xThere, mThere, yThere := there(x), there(m), there(y)
	k, err := def.CompileFor(t.Context(), tensors{"x": x}, ricci.Options{On: d, NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	if err := k.Run(t.Context(), xThere, mThere, yThere); err != nil || k.Copies() != 0 {
		t.Errorf("all on the device: %d copies, %v", k.Copies(), err)
	}
	if _, err := def.Check(t.Context(), tensors{"x": xThere}, tensors{"m": mThere, "y": yThere}, nil); err != nil {
		t.Error(err)
	}
	if err := k.Run(t.Context(), x, mThere, y); err != nil || k.Copies() != 2 {
		t.Errorf("two on the host: %d copies, %v", k.Copies(), err)
	}
	if _, err := def.Check(t.Context(), tensors{"x": x}, tensors{"m": mThere, "y": y}, nil); err != nil {
		t.Error(err)
	}
	turned := tensor.Must(there(random(t, tensor.Float32, 2, 13, 7)).Transpose())
	out, err := def.RunWith(t.Context(), tensors{"x": turned}, nil, ricci.Options{On: d, NoCache: true})
	if err != nil || out["y"].Device() != "opencl:0" {
		t.Fatalf("a view gives results on %s: %v", out["y"].Device(), err)
	}
	if _, err := def.Check(t.Context(), tensors{"x": turned}, out, nil); err != nil {
		t.Error(err)
	}
	other, err := ricci.OpenDevice(t.Context(), ricci.Options{Device: "opencl:0"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := def.RunWith(t.Context(), tensors{"x": xThere}, nil, ricci.Options{On: other, NoCache: true}); diagnostic(err) != "E0626" {
		t.Errorf("a tensor of another opened device: %v", err)
	}
}
