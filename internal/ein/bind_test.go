package ein_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

func sym(name string) affine.Expr { return affine.Symbol(name) }

func dims(extents ...affine.Expr) []ein.Dim {
	list := make([]ein.Dim, len(extents))
	for i, e := range extents {
		list[i].Extent = e
	}
	return list
}

// convolution is Y(i) = sum over k of X(i+k) * W(k), with a shift s by value
// and a free size F.
func convolution() *ein.Func {
	x := &ein.Tensor{Name: "X", Type: tensor.Float32, Dims: dims(sym("N"))}
	w := &ein.Tensor{Name: "W", Type: tensor.Float32, Dims: dims(sym("K"))}
	s := &ein.Tensor{Name: "s", Type: tensor.Int32}
	y := &ein.Tensor{Name: "Y", Type: tensor.Float32, Dims: dims(sym("N").Sub(sym("K")).AddConst(1)), Role: ein.Output}
	z := &ein.Tensor{Name: "Z", Type: tensor.Int64, Dims: dims(sym("F")), Role: ein.Output}
	i := &ein.Index{Name: "i", Extent: sym("N").Sub(sym("K")).AddConst(1)}
	k := &ein.Index{Name: "k", Extent: sym("K"), Combine: ein.Combine{Kind: ein.Reduce, Op: ein.BuiltinOperator(ein.SumOp, tensor.Float32)}}
	j := &ein.Index{Name: "j", Extent: sym("F"), MayBeEmpty: true}
	ref := func(i *ein.Index) ein.Expr { return &ein.IndexRef{Index: i} }
	return &ein.Func{
		Name: "conv",
		Sizes: []*ein.Size{
			{Name: "N", Tensor: x}, {Name: "K", Tensor: w}, {Name: "s", Tensor: s, Dim: ein.ScalarValue},
			{Name: "F", Tensor: z, MayBeZero: true},
		},
		Tensors:  []*ein.Tensor{x, w, s, y, z},
		Requires: []*ein.Condition{{Expr: sym("N").Sub(sym("s")), Reason: "X(s)"}},
		Body: []*ein.Comprehension{
			{
				Indices: []*ein.Index{i, k},
				Writes:  []*ein.Write{{Tensor: y, Subscripts: []ein.Expr{ref(i)}}},
				Values: []ein.Expr{&ein.Binary{Op: ein.Mul,
					X: &ein.Access{Tensor: x, Subscripts: []ein.Expr{&ein.Binary{Op: ein.Add, X: ref(i), Y: ref(k)}}},
					Y: &ein.Access{Tensor: w, Subscripts: []ein.Expr{ref(k)}},
				}},
			},
			{
				Indices: []*ein.Index{j},
				Writes:  []*ein.Write{{Tensor: z, Subscripts: []ein.Expr{ref(j)}}},
				Values:  []ein.Expr{&ein.SizeRef{Size: sym("s").Add(sym("F"))}},
			},
		},
	}
}

