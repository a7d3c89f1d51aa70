package tensor_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/ricci-lang/ricci/tensor"
)

func Example() {
	a, err := tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		log.Fatal(err)
	}
	turned, err := a.Transpose() // a view: nothing is copied
	if err != nil {
		log.Fatal(err)
	}
	a.SetFloat(0.5, 0, 2)
	fmt.Println(turned)
	fmt.Println(turned.Shape(), turned.Strides(), turned.Float(2, 0))
	// Output:
	// [[1.  4. ]
	//  [2.  5. ]
	//  [0.5 6. ]]
	// [3 2] [1 3] 0.5
}

func ExampleWrap() {
	data := []int64{1, 2, 3, 4}
	t, err := tensor.Wrap(data, 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	t.SetInt(40, 1, 1)
	fmt.Println(data)
	// Output: [1 2 3 40]
}

func ExampleData() {
	t, err := tensor.New(tensor.Float64, 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close() // also keeps t alive while data is in use
	data, err := tensor.Data[float64](t)
	if err != nil {
		log.Fatal(err)
	}
	for i := range data {
		data[i] = float64(i) / 4
	}
	fmt.Println(t)
	// Output:
	// [[0.   0.25]
	//  [0.5  0.75]]
}

func ExampleTensor_Slice() {
	t, err := tensor.New(tensor.Int32, 10)
	if err != nil {
		log.Fatal(err)
	}
	tensor.FillIota(t)
	odd, err := t.Slice(0, 1, 10, 2)
	if err != nil {
		log.Fatal(err)
	}
	back, err := t.Slice(0, 9, -1, -1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(odd, back)
	// Output: [1 3 5 7 9] [9 8 7 6 5 4 3 2 1 0]
}

func ExampleTensor_CopyFrom() {
	numbers, err := tensor.FromSlice([]float64{-1.9, 2.5, 300}, 3)
	if err != nil {
		log.Fatal(err)
	}
	bytes, err := tensor.New(tensor.Uint8, 3)
	if err != nil {
		log.Fatal(err)
	}
	if err := bytes.CopyFrom(numbers); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes)
	// Output: [  0   2 255]
}

func ExampleAllClose() {
	got, err := tensor.FromSlice([]float32{1, 2.001, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	want, err := tensor.FromSlice([]float64{1, 2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	if ok, where := tensor.AllClose(got, want, 1e-6, 0); !ok {
		fmt.Printf("element %v is %.4g, want %g\n", where, got.Float(where...), want.Float(where...))
	}
	// Output: element [1] is 2.001, want 2
}

func ExampleSave() {
	directory, err := os.MkdirTemp("", "tensors")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "weights.npz")

	t, err := tensor.FromSlice([]float32{1, 2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	if err := tensor.SaveAll(path, map[string]*tensor.Tensor{"w": t, "b": tensor.Scalar(0.5)}); err != nil {
		log.Fatal(err)
	}
	bias, err := tensor.Load(path + ":b")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bias)
	// Output: 0.5
}

func ExampleFormat() {
	t, err := tensor.FromSlice([]float64{1.0 / 3, 2.0 / 3}, 2)
	if err != nil {
		log.Fatal(err)
	}
	o := tensor.DefaultFormat()
	o.Precision = 3
	if err := tensor.Format(os.Stdout, t, o); err != nil {
		log.Fatal(err)
	}
	// Output: [0.333 0.667]
}
