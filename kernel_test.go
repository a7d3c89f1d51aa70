package ricci_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// compile makes a kernel, or skips where there is no compiler.
func compile(t testing.TB, d *ricci.Def, args tensors, options ricci.Options) *ricci.Kernel {
	t.Helper()
	k, err := d.CompileFor(context.Background(), args, options)
	skipWithoutCompiler(t, err)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

const scaled = `def scaled(float(N) A, float s) -> (B) { B(i) = s * A(i) }`

func newTensor[T tensor.Element](t testing.TB, data []T, shape ...int) *tensor.Tensor {
	t.Helper()
	x, err := tensor.FromSlice(data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func floats(t testing.TB, x *tensor.Tensor) []float64 {
	t.Helper()
	list, err := tensor.ToSlice[float64](x)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func view(t testing.TB, x *tensor.Tensor, err error) *tensor.Tensor {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func equal(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestCallAllocatesNothing(t *testing.T) {
	d := parse(t, matmul)
	a, b, c := random(t, tensor.Float32, 1, 4, 4), random(t, tensor.Float32, 2, 4, 4), random(t, tensor.Float32, 3, 4, 4)
	k := compile(t, d, tensors{"A": a, "B": b}, ricci.Options{Target: ricci.C})
	ctx := context.Background()
	if n := testing.AllocsPerRun(100, func() {
		if err := k.Run(ctx, a, b, c); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations for a call", n)
	}
}

func BenchmarkCall(b *testing.B) {
	d := parse(b, scaled)
	x, s, y := random(b, tensor.Float32, 1, 4), tensor.Scalar(float32(2)), random(b, tensor.Float32, 3, 4)
	k := compile(b, d, tensors{"A": x, "s": s}, ricci.Options{Target: ricci.C})
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if err := k.Run(ctx, x, s, y); err != nil {
			b.Fatal(err)
		}
	}
}

func TestWrongArguments(t *testing.T) {
	targets(t, func(t *testing.T, options ricci.Options) {
		d := parse(t, matmul)
		a, b, c := random(t, tensor.Float32, 1, 2, 3), random(t, tensor.Float32, 2, 3, 4), random(t, tensor.Float32, 3, 2, 4)
		k := compile(t, d, tensors{"A": a, "B": b}, options)
		closed := random(t, tensor.Float32, 1, 2, 3)
		if err := closed.Close(); err != nil {
			t.Fatal(err)
		}
		for name, test := range map[string]struct {
			args []*tensor.Tensor
			code ricci.Code
		}{
			"none":    {nil, "E0625"},
			"too few": {[]*tensor.Tensor{a, b}, "E0625"},
			"nil":     {[]*tensor.Tensor{a, nil, c}, "E0626"},
			"closed":  {[]*tensor.Tensor{closed, b, c}, "E0626"},
			"type":    {[]*tensor.Tensor{random(t, tensor.Float64, 1, 2, 3), b, c}, "E0621"},
			"rank":    {[]*tensor.Tensor{random(t, tensor.Float32, 1, 6), b, c}, "E0602"},
			"shape":   {[]*tensor.Tensor{a, b, random(t, tensor.Float32, 1, 4, 2)}, "E0623"},
		} {
			if err := k.Run(context.Background(), test.args...); diagnostic(err) != test.code {
				t.Errorf("%s: %v, expected %s", name, err, test.code)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := k.Run(ctx, a, b, c); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		if _, err := k.RunNamed(context.Background(), tensors{"A": a, "B": b, "C": c}); diagnostic(err) != "E0626" {
			t.Errorf("an output for RunNamed: %v", err)
		}
		if _, err := k.RunNamed(context.Background(), tensors{"A": b, "B": b}); diagnostic(err) != "E0605" {
			t.Errorf("shapes that do not fit: %v", err)
		}
		if _, err := k.RunNamed(context.Background(), tensors{"A": random(t, tensor.Float32, 1, 5, 3), "B": b}); diagnostic(err) != "E0623" {
			t.Errorf("shapes of another kernel: %v", err)
		}
		if err := errors.Join(k.Close(), k.Close()); err != nil {
			t.Error(err)
		}
		if err := k.Run(context.Background(), a, b, c); !errors.Is(err, ricci.ErrClosed) {
			t.Errorf("a closed kernel: %v", err)
		}
	})
}

// A view of other strides is an error of Run, and copied by RunNamed.
func TestStrides(t *testing.T) {
	d := parse(t, matmul)
	big := random(t, tensor.Float32, 1, 6, 8)
	transposed, err := big.Transpose(1, 0)
	view(t, transposed, err)
	a, err := transposed.Slice(0, 0, 8, 2) // 4 × 6
	view(t, a, err)
	b, c := random(t, tensor.Float32, 2, 6, 5), random(t, tensor.Float32, 3, 4, 5)
	dense, err := a.Clone()
	view(t, dense, err)
	want, err := d.Evaluate(context.Background(), tensors{"A": dense, "B": b}, nil)
	if err != nil {
		t.Fatal(err)
	}
	check := func(got *tensor.Tensor) {
		t.Helper()
		if ok, at := tensor.AllClose(got, want["C"], 1e-5, 1e-5); !ok {
			t.Errorf("wrong at %v", at)
		}
	}
	strided := compile(t, d, tensors{"A": a, "B": b}, ricci.Options{Target: ricci.C})
	if err := strided.Run(context.Background(), a, b, c); err != nil {
		t.Fatal(err)
	}
	check(c)
	if err := strided.Run(context.Background(), dense, b, c); diagnostic(err) != "E0622" {
		t.Errorf("a dense array for a strided kernel: %v", err)
	}
	for _, x := range []*tensor.Tensor{a, dense} {
		out, err := strided.RunNamed(context.Background(), tensors{"A": x, "B": b})
		if err != nil {
			t.Fatal(err)
		}
		check(out["C"])
	}
	reversed, err := c.Slice(0, 3, -5, -1)
	if err == nil && reversed.Dim(0) == 4 {
		k := compile(t, d, tensors{"A": a, "B": b, "C": reversed}, ricci.Options{Target: ricci.C})
		if err := k.Run(context.Background(), a, b, reversed); err != nil {
			t.Fatal(err)
		}
		check(reversed)
		out, err := k.RunNamed(context.Background(), tensors{"A": a, "B": b})
		if err != nil {
			t.Fatal(err)
		}
		check(out["C"])
	}
	broadcast, err := random(t, tensor.Float32, 3, 1, 5).Broadcast(4, 5)
	view(t, broadcast, err)
	if _, err := d.CompileFor(context.Background(), tensors{"A": a, "B": b, "C": broadcast}, ricci.Options{Target: ricci.C}); diagnostic(err) != "E0626" {
		t.Errorf("an output whose elements share memory: %v", err)
	}
}

// An output that shares memory with an input: the right-hand side is read in full
// before anything is written.
func TestAliasing(t *testing.T) {
	targets(t, func(t *testing.T, options ricci.Options) {
		d := parse(t, `def shift(float(N) A) -> (B) { B(i) = A(i) + A(N - 1 - i) where i in 0:N }`)
		memory := newTensor(t, []float32{1, 2, 3, 4, 5, 6, 7, 8}, 8)
		part := func(lo, hi int) *tensor.Tensor {
			v, err := memory.Slice(0, lo, hi, 1)
			return view(t, v, err)
		}
		k := compile(t, d, tensors{"A": part(0, 4)}, options)
		if err := k.Run(context.Background(), part(0, 4), part(0, 4)); err != nil {
			t.Fatal(err)
		}
		if got := floats(t, memory); !equal(got, []float64{5, 5, 5, 5, 5, 6, 7, 8}) {
			t.Errorf("in place: %v", got)
		}
		if err := k.Run(context.Background(), part(3, 7), part(2, 6)); err != nil {
			t.Fatal(err)
		}
		if got := floats(t, memory); !equal(got, []float64{5, 5, 12, 11, 11, 12, 7, 8}) {
			t.Errorf("overlapping: %v", got)
		}
		two := parse(t, `def two(float(N) A) -> (B, C) { B(i) = A(i) C(i) = -A(i) }`)
		k = compile(t, two, tensors{"A": part(0, 4)}, options)
		if err := k.Run(context.Background(), part(0, 4), part(1, 5), part(1, 5)); err != nil {
			t.Fatal(err)
		}
		if got := floats(t, memory); !equal(got, []float64{5, -5, -5, -12, -11, 12, 7, 8}) {
			t.Errorf("two outputs: %v", got)
		}
	})
}

func TestInOut(t *testing.T) {
	targets(t, func(t *testing.T, options ricci.Options) {
		d := parse(t, `def add(float(N) A) -> (float(N) S) { S(i) += A(i) }`)
		if p := d.Outputs()[0]; !p.InOut {
			t.Fatalf("%+v is not an in-out", p)
		}
		a, s := newTensor(t, []float32{1, 2}, 2), newTensor(t, []float32{10, 20}, 2)
		k := compile(t, d, tensors{"A": a, "S": s}, options)
		out, err := k.RunNamed(context.Background(), tensors{"A": a, "S": s})
		if err != nil || !equal(floats(t, out["S"]), []float64{11, 22}) || !equal(floats(t, s), []float64{10, 20}) {
			t.Errorf("RunNamed: %v %v %v", out, s, err)
		}
		if err := k.Run(context.Background(), a, s); err != nil || !equal(floats(t, s), []float64{11, 22}) {
			t.Errorf("Run: %v %v", s, err)
		}
		if _, err := k.RunNamed(context.Background(), tensors{"A": a}); diagnostic(err) != "E0601" {
			t.Errorf("without the old value: %v", err)
		}
	})
}

func TestDynamic(t *testing.T) {
	targets(t, func(t *testing.T, options ricci.Options) {
		options.Dynamic = []string{"M", "K"}
		d := parse(t, matmul)
		example := tensors{"A": random(t, tensor.Float32, 1, 3, 4), "B": random(t, tensor.Float32, 2, 4, 5)}
		k := compile(t, d, example, options)
		for _, size := range [][2]int{{1, 1}, {3, 4}, {17, 33}, {2, 100}} {
			args := tensors{"A": random(t, tensor.Float32, 1, size[0], size[1]), "B": random(t, tensor.Float32, 2, size[1], 5)}
			out, err := k.RunNamed(context.Background(), args)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.Check(context.Background(), args, out, nil); err != nil {
				t.Error(err)
			}
			if err := k.Run(context.Background(), args["A"], args["B"], out["C"]); err != nil {
				t.Error(err)
			}
		}
		c := random(t, tensor.Float32, 3, 3, 6)
		if err := k.Run(context.Background(), example["A"], random(t, tensor.Float32, 2, 4, 6), c); diagnostic(err) != "E0623" && diagnostic(err) != "E0605" {
			t.Errorf("another value of the constant size: %v", err)
		}
		if _, err := d.CompileFor(context.Background(), example, ricci.Options{Target: options.Target, Dynamic: []string{"Q"}}); diagnostic(err) != "E0603" {
			t.Errorf("an unknown size: %v", err)
		}
	})
}

func TestOutOfBounds(t *testing.T) {
	targets(t, func(t *testing.T, options ricci.Options) {
		d := parse(t, `def gather(float(N) X, int32(M) I) -> (Z) { Z(i) = X(I(i)) }`)
		x := newTensor(t, []float32{1, 2, 3}, 3)
		good, bad := newTensor(t, []int32{2, 0}, 2), newTensor(t, []int32{1, 3}, 2)
		k := compile(t, d, tensors{"X": x, "I": good}, options)
		out, err := k.RunNamed(context.Background(), tensors{"X": x, "I": good})
		if err != nil || !equal(floats(t, out["Z"]), []float64{3, 1}) {
			t.Errorf("%v %v", out, err)
		}
		_, err = k.RunNamed(context.Background(), tensors{"X": x, "I": bad})
		var problem *ricci.Diagnostic
		if !errors.As(err, &problem) || problem.Code != "E0611" || problem.Span.Text() != "X(I(i))" || !strings.HasPrefix(problem.Message, "X is read at 3 in dimension 0") {
			t.Errorf("%v", err)
		}
		out, err = k.RunNamed(context.Background(), tensors{"X": x, "I": good})
		if err != nil || !equal(floats(t, out["Z"]), []float64{3, 1}) {
			t.Errorf("after a failure: %v %v", out, err)
		}
		options.Dynamic = []string{"N"}
		_, err = compile(t, d, tensors{"X": x, "I": good}, options).RunNamed(context.Background(), tensors{"X": x, "I": bad})
		if !errors.As(err, &problem) || !strings.HasPrefix(problem.Message, "X is read at 3 in dimension 0, expected 0 to 2") {
			t.Errorf("with a dynamic size: %v", err)
		}
	})
}

func TestConcurrentCalls(t *testing.T) {
	d := parse(t, `def f(float(N) A) -> (B) { float t(i) = A(i) + 1.0 B(i) = t(i) * t(N - 1 - i) where i in 0:N }`)
	a := random(t, tensor.Float32, 1, 1000)
	k := compile(t, d, tensors{"A": a}, ricci.Options{Target: ricci.C, Threads: 3})
	want, err := d.Evaluate(context.Background(), tensors{"A": a}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			b, err := tensor.New(tensor.Float32, 1000)
			for range 50 {
				if err == nil {
					err = k.Run(context.Background(), a, b)
				}
				if ok, at := tensor.AllClose(b, want["B"], 1e-5, 0); err != nil || !ok {
					t.Errorf("%v at %v", err, at)
					return
				}
			}
		}()
	}
	group.Wait()
}

// Run compiles once for many callers, and again for other shapes.
func TestConcurrentRun(t *testing.T) {
	d := parse(t, matmul)
	var group sync.WaitGroup
	for g := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			for round := range 6 {
				n := 1 + (g+round)%3
				args := tensors{"A": random(t, tensor.Float32, 1, n, 4), "B": random(t, tensor.Float32, 2, 4, n)}
				out, err := d.Run(context.Background(), args)
				if err == nil {
					_, err = d.Check(context.Background(), args, out, nil)
				}
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	group.Wait()
}

// A kernel that nobody closes goes with the collector, not under a call.
func TestDroppedKernels(t *testing.T) {
	d := parse(t, scaled)
	s := tensor.Scalar(float32(3))
	for round := range 20 {
		a := random(t, tensor.Float32, 1, 8+round%3)
		k := compile(t, d, tensors{"A": a, "s": s}, ricci.Options{Target: ricci.C})
		if _, err := k.RunNamed(context.Background(), tensors{"A": a, "s": s}); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
	}
}

func TestNoCompiler(t *testing.T) {
	t.Setenv("RICCI_CC", "none")
	d := parse(t, scaled)
	args := tensors{"A": random(t, tensor.Float32, 1, 3), "s": tensor.Scalar(float32(2))}
	var notices []string
	k, err := d.CompileFor(context.Background(), args, ricci.Options{Notice: func(n string) { notices = append(notices, n) }})
	if err != nil || k.Target() != ricci.Eval || len(notices) != 1 || !strings.Contains(notices[0], "evaluator") {
		t.Errorf("auto: %v %v", notices, err)
	}
	if _, err := d.CompileFor(context.Background(), args, ricci.Options{Target: ricci.C}); diagnostic(err) != "E0627" {
		t.Errorf("c: %v", err)
	}
	if _, err := d.CompileFor(context.Background(), args, ricci.Options{Target: "cuda"}); diagnostic(err) != "E0627" {
		t.Errorf("an unknown target: %v", err)
	}
}

// The compiler is a program that answers like gcc, and compiles nothing.
func TestBrokenCompiler(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gcc")
	script := "#!/bin/sh\ncase \"$*\" in *--version*) echo 'gcc (Broken) 12.1.0'; echo 'Free Software Foundation';; *) echo no libc here >&2; exit 1;; esac\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("RICCI_CC", path)
	d := parse(t, scaled)
	args := tensors{"A": random(t, tensor.Float32, 1, 3), "s": tensor.Scalar(float32(2))}
	notice := ""
	k, err := d.CompileFor(context.Background(), args, ricci.Options{Notice: func(n string) { notice += n }})
	if err != nil || k.Target() != ricci.Eval || !strings.Contains(notice, "no libc here") {
		t.Errorf("notice %q, %v", notice, err)
	}
}

// The second compilation of a program finds the kernel on disk, also when names
// differ or files are damaged; the compiler is counted by a wrapper.
func TestDiskCache(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	count := filepath.Join(dir, "count")
	wrapper := filepath.Join(dir, "cc")
	script := "#!/bin/sh\ncase \"$*\" in *--version*) ;; *) echo x >>" + count + ";; esac\nexec " + gcc + " \"$@\"\n"
	if err := os.WriteFile(wrapper, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("RICCI_CC", wrapper)
	options := ricci.Options{Target: ricci.C, CacheDir: filepath.Join(dir, "cache")}
	compilations := func() int {
		data, _ := os.ReadFile(count)
		return len(data) / 2
	}
	run := func(text string, want int) {
		t.Helper()
		d := parse(t, text)
		args := tensors{"A": random(t, tensor.Float32, 1, 6), "s": tensor.Scalar(float32(2))}
		k := compile(t, d, args, options)
		defer k.Close()
		out, err := k.RunNamed(context.Background(), args)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Check(context.Background(), args, out, nil); err != nil {
			t.Error(err)
		}
		if got := compilations(); got != want {
			t.Errorf("%d compilations, expected %d", got, want)
		}
	}
	run(scaled, 2) // the pool and the kernel
	run(scaled, 2)
	run(`def other(float(Size) A, float s) -> (Result) { Result(q) = s * A(q) }`, 2)
	run(`def other(float(Size) A, float s) -> (Result) { Result(q) = s + A(q) }`, 3)
	objects, _ := filepath.Glob(filepath.Join(options.CacheDir, "objects", "*", "*.so"))
	for _, object := range objects {
		if err := os.Truncate(object, 100); err != nil {
			t.Fatal(err)
		}
	}
	run(scaled, 4) // the pool is loaded already
	run(scaled, 4)
}
