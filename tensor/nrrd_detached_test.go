package tensor

import (
	"os"
	"path/filepath"
	"testing"
)

func gridOf(t *testing.T, first float32, shape ...int) *Image {
	t.Helper()
	x, err := New(Float32, shape...)
	if err != nil {
		t.Fatal(err)
	}
	for n := range x.Len() {
		x.SetFloatAt(n, float64(first)+float64(n))
	}
	return &Image{Tensor: x}
}

// TestDetachedPair writes headers with their files over one another: the file that a header names is never
// one of another header, and what no header names is gone.
func TestDetachedPair(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.nhdr")
	for n, step := range []struct {
		m    *Image
		data string
	}{
		{gridOf(t, 0, 2, 3), "x.raw"},
		{gridOf(t, 7, 2, 3), "x.raw"}, // the same header
		{gridOf(t, 9, 4, 3), "x-2.raw"},
		{gridOf(t, 1, 2, 3), "x.raw"},
		{gridOf(t, 2, 5), "x-2.raw"},
		{gridOf(t, 3, 5), "x.raw"},
	} {
		if err := SaveImage(path, step.m); err != nil {
			t.Fatal(err)
		}
		back, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if back.Len() != step.m.Tensor.Len() || back.FloatAt(1) != step.m.Tensor.FloatAt(1) {
			t.Errorf("step %d: %v was written, %v is read", n, step.m.Tensor, back)
		}
		files, err := os.ReadDir(dir)
		if err != nil || len(files) != 2 || files[0].Name() != step.data && files[1].Name() != step.data {
			t.Errorf("step %d: the directory has %v, expected x.nhdr and %s", n, files, step.data)
		}
	}
}

// TestDetachedFails cannot write the elements of another image: the old one stays as it is.
func TestDetachedFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.nhdr")
	if err := SaveImage(path, gridOf(t, 5, 2, 3)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "x-2.raw"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := SaveImage(path, gridOf(t, 1, 4)); err == nil {
		t.Fatal("a directory was overwritten")
	}
	back, err := Load(path)
	if err != nil || back.Len() != 6 || back.FloatAt(0) != 5 {
		t.Errorf("%v, %v", back, err)
	}
}