func TestBind(t *testing.T) {
	type shapes = map[string][]int64
	tests := []struct {
		name    string
		shapes  shapes
		scalars map[string]int64
		want    map[string]int64
		codes   string // of all problems, in order
		text    string // part of the first message
	}{
		{"from arguments", shapes{"X": {9}, "W": {3}, "s": {}, "Z": {5}}, map[string]int64{"s": 4},
			map[string]int64{"N": 9, "K": 3, "s": 4, "F": 5}, "", ""},
		{"explicit size", shapes{"X": {9}, "W": {3}, "s": {}}, map[string]int64{"s": -4, "F": 0},
			map[string]int64{"N": 9, "K": 3, "s": -4, "F": 0}, "", ""},
		{"output of the right shape", shapes{"X": {9}, "W": {3}, "s": {}, "Y": {7}}, map[string]int64{"s": 4, "F": 1},
			map[string]int64{"N": 9, "K": 3, "s": 4, "F": 1}, "", ""},
		{"output of a wrong shape", shapes{"X": {9}, "W": {3}, "s": {}, "Y": {8}}, map[string]int64{"s": 4, "F": 1},
			nil, "E0605", "dimension 0 of Y is 8, expected N - K + 1 = 7"},
		{"explicit size against an argument", shapes{"X": {9}, "W": {3}, "s": {}}, map[string]int64{"s": 4, "F": 1, "N": 8},
			nil, "E0605", "dimension 0 of X is 9, expected N = 8"},
		{"nothing given", nil, nil, nil, "E0601 E0601 E0601 E0604 E0604", "the argument X of conv is missing, expected float32(N)"},
		{"rank", shapes{"X": {9, 1}, "W": {3}, "s": {}}, map[string]int64{"s": 0, "F": 1}, nil, "E0602", "X has 2 dimensions with shape (9, 1)"},
		{"unknown names", shapes{"X": {9}, "W": {3}, "s": {}, "Q": {1}}, map[string]int64{"s": 0, "F": 1, "P": 1},
			nil, "E0603 E0603", "no argument or size named P"},
		{"no source for F", shapes{"X": {9}, "W": {3}, "s": {}}, map[string]int64{"s": 0}, nil, "E0604", "no input determines the size F"},
		{"empty", shapes{"X": {9}, "W": {0}, "s": {}}, map[string]int64{"s": 0, "F": -1}, nil, "E0606 E0606", "the size K is 0 (dimension 0 of W)"},
		{"condition", shapes{"X": {9}, "W": {3}, "s": {}}, map[string]int64{"s": 10, "F": 1}, nil, "E0607", "the sizes must satisfy N >= s: X(s)"},
		{"empty range", shapes{"X": {2}, "W": {3}, "s": {}}, map[string]int64{"s": 0, "F": 1}, nil, "E0608", "the range of i is empty"},
		{"negative extent", shapes{"X": {2}, "W": {5}, "s": {}}, map[string]int64{"s": 0, "F": 1}, nil, "E0608", "N - K + 1 = -2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := convolution().Bind(test.shapes, test.scalars)
			if test.codes == "" {
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Error(diff)
				}
				return
			}
			var list source.ErrorList
			if !errors.As(err, &list) {
				t.Fatalf("got %v, %v, expected diagnostics", got, err)
			}
			var codes []string
			for _, d := range list {
				codes = append(codes, string(d.Code))
			}
			if strings.Join(codes, " ") != test.codes || !strings.Contains(list[0].Message, test.text) {
				t.Errorf("got\n%v\nexpected codes %s and %q", err, test.codes, test.text)
			}
		})
	}
}

// The help speaks of "or empty" where the notation has these words, whatever the file is called.
func TestBindHelp(t *testing.T) {
	for _, says := range []bool{true, false} {
		f := convolution()
		f.SaysOrEmpty = says
		for _, shapes := range []map[string][]int64{{"X": {9}, "W": {0}, "s": {}}, {"X": {2}, "W": {3}, "s": {}}} {
			_, err := f.Clone().Bind(shapes, map[string]int64{"s": 0, "F": 1})
			var d *source.Diagnostic
			if !errors.As(err, &d) || strings.Contains(d.Help, "or empty") != says {
				t.Errorf("a notation that has the words: %v, got %v", says, err)
			}
		}
	}
}

// The help has the words to write, and the notes their places, unless what is combined has no value for nothing.
func TestBindOrEmpty(t *testing.T) {
	for _, test := range []struct {
		body, help string
		notes      int
	}{
		{"out V: float32[N] for j in 0:N, i in 0:N reduce + { V[j] = X[i] }", ": where j or empty, i or empty", 2},
		{"out V: float32[N] for j in 0:N or empty, i in 0:N reduce + { V[j] = X[i] }", ": where i or empty", 1},
		{"out V: float32[] out P: int64[] for i in 0:N reduce argmax { V[] = X[i] P[] = i }", "; here i must have a value, because argmax of nothing is none", 0},
	} {
		f, err := ein.ParseFunc("f", "func f { size N = dim 0 of X in X: float32[N] "+test.body+" }")
		if err != nil {
			t.Fatal(err)
		}
		f.SaysOrEmpty = true
		_, err = f.Bind(map[string][]int64{"X": {0}}, nil)
		var d *source.Diagnostic
		if !errors.As(err, &d) || d.Code != source.EmptySize || !strings.HasSuffix(d.Help, "ranges over N"+test.help) || len(d.Notes) != test.notes {
			t.Errorf("%s: got %+v", test.body, d)
		}
	}
}

