package tensor

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
)

// The readers meet any bytes: they return a tensor whose elements are all there,
// or an error about the file; and what they return can be written and read again.

// checkRead looks at what a reader of uncompressed data returned: not more than
// was there.
func checkRead(t *testing.T, data []byte, x *Tensor, err error) {
	t.Helper()
	if err != nil {
		var e *FileError
		if !errors.As(err, &e) || e.Reason == "" {
			t.Fatalf("%T: %v", err, err)
		}
		return
	}
	if x.Len()*x.DType().Size() > len(data) {
		t.Fatalf("%s of shape %v from %d bytes", x.DType(), x.Shape(), len(data))
	}
	checkWrite(t, x)
}

func checkWrite(t *testing.T, x *Tensor) {
	t.Helper()
	var b bytes.Buffer
	if err := WriteNPY(&b, x); err != nil {
		t.Fatal(err)
	}
	if y, err := ReadNPY(&b); err != nil || !sameBits(x, y) {
		t.Fatalf("%v, %v\nwritten as\n%v", y, err, x)
	}
	_ = x.String()
}

func FuzzNPY(f *testing.F) {
	contents, _ := goldenFiles(f)
	for _, data := range contents {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := ReadNPY(bytes.NewReader(data))
		checkRead(t, data, x, err)
		y, streamErr := ReadNPY(io.MultiReader(bytes.NewReader(data)))
		if (err == nil) != (streamErr == nil) || err == nil && !sameBits(x, y) {
			t.Fatalf("known length: %v, %v; unknown: %v, %v", x, err, y, streamErr)
		}
	})
}

func FuzzNPZ(f *testing.F) {
	contents, _ := goldenFiles(f)
	f.Add(contents["savez.npz"])
	f.Add(contents["compressed.npz"])
	for _, path := range []string{"testdata/savez.npz", "testdata/files.zip"} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		z, err := NewNPZ(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			checkRead(t, data, nil, err)
			return
		}
		for _, name := range z.Names() {
			x, err := z.Read(name)
			if err != nil {
				checkRead(t, data, nil, err)
				continue
			}
			checkWrite(t, x)
		}
	})
}

func FuzzSafetensors(f *testing.F) {
	f.Add([]byte(safetensorsFile(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"BOOL","shape":[],"data_offsets":[8,9]}}`, 9)))
	f.Add([]byte(safetensorsFile(`{"__metadata__":{"k":"v"},"a":{"dtype":"F8_E5M2","shape":[2,0],"data_offsets":[0,0]}}`, 0)))
	f.Add([]byte(safetensorsFile(`{"a":{"dtype":"BF16","shape":[1,1],"data_offsets":[0,2]}} `, 2)))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadSafetensors(bytes.NewReader(data))
		if err != nil {
			checkRead(t, data, nil, err)
			return
		}
		for _, name := range s.Names() {
			x, err := s.Read(name)
			checkRead(t, data, x, err)
		}
	})
}

func FuzzPNG(f *testing.F) {
	for _, shape := range [][]int{{2, 3}, {3, 2, 3}, {1, 2, 4}} {
		for _, d := range []DType{Uint8, Uint16} {
			var b bytes.Buffer
			if err := WritePNG(&b, iotaTensor(f, d, shape...)); err != nil {
				f.Fatal(err)
			}
			f.Add(b.Bytes())
		}
	}
	f.Add(pngOf(10000, 10000, 16, 6))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := ReadPNG(bytes.NewReader(data))
		if err != nil {
			checkRead(t, data, nil, err)
			return
		}
		var b bytes.Buffer
		if err := WritePNG(&b, x); err != nil {
			t.Fatal(err)
		}
		if y, err := ReadPNG(&b); err != nil || !sameBits(x, y) {
			t.Fatalf("%v, %v\nwritten as\n%v", y, err, x)
		}
	})
}
