package tensor

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReadText(t *testing.T) {
	tests := []struct {
		text, want string // want is the start of an error, if shape is none
		shape      []int
		numbers    []float32
	}{
		{text: "1 2\n# a comment\n\n3,-4e1\r\n", shape: []int{2, 2}, numbers: []float32{1, 2, 3, -40}},
		{text: "0.5\n\tinf\n", shape: []int{2}, numbers: []float32{0.5, float32(math.Inf(1))}},
		{text: "1 2 3", shape: []int{1, 3}, numbers: []float32{1, 2, 3}},
		{text: "1 2\n3\n", want: "text: line 2 has 1 numbers, and the first one 2"},
		{text: "1 x2\n", want: `text: line 1 has "x2", which is no number`},
		{text: "# nothing\n", want: "text: there are no numbers"},
	}
	for _, test := range tests {
		got, err := ReadText(strings.NewReader(test.text))
		if test.shape == nil {
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%q: %v, expected %s", test.text, err, test.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if numbers, err := ToSlice[float32](got); err != nil || !slices.Equal(got.Shape(), test.shape) || !slices.Equal(numbers, test.numbers) {
			t.Errorf("%q: %v %v, %v", test.text, got.Shape(), numbers, err)
		}
	}
}

// The content says what a file without a known extension is.
func TestOpenImageByContent(t *testing.T) {
	t.Chdir(t.TempDir())
	x := iotaTensor(t, Uint8, 4, 3)
	for _, name := range []string{"a.nrrd", "a.png", "a.npy"} {
		if err := Save(name, x); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name, "content"); err != nil {
			t.Fatal(err)
		}
		m, err := OpenImage("content")
		if err != nil || !slices.Equal(m.Tensor.Shape(), []int{4, 3}) || m.Tensor.DType() != Uint8 {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	if err := os.WriteFile("seeds.txt", []byte("0.5 2\n1 3\n1 4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if m, err := OpenImage("seeds.txt"); err != nil || !slices.Equal(m.Tensor.Shape(), []int{3, 2}) {
		t.Errorf("seeds.txt: %v, %v", m, err)
	}
	if _, err := OpenImage("none.txt"); !os.IsNotExist(err) {
		t.Errorf("none.txt: %v", err)
	}
}

// TestSaveText writes what ReadText reads.
func TestSaveText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.txt")
	for _, test := range []struct {
		shape []int
		want  string
	}{{[]int{3}, "0.1\n1.1\n2.1\n"}, {[]int{2, 2}, "0.1 1.1\n2.1 3.1\n"}, {[]int{1, 1, 1}, ""}} {
		m := gridOf(t, 0.1, test.shape...)
		m.Tensor.SetFloatAt(0, 0.1)
		err := SaveText(path, m.Tensor)
		if got, _ := os.ReadFile(path); test.want != "" && (err != nil || string(got) != test.want) || test.want == "" && err == nil {
			t.Errorf("%v: %q, %v", test.shape, got, err)
		}
	}
}