func TestBindConflict(t *testing.T) {
	f := convolution()
	f.Tensor("s").Name = "shift"
	shapes := map[string][]int64{"X": {9}, "W": {3}, "shift": {}}
	if _, err := f.Bind(shapes, map[string]int64{"shift": 4, "s": 4, "F": 1}); err != nil {
		t.Error(err)
	}
	_, err := f.Bind(shapes, map[string]int64{"shift": 4, "s": 5, "F": 1})
	var d *source.Diagnostic
	if !errors.As(err, &d) || d.Code != source.ConflictingSize {
		t.Errorf("got %v", err)
	}
}

func TestBindArithmetic(t *testing.T) {
	f := convolution()
	f.Body[1].Indices[0].Extent = affine.Div(sym("N"), sym("s"))
	f.Requires = nil
	_, err := f.Bind(map[string][]int64{"X": {9}, "W": {3}, "s": {}}, map[string]int64{"s": 0, "F": 1})
	var d *source.Diagnostic
	if !errors.As(err, &d) || d.Code != source.SizeArithmetic || len(d.Notes) != 2 {
		t.Errorf("got %v", err)
	}
}

// Numbers in subscripts have to fit, too: all extents do where i has a single value.
func TestBindSubscripts(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  size n = dim 0 of y
  size a
  in x: float32[a*a*a*n - a*a*a + 1]
  out y: float32[n]
  for i in 0:n { y[i] = x[{a*a*a} * i] }
}`)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.CheckSizes(map[string]int64{"n": 1, "a": 1000}); err != nil {
		t.Error(err)
	}
	var list source.ErrorList
	err = f.CheckSizes(map[string]int64{"n": 1, "a": 3e9})
	if !errors.As(err, &list) || len(list) != 1 || list[0].Code != source.SizeArithmetic || !strings.Contains(list[0].Message, "a size expression of the program = a*a*a cannot be computed") {
		t.Errorf("got %v", err)
	}
}

// Arrays have to fit, too, where none are given.
func TestBindBytes(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  size m = dim 0 of y
  size n = dim 1 of y
  in x: float32[m]
  out y: float32[m, n]
  for i in 0:m, j in 0:n { y[i, j] = x[i] }
}`)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.CheckSizes(map[string]int64{"m": 1 << 23, "n": 1 << 23}); err != nil {
		t.Error(err)
	}
	for n, what := range map[int64]string{
		1<<23 + 1: "the number of bytes of y is 4*m*n = 281475010265088, and no process has room for more than 281474976710656",
		1 << 37:   "the number of bytes of y is 4*m*n = 4611686018427387904",
		1 << 38:   "the number of bytes of y = 4*m*n cannot be computed",
	} {
		var list source.ErrorList
		err = f.CheckSizes(map[string]int64{"m": 1 << 23, "n": n})
		if !errors.As(err, &list) || len(list) != 1 || list[0].Code != source.SizeArithmetic || !strings.Contains(list[0].Message, what) {
			t.Errorf("%d: got %v", n, err)
		}
	}
}

func TestSpecialise(t *testing.T) {
	f := convolution()
	sizes := map[string]int64{"N": 9, "K": 3, "s": 4, "F": -2}
	all, err := f.Specialise(sizes, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Sizes) != 0 || len(all.Requires) != 0 {
		t.Errorf("sizes or conditions remain: %v %v", all.Sizes, all.Requires)
	}
	if n, ok := all.Body[1].Indices[0].Extent.IsConst(); !ok || n != 0 {
		t.Errorf("the empty range is %s", all.Body[1].Indices[0].Extent)
	}
	if c, ok := all.Body[1].Values[0].(*ein.Const); !ok || c.Int() != 2 {
		t.Errorf("the size in the value is %v", all.Body[1].Values[0])
	}
	access := all.Body[0].Accesses()[0]
	if access.Tensor != all.Tensor("X") || access.Tensor == f.Tensor("X") {
		t.Error("the copy does not refer to its own tensors")
	}
	if r := access.Subscripts[0].(*ein.Binary).X.(*ein.IndexRef); r.Index != all.Body[0].Indices[0] {
		t.Error("the copy does not refer to its own indices")
	}

	some, err := f.Specialise(maps.Clone(sizes), map[string]bool{"N": true})
	if err != nil {
		t.Fatal(err)
	}
	if len(some.Sizes) != 1 || some.Sizes[0].Name != "N" || some.Sizes[0].Tensor != some.Tensor("X") {
		t.Errorf("kept sizes %v", some.Sizes)
	}
	if got := some.Tensor("Y").Dims[0].Extent.String(); got != "N - 2" {
		t.Errorf("extent %s", got)
	}
	if len(some.Requires) != 1 || f.Sizes[0].Tensor != f.Tensor("X") {
		t.Error("conditions lost or original changed")
	}

	var internal *source.InternalError
	if _, err := f.Specialise(map[string]int64{"N": 9}, nil); !errors.As(err, &internal) {
		t.Errorf("a missing size gives %v", err)
	}
	if _, err := f.Specialise(map[string]int64{"N": 9, "K": 3, "s": 40, "F": 1}, nil); !errors.As(err, &internal) {
		t.Errorf("a violated condition gives %v", err)
	}
}

