package argument

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

func TestParseSpec(t *testing.T) {
	tests := []struct {
		text string
		want Spec
		err  string
	}{
		{text: "random", want: Spec{Kind: Random}},
		{text: "random:0x10", want: Spec{Kind: Random, Seed: 16, Own: true}},
		{text: "random:", err: "is not a seed"},
		{text: "random:-1", err: "is not a seed"},
		{text: "iota", want: Spec{Kind: Iota}},
		{text: "const:2.5", want: Spec{Kind: Const, V: 2.5}},
		{text: "const:x", err: "is not a number"},
		{text: "-3", want: Spec{Kind: Const, V: -3, I: -3, IsInt: true}},
		{text: "true", want: Spec{Kind: Const, V: 1, I: 1, IsInt: true}},
		{text: "18446744073709551615", want: Spec{Kind: Const, V: 1 << 64, I: -1, IsInt: true, Unsigned: true}},
		{text: "a.npy", want: Spec{Kind: File, Path: "a.npy"}},
		{text: "a.npz:b", want: Spec{Kind: File, Path: "a.npz:b"}},
		{text: "iota:3", want: Spec{Kind: File, Path: "iota:3"}},
		{text: "", err: "an empty value"},
		{text: "[1, [2]]", err: "the item has the shape (1), those before it have ()"},
		{text: "[1, 2] 3", err: "found '3' after the list"},
		{text: "[1, 2", err: "expected ',' or ']' in a list"},
	}
	for _, test := range tests {
		got, err := ParseSpec(test.text)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("ParseSpec(%q): %v, expected an error with %q", test.text, err, test.err)
			}
			continue
		}
		got.Text, got.number = "", ""
		if err != nil || got != test.want {
			t.Errorf("ParseSpec(%q) = %+v, %v, expected %+v", test.text, got, err, test.want)
		}
	}
}

func TestLists(t *testing.T) {
	for text, want := range map[string]string{
		"M=[[1,2],[3,4]]": "[[1. 2.]\n [3. 4.]]",
		"M=[]":            "[]",
	} {
		name, spec, _ := strings.Cut(text, "=")
		list, err := ParseSpec(spec)
		if err != nil {
			t.Fatal(name, err)
		}
		x, err := list.load(tensor.Float32)
		if err != nil || x.String() != want {
			t.Errorf("%s: %v %v", text, x, err)
		}
	}
	list, err := ParseSpec("[0.5]")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := list.load(tensor.Int32); err == nil || !strings.Contains(err.Error(), "0.5 is not a value of type int32") {
		t.Error(err)
	}
}

const program = `
def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }
def add(int8 s, uint64(N) X) -> (Y) { Y(i) = uint64(s) + X(i) }
def head(uint8 n, float(N) X) -> (Y) { Y(i) = X(i) where i in 0:n }
def shift(int32 s, float(N) X) -> (Y) { Y(i) = X(i) where i in s:N }
def small(int8(N) X) -> (Y) { Y(i) = X(i) }
def gather(float(M,K) X, float(L) Y, int32(N) I, uint8(N) J, int(N) n) -> (Z) {
  Z(i) = X(I(i), J(i)) + Y(I(i) - 1) * n(i)
}
def sum(float(N) X) -> (float(N) S) { S(i) += X(i) }
`

