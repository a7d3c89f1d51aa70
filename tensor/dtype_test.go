package tensor

import "testing"

func TestDTypes(t *testing.T) {
	if n := len(DTypes()); n != 13 {
		t.Errorf("%d element types", n)
	}
	for _, d := range DTypes() {
		back, err := ParseDType(d.String())
		if err != nil || back != d {
			t.Errorf("ParseDType(%q) = %s, %v", d, back, err)
		}
		if d.IsFloat() && d.IsInteger() || d.IsHalf() && d.Compute() != Float32 || !d.IsHalf() && d.Compute() != d {
			t.Errorf("%s: float %v, integer %v, computed in %s", d, d.IsFloat(), d.IsInteger(), d.Compute())
		}
		if code, _, ok := parseDescr(descrOf(d)); !ok || code != d {
			t.Errorf("descr %q is %s", descrOf(d), code)
		}
		if safetensorsCodes[d] == "" {
			t.Errorf("%s has no name in safetensors", d)
		}
	}
	for _, name := range []string{"", "invalid", "complex64", "Float32"} {
		if d, err := ParseDType(name); err == nil {
			t.Errorf("ParseDType(%q) = %s", name, d)
		}
	}
	if Invalid.IsFloat() || Invalid.IsInteger() || DType(99).String() != "DType(99)" {
		t.Error("an invalid type is a type")
	}
}