func TestShapes(t *testing.T) {
	got, err := convolution().Shapes(map[string]int64{"N": 9, "K": 3, "s": 4, "F": 2})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]int64{"X": {9}, "W": {3}, "s": {}, "Y": {7}, "Z": {2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := convolution().Shapes(map[string]int64{"N": 1, "K": 3, "s": 4, "F": 2}); err == nil {
		t.Error("a negative extent was accepted")
	}
}

// One cause gives one problem: a failed condition silences the ranges, extents
// and divisions over the same sizes.
func TestOneProblemForOneCause(t *testing.T) {
	f, err := ein.ParseFunc("test", `func strided {
  size N = dim 0 of X
  size s = value of s
  in X: float32[N]
  in s: int64[]
  out Y: float32[(N - 1)/s + 1]
  require s - 1 >= 0 because "the step"
  for i in 0:(N - 1)/s + 1 {
    Y[i] = X![i]
  }
}
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		sizes map[string]int64
		codes string
	}{
		{map[string]int64{"N": 9, "s": 2}, ""},
		{map[string]int64{"N": 9, "s": 0}, "E0607"},
		{map[string]int64{"N": 9, "s": -1}, "E0607"},
		{map[string]int64{"s": 0}, "E0607"},
		{map[string]int64{"N": 0}, "E0606"},
		{map[string]int64{"N": 0, "s": 0}, "E0606 E0607"},
		{map[string]int64{"N": 9}, ""},
		{nil, ""},
	} {
		err := f.CheckSizes(test.sizes)
		var list source.ErrorList
		errors.As(err, &list)
		var codes []string
		for _, d := range list {
			codes = append(codes, string(d.Code))
		}
		if got := strings.Join(codes, " "); got != test.codes {
			t.Errorf("%v: %s, expected %s\n%v", test.sizes, got, test.codes, err)
		}
	}
}

// A size may be a number from which an extent is made: it is computed from the
// length, also when it is declared before the others in the extent.
func TestBindSolvesExtents(t *testing.T) {
	program, err := ein.Parse(source.NewFile("t.ein", `func conv {
  size P = dim 0 of I
  size R = dim 0 of F
  in I: float32[2*P + R - 2]
  in F: float32[R]
  out O: float32[P]
  for p in 0:P, r in 0:R reduce + {
    O[p] = I[2i64 * p + r] * F[r]
  }
}`))
	if err != nil {
		t.Fatal(err)
	}
	f := program.Funcs[0]
	for _, c := range []struct {
		i, r    int64
		scalars map[string]int64
		p       int64
		err     string
	}{
		{i: 8, r: 2, p: 4},
		{i: 8, r: 3, err: "dimension 0 of I is 8, expected 2*P + R - 2 = 7"},
		{i: 8, r: 2, scalars: map[string]int64{"P": 4}, p: 4},
		{i: 8, r: 2, scalars: map[string]int64{"P": 3}, err: "dimension 0 of I is 8, expected 2*P + R - 2 = 6"},
		{i: 1, r: 5, err: "the size P is -1 (dimension 0 of I, which is 2*P + R - 2), expected at least 1"},
	} {
		sizes, err := f.Bind(map[string][]int64{"I": {c.i}, "F": {c.r}}, c.scalars)
		switch {
		case c.err == "" && err != nil:
			t.Errorf("%v: %v", c, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%v: got the error %v", c, err)
		case c.err == "" && sizes["P"] != c.p:
			t.Errorf("%v: P is %d", c, sizes["P"])
		}
	}
}
