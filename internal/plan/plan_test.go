package plan

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
)

// drawSizes draws sizes that a function may or may not take.
func drawSizes(t *rapid.T, f *ein.Func) map[string]int64 {
	sizes := eintest.Sizes(t)
	known := map[string]int64{}
	for _, s := range f.Sizes {
		if known[s.Name] = sizes[s.Name]; rapid.IntRange(0, 2).Draw(t, "odd") == 0 {
			known[s.Name] = rapid.Int64Range(-2, 7).Draw(t, "any "+s.Name)
		}
	}
	return known
}

// holds evaluates the conditions of a plan.
func holds(t *rapid.T, p *Plan, sizes map[string]int64) bool {
	all := true
	for _, c := range p.Conditions {
		e, err := affine.Parse(c.Expr)
		if err != nil {
			t.Fatalf("the condition %q: %v", c.Expr, err)
		}
		v, err := e.Eval(sizes)
		if err != nil {
			t.Fatalf("the condition %q: %v", c.Expr, err)
		}
		if _, known := source.Lookup(source.Code(c.Code)); c.Message == "" || !known {
			t.Fatalf("the condition %q has the message %q and the code %q", c.Expr, c.Message, c.Code)
		}
		all = all && v >= 0
	}
	return all
}

// TestConditions: a call of which the conditions of the plan hold is one that Bind takes, and no other, whichever sizes are
// compiled in.
func TestConditions(t *testing.T) {
	taken, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		f := eintest.Func(t)
		sizes := drawSizes(t, f)
		fixed := map[string]int64{}
		for name, v := range sizes {
			if rapid.Bool().Draw(t, name+" is compiled in") {
				fixed[name] = v
			}
		}
		p, err := Make(Kernel{Name: f.Name, Func: f, Sizes: fixed, Loop: &loop.Func{Name: f.Name}})
		if err != nil {
			t.Fatal(err)
		}
		shapes := map[string][]int64{}
		for _, x := range f.ByRole(ein.Input, ein.InOut) {
			shapes[x.Name] = []int64{}
			for _, d := range x.Dims {
				extent, err := d.Extent.Eval(sizes)
				if err != nil {
					t.Fatal(err)
				}
				shapes[x.Name] = append(shapes[x.Name], extent)
			}
		}
		_, err = f.Bind(shapes, sizes)
		if got := holds(t, p, sizes); got != (err == nil) {
			t.Fatalf("with %v, of which %v are compiled in, the conditions are %v, and Bind says %v\n%+v\n%s", sizes, fixed, got, err, p.Conditions, ein.Print(f))
		}
		if err == nil {
			taken++
		} else {
			refused++
		}
	})
	if !t.Failed() && (taken == 0 || refused == 0) {
		t.Errorf("%d calls were taken and %d refused", taken, refused)
	}
}

// TestJSON: what is written is read back, and says where a caller finds each size.
func TestJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := eintest.Func(t)
		sizes, fixed := eintest.Sizes(t), map[string]int64{}
		for _, s := range f.Sizes {
			if rapid.Bool().Draw(t, s.Name+" is compiled in") {
				fixed[s.Name] = sizes[s.Name]
			}
		}
		kernel := &loop.Func{Name: f.Name, Workspace: 64, Own: 128}
		for _, x := range append(f.Inputs(), f.Outputs()...) {
			b := &loop.Buffer{Name: x.Name}
			kernel.Params = append(kernel.Params, &loop.Param{Buffer: b}, &loop.Param{Var: &loop.Var{}, Origin: "packed " + x.Name})
			kernel.Sites = append(kernel.Sites, loop.Site{Tensor: x.Name, Dim: 1, Lo: -1, Hi: 3})
			kernel.Notices = append(kernel.Notices, loop.Notice{Buffer: &loop.Buffer{Offset: 64}})
		}
		for _, s := range f.Sizes {
			kernel.Params = append(kernel.Params, &loop.Param{Var: &loop.Var{}, Origin: "size " + s.Name})
		}
		p, err := Make(Kernel{Name: f.Name, Func: f, Sizes: fixed, Strides: map[string][]int{f.Outputs()[0].Name: {3, -1}}, Loop: kernel, Target: "c", Symbol: "k", Schedule: "default"})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		read := new(Plan)
		if err := json.Unmarshal(text, read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, read); diff != "" {
			t.Fatalf("-written +read:\n%s", diff)
		}
		again, err := json.Marshal(read)
		if err != nil || string(again) != string(text) {
			t.Fatalf("%s\nis written as\n%s (%v)", text, again, err)
		}
		checkShapes(t, f, p, sizes)
	})
}