func def(t *testing.T, name string) *ricci.Def {
	t.Helper()
	p, err := ricci.Parse("test.tc", program)
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Def(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// request reads "A=iota N:=3": a spec for the input A, a value for the size N.
func request(t *testing.T, text string) Request {
	t.Helper()
	r := Request{Specs: map[string]Spec{}, Sizes: map[string]int64{}, Values: map[string]*tensor.Tensor{}}
	for _, field := range strings.Fields(text) {
		name, value, _ := strings.Cut(field, "=")
		spec, err := ParseSpec(value)
		if err != nil {
			t.Fatal(err)
		}
		if size, ok := strings.CutSuffix(name, ":"); ok {
			r.Sizes[size] = spec.I
			continue
		}
		r.Specs[name] = spec
	}
	return r
}

func TestResolve(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	file, err := tensor.New(tensor.Float32, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := tensor.Save(path, file); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ def, request, want string }{
		{"mm", "M:=2 K:=3 N:=4", "A[2 3] B[3 4] random A, B"},
		{"mm", "A=" + path + " N:=4", "A[2 3] B[3 4] random B"},
		{"mm", "A=iota B=const:1 M:=1 K:=1 N:=1", "A[1 1] B[1 1] random "},
		{"mm", "A=iota M:=2 N:=3", "error the size K of mm is not known"},
		{"mm", "D=iota", "error mm has no input named D; its inputs are A, B"},
		{"mm", "M:=-1 K:=1 N:=1", "error input float32(M, K) A"},
		{"add", "N:=2 s=300", "error input int8 s: 300 is not a value of type int8"},
		{"add", "N:=2 s=1.5", "error input int8 s: 1.5 is not a value of type int8"},
		{"add", "N:=2 s=-3 X=18446744073709551615", "X[2] s[] random "},
		{"add", "N:=2 s=-3 X=-1", "error input uint64(N) X: -1 is not a value of type uint64"},
		{"add", "X=" + path, "error input X is an array of float32, but uint64(N) X declares uint64"},
		{"head", "N:=2 n=1", "X[2] n[] random X"},
		{"head", "N:=2 n:=1", "X[2] n[] random X"},
		{"head", "N:=2", "error uint8 n decides about ranges or subscripts and needs a value: -i n=N"},
		{"head", "N:=2 n:=1 n=2", "error n is 2 by its input and 1 by its size; give it once"},
		{"head", "N:=2 n=256", "error input uint8 n: 256 is not a value of type uint8"},
		{"shift", "N:=4 s=2.5", "error input int32 s: 2.5 is not an integer"},
		{"shift", "N:=4 s=2", "X[4] s[] random X"},
		{"mm", "A=iotta M:=2 K:=3 N:=1", "error input A: there is no file iotta; did you mean iota?"},
		{"mm", "A=. M:=2 K:=3 N:=1", "error input A: . is a directory"},
		{"small", "X=iota N:=129", "error input int8(N) X: iota counts to 128, which is not a value of type int8"},
		{"small", "X=iota N:=128", "X[128] random "},
		{"sum", "N:=2 S=iota X=1", "S[2] X[2] random "},
	}
	for _, test := range tests {
		t.Run(test.def+" "+filepath.Base(test.request), func(t *testing.T) {
			a, err := Resolve(def(t, test.def), request(t, test.request))
			got := fmt.Sprint("error ", err)
			if err == nil {
				var parts []string
				for name, value := range a.Args {
					parts = append(parts, name+fmt.Sprint(value.Shape()))
				}
				slices.Sort(parts)
				got = strings.Join(parts, " ") + " random " + strings.Join(a.Invented, ", ")
			}
			if got != test.want && !(err != nil && strings.HasPrefix(got, test.want)) {
				t.Errorf("got %s\nexpected %s", got, test.want)
			}
		})
	}
}

// Inputs with the same shape have different random values, which depend on the
// seed and the name only.
func TestRandomStreams(t *testing.T) {
	texts := map[string]string{}
	for _, seed := range []uint64{0, 0, 1} {
		r := request(t, "M:=4 K:=4 N:=4")
		r.Seed = seed
		a, err := Resolve(def(t, "mm"), r)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range a.Args {
			key := fmt.Sprint(name, seed)
			if old, again := texts[key]; again && old != value.String() {
				t.Errorf("%s differs between runs with seed %d", name, seed)
			}
			texts[key] = value.String()
		}
	}
	seen := map[string]string{}
	for key, text := range texts {
		if other, twice := seen[text]; twice {
			t.Errorf("%s and %s are equal", key, other)
		}
		seen[text] = key
	}
}

func TestCast(t *testing.T) {
	x, err := tensor.New(tensor.Float32, 3)
	if err != nil {
		t.Fatal(err)
	}
	tensor.FillIota(x)
	r := request(t, "s=1")
	r.Values["X"], r.Cast = x, true
	a, err := Resolve(def(t, "add"), r)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Args["X"]; got.DType() != tensor.Uint64 || got.String() != "[0 1 2]" || len(a.Sizes) != 0 {
		t.Errorf("X is %s %s with the sizes %v", got.DType(), got, a.Sizes)
	}
}

// Random integers that subscript lie in the dimension, in all of them if there are
// several.
func TestRandomIndices(t *testing.T) {
	d := def(t, "gather")
	for seed := range uint64(20) {
		r := request(t, "M:=3 K:=2 L:=40 N:=30")
		r.Seed = seed
		a, err := Resolve(d, r)
		if err != nil {
			t.Fatal(err)
		}
		for name, most := range map[string][2]int64{"I": {1, 2}, "J": {0, 1}, "n": {0, 9}} {
			seen := map[int64]bool{}
			for i := range 30 {
				v := a.Args[name].Int(i)
				if seen[v] = true; v < most[0] || v > most[1] {
					t.Errorf("seed %d: %s(%d) = %d, expected %d to %d", seed, name, i, v, most[0], most[1])
				}
			}
			if len(seen) < 2 {
				t.Errorf("seed %d: %s is constant", seed, name)
			}
		}
		if _, err := d.RunWith(t.Context(), a.Args, a.Sizes, ricci.Options{Target: ricci.Eval}); err != nil {
			t.Error(err)
		}
	}
	if _, _, ok := d.IndexValues("I", map[string]int64{"M": 1, "K": 1, "L": 1, "N": 1}); ok {
		t.Error("I has values although its two subscripts exclude one another")
	}
}

// What reads as a spec can fill a tensor, unless it is a file.
func FuzzParseSpec(f *testing.F) {
	for _, text := range []string{"random:7", "iota", "const:1e400", "0x1F", "a.npz:b", "nan", "-0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSpec(text)
		if err != nil {
			return
		}
		x, err := tensor.New(tensor.Float32, 2)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Fill(x); (err != nil) != (s.Kind == File || s.Kind == List) {
			t.Errorf("%q of kind %d: %v", text, s.Kind, err)
		}
	})
}
