package ricci_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

func TestDefs(t *testing.T) {
	p, err := ricci.Parse("two.tc", `def first(float(N) A) -> (B) { B(i) = A(i) } def second(float(N) A) -> (B) { B(i) = A(i) }`)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"first": "first", "second": "second", "": "second"} {
		d, err := p.Def(name)
		if err != nil || d.Name() != want {
			t.Errorf("%q: %v %v", name, d, err)
		}
	}
	_, err = p.Def("secnod")
	var d *ricci.Diagnostic
	if !errors.As(err, &d) || d.Code != "E0620" || !strings.Contains(d.Help, "second") {
		t.Errorf("a mistyped name: %v", err)
	}
	empty, err := ricci.Parse("empty.tc", "# nothing\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := empty.Def(""); diagnostic(err) != "E0620" {
		t.Errorf("no def: %v", err)
	}
}

func TestParseFile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"lib.tc":  `def twice(float(N) A) -> (B) { B(i) = A(i) + A(i) }`,
		"main.tc": "import \"lib.tc\"\ndef four(float(N) A) -> (C) { B = twice(A) C(i) = B(i) + B(i) }",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := ricci.ParseFile(filepath.Join(dir, "main.tc"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	d, err := p.Def("")
	if err != nil || d.Name() != "four" || len(p.Defs()) != 2 {
		t.Fatalf("%v %v", d, err)
	}
	out, err := d.Run(context.Background(), tensors{"A": newTensor(t, []float32{1, 2}, 2)})
	if err != nil || !equal(floats(t, out["C"]), []float64{4, 8}) {
		t.Errorf("%v %v", out, err)
	}
	if _, err := ricci.ParseFile(filepath.Join(dir, "none.tc")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestSignature(t *testing.T) {
	d := parse(t, `def pool(float(N) A, int32 s) -> (B) { B(i) = A(s * i) where i in 0:N/s }`)
	in := d.Inputs()
	if len(in) != 2 || in[0].String() != "float32(N) A" || !in[1].Size || in[1].String() != "int32 s" {
		t.Errorf("inputs %+v", in)
	}
	shapes, err := d.OutputShapes(map[string][]int{"A": {10}, "s": {}}, map[string]int64{"s": 3})
	if err != nil || len(shapes["B"]) != 1 || shapes["B"][0] != 3 {
		t.Errorf("%v %v", shapes, err)
	}
	targets(t, func(t *testing.T, options ricci.Options) {
		a := newTensor(t, []float32{0, 1, 2, 3, 4, 5, 6, 7, 8}, 9)
		for _, s := range []int32{2, 3, 9} {
			out, err := d.RunWith(context.Background(), tensors{"A": a, "s": tensor.Scalar(s)}, nil, options)
			skipWithoutCompiler(t, err)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range floats(t, out["B"]) {
				if v != float64(i)*float64(s) {
					t.Errorf("s = %d: %v", s, out["B"])
				}
			}
		}
		k := compile(t, d, tensors{"A": a, "s": tensor.Scalar(int32(2))}, options)
		b := random(t, tensor.Float32, 1, 4)
		if err := k.Run(context.Background(), a, tensor.Scalar(int32(3)), b); diagnostic(err) != "E0623" {
			t.Errorf("another value of a compiled scalar: %v", err)
		}
	})
}

// A size that no input has is given by the call.
func TestFreeSize(t *testing.T) {
	d := parse(t, `def ones() -> (float(N) A) { A(i) = 1.0 where i in 0:N }`)
	targets(t, func(t *testing.T, options ricci.Options) {
		out, err := d.RunWith(context.Background(), nil, map[string]int64{"N": 3}, options)
		skipWithoutCompiler(t, err)
		if err != nil || !equal(floats(t, out["A"]), []float64{1, 1, 1}) {
			t.Errorf("%v %v", out, err)
		}
		if _, err := d.RunWith(context.Background(), nil, nil, options); diagnostic(err) != "E0604" {
			t.Errorf("without it: %v", err)
		}
	})
}

func TestMDHInstanceNames(t *testing.T) {
	const text = `same<T in {float32, float64} | N> := out_view<T>(y: (i) -> (i)) o md_hom<N>(id, (++)) o inp_view<T>(x: (i) -> (i))`
	program, err := ricci.Parse("id.mdh", text)
	if err != nil {
		t.Fatal(err)
	}
	for asked, found := range map[string]string{"same": "same", "same_float32": "same", "same_float64": "same_float64", "": "same"} {
		def, err := program.Def(asked)
		if err != nil {
			t.Fatal(err)
		}
		if def.Name() != found {
			t.Errorf("Def(%q) is %s, expected %s", asked, def.Name(), found)
		}
	}
	if _, err := program.Def("same_int32"); err == nil {
		t.Error("there is no instance for int32")
	}
}
