package tensor

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// printCase is a line of testdata/print.jsonl, made by testdata/print.py.
type printCase struct {
	DType string
	Shape []int
	Bits  []uint64
	Iota  bool
	Text  string
}

func (c printCase) tensor(t *testing.T) *Tensor {
	t.Helper()
	d, err := ParseDType(c.DType)
	if err != nil {
		t.Fatal(err)
	}
	x, err := New(d, c.Shape...)
	if err != nil {
		t.Fatal(err)
	}
	if c.Iota {
		FillIota(x)
		return x
	}
	for i, b := range c.Bits {
		x.SetBitsAt(i, b)
	}
	return x
}

func TestPrintGolden(t *testing.T) {
	f, err := os.Open("testdata/print.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	count := 0
	for lines.Scan() {
		var c printCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		x := c.tensor(t)
		if got := x.String(); got != c.Text {
			t.Errorf("%s %v\ngot:\n%s\nNumPy:\n%s", c.DType, c.Shape, got, c.Text)
		}
		count++
	}
	if err := lines.Err(); err != nil || count < 300 {
		t.Errorf("%d cases, error %v", count, err)
	}
}

func TestPrintViews(t *testing.T) {
	x, err := New(Int32, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	FillIota(x)
	turned, err := x.Transpose()
	if err != nil {
		t.Fatal(err)
	}
	want := "[[ 0  4  8]\n [ 1  5  9]\n [ 2  6 10]\n [ 3  7 11]]"
	if got := turned.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	repeated, err := Scalar(int8(7)).Broadcast(2, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := repeated.String(); got != "[[7 7]\n [7 7]]" {
		t.Errorf("got\n%s", got)
	}
}

func TestFormatOptions(t *testing.T) {
	x, err := FromSlice([]float64{1.0 / 3, 1e-9, 2, 3, 4}, 5)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(*FormatOptions)
		want   string
	}{
		{"default", func(*FormatOptions) {}, "[3.33333333e-01 1.00000000e-09 2.00000000e+00 3.00000000e+00\n 4.00000000e+00]"},
		{"suppress", func(o *FormatOptions) { o.Suppress, o.Precision = true, 3 }, "[0.333 0.    2.    3.    4.   ]"},
		{"ends", func(o *FormatOptions) { o.Suppress, o.Precision, o.Threshold, o.EdgeItems = true, 1, 2, 1 }, "[0.3 ... 4. ]"},
	}
	for _, test := range tests {
		o := DefaultFormat()
		test.change(&o)
		var b strings.Builder
		if err := Format(&b, x, o); err != nil || b.String() != test.want {
			t.Errorf("%s: got %q, error %v, want %q", test.name, b.String(), err, test.want)
		}
	}
}

// A bfloat16 prints the fewest digits, as the other floats do.
func TestPrintBFloat16(t *testing.T) {
	x, err := FromBits16(BFloat16, []uint16{0x3F8D, 0x3F80, 0xC049}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := x.String(), "[ 1.1   1.   -3.14]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