// checkShapes compares the arguments and sizes of a plan with those of the function.
func checkShapes(t *rapid.T, f *ein.Func, p *Plan, sizes map[string]int64) {
	shapes, err := f.Shapes(sizes)
	if err != nil {
		t.Fatal(err)
	}
	extents := map[string][]int64{}
	for _, a := range p.Arguments {
		for _, text := range a.Shape {
			e, err := affine.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			v, err := e.Eval(sizes)
			if err != nil {
				t.Fatal(err)
			}
			extents[a.Name] = append(extents[a.Name], v)
		}
		if len(extents[a.Name]) != len(shapes[a.Name]) {
			t.Fatalf("%s has the shape %v, expected %v", a.Name, extents[a.Name], shapes[a.Name])
		}
		for i, v := range shapes[a.Name] {
			if extents[a.Name][i] != v {
				t.Fatalf("%s has the shape %v, expected %v", a.Name, extents[a.Name], shapes[a.Name])
			}
		}
	}
	for _, s := range p.Sizes {
		if s.Value != nil && *s.Value != sizes[s.Name] {
			t.Fatalf("the size %s has the value %d, expected %d", s.Name, *s.Value, sizes[s.Name])
		}
		if s.Argument != "" && s.Dim >= 0 && extents[s.Argument][s.Dim] != sizes[s.Name] {
			t.Fatalf("the size %s is not dimension %d of %s", s.Name, s.Dim, s.Argument)
		}
	}
}

// TestWorkspace adds what all need, or what the sizes ask for, and what each thread has.
func TestWorkspace(t *testing.T) {
	tests := []struct {
		workspace Workspace
		sizes     map[string]int64
		threads   int64
		want      int64 // -1: an error
	}{
		{Workspace{}, nil, 4, 0},
		{Workspace{Bytes: 128}, nil, 4, 128},
		{Workspace{Bytes: 128, Thread: 64}, nil, 3, 320},
		{Workspace{Dynamic: "64*N + 256*(M/4)"}, map[string]int64{"N": 2, "M": 7}, 1, 384},
		{Workspace{Bytes: 5, Dynamic: "64*N", Thread: 64}, map[string]int64{"N": 2}, 2, 256},
		{Workspace{Dynamic: "64*N"}, map[string]int64{"M": 2}, 1, -1},
		{Workspace{Dynamic: "64*"}, map[string]int64{"M": 2}, 1, -1},
		{Workspace{Dynamic: "N*N*N"}, map[string]int64{"N": 1 << 40}, 1, -1},
	}
	for _, test := range tests {
		got, err := test.workspace.Size(test.sizes, test.threads)
		if (err != nil) != (test.want < 0) || err == nil && got != test.want {
			t.Errorf("%+v with %v on %d threads: %d (%v), expected %d", test.workspace, test.sizes, test.threads, got, err, test.want)
		}
	}
}

// TestNames: a kernel with names of its own gives a plan in those of the program.
func TestNames(t *testing.T) {
	f, err := ein.ParseFunc("f", "func f {\n  size N = dim 0 of A\n  in A: float32[N]\n  out B: float32[N]\n  for i in 0:N { B[i] = A[i] }\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	n := affine.Symbol("n0")
	bytes := n.Scale(64)
	kernel := &loop.Func{Name: "kernel", DynamicWorkspace: &bytes, Sites: []loop.Site{{Tensor: "t0"}}, Params: []*loop.Param{
		{Buffer: &loop.Buffer{Name: "t0"}}, {Var: &loop.Var{}, Origin: "packed t0"}, {Var: &loop.Var{}, Origin: "size n0"}, {Buffer: &loop.Buffer{Name: "t1"}},
	}}
	p, err := Make(Kernel{Name: "f", Func: f, Loop: kernel, Names: map[string]string{"t0": "A", "t1": "B", "n0": "N"}, Symbol: "k"})
	if err != nil {
		t.Fatal(err)
	}
	want := []Word{{Tensor: "A"}, {Packed: "A"}, {Size: "N"}, {Tensor: "B"}}
	if diff := cmp.Diff(want, p.Launches[0].Words); diff != "" || p.Workspace.Dynamic != "64*N" || p.Faults[0].Tensor != "A" {
		t.Errorf("%s the workspace is %q, the fault is in %q", diff, p.Workspace.Dynamic, p.Faults[0].Tensor)
	}
	kernel.Params[1].Origin = "stride A 1"
	var internal *source.InternalError
	if _, err := Make(Kernel{Name: "f", Func: f, Loop: kernel, Names: map[string]string{}}); !errors.As(err, &internal) {
		t.Errorf("a parameter of an unknown kind: %v", err)
	}
}
